# test: labels cli timeout 180 processors 1
"""Results of earlier work: `import` in the campaign file, `gannet tell --file`, and where they are seen."""
import csv
import math
import random
import resource

import program
from program import BRANIN, FAST, SOBOL, USAGE

MANUAL = FAST + "evaluate: {backend: manual}\n"
STRESS = MANUAL.replace("batch: 4", "constraints:\n  stress: {upper: 110}\nbatch: 4").replace(
    "x2: {lower: 0, upper: 15}", "x2: {lower: 0, upper: 15}\n  fins: {type: integer, lower: 1, upper: 8}\n"
    "  solver: {type: categorical, values: [cg, gmres]}")
COMPOSED = MANUAL + "objective: \"drag + 0.01*mass\"\noutputs: {mass: {unit: kg}}\n"


def branin(x1, x2):
    return (x2 - 5.1 / (4 * math.pi ** 2) * x1 ** 2 + 5 / math.pi * x1 - 6) ** 2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x1) + 10


def old_results(n, seed=3, header="x1,x2,objective"):
    numbers = random.Random(seed)
    points = [(numbers.uniform(-5, 10), numbers.uniform(0, 15)) for _ in range(n)]
    return header + "\n" + "".join(f"{x1!r},{x2!r},{branin(x1, x2)!r}\n" for x1, x2 in points)


