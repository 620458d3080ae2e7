#!/usr/bin/env python3
"""Compare hypervolumes and exclusive contributions with those of pagmo (Debian: libpagmo-dev and a C++ compiler).
Where these are missing, the exit code 77 says that nothing was compared.

  check_pagmo.py PROGRAM      PROGRAM prints sets of points (volumes.c)
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE = """
#include <cstdio>
#include <iostream>
#include <pagmo/utils/hypervolume.hpp>
int main() {
  int m, n;
  double volume;
  while (std::cin >> m >> n >> volume) {
    std::vector<double> reference(m), ours(n);
    std::vector<std::vector<double>> y(n, std::vector<double>(m));
    for (double &v : reference) std::cin >> v;
    for (double &v : ours) std::cin >> v;
    for (auto &row : y)
      for (double &v : row) std::cin >> v;
    pagmo::hypervolume theirs(y);
    std::printf("%d %d %.17g %.17g", m, n, volume, theirs.compute(reference));
    for (int i = 0; i < n; ++i)
      std::printf(" %.17g %.17g", ours[i], theirs.exclusive(i, reference));
    std::printf("\\n");
  }
}
"""


def build(folder):
    """A program that adds pagmo's values, or None. CXXFLAGS and LDFLAGS may say where pagmo is."""
    compiler = shutil.which("c++")
    if not compiler:
        return None
    source, program = folder / "theirs.cpp", folder / "theirs"
    source.write_text(SOURCE)
    flags = [shlex.split(os.environ.get(name, "")) for name in ("CXXFLAGS", "LDFLAGS")]
    command = [compiler, "-std=c++17", *flags[0], str(source), "-o", str(program), *flags[1], "-lpagmo",
               "-lboost_serialization", "-ltbb", "-pthread"]
    return program if subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0 else None


def main():
    with tempfile.TemporaryDirectory() as scratch:
        theirs = build(pathlib.Path(scratch))
        if theirs is None:
            print("skipped: no C++ compiler or no pagmo")
            sys.exit(77)
        sets = subprocess.run([sys.argv[1]], stdout=subprocess.PIPE, check=True).stdout
        text = subprocess.run([str(theirs)], input=sets, stdout=subprocess.PIPE, check=True).stdout.decode()
    lines, worst = text.splitlines(), 0.0
    assert len(lines) > 40, lines
    for line in lines:
        m, n, *values = line.split()
        pairs = list(zip(map(float, values[::2]), map(float, values[1::2])))
        for ours, other in pairs:
            worst = max(worst, abs(ours - other) / pairs[0][1])
            assert abs(ours - other) < 1e-12 * pairs[0][1], (m, n, ours, other)
    print(f"{len(lines)} sets, differences at most {worst:.1g} of the hypervolume")


main()
