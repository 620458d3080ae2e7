#!/usr/bin/env python3
"""Run tools/compare/categories.py: models are better than random points in all families together, and what was saved is
compared with.

    check_categories.py PROGRAM    exit code 77 = numpy is not there
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit(77)


def compare(*more):
    command = [sys.executable, sys.argv[1], "--seeds", "1", "--q", "8", *more]
    table = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    return {row[0]: [float(cell.split("(")[0]) for cell in row[1:]] for row in rows}


def main():
    with tempfile.TemporaryDirectory() as folder:
        saved = str(pathlib.Path(folder) / "saved.json")
        assert set(compare("--methods", "random", "--save", saved)) == {"random"}
        told = compare("--methods", "auto,random", "--against", saved)
    assert list(told) == ["before: random", "auto", "random"], told
    assert told["before: random"] == told["random"], told
    assert told["auto"][1] < told["random"][1] - 1, told
    assert told["auto"][2] > 0.8, told


main()
