#!/usr/bin/env python3
"""Run tools/compare/public.py with what needs no other optimiser: runs are kept, not made twice, and told in a table.

    check_public.py PROGRAM    exit code 77 = numpy is not there
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit(77)


def compare(results, *more):
    command = [sys.executable, sys.argv[1], "--optimisers", "gp-logei-warped,random", "--functions", "1,10", "--dimensions",
               "2", "--evaluations-per-d", "8", "--results", str(results), *more]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "runs.csv"
        table = compare(results)
        rows = results.read_text().splitlines()
        assert len(rows) == 4, rows
        assert "2 variables, 16 evaluations, q = 1, noise 0, 2 runs" in table, table
        share = {line.split("|")[1].strip(): float(line.split("|")[2]) for line in table.splitlines()
                 if line.startswith("| ") and "optimiser" not in line}
        assert share["gp-logei-warped"] > share["random"], table
        assert share["oracle"] >= max(share.values()), table
        assert compare(results) == table and results.read_text().splitlines() == rows, "runs were made twice"
        assert "q = 4" in compare(results, "--q", "4") and len(results.read_text().splitlines()) == 8


main()
