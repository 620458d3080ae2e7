# test: labels cli timeout 600 processors 1
"""Variables that are fixed, and words that go, on a resume although evaluations have other values."""

import changing
import program
from changing import PLACE, VARIABLES, campaign
from program import USAGE


class Fixing(changing.ChangingTest):
    def check_fixed(self, now, name, value, was="free"):
        """Resume with a variable that is fixed: old results stay and are not the best, proposals have the value."""
        old = len(self.rows())
        self.assertIn(f"variables.{name}: {was} -> fixed at {value}\n", self.resume(now, "-n").out)
        self.resume(now)
        rows = self.rows()
        self.assertGreater(len(rows), old)
        self.assertEqual({rows[i][name] for i in range(old, len(rows))}, {value})
        self.assertEqual(rows[self.best()["id"]][name], value)
        self.assertIn(f"variables.{name}: {was} -> fixed at {value}\n", self.status())
        self.assertIn("varied: yes", (self.folder / PLACE / "campaign.yaml").read_text())
        digest, records = self.digest(), self.records(PLACE)
        self.resume(now)
        self.succeed("run", self.folder / PLACE / "campaign.yaml", "--resume", "-q")
        self.assertEqual((self.digest(), self.records(PLACE)), (digest, records))
        self.succeed("verify", PLACE)
        self.succeed("export", PLACE)
        self.succeed("report", PLACE)

    def test_a_variable_is_fixed(self):
        self.begin()
        self.refuse(campaign().replace("  x1: {lower: -5, upper: 10}\n", ""), "variables.x1 is gone, but the evaluations differ in it: x1 = ")
        self.check_fixed(campaign(12).replace("x1: {lower: -5, upper: 10}", "x1: {lower: -5, upper: 10, fixed: 1.2}"), "x1", "1.2")
        self.assertEqual({(self.folder / PLACE / f"evals/{i:06}/params.in").read_text().split()[1] for i in range(8, 12)}, {"1.2"})
        self.succeed("predict", PLACE, "--point", "x2=2", "--point", "solver=cg")
        self.succeed("predict", PLACE, "--point", "x1=3", "--point", "x2=2", "--point", "solver=cg")
        self.assertIn("x1: {type: real, lower: -5, upper: 10, scale: linear, fixed: 1.2, varied: yes}",
                      (self.folder / PLACE / "campaign.yaml").read_text())
        # Another value, which needs no bounds, and may be outside of those that there were.
        self.check_fixed(campaign(14).replace("lower: -5, upper: 10", "fixed: 12"), "x1", "12", "fixed at 1.2")
        self.assertIn("variables.x1.upper: 10 -> 12", self.status())
        # Free again.
        self.resume(campaign(18))
        self.assertIn("variables.x1: fixed at 12 -> free", self.status())
        self.assertGreater(len({self.rows()[i]["x1"] for i in range(14, 18)}), 1)
        self.digest()

    def test_variables_of_every_type_are_fixed(self):
        more = """  n: {type: integer, lower: 1, upper: 200}
  h: {lower: 0.1, upper: 2, step: 0.1}
  r: {lower: 1e-6, upper: 1, scale: log}
  vent: {type: boolean}
  cells: {values: [16, 32, 64, 128], scale: log}
  mesh: {type: ordinal, values: [coarse, medium, fine]}
  restart: {type: integer, lower: 5, upper: 200, when: "solver == 'gmres'"}
"""
        self.begin(campaign(8, VARIABLES + more))
        cases = [("n", "n: {fixed: 17}", "17"), ("h", "h: {fixed: 0.3}", "0.3"), ("r", "r: {fixed: 1.7e-3}", "0.0017"), ("vent", "vent: {fixed: yes}", "true"),
                 ("cells", "cells: {fixed: 64}", "64"), ("mesh", "mesh: {fixed: medium}", "medium"), ("solver", "solver: {fixed: gmres}", "gmres"),
                 ("restart", "restart: {type: integer, lower: 5, upper: 200, fixed: 30, when: \"solver == 'gmres'\"}", "30")]
        lines = (VARIABLES + more).splitlines(True)
        for i, (name, line, value) in enumerate(cases):
            lines = ["  " + line + "\n" if old.strip().startswith(name + ":") else old for old in lines]
            self.check_fixed(campaign(10 + 2 * i, "".join(lines)), name, value)
        self.assertEqual([item.split(":")[0] for item in lines[1:]], ["  " + name for name in self.rows()[0] if f"  {name}: " in "".join(lines)])
        left = self.rows()[8 + 2 * len(cases) - 1]
        for name, _, value in cases:
            self.assertEqual(left[name], value)
        self.resume(campaign(28, VARIABLES + more))
        self.assertGreater(len({self.rows()[i]["n"] for i in range(24, 28)}), 1)
        self.digest()

    def test_fixed_at_what_cannot_be(self):
        self.begin(campaign(8, VARIABLES + "  n: {type: integer, lower: 1, upper: 9, step: 2}\n"))
        place = [(self.folder / PLACE / name).read_bytes() for name in ("journal", "campaign.yaml")]
        for old, new, *words in (("lower: 1, upper: 9, step: 2", "fixed: 4", "is not one of its values; the nearest is"),
                                 ("lower: 1, upper: 9, step: 2", "fixed: coarse", "variables.n.fixed: expected a number"),
                                 ("values: [cg, gmres]", "values: [cg, gmres], fixed: lu", "'lu' is not one of the values"),
                                 ("lower: 0, upper: 15", "lower: 0, upper: 15, varied: yes", "variables.x2.varied: it is for a variable that is fixed"),
                                 ("values: [cg, gmres]", "values: [cg, gmres], retired: [lu]", "variables.solver.retired: 'lu' is not in values"),
                                 ("values: [cg, gmres]", "values: [cg, gmres], retired: [cg, gmres]", "at least one of the values must remain"),
                                 ("values: [cg, gmres]", "values: [cg, gmres], retired: [cg], fixed: cg", "the variable is fixed at this word; leave it out")):
            text = campaign(10, VARIABLES + "  n: {type: integer, lower: 1, upper: 9, step: 2}\n").replace(old, new)
            outcome = self.resume(text, code=USAGE)
            for word in words:
                self.assertIn(word, outcome.err)
        every = campaign(10, VARIABLES + "  n: {fixed: 3}\n").replace("lower: -5, upper: 10", "fixed: 1").replace("lower: 0, upper: 15", "fixed: 1")
        self.assertIn("nothing is left to search", self.resume(every.replace("values: [cg, gmres]", "fixed: cg"), code=USAGE).err)
        strict = campaign(10, VARIABLES + "  n: {type: integer, lower: 1, upper: 9, step: 2}\n").replace("upper: 15", "upper: 15, fixed: 1, varied: no")
        self.refuse(strict, "variables.x2 cannot be fixed at 1: evaluation 0 had x2 = ", "leave varied: no out")
        self.assertEqual(place, [(self.folder / PLACE / name).read_bytes() for name in ("journal", "campaign.yaml")])

    def test_what_was_fixed_has_another_value(self):
        self.begin(campaign(8, VARIABLES.replace("lower: -5, upper: 10", "fixed: 1.5")))
        self.check_fixed(campaign(10, VARIABLES.replace("lower: -5, upper: 10", "fixed: 1.25")), "x1", "1.25", "fixed at 1.5")
        self.resume(campaign(12))
        self.assertEqual({self.rows()[i]["x1"] for i in range(8)}, {"1.5"})
        self.digest()

    def test_a_category_goes_and_comes_back(self):
        self.begin(campaign(14).replace("[cg, gmres]", "[direct, cg, gmres]"))
        self.resume(campaign(20).replace("[cg, gmres]", "[direct, gmres]"))
        rows = self.rows()
        self.assertIn("cg", {rows[i]["solver"] for i in range(14)})
        self.assertNotIn("cg", {rows[i]["solver"] for i in range(14, 20)})
        self.assertNotEqual(self.best()["solver"], "cg")
        self.assertIn("variables.solver.values: [direct, cg, gmres] -> [direct, gmres]\n", self.status())
        self.assertIn("values: [direct, gmres, cg], retired: [cg]", (self.folder / PLACE / "campaign.yaml").read_text())
        digest = self.digest()
        self.succeed("run", self.folder / PLACE / "campaign.yaml", "--resume", "-q")
        self.succeed("verify", PLACE)
        self.succeed("report", PLACE)
        self.assertEqual(self.digest(), digest)
        self.resume(campaign(26))
        rows = self.rows()
        self.assertIn("variables.solver.values: [direct, gmres] -> [cg, gmres]\n", self.status())
        self.assertNotIn("direct", {rows[i]["solver"] for i in range(20, 26)})
        self.digest()

    def test_ordered_words_go(self):
        self.begin(campaign(8, VARIABLES + "  mesh: {type: ordinal, values: [coarse, medium, fine]}\n"))
        self.resume(campaign(16, VARIABLES + "  mesh: {type: ordinal, values: [coarse, fine]}\n"))
        rows = self.rows()
        self.assertIn("medium", {rows[i]["mesh"] for i in range(8)})
        self.assertEqual({rows[i]["mesh"] for i in range(8, 16)}, {"coarse", "fine"})
        self.assertIn("values: [coarse, medium, fine], retired: [medium]", (self.folder / PLACE / "campaign.yaml").read_text())
        self.digest()
        self.resume(campaign(20, VARIABLES + "  mesh: {type: ordinal, values: [coarse, medium, fine, finest]}\n"))
        self.assertNotIn("retired", (self.folder / PLACE / "campaign.yaml").read_text())
        self.digest()

    def check_start(self, start):
        """Designs that have run stay in the list when they are not allowed any more; others are refused with their place."""
        self.begin(campaign(6, more=start))
        ran = [(row["x1"], row["x2"], row["solver"]) for row in self.rows().values()][:3]
        narrow = campaign(10, more=start).replace("upper: 10", "upper: 5").replace("[cg, gmres]", "[gmres, lu]")
        self.assertIn("0 designs to start with; the others are proposed already", self.resume(narrow, "-n").out)
        self.resume(narrow)
        self.assertEqual([(row["x1"], row["x2"], row["solver"]) for row in self.rows().values()][:3], ran)
        self.assertEqual(ran, [("1", "9", "cg"), ("8", "8", "gmres"), ("9", "3", ran[2][2])])
        self.assertTrue(all(float(row["x1"]) <= 5 and row["solver"] != "cg" for i, row in self.rows().items() if i >= 6))
        digest, records = self.digest(), self.records(PLACE)
        self.resume(narrow)
        self.succeed("run", self.folder / PLACE / "campaign.yaml", "--resume", "-q")
        self.succeed("report", PLACE)
        self.assertEqual((self.digest(), self.records(PLACE)), (digest, records))
        return narrow

    def test_designs_that_have_run(self):
        start = "start: [{x1: 1, x2: 9, solver: cg}, {x1: 8, x2: 8, solver: gmres}, {x1: 9, x2: 3}]\n"
        narrow = self.check_start(start)
        self.refuse(narrow.replace("start: [", "start: [{x1: 7, x2: 7, solver: gmres}, "), "changed.yaml:11:", "start: variable x1: 7 is outside [-5, 5]",
                    "only a design that has run may stay in the list")
        self.refuse(narrow.replace("start: [", "start: [{x1: 3, x2: 7, solver: cg}, "), "the design has solver = cg, a value that no proposal has any more")
        pinned = narrow.replace("upper: 15", "upper: 15, fixed: 4").replace("evaluations: 10", "evaluations: 12")
        self.refuse(pinned.replace("start: [", "start: [{x1: 3, x2: 7, solver: lu}, "), "the design has x2 = 7, but the variable is fixed at 4")
        self.resume(pinned)
        self.assertEqual({self.rows()[i]["x2"] for i in (10, 11)}, {"4"})
        self.resume(pinned.replace("start: [", "start: [{x1: 3, solver: lu}, ").replace("evaluations: 12", "evaluations: 14"))
        self.assertEqual([self.rows()[12][name] for name in ("x1", "x2", "solver")], ["3", "4", "lu"])
        self.digest()

    def test_designs_of_a_file_that_have_run(self):
        self.write("x1,x2,solver\n1,9,cg\n8,8,gmres\n9,3,\n", "designs.csv")
        narrow = self.check_start("start: designs.csv\n")
        self.write("x1,x2,solver\n1,9,cg\n8,8,gmres\n9,3,\n7,7,lu\n", "designs.csv")
        self.refuse(narrow, "designs.csv:5: start: variable x1: 7 is outside [-5, 5]")

    def test_an_integer_stays_one_and_a_taken_name_is_refused(self):
        more = "  n: {type: integer, lower: 1, upper: 9}\n"
        self.begin(campaign(8, VARIABLES + more))
        wrong = self.resume(campaign(10, VARIABLES + "  n: {fixed: 2.5}\n"), code=USAGE)
        self.assertIn("variable n: fixed = 2.5, expected a whole number of an integer", wrong.err)
        taken = VARIABLES.replace("  x1: {lower: -5, upper: 10}\n", "") + more.replace("upper: 9", "upper: 9, renamed_from: x1")
        wrong = self.resume(campaign(10, taken), code=USAGE)
        self.assertIn("variables.n.renamed_from: the campaign already has a variable 'n'", wrong.err)

    def test_a_variable_gets_another_name(self):
        self.begin()
        before = self.rows()
        renamed = VARIABLES.replace("x1: {", "chord: {renamed_from: x1, ").replace("solver: {", "method: {renamed_from: solver, ")
        self.write((self.folder / "simulate.sh").read_text().replace('"x1"', '"chord"').replace('"solver"', '"method"'), "renamed.sh", 0o755)
        now = campaign(12, renamed).replace("./simulate.sh", "./renamed.sh")
        self.refuse(campaign(12, VARIABLES.replace("x1:", "chord:")), "variables.chord is new: give it the value", "'renamed_from: NAME'")
        self.resume(now)
        rows = self.rows()
        self.assertEqual([(row["x1"], row["x2"], row["solver"], row["objective"]) for row in before.values()],
                         [(rows[i]["chord"], rows[i]["x2"], rows[i]["method"], rows[i]["objective"]) for i in range(8)])
        self.assertIn("variables.chord.name: x1 -> chord\n", self.status())
        digest, records = self.digest(), self.records(PLACE)
        self.resume(now)
        self.succeed("run", self.folder / PLACE / "campaign.yaml", "--resume", "-q")
        self.resume(now.replace("renamed_from: x1, ", ""))
        self.assertEqual((self.digest(), self.records(PLACE)), (digest, records))
        # Together with other changes, and once more.
        self.resume(now.replace("chord: {renamed_from: x1, lower: -5, upper: 10", "length: {renamed_from: chord, fixed: 2").replace("evaluations: 12", "evaluations: 13")
                    .replace("values: [cg, gmres]", "values: [gmres, lu]").replace("./renamed.sh", "./length.sh"), code=2)
        self.write((self.folder / "renamed.sh").read_text().replace('"chord"', '"length"'), "length.sh", 0o755)
        self.resume(now.replace("chord: {renamed_from: x1, lower: -5, upper: 10", "length: {renamed_from: chord, fixed: 2").replace("evaluations: 12", "evaluations: 14")
                    .replace("values: [cg, gmres]", "values: [gmres, lu]").replace("./renamed.sh", "./length.sh"))
        self.assertEqual({self.rows()[i]["length"] for i in (12, 13)}, {"2"})
        self.assertEqual([self.rows()[i]["length"] for i in range(8)], [before[i]["x1"] for i in range(8)])
        self.digest()
        (self.folder / PLACE / "journal").unlink()
        self.succeed("run", self.folder / PLACE / "campaign.yaml", "--resume", "-q")
        self.digest()
        for variables, word in ((VARIABLES.replace("x1: {", "chord: {renamed_from: x2, "), "renamed_from: 'x2' is a variable of the file, too"),
                                (VARIABLES.replace("x1: {", "x1: {renamed_from: x2, ").replace("x2: {", "x2: {renamed_from: x1, "), "to swap names, resume once with another name"),
                                (VARIABLES.replace("x1: {", "chord: {renamed_from: old, ").replace("x2: {", "span: {renamed_from: old, "), "the earlier name of another one")):
            self.assertIn(word, self.resume(campaign(12, variables), code=USAGE).err)

    # The files.

    def test_killed_at_every_record(self):
        more = "  n: {type: integer, lower: 1, upper: 9}\n"
        texts = [campaign(6, VARIABLES + more, "start: [{x1: 7, x2: 3}]\n"),
                 campaign(10, VARIABLES.replace("x1: {", "chord: {renamed_from: x1, ").replace("upper: 10", "upper: 5").replace("[cg, gmres]", "[gmres, lu]")
                          + more.replace("upper: 9", "upper: 9, fixed: 4"), "start: [{chord: 7, x2: 3}]\n")]
        self.write((self.folder / "simulate.sh").read_text().replace('v["x1"]', '(v["x1"] + v["chord"])'), "simulate.sh", 0o755)
        reference, first, lines = self.keep_change(texts)
        for n in range(first, len(lines)):
            self.cut_journal(lines, n)
            if n > first:  # the configuration is that of before the change
                self.assertIn("fixed at 4", self.status())
                self.succeed("verify", PLACE)
            self.resume(texts[1], ranks=n % 3 + 1)
            self.assertEqual(self.digest(), reference, n)


if __name__ == "__main__":
    program.main()
