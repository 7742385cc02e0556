"""Commands of studies that are written by hand, in the groups that those derived from functions join."""
