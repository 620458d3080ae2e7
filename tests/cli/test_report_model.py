# test: labels cli timeout 120
"""What the report says of models: constraints, failures, planes of two variables, and all of it in words."""
import csv
import io
import math
import random
import shutil
import statistics

import program
from test_report import FAILING, MIXED, data_of


# Five kinds of variables, a constraint, and a variable that is in use for one word only.
KINDS = """\
name: fast
method: gp-ei
transform: none
initial: 90
variables:
  x: {lower: 0, upper: 1}
  rate: {lower: 0.1, upper: 10, scale: log}
  n: {type: integer, lower: 1, upper: 4}
  kind: {type: categorical, values: [a, b]}
  depth: {lower: 0, upper: 1, when: "kind == 'b'"}
constraints: {heat: {upper: 1.2}}
batch: 45
budget: {evaluations: 90}
evaluate:
  backend: command
  parallel: 2
  shell: |
    awk '{v[$1] = $2}
         END {d = v["kind"] == "b" ? 3 * v["depth"] : 1
              printf "objective %.9f\\nheat %.9f\\n", 4 * (v["x"] - 0.3)^2 + log(v["rate"]) * v["x"] + 0.5 * v["n"] + d, v["x"] + 0.3 * v["n"]}' params.in > results.out
"""


def draw_kinds(rng, **given):
    """A design of KINDS whose variables are drawn from their ranges but for the given ones."""
    design = {"x": rng.random(), "rate": math.exp(rng.uniform(math.log(0.1), math.log(10))), "n": rng.randint(1, 4),
              "kind": rng.choice("ab"), "depth": rng.random(), **given}
    if design["kind"] == "a":
        design["depth"] = ""
    return design


