# test: labels cli timeout 120 processors 1
"""gannet predict: what it prints, that it is what the formulas of a Gaussian process give, and what it refuses."""
import csv
import io
import json
import math
import statistics

import program
from program import BRANIN, SOBOL, USAGE, slow

EXACT = """\
name: fast
seed: 3
method: gp-ei
transform: none
refit: 10
noise: 2
variables: {x1: {lower: -5, upper: 10}, x2: {lower: 0, upper: 15}}
batch: 4
initial: 8
budget: {evaluations: 24}
evaluate: {backend: function, simulation: branin}
"""
BOUNDED = """\
name: fast
goal: maximize
objective: gain
variables:
  x: {lower: 0, upper: 1, unit: mm}
  n: {type: integer, lower: 1, upper: 4}
  kind: {type: categorical, values: ["a, b", plain]}
  on: {type: boolean}
  rho: {fixed: 1.5}
  twice: {expression: "2*x"}
constraints: {heat: {upper: 0.5, unit: K}, band: {lower: -1, upper: 1}}
batch: 4
initial: 8
budget: {evaluations: 24}
evaluate: {backend: command, command: [./s.sh], parallel: 2}
"""
SIMULATION = """\
#!/bin/sh
x=$(sed -n 's/^x //p' params.in)
printf 'gain %s\\nheat %s\\nband 0.25\\n' "$x" "$x" > "$GANNET_RESULTS"
"""


def solve_lower(factor, right):
    found = []
    for i, row in enumerate(factor):
        found.append((right[i] - sum(row[k] * found[k] for k in range(i))) / row[i])
    return found


def factorise(matrix):
    factor = [[0.0] * len(matrix) for _ in matrix]
    for i, row in enumerate(matrix):
        for j in range(i + 1):
            rest = row[j] - sum(factor[i][k] * factor[j][k] for k in range(j))
            factor[i][j] = math.sqrt(rest) if i == j else rest / factor[j][j]
    return factor


def quantile(values, share):
    at = share * (len(values) - 1)
    below = sorted(values)[int(at):int(at) + 2]
    return below[0] + (at % 1) * (below[-1] - below[0])


def posterior(data, values, noise_var, hyper, points):
    """Means and deviations by Rasmussen and Williams, eqs. (2.25) and (2.26), with a constant mean by generalised least
    squares and the kernel Matern-5/2."""
    variance, length = math.exp(hyper["log_variance"]), math.exp(hyper["log_length_0"])

    def kernel(a, b):
        s = math.sqrt(5 * sum((p - q)**2 for p, q in zip(a, b))) / length
        return variance * (1 + s + s * s / 3) * math.exp(-s)

    factor = factorise([[kernel(a, b) + (noise_var if i == j else 0) for j, b in enumerate(data)] for i, a in enumerate(data)])
    ones, whitened = solve_lower(factor, [1.0] * len(data)), solve_lower(factor, values)
    centre = sum(a * b for a, b in zip(ones, whitened)) / sum(a * a for a in ones)
    rest = [b - centre * a for a, b in zip(ones, whitened)]
    for point in points:
        cross = solve_lower(factor, [kernel(point, a) for a in data])
        yield centre + sum(a * b for a, b in zip(cross, rest)), math.sqrt(variance - sum(a * a for a in cross))


