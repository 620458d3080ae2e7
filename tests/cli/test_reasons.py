# test: labels cli timeout 120 processors 1
"""Why evaluations failed: whole lines, and equal reasons together."""
import json
import re

import program
from program import FAST

SOBOL = FAST.replace("method: neural-bo\nsearch: {candidates: 500}\n", "method: sobol\n").replace("initial: 8\n", "")
WORDS = "word " * 60
# Paths of the evaluation, process ids and times differ, and lines are longer than what is kept.
SCRIPT = f"""#!/bin/sh
id=$GANNET_EVAL_ID
case $id in
  0|1|2|3) echo "first line of $id" >&2
     echo "solver[$$]: $(date +%H:%M:%S) element $((id * 977)) of $PWD/mesh-$id.in is inverted at 0x7ff$id$id" >&2
     echo "-------------------------" >&2; exit 1;;
  4|5) printf '%s' "{'x' * (20 * 7)} tail-$id {WORDS}" >&2; exit 2;;
  6) echo "fail {WORDS}" > $GANNET_RESULTS; exit 0;;
  *) echo "objective $id" > $GANNET_RESULTS;;
esac
"""


class Reasons(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SCRIPT, "simulate.sh", 0o755)
        self.file = self.write(SOBOL.replace("evaluations: 24", "evaluations: 12, failures: {rate: 1}")
                               + "evaluate: {backend: command, command: [./simulate.sh], parallel: 1}\n")

    def test_equal_reasons_are_shown_once_with_a_count(self):
        run = self.succeed("run", self.file, "-q").out
        self.assertRegex(run, r"\n  4 failed \(exit code\): exit code 1; stderr: solver\[\d+\]: .* is inverted at 0x7ff33\n")
        self.assertRegex(run, r"\n  2 failed \(exit code\): exit code 2; ")
        self.assertRegex(run, r"\n  1 cannot run \(word\): word word")
        status = self.succeed("status", "fast.campaign").out
        self.assertEqual(status.count("is inverted"), 2, status)  # the reason and the end of stderr.log
        self.assertIn("4 times, first at evaluation 0", status)
        self.assertIn("2 times, first at evaluation 4", status)
        self.assertNotIn("more: --failed", status)
        self.assertIn("  2 more: --failed 3", self.succeed("status", "fast.campaign", "--failed", 1).out)
        once = self.succeed("watch", "fast.campaign", "--once").out
        self.assertRegex(once, r"000003  4 times failed \(exit code\): exit code 1")
        lines = self.succeed("watch", "fast.campaign").out
        self.assertRegex(lines, r"evaluation 0 and 3 more failed \(exit code\): exit code 1")
        self.succeed("report", "fast.campaign")
        page = (self.folder / "fast.campaign" / "report.html").read_text()
        groups = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.DOTALL).group(1))["summary"]["failures"]
        self.assertEqual(sorted(group["count"] for group in groups.values()), [1, 2, 4])

    def test_reasons_end_with_whole_words(self):
        self.succeed("run", self.file, "-q")
        with open(self.folder / "fast.campaign" / "history.csv") as table:
            reasons = [row["reason"] for row in program.csv.DictReader(table)]
        self.assertTrue(reasons[0].endswith("is inverted at 0x7ff00"), reasons[0])
        self.assertNotIn("first line", reasons[0])
        self.assertTrue(reasons[4].endswith(("word...", "tail-4...", "x...")), reasons[4])
        self.assertTrue(reasons[6].endswith("word..."), reasons[6])
        self.assertLess(len(reasons[6]), 256)


if __name__ == "__main__":
    program.main()
