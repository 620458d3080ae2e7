# test: labels cli timeout 120 processors 1
"""Where results come from: the objective by name or by an expression, outputs in files and in what is printed."""
import pathlib
import subprocess

import program
from program import USAGE

# What a flow solver leaves: tables of several starts, logs, and lines on its standard output.
SOLVER = """\
#!/bin/sh
x=$(sed -n 's/^x //p' params.in)
for start in 9 10; do
  mkdir -p postProcessing/forces/$start
  {
    echo '# Force coefficients'
    echo '# dragDir     : (1.0 0.0 0.0)'
    printf '# Time          \\tCd            \\tCd(f)         \\tCl\\n'
    for step in 1 2 3 4; do printf "$start.$step    \\t$start.$step\\t1D-1\\t$x\\n"; done
  } > postProcessing/forces/$start/coefficient.dat
done
echo 'cells: 1200' > log.mesh
echo 'energy 3.5'
printf 'step,Res p,flow\\r\\n1,1e-2,5\\r\\n2,1e-3,6.5\\r\\n' > residuals.csv
printf '# a n b n\n1 2 3 4\n' > twice.dat
echo "mass $x" > results.out
"""
TEXT = """\
variables: {x: {lower: 1, upper: 2}}
method: sobol
batch: 2
objective: {name: cost, expression: "drag + 0.01*mass", unit: N}
constraints: {cells: {lower: 1000}, ratio: {expression: "flow/drag", upper: 3}}
outputs:
  drag: {file: "postProcessing/forces/*/coefficient.dat", column: Cd, rows: last 3, take: mean}
  cells: {pattern: "^cells: *([^ ]*)", file: log.mesh}
  energy: {pattern: "^energy *([^ ]*)"}
  flow: {file: residuals.csv, column: flow}
  worst: {file: residuals.csv, column: 2, rows: all, take: max}
  mass: {unit: kg}
budget: {evaluations: 2}
evaluate: {backend: command, command: ["{input_directory}/solver.sh"]}
"""
FAILING = TEXT.replace("budget: {evaluations: 2}", "budget: {evaluations: 1}").replace("batch: 2", "batch: 1")


