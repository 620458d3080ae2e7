# test: labels cli timeout 120
"""What the report says of models: constraints, failures, planes of two variables, and all of it in words."""
import shutil

import program
from test_report import FAILING, MIXED, data_of


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
        self.assertRegex(told, r"The model predicts the objective well: cross-validated R² (0\.9\d|1\.00)\.")
        self.assertIn("y hardly matters: the total effect is below 1 % for every model. With it fixed the search is easier.", told)
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


if __name__ == "__main__":
    program.main()
