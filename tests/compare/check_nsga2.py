#!/usr/bin/env python3
"""tools/compare/nsga2.py comes close to fronts that are known, keeps constraints, and refuses unknown problems.

  check_nsga2.py NSGA2
"""
import csv
import io
import subprocess
import sys

try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit(77)


def run(*arguments, code=0):
    ended = subprocess.run([sys.executable, sys.argv[1], *arguments], capture_output=True, text=True)
    assert ended.returncode == code, ended.stderr
    return ended


rows = list(csv.DictReader(io.StringIO(run("--runs", "2", "--population", "40", "--evaluations", "100,4000", "zdt1", "c2-dtlz2",
                                           "re2-4-1", "dtlz2/3").stdout)))
gaps = {(row["problem"], int(row["evaluations"])): float(row["median"]) for row in rows}
for name, most in (("zdt1", -1), ("c2-dtlz2", -1.9), ("re2-4-1", 0), ("dtlz2/3", -1)):
    assert gaps[name, 4000] < min(most, gaps[name, 100]), gaps
    assert gaps[name, 4000] > -11, gaps  # nothing is beyond the true front
assert "known: zdt1" in run("zdt11", code=2).stderr
