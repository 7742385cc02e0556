"""Coverage: how often the intervals that irmeta prints hold the truth, and its tests reject what is true.

python -m bench.coverage                      measure everything (1.5 hours); the collections are where IRMETA_DATA says
python -m bench.coverage --short              few draws from made cubes (CI); exits with 1 where a promise is broken
python -m bench.coverage --only "rank sets"   some of it
python -m bench.coverage --write              keep what was measured, row by row: in the file that irmeta ships,
                                              src/irmeta/measured/coverage.csv, and in docs/coverage.md and
                                              coverage-rows.md, which are made from it
python -m bench.coverage --write --since 2026-11-22T09:30
                                              go on after a stop: what was measured since then stays

To have another interval or test measured, add an `Entry` to a module of this folder, and the module to `GROUPS` in
entries.py. An entry is a name, what is promised, and cases: worlds of which the truth is known.
"""
