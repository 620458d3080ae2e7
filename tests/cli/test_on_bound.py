# test: labels cli timeout 300
"""A best design on a bound: run, status and the report say so, run and the report with the same guess."""
import json
import re

import program
from program import RESUMABLE

TEXT = """\
name: fast
seed: 3
method: gp-ei
objective: {name: drag, unit: N}
variables: {x1: {lower: 3, upper: 9, unit: m}, x2: {lower: 5, upper: 15}}
batch: 4
initial: 8
budget: {evaluations: 24}
evaluate: {backend: function, simulation: branin}
"""
GUESS = re.compile(r"x1 lies on its lower bound 3 m; the model expects (\S+) \+- (\S+) N at 2\.4 m \(on the bound: (\S+) N\)$")


class OnBound(program.ProgramTest):
    def bounds(self, outcome):
        return [line[len("bound: "):] for line in outcome.out.splitlines() if line.startswith("bound: ")]

    def summary(self):
        page = (self.folder / "fast.campaign/report.html").read_text()
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])["summary"]

    def test_run_status_and_report_say_the_same_on_any_number_of_ranks(self):
        file = self.write(TEXT)
        outcome = self.succeed("run", file, "-q")
        told = self.bounds(outcome)
        self.assertEqual(len(told), 2, outcome)
        mean, sd, now = map(float, GUESS.match(told[0]).groups())
        best = min(float(row["objective"]) for row in self.history())
        self.assertAlmostEqual(now, best, delta=0.01)
        self.assertAlmostEqual(mean, 5.6, delta=1)  # Branin at (2.4, 5): 5.56
        self.assertLess(sd, 2)
        status = self.succeed("status", "fast.campaign").out
        self.assertIn("bound        x1 lies on its lower bound 3 m\n"
                      "bound        x2 lies on its lower bound 5\n"
                      "             `gannet report` asks a model what lies beyond\n", status)
        self.succeed("report", "fast.campaign")
        self.assertEqual(self.summary()["campaign"]["bounds"], told)
        for ranks in 2, 3:
            self.assertEqual(self.bounds(self.succeed("run", file, "-q", "--resume", ranks=ranks)), told)

    def test_nothing_is_said_of_a_design_inside(self):
        outcome = self.succeed("run", self.write(TEXT.replace("lower: 3, upper: 9", "lower: -5, upper: 10").replace("lower: 5", "lower: 0")), "-q")
        self.assertEqual(self.bounds(outcome), [])
        self.assertNotIn("bound  ", self.succeed("status", "fast.campaign").out)
        self.succeed("report", "fast.campaign")
        self.assertEqual(self.summary()["campaign"]["bounds"], [])

    def test_few_results_give_no_guess(self):
        outcome = self.succeed("run", self.write(TEXT + "start: [{x1: 3, x2: 6}]\n"), "-q", "--max-evals", 3)
        self.assertEqual(self.bounds(outcome), ["x1 lies on its lower bound 3 m"])

    def test_an_interrupted_run_names_the_bound_only(self):
        text = TEXT.replace("backend: function, simulation: branin",
                            "backend: command, parallel: 1, shell: 'cat params.in; sleep 0.05; "
                            "sed -n \"s/^x1 /drag /p\" params.in > results.out'")
        file = self.write(text.replace("evaluations: 24", "evaluations: 4000").replace("batch: 4", "start: [{x1: 3, x2: 6}]\nbatch: 4"))
        outcome = self.gannet("run", file, "-q", "--time-limit", "8s")
        self.assertEqual(outcome.code, RESUMABLE, outcome)
        self.assertEqual(self.bounds(outcome), ["x1 lies on its lower bound 3 m"])


if __name__ == "__main__":
    program.main()
