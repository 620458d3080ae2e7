# test: labels cli timeout 300
"""Objectives that teach nothing or too much: constant ones, of 1e+-300, thresholds that nothing meets, missing values."""
import json
import math

import program
from program import FAILURES, FINISHED, INFEASIBLE, USAGE

SIMULATION = """\
#!/bin/bash
awk -v id=$GANNET_EVAL_ID '{ v[$1] = $2 } END { x = v["x"]; y = v["y"]; a = x + y * y; b = (1 - x) * (1 - x) + y
     printf "a %s\\n", id % 3 == 1 && ENVIRON["GAPS"] ? "missing" : a
     printf "b %s\\n", id % 3 == 2 && ENVIRON["GAPS"] ? "missing" : b
     printf "same 3\\nsum %.9f\\ntwice %.9f\\n", x + y, 2 * x + 2 * y
     printf "tiny_a %.9fe-300\\ntiny_b %.9fe-300\\n", a, b
     printf "huge_same 5.4e300\\nhuge_other 1e300\\n"
     printf "huge_a %.9fe300\\nhuge_b %.9fe300\\n", a, -b
     printf "edge_a %.9fe308\\nedge_b %.9fe308\\n", a / 2, -b / 2 }' params.in > results.out
"""
CAMPAIGN = """\
name: bad
method: METHOD
initial: 6
variables: {x: {lower: 0, upper: 1}, y: {lower: 0, upper: 1}}
objectives: {OBJECTIVES}
batch: 3
budget: {evaluations: 12}
evaluate: {backend: command, command: ["{input_directory}/sim.sh"], parallel: 3}
"""
METHODS = "auto", "parego", "gp-ts"


