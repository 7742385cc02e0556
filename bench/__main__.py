"""Run every benchmark: each module beside this one that has a `main`."""

import importlib
import pkgutil

import bench

for module in pkgutil.iter_modules(bench.__path__):
    if not module.name.startswith("_") and hasattr(
        loaded := importlib.import_module(f"bench.{module.name}"), "main"
    ):
        print(f"\n{module.name}: {(loaded.__doc__ or '').splitlines()[0]}")
        loaded.main()
