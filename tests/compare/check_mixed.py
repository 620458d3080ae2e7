#!/usr/bin/env python3
"""Run tools/compare/mixed.py with what needs no other optimiser: a model is better than random points on grids.

    check_mixed.py PROGRAM    exit code 77 = numpy is not there
"""
import subprocess
import sys

try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit(77)


def compare(*more):
    command = [sys.executable, sys.argv[1], "--optimisers", "quadratic,random", "--functions", "1,5", "--instances", "1,2,3", *more]
    table = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {row[1].strip(): [float(cell.split("(")[0]) for cell in row[2:5]]
            for row in (line.split("|") for line in table.splitlines()) if len(row) > 4 and row[1].strip() in ("quadratic", "random")}


def main():
    for more in ["--kind", "mixed"], ["--kind", "integer", "--q", "4"]:
        told = compare(*more)
        assert set(told) == {"quadratic", "random"}, told
        assert told["quadratic"][0] < told["random"][0] - 0.5, (more, told)
        assert max(row[2] for row in told.values()) >= 0.5, (more, told)


main()
