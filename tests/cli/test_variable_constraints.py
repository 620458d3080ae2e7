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
    ("c + m = 7 and s != r", MIXED + "  c: {values: [1, 2, 4, 8]}\n  m: {type: integer, lower: 0, upper: 20}\n"
     "  r: {values: [b, c, a], type: categorical}\n", lambda x: x["c"] + x["m"] == 7 and x["s"] != x["r"]),
]


def campaign(*texts, more="", method="auto"):
    stated = "".join(f'  - "{text}"\n' for text in texts)
    return f"{HEAD}{more}variable_constraints:\n{stated}method: {method}\n{TAIL}"


class VariableConstraints(program.ProgramTest):
    def evaluated(self, directory="fast.campaign"):
        rows = csv.DictReader(io.StringIO(self.succeed("export", directory).out))
        return [{key: row[key] if key in ("s", "r") else float(row[key])
                 for key in ("x1", "x2", "x3", "k", "s", "t", "u", "cells", "c", "m", "r") if key in row}
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

    def test_designs_that_do_not_satisfy_changed_constraints_are_none_of_those_to_try(self):
        text = ("name: fast\nnoise: 0\nvariables:\n  x1: {type: integer, lower: 0, upper: 6}\n  x2: {type: integer, lower: 0, upper: 3}\n"
                'variable_constraints: "x1 + x2 <= 3"\nbatch: 1\nbudget: {evaluations: 30}\nevaluate: {backend: function, simulation: levy}\n')
        self.succeed("run", self.write(text), "-q")
        self.assertEqual(len(self.evaluated()), 10)
        self.succeed("run", self.write(text.replace("<= 3", ">= 7")), "-q", "--resume")
        points = self.evaluated()
        self.assertEqual(len(points), 16)
        self.assertTrue(all(point["x1"] + point["x2"] >= 7 for point in points[10:]))

    def test_rules_that_are_true_or_false_are_kept_where_little_is_allowed(self):
        real = "{a: {lower: 0, upper: 1}, f: {type: boolean}, j: {type: integer, lower: 0, upper: 6}, o: {values: [1, 2.5, 8]}," \
               " c: {type: categorical, values: [u, v, w, it's]}, m: {type: ordinal, values: [low, mid, high]}}"
        for text in ("a >= 0.9 or a <= 0.02", "c == 'u' and j = 3", "f + j = 4", "f + a = 1.5", "m >= 'mid'", "m == high",
                     'c = "it\'s" or (j = 3 and o > 2)'):
            file = self.write(f"name: fast\nvariables: {real}\nvariable_constraints: ['{text.replace(chr(39), 2 * chr(39))}']\n"
                              "start: [{o: 8}]\nbatch: 1\nbudget: {evaluations: 3}\n"
                              "evaluate: {backend: command, command: [sh, -c, 'echo objective 1 > results.out']}\n")
            self.succeed("run", file, "-q", "-d", f"{len(text)}-{text[:1]}.campaign")

    def test_a_design_that_violates_one_is_predicted_as_not_feasible(self):
        self.succeed("run", self.write(campaign("x1 < x2")), "-q")
        point = ("--point", "x2=0.2", "--point", "x3=0.5", "--format", "csv", "--point")
        for x1, feasible in (("0.1", "1"), ("0.3", "0")):
            lines = self.succeed("predict", "fast.campaign", *point, f"x1={x1}").out.splitlines()
            self.assertEqual(lines[1].split(",")[lines[0].split(",").index("feasible")], feasible)

    def test_mistakes_are_told_with_their_places(self):
        for text, told in (("x1 + x2", "compares nothing"), ("x1 + y2 <= 1", "unknown name 'y2'"),
                           ("x1 + x2 >= 3", "no point inside the bounds"), ("s == 'c'", "'c' is not one of the values of s"),
                           ("x1*x2 > 0.999", "0.999"), ("x1 =< x2", "did you mean '<='"), ("2*k = 5", "steps of its variables do not meet it")):
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
