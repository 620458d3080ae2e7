# test: labels cli timeout 300 processors 3
"""Conditional variables: what is recorded and shown, what designs of the user may leave out, and what is refused."""
import csv
import io
import json

import program
from program import USAGE

SOLVER = """\
#!/bin/sh
echo "$solver"
awk '{v[$1] = $2} END {
  f = 1; if (v["solver"] == "gmres") f = 0.5 + (v["restart"] - 60)^2 / 20000; if (v["solver"] == "sor") f = (v["omega"] - 1.3)^2
  printf "objective %.17g\\n", f + v["tol"]}' params.in > results.out
"""
TEXT = """\
name: linear
method: gp-ei
seed: 3
variables:
  solver: {type: categorical, values: [cg, gmres, sor]}
  restart: {type: integer, lower: 5, upper: 200, when: "solver == 'gmres'"}
  omega: {lower: 0.1, upper: 1.9, when: "solver == 'sor'"}
  tol: {lower: 0.0001, upper: 0.1, scale: log}
batch: 2
initial: 6
noise: 0
budget: {evaluations: 12}
evaluate: {backend: command, command: ["{input_directory}/solver.sh", "{restart}"]}
"""
ACTIVE = {"cg": set(), "gmres": {"restart"}, "sor": {"omega"}}