class BadObjectives(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SIMULATION, "sim.sh", 0o755)

    def begin(self, objectives, method, ranks=0, replicates=1, **words):
        text = CAMPAIGN.replace("METHOD", method).replace("OBJECTIVES", objectives) + f"replicates: {replicates}\n"
        directory = f"{method}{ranks}.campaign"
        outcome = self.gannet("run", self.write(text, "bad.yaml"), "--directory", directory, ranks=ranks, **words)
        self.assertEqual(outcome.code, FINISHED, outcome)
        self.assertNotRegex(outcome.out + outcome.err, r"(?i)\bnan\b|\binf\b|warning")
        return outcome, directory

    def look(self, directory):
        """Every command that has words for a front says sound things of it."""
        for command in ["status"], ["best"], ["best", "--knee"], ["watch", "--once"], ["report"]:
            shown = self.gannet(command[0], directory, *command[1:])
            self.assertEqual(shown.code, FINISHED, shown)
            self.assertNotRegex(shown.out + shown.err, r"(?i)\bnan\b|\binf\b")

    def for_all(self, objectives, *expected, methods=METHODS, **words):
        """The same points on one and on four ranks; what all methods say of the front."""
        for method in methods:
            outcome, directory = self.begin(objectives, method, **words)
            for text in expected:
                self.assertRegex(outcome.out, text)
                self.assertRegex(self.gannet("status", directory).out, text)
        points = [[row[name] for name in ("x", "y")] for row in self.history("auto0.campaign")]
        _, directory = self.begin(objectives, "auto", ranks=4, **words)
        self.assertEqual([[row[name] for name in ("x", "y")] for row in self.history(directory)], points)
        self.look(directory)
        return json.loads(self.gannet("export", "auto0.campaign", "--format", "json").out)

    def test_a_constant_objective_is_told_and_the_other_one_decides(self):
        rows = self.for_all("a: , same: ", r"front:? +1 design, hypervolume 0\.\d+", "same is 3 in all results: it decides nothing until one differs")
        self.assertEqual([row["a"] for row in rows if row["front"]], [min(row["a"] for row in rows)])
        self.assertIn("same is 3 in all results", (self.folder / "auto0.campaign" / "campaign.log").read_text())

    def test_the_front_of_objectives_that_agree_is_a_point(self):
        rows = self.for_all("sum: , twice: ", r"front:? +1 design, hypervolume")
        self.assertEqual(sum(row["front"] for row in rows), 1)

    def test_thresholds_that_nothing_meets_are_told_in_every_line(self):
        self.for_all("a: {threshold: -50}, b: ", r"hypervolume 0, reference point a -50, b",
                     r"no design is better than the thresholds in every objective: nothing counts; best a \d\S*\n")
        outcome, _ = self.begin("a: {threshold: 0.01}, b: {threshold: 0.01}", "sobol")
        self.assertRegex(outcome.err, r"batch 3: .*, front: \d+ designs, none better than the thresholds, proposal")
        self.assertRegex(self.gannet("watch", "sobol0.campaign", "--once").out, "none better than the thresholds")
        self.assertRegex(outcome.out, r"nothing counts; best a \S+, b \S+\n")

    def test_hypervolumes_that_are_no_numbers_are_told(self):
        for objectives, power in (("tiny_a: , tiny_b: ", "-60"), ("huge_a: , huge_b: {goal: maximize}", r"\+[56]"),
                                  ("edge_a: , edge_b: {goal: maximize}", r"\+6")):
            rows = self.for_all(objectives, rf"hypervolume [1-9](\.\d+)?e{power}\d+, reference point",
                                methods=("auto", "neural-bo" if power == "-60" else "parego"))
            self.assertGreater(sum(row["front"] for row in rows), 3)
            self.tearDown()
            self.setUp()

    def test_the_hypervolume_of_huge_constants_has_a_logarithm(self):
        self.for_all("huge_same: , huge_other: {goal: maximize}", r"hypervolume 5\.4e\+598, reference point huge_same 5\.94e\+300",
                     methods=("auto",))
        front = json.loads(self.gannet("status", "auto0.campaign", "--format", "json").out)["front"]
        self.assertIsNone(front["hypervolume"])
        self.assertAlmostEqual(front["log10_hypervolume"], 598 + math.log10(5.4), places=9)
        self.begin("a: {threshold: -50}, b: ", "sobol")
        front = json.loads(self.gannet("status", "sobol0.campaign", "--format", "json").out)["front"]
        self.assertEqual((front["hypervolume"], front["log10_hypervolume"]), (0, None))

    def test_standard_errors_of_huge_values(self):
        self.write(SIMULATION.replace("x + y * y;", "x + y * y + id / 50;"), "sim.sh", 0o755)
        self.begin("huge_a: , huge_b: {goal: maximize}", "auto", replicates=2)
        self.look("auto0.campaign")
        errors = [row["huge_a.error"] for row in json.loads(self.gannet("best", "auto0.campaign", "--format", "json").out)]
        self.assertTrue(all(0 < error < 1e300 for error in errors), errors)

    def test_objectives_may_be_missing_in_part(self):
        rows = self.for_all("a: , b: ", r"front:? +\d designs?, hypervolume", environment={"GAPS": "1"})
        self.assertEqual([row["id"] for row in rows if row["a"] is None], [i for i in range(12) if i % 3 == 1])
        self.assertTrue(all(row["a"] is not None and row["b"] is not None for row in rows if row["front"]))
        status = self.gannet("status", "auto0.campaign").out
        self.assertIn("4 results without a, 4 results without b", status)

    def test_an_objective_that_no_result_has(self):
        for ranks in 0, 4:
            text = CAMPAIGN.replace("METHOD", "auto").replace("OBJECTIVES", "a: , bb: ")
            outcome = self.gannet("run", self.write(text, "bad.yaml"), "--directory", f"{ranks}.campaign", ranks=ranks)
            self.assertEqual(outcome.code, FAILURES, outcome)
            self.assertRegex(outcome.out, r"failed \(results\): results.out: bb is missing")
        for command in "best", "report", "export", "status":
            shown = self.gannet(command, "0.campaign")
            self.assertEqual(shown.code, INFEASIBLE if command == "best" else FINISHED, shown)

    def test_names_goals_and_numbers_of_objectives(self):
        def refused(objectives, *expected, options=()):
            text = CAMPAIGN.replace("METHOD", "auto").replace("OBJECTIVES", objectives)
            outcome = self.gannet("run", self.write(text, "bad.yaml"), *options)
            self.assertEqual(outcome.code, USAGE, outcome)
            for part in expected:
                self.assertIn(part, outcome.err)
        refused("a: , a: ", "bad.yaml:5:19: key 'a' is given twice in the same mapping")
        refused("a: , b: ", "key 'a' is given twice in the same mapping; leave one out", options=("--set", "objectives={a: , a: }"))
        refused("a: , b: ", "region.type=trust: region.type: with 2 objectives a trust region is for the methods auto and gp-nehvi",
                "this is 'parego'; leave the region out", options=("--set", "region.type=trust", "--set", "method=parego"))
        refused("a: , b: ", "nearest: this is for the trust region of a single objective, and there are 2; leave it out", "2 errors",
                "restarts: this is for", options=("--set", "region.type=trust", "--set", "region.nearest=9", "--set", "region.restarts=no"))
        refused("a: , b: , c: , d: , e: ", "a trust region is for at most 4 objectives, and there are 5; leave it out", options=("--set", "region=trust"))
        refused("a: , b: ", "'turbo-1' does not go with 2 objectives: its trust region follows the best value of one; expected one of: auto",
                options=("--set", "method=turbo-1"))
        refused("a: , b: {goal: best}", "objectives.b.goal: 'best' is not valid; expected one of: minimize maximize")
        refused("a: , b: {threshold: inf}", "'inf' is not finite; expected a finite number, such as 900")
        refused("a: , b: {threshold: nan}", "'nan' is not valid; expected any number, or auto")
        refused("a: , b: {noise: -1}", "objectives.b.noise: '-1' is not valid; expected number, at least 0, or auto")
        refused("a: , b: maximize", "objectives.b: expected keys with values below it like {goal: minimize}; known keys: goal threshold noise")
        refused("", "objectives: there are none, expected 2 to 5; for a single one write 'objective: NAME'")
        refused(", ".join(f"f{i}: " for i in range(10)), "bad.yaml:5:1: objectives: there are 10, expected 2 to 5; make constraints of those that only need to be good enough")


if __name__ == "__main__":
    program.main()
