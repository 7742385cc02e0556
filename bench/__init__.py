"""Speed against peers, as ratios measured side by side in one run: python -m bench, or python -m bench.NAME."""
