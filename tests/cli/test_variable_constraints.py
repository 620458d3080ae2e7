# test: labels cli timeout 240 processors 2
"""Relations between variables that are known before any run: no proposal violates one."""
import csv
import io

import program
from program import USAGE

HEAD = """name: fast
variables:
  x1: {lower: 0, upper: 1}
  x2: {lower: 0, upper: 1}
  x3: {lower: 0, upper: 1}
"""
TAIL = "batch: 3\nbudget: {evaluations: 24}\nevaluate: {backend: function, simulation: levy}\n"
MIXED = "  k: {type: integer, lower: 1, upper: 5}\n  s: {type: categorical, values: [a, b, two words]}\n"

CASES = [
    ("x1 < x2 < x3", "", lambda x: x["x1"] < x["x2"] < x["x3"]),
    ("x1 + x2 + x3 = 1", "", lambda x: abs(x["x1"] + x["x2"] + x["x3"] - 1) < 1e-14),
    ("x1^2 + x2^2 <= 0.001", MIXED, lambda x: x["x1"] ** 2 + x["x2"] ** 2 <= 0.001),
    ("s != 'two words' or k == 2", MIXED, lambda x: x["s"] != "two words" or x["k"] == 2),
    ("area >= 0.3 and area + rho = 1", "  area: {expression: \"x1 + 0.5*x2\"}\n  rho: {fixed: 0.6}\n",
     lambda x: abs(x["x1"] + 0.5 * x["x2"] - 0.4) < 1e-14),
    ("t + u = 2.5 and cells <= 64*t", "  t: {lower: 0, upper: 2, step: 0.125}\n  u: {lower: 0, upper: 2, step: 0.25}\n"
     "  cells: {values: [16, 32, 64, 128]}\n",
     lambda x: x["t"] + x["u"] == 2.5 and x["cells"] <= 64 * x["t"] and x["t"] % 0.125 == 0),
    ("k <= 5*x3 and s == b", MIXED, lambda x: x["k"] <= 5 * x["x3"] and x["s"] == "b"),
]


def campaign(*texts, more="", method="auto"):
    stated = "".join(f'  - "{text}"\n' for text in texts)
    return f"{HEAD}{more}variable_constraints:\n{stated}method: {method}\n{TAIL}"


