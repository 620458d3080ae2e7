# test: labels cli timeout 120 processors 1
"""Placeholders from outside: what a simulation reads, and what a dry run says of those that do nothing."""
import json
import re
import shutil

import program
from program import FINISHED, USAGE

HEAD = """\
variables:
  x: {lower: 0.1, upper: 1}
  y: {lower: 1e-9, upper: 1e-3, scale: log}
  n: {type: integer, lower: 1, upper: 9}
  hot: {type: boolean}
  solver: {type: categorical, values: [cg, gmres]}
method: sobol
batch: 2
budget: {evaluations: 4, failures: {rate: 1}}
evaluate:
  backend: command
  parallel: 2
"""
SIMULATION = 'command: [sh, -c, "echo objective 1 > results.out"]'


class Placeholders(program.ProgramTest):
    def campaign(self, *lines, head=HEAD):
        return self.write(head + "".join(f"  {line}\n" for line in lines), "c.yaml")

    def evaluation(self, number, name):
        return (self.folder / f"c.campaign/evals/{number:06d}/{name}").read_text()

    def warnings(self, *lines, code=FINISHED, head=HEAD):
        outcome = self.succeed("run", "--dry-run", self.campaign(*lines, head=head), code=code)
        return outcome.err

    def test_dollars_belong_to_shells_and_decks(self):
        self.write("#!/bin/bash\nfor n in 1 2 3; do echo \"pass ${n} of {n}\"; done\necho objective {x} > results.out\n", "run.sh")
        self.write("mu = {x}\nvalue = '${x} ${n}'\n", "deck.i")
        self.succeed("run", self.campaign('command: [bash, "{directory}/run.sh"]', "templates: [run.sh, deck.i]"), "-q")
        for number in range(4):
            design = json.loads(self.evaluation(number, "params.json"))
            self.assertEqual(self.evaluation(number, "stdout.log"),
                             "".join(f"pass {i} of {design['n']}\n" for i in (1, 2, 3)))
            mu, value = self.evaluation(number, "deck.i").splitlines()
            self.assertEqual((float(mu.split()[2]), value), (design["x"], "value = '${x} ${n}'"))

    def test_init_takes_placeholders_only(self):
        self.write("mu = {mu}\nrho = 1000 # ${rho} \\{sigma}\nfins = {fins:03d}\nl = {l:8.4f}\n", "deck.i")
        shown = self.succeed("init", "new.yaml", "--template", "deck.i", "--dry-run").out
        self.assertEqual(re.findall(r"^  (\w+): \{type: (\w+)", shown, re.MULTILINE),
                         [("mu", "real"), ("fins", "integer"), ("l", "real")])
        self.write("mu = @mu@; {x}\n", "deck.i")
        self.succeed("init", "new.yaml", "--template", "deck.i", "--placeholders", "@@", "--shell", "echo objective 1 > results.out")
        self.assertEqual(re.findall(r"^  (\w+): \{type", (self.folder / "new.yaml").read_text(), re.MULTILINE), ["mu"])
        self.succeed("run", "new.yaml", "-q", "--set", "budget.evaluations=2", "--set", "method=sobol")
        deck = next((self.folder / "new.campaign/evals").glob("*/deck.i")).read_text()
        self.assertRegex(deck, r"^mu = [0-9.e-]+; \{x\}\n$")

    def test_formats_fill_columns(self):
        self.write("{x:8.4f}|{y:.3e}|{n:03d}|{solver:8}|{solver:>8}|{hot}|{hot:d}|{y:12.4D}|{id:04d}\n", "deck.in")
        self.succeed("run", self.campaign('command: [sh, -c, "echo $0 $1 $X > seen; echo objective 1 > results.out", "{x:.2f}", "{slot}"]',
                                          "templates: [deck.in]", 'environment: ["X={n:02d}"]'), "-q")
        for number in range(4):
            d = json.loads(self.evaluation(number, "params.json"))
            y = f"{d['y']:12.4E}".replace("E", "D")
            self.assertEqual(self.evaluation(number, "deck.in"),
                             f"{d['x']:8.4f}|{d['y']:.3e}|{d['n']:03d}|{d['solver']:8}|{d['solver']:>8}|"
                             f"{str(d['hot']).lower()}|{d['hot']:d}|{y}|{number:04d}\n")
            self.assertRegex(self.evaluation(number, "seen"), f"^{d['x']:.2f} [01] {d['n']:02d}\n$")

    def test_a_deck_is_never_shifted(self):
        """A value without room is an evaluation that fails and is not run; the others are."""
        head = HEAD.replace("upper: 1}", "upper: 1500}", 1)
        self.write("GRID,{x:8.4f},1\n", "deck.in")
        self.assertRegex(self.warnings(SIMULATION, "templates: [deck.in]", head=head),
                         r"evaluate.templates: deck.in:1:6: '\{x:8.4f\}' has no room for \d{4}\.\d{4}: evaluations with such values")
        self.gannet("run", self.campaign(SIMULATION, "templates: [deck.in]", head=head), "-q")
        rows = self.history("c.campaign")
        status = {row["status"] for row in rows}
        self.assertEqual(status, {"done", "failed"})
        for row in rows:
            narrow = len(f"{float(row['x']):.4f}") > 8
            self.assertEqual(row["status"], "failed" if narrow else "done")
            self.assertEqual((self.folder / f"c.campaign/evals/{int(row['id']):06d}/deck.in").exists(), not narrow)
            if narrow:
                self.assertIn("'x:8.4f' (deck.in:1:6) has no room for", row["reason"])
            else:
                self.assertEqual(len(self.evaluation(int(row["id"]), "deck.in")), len("GRID,12345678,1\n"))

    def test_designs_that_look_equal_are_told_once(self):
        for name in "hot", "solver":
            self.assertIn(name, HEAD)
        self.write("{x:.1f} {n}\n", "deck.in")
        head = re.sub("  (y|n|hot|solver): .*\n", "", HEAD).replace("evaluations: 4", "evaluations: 16")
        lines = SIMULATION, "templates: [deck.in]"
        self.assertRegex(self.warnings(*lines, head=head), r"deck.in:1:1: '\{x:.1f\}' writes 0.1 for 0.1 as for 0.109: .*more digits")
        told = self.succeed("run", self.campaign(*lines, head=head)).err
        self.assertEqual(len(re.findall("are different designs that look equal to the simulation", told)), 1, told)
        self.write("{x:.8f} {n}\n", "deck.in")
        self.assertNotIn("look equal", self.succeed("run", self.campaign(*lines, head=head), "--directory", "d").err)

    def test_what_looks_like_a_placeholder_is_told(self):
        self.write('{"a": {b}} \\frac{1}{2} {x:8.4q} {slover} { x } {x*1000} ${y} \\{n} {n}\n{n:.2d}\n', "deck.in")
        self.write("${x} <x>\n", "none.in")
        told = self.warnings(SIMULATION, "templates: [deck.in, none.in]")
        for part in ("deck.in:1:24: '{x:8.4q}' stays as it is, because its format is wrong: expected",
                     "deck.in:1:33: '{slover}' stays as it is, because there is no such variable; did you mean 'solver'?",
                     "deck.in:1:42: '{ x }' stays as it is; a placeholder is a name", "deck.in:1:48: '{x*1000}' stays",
                     "deck.in:2:1: '{n:.2d}' stays as it is, because its format is wrong: a whole number",
                     "evaluate.templates: no variable in none.in: every evaluation gets the same text; ${name} stays as it is, write {name}"):
            self.assertIn(part, told)
        self.assertEqual(told.count("warning"), 6, told)
        self.assertRegex(self.gannet("try", "c.yaml").err, r"c\.yaml:14:\d+: evaluate\.templates: deck\.in:1:24: ")
        for line in filter(None, told.splitlines()):  # each names the line of the campaign file, as errors do
            self.assertRegex(line, r"c\.yaml:14:\d+: evaluate\.templates: ")
        self.assertIn("evaluate.command: 'deck.in' is looked for in the directory of the evaluation", self.warnings("command: [cp, deck.in, ., ../]"))
        self.assertNotIn("is looked for", self.warnings("command: [cp, '{input_directory}/deck.in', ., ../]"))
        for wrong, line, word in (('environment: ["CUDA={slto}"]', 14, "did you mean '{slot}'"), ('environment: ["A={x:q}"]', 14, "format"),
                                  ('command: [sh, "{y:d}"]', 13, "real number")):
            lines = (wrong,) if wrong.startswith("command") else (SIMULATION, wrong)
            self.assertRegex(self.warnings(*lines, code=USAGE), rf"c\.yaml:{line}:\d+: .*{re.escape(word)}")

    def test_a_variable_wins_over_a_word(self):
        head = HEAD.replace("  x:", "  id:")
        self.write("{id}\n", "deck.in")
        lines = SIMULATION, "templates: [deck.in]"
        self.assertIn("'id' has a meaning of its own in commands and templates; here {id} is the variable", self.warnings(*lines, head=head))
        self.succeed("run", self.campaign(*lines, head=head), "-q")
        self.assertEqual(float(self.evaluation(1, "deck.in")), json.loads(self.evaluation(1, "params.json"))["id"])

    def test_a_slot_is_given_to_one_at_a_time(self):
        self.succeed("run", self.campaign(
            'command: [sh, -c, "mkdir {input_directory}/lock{slot} && sleep 0.1 && rmdir {input_directory}/lock$CUDA && '
            'echo objective $GANNET_SLOT > results.out"]', 'environment: ["CUDA={slot}"]'), "-q")
        self.assertLessEqual({row["objective"] for row in self.history("c.campaign")}, {"0", "1"})

    def test_other_marks_leave_braces_to_the_deck(self):
        deck = "Function { f[] = @x@; g = ${x}; h = {x}; e = <<x>>; k = \\@x@; }\n"
        self.write(deck, "deck.pro")
        for marks, at in (('"@@"', "@x@"), ('["@", "@"]', "@x@"), ('"<<>>"', "<<x>>"), ('"<< >>"', "<<x>>")):
            shutil.rmtree(self.folder / "c.campaign", ignore_errors=True)
            self.succeed("run", self.campaign(SIMULATION, "templates: [deck.pro]", f"placeholders: {marks}"), "-q")
            x = self.evaluation(0, "params.in").split()[1]
            expected = deck.replace("\\@x@", "K").replace(at, x).replace("K", "@x@" if at == "@x@" else "\\@x@")
            self.assertEqual(self.evaluation(0, "deck.pro"), expected)


if __name__ == "__main__":
    program.main()
