"""A command line as a user types it."""

import sys

import pytest

from irmeta import cli


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run a command line in a folder of its own; gives exit code, standard output, unfolded standard error."""
    monkeypatch.chdir(tmp_path)

    def command(*words):
        monkeypatch.setattr(sys, "argv", ["irmeta", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err.replace("\n  ", " ")

    return command
