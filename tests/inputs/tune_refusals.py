"""The simulation of tune-*.yaml refuses wrong parameters before it trains anything.

  tune_refusals.py TUNE_CLASSIFIER.py
"""
import pathlib
import subprocess
import sys
import tempfile

GOOD = ["n_estimators 50", "criterion gini", "max_depth 5", "min_samples_split 2",
        "min_samples_leaf 1", "max_features sqrt", "bootstrap true"]


def refusal(program, lines, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "params.in").write_text("\n".join(lines) + "\n", encoding="utf-8")
        ran = subprocess.run([sys.executable, program, str(place / "params.in"),
                              str(place / "results.out"), *(arguments or ["forest"])],
                             capture_output=True, text=True, timeout=60, check=False)
        assert ran.returncode != 0, (lines, arguments)
        assert not (place / "results.out").exists()
        return ran.stderr


def main():
    program = sys.argv[1]
    assert "missing: bootstrap" in refusal(program, GOOD[:-1])
    assert "unknown hyperparameter 'depth'" in refusal(program, GOOD + ["depth 3"])
    assert "max_depth = '5.5'" in refusal(program, ["max_depth 5.5"])
    assert "expected true or false" in refusal(program, ["bootstrap yes"])
    assert "invalid choice: 'tree'" in refusal(program, GOOD, "tree")
    assert "invalid choice: 5" in refusal(program, GOOD, "forest", "--fold", "5")


if __name__ == "__main__":
    main()