def seconds_of_programs():
    """Processor time of all programs that have ended, which does not depend on what else the machine does."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Import(program.ProgramTest):
    def rows(self, directory="fast.campaign"):
        return self.history(directory)

    def fails(self, *words, code=USAGE, **options):
        outcome = self.gannet(*words, **options)
        self.assertEqual(outcome.code, code, outcome)
        return outcome.err

    def test_they_are_learnt_from_and_not_counted(self):
        self.write(old_results(30), "old.csv")
        file = self.write(BRANIN + "import: old.csv\n")
        self.assertIn("  would import 30 results from '", self.succeed("run", file, "--dry-run").out)
        for ranks in 0, 3:
            self.succeed("run", file, "-q", "-d", f"on-{ranks}", ranks=ranks)
        self.assertEqual(self.digest("on-0"), self.digest("on-3"))
        rows = self.rows("on-0")
        self.assertEqual([row["origin"] for row in rows], ["import"] * 30 + ["method"] * 24)  # initial: 8 is done by them
        status = self.succeed("status", "on-0").out
        self.assertIn("24 proposed of 24: 24 done", status)
        self.assertIn("imported     30 results of earlier work, not counted in the budget", status)
        self.assertIn("24 of 24", self.succeed("watch", "on-0", "--once").out)
        # They are what the optimiser would have learnt by itself: the same results told by hand give the same points.
        best = min(float(row["objective"]) for row in rows[30:])
        self.assertLess(best, min(float(row["objective"]) for row in rows[:30]))
        page = self.folder / "page.html"
        self.succeed("report", "on-0", "-o", page)
        self.assertIn('"imported":30', page.read_text().replace(" ", ""))

    def test_a_resume_reads_nothing_again(self):
        self.write(old_results(12), "old.csv")
        file = self.write(BRANIN + "import: [{from: old.csv}]\n")
        self.succeed("run", file, "-q", "-d", "whole")
        self.succeed("run", file, "-q", "--max-evals", "4", ranks=2)
        self.assertEqual(self.succeed("run", file, "-q", "--resume", "--max-evals", "8").err, "")
        old = self.folder / "old.csv"
        text = old.read_text()
        old.write_text(text + "1,2,21.627\n")
        outcome = self.succeed("run", file, "-q", "--resume", "--max-evals", "12")
        self.assertRegex(outcome.err, "warning: import: '.*old.csv' has changed since it was read; the campaign continues with the 12 results "
                                      "that it had, and --reimport reads it again")
        self.assertIn("old.csv' has changed since", self.succeed("run", file, "--dry-run", "--resume").out)
        self.assertIn("would import 1 result from", self.succeed("run", file, "--dry-run", "--resume", "--reimport").out)
        old.unlink()
        outcome = self.succeed("run", file, "-q", "--resume", "--max-evals", "16")
        self.assertRegex(outcome.err, "warning: import: '.*old.csv' is gone since it was read; the campaign continues with the 12 results")
        (self.folder / "moved.csv").write_text(text)  # the same under another name
        moved = self.write(BRANIN + "import: moved.csv\n", "moved.yaml")
        self.assertEqual(self.succeed("run", moved, "-q", "--resume").err, "")
        self.assertEqual(self.digest(), self.digest("whole"))
        old.write_text(text + "1,2,21.627\n")
        self.succeed("run", file, "-q", "--resume", "--reimport", "--max-evals", "26")
        self.assertEqual([row["origin"] for row in self.rows()].count("import"), 13)
        self.assertEqual(self.succeed("run", file, "-q", "--resume", "--max-evals", "27").err, "")

    def test_another_campaign_serves_with_its_columns(self):
        self.succeed("run", self.write(SOBOL), "-q", "-d", "wing-1.campaign")
        text = BRANIN.replace("x1:", "chord:").replace("x2:", "span:").replace("{lower: -5, upper: 10}", "{lower: -5000, upper: 10000}")
        file = self.write(text + 'import: [{from: wing-1.campaign, columns: {chord: "x1*1000", span: x2}}]\n', "new.yaml")
        self.succeed("run", file, "-q", "-d", "new", "--max-evals", "4", ranks=2)
        rows, old = self.rows("new"), self.rows("wing-1.campaign")
        self.assertEqual([float(row["chord"]) for row in rows[:24]], [1000 * float(row["x1"]) for row in old])
        self.assertEqual([row["objective"] for row in rows[:24]], [row["objective"] for row in old])
        effective = (self.folder / "new/campaign.yaml").read_text()
        self.assertRegex(effective, r'import:\n  - \{from: "?/.*/wing-1.campaign/history.csv"?, columns: \["?chord=x1\*1000"?, "?span=x2"?\]\}\n')
        self.assertEqual(self.succeed("run", self.folder / "new/campaign.yaml", "-q", "--resume", "--max-evals", "8").err, "")
        self.assertEqual(len(self.rows("new")), 32)

    def test_composed_objectives_and_outputs(self):
        self.write("x1,x2,drag,mass,mass.sd,note,volume\n1,2,3.5,100,0.5,good,7\n2,3,4.5,200,,,\n3,4,,100,,,\n", "old.csv")
        file = self.write(COMPOSED)
        self.succeed("ask", file, "-q", "1")
        outcome = self.succeed("tell", "fast.campaign", "--file", "old.csv")
        self.assertIn("old.csv: 3 rows: 2 imported, 0 results of evaluations that were proposed, 0 there already, 1 refused", outcome.out)
        self.assertIn("line 4: refused: no value of the objective", outcome.err)
        rows = self.rows()
        self.assertEqual([(row["objective"], row["drag"], row["mass"], row["mass.sd"], row["volume"]) for row in rows],
                         [("4.5", "3.5", "100", "0.5", "7"), ("6.5", "4.5", "200", "", "")])

    def test_fixed_and_derived_variables_follow(self):
        text = MANUAL.replace("x2: {lower: 0, upper: 15}", "x2: {lower: 0, upper: 15}\n  rho: {fixed: 1.25}\n  sum: {expression: \"x1 + x2\"}")
        self.write("x1,x2,objective\n1,2,3.5\n", "old.csv")
        self.succeed("tell", self.write(text), "--file", "old.csv")
        self.assertEqual([(row["rho"], row["sum"]) for row in self.rows()], [("1.25", "3")])
        self.write("x1,x2,rho,sum,objective\n1,3,1.25,4,3.5\n1,4,1.5,5,3.5\n1,4,1.25,6,3.5\n1,2,1.25,3,3.5\n", "old.csv")
        outcome = self.succeed("tell", "fast.campaign", "--file", "old.csv")
        self.assertIn("4 rows: 1 imported, 0 results of evaluations that were proposed, 1 there already, 2 refused", outcome.out)
        self.assertRegex(outcome.err, "line 3: refused: variable rho: 1.5(?s:.*)line 4: refused: variable sum: 6 is not its value here, which is 5 = x1 \\+ x2")

    def test_a_history_without_the_parts_has_the_objective_itself(self):
        self.write("x1,x2,objective\n1,2,3.5\n", "old.csv")
        self.succeed("tell", self.write(COMPOSED), "--file", "old.csv")
        self.assertEqual(self.rows()[0]["objective"], "3.5")

    def test_told_files_give_results_to_what_waits(self):
        file = self.write(MANUAL)
        asked = list(csv.DictReader(self.succeed("ask", file, "-q", "4").out.splitlines()))
        lines = [f"{row['id']},{row['x1']},{row['x2']},{branin(float(row['x1']), float(row['x2']))!r}\n" for row in asked[:3]]
        self.write("id,x1,x2,objective\n" + "".join(lines) + "7,1,2,21.5\n8,1,2,21.5\n9,11,3,4\n", "told.csv")
        dry = self.succeed("tell", "fast.campaign", "--file", "told.csv", "--dry-run").out
        self.assertEqual(dry.splitlines(), [
            "line 2: would be the result of evaluation 0", "line 3: would be the result of evaluation 1",
            "line 4: would be the result of evaluation 2", "line 5: would be imported", "line 6: repeats a line above",
            "line 7: would be imported, and never be the best: variable x1: 11 is outside [-5, 10]",
            "told.csv: 6 rows: 2 would be imported (1 outside of what is allowed, in line 7: variable x1: 11 is outside [-5, 10]), 3 results of evaluations that were proposed, "
            "1 there already, 0 refused"])
        self.assertFalse((self.folder / "fast.campaign/history.csv").exists())
        self.succeed("tell", "fast.campaign", "--file", "told.csv", ranks=2)
        rows = self.rows()
        self.assertEqual([(row["id"], row["origin"]) for row in rows], [("0", "initial"), ("1", "initial"), ("2", "initial"), ("4", "import"), ("5", "import")])
        again = self.succeed("tell", "fast.campaign", "--file", "told.csv")
        self.assertIn("6 rows: 0 imported, 0 results of evaluations that were proposed, 6 there already, 0 refused", again.out)
        self.assertEqual(len(self.rows()), 5)
        # The table that gannet writes is read as well, and says nothing new.
        outcome = self.succeed("tell", "fast.campaign", "--file", self.folder / "fast.campaign/history.csv", "--dry-run")
        self.assertIn("line 5: there already, as evaluation 4", outcome.out)
        status = self.succeed("status", "fast.campaign").out
        self.assertIn("4 proposed of 24: 3 done, 0 cannot run, 0 failed, 1 pending", status)
        self.assertRegex(status, "best .*\\(evaluation 4, imported\\)|best .*\\(evaluation [012]\\)")
        self.digest()

    def test_rows_are_refused_one_by_one(self):
        file = self.write(STRESS)
        self.write("x1,x2,fins,solver,objective,stress,status,reason\n"
                   "1,2,3,cg,5,100,done,\n"
                   "1,2,3,cgs,5,100,done,\n"
                   "1,2,3.5,cg,5,100,done,\n"
                   "1,2,3,cg,5,,done,\n"
                   "1,2,3,cg,abc,100,done,\n"
                   "1,2,3,cg,,100,done,\n"
                   "1,,3,cg,5,100,done,\n"
                   "2,2,3,gmres,,,cannot_run,\"mesh, broken\"\n"
                   "3,2,3,gmres,,,failed,node\n"
                   "3,2,3,gmres,,,pending,\n"
                   "3,2,3,gmres,,,crashed,\n"
                   "3,2,3\n"
                   "4,2,3,gmres,7,120,infeasible,\n"
                   "4,2,3,gmres,7,nan,,\n", "old.csv")
        lines = self.succeed("tell", file, "--file", "old.csv", "--dry-run").out.splitlines()
        expected = ["would be imported", "refused: variable solver: 'cgs' is not one of its values, cg gmres; did you mean 'cg'?",
                    "refused: variable fins: 3.5 is not a whole number", "would be imported, and never be the best: no value of constraint stress",
                    "refused: objective: 'abc' is not a number", "refused: no value of the objective", "refused: no value of variable x2",
                    "would be imported", "refused: failed: that says nothing about the design", "refused: pending: it has no result yet",
                    "refused: status 'crashed' is not known; expected done, cannot_run, failed or pending",
                    "refused: 3 columns, expected 8 as in the first line", "would be imported", "refused: stress: 'nan' is not a number"]
        for number, (line, words) in enumerate(zip(lines, expected)):
            self.assertTrue(line.startswith(f"line {number + 2}: {words}"), line)
        self.succeed("tell", "fast.campaign", "--file", "old.csv")
        rows = self.rows()
        self.assertEqual([row["status"] for row in rows], ["done", "done", "cannot_run", "cannot_run"])
        self.assertEqual(rows[2]["reason"], "mesh, broken")
        self.assertEqual((rows[1]["stress"], rows[1]["feasible"]), ("", ""))
        self.assertIn("best         5 (evaluation 0, imported)", self.succeed("status", "fast.campaign").out)

    def test_cells_that_say_nothing_and_lines_that_are_none(self):
        file = self.write(MANUAL)
        self.write("\ufeffx1,x2,objective,objective.sd\r\n# a comment\r\n1,2,nan,0.1\r\n1,NA,5,0.1\r\n1,2,5,-0.1\r\n1,2,5,few\r\n\"1\",2,5,0.1\r\n\r\n"
                   "1,2,\"5,5\",0.1\r\n", "old.csv")
        lines = self.succeed("tell", file, "--file", "old.csv", "--dry-run").out.splitlines()
        self.assertEqual(lines[:7], [
            "line 2: refused: 1 column, expected 4 as in the first line; remove the comment",
            "line 3: refused: objective: 'nan' is not a number; leave the cell empty where it is not known",
            "line 4: refused: variable x2: 'NA' is not a number", "line 5: refused: objective.sd: -0.1, expected a standard deviation of at least 0",
            "line 6: refused: objective.sd: 'few' is not a number", "line 7: would be imported",
            "line 9: refused: objective: '5,5' is not a number; write a decimal point, and nothing between thousands"])
        self.write("x1,x2,objective,error\n1,2,5,0.25\n", "old.csv")
        self.succeed("tell", file, "--file", "old.csv", "--column", "objective.sd=error*2")
        self.assertEqual([(row["objective"], row["objective.sd"]) for row in self.rows()], [("5", "0.5")])

    def test_directories(self):
        file = self.write(MANUAL)
        (self.folder / "plain").mkdir()
        words = "plain' is not a campaign directory: it has no history.csv; expected the directory of a campaign with results, or a CSV file"
        self.assertIn(words, self.fails("tell", file, "--file", "plain", code=self.gannet("tell", file, "--file", "plain").code))
        self.assertRegex(self.fails("run", self.write(BRANIN + "import: plain\n", "new.yaml"), "--dry-run", "-d", "new"), r"new.yaml:\d+:9: import: '.*" + words)
        other = self.write(MANUAL.replace("name: fast", "name: other"), "other.yaml")
        self.succeed("ask", other, "-q", "2")
        self.assertIn("other.campaign' has no results yet: no history.csv; run it, or leave it out",
                      self.fails("run", self.write(BRANIN + "import: other.campaign\n", "new.yaml"), "--dry-run", "-d", "new"))
        self.succeed("tell", "other.campaign", "--id", "0", "--objective", "3")
        # What is printed does not begin with "no errors found", and the second of two sources has its own place.
        self.write("x1,x2,objective\n1,2,3\n", "old.csv")
        outcome = self.gannet("run", self.write(BRANIN + "import: [old.csv, none.csv]\n", "new.yaml"), "--dry-run", "-d", "new")
        self.assertEqual((outcome.code, outcome.out), (USAGE, ""))
        self.assertRegex(outcome.err, r"new.yaml:\d+:19: import: .*none.csv")
        # A directory may be told, too; that of the campaign itself is no earlier work.
        self.assertIn("other.campaign: 1 row: 1 imported, 0 results of evaluations that were proposed, 0 there already, 0 refused",
                      self.succeed("tell", file, "--file", "other.campaign").out)
        own = self.write(MANUAL + "import: fast.campaign\n", "own.yaml")
        self.assertRegex(self.fails("ask", own, "-q", "1"), r"own.yaml:\d+:9: import: '.*fast.campaign/history.csv' is the history of this campaign itself; leave it out")

    def test_what_is_wrong_with_a_table_as_a_whole(self):
        file = self.write(STRESS)

        def refused(text, *options):
            self.write(text, "old.csv")
            return self.fails("tell", file, "--file", "old.csv", *options)

        good = "x1,x2,fins,solver,objective,stress\n1,2,3,cg,5,100\n"
        self.assertRegex(refused(good.replace("fins", "fin")), "old.csv:1: no column 'fins' for a variable; is it 'fin'\\? Then write --column fins=fin")
        self.assertIn("old.csv:1: no column 'stress' for a constraint; is it 'stresss'? Then write", refused(good.replace("stress", "stresss")))
        self.assertRegex(refused(good.replace("objective", "cost")), "old.csv:1: no column 'objective' for the objective; if it has another "
                         "name, write --column NAME=COLUMN")
        self.assertRegex(refused(good.replace("objective", "objektive")), "is it 'objektive'\\? Then write --column objective=objektive")
        self.assertIn("columns are separated by semicolons; expected commas", refused(good.replace(",", ";")))
        for sign, what in ("\t", "tabs"), ("|", "vertical bars"), ("  ", "blanks"):
            self.assertIn(f"columns are separated by {what}; expected commas", refused(good.replace(",", sign)))
        for data, what in ((b"PK\3\4\0\0", "a spreadsheet or another archive; export the table as CSV"), (b"\x1f\x8b\x08", "a compressed file; unpack it"),
                           (good.encode("utf-16"), "text in UTF-16; save it as UTF-8"), (b'[{"x1": 1}]\n', "JSON; write a line of names"),
                           (b"\x89HDF\r\n", "an HDF5 file; export the table as CSV")):
            (self.folder / "old.csv").write_bytes(data)
            self.assertIn(f"old.csv: expected CSV, and this is {what}", self.fails("tell", file, "--file", "old.csv"))
        self.assertIn("old.csv:1: has numbers, expected the names of the columns", refused("1,2,3,cg,5,1\n2,2,3,cg,5,1\n"))
        self.assertIn("is it 'x1 [m]'? Then write --column 'x1=x1 [m]'", refused(good.replace("x1", "x1 [m]")))
        self.assertIn("old.csv: is empty", refused(""))
        (self.folder / "old.csv").write_bytes(good.replace("stress", "H\u00f6he").encode("latin-1"))
        self.assertIn("no column 'H'; the columns are: x1, x2, fins, solver, objective, H?he (byte 0xf6 in the name of column 6 is "
                      "not UTF-8: save the file as UTF-8)", self.fails("tell", file, "--file", "old.csv", "--column", "stress=H\u00f6he"))
        (self.folder / "old.csv").write_bytes((good + "1,2,3,c\u00e4,5,100\n").encode("latin-1"))
        self.assertIn("line 3: refused: variable solver: 'c?' contains the byte 0xe4, which is not UTF-8: save the file as UTF-8; expected one of: cg gmres",
                      self.succeed("tell", file, "--file", "old.csv", "--dry-run").out)
        self.assertIn("old.csv:3: a quotation mark inside", refused("x1,x2,fins,solver,objective\r1,2,3,cg,5\r1,2,3,c\"g,5\r"))
        self.write((good + "1,2,4,cg,5,abc\n").replace("\n", "\r"), "old.csv")
        self.assertIn("line 3: refused: stress: 'abc'", self.succeed("tell", file, "--file", "old.csv", "--dry-run").out)
        self.assertIn("no rows", refused("x1,x2,fins,solver,objective,stress\n"))
        self.assertIn("no row of 'old.csv' can be used", refused(good.replace("5,100", ",100")))
        self.assertIn("'abc' is not valid; expected NAME=COLUMN", refused(good, "--column", "abc"))
        self.assertIn("--column y: the campaign has no variable and no quantity", refused(good, "--column", "y=x1"))
        self.assertIn("old.csv: --column x1: no column 'c'", refused(good, "--column", "x1=c/10"))
        self.assertIn("old.csv: --column x1: expression 'x1*'", refused(good, "--column", "x1=x1*"))
        self.assertIn("line 2: refused: variable x1: 5e+07 is further outside [-5, 10] than a million times its width; give it in the unit of the bounds",
                      refused(good, "--column", "x1=5e7*x1"))
        self.assertIn("--column fims: the campaign has no variable and no quantity of this name; did you mean 'fins'?", refused(good, "--column", "fims=x1"))
        self.assertIn("; known: x1, x2, fins, solver, objective, stress", refused(good, "--column", "y=x1"))
        self.assertIn("--column x1: no column 'kelvin'; the columns are: x1, x2, fins, solver, objective, stress",
                      refused(good, "--column", "x1=kelvin-273"))
        self.assertIn("--column x1 is given twice; leave one out", refused(good, "--column", "x1=x1", "--column", "x1=x2"))
        self.assertIn("old.csv:1: no column 'x1' for a variable; if it has another name, write --column NAME=COLUMN; the columns are: "
                      "p, q, objective", refused("p,q,objective\n1,2,3\n"))
        self.assertIn("is it 'fins [-]'? Then write --column 'fins=fins [-]'", refused(good.replace("fins", "fins [-]")))
        self.assertEqual(self.succeed("tell", file, "--file", "old.csv", "--column", "fins=fins [-]", "--dry-run").code, 0)
        self.assertIn("old.csv:1: begins with '#', expected the names of the columns; remove the comment", refused("# by ann\n" + good))
        self.assertIn("old.csv:1: has numbers, expected the names of the columns", refused("1,2,3\n2,3,4\n"))
        self.assertIn("old.csv:2: a quotation mark inside a cell; put the whole cell", refused("x1,x2,fins,solver,objective\n1,2,3,c\"g,5\n"))
        self.assertIn("leave out --objective: lines of --file have results of their own", refused(good, "--objective", "3"))
        self.assertIn("No such file", self.fails("tell", file, "--file", "none.csv", code=self.gannet("tell", file, "--file", "none.csv").code))
        self.assertIn("--dry-run goes with --file", self.fails("tell", file, "--id", "0", "--objective", "1", "--dry-run"))
        for text, words in (("import: none.csv\n", r"fast.yaml:\d+:9: import: .*none.csv.*No such file.*relative paths start from"),
                            ("import: [old.csv, [a]]\n", "import: expected the name of a CSV file or of a campaign directory"),
                            ("import: {from: old.csv, column: {x: y}}\n", r"unknown key 'import.column'; did you mean 'columns'\?"),
                            ("import: {columns: {x1: y}}\n", "import.from"),
                            ("import: ''\n", r"fast.yaml:\d+:9: import: expected the name of a CSV file"),
                            ("import: {from: ''}\n", "import.from: '' is not a name; expected that of a CSV file or of a campaign directory"),
                            ("import: {from: old.csv, columns: {x1: z}}\n", "import: .*old.csv: columns.x1: no column 'z'"),
                            ("import: {from: old.csv, columns: [x1]}\n", "import.columns: 'x1' is not valid; expected NAME: COLUMN"),
                            ("import: {from: old.csv, related: yes}\n", "no column 'objective' for the objective"),
                            ("import: old.csv\n", r"fast.yaml:\d+:9: import: .*old.csv:1: no column 'objective'")):
            self.write("x1,x2\n1,2\n", "old.csv")
            self.assertRegex(self.fails("run", self.write(BRANIN + text, "fast.yaml"), "-q", "-d", "new"), words)

    def test_exact_results_are_there_once(self):
        self.write("x1,x2,objective\n1,2,5\n1,2,6\n1,2,5\n", "old.csv")
        outcome = self.succeed("tell", self.write(MANUAL + "noise: 0\n"), "--file", "old.csv")
        self.assertIn("line 3: refused: line 2 has another result of this design, and with noise: 0 there is only one", outcome.err)
        self.write("x1,x2,objective\n1,2,7\n2,2,7\n", "more.csv")
        outcome = self.succeed("tell", "fast.campaign", "--file", "more.csv")
        self.assertIn("line 2: refused: evaluation 0 has another result of this design", outcome.err)
        self.succeed("tell", self.write(MANUAL), "-h")
        self.succeed("tell", self.write(MANUAL.replace("name: fast", "name: noisy")), "--file", "old.csv")
        self.assertEqual([row["objective"] for row in self.rows("noisy.campaign")], ["5", "6"])

    def test_what_was_discarded_or_corrected_does_not_come_back(self):
        text = "x1,x2,objective\n1,2,5\n2,3,6\n3,4,7\n"
        for noise in "", "noise: 0\n":
            place = "fast.campaign" if noise else "plain.campaign"
            self.write(text, "old.csv")
            file = self.write(MANUAL.replace("evaluations: 24", "evaluations: 1") + noise + "import: old.csv\n")
            self.succeed("ask", file if noise else self.write(file.read_text().replace("name: fast", "name: plain"), "plain.yaml"), "-q", "1")
            self.succeed("discard", place, "--id", "0", "--why", "wrong mesh")
            self.succeed("correct", place, "--id", "1", "--objective", "6.5")
            again = self.succeed("tell", place, "--file", "old.csv")
            self.assertIn("3 rows: 0 imported, 0 results of evaluations that were proposed, 3 there already, 0 refused", again.out)
            lines = self.succeed("tell", place, "--file", "old.csv", "--dry-run").out.splitlines()
            self.assertEqual(lines[:3], ["line 2: there already, as evaluation 0, discarded", "line 3: there already, as evaluation 1, corrected",
                                         "line 4: there already, as evaluation 2"])
            # Mended, it is another result. What was there before is not read again.
            self.write(text.replace("1,2,5", "1,2,5.5") + "4,5,8\n", "old.csv")
            config = self.folder / place / "campaign.yaml"
            self.assertIn("would import 2 results", self.succeed("run", config, "--dry-run", "--resume", "--reimport").out)
            self.succeed("tell", place, "--file", "old.csv", ranks=2)
            rows = [(row["objective"], row["status"]) for row in self.rows(place)]
            self.assertEqual(rows, [("", "discarded"), ("6.5", "done"), ("7", "done"), ("5.5", "done"), ("8", "done")])
            self.succeed("discard", place, "--id", "0", "--undo")
            self.write(text, "old.csv")
            self.assertIn("line 2: there already, as evaluation 0\n", self.succeed("tell", place, "--file", "old.csv", "--dry-run").out)

    def test_imported_results_are_as_good_as_own_ones(self):
        """The next points are those of an optimiser that was told the same results."""
        self.write(old_results(16), "old.csv")
        self.succeed("ask", self.write(MANUAL + "import: old.csv\n"), "-q", "4")
        told = self.write(MANUAL.replace("name: fast", "name: told"), "told.yaml")
        for line in (self.folder / "old.csv").read_text().splitlines()[1:]:
            x1, x2, objective = line.split(",")
            self.succeed("tell", told, "--point", f"x1={x1}", "--point", f"x2={x2}", "--objective", objective)
        asked = self.succeed("ask", "told.campaign", "-q", "4").out
        rows = [line.split(",")[2:4] for line in self.succeed("export", "fast.campaign").out.splitlines() if ",pending," in line]
        self.assertEqual(rows, [line.split(",")[2:4] for line in asked.splitlines()[1:]])

    def test_designs_outside_the_bounds_are_learnt_from(self):
        """Outside, between steps, not in the list: they stay in the models, and are never the best."""
        text = MANUAL.replace("x2: {lower: 0, upper: 15}", "x2: {lower: 0, upper: 15}\n  n: {type: integer, lower: 1, upper: 9, step: 2}\n"
                              "  cells: {values: [16, 32, 64], scale: log}")
        self.write("x1,x2,n,cells,objective\n-6,2,3,32,1\n1,2,4,32,2\n1,2,3,20,3\n1,2,3,0,4\n1,2,3,32,5\n1,2,2.5,32,6\n11,inf,3,32,7\n", "old.csv")
        lines = self.succeed("tell", self.write(text), "--file", "old.csv", "--dry-run").out.splitlines()
        self.assertEqual(lines[:7], [
            "line 2: would be imported, and never be the best: variable x1: -6 is outside [-5, 10]",
            "line 3: would be imported, and never be the best: variable n: 4 is not 1 plus a multiple of the step 2; choose 5, the nearest",
            "line 4: would be imported, and never be the best: variable cells: 20 is not one of its values; choose 16, the nearest",
            "line 5: refused: variable cells: 0 has no place on a logarithmic scale; expected a number above 0",
            "line 6: would be imported", "line 7: refused: variable n: 2.5 is not a whole number",
            "line 8: refused: variable x2: 'inf' is not a number"])
        self.succeed("tell", "fast.campaign", "--file", "old.csv")
        status = self.succeed("status", "fast.campaign").out
        self.assertIn("imported     4 results of earlier work, not counted in the budget; 3 outside of what is allowed, never the best", status)
        self.assertIn("best         5 (evaluation 3, imported)", status)
        self.assertEqual([(row["x1"], row["n"], row["cells"]) for row in self.rows()], [("-6", "3", "32"), ("1", "4", "32"), ("1", "3", "20"), ("1", "3", "32")])
        page = self.folder / "page.html"
        self.succeed("report", "fast.campaign", "-o", page)
        self.assertIn('"elsewhere":3', page.read_text().replace(" ", ""))

    def test_designs_that_violate_a_variable_constraint_are_told(self):
        text = MANUAL + "variable_constraints: [x1 + x2 <= 10]\n"
        self.write("x1,x2,objective\n1,2,5\n1,12,1\n-6,1,2\n9.5,0.6,3\n", "old.csv")
        words = "the design violates the variable constraint 'x1 + x2 <= 10', expected to hold: 13 on its left and 10 on its right"
        summary = f"(3 outside of what is allowed, the first in line 3: {words})"
        lines = self.succeed("tell", self.write(text), "--file", "old.csv", "--dry-run").out.splitlines()
        self.assertEqual(lines[:4], ["line 2: would be imported", f"line 3: would be imported, and never be the best: {words}",
                                     "line 4: would be imported, and never be the best: variable x1: -6 is outside [-5, 10]",
                                     "line 5: would be imported, and never be the best: the design violates the variable constraint "
                                     "'x1 + x2 <= 10', expected to hold: 10.1 on its left and 10 on its right"])
        self.assertIn(f"4 would be imported {summary}, 0 results", lines[4])
        self.assertIn(f"4 imported {summary}, 0 results", self.succeed("tell", "fast.campaign", "--file", "old.csv").out)
        self.assertIn("imported     4 results of earlier work, not counted in the budget; 3 outside of what is allowed, never the best",
                      self.succeed("status", "fast.campaign").out)
        file = self.write(text.replace("name: fast", "name: other") + "import: old.csv\n", "other.yaml")
        self.assertIn(f"would import 4 results {summary} from '", self.succeed("run", file, "--dry-run").out)

    def test_results_without_values_of_a_constraint(self):
        self.write("x1,x2,objective\n1,2,5\n2,3,6\n", "old.csv")
        text = BRANIN.replace("batch: 4", "constraints:\n  x1_again: {upper: 110}\nbatch: 4").replace("evaluate: {backend: function, simulation: branin, parallel: 4}",
                                                                                                  "evaluate: {backend: manual}")
        file = self.write(text + "import: old.csv\n")
        self.assertIn("would import 2 results (2 without a value of a constraint) from '", self.succeed("run", file, "--dry-run").out)
        self.succeed("ask", file, "-q", "1")
        self.assertIn("imported     2 results", self.succeed("status", "fast.campaign").out)
        self.assertIn("best         no", self.succeed("status", "fast.campaign").out)

    def test_a_campaign_with_them_goes_on_after_anything(self):
        numbers = random.Random(5)
        points = [(numbers.uniform(-9, 14), numbers.uniform(-4, 19)) for _ in range(30)]
        self.write("x1,x2,objective\n" + "".join(f"{a!r},{b!r},{branin(a, b)!r}\n" for a, b in points), "old.csv")
        file = self.write(BRANIN + "import: old.csv\n")
        self.assertRegex(self.succeed("run", file, "--dry-run").out, 
                         r"would import 30 results \(\d+ outside of what is allowed, the first in line \d+: variable x[12]: \S+ is outside \[\S+, 1[05]\]\) from '")
        for ranks in 0, 2, 3:
            self.succeed("run", file, "-q", "-d", f"on-{ranks}", ranks=ranks)
            self.assertEqual(self.digest(f"on-{ranks}"), self.digest("on-0"))
        self.succeed("run", file, "-q", "--max-evals", "12")
        (self.folder / "fast.campaign/journal").unlink()
        self.succeed("run", file, "-q", "--resume", ranks=2)
        self.assertEqual(self.digest(), self.digest("on-0"))
        for row in self.rows()[30:]:
            self.assertTrue(-5 <= float(row["x1"]) <= 10 and 0 <= float(row["x2"]) <= 15, row)

    def test_ten_thousand_rows_take_a_moment(self):
        self.write(old_results(10000), "old.csv")
        file = self.write(SOBOL.replace("method: sobol", "method: random") + "import: old.csv\n")
        start = seconds_of_programs()
        self.succeed("run", file, "-q", "--max-evals", "4")
        self.assertLess(seconds_of_programs() - start, 5)
        self.assertEqual(len(self.rows()), 10004)
        start = seconds_of_programs()
        self.succeed("tell", "fast.campaign", "--file", "old.csv", timeout=60)
        self.assertLess(seconds_of_programs() - start, 5)

    def test_a_lost_journal_keeps_them(self):
        self.write(old_results(10), "old.csv")
        file = self.write(BRANIN + "import: old.csv\nstart: [{x1: 1}]\n")
        self.succeed("run", file, "-q", "-d", "whole")
        self.succeed("run", file, "-q", "--max-evals", "12")
        journal = self.folder / "fast.campaign/journal"
        journal.unlink()
        self.succeed("run", file, "-q", "--resume")
        self.assertEqual(self.digest(), self.digest("whole"))
        self.assertEqual([row["origin"] for row in self.rows()], ["import"] * 10 + ["start"] + ["method"] * 23)
        self.assertIn("imported     10 results", self.succeed("status", "fast.campaign").out)


if __name__ == "__main__":
    program.main()
