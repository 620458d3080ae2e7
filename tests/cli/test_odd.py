# test: labels cli timeout 180 processors 1
"""Odd problems: methods survive them, with admissible points and a clear end. GANNET_TEST_ALL=1 takes every
method of `gannet list` instead of one of each kind."""
import os
import re

import program
from program import FAILURES, FINISHED, INFEASIBLE

HEAD = """\
name: fast
seed: 7
method: {method}
search: {{candidates: 200}}
batch: 3
initial: 4
"""


def problem(method, variables, simulation, evaluations=9, extra="", discrete=""):
    text = HEAD.format(method=method) + "variables:\n"
    text += "".join(f"  x{k}: {{lower: -1, upper: 2}}\n" for k in range(variables)) + discrete
    text += f"budget: {{evaluations: {evaluations}, failures: {{rate: 1}}}}\n" + extra
    if method in ("sobol", "random"):
        text = text.replace("initial: 4\n", "")
    return text + simulation


def inside(name):
    return f"evaluate: {{backend: function, simulation: {name}, parallel: 3}}\n"


def shell(text):
    return f"evaluate: {{backend: command, shell: '{text}', parallel: 3, retries: 0}}\n"


class Odd(program.ProgramTest):
    listed = []

    def methods(self):
        if not os.environ.get("GANNET_TEST_ALL"):
            return ["auto", "neural-bo-pointwise", "gp-ei", "sobol"]
        if not self.listed:
            self.listed.extend(re.findall(r"^  (\S+)  ", self.succeed("list", "methods").out, re.M))
            self.assertIn("neural-bo", self.listed)
        return [method for method in self.listed if method != "portfolio"]  # which needs to be told its members

    def every(self, code, says="", **options):
        for method in self.methods():
            with self.subTest(method=method):
                directory = f"{method}.campaign"
                outcome = self.gannet("run", self.write(problem(method, **options)), "-q", "-d", directory)
                self.assertEqual(outcome.code, code, outcome)
                self.assertIn(says, outcome.out + outcome.err)
                self.succeed("verify", directory)
                for row in self.history(directory):
                    for key, value in row.items():
                        if re.match(r"x\d", key):
                            self.assertTrue(-1 <= float(value) <= 2, row)

    def test_huge_and_tiny_objectives(self):
        for size in "e300", "e-300":
            self.every(FINISHED, variables=2, simulation=shell(
                f'echo "objective $((GANNET_EVAL_ID % 5 - 2)){size}" > "$GANNET_RESULTS"'))
            self.tearDown()
            self.setUp()

    def test_objectives_whose_differences_are_no_numbers(self):
        self.every(FINISHED, variables=2, simulation=shell(
            'case $((GANNET_EVAL_ID % 4)) in 0) y=1e308;; 1) y=-1e308;; 2) y=-1.7e308;; *) y=0;; esac; '
            'echo "objective $y" > "$GANNET_RESULTS"'))
        for method in self.methods():
            self.assertIn("-1.7e+308", self.succeed("best", f"{method}.campaign").out)
            self.assertNotRegex((self.folder / f"{method}.campaign" / "campaign.log").read_text(), r"\bnan\b")

    def test_a_constant_objective(self):
        self.every(FINISHED, variables=2, simulation=shell('echo "objective 3" > "$GANNET_RESULTS"'))

    def test_one_variable(self):
        self.every(FINISHED, variables=1, simulation=inside("ackley"))

    def test_two_hundred_variables(self):
        self.every(FINISHED, variables=200, evaluations=7, simulation=inside("ackley"))

    def test_a_budget_of_one(self):
        self.every(FINISHED, variables=2, evaluations=1, simulation=inside("ackley"))

    def run_out(self, extra):
        """Six different points, nine evaluations. Returns how many there were, and how many different ones, by method."""
        discrete = "  n: {type: integer, lower: 1, upper: 3}\n  on: {type: boolean}\n"
        self.every(FINISHED, variables=0, discrete=discrete, extra=extra, simulation=shell(
            'echo "objective $(awk "\\$1 == \\"n\\" {print \\$2}" params.in)" > "$GANNET_RESULTS"'))
        points = {method: [(row["n"], row["on"]) for row in self.history(f"{method}.campaign")] for method in self.methods()}
        return {method: (len(rows), len(set(rows))) for method, rows in points.items()}

    def test_points_run_out(self):
        self.assertEqual(set(self.run_out("").values()), {(9, 6)})

    def test_exact_points_run_out(self):
        """Each is worth one evaluation: the campaign is over before its budget is."""
        self.assertEqual({different for _, different in self.run_out("noise: 0\n").values()}, {6})
        log = (self.folder / "auto.campaign" / "campaign.log").read_text()
        self.assertIn("every possible design has been tried", log)
        self.assertIn("6 proposed of 6: 6 done", self.succeed("status", "auto.campaign").out)
        resumed = self.gannet("run", self.folder / "fast.yaml", "-q", "-d", "sobol.campaign", "--resume")
        self.assertEqual(resumed.code, FINISHED, resumed)

    def test_numbers_run_out(self):
        """Between bounds that are close to each other lie few floating-point numbers."""
        few = "  t: {lower: 1, upper: 1.0000000000000009}\n"
        for extra, all_of_them in ("", 9), ("noise: 0\n", 5):
            self.every(FINISHED, variables=0, discrete=few, extra=extra, simulation=shell(
                'echo "objective $GANNET_EVAL_ID" > "$GANNET_RESULTS"'))
            for method in self.methods():
                values = [row["t"] for row in self.history(f"{method}.campaign")]
                self.assertEqual((len(values), len(set(values)), len(set(values[:5]))), (all_of_them, 5, 5), (method, values))
            self.tearDown()
            self.setUp()

    def test_everything_fails(self):
        self.every(INFEASIBLE, "no result", variables=2, simulation=shell("exit 3"))

    def test_too_many_failures(self):
        for method in self.methods()[:2]:
            text = problem(method, 2, shell("exit 3"), 60).replace("{rate: 1}", "{rate: 0.5}")
            outcome = self.gannet("run", self.write(text), "-q", "-d", f"{method}.campaign")
            self.assertEqual(outcome.code, FAILURES, outcome)
            self.assertIn("gannet status", outcome.out)
            told = self.succeed("status", f"{method}.campaign").out
            self.assertIn("exit code 3", told)
            self.assertIn("evals/", told)

    def test_the_simulation_can_run_nowhere(self):
        self.every(INFEASIBLE, "no result", variables=2,
                   simulation=shell('echo "fail mesh folds" > "$GANNET_RESULTS"'))

    def test_no_design_meets_the_constraint(self):
        self.every(INFEASIBLE, "least violation", variables=2, extra="constraints: {g: {upper: 1}}\n",
                   simulation=shell('printf "objective 1\\ng 5\\n" > "$GANNET_RESULTS"'))

    def test_huge_constraints_of_either_sign(self):
        self.every(FINISHED, variables=2, extra="constraints: {g: {lower: -1e308, upper: 1e308}}\n", simulation=shell(
            'case $((GANNET_EVAL_ID % 4)) in 0|2) g=-1.7e308;; 1) g=1.7e308;; *) g=0;; esac; '
            'echo "objective $GANNET_EVAL_ID" > "$GANNET_RESULTS"; echo "g $g" >> "$GANNET_RESULTS"'))

    def test_a_constraint_is_not_returned(self):
        self.every(INFEASIBLE, "no result", variables=2, extra="constraints: {g: {upper: 1}}\n",
                   simulation=shell('echo "objective 1" > "$GANNET_RESULTS"'))


if __name__ == "__main__":
    program.main()
