"""What the tests of the benchmark program share: running it, and reading what it wrote.

A test is called as  check_x.py PROGRAM MPIRUN
"""
import csv
import subprocess
import sys

PROGRAM, MPIRUN = sys.argv[1:3]
USAGE, RESOURCE = 2, 6  # exit codes, from include/gannet/status.h


def run(ranks, *words, code=0, **how):
    """What it says: on stdout, or on stderr where it is to fail with a code."""
    command = [PROGRAM, *words] if ranks == 1 else [MPIRUN, str(ranks), PROGRAM, *words]
    how = {"stdout": subprocess.PIPE, "timeout": 120, **how}
    ran = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **how)
    assert ran.returncode == code, f"{command} ended with {ran.returncode}:\n{ran.stderr}"
    return ran.stdout if code == 0 else ran.stderr


def cells(text, first):
    """The cells after the first of the row that starts with it."""
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("|")]
    found = [[cell.strip() for cell in row[1:]] for row in rows if row[0].strip() == first]
    assert found, f"no row '{first}' in\n{text}"
    return found


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
