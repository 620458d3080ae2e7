#!/usr/bin/env python3
"""That nothing feasible is better than the known optimum of the problems of tools/compare/constrained.py, near it and
anywhere, and that public_constrained.py keeps its runs.

    check_constrained.py FOLDER    exit code 77 = numpy is not there
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    sys.exit(77)
sys.path.insert(0, sys.argv[1])
import constrained  # noqa: E402


def check(name, d, instance):
    p, random = constrained.problem(name, d, instance), np.random.default_rng(instance)
    points = list(random.uniform(-5, 5, (100, p.dimension)))
    if p.best is not None:
        value, c = p(p.best)
        assert abs(value) < 1e-9 and np.all(c <= p.tolerance), (name, d, instance, value, c)
        points += [p.best + 10.0 ** -k * random.standard_normal(d) for k in range(6) for _ in range(40)]
    for u in points:
        value, c = p(u)
        assert len(c) == p.count and (value > -1e-7 or np.any(c > 0)), (name, d, instance, u, value, c)


def compare(results):
    command = [sys.executable, sys.argv[1] + "/public_constrained.py", "--optimisers", "auto,random", "--problems",
               "sphere-linear,g24", "--dimensions", "2,0", "--instances", "1", "--results", str(results)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    for name in constrained.NAMES:
        for d in (2, 5):
            if constrained.has(name, d):
                check(name, d, d - 1)
        if constrained.has(name, 0):
            check(name, 0, 1)
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "runs.csv"
        table = compare(results)
        rows = results.read_text().splitlines()
        assert len(rows) == 4 and "own variables" in table and "2 variables, 40 evaluations" in table, table
        assert compare(results) == table and results.read_text().splitlines() == rows, "runs were made twice"


main()