class Predict(program.ProgramTest):
    def rows(self, *words, **options):
        return json.loads(self.succeed("predict", "fast.campaign", *words, "--format", "json", **options).out)

    def files(self):
        return {path.name: path.read_bytes() for path in (self.folder / "fast.campaign").iterdir() if path.is_file()}

    def test_the_formulas_of_a_gaussian_process_give_the_same(self):
        self.succeed("run", self.write(EXACT), "-q")
        hyper = {}
        for line in (self.folder / "fast.campaign/journal").read_text().splitlines()[1:]:
            record = json.loads(line.split(" ", 2)[2])
            state = record.get("state", record.get("changes", {}))
            hyper.update(state.get("gp-ei", {}).get("objective", {}))
        self.assertEqual(hyper["learned"], 8)  # and is not learnt again before there are 80 more
        results = [(float(row["x1"]), float(row["x2"]), float(row["objective"])) for row in self.history()]

        def unit(x1, x2):
            return (x1 + 5) / 15, x2 / 15

        values = [value for _, _, value in results]
        centre, scale = statistics.median(values), (quantile(values, 0.75) - quantile(values, 0.25)) / 1.349
        points = [(3.0, 2.5), (-4.0, 14.0), (9.5, 0.25), results[0][:2]]
        expected = list(posterior([unit(*row[:2]) for row in results], [(value - centre) / scale for value in values],
                                  (2 / scale)**2, hyper, [unit(*point) for point in points]))
        self.write("x2,name,x1\n" + "".join(f"{x2!r},any,{x1!r}\n" for x1, x2 in points), "points.csv")
        before = self.files()
        found = self.rows("--file", "points.csv")
        self.assertEqual(self.files(), before)
        for row, point, (mean, sd) in zip(found, points, expected, strict=True):
            self.assertEqual((row["x1"], row["x2"]), point)
            self.assertAlmostEqual(row["objective.mean"], centre + scale * mean, delta=1e-6)
            self.assertAlmostEqual(row["objective.sd"], scale * sd, delta=1e-6)
            self.assertEqual((row["can_run"], row["feasible"]), (1, 1))

    def test_every_format_and_every_quantity(self):
        self.write(SIMULATION, "s.sh", 0o755)
        self.succeed("run", self.write(BOUNDED), "-q")
        point = ["--point", "n=2", "--point", "kind=a, b", "-p", "on=true", "--point"]
        row, = self.rows(*point, "x=0.25")
        self.assertEqual(list(row), ["x", "n", "kind", "on", "rho", "twice", "gain.mean", "gain.sd", "heat.mean", "heat.sd", "heat.kept", "band.mean",
                                     "band.sd", "band.kept", "can_run", "feasible"])
        self.assertEqual((row["x"], row["n"], row["kind"], row["on"], row["rho"], row["twice"]), (0.25, 2, "a, b", True, 1.5, 0.5))
        self.assertLess(abs(row["gain.mean"] - 0.25) + abs(row["heat.mean"] - 0.25) + abs(row["band.mean"] - 0.25), 0.2)
        self.assertGreater(row["feasible"], 0.9)
        far, = self.rows(*point, "x=1")
        self.assertLess(far["heat.kept"], 0.05)
        self.assertAlmostEqual(far["feasible"], far["heat.kept"] * far["band.kept"] * far["can_run"])
        table = self.succeed("predict", "fast.campaign", *point, "x=0.25").out.splitlines()
        self.assertRegex(table[0], r"^ *x \[mm\]  n +kind +on +rho +twice +gain.mean +gain.sd +heat.mean \[K\] +heat.sd \[K\] +heat.kept ")
        self.assertEqual(len(table), 2)
        self.succeed("predict", "fast.campaign", *point, "x=0.25", "-f", "csv", "-o", "out.csv")
        line, = csv.DictReader(io.StringIO((self.folder / "out.csv").read_text()))
        self.assertEqual(line["kind"], "a, b")
        self.assertEqual(float(line["gain.mean"]), row["gain.mean"])

    def test_it_works_while_the_campaign_runs_and_on_any_ranks(self):
        running = self.start("run", self.write(slow(BRANIN, 0.3)), "-q")
        self.wait_for_records(12, running)
        row, = self.rows("--point", "x1=1", "--point", "x2=2")
        self.assertGreater(row["objective.sd"], 0)
        self.assertIsNone(running.process.poll())
        self.assertEqual(running.wait().code, 0)
        alone = self.succeed("predict", "fast.campaign", "-p", "x1=1", "-p", "x2=2", "-f", "csv").out
        self.assertEqual(self.succeed("predict", "fast.campaign", "-p", "x1=1", "-p", "x2=2", "-f", "csv", ranks=2).out, alone)

    def test_a_method_without_models_has_a_gaussian_process(self):
        self.succeed("run", self.write(SOBOL), "-q")
        row, = self.rows("--point", "x1=3.14", "--point", "x2=2.3")
        self.assertLess(abs(row["objective.mean"] - 0.4), 10)

    def test_many_results_take_a_while_and_it_is_said(self):
        self.succeed("run", self.write(SOBOL.replace("evaluations: 24", "evaluations: 11000").replace("batch: 4", "batch: 1000") + "noise: 5\n"), "-q", timeout=120)
        self.assertIn("fitting the models to all 11000 results", self.succeed("predict", "fast.campaign", "--point", "x1=1", "--point", "x2=2", timeout=240).err)

    def test_what_is_refused(self):
        self.succeed("run", self.write(SOBOL), "-q", "-m", "3")

        def refused(said, *words, code=USAGE):
            self.assertIn(said, self.succeed("predict", "fast.campaign", *words, code=code).err)
        whole = ["--point", "x1=1", "--point", "x2=2"]
        refused("too few results for a model: 3 of 3 tell a value of the objective that can be learnt from, expected at least 4", *whole)
        refused("the design is not complete; give --point x2=VALUE, too", "--point", "x1=1")
        refused("variable x2: 16 is outside [0, 15]", "--point", "x1=1", "--point", "x2=16")
        refused("--point: the campaign has no variable 'x3'", "--point", "x3=1")
        refused("variable x1: 'two' is not a number", "--point", "x1=two", "--point", "x2=1")
        refused("--point 'x1=1,x2=2': expected one variable; repeat --point, as in --point x1=VALUE --point x2=VALUE", "--point", "x1=1,x2=2")
        refused("give either a --point NAME=VALUE for every variable, or --file with designs")
        refused("give either", *whole, "--file", "points.csv")
        self.write("x1,x2\n1,2\n1,20\n", "points.csv")
        refused("points.csv: row 2: variable x2: 20 is outside [0, 15]", "--file", "points.csv")
        self.write("x1,y\n1,2\n", "points.csv")
        refused("points.csv: no column 'x2'; the first line must name every variable", "--file", "points.csv")
        self.assertIn("no.csv", self.gannet("predict", "fast.campaign", "--file", "no.csv").err)
        self.assertIn("is not a campaign directory", self.gannet("predict", "no.campaign", *whole).err)


if __name__ == "__main__":
    program.main()
