"""Runs and judgments to a score cube: look every document up once, then each measure is a formula on the grades."""
