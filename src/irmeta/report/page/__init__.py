"""One page with every study of a score file: self-contained, to look at, to click, and to take figures from."""
