# test: labels cli timeout 120 processors 1
"""Variables that are fixed or derived: what the simulation reads, what is recorded, and what is refused."""
import json
import math
import pathlib

import program
from program import USAGE

# The objective is computed from what the simulation reads in params.in.
SOLVER = """\
#!/bin/sh
awk '{v[$1] = $2} END {printf "objective %.17g\\n", v["weight"] + v["n"]}' params.in > results.out
"""
TEXT = """\
name: wing
method: gp-ei
variables:
  weight: {expression: "area*rho + extra", unit: kg}
  chord: {lower: 0.5, upper: 2}
  rho: {fixed: 1.2}
  solver: {type: categorical, values: [cg, gmres]}
  area: {expression: "chord*span"}
  span: {lower: 1, upper: 12}
  extra: {type: integer, expression: "solver == 'cg' ? 10 : 2.6"}
  large: {type: boolean, expression: "area > 5"}
  mesh: {fixed: coarse}
  n: {fixed: 1000000}
batch: 4
initial: 4
budget: {evaluations: 12}
evaluate: {backend: command, command: ["{input_directory}/solver.sh"], templates: [deck.txt]}
"""


class FixedAndDerived(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SOLVER, "solver.sh", 0o755)
        self.write("rho = {rho:.2f}, area = {area:.3e}, mesh = {mesh}, n = {n:08d}\n", "deck.txt")
        self.file = self.write(TEXT, "wing.yaml")

    def refusal(self, *sets):
        words = [word for text in sets for word in ("--set", text)]
        outcome = self.gannet("run", self.file, "--dry-run", *words)
        self.assertEqual(outcome.code, USAGE, outcome)
        return outcome.err

    def check_rows(self, rows):
        for row in rows:
            area = float(row["chord"]) * float(row["span"])
            self.assertEqual(float(row["area"]), area)
            self.assertEqual(float(row["extra"]), 10 if row["solver"] == "cg" else 3)
            self.assertAlmostEqual(float(row["weight"]), area * 1.2 + float(row["extra"]), 12)
            self.assertEqual((row["rho"], row["mesh"], row["n"], row["large"]),
                             ("1.2", "coarse", "1000000", "true" if area > 5 else "false"))

    def test_they_go_to_the_simulation_and_are_recorded(self):
        self.assertIn("3 variables (4 encoded), 0 constraints", self.succeed("run", self.file, "--dry-run").out)
        outcome = self.succeed("run", self.file, "-q")
        self.assertIn("  mesh = coarse\n", outcome.out)
        rows = self.history("wing.campaign")
        self.assertEqual(len(rows), 12)
        self.check_rows(rows)
        for row in rows:
            self.assertAlmostEqual(float(row["objective"]), float(row["weight"]) + 1e6, 8)
        folder = pathlib.Path(self.folder, "wing.campaign/evals/000003")
        row, params = rows[3], json.loads((folder / "params.json").read_text())
        self.assertEqual((params["rho"], params["mesh"], params["n"], params["area"]),
                         (1.2, "coarse", 1000000, float(row["area"])))
        self.assertIn(f"area {row['area']}\n", (folder / "params.in").read_text())
        self.assertEqual((folder / "deck.txt").read_text(),
                         f"rho = 1.20, area = {float(row['area']):.3e}, mesh = coarse, n = 01000000\n")
        self.assertRegex(self.succeed("best", "wing.campaign").out, r"weight.*area.*mesh")
        best = json.loads(self.succeed("best", "wing.campaign", "--format", "json").out)
        self.assertIn("coarse", json.dumps(best))
        page = self.succeed("report", "wing.campaign")
        self.assertEqual(page.err, "")
        effective = pathlib.Path(self.folder, "wing.campaign/campaign.yaml").read_text()
        for line in ("  rho: {type: real, fixed: 1.2}\n", "  mesh: {type: categorical, fixed: coarse}\n",
                     "  large: {type: boolean, expression: \"area > 5\"}\n"):
            self.assertIn(line, effective)
        self.succeed("run", "wing.campaign/campaign.yaml", "--dry-run", "--resume", "--directory", "wing.campaign")

    def test_the_course_is_the_same_on_any_number_of_ranks_and_after_a_resume(self):
        digests = set()
        for ranks in (1, 2, 3):
            self.succeed("run", self.file, "-q", "--directory", f"d{ranks}", ranks=ranks)
            digests.add(self.succeed("verify", f"d{ranks}").out.split("digest ")[1])
        self.succeed("run", self.file, "-q", "--directory", "cut", "--max-evals", "8")
        self.succeed("run", self.file, "-q", "--directory", "cut", "--resume")
        digests.add(self.succeed("verify", "cut").out.split("digest ")[1])
        self.assertEqual(len(digests), 1, digests)

    def test_a_resume_tells_what_changed(self):
        self.succeed("run", self.file, "-q", "--max-evals", "4")
        for text, told in (("variables.rho.fixed=1.3", "variables.rho.fixed: 1.2 -> 1.3"),
                           ("variables.mesh.fixed=fine", "variables.mesh.values: [coarse] -> [fine]"),
                           ("variables.rho={lower: 1, upper: 2}", "variables.rho: fixed -> free"),
                           ("variables.area.expression=chord*span*2", "variables.area: chord*span -> chord*span*2")):
            outcome = self.gannet("run", self.file, "--resume", "--set", text)
            self.assertEqual(outcome.code, USAGE)
            self.assertIn(told, outcome.err)

    def test_points_need_no_values_of_them(self):
        self.succeed("run", self.file, "-q", "--max-evals", "4")
        point = ["--point", "chord=1", "--point", "span=2", "--point", "solver=gmres"]
        self.succeed("tell", "wing.campaign", *point, "--objective", "3")
        self.succeed("tell", "wing.campaign", *point, "--point", "area=2", "--objective", "3")
        self.check_rows(self.history("wing.campaign")[-2:])
        for text, told in (("area=3", "variable area: 3 is not its value here, which is 2 = chord*span"),
                           ("rho=2", "variable rho: 2 is not its value here, which is 1.2, fixed")):
            outcome = self.gannet("tell", "wing.campaign", *point, "--point", text, "--objective", "3")
            self.assertEqual(outcome.code, USAGE)
            self.assertIn(told, outcome.err)
        tried = self.succeed("try", self.file, "--point", "chord=2", "--point", "span=4").out
        self.assertIn("  area = 8\n", tried)
        self.assertIn("  weight = 19.6 kg\n", tried)

    def test_candidates_need_no_columns_of_them(self):
        self.write("chord,span,solver\n1,2,cg\n1.5,3,gmres\n2,4,cg\n", "list.csv")
        self.succeed("run", self.file, "-q", "--set", "candidates=list.csv", "--set", "initial=2")
        rows = self.history("wing.campaign")
        self.assertEqual(len(rows), 3)
        self.check_rows(rows)
        self.write("chord,span,solver,area\n1,2,cg,2\n1.5,3,gmres,5\n", "list.csv")
        self.assertIn("row 2: variable area: 5 is not its value here, which is 4.5 = chord*span",
                      self.gannet("run", self.file, "--directory", "d", "--set", "candidates=list.csv").err)

    def test_a_design_at_which_one_has_no_value_cannot_be_run(self):
        self.succeed("run", self.file, "-q", "--set", "variables.area.expression=log(chord - 1.25)", "--set",
                     "variables.large.expression=chord > 1")
        rows = self.history("wing.campaign")
        lost = [row for row in rows if float(row["chord"]) <= 1.25]
        self.assertTrue(lost)
        for row in rows:
            self.assertEqual(row["status"], "cannot_run" if row in lost else "done")
        self.assertEqual((lost[0]["area"], lost[0]["weight"]), ("", ""))
        self.assertIn("not run: weight = area*rho + extra has no finite value at this design", lost[0]["reason"])
        self.succeed("report", "wing.campaign")
        again = self.gannet("run", self.file, "-q", "--resume", "--set", "budget.evaluations=14", "--set",
                            "variables.area.expression=log(chord - 1.25)", "--set",
                            "variables.large.expression=chord > 1")
        self.assertEqual(again.code, 0, again)

    def test_mistakes_are_told_with_their_place(self):
        for text, told in (
                ("area.expression=chord*spam", "variables.area.expression=chord*spam: variable area: expression "
                 "'chord*spam', character 7: unknown name 'spam'; did you mean 'span'?"),
                ("area.expression=weight", "it cannot be computed, for"),
                ("area.expression=solver*2", "the values of solver are words; compare it with one"),
                ("area.fixed=2", "variables.area.fixed: the variable is computed from its expression"),
                ("area.lower=2", "variables.area.lower: the variable is computed"),
                ("area.type=categorical", "an expression has numbers for values"),
                ("area.expresion=chord", "unknown key 'variables.area.expresion'; did you mean 'expression'?"),
                ("rho={fixed: 3, lower: 0, upper: 2}", "variable rho: fixed = 3 is outside of [0, 2]"),
                ("rho={fixed: 3, lower: 0}", "missing required key 'variables.rho.upper'"),
                ("rho={fixed: gmre, values: [cg, gmres]}",
                 "variables.rho.fixed: 'gmre' is not one of the values; did you mean 'gmres'?"),
                ("rho={fixed: word, type: real}", "variables.rho.fixed: expected a number"),
                ("rho={fixed: word, type: boolean}", "variables.rho.fixed: expected true or false"),
                ("rho={fixed: 1.5, type: integer}", "expected a whole number")):
            self.assertIn(told, self.refusal(f"variables.{text}"), text)
        self.assertIn("wing.yaml:8:10: variable area:", self.gannet("run", self.write(
            TEXT.replace("chord*span", "chord*spann"), "wing.yaml"), "--dry-run").err)


if __name__ == "__main__":
    program.main()
