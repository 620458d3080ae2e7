"""make-lists.py writes a suite that runs, with the best of each list as its optimum.

  make_lists.py GANNET MAKE_LISTS.py
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
SYSTEM = "/usr/bin/python3"  # which the package of Debian is for


def main():
    gannet, program = sys.argv[1:]
    if subprocess.run([SYSTEM, "-c", "import sklearn"], capture_output=True, check=False).returncode:
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([program, str(folder), "--designs", "12", "--classifiers", "boosting"], check=True, timeout=200)
        subprocess.run([gannet, "bench", str(folder / "lists.yaml"), "--set", "runs=1", "--set", "problems.boosting-diabetes.budget=12",
                        "--only", "boosting-diabetes/random", "--only", "retrieval-2/random", "--quiet", "--directory", str(folder / "made")], check=True, timeout=200)
        with open(folder / "made/results.csv", encoding="utf-8", newline="") as file:
            seen = [float(row["exact"]) for row in csv.DictReader(file) if row["problem"] == "boosting-diabetes"]
        with open(folder / "tune-boosting-diabetes.csv", encoding="utf-8", newline="") as file:
            listed = [-float(row["score"]) for row in csv.DictReader(file)]
        assert sorted(seen) == sorted(listed), (seen, listed)  # each design once
        with open(folder / "made/summary.csv", encoding="utf-8", newline="") as file:
            last = [row for row in csv.DictReader(file) if row["problem"] == "boosting-diabetes" and row["measure"] == "simple"][-1]
        assert abs(float(last["median"])) < 1e-12, last
        with open(folder / "retrieval.csv", encoding="utf-8", newline="") as file:
            images = list(csv.DictReader(file))
        assert len(images) == 1794
        for score in ("score1", "score2", "score3"):
            assert sum(float(image[score]) == 1 for image in images) in (3, 4), score


if __name__ == "__main__":
    main()