class Outputs(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SOLVER, "solver.sh", 0o755)

    def failure(self, *sets):
        """Why the evaluation of a campaign with these changes failed."""
        words = [word for text in sets for word in ("--set", text)]
        directory = f"d{self.n_started}"
        outcome = self.gannet("run", self.write(FAILING, "f.yaml"), "-q", "--directory", directory, *words)
        self.assertIn("1 failed", outcome.out, outcome)
        row, = self.history(directory)
        self.assertEqual(row["failure"], "results")
        return row["reason"]

    def test_numbers_come_from_files_and_from_what_is_printed(self):
        outcome = self.succeed("run", self.write(TEXT, "c.yaml"), "-q")
        self.assertRegex(outcome.out, r"\n  cost = 10\.3\d* N\n  cells = 1200\n  ratio = 0\.6\d+\n")
        for row in self.history("c.campaign"):
            x = float(row["x"])
            self.assertAlmostEqual(float(row["objective"]), 10.3 + 0.01 * x, 12)
            self.assertAlmostEqual(float(row["drag"]), 10.3, 12)
            self.assertAlmostEqual(float(row["ratio"]), 6.5 / 10.3, 12)
            self.assertEqual((row["cells"], row["energy"], row["flow"], row["worst"], float(row["mass"]), row["reason"]),
                             ("1200", "3.5", "6.5", "0.01", x, ""))
        self.assertRegex(self.succeed("status", "c.campaign").out, r"best +cost 10\.3\d* N \(evaluation")
        self.assertRegex(self.succeed("watch", "c.campaign", "--once").out, r"best +cost 10\.3\d* N \(evaluation")
        self.succeed("verify", "c.campaign")
        again = self.succeed("run", "c.campaign/campaign.yaml", "--directory", "again", "-q").out
        self.assertEqual(again.splitlines()[:6], outcome.out.splitlines()[:6])

    def test_a_dry_run_tells_where_numbers_come_from(self):
        out = self.succeed("run", self.write(TEXT, "c.yaml"), "--dry-run").out
        for line in ("cost = drag + 0.01*mass", "ratio = flow/drag", "mass: results.out\n",
                     "drag: column Cd of postProcessing/forces/*/coefficient.dat, mean of the last 3 rows\n",
                     "cells: pattern '^cells: *([^ ]*)' in log.mesh\n",
                     "energy: pattern '^energy *([^ ]*)' in what is printed (only recorded)"):
            self.assertIn(f"\n  {line}", out)

    def test_what_is_missing_fails_with_what_was_there(self):
        for change, told in (
                ("outputs.drag.column=CD", "has no column 'CD'; did you mean 'Cd'? columns: Time Cd Cd(f) Cl"),
                ("outputs.drag.rows=last 9", "outputs.drag: postProcessing/forces/10/coefficient.dat has 4 rows, expected at least 9"),
                ("outputs.drag.column=7", "coefficient.dat line 5 has 4 columns, expected at least 7"),
                ("outputs.drag.file=postProcessing/force/0/x.dat", "no file 'postProcessing/force/0/x.dat'; 'postProcessing' holds: forces"),
                ("outputs.cells.file=log.msh", "outputs.cells: no file 'log.msh'; the evaluation's directory holds: log.mesh postProcessing"),
                ("outputs.cells.pattern='^cell (.*)'", "outputs.cells.pattern: no line of log.mesh matches"),
                ("outputs.cells.pattern='^cells: .(.*)'", "takes only '200' of '1200' in log.mesh"),
                ("outputs.flow.column=step,", "has no column 'step,'"),
                ("objective=drag + mas", "objective = drag + mas: mas is missing, did you mean 'mass'?; reported: cells"),
                ("objective=power", "results.out: power is missing"),
                ("evaluate.pattern={mass: '^energy (.*)'}", "pattern of mass: mass is given twice: results.out has it, too"),
                ("outputs.cells={file: twice.dat, column: n}", "outputs.cells: twice.dat has two columns 'n', numbers 2 and 4; give")):
            self.assertIn(told, self.failure(change))
        self.assertEqual(self.failure("outputs.cells={file: twice.dat, column: 2}", "outputs.drag.column=CD")[:12], "outputs.drag")
        self.assertIn("the simulation reports 'mass', which the campaign file does not name (unknown_outputs: fail); known: ",
                      self.failure("unknown_outputs=fail", "objective.expression=drag", "outputs.mass=null", "outputs={drag: {file: "
                                   "residuals.csv, column: flow}, cells: {file: log.mesh, pattern: '(1.*)'}, flow: {file: residuals.csv, column: 3}}"))

    def test_unknown_outputs_fail_whatever_their_value_is(self):
        text = ("variables: {x: {lower: 1, upper: 2}}\nobjective: drag\noutputs: {mesh_cells: {}}\nunknown_outputs: fail\nbudget: "
                "{evaluations: 1}\nevaluate: {backend: command, shell: \"cat $GANNET_INPUT_DIRECTORY/results > results.out\"}\n")
        refused = "which the campaign file does not name (unknown_outputs: fail)"
        for results, told in (
                ("drag 1\nmesh_cels 3\n", f"the simulation reports 'mesh_cels', {refused}; did you mean 'mesh_cells'? known: drag"),
                ("drag 1\nsolver gmres\n", f"results.out line 2 reports 'solver', {refused}; known: drag mesh_cells"),
                ("drag 1\na-b 3\n", f"results.out line 2 reports 'a-b', {refused}; known:"),
                ('{"drag": 1, "curve": [1, 2]}', f"results.out reports 'curve', {refused}; known:"),
                ('{"drag": 1, "solver": "gmres"}', f"results.out reports 'solver', {refused}; known:"),
                ('{"drag": 1, "box": {"low": 1}}', f"results.out reports 'box', {refused}; known:"),
                ('{"drag": 1, "mesh_cells": [1, 2]}', ""), ("drag 1\nmesh_cells many\n", ""), ("drag 1\n# mesh\nmesh_cells 3\n", "")):
            with self.subTest(results=results):
                self.write(results, "results")
                directory = f"d{self.n_started}"
                self.gannet("run", self.write(text, "u.yaml"), "-q", "--directory", directory)
                row, = self.history(directory)
                self.assertEqual(row["status"], "failed" if told else "done")
                self.assertIn(told, row["reason"])

    def test_a_number_that_is_computed_is_not_reported_too(self):
        self.write(SOLVER + "echo 'cost 3' >> results.out\n", "solver.sh", 0o755)
        self.assertIn("cost is reported, and is computed from 'drag + 0.01*mass' too", self.failure())

    def test_the_word_objective_gives_way_to_the_name(self):
        """A simulation goes on printing both when a resume names another objective."""
        plain = ("variables: {x: {lower: 1, upper: 2}}\nbudget: {evaluations: 1}\n"
                 "evaluate: {backend: command, shell: \"cat $GANNET_INPUT_DIRECTORY/results > results.out\"}\n")
        for objective, results, told in (
                ("drag", "objective 1\ndrag 2\n", "2"), ("drag", "drag 2\nobjective 1\n", "2"), ("drag", "objective 1\n", "1"),
                ("drag", "objective 1\ndrag missing\n", ""), ("drag", '{"objective": 1, "drag": 2}', "2"),
                ("'drag + mass'", "objective 1\ndrag 2\nmass 3\n", "5"), ("drag", "objective 1\nobjective 2\ndrag 2\n", None)):
            with self.subTest(objective=objective, results=results):
                self.write(results, "results")
                directory = f"d{self.n_started}"
                self.gannet("run", self.write(plain + f"objective: {objective}\n", "w.yaml"), "-q", "--directory", directory)
                row, = self.history(directory)
                if told is None:
                    self.assertIn("objective is given twice", row["reason"])
                else:
                    self.assertEqual(row["objective"], told, row)

    def test_what_is_only_recorded_may_be_missing(self):
        text = TEXT.replace("  mass: {unit: kg}", "  mass: {unit: kg}\n  lift: {file: lift.dat, column: 1}\n  late:")
        outcome = self.succeed("run", self.write(text, "c.yaml"), "-q")
        self.assertEqual(outcome.err.count("an output is missing: outputs.lift: no file 'lift.dat'"), 1, outcome)
        for row in self.history("c.campaign"):
            self.assertEqual(row["status"], "done")
            self.assertIn("outputs.lift: no file 'lift.dat'", row["reason"])
        outcome = self.succeed("run", self.write(TEXT + "unknown_outputs: warn\n", "w.yaml"), "-q")
        self.assertNotIn("does not name", outcome.err)
        self.write(SOLVER + "echo 'extra 3' >> results.out\n", "solver.sh", 0o755)
        outcome = self.succeed("run", self.write(TEXT + "unknown_outputs: warn\n", "w2.yaml"), "-q")
        self.assertEqual(outcome.err.count("the simulation reports 'extra', which the campaign file does not name"), 1)
        self.assertEqual({row["extra"] for row in self.history("w2.campaign")}, {"3"})
        self.assertNotIn("extra", self.succeed("run", self.write(TEXT, "k.yaml"), "-q").err)

    def test_every_number_that_is_missing_is_named(self):
        text = "variables: {x: {lower: 1, upper: 2}}\nobjective: drag\nbudget: {evaluations: 2}\n" \
               "outputs: {p: {pattern: \"^q (.*)\"}, r: {file: x.dat, column: 1}, s: {unit: m}}\n" \
               "evaluate: {backend: command, shell: \"echo drag 1 > results.out\"}\n"
        outcome = self.succeed("run", self.write(text, "m.yaml"), "-q")
        for words in "outputs.p.pattern: no line of stdout.log matches", "outputs.r: no file 'x.dat'", "outputs.s: it is not in results.out":
            self.assertEqual(outcome.err.count(f"evaluation 0: an output is missing: {words}"), 1, outcome)
        outcome = self.gannet("run", self.write(text.replace("drag\n", "\"log(0 - drag)\"\n", 1), "n.yaml"), "-q")
        self.assertIn("objective = log(0 - drag) is nan, expected a finite number", outcome.out)

    def test_a_line_without_a_number_is_no_output(self):
        text = "variables: {x: {lower: 1, upper: 2}}\nobjective: drag\noutputs: {end: {unit: s}}\nbudget: {evaluations: 1}\n" \
               "evaluate: {backend: command, shell: \"printf 'drag 3\\nend of run\\n' > results.out\"}\n"
        self.assertIn("1 evaluation done", self.succeed("run", self.write(text, "end.yaml"), "-q").out)

    def test_a_table_that_cannot_be_read(self):
        self.write(SOLVER + "rm residuals.csv\nln -s residuals.csv residuals.csv\n", "solver.sh", 0o755)
        self.assertIn("outputs.flow: ", reason := self.failure())
        self.assertIn("a link that leads back to itself", reason)
        text = TEXT.replace('ratio: {expression: "flow/drag", upper: 3}', "")
        self.succeed("run", self.write(text, "c.yaml"), "-q")
        for row in self.history("c.campaign"):
            self.assertEqual((row["status"], row.get("flow", "")), ("done", ""))
            self.assertIn("a link that leads back to itself", row["reason"])

    def test_the_objective_by_its_name(self):
        simulation = "evaluate: {backend: command, shell: 'echo WORD 3 > results.out'}\n"
        text = "variables: {x: {lower: 1, upper: 2}}\nmethod: sobol\nbudget: {evaluations: 1}\nobjective: drag\n" + simulation
        for word in "drag", "objective":
            self.assertIn("  drag = 3\n", self.succeed("run", self.write(text.replace("WORD", word), f"{word}.yaml"), "-q").out)
            self.assertEqual(self.history(f"{word}.campaign")[0]["objective"], "3")
        outcome = self.gannet("run", self.write(text.replace("WORD 3", "drga 3"), "m.yaml"), "-q")
        self.assertIn("results.out: drag is missing; is 'drga' a misspelling of it?", outcome.out)
        outcome = self.gannet("run", self.write(text.replace("WORD 3", "drag = 3"), "e.yaml"), "-q")
        self.assertIn("drag is '= 3', expected a number", outcome.out)
        plain = text.replace("objective: drag\n", "").replace("WORD", "objective")
        self.assertIn("  objective = 3\n", self.succeed("run", self.write(plain, "p.yaml"), "-q").out)

    def test_changes_on_a_resume(self):
        file = self.write(TEXT, "c.yaml")
        self.succeed("run", file, "-q")
        for change, told in (("objective=drag", "objective: drag + 0.01*mass -> drag"), ("objective.name=price", "objective.name: cost -> price"),
                             ("constraints.ratio.expression=flow", "constraints.ratio.expression: flow/drag -> flow")):
            self.assertIn(told, self.gannet("run", file, "--resume", "-q", "--set", change).err)
            self.succeed("run", file, "--resume", "-q")
        self.succeed("run", file, "--resume", "-q", "--set", "objective.unit=kN")
        self.assertRegex(self.succeed("status", "c.campaign").out, r"objective.unit: .* -> kN")
        self.succeed("run", file, "--resume", "-q")
        blanks = ("--set", "objective.expression=drag+0.01 * mass", "--set", "constraints.ratio.expression= flow / drag")
        self.assertNotIn("drag", self.succeed("run", file, "--resume", "-q", *blanks).err)
        self.succeed("verify", "c.campaign")
        more = ("--set", "outputs.top={file: residuals.csv, column: 1}", "--set", "budget.evaluations=3")
        self.assertIn("the outputs differ from those of the saved campaign, outputs.top: (none) -> column 1 of residuals.csv, last row",
                      self.succeed("run", file, "--resume", "-q", *more).err)
        self.assertEqual([row["top"] for row in self.history("c.campaign")], ["", "", "2"])
        self.assertIn("the simulation differs from that of the saved campaign, outputs.flow: column flow of residuals.csv, last row -> "
                      "column 3 of residuals.csv, last row",
                      self.succeed("run", file, "--resume", "-q", "--set", "outputs.flow.column=3").err)
        self.succeed("verify", "c.campaign")

    def test_mistakes_are_told_at_once(self):
        for old, new, told in (
                ("unit: kg", "units: kg", r"c.yaml:12:10: unknown key 'outputs.mass.units'; did you mean 'unit'"),
                ("  mass:", "  x:", "c.yaml:12:3: the name 'x' is taken by a variable"),
                ("  mass:", "  fail:", "the name 'fail' is taken by the line"),
                ("  mass:", "  ma-ss:", "output name 'ma-ss': expected up to 63 letters"),
                ("  mass:", "  objective:", "outputs.objective: the objective is called 'cost'; use that name"),
                ("  mass: {unit: kg}", "  ratio: {file: a, column: b}", "outputs.ratio: an expression computes it, too"),
                ("  mass: {unit: kg}", "  mass: {column: b}", r"c.yaml:12:18: outputs.mass.column: needs file"),
                ("  mass: {unit: kg}", "  mass: {file: b}", r"outputs.mass.file: needs column or pattern"),
                ("  mass: {unit: kg}", "  mass: {file: b, column: a, pattern: c}", r"outputs.mass.column: give either column or pattern"),
                ("  mass: {unit: kg}", "  mass: {file: b, column: 0}", r"outputs.mass.column: expected the name of a column"),
                ("  mass: {unit: kg}", "  mass: {file: b, column: ''}", r"outputs.mass.column: is empty"),
                ("  mass: {unit: kg}", "  mass: {pattern: ''}", r"outputs.mass.pattern: is empty; give a regular"),
                ("  mass: {unit: kg}", "  mass: {file: /b, column: 1}", r"outputs.mass.file: expected a path in the evaluation"),
                ("  mass: {unit: kg}", "  mass: {file: a/../b, column: 1}", r"outputs.mass.file: expected a path in the evaluation"),
                ("  mass: {unit: kg}", "  mass: {rows: all, pattern: a}", r"outputs.mass.rows: needs column"),
                ("rows: last 3", "rows: last 0", r"c.yaml:7:\d+: outputs.drag.rows: expected last, last N"),
                ("rows: last 3", "rows: 7", r"outputs.drag.rows: expected last, last N"),
                ("rows: last 3", "rows: lastly", r"outputs.drag.rows: expected last, last N"),
                ("take: mean", "take: median", r"outputs.drag.take: 'median' is not valid; expected one of: last mean min max first sum; did you mean 'mean'"),
                ('"^cells: *([^ ]*)"', '"^cells: *([^ ]*"', r"c.yaml:8:\d+: outputs.cells.pattern: .*[Uu]nmatched"),
                ('"^cells: *([^ ]*)"', r"'^cells:\s+(\d+)'", r"c.yaml:8:\d+: outputs.cells.pattern: .* do not know \\d; write \[0-9\]"),
                ('"^cells: *([^ ]*)"', r"'^cells: *([\d.]+)'", r"do not know \\d in square brackets; write \[0-9\]"),
                ('"^cells: *([^ ]*)"', r"'^cells: *([^\s]+)'", r"c.yaml:8:\d+: outputs.cells.pattern: .* do not know \\s in square brackets; write \[\^\[:space:\]\]"),
                ('"^cells: *([^ ]*)"', r"'^cells: *([^\d]+)'", r"do not know \\d in square brackets; write \[\^0-9\]"),
                ('"^cells: *([^ ]*)"', r"'^cells:[\D]([^ ]+)'", r"do not know \\D in square brackets; write \[\^0-9\]"),
                ('"^cells: *([^ ]*)"', r"'^cells:[\t]([^ ]+)'", r"do not know \\t in square brackets; write \[\[:blank:\]\]"),
                ('"^cells: *([^ ]*)"', r"'^cells: *([^,\S]+)'", r"do not know \\S in square brackets; write \[\[:space:\]\]"),
                ('"^cells: *([^ ]*)"', r"'^cells: *([\W]+)'", r"do not know \\W in square brackets; write \[\^\[:alnum:\]_\]"),
                ('"^cells: *([^ ]*)"', r"'^(?:cells): *([^ ]*)'", r"\(\?\.\.\.\) is unknown here; write \( \); expected as in .*, where the first \( \) takes"),
                ('"^cells: *([^ ]*)"', r"'^cells: *(?<n>[^ ]*)'", r"\(\?\.\.\.\) is unknown here; write \( \)"),
                ("[\"{input_directory}/solver.sh\"]", r"[a], cannot_run_text: '(?i)error'", r"evaluate.cannot_run_text: .*\(\?\.\.\.\) is unknown here; write \( \)"),
                ('"^cells: *([^ ]*)"', r"'^cells:\t(.*)'", r"do not know \\t; write \[\[:blank:\]\]"),
                ("[\"{input_directory}/solver.sh\"]", r"[a], cannot_run_text: 'error \d'", r"evaluate.cannot_run_text: .* do not know \\d; write"),
                ('"drag + 0.01*mass"', '"drag + 0.01*x"', r"c.yaml:4:\d+: objective.expression: 'x' is the name of a variable"),
                ('"drag + 0.01*mass"', '"drag + ratio"', r"objective.expression: 'ratio' is itself computed"),
                ('"drag + 0.01*mass"', '"drag +"', r"objective.expression: expression 'drag \+', character 6: it ends too early"),
                ('"drag + 0.01*mass"', '"3"', r"objective.expression: expected an expression in quantities"),
                ('"flow/drag"', '"flow/drag)"', r"c.yaml:5:\d+: constraints.ratio.expression: expression 'flow/drag\)', character 10"),
                ("name: cost", "name: cells", "objective.name: the name 'cells' is taken by a constraint"),
                ("name: cost", "name: x", "objective.name: the name 'x' is taken by a variable"),
                ("name: cost", "name: a+b", r"objective.name: 'a\+b' is not a name"),
                ("name: cost", "nam: cost", "unknown key 'objective.nam'; did you mean 'name'"),
                ("method: sobol", "unknown_outputs: drop", r"unknown_outputs: 'drop' is not valid; expected one of: keep warn fail"),
                ("outputs:\n", "outputs: [mass]\nignored:\n", "outputs: expected a name for each"),
                ("command, command:", "function, simulation: branin} # ", r"outputs.drag.file: this back-end has no files"),
                ("command, command:", "manual} # ", r"c.yaml:7:\d+: outputs.drag.file: this back-end has no files .*gannet tell"),
                ("[\"{input_directory}/solver.sh\"]", "[a], pattern: {speed: b}", "'speed' is neither objective nor a constraint .*known: cells drag mass"),
                ("[\"{input_directory}/solver.sh\"]", "[a], pattern: {cells: b}", r"outputs.cells.pattern: 'cells' has two patterns")):
            self.assertIn(old, TEXT)
            outcome = self.succeed("run", self.write(TEXT.replace(old, new, 1), "c.yaml"), "-n", code=USAGE)
            self.assertRegex(outcome.err, told)
        built_in = ("variables: {x1: {lower: -5, upper: 10}, x2: {lower: 0, upper: 15}}\nbudget: {evaluations: 1}\nobjective: a + b\n"
                    "evaluate: {backend: function, simulation: branin}\n")
        self.assertIn("built-in simulations compute the objective themselves", self.succeed("run", self.write(built_in, "b.yaml"), "-n", code=USAGE).err)
        self.succeed("run", self.write(built_in.replace("a + b", "{name: height, unit: m}"), "b.yaml"), "-n")

    def test_expressions_that_this_dialect_knows(self):
        for pattern in r"^cells:\s*(\S+)", r"^cells: *([^[:space:]]*)", r"^cells: *([]0-9]*)", r"^cells: *([[:digit:]d]*)", r"\\dcells: *(\w+)", r"^cells\(?: *(\S+)", r"^cells:[ \t]*([^ \t]*)":
            text = TEXT.replace('"^cells: *([^ ]*)"', f"'{pattern}'", 1)
            self.assertEqual(self.succeed("run", self.write(text, "c.yaml"), "-n").code, 0, pattern)

    def test_printed_numbers_are_taken_whole_and_last(self):
        text = "variables: {x: {lower: 1, upper: 2}}\nobjective: f\noutputs: {f: {pattern: '%s'}}\nbudget: {evaluations: 1}\n" \
               "evaluate: {backend: command, command: [cat, '{input_directory}/log']}\n"
        for log, pattern, told in (("f: 0.15-104", "^f: *([0-9.]+)", "takes only '0.15' of '0.15-104' in stdout.log"),
                                   ("f: 0.15-104", "^f: *([^ ]*)", "f = 1.5"),
                                   ("f: 0.15-1040", "^f: *([0-9.]+)", "f = 0.14999"), ("f: 0.15-20", "^f: *([0-9.]+)", "f = 0.14999"),
                                   ("f: 0.15-104", "^f: *([0-9.]+)-", "f = 0.14999"),
                                   ("f: 5\rf: 6\rdone\r\nend\r", "^f: ([0-9]+)$", "f = 6\n"), ("10 %\rf: 7\r", "^f: ([0-9]+)$", "f = 7\n"),
                                   ("f: 5\nf:", "^f: *([^ ]*)", "the last line of stdout.log that matches has nothing there"),
                                   ("g: 5", "^f: *([^ ]*)", "no line of stdout.log matches")):
            (self.folder / "log").write_bytes((log + "\n").encode())
            self.write(text % pattern, "f.yaml")
            self.assertIn(told, self.gannet("try", "f.yaml").out, (log, pattern))

    def test_a_word_in_brackets_is_no_word(self):
        text = TEXT.replace("[\"{input_directory}/solver.sh\"]", "[\"{input_directory}/solver.sh\"], cannot_run_text: '[ERROR] mesh'")
        told = r"c.yaml:\d+:\d+: evaluate.cannot_run_text: '\[ERROR\] mesh': \[ERROR\] is any one of these characters; .*write '\\\[ERROR\\\] mesh' in single quotes"
        self.assertRegex(self.succeed("run", self.write(text, "c.yaml"), "-n").err, told)
        for words in "[FATAL ERROR]", "[MPI_ABORT 1]", "[pre-step]", "[Errno 28]":
            self.assertIn(f"evaluate.cannot_run_text: '{words}' matches every line that contains one of these characters; for the text in brackets write "
                          f"'\\{words[:-1]}\\]' in single quotes", self.succeed("run", self.write(text.replace("[ERROR] mesh", words), "c.yaml"), "-n").err)
        for good in (r"\[ERROR\] mesh", "[[:alpha:]]+ mesh", "[ab] mesh", "[a-z] mesh", "[0-9]", "[A-Za-z_]x", "[^xyz]", "[[:blank:]]x", "[0-9 eEdD]x",
                     "[_a-fA-F0-9]x", r"\[FATAL ERROR\]"):
            self.assertNotIn("of these characters", self.succeed("run", self.write(text.replace("[ERROR] mesh", good), "c.yaml"), "-n").err)

    def test_a_plugin_reports_quantities(self):
        self.write('#include <gannet/simulation.h>\n'
                   'GANNET_API int gannet_simulate(const gannet_simulation_input *in, gannet_simulation_output *out) {\n'
                   '  static gannet_quantity two[2] = {{.name = "drag"}, {.name = "mass"}};\n'
                   '  two[0].value = in->x[0];\n  two[1].value = 100;\n'
                   '  out->n_quantities = 2;\n  out->quantities = two;\n  return 0;\n}\n', "flow.c")
        include = pathlib.Path(__file__).resolve().parent.parent.parent / "include"
        subprocess.run(["mpicc", "-fPIC", "-shared", f"-I{include}", "-o", "flow.so", "flow.c"], cwd=self.folder, check=True)
        text = ("variables: {x: {lower: 1, upper: 2}}\nmethod: sobol\nbatch: 4\nbudget: {evaluations: 8}\nobjective: drag + 0.01*mass\n"
                "evaluate: {backend: plugin, plugin: flow.so}\n")
        digests = set()
        for ranks in 0, 2, 3:
            self.succeed("run", self.write(text, "p.yaml"), "-q", "--directory", f"p{ranks}", ranks=ranks)
            digests.add(self.digest(f"p{ranks}"))
            for row in self.history(f"p{ranks}"):
                self.assertEqual((float(row["objective"]), row["mass"]), (float(row["x"]) + 1, "100"))
        self.assertEqual(len(digests), 1)
        outcome = self.gannet("run", self.write(text.replace("0.01*mass", "0.01*maas"), "q.yaml"), "-q")
        self.assertIn("maas is missing, did you mean 'mass'?; reported: drag mass", outcome.out)
        outcome = self.gannet("run", self.write(text + "unknown_outputs: fail\n", "s.yaml"), "-q")
        self.assertIn("8 evaluations done", outcome.out)
        outcome = self.gannet("run", self.write(text.replace("drag + 0.01*mass", "drag") + "unknown_outputs: fail\n", "u.yaml"), "-q")
        self.assertIn("the simulation reports 'mass', which the campaign file does not name (unknown_outputs: fail); known: drag", outcome.out)

    def test_the_same_on_several_ranks_and_in_the_report(self):
        file = self.write(TEXT.replace("evaluations: 2", "evaluations: 6"), "c.yaml")
        self.succeed("run", file, "-q")
        self.succeed("run", file, "-q", "--directory", "r3", ranks=3)
        self.assertEqual(self.digest("c.campaign"), self.digest("r3"))
        self.succeed("report", "c.campaign", "--figures", "figures", "--format", "svg")
        page = (self.folder / "c.campaign" / "report.html").read_text()
        self.assertRegex(page, r'"objective": ?"cost \[N\]"')
        self.assertIn("set ylabel 'cost [N]'", (self.folder / "figures" / "best.gp").read_text())

    def test_keys_are_explained(self):
        self.assertIn("rows of the table that count", self.succeed("explain", "outputs.drag.rows").out)
        self.assertIn("computes the objective from reported quantities", self.succeed("explain", "objective.expression").out)
        self.assertIn("one of: keep warn fail", self.succeed("explain", "unknown_outputs").out)
        self.assertIn("rows: last 200", self.succeed("explain", "outputs").out)


if __name__ == "__main__":
    program.main()
