"""`python -m irmeta` is the command `irmeta`."""

from irmeta.cli import main

main()
