# test: labels cli timeout 240
"""Results with standard deviations: in results.out, by hand, in expressions and corrections, on ranks and after a resume."""
import json

import program
from program import FINISHED, USAGE

SIMULATION = """\
#!/bin/bash
awk '{ x[$1] = $2 } END { a = x["x1"]; b = x["x2"]; sd = 0.01 + 0.05 * a
     printf "objective %.17g +- %.17g\\n", (a - 0.3)^2 + b^2, sd > "results.out"
     printf "stress %.17g +- 0.02\\n", a + b > "results.out" }' params.in
"""
NOISY = """\
name: noisy
method: gp-ts
search: {candidates: 300}
variables: {x1: {lower: 0, upper: 1}, x2: {lower: 0, upper: 1}}
constraints: {stress: {lower: 0.2}}
batch: 3
initial: 6
budget: {evaluations: 18}
save: {batches: 1, interval: 0s}
evaluate: {backend: command, command: ["{input_directory}/sim.sh"], parallel: 3}
"""
MANUAL = NOISY.replace("backend: command, command: [\"{input_directory}/sim.sh\"], parallel: 3", "backend: manual")
COMPOSED = """\
name: composed
method: sobol
variables: {x1: {lower: 0, upper: 1}, x2: {lower: 0, upper: 1}}
objective: {name: cost, expression: "drag + 0.01*mass"}
constraints: {ratio: {expression: "lift/drag", lower: 0.1}}
batch: 1
budget: {evaluations: 4}
evaluate: {backend: manual}
"""


class ErrorBars(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SIMULATION, "sim.sh", 0o755)

    def points(self, directory):
        return [(row["x1"], row["x2"]) for row in self.history(directory)]

    def test_on_ranks_and_after_a_resume(self):
        digests = set()
        for ranks in (0, 2):
            directory = f"r{ranks}.campaign"
            for evaluations in (9, 18):
                resume = ["--resume"] if evaluations == 18 else []
                self.succeed("run", self.write(NOISY, "n.yaml"), "-q", "--directory", directory, *resume, "--max-evals", evaluations,
                             ranks=ranks)
            digests.add(self.digest(directory))
        self.succeed("run", self.write(NOISY, "n.yaml"), "-q", "--directory", "w.campaign")
        self.assertEqual(digests | {self.digest("w.campaign")}, digests)
        for row in self.history("w.campaign"):
            self.assertAlmostEqual(float(row["objective.sd"]), 0.01 + 0.05 * float(row["x1"]), 12)
            self.assertEqual(float(row["stress.sd"]), 0.02)
        for words in (("report", "w.campaign"), ("status", "w.campaign"), ("best", "w.campaign", "--recommended"),
                      ("predict", "w.campaign", "--point", "x1=0.4", "--point", "x2=0.4")):
            self.succeed(*words)
        # Models learn from the bars: without them other points are proposed.
        self.write(SIMULATION.replace(" +- %.17g", "").replace(", sd >", " >").replace(" +- 0.02", ""), "sim.sh", 0o755)
        self.succeed("run", self.write(NOISY, "n.yaml"), "-q", "--directory", "plain.campaign")
        self.assertEqual(self.points("plain.campaign")[:6], self.points("w.campaign")[:6])
        self.assertNotEqual(self.points("plain.campaign")[6:], self.points("w.campaign")[6:])

    def test_a_number_that_is_named_as_the_column_is_told_of(self):
        self.write(SIMULATION.replace("%.17g +- 0.02\\n\", a + b", "%.17g\\nstress.sd 0.02\\n\", a + b"), "sim.sh", 0o755)
        outcome = self.succeed("run", self.write(NOISY.replace("method: gp-ts", "method: sobol"), "n.yaml"), "-q")
        self.assertEqual(outcome.err.count("stress.sd: the number in results.out line 3 does not count, because the standard deviation of stress stands behind "
                                           "its value, as in stress 3.2 +- 0.1"), 1)
        row = self.history("noisy.campaign")[0]
        self.assertIn("does not count", row["reason"])
        self.assertNotIn("stress.sd", row)

    def test_by_hand_and_corrected(self):
        self.succeed("ask", self.write(MANUAL, "m.yaml"), "--count", 6)
        place = "noisy.campaign"
        for number, value in enumerate(("1+-0.1", "2 +- 0.2", "3 \u00b1 0.3", "4", "5+-1e-2", "6")):
            self.succeed("tell", place, "--id", number, "--objective", value, "--constraint", f"stress={number}+-0.5")
        self.assertEqual([row["objective.sd"] for row in self.history(place)][:6],
                         ["0.10000000000000001", "0.20000000000000001", "0.29999999999999999", "", "0.01", ""])
        for wrong, told in (("3+-0", "expected a standard deviation above 0 behind +-"), ("3+-x", "above 0"), ("3+-", "above 0"),
                            ("x+-1", "expected a finite number")):
            self.assertIn(told, self.succeed("correct", place, "--id", 0, "--objective", wrong, code=USAGE).err)
        self.succeed("correct", place, "--id", 0, "--objective", "1.5+-0.4")
        self.succeed("correct", place, "--id", 1, "--objective", "2.5")
        self.succeed("correct", place, "--id", 3, "--objective", "4.5+-0.7")
        self.assertEqual([(row["objective"], row["objective.sd"]) for row in self.history(place)][:4],
                         [("1.5", "0.40000000000000002"), ("2.5", "0.20000000000000001"), ("3", "0.29999999999999999"),
                          ("4.5", "0.69999999999999996")])
        self.succeed("verify", place)
        self.succeed("correct", place, "--id", 0, "--undo")
        self.assertEqual(self.history(place)[0]["objective.sd"], "0.10000000000000001")
        self.succeed("ask", place, "--count", 2)

    def test_expressions(self):
        self.succeed("ask", self.write(COMPOSED, "c.yaml"), "--count", 2)
        place = "composed.campaign"
        self.succeed("tell", place, "--id", 0, "--value", "drag=2+-0.3", "--value", "mass=100+-40", "--value", "lift=4")
        self.succeed("tell", place, "--id", 1, "--value", "drag=2", "--value", "mass=100", "--value", "lift=4")
        first, second = self.history(place)[:2]
        self.assertAlmostEqual(float(first["objective.sd"]), 0.5, 12)  # the root of 0.3^2 and (0.01*40)^2
        self.assertAlmostEqual(float(first["ratio.sd"]), (4 / 1.7 - 4 / 2.3) / 2, 12)
        self.assertEqual((second["objective.sd"], second["ratio.sd"]), ("", ""))
        self.succeed("correct", place, "--id", 1, "--quantity", "drag=2+-0.6")
        self.assertAlmostEqual(float(self.history(place)[1]["objective.sd"]), 0.6, 12)
        self.succeed("verify", place)

    def test_in_files(self):
        self.succeed("ask", self.write(MANUAL.replace("budget", "noise: 0\nbudget"), "m.yaml"), "--count", 1)
        self.write("x1,x2,objective,objective.sd,stress\n0.5,0.5,1,0.25,1\n0.5,0.5,1.2,0.25,1\n0.1,0.5,2,,1\n", "old.csv")
        told = self.succeed("tell", "noisy.campaign", "--file", "old.csv").out
        self.assertIn("3 imported", told)
        exported = json.loads(self.succeed("export", "noisy.campaign", "--format", "json").out)
        self.assertEqual([row["objective.sd"] for row in exported], [None, 0.25, 0.25, None])


if __name__ == "__main__":
    program.main()
