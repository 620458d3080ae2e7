# test: labels cli timeout 120 processors 1
"""Variables that are fixed or derived, have a step or listed values: what the simulation reads, what is recorded, and
what is refused."""
import json
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
        for text, code, told in (
                ("variables.rho={fixed: 1.3, varied: no}", USAGE, "variables.weight: evaluation 0 was given weight = "),
                ("variables.mesh={fixed: fine, varied: no}", USAGE, "variables.mesh cannot be fixed at fine: evaluation 0 had mesh = coarse"),
                ("variables.rho.fixed=1.3", 0, "variables.rho: fixed at 1.2 -> fixed at 1.3: the evaluations are read again"),
                ("variables.mesh.fixed=fine", 3, "variables.rho: fixed at 1.3 -> fixed at 1.2, variables.mesh: fixed at coarse -> fixed at fine"),
                ("variables.area.expression=chord*span*2", USAGE, "give what is computed now another name"),
                ("variables.rho={lower: 1, upper: 2}", 0, "variables.rho: fixed at 1.2 -> free")):
            outcome = self.gannet("run", self.file, "--resume", "--set", text)
            self.assertEqual(outcome.code, code, outcome)
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


STEPS = """\
name: steps
method: gp-ei
variables:
  span: {lower: 0.1, upper: 12.03, step: 0.1}
  n: {type: integer, lower: 5, upper: 200, step: 5}
  cells: {values: [16, 32, 64, 128], scale: log}
  mesh: {type: ordinal, values: [coarse, medium, fine]}
  kind: {type: categorical, values: [1, 2]}
  twice: {expression: "2*cells + (mesh >= 'medium')"}
batch: 4
initial: 8
budget: {evaluations: 16}
evaluate: {backend: command, command: ["{input_directory}/solver.sh"]}
"""
STEP_SOLVER = """\
#!/bin/sh
awk '{v[$1] = $2} END {printf "objective %.17g\\n", (v["span"] - 3.3)^2 + (v["cells"] - 60)^2/1000 + \
  (v["mesh"] != "medium") + (v["n"] - 25)^2/100}' params.in > results.out
"""


