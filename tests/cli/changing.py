"""Campaigns that are changed on a resume: a base class of tests."""
import json
import shutil

import program
from program import USAGE

PLACE = "fast.campaign"
SIMULATION = """\
#!/bin/sh
echo "$GANNET_EVAL_ID" >> "$GANNET_INPUT_DIRECTORY/runs"
[ ! -e "$GANNET_INPUT_DIRECTORY/fail.$GANNET_EVAL_ID" ] || exit 1
while [ -e "$GANNET_INPUT_DIRECTORY/hold.$GANNET_EVAL_ID" ]; do sleep 0.05; done
awk '{v[$1] = $2} END {printf "objective %.17g\\nmass %.17g\\ndrag %.17g\\n",
     (v["x1"] - 1)^2 + (v["x2"] - 2)^2 + (v["solver"] == "cg") / 8, v["x1"], v["x1"] + v["x2"]}' params.in > results.out
"""
VARIABLES = """\
variables:
  x1: {lower: -5, upper: 10}
  x2: {lower: 0, upper: 15}
  solver: {type: categorical, values: [cg, gmres]}
"""
BASE = "name: fast\nseed: 7\nmethod: gp-ei\nsearch: {candidates: 50}\nbatch: 2\ninitial: 4\n"
EVALUATE = "evaluate: {backend: command, command: [./simulate.sh], parallel: 2, kill_grace: 0.2s}\n"
END = "budget: {evaluations: %d}\nsave: {batches: 1, interval: 0s}\n" + EVALUATE


def campaign(evaluations=8, variables=VARIABLES, more=""):
    return BASE + variables + more + END % evaluations


class ChangingTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SIMULATION, "simulate.sh", 0o755)

    def begin(self, text=None):
        self.succeed("run", self.write(text or campaign()), "-q")

    def resume(self, text, *words, **options):
        return self.succeed("run", self.write(text, "changed.yaml"), "--resume", "-q", "-d", PLACE, *words, **options)

    def refuse(self, text, *words):
        before = [(self.folder / PLACE / name).read_bytes() for name in ("journal", "campaign.yaml", "history.csv")]
        for more in ("--dry-run",), ():
            outcome = self.resume(text, *more, code=USAGE)
            for word in words:
                self.assertIn(word, outcome.err)
            self.assertIn("The campaign is as it was", outcome.err)
        after = [(self.folder / PLACE / name).read_bytes() for name in ("journal", "campaign.yaml", "history.csv")]
        self.assertEqual(before, after)

    def keep_change(self, texts):
        """Begin with one text and resume with the other: digest, number of the first record of the change, lines of the journal."""
        self.begin(texts[0])
        shutil.copytree(self.folder / PLACE, self.folder / "before")
        self.resume(texts[1])
        lines = (self.folder / PLACE / "journal").read_bytes().splitlines(True)
        first = (self.folder / "before" / "journal").read_bytes().count(b"\n")
        self.assertIn(b'"record":"change"', lines[first])
        return self.digest(), first, lines

    def cut_journal(self, lines, n):
        """The directory as a kill in record n of that resume leaves it; the configuration is that of before."""
        shutil.rmtree(self.folder / PLACE)
        shutil.copytree(self.folder / "before", self.folder / PLACE)
        (self.folder / PLACE / "journal").write_bytes(b"".join(lines[:n]) + lines[n][:40])

    def best(self):
        found = json.loads(self.succeed("best", PLACE, "-f", "json").out)
        return found[0] if found else None

    def rows(self):
        return {int(row["id"]): row for row in self.history(PLACE)}

    def status(self):
        return self.succeed("status", PLACE).out