class Conditional(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SOLVER, "solver.sh", 0o755)
        self.file = self.write(TEXT, "linear.yaml")

    def with_text(self, *changes, more=""):
        text = TEXT
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return self.write(text + more, "linear.yaml")

    def check_rows(self, rows):
        for row in rows:
            for name in ("restart", "omega"):
                self.assertEqual(row[name] != "", name in ACTIVE[row["solver"]], row)

    def rows(self, campaign="linear.campaign"):
        return self.history(campaign)

    def test_results_of_a_related_problem_have_empty_places_too(self):
        self.succeed("run", self.file, "-q")
        digests = set()
        for ranks, sets in (1, ()), (2, ()), (1, ("--max-evals", "8")):
            place = f"d{len(digests)}-{ranks}-{len(sets)}"
            related = self.with_text(("name: linear", "name: other"), more="import: {from: linear.campaign, related: yes}\n")
            self.succeed("run", related, "-q", "-d", place, *sets, ranks=ranks)
            if sets:
                self.succeed("run", related, "-q", "-d", place, "--resume")
            digests.add(self.succeed("verify", place).out.split("digest ")[1])
            self.check_rows(self.rows(place))
        self.assertEqual(len(digests), 1)
        self.assertIn("12 results of a related problem", self.succeed("status", place).out)
        rows = "solver,restart,omega,tol,objective\ngmres,7.5,,0.01,1\ngmres,50,,0.01,2\nsor,,1.2,0.01,3\ncg,,,0.02,4\n"
        self.write(rows, "some.csv")
        file = self.with_text(("name: linear", "name: third"), more="import: {from: some.csv, related: yes}\n")
        outcome = self.succeed("run", file, "-q", "-d", "third")
        self.assertIn("restart: 7.5 is not a whole number", outcome.err)
        self.assertIn("3 results of a related problem", self.succeed("status", "third").out)

    def test_a_new_conditional_variable_needs_no_value_where_it_was_inactive(self):
        before = self.with_text(("solver: {type: categorical, values: [cg, gmres, sor]}", "solver: {type: categorical, values: [cg, gmres]}"),
                                ("  omega: {lower: 0.1, upper: 1.9, when: \"solver == 'sor'\"}\n", ""))
        self.succeed("run", before, "-q", "--max-evals", "8")
        outcome = self.succeed("run", self.write(TEXT, "linear.yaml"), "-q", "--resume")
        self.assertIn("variables.omega: (none) -> real", outcome.err)
        self.check_rows(self.rows())
        blanks = TEXT.replace("solver == 'sor'", "solver=='sor'")
        self.assertNotIn("has changed", self.succeed("run", self.write(blanks, "linear.yaml"), "-q", "--resume").err)

    def test_inactive_variables_are_empty_wherever_they_are_shown(self):
        out = self.succeed("run", self.file, "-q").out
        best = next(csv.DictReader(io.StringIO(self.succeed("best", "linear.campaign", "--format", "csv").out)))
        for name in ("restart", "omega"):
            self.assertEqual(f"{name} = -" in out, best[name] == "", out)
        self.check_rows(self.rows())
        self.check_rows(csv.DictReader(io.StringIO(self.succeed("export", "linear.campaign").out)))
        for row in json.loads(self.succeed("export", "linear.campaign", "--format", "json").out):
            for name in ("restart", "omega"):
                self.assertEqual(row[name] is not None, name in ACTIVE[row["solver"]], row)
        self.assertIn("when: solver == 'gmres'", (self.folder / "linear.campaign/campaign.yaml").read_text().replace('"', ""))
        self.succeed("report", "linear.campaign")
        self.succeed("status", "linear.campaign")
        self.succeed("verify", "linear.campaign")
        # The simulation reads a value all the same.
        for row in self.rows():
            if row["solver"] == "cg":
                params = json.loads((self.folder / f"linear.campaign/evals/{int(row['id']):06d}/params.json").read_text())
                self.assertEqual((params["restart"], params["omega"]), (103, 1))

    def test_any_number_of_ranks_and_a_killed_campaign_agree(self):
        for method in ("neural-bo", "auto"):
            found = set()
            for ranks in (1, 2, 3):
                self.succeed("run", self.file, "-q", "--directory", f"{method}{ranks}", "--set", f"method={method}", ranks=ranks)
                found.add(self.succeed("verify", f"{method}{ranks}").out.split()[-1])
            self.assertEqual(len(found), 1, (method, found))
        digests = set()
        for ranks in (1, 2, 3):
            self.succeed("run", self.file, "-q", "--directory", f"c{ranks}", ranks=ranks)
            digests.add(self.succeed("verify", f"c{ranks}").out.split()[-1])
        running = self.start("run", self.file, "-q", "--directory", "short")
        self.wait_until(lambda: (self.folder / "short/history.csv").exists()
                      and (self.folder / "short/history.csv").read_text().count("done") > 6)
        running.kill()
        self.succeed("run", self.file, "-q", "--directory", "short", "--resume")
        digests.add(self.succeed("verify", "short").out.split()[-1])
        self.assertEqual(len(digests), 1, digests)

    def test_a_condition_that_changes_is_told_by_a_resume(self):
        self.succeed("run", self.file, "-q", "--max-evals", "3")
        self.with_text(("\"solver == 'gmres'\"", "\"solver != 'cg'\""))
        outcome = self.gannet("run", self.file, "--resume", "--dry-run")
        self.assertIn("variables.restart.when: solver == 'gmres' -> solver != 'cg'", outcome.err + outcome.out)

    def test_designs_may_leave_out_what_is_inactive(self):
        self.with_text(more="""\
start:
  - {solver: cg, tol: 0.01}
  - {solver: gmres, restart: 44, tol: 0.01}
  - {omega: 1.5}
  - {solver: cg, restart: 70, tol: 0.02}
""")
        outcome = self.succeed("run", self.file, "-q", "--max-evals", "4")
        self.assertIn("start: the value of restart is not used: the variable is inactive at this design (when: solver == 'gmres')",
                      outcome.err)
        rows = self.rows()
        self.check_rows(rows)
        self.assertEqual([row["solver"] for row in rows[:4]], ["cg", "gmres", "sor", "cg"])
        self.assertEqual((rows[1]["restart"], rows[2]["omega"]), ("44", "1.5"))
        self.succeed("run", self.file, "-q", "--resume")
        self.assertEqual(len(self.rows()), 12)

    def test_designs_that_differ_in_what_is_inactive_are_the_same(self):
        self.with_text(more="start: [{solver: cg, tol: 0.01}, {solver: cg, tol: 0.01, omega: 1.7}]\n")
        outcome = self.gannet("run", self.file, "--dry-run")
        self.assertEqual(outcome.code, USAGE)
        self.assertIn("start: the same design as at", outcome.err)

    def test_points_of_the_command_line(self):
        self.succeed("run", self.file, "-q")
        point = ["--point", "tol=0.01", "--point", "solver=sor"]
        outcome = self.gannet("predict", "linear.campaign", *point)
        self.assertEqual(outcome.code, USAGE)
        self.assertIn("the design is not complete; give --point omega=VALUE, too", outcome.err)
        outcome = self.succeed("predict", "linear.campaign", *point, "--point", "omega=1.2", "--point", "restart=7",
                               "--format", "csv")
        self.assertIn("--point restart: not used: the variable is inactive at this design (when: solver == 'gmres')", outcome.err)
        self.assertTrue(outcome.out.splitlines()[1].startswith("sor,,1.2,0.01,"), outcome.out)
        outcome = self.gannet("tell", "linear.campaign", *point, "--objective", "1")
        self.assertIn("give --point omega=VALUE, too", outcome.err)
        self.succeed("tell", "linear.campaign", *point, "--point", "omega=0.7", "--objective", "1.5")
        row = self.rows()[-1]
        self.assertEqual((row["restart"], row["omega"]), ("", "0.69999999999999996"))
        out = self.succeed("try", self.file, "--point", "restart=44").out
        self.assertIn("solver = gmres\n  restart = 44\n  omega = -\n", out)
        self.assertIn("restart = -\n  omega = -\n", self.succeed("try", self.file).out)

    def test_rows_of_files(self):
        self.succeed("run", self.file, "-q")
        self.write("solver,omega,tol,objective\ncg,,0.01,1.2\nsor,1.5,0.01,1.1\nsor,,0.02,1.1\ngmres,,0.01,1\ncg,99,0.03,1.3\n",
                   "old.csv")
        outcome = self.gannet("tell", "linear.campaign", "--file", "old.csv")
        self.assertIn("variable omega: has no value, but is active at this design (when: solver == 'sor')", outcome.out + outcome.err)
        self.assertIn("variable restart: has no value, but is active at this design (when: solver == 'gmres')",
                      outcome.out + outcome.err)
        rows = self.rows()
        self.assertEqual([(row["solver"], row["omega"]) for row in rows[12:]], [("cg", ""), ("sor", "1.5"), ("cg", "")])
        # Its own table comes back.
        self.write(self.succeed("export", "linear.campaign").out, "all.csv")
        other = self.with_text(("name: linear", "name: other"), more="import: [all.csv]\n")
        self.succeed("run", other, "-q", "--max-evals", "1")
        self.assertEqual([(row["solver"], row["restart"], row["omega"]) for row in self.rows("other.campaign")[:15]],
                         [(row["solver"], row["restart"], row["omega"]) for row in rows])

    def test_a_list_of_candidates(self):
        self.write("solver,restart,omega,tol\ncg,,,0.001\ncg,9,1,0.001\ngmres,30,,0.001\ngmres,60,,0.01\nsor,,1.2,0.01\nsor,,1.3,0.001\n",
                   "list.csv")
        self.with_text(more="candidates: list.csv\n")
        outcome = self.succeed("run", self.file, "-q")
        self.assertIn("omega = 1.3", outcome.out)
        self.assertEqual(len(self.rows()), 5)
        self.check_rows(self.rows())

    def test_nonsense_is_told_with_its_place(self):
        for condition, expected in {
                "solvr == 'gmres'": r"linear.yaml:6:50: variable restart: when: expression .*: there is no variable 'solvr'; did "
                                    "you mean 'solver'\\?",
                "solver == 'gmre'": "'gmre' is not one of the values of solver, cg gmres sor; did you mean 'gmres'",
                "solver": "'solver' compares nothing; expected a comparison as in solver == 'gmres' or cells > 16, or the name of a "
                          "boolean variable",
                "restart > 7": "nothing decides whether it is active, for restart needs restart; expected expressions and "
                               "conditions without a circle",
                "omega > 1": None,
                "solver == 'cg' and solver == 'sor'": "is true at no design: it would never be active; change the condition, or "
                                                      "leave the variable out",
                "": r"variables.restart.when: is empty; expected a condition as in \"solver == 'gmres'\""}.items():
            self.with_text(("solver == 'gmres'", condition))
            outcome = self.gannet("run", self.file, "--dry-run")
            self.assertEqual(outcome.code, USAGE if expected else 0, outcome)
            if expected:
                self.assertRegex(outcome.err, expected.replace('\\"', '"'))
        self.with_text(("solver == 'gmres'", "solver == 'cg' or solver != 'cg'"))
        self.assertIn("is true at every design: it changes nothing", self.succeed("run", self.file, "--dry-run").err)
        self.with_text(("{lower: 0.1, upper: 1.9, when", "{expression: \"2*tol\", when"))
        self.assertIn("the variable is computed from its expression; leave one of them out",
                      self.gannet("run", self.file, "--dry-run").err)
        self.with_text(more="start: [{restart: 7, omega: 1}]\n")
        self.assertIn("start: no design was found at which all variables that it gives are active; give those that decide it, or "
                      "leave one out", self.gannet("run", self.file, "--dry-run").err)
        self.with_text(more="start: [{solver: gmres, restart: 700}]\n")
        self.assertIn("variable restart: 700 is outside [5, 200]", self.gannet("run", self.file, "--dry-run").err)


if __name__ == "__main__":
    program.main()
