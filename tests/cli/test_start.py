# test: labels cli timeout 120 processors 1
"""Designs that a campaign tries first: in the campaign file or in a CSV file, whole or in part, each once."""
import csv
import re
import shutil

import program
from program import BRANIN, FINISHED, SOBOL, USAGE

VARIABLES = """\
variables:
  x1: {lower: -5, upper: 10}
  x2: {lower: 0, upper: 15}
"""
MIXED = VARIABLES + "  fins: {type: integer, lower: 1, upper: 8}\n  solver: {type: categorical, values: [cg, gmres]}\n"
DESIGNS = """\
start:
  - {x1: 1, x2: 2.5}
  - {x1: -3.25}
  - {x2: 12}
  - {x2: 0, x1: 10}
  - {x1: 4, x2: 4}
"""
LISTED = BRANIN + DESIGNS
GIVEN = [("1", "2.5"), ("-3.25", None), (None, "12"), ("10", "0"), ("4", "4")]


class Start(program.ProgramTest):
    def check_started(self, rows, given=GIVEN):
        for row, (x1, x2) in zip(rows, given):
            self.assertEqual(row["origin"], "start")
            self.assertIn(row["x1"], (x1, row["x1"] if x1 is None else None))
            self.assertIn(row["x2"], (x2, row["x2"] if x2 is None else None))
        self.assertNotIn("start", [row["origin"] for row in rows[len(given):]])

    def test_designs_come_first_on_any_number_of_ranks(self):
        file = self.write(LISTED)
        for ranks in 0, 3:
            self.succeed("run", file, "-q", "-d", f"on-{ranks}", ranks=ranks)
            self.check_started(self.history(f"on-{ranks}"))
        self.assertEqual(len({self.digest(f"on-{ranks}") for ranks in (0, 3)}), 1)
        rows = self.history("on-0")
        self.assertEqual(len(rows), 24)  # they count in the budget
        self.assertEqual([row["batch"] for row in rows[:9]], ["0"] * 4 + ["1"] * 4 + ["2"])
        # initial: 8 counts them: three more, then the method.
        self.assertEqual([row["origin"] for row in rows[4:9]], ["start"] + ["initial"] * 3 + ["method"])

    def test_what_is_left_out_is_filled_in_evenly(self):
        file = self.write(SOBOL + "start: [{x1: 0}, {x1: 1}, {x1: 2}, {x1: 3}]\n")
        self.succeed("run", file, "-q")
        plain = self.write(SOBOL, "plain.yaml")
        self.succeed("run", plain, "-q", "-d", "plain")
        rows, points = self.history(), self.history("plain")
        # The points of the first design, with what was given in their places.
        self.assertEqual([row["x2"] for row in rows], [point["x2"] for point in points])
        self.assertEqual([row["x1"] for row in rows], ["0", "1", "2", "3"] + [point["x1"] for point in points[4:]])

    def test_a_resume_repeats_none_and_takes_new_ones(self):
        file = self.write(LISTED)
        self.succeed("run", file, "-q", "-d", "whole")
        self.assertIn("5 designs to start with\n", self.succeed("run", file, "--dry-run").out)
        self.succeed("run", file, "-q", "--max-evals", "3")
        self.assertIn("2 designs to start with; the others", self.succeed("run", file, "--dry-run", "--resume").out)
        self.succeed("run", file, "-q", "--resume", "--max-evals", "12", ranks=2)
        self.check_started(self.history())
        self.succeed("run", self.folder / "fast.campaign/campaign.yaml", "-q", "--resume", "--max-evals", "16")
        self.check_started(self.history())
        more = self.write(LISTED + "  - {x1: 7.5}\n  - {x1: 1, x2: 2.75}\n")
        self.succeed("run", more, "-q", "--resume", "--max-evals", "20")
        rows = self.history()
        self.assertEqual([row["origin"] for row in rows[16:]].count("start"), 2)
        self.assertEqual((rows[16]["x1"], rows[17]["x2"]), ("7.5", "2.75"))
        self.assertIn("0 designs to start with; the others", self.succeed("run", more, "--dry-run", "--resume").out)

    def test_an_interrupted_campaign_is_the_uninterrupted_one(self):
        file = self.write(LISTED)
        self.succeed("run", file, "-q", "-d", "whole")
        for budget in 4, 8, 24:
            self.succeed("run", file, "-q", "--resume", "--max-evals", budget, ranks=budget % 3)
        self.assertEqual(self.digest(), self.digest("whole"))

    def test_a_csv_file_serves_as_well(self):
        self.succeed("run", self.write(LISTED), "-q", "-d", "inline")
        self.write("\ufeffid,x2,x1,objective,status\n0,2.5,1,3.5,done\n1,,-3.25,,\n2,12,,,\n3,0,10,,\n\n4,4,4,,\n", "designs.csv")
        file = self.write(BRANIN + "start: designs.csv\n")
        self.succeed("run", file, "-q", "--max-evals", "12", ranks=2)
        (self.folder / "designs.csv").rename(self.folder / "gone.csv")
        outcome = self.succeed("run", file, "-q", "--resume")
        self.assertRegex(outcome.err, r"warning: .*fast.yaml:\d+:8: start: .*designs.csv.*No such file.*; the campaign continues with the designs")
        self.assertEqual(self.digest(), self.digest("inline"))
        outcome = self.gannet("run", file, "-q", "-d", "other")
        self.assertEqual(outcome.code, USAGE, outcome)
        self.assertRegex(outcome.err, r"fast.yaml:\d+:8: start: cannot open '.*designs.csv': No such file.*relative paths start from")
        self.assertFalse((self.folder / "other").exists())

    def test_they_are_asked_for_first(self):
        file = self.write(LISTED.replace("backend: function, simulation: branin, parallel: 4", "backend: manual"))
        rows = list(csv.DictReader(self.succeed("ask", file, "-q", "6").out.splitlines()))
        self.assertEqual([(row["x1"], row["x2"]) for row in rows if row["id"] in "034"], [("1", "2.5"), ("10", "0"), ("4", "4")])
        rows = list(csv.DictReader(self.succeed("ask", "fast.campaign", "-q", "2").out.splitlines()))
        self.assertEqual([row["id"] for row in rows], ["6", "7"])

    def test_a_design_whose_result_was_told_is_not_proposed_again(self):
        file = self.write(LISTED.replace("backend: function, simulation: branin, parallel: 4", "backend: manual"))
        self.succeed("tell", file, "--point", "x1=4", "--point", "x2=4", "--objective", "5")
        rows = list(csv.DictReader(self.succeed("ask", "fast.campaign", "-q", "6").out.splitlines()))
        self.assertNotIn(("4", "4"), [(row["x1"], row["x2"]) for row in rows])

    def refuses(self, text, *words, variables=MIXED, ranks=0, more=""):
        file = self.write(SOBOL.replace(VARIABLES, variables) + more + text)
        outcome = self.gannet("run", file, "-q", ranks=ranks)
        self.assertEqual(outcome.code, USAGE, outcome)
        for word in words:
            self.assertRegex(outcome.err, word)
        self.assertFalse((self.folder / "fast.campaign").exists())
        return outcome

    def test_nonsense_is_refused_with_its_place(self):
        self.refuses("start:\n  - {x1: 1, y: 2}\n  - {x1: 11, fin: 3}\n  - {solver: cgs, fins: 2.5}\n  - {x2: abc}\n",
                     r"fast.yaml:14:13: start: there is no variable 'y'", r"fast.yaml:15:10: start: variable x1: 11 is outside \[-5, 10\]",
                     r"fast.yaml:15:14: start: there is no variable 'fin'; did you mean 'fins'\?",
                     r"fast.yaml:16:14: start: variable solver: 'cgs' is not one of its values, cg gmres; did you mean 'cg'\?",
                     r"fast.yaml:16:25: start: variable fins: 2.5 is not a whole number",
                     r"fast.yaml:17:10: start: variable x2: 'abc' is not a number", "6 errors", ranks=2)
        self.refuses("start: [{x1: 1}, {x2: 1}, {x1: 1.0}]\n", r"fast.yaml:13:28: start: the same design as at .*fast.yaml:13:10; leave one out")
        self.refuses("start: [{x1: 11, x2: 3}]\n", r"fast.yaml:14:14: start: variable x1: 11 is outside \[-5, 10\]", "1 error",
                     more="variable_constraints: ['x1 + x2 <= 10']\n")
        self.refuses("start: [designs.csv]\n", r"expected values of variables, as in 'start: \[\{x1: \.\.\.\}\]'; the name of a CSV file stands alone")
        self.refuses("start: [{}]\n", "expected values of variables")
        self.refuses("start: [{x1: [1, 2]}]\n", "expected one value for x1")
        self.refuses("start: {x1: 1}\n", "expected a list of up to 100000 designs")
        self.write("x1,x2\n1,2\n3,4\n", "pool.csv")
        self.refuses("start: [{x1: 1}]\n", "a design must give every variable", variables=VARIABLES, more="candidates: pool.csv\n")
        self.refuses("start: [{x1: 1, x2: 3}]\n", "the design is not in the list of candidates", variables=VARIABLES,
                     more="candidates: pool.csv\n")

    def test_bad_files_are_refused_by_line(self):
        def fails(text, *words):
            self.write(text, "designs.csv")
            self.refuses("start: designs.csv\n", *words)

        fails("", r"designs.csv: is empty")
        fails("x1,x2\n", r"designs.csv: start: 0 rows; expected 1 to 100000")
        fails("x1;x2\n1;2\n", r"designs.csv:1: start: columns are separated by commas, not by semicolons")
        fails("x1,fin\n1,2\n", r"designs.csv:1: start: there is no variable 'fin'; did you mean 'fins'\?")
        fails("x1,sample_number\n1,2\n", r"designs.csv:1: start: there is no variable 'sample_number'; leave the column out")
        fails("x1,x1\n1,2\n", r"designs.csv:1: columns 1 and 2 have the same name, 'x1'")
        fails("id,objective\n1,2\n", r"designs.csv:1: start: no column is named like a variable")
        fails('x1,"solver"\n1,cg\n2,cgs\n\n99,gmres\n3\n4,cg,5\n,\n', r"designs.csv:3: start: .*'cgs'", r"designs.csv:5: start: variable x1: 99 is outside",
              r"designs.csv:6: start: 1 columns, expected 2", r"designs.csv:7: start: 3 columns, expected 2", r"designs.csv:8: start: no variable is given")
        fails("x1,x2\n1,2\n3,4\n1,2.0\n", r"designs.csv:4: start: the same design as at .*designs.csv:2; leave one out")
        fails('x1,x2\n1,2\n3,"4\n', r"designs.csv:3: the file ends inside a quoted cell")
        fails('x1,x2\n1,2\n3,a"4\n', r"designs.csv:3: ")
        fails("x1,x2\n1,\0\n", r"designs.csv:2: a zero byte")
        fails("x1\n" + "a\n" * 50, "20 errors")

    def test_listed_designs_of_a_list_of_candidates(self):
        self.write("x1,x2\n" + "".join(f"{i % 10},{i}\n" for i in range(15)), "pool.csv")
        file = self.write(SOBOL + "candidates: pool.csv\nstart: [{x1: 3, x2: 13}, {x1: 0, x2: 0}]\n")
        self.succeed("run", file, "-q", ranks=2)
        rows = self.history()
        self.assertEqual(len({(row["x1"], row["x2"]) for row in rows}), 15)
        self.assertEqual([(row["x1"], row["x2"]) for row in rows[:2]], [("3", "13"), ("0", "0")])

    def test_the_effective_configuration_is_the_same_campaign(self):
        text = SOBOL.replace(VARIABLES, MIXED).replace("backend: function, simulation: branin, parallel: 4", "backend: manual")
        asked = self.succeed("ask", self.write(text + "start: [{x1: 0.1, solver: gmres}, {fins: 3, x2: 1.25}]\n")).out
        text = (self.folder / "fast.campaign/campaign.yaml").read_text()
        self.assertIn("start:\n  - {x1: 0.10000000000000001, solver: gmres}\n  - {x2: 1.25, fins: 3}\n", text)
        self.assertEqual(self.succeed("ask", self.write(text.replace("name: fast", "name: again"), "again.yaml")).out, asked)

    def test_other_settings_on_the_command_line(self):
        self.write("x1\n3\n", "designs.csv")
        file = self.write(LISTED)
        self.succeed("run", file, "-q", "--set", "start=designs.csv", "--max-evals", "4")
        self.assertEqual([row["origin"] for row in self.history()], ["start"] + ["initial"] * 3)
        shutil.rmtree(self.folder / "fast.campaign")
        self.succeed("run", file, "-q", "--set", "start=none", "--max-evals", "4")
        self.assertNotIn("origin", self.history()[0])


if __name__ == "__main__":
    program.main()
