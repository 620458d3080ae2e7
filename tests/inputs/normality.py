"""tools/normality tells normal results from others, and says what it expects.

  normality.py TOOLS/NORMALITY
"""
import pathlib
import statistics
import subprocess
import sys
import tempfile

SKIPPED = 77
SYSTEM = "/usr/bin/python3"  # which the package of Debian is for


def main():
    program = sys.argv[1]
    if subprocess.run([SYSTEM, "-c", "import numpy"], capture_output=True, check=False).returncode:
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as name:
        refused = subprocess.run([SYSTEM, program, name], capture_output=True, text=True, check=False)
        assert refused.returncode == 1 and "expected the directory of a finished suite" in refused.stderr, refused
        lines = ["problem,method,seed,evaluation,seen,exact,seen_violation,exact_violation,seconds"]
        normal = statistics.NormalDist()
        for seed in range(1, 21):
            # The quantiles of a normal distribution, and powers of ten of them; an infeasible value does not count.
            value = normal.inv_cdf((seed - 0.5) / 20)
            lines += [f"p,even,{seed},1,0,{value},0,0,0", f"p,even,{seed},2,0,-99,1,1,0", f"p,skewed,{seed},1,0,{10 ** value},0,0,0",
                      f"p,constant,{seed},1,0,7,0,0,0"]
        (pathlib.Path(name) / "results.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        said = subprocess.run([SYSTEM, program, name], capture_output=True, text=True, check=True).stdout
        row = next(line for line in said.splitlines() if line.startswith("| p |")).split("|")
        even, skewed, constant = ([float(text) for text in cell.split(",") if text.strip()] for cell in row[2:5])
        assert even[0] == 1 and even[1] > 0.9, said
        assert skewed[1] < 0.01 <= skewed[0], said  # the published p-value is the larger one
        assert not constant, said
        assert "of 2 cells" in said, said


if __name__ == "__main__":
    main()