class VariableConstraints(program.ProgramTest):
    def evaluated(self, directory="fast.campaign"):
        rows = csv.DictReader(io.StringIO(self.succeed("export", directory).out))
        return [{key: row[key] if key == "s" else float(row[key]) for key in ("x1", "x2", "x3", "k", "s", "t", "u", "cells") if key in row}
                for row in rows]

    def test_no_proposal_of_any_method_violates_one(self):
        methods = ("auto", "sobol", "random", "turbo-1", "quadratic", "neural-bo", "gp-kg", "portfolio")
        for i, method in enumerate(methods):
            text, more, holds = CASES[i % len(CASES)]
            directory = f"{method}.campaign"
            file = self.write(campaign(text, more=more, method=method))
            self.succeed("run", file, "-q", "-d", directory)
            points = self.evaluated(directory)
            self.assertEqual(len(points), 24)
            for point in points:
                self.assertTrue(holds(point), (method, text, point))

    def test_the_points_are_the_same_on_any_number_of_ranks_and_after_a_resume(self):
        file = self.write(campaign("x1 < x2", "s != 'a' or k == 2", more=MIXED))
        self.succeed("run", file, "-q")
        self.succeed("run", file, "-q", "-d", "three.campaign", ranks=3)
        self.succeed("run", file, "-q", "-d", "parts.campaign", "--max-evals", "9")
        self.succeed("run", file, "-q", "-d", "parts.campaign", "--resume", ranks=2)
        self.assertEqual(self.digest(), self.digest("three.campaign"))
        self.assertEqual(self.digest(), self.digest("parts.campaign"))

    def test_one_that_is_added_on_a_resume_is_told_and_kept(self):
        self.succeed("run", self.write(campaign("x1 < x2")), "-q", "--max-evals", "9")
        outcome = self.succeed("run", self.write(campaign("x1 < x2", "x3 <= 0.25")), "-q", "--resume")
        self.assertIn("variable_constraints", outcome.err)
        self.assertTrue(all(point["x3"] <= 0.25 and point["x1"] < point["x2"] for point in self.evaluated()[9:]))

    def test_designs_of_a_discrete_problem_run_out(self):
        file = self.write("name: fast\nnoise: 0\nvariables:\n  x1: {type: integer, lower: 1, upper: 4}\n  x2: {type: integer, lower: 1, upper: 4}\n"
                          'variable_constraints: "x1 < x2"\n' + TAIL)
        self.succeed("run", file, "-q")
        rows = list(csv.DictReader(io.StringIO(self.succeed("export", "fast.campaign").out)))
        self.assertEqual(sorted((row["x1"], row["x2"]) for row in rows),
                         [("1", "2"), ("1", "3"), ("1", "4"), ("2", "3"), ("2", "4"), ("3", "4")])

    def test_mistakes_are_told_with_their_places(self):
        for text, told in (("x1 + x2", "compares nothing"), ("x1 + y2 <= 1", "unknown name 'y2'"),
                           ("x1 + x2 >= 3", "no point inside the bounds"), ("s == 'c'", "'c' is not one of the values of s"),
                           ("x1*x2 > 0.999", "0.999"), ("2*k = 5", "steps of its variables do not meet it")):
            outcome = self.gannet("run", self.write(campaign("x1 < 0.9", text, more=MIXED)), "--dry-run")
            self.assertEqual(outcome.code, USAGE)
            self.assertIn(told, outcome.err)
            if told != "0.999":
                self.assertIn("fast.yaml:10:", outcome.err)

    def test_one_that_is_always_true_is_told(self):
        outcome = self.succeed("run", self.write(campaign("x1 + x2 <= 2")), "--dry-run")
        self.assertIn("is true for all values of the variables", outcome.err + outcome.out)

    def test_rows_of_a_list_that_violate_one_are_refused_by_number(self):
        self.write("x1,x2,x3\n0.1,0.2,0.3\n0.3,0.2,0.1\n", "pool.csv")
        outcome = self.gannet("run", self.write("candidates: pool.csv\n" + campaign("x1 < x2")), "-q")
        self.assertIn("candidate 2: the design violates the variable constraint 'x1 < x2'", outcome.err)

    def test_designs_to_start_with_keep_to_them(self):
        text = campaign("x1 + x2 + x3 = 1", "x1 < x2")
        file = self.write("start: [{x1: 0.2, x2: 0.3, x3: 0.5}, {x2: 0.75}, {x1: 0.125, x3: 0.25}]\n" + text)
        self.succeed("run", file, "-q", "--max-evals", "6")
        points = self.evaluated()
        self.assertEqual(points[0], {"x1": 0.2, "x2": 0.3, "x3": 0.5})
        self.assertEqual((points[1]["x2"], points[2]["x1"], points[2]["x3"]), (0.75, 0.125, 0.25))
        for point in points:
            self.assertTrue(point["x1"] < point["x2"] and abs(sum(point.values()) - 1) < 1e-14, point)
        for wrong in ("{x1: 0.4, x2: 0.3, x3: 0.3}", "{x1: 0.6}"):
            outcome = self.gannet("run", self.write(f"start: [{{x1: 0.1}}, {wrong}]\n" + text), "--dry-run")
            self.assertEqual(outcome.code, USAGE)
            self.assertRegex(outcome.err, "fast.yaml:1:2.: start: .*constraint")

    def test_a_try_keeps_to_them(self):
        file = self.write(campaign("x1 + x2 + x3 = 1", "x1 < x2"))
        self.succeed("try", file)
        self.succeed("try", file, "--point", "x1=0.3", "--point", "x2=0.31")
        outcome = self.gannet("try", file, "--point", "x1=0.5", "--point", "x2=0.2")
        self.assertIn("the design violates the variable constraint", outcome.err)


if __name__ == "__main__":
    program.main()