class StepsAndValues(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(STEP_SOLVER, "solver.sh", 0o755)
        self.file = self.write(STEPS, "steps.yaml")

    def check_rows(self, rows):
        for row in rows:
            self.assertIn(row["span"], {f"{k / 10:g}" for k in range(1, 121)})
            self.assertIn(row["n"], {str(n) for n in range(5, 201, 5)})
            self.assertIn(row["cells"], ("16", "32", "64", "128"))
            self.assertIn(row["mesh"], ("coarse", "medium", "fine"))
            self.assertEqual(row["twice"], str(2 * int(row["cells"]) + (row["mesh"] != "coarse")))

    def test_proposals_keep_to_the_values(self):
        for method in ("gp-ei", "sobol", "random", "quadratic", "gp-ei-trust", "neural-bo", "auto"):
            directory = method
            self.succeed("run", self.file, "-q", "--directory", directory, "--set", f"method={method}", "--set",
                         "search.candidates=300", *(["--set", "initial=auto"] if method in ("sobol", "random") else []))
            rows = self.history(directory)
            self.assertEqual(len(rows), 16)
            self.check_rows(rows)
        params = pathlib.Path(self.folder, "gp-ei/evals/000003/params.in").read_text().split("\n")
        row = self.history("gp-ei")[3]
        for name in ("span", "n", "cells", "mesh", "kind", "twice"):
            self.assertIn(f"{name} {row[name]}", params)
        values = json.loads(pathlib.Path(self.folder, "gp-ei/evals/000003/params.json").read_text())
        self.assertEqual((values["cells"], values["mesh"]), (int(row["cells"]), row["mesh"]))
        effective = pathlib.Path(self.folder, "gp-ei/campaign.yaml").read_text()
        for line in ("  span: {type: real, lower: 0.1, upper: 12, scale: linear, step: 0.1}\n",
                     "  cells: {type: ordinal, values: [16, 32, 64, 128], scale: log}\n",
                     "  mesh: {type: ordinal, values: [coarse, medium, fine]}\n",
                     "  kind: {type: categorical, values: [\"1\", \"2\"]}\n"):
            self.assertIn(line, effective)
        self.succeed("run", "gp-ei/campaign.yaml", "-q", "--resume", "--directory", "gp-ei")
        self.succeed("report", "gp-ei")
        self.assertIn("the last one below it is the largest", self.succeed("explain", "variables.*.step").out)

    def test_the_course_is_the_same_on_any_number_of_ranks_and_after_a_resume(self):
        digests = set()
        for ranks in (1, 2, 3):
            self.succeed("run", self.file, "-q", "--directory", f"d{ranks}", ranks=ranks)
            digests.add(self.succeed("verify", f"d{ranks}").out.split("digest ")[1])
        self.succeed("run", self.file, "-q", "--directory", "cut", "--max-evals", "12")
        self.succeed("run", self.file, "-q", "--directory", "cut", "--resume")
        digests.add(self.succeed("verify", "cut").out.split("digest ")[1])
        self.assertEqual(len(digests), 1, digests)

    def test_a_resume_tells_what_changed(self):
        self.succeed("run", self.file, "-q", "--max-evals", "4")
        for text, told in (("span.step=0.2", "variables.span.step: 0.1 -> 0.2"),
                           ("n={type: integer, lower: 5, upper: 200}", "variables.n.step: 5 -> (none)"),
                           ("cells.values=[16, 32, 64]", "variables.cells.values: [16, 32, 64, 128] -> [16, 32, 64]"),
                           ("cells.scale=linear", "variables.cells.scale: log -> linear"),
                           ("kind.type=ordinal", "variables.kind.type: categorical -> ordinal")):
            self.assertIn(told, self.succeed("run", self.file, "--resume", "--set", f"variables.{text}").err)

    def test_points_and_lists_keep_to_the_values(self):
        self.succeed("run", self.file, "-q", "--max-evals", "4")
        point = {"span": "0.30000000000000004", "n": "10", "cells": "64", "mesh": "fine", "kind": "2"}

        def tell(**changed):
            words = [word for name, value in {**point, **changed}.items() for word in ("--point", f"{name}={value}")]
            return self.gannet("tell", "steps.campaign", *words, "--objective", "3")
        self.assertEqual(tell().code, 0)
        self.assertEqual(self.history("steps.campaign")[-1]["span"], "0.3")
        for changed, told in (({"span": "0.33"}, "0.33 is not 0.1 plus a multiple of the step 0.1; choose 0.3, the nearest"),
                              ({"n": "12"}, "12 is not 5 plus a multiple of the step 5; choose 10, the nearest"),
                              ({"cells": "60"}, "60 is not one of its values; choose 64, the nearest"),
                              ({"mesh": "fina"}, "'fina' is not one of its values")):
            outcome = tell(**changed)
            self.assertEqual(outcome.code, USAGE, outcome)
            self.assertIn(told, outcome.err)
        self.write("span,n,cells,mesh,kind\n0.5,10,16,fine,1\n0.7,20,32,coarse,2\n", "list.csv")
        self.succeed("run", self.file, "-q", "--directory", "list", "--set", "candidates=list.csv", "--set", "initial=2")
        self.check_rows(self.history("list"))
        self.write("span,n,cells,mesh,kind\n0.5,10,16,fine,1\n0.7,20,48,coarse,2\n", "list.csv")
        self.assertIn("candidate 2: variable cells: 48 is not one of its values", self.gannet(
            "run", self.file, "--directory", "other", "--set", "candidates=list.csv").err)

    def test_mistakes_are_told_with_their_place(self):
        for text, told in (
                ("span.step=0", "variables.span.step"),
                ("span.step=-1", "variables.span.step"),
                ("span.step=20", "step = 20 is larger than the range from 0.1 to 12.03"),
                ("n.step=2.5", "step = 2.5, expected a whole number for an integer"),
                ("cells.step=2", "variables.cells.step: only real and integer variables have it"),
                ("cells.lower=2", "variables.cells.lower: only real and integer variables have it"),
                ("mesh.scale=log", "variables.mesh.scale: only real and integer variables and sets of numbers have it"),
                ("cells.values=[16]", "needs at least two values"),
                ("cells.values=[16, 16]", "value 16 is repeated; leave one out"),
                ("cells.values=[16, 64, 32]", "values must increase, and 32 follows 64; sort them, or write words"),
                ("cells.values=[0, 16]", "scale log needs positive values, 0 is not"),
                ("cells.values=[16, fine]", "variables.cells.values: numbers are mixed with words"),
                ("cells={values: [cg, gmres]}", "words need type: ordinal if they have an order, else type: categ"),
                ("cells={type: real, values: [1, 2]}", "variables.cells.values: needs type: categorical or ordinal"),
                ("cells={type: ordinal}", "needs at least two values"),
                ("mesh.values=[fine]", "an ordinal variable needs at least two values, and has only 'fine'"),
                ("mesh.values=[fine, fine]", "value 'fine' is repeated"),
                ("mesh.fixed=fin", "'fin' is not one of the values; did you mean 'fine'?"),
                ("cells.fixed=20", "fixed = 20 is not one of its values; the nearest is 16"),
                ("twice.type=ordinal", "an expression has numbers for values")):
            outcome = self.gannet("run", self.file, "--dry-run", "--set", f"variables.{text}")
            self.assertEqual(outcome.code, USAGE, (text, outcome))
            self.assertIn(told, outcome.err, text)
        self.assertIn("steps.yaml:4:3: variable span: step = 20", self.gannet("run", self.write(
            STEPS.replace("step: 0.1", "step: 20"), "steps.yaml"), "--dry-run").err)
        fixed = self.succeed("try", self.write(STEPS.replace("scale: log}", "scale: log, fixed: 32}").replace(
            "fine]}", "fine], fixed: fine}"), "steps.yaml")).out
        self.assertIn("  cells = 32\n  mesh = fine\n", fixed)


if __name__ == "__main__":
    program.main()
