# test: labels cli timeout 240
"""Results that lack their objective or constraints, as a check that came first has ended the simulation."""
import json

import program
from program import FINISHED, USAGE

SIMULATION = """\
#!/bin/bash
awk '{ x[$1] = $2 } END { a = x["x1"]; b = x["x2"]; gap = a + b - 1
     print "gap", gap > "results.out"
     if (gap > 0) exit
     print "objective", (a - 0.7)^2 + (b - 0.6)^2 > "results.out"
     print "stress", a * a + b > "results.out" }' params.in
"""
CHECKED = """\
name: checked
method: gp-ts
search: {candidates: 300}
variables: {x1: {lower: 0, upper: 1}, x2: {lower: 0, upper: 1}}
constraints: {gap: {upper: 0}, stress: {upper: 1}}
batch: 3
initial: 6
budget: {evaluations: 18}
save: {batches: 1, interval: 0s}
evaluate: {backend: command, command: ["{input_directory}/sim.sh"], parallel: 3}
"""
ONE = CHECKED.replace("batch: 3", "batch: 1").replace("evaluations: 18", "evaluations: 1").replace("name: checked", "name: one")


class Partial(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SIMULATION, "sim.sh", 0o755)

    def test_a_check_that_fails_first_is_a_result(self):
        file = self.write(CHECKED, "c.yaml")
        outcome = self.gannet("run", file, "-q")
        self.assertEqual(outcome.code, FINISHED, outcome)
        rows = self.history("checked.campaign")
        lacking = [row for row in rows if not row["objective"]]
        self.assertGreater(len(lacking), 2)
        for row in rows:
            self.assertEqual(row["status"], "done")
            self.assertEqual(row["feasible"], "false" if float(row["gap"]) > 0 or float(row["stress"]) > 1 else "true", row)
            self.assertEqual(not row["objective"], float(row["gap"]) > 0)
            self.assertEqual(not row["stress"], float(row["gap"]) > 0)
        self.assertIn("18 evaluations done", outcome.out)
        for command in (("verify", "checked.campaign"), ("status", "checked.campaign"), ("report", "checked.campaign"),
                        ("predict", "checked.campaign", "--point", "x1=0.5", "--point", "x2=0.2")):
            told = self.gannet(*command)
            self.assertEqual(told.code, FINISHED, told)
        exported = json.loads(self.gannet("export", "checked.campaign", "--format", "json").out)
        self.assertTrue(any(row["objective"] is None and row["feasible"] is False for row in exported))

    def test_on_any_number_of_ranks_and_after_a_resume(self):
        digests = set()
        for ranks in (0, 2):
            directory = f"r{ranks}.campaign"
            file = self.write(CHECKED, "c.yaml")
            for evaluations in (9, 18):
                resume = ["--resume"] if evaluations == 18 else []
                outcome = self.gannet("run", file, "-q", "--directory", directory, *resume, "--max-evals", evaluations, ranks=ranks)
                self.assertEqual(outcome.code, FINISHED, outcome)
            digests.add(self.digest(directory))
        whole = self.gannet("run", self.write(CHECKED, "c.yaml"), "-q", "--directory", "w.campaign")
        self.assertEqual(whole.code, FINISHED, whole)
        digests.add(self.digest("w.campaign"))
        self.assertEqual(len(digests), 1)

    def outcome_of(self, results, *sets):
        """The row of an evaluation that leaves this."""
        self.write(f"#!/bin/bash\nprintf '{results}' > results.out\n", "sim.sh", 0o755)
        directory = f"d{self.n_started}"
        words = [word for text in sets for word in ("--set", text)]
        self.gannet("run", self.write(ONE, "one.yaml"), "-q", "--directory", directory, *words)
        row, = self.history(directory)
        return row

    def test_what_may_be_missing(self):
        for results, feasible in (("gap 2\\n", "false"), ("gap 2\\nstress 3\\n", "false"), ("stress 3\\nobjective 1\\n", "false"),
                                  ("gap -1\\nstress 0\\nobjective missing\\n", ""), ("gap -1\\nstress missing\\nobjective 1\\n", ""),
                                  ("stress missing\\nobjective 1\\ngap missing\\n", ""), ("gap 2\\nobjective missing\\n", "false"),
                                  ("{\"gap\": 2}", "false"), ("{\"gap\": -1, \"stress\": 0, \"objective\": \"missing\"}", "")):
            row = self.outcome_of(results)
            self.assertEqual((row["status"], row["feasible"]), ("done", feasible), (results, row))

    def test_what_is_forgotten_fails(self):
        for results, reason in (("gap -1\\nstress 0\\n", "results.out: objective is missing"),
                                ("gap -1\\nobjective missing\\n", "results.out: stress is missing"),
                                ("gap missing\\nstress missing\\nobjective missing\\n", "neither the objective nor a constraint has a value"),
                                ("gap 2\\nobjectve 1\\n", "objective is missing; is 'objectve' a misspelling of it?"),
                                ("gap 2\\nobjective nan\\n", "objective is nan, expected a finite number"),
                                ("gap 2\\nobjective missing +- 1\\n", "objective is said to be missing, and has a standard deviation; leave that out"),
                                ("gap 0\\nstress 0\\nobjective 3 +/- 0.1\\n", "objective is '3 +/- 0.1', expected a number, with its standard deviation as in "
                                                                          "3.2 +- 0.1, or 'missing'"),
                                ("{\"gap\": 0, \"stress\": 0, \"objective\": {\"value\": 1, \"error\": 0.1}}", "objective: 'error' is not known; the standard "
                                                                                                            "deviation is called sd"),
                                ("gap 2\\nobjective missing\\nobjective 1\\n", "objective is said to be missing, and has a value, too"),
                                ("gap 2\\nobjective 1\\nobjective missing\\n", "objective is said to be missing, and has a value, too"),
                                ("gap -1\\nstress 0\\nobjective none\\n", "objective is 'none', expected a number, or 'missing'"),
                                ("{\"gap\": 2, \"objective\": null}", "objective is not a number, nor \"missing\"")):
            row = self.outcome_of(results)
            self.assertEqual(row["status"], "failed", (results, row))
            self.assertIn(reason, row["reason"])

    def test_expressions_and_files(self):
        sets = "objective=drag + 0.01*mass", "outputs.drag={file: forces.dat, column: 2}"
        row = self.outcome_of("gap 2\\n", *sets)
        self.assertEqual((row["status"], row["objective"], row["feasible"]), ("done", "", "false"))
        row = self.outcome_of("gap -1\\nstress 0\\nmass 3\\n", *sets)
        self.assertEqual(row["status"], "failed")
        self.assertIn("forces.dat", row["reason"])
        row = self.outcome_of("gap -1\\nstress 0\\nmass missing\\n", "objective=drag + 0.01*mass")
        self.assertEqual((row["status"], row["feasible"]), ("done", ""))

    def test_only_what_was_to_be_expected_is_told_to_be_missing(self):
        sets = "outputs.lift={file: lift.dat, column: 2}", "outputs.cells={pattern: \"cells: (.*)\"}", "outputs.iterations={unit: none}"
        complete = "outputs.cells.pattern: no line of stdout.log matches"
        for results, told in (("gap 2\\n", ""),  # the check has ended it: the other parts did not run
                              ("gap 2\\nstress 0\\nobjective 1\\n", complete), ("gap -1\\nstress 0\\nobjective missing\\n", complete),
                              ("gap -1\\nstress 0\\nobjective 1\\ncells missing\\nlift missing\\niterations missing\\n", ""),
                              ("{\"gap\": -1, \"stress\": 0, \"objective\": 1, \"cells\": \"missing\", \"lift\": \"missing\", \"iterations\": 7}", "")):
            row = self.outcome_of(results, *sets)
            self.assertEqual(row["status"], "done")
            self.assertEqual(told in row["reason"] and bool(row["reason"]), bool(told), (results, row))
            for name in "outputs.lift: no file 'lift.dat'", "outputs.iterations: it is not in results.out":
                self.assertEqual(name in row["reason"], bool(told), (results, row))

    def test_the_output_that_is_needed_is_named(self):
        sets = "outputs.stress={file: stress.dat, column: 2}", "outputs.objective={file: drag.dat, column: 2}", "outputs.gap={pattern: \"gap is (.*)\"}"
        for results, lacking in (("stress missing\\nobjective missing\\n", "outputs.gap.pattern: no line of stdout.log matches"),
                                 ("gap missing\\nstress missing\\n", "outputs.objective: no file 'drag.dat'"),
                                 ("gap missing\\nobjective missing\\n", "outputs.stress: no file 'stress.dat'")):
            row = self.outcome_of(results, *sets)
            self.assertEqual(row["status"], "failed")
            self.assertIn(lacking, row["reason"])
        # stress lacks its file, and may: it is said to be missing. The objective lacks a part that no output gives.
        row = self.outcome_of("gap -1\\nstress missing\\nmass 3\\n", "outputs.stress={file: stress.dat, column: 2}", "objective=drag + 0.01*mass")
        self.assertEqual(row["status"], "failed")
        self.assertIn("drag", row["reason"])
        self.assertNotIn("stress.dat", row["reason"])
        row = self.outcome_of("gap -1\\nmass 3\\n", "outputs.stress={file: stress.dat, column: 2}", "objective=drag + 0.01*mass",
                              "outputs.drag={file: drag.dat, column: 2}")
        self.assertIn("outputs.drag: no file 'drag.dat'", row["reason"])

    def test_by_hand(self):
        text = CHECKED.replace("backend: command, command: [\"{input_directory}/sim.sh\"], parallel: 3", "backend: manual")
        self.gannet("ask", self.write(text, "m.yaml"), "--count", 6)
        place = "checked.campaign"
        for words, told in ((("--id", 0, "-c", "gap=-1"), "give --constraint stress=VALUE, too; or stress=missing"),
                            (("--id", 0, "-c", "gap=-1", "-c", "stress=0"), "give --objective VALUE, too; or --objective missing"),
                            (("--id", 0, "-y", "none", "-c", "gap=1"), "one with its standard deviation as in 3.2+-0.1, or 'missing'"),
                            (("--id", 0, "-y", "1+-x", "-c", "gap=1"), "expected a standard deviation above 0 behind +-"),
                            (("--id", 0, "-y", "missing", "-c", "gap=missing", "-c", "stress=missing"), "neither the objective nor"),
                            (("--id", 0, "-c", "gap=missing", "-c", "gap=2"), "--constraint gap is given twice")):
            outcome = self.gannet("tell", place, *words)
            self.assertEqual(outcome.code, USAGE, outcome)
            self.assertIn(told, outcome.err)
        for words in (("--id", 0, "-c", "gap=1"), ("--id", 1, "-y", 3, "-c", "gap=missing", "-c", "stress=0.5"),
                      ("--id", 2, "-y", "missing", "-c", "gap=-1", "-c", "stress=0.5"), ("--id", 3, "-y", 4, "-c", "gap=-1", "-c", "stress=0")):
            outcome = self.gannet("tell", place, *words)
            self.assertEqual(outcome.code, FINISHED, outcome)
        best = self.gannet("best", place, "--format", "json")
        self.assertEqual([row["id"] for row in json.loads(best.out)], [3])
        self.assertIn("1 of 4 feasible", best.err)
        for words in (("--id", 2, "--objective", 2), ("--id", 3, "--objective", "missing"), ("--id", 1, "--constraint", "gap=-2")):
            outcome = self.gannet("correct", place, *words)
            self.assertEqual(outcome.code, FINISHED, outcome)
        self.assertEqual([(row["objective"], row["feasible"]) for row in self.history(place)][:4],
                         [("", "false"), ("3", "true"), ("2", "true"), ("", "")])
        status = self.gannet("status", place).out
        for told in "objective was missing, is 2\n", "objective was 4, is missing\n", "gap was missing, is -2\n":
            self.assertIn(told, status)
        best = json.loads(self.gannet("best", place, "--format", "json").out)
        self.assertEqual(best[0]["id"], 2)
        self.assertEqual(self.gannet("verify", place).code, FINISHED)
        self.write("x1,x2,objective,gap,stress\n0.9,0.9,,0.8,\n0.1,0.2,,-0.7,0.2\n", "old.csv")
        outcome = self.gannet("tell", place, "--file", "old.csv")
        self.assertEqual(outcome.code, FINISHED, outcome)
        self.assertIn("1 imported", outcome.out)


if __name__ == "__main__":
    program.main()