class ReportModel(program.ProgramTest):
    def report(self):
        self.succeed("report", "fast.campaign")
        return data_of((self.folder / "fast.campaign/report.html").read_text())

    def test_models_of_constraints_and_of_failures(self):
        """Slices and maps say how probable it is that designs are feasible; pairs of numbers come first."""
        self.write(FAILING, "fail.sh", 0o755)
        self.succeed("run", self.write(MIXED), "-q")
        data = self.report()
        model, variables = data["model"], data["summary"]["variables"]
        (stress,) = model["constraints"]
        self.assertEqual([len(s["x"]) for s in stress["slices"]], [61, 61, 2, 2, 4])
        self.assertEqual(len(stress["importance"]), 5)
        self.assertTrue(0 < stress["kept"] < 1)
        for line in model["slices"]:
            self.assertEqual(len(line["feasible"]), len(line["x"]))
            self.assertTrue(all(0 <= p <= 1 for p in line["feasible"]))
        self.assertEqual(len(model["maps"]), 10)
        numbers = [sum(variables[pair[side]]["type"] in ("real", "integer") for side in "ab") for pair in model["maps"]]
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        for pair in model["maps"]:
            points = len(pair["x"]) * len(pair["y"])
            self.assertEqual({len(pair["feasible"]), len(pair["works"])} | {len(q[kind]) for q in pair["quantities"] for kind in ("mean", "sd")}, {points})
            self.assertEqual(len(pair["quantities"]), 2)
            self.assertTrue(all(0 <= f <= w <= 1.001 for f, w in zip(pair["feasible"], pair["works"])))
        x1 = next(line for line, v in zip(model["slices"], variables) if v["name"] == "x1")
        self.assertLess(min(x1["feasible"]), 0.5)  # every fourth stripe of x1 crashes, another has no flow

    def predict(self, designs):
        table = io.StringIO()
        rows = csv.DictWriter(table, list(designs[0]), lineterminator="\n")
        rows.writeheader()
        rows.writerows(designs)
        out = self.succeed("predict", "fast.campaign", "--file", self.write(table.getvalue(), "points.csv"), "--format", "csv").out
        return list(csv.DictReader(io.StringIO(out)))

    def test_partial_dependence_is_the_mean_of_predictions(self):
        """As from designs that are drawn here, with what gannet predict says of them."""
        samples, rng = 600, random.Random(4)
        self.succeed("run", self.write(KINDS), "-q")
        data = self.report()
        model, variables = data["model"], data["summary"]["variables"]
        (heat,) = model["constraints"]
        self.assertEqual([len(curve["x"]) for curve in model["partial"]], [17, 17, 4, 2, 17])
        for k, variable in enumerate(variables):
            own, other = model["partial"][k], heat["partial"][k]
            places = range(0, len(own["x"]), 4 if len(own["x"]) > 4 else 1)
            word = (lambda v: variable["values"][int(v)]) if variable["values"] else lambda v: v
            designs = [draw_kinds(rng, **{variable["name"]: word(own["x"][i])}, **({"kind": "b"} if variable["name"] == "depth" else {}))
                       for i in places for _ in range(samples)]
            rows = self.predict(designs)
            for at, i in enumerate(places):
                mine = rows[at * samples:(at + 1) * samples]
                for curve, name, scale in ((own, "objective", 5), (other, "heat", 2)):
                    means = [float(row[f"{name}.mean"]) for row in mine]
                    error = 4 * statistics.stdev(means) / math.sqrt(samples) + 0.02 * scale
                    self.assertAlmostEqual(curve["mean"][i], statistics.mean(means), delta=error, msg=(variable["name"], i, name))
                    self.assertLess(curve["low"][i], curve["mean"][i])
                    sd = (curve["high"][i] - curve["low"][i]) / (2 * 1.96)  # of a mean it is below the mean of deviations
                    self.assertLess(sd, 1.3 * statistics.mean(float(row[f"{name}.sd"]) for row in mine) + 1e-3)
                shares = [float(row["feasible"]) for row in mine]
                self.assertAlmostEqual(own["feasible"][i], statistics.mean(shares), delta=4 * statistics.stdev(shares) / math.sqrt(samples) + 0.04)

    def test_partial_dependence_on_a_single_variable_is_the_slice(self):
        """There are no others to take a mean over: the bands are the same, too."""
        self.succeed("run", self.write(
            "name: fast\nmethod: gp-ei\ntransform: none\ninitial: 9\nvariables: {x: {lower: 0, upper: 1}}\nbatch: 9\nbudget: {evaluations: 9}\n"
            "evaluate:\n  backend: command\n  shell: |\n    awk '/^x/ {printf \"objective %.9f\\n\", sin(9 * $2)}' params.in > results.out\n"), "-q")
        model = self.report()["model"]
        ((curve,), (line,)) = model["partial"], model["slices"]
        for i, x in enumerate(curve["x"]):
            at = min(range(len(line["x"])), key=lambda k: abs(line["x"][k] - x))
            if abs(line["x"][at] - x) < 1e-9:
                for mine, its in (("mean", "median"), ("low", "low"), ("high", "high")):
                    self.assertAlmostEqual(curve[mine][i], line[its][at], delta=1e-6)

    def test_designs_that_are_forbidden_do_not_count(self):
        """Where y must be below x nothing is left at x = 0."""
        self.succeed("run", self.write(
            "name: fast\nmethod: random\nvariables: {x: {lower: 0, upper: 1}, y: {lower: 0, upper: 1}}\nvariable_constraints: [\"y <= x\"]\nbatch: 20\nbudget: {evaluations: 40}\n"
            "evaluate:\n  backend: command\n  parallel: 2\n  shell: |\n    awk '/^x/ {x = $2} /^y/ {y = $2} END {printf \"objective %.9f\\n\", x + y}' params.in > results.out\n"), "-q")
        x, y = self.report()["model"]["partial"]
        self.assertGreater(x["x"][0], 0)
        self.assertAlmostEqual(x["x"][-1], 1)
        self.assertLess(y["x"][-1], 1)
        for curve, share in ((x, 0.5), (y, None)):  # y has a mean of x / 2 below x; x one of (1 + y) / 2 above y
            for v, mean in zip(curve["x"], curve["mean"]):
                self.assertAlmostEqual(mean, v + (v / 2 if share else (1 + v) / 2), delta=0.1)

    def words(self, shell, constraints="", code=0):
        """What the model says of 40 random points of x and y whose results awk computes."""
        self.succeed("run", self.write(
            f"name: fast\nmethod: random\nvariables: {{x: {{lower: 0, upper: 1}}, y: {{lower: 0, upper: 1}}}}\n{constraints}batch: 20\nbudget: {{evaluations: 40}}\n"
            f"evaluate:\n  backend: command\n  parallel: 2\n  shell: |\n    awk '/^x/ {{x = $2}} /^y/ {{y = $2}} END {{{shell}}}' params.in > results.out\n"), "-q", code=code)
        return self.report()["model"]

    def test_the_model_in_words(self):
        model = self.words('printf "objective %.9f\\na %.9f\\nb %.9f\\n", (x - 0.3)^2, x, x + 1', "constraints: {a: {upper: 7}, b: {upper: 1}}\n", program.INFEASIBLE)
        self.assertEqual([model["recommended"], model["noisy"]], [None, False])
        told = "\n".join(model["words"])
        self.assertRegex(told, r"The model predicts the objective well: cross-validated R² (0\.9\d+|above 0\.999)\.")
        self.assertIn("y hardly matters: the total effect is below 1 % for every model. The search is easier if you fix it.", told)
        self.assertIn("Constraint a decides nothing: all 40 results keep it, and its model expects the same almost everywhere.", told)
        self.assertRegex(told, r"No result keeps constraint b \(values from 1\.\d+ to 1\.\d+\)\.")

    def test_noise_in_words(self):
        """Where it is told; a recommendation is made there only."""
        waves = 'for (i = 1; i < 9; ++i) r += sin(i * 98765.4 * x + 56789.1 * y * i * i); printf "objective %.9f\\n", r'
        model = self.words(waves, "noise: 2\n")
        self.assertTrue(model["noisy"])
        self.assertIsNotNone(model["recommended"])
        self.assertRegex(model["words"][0], r"^No variable matters beyond the noise of the objective: predictions are no better than the mean of all results")
        shutil.rmtree(self.folder / "fast.campaign")
        model = self.words(waves)
        self.assertEqual([model["recommended"], model["noisy"]], [None, False])
        self.assertRegex(model["words"][0], r"^The model sees no variable that matters for the objective: predictions are no better than the mean")

    def test_a_model_that_predicts_badly_and_a_bound(self):
        model = self.words('printf "objective %.9f\\na %.9f\\n", 2.2 * x + sin(900 * x) * cos(700 * y), x', "constraints: {a: {lower: 0.3}}\n")
        told = "\n".join(model["words"])
        self.assertRegex(told, r"The model predicts the objective badly: cross-validated R² 0\.[1-4]\d\. Do not rely on")
        shutil.rmtree(self.folder / "fast.campaign")
        model = self.words('printf "objective %.9f\\na %.9f\\n", x, x < 0.1 ? 0.2 : x < 0.4 ? 0.3 : x', "constraints: {a: {lower: 0.3}}\n")
        self.assertIn("The best design lies on the bound of constraint a (value 0.3, bound 0.3).", model["words"])

    def test_one_bad_result_does_not_put_the_best_design_on_a_bound(self):
        """The share of the results that keep a constraint counts all of them."""
        model = self.words('printf "objective %.9f\\na %.9f\\n", x < 0.1 ? 0 : -x, x < 0.1 ? 1e4 : x < 0.5 ? x : x + 5', "constraints: {a: {upper: 1}}\n")
        self.assertNotIn("lies on the bound", "\n".join(model["words"]))
        (a,) = self.report()["summary"]["constraints"]
        rows = list(csv.DictReader(io.StringIO(self.succeed("export", "fast.campaign").out)))
        self.assertAlmostEqual(a["kept"], sum(float(row["a"]) <= 1 for row in rows) / 40, delta=1e-9)

    def test_a_run_is_not_predicted_from_other_runs_of_its_design(self):
        """Values are erratic, but two runs of a design agree: a model that had seen one would predict the other."""
        model = self.words('for (i = 1; i < 9; ++i) r += sin(i * 98765.4 * x + 56789.1 * y * i * i); printf "objective %.9f\\n", r', "replicates: 2\n")
        observed, predicted = (model["calibration"][key] for key in ("observed", "predicted"))
        self.assertEqual(observed[::2], observed[1::2])
        self.assertEqual(predicted[::2], predicted[1::2])
        self.assertLess(model["calibration"]["r2"], 0.3)

    def test_the_edge_of_feasible_designs_is_where_the_model_has_it(self):
        """The margin goes through 0 at the bound, also between points of the map at which designs are certainly feasible or not."""
        model = self.words('printf "objective %.9f\\na %.9f\\n", y, x', "constraints: {a: {upper: 0.52}}\n")
        (pair,) = model["maps"]
        n = len(pair["x"])
        values = sorted((x, margin) for x, margin in zip(pair["x"] if pair["a"] == 0 else pair["y"], pair["margin"][:n] if pair["a"] == 0 else pair["margin"][::n]))
        (low, above), (high, below) = next((one, two) for one, two in zip(values, values[1:]) if one[1] > 0 >= two[1])
        self.assertAlmostEqual(low + (high - low) * above / (above - below), 0.52, delta=0.01)


if __name__ == "__main__":
    program.main()
