#!/usr/bin/env python3
"""The spar of inputs/spar.sh has the mass and the deflection that `tools/reference-fronts spar` found in closed form.

  check_spar.py SPAR FRONT
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

spar, front = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
with front.open() as file, tempfile.TemporaryDirectory() as folder:
    rows = list(csv.DictReader(file))
    for row in rows:
        heights = "".join(f"{name} {row[name]}\n" for name in ("h1", "h2", "h3", "h4", "h5"))
        pathlib.Path(folder, "params.in").write_text(heights)
        subprocess.run([spar], cwd=folder, check=True)
        found = dict(line.split() for line in pathlib.Path(folder, "results.out").read_text().splitlines())
        for name in ("mass", "deflection"):
            assert abs(float(found[name]) / float(row[name]) - 1) < 1e-9, (row, found)
        assert float(found["stress"]) <= 120 * (1 + 1e-9), (row, found)
    masses = [float(row["mass"]) for row in rows]
    assert len(masses) == 12 and masses == sorted(masses, reverse=True)
