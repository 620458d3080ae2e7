# test: labels cli timeout 600 processors 1
"""Changes of the campaign file by a resume: what was evaluated is read anew in the terms of the new problem."""
import re
import shutil

import changing
import program
from changing import PLACE, SIMULATION, VARIABLES, campaign
from program import USAGE


class Changes(changing.ChangingTest):
    # Bounds.

    def test_bounds_are_narrowed_and_widened(self):
        self.begin()
        narrow = campaign(12).replace("upper: 10", "upper: 5")
        said = self.resume(narrow, "--dry-run").out
        self.assertIn("a run would change the campaign:\n  variables.x1.upper: 10 -> 5\n", said)
        self.assertRegex(said, r"8 feasible before, \d now.*outside of what is allowed now")
        self.assertNotIn("changes", self.status())
        said = self.resume(narrow).err
        self.assertIn("the problem has changed", said)
        rows = self.rows()
        self.assertEqual(len(rows), 12)
        self.assertTrue(any(float(row["x1"]) > 5 for i, row in rows.items() if i < 8))
        self.assertTrue(all(float(row["x1"]) <= 5 for i, row in rows.items() if i >= 8))
        self.assertLessEqual(float(self.best()["x1"]), 5)
        self.assertRegex(self.status(), r"changes, .*:\n  on 20.*Z by .*@.*\n *variables.x1.upper: 10 -> 5\n")
        self.digest()
        self.resume(campaign(16).replace("upper: 10", "upper: 20"))
        self.assertIn("variables.x1.upper: 5 -> 20", self.status())
        self.assertNotIn("outside", self.status())
        digest = self.digest()
        self.succeed("report", PLACE)
        self.assertIn("variables.x1.upper: 5 -> 20", (self.folder / PLACE / "report.html").read_text())
        self.succeed("export", PLACE)
        self.resume(campaign(16).replace("upper: 10", "upper: 20"))
        self.assertEqual(self.digest(), digest)

    def test_the_best_outside_is_best_no_more(self):
        self.begin()
        best = self.best()
        x = float(best["x1"])
        lower, upper = (x + 0.5, 10) if x < 2 else (-5, x - 0.5)
        said = self.resume(campaign(8).replace("lower: -5, upper: 10", f"lower: {lower}, upper: {upper}")).err
        self.assertRegex(said, rf"the best is evaluation \d+ instead of {best['id']}|no evaluation is the best now \({best['id']} before\)")
        self.assertNotEqual(self.best()["id"], best["id"])

    def test_a_range_that_is_far_away_is_a_mistake(self):
        self.begin()
        self.refuse(campaign().replace("lower: -5, upper: 10", "lower: 1e9, upper: 1.0000001e9"), "evaluation 0", "million")

    def test_scale_step_and_type(self):
        self.begin(campaign().replace("lower: -5", "lower: 0.1"))
        logarithmic = campaign(10).replace("lower: -5, upper: 10", "lower: 0.1, upper: 10, scale: log")
        self.resume(logarithmic)
        self.resume(logarithmic.replace("evaluations: 10", "evaluations: 12").replace("x2: {lower: 0, upper: 15", "x2: {lower: 0, upper: 15, step: 0.5"))
        self.assertTrue(all(float(row["x2"]) * 2 % 1 == 0 for i, row in self.rows().items() if i >= 10))
        self.assertIn("variables.x1.scale: linear -> log", self.status())
        self.assertIn("variables.x2.step: (none) -> 0.5", self.status())
        self.refuse(logarithmic.replace("x2: {", "x2: {type: integer, "), "is not a whole number")
        self.digest()

    def test_a_logarithm_of_what_is_not_positive(self):
        self.begin()
        self.refuse(campaign().replace("lower: -5", "scale: log, lower: 1"), "variable x1: -", "logarithmic")

    # Variables.

    def test_a_variable_is_added(self):
        self.begin()
        more = VARIABLES + "  rho: {lower: 1, upper: 3}\n"
        self.refuse(campaign(variables=more), "variables.rho is new", "was: VALUE")
        more = more.replace("upper: 3}", "upper: 3, was: 1.2}")
        self.resume(campaign(12, more))
        rows = self.rows()
        self.assertTrue(all(float(rows[i]["rho"]) == 1.2 for i in range(8)))
        self.assertGreater(len({rows[i]["rho"] for i in range(8, 12)}), 1)
        self.assertIn("variables.rho: (none) -> real, was 1.2", self.status())
        digest = self.digest()
        # The value is in the journal; the file need not say it for ever.
        self.resume(campaign(12, more.replace(", was: 1.2", "")))
        self.assertEqual(self.digest(), digest)

    def test_words_that_were(self):
        self.begin()
        self.resume(campaign(10, VARIABLES + "  mesh: {type: ordinal, values: [coarse, fine], was: fine}\n  vent: {type: boolean, was: no}\n"))
        self.assertEqual({(self.rows()[i]["mesh"], self.rows()[i]["vent"]) for i in range(8)}, {("fine", "false")})
        for what, message in (("solver: {type: categorical, values: [cg, gmres], was: lu}", "'lu' is not one of its values"),
                              ("rho: {fixed: 2, was: 2}", "leave it out"), ("rho: {lower: 1, upper: 2, was: x}", "not a number")):
            outcome = self.gannet("run", self.write(campaign(variables="variables:\n  x: {lower: 0, upper: 1}\n  " + what + "\n"), "bad.yaml"), "-n")
            self.assertEqual(outcome.code, USAGE)
            self.assertIn("was: ", outcome.err)
            self.assertIn(message, outcome.err)

    def test_a_variable_that_never_changed_is_fixed_and_goes(self):
        self.begin(campaign(variables=VARIABLES.replace("lower: -5, upper: 10", "fixed: 1.5")))
        self.resume(campaign(10, VARIABLES.replace("  x1: {lower: -5, upper: 10}\n", "")))
        self.assertNotIn("x1", self.rows()[0])
        self.assertIn("variables.x1: real -> (none)", self.status())
        self.digest()

    def test_a_variable_is_computed(self):
        self.begin()
        self.refuse(campaign().replace("lower: -5, upper: 10", 'expression: "2*x2"'), "and the expression gives", "another name")
        self.resume(campaign(10, VARIABLES + '  area: {expression: "x1 * x2"}\n'))
        row = self.rows()[3]
        self.assertAlmostEqual(float(row["area"]), float(row["x1"]) * float(row["x2"]), 12)
        before = self.records(PLACE)
        self.resume(campaign(10, VARIABLES + '  area: {expression: "x1*x2"}\n'))
        self.assertEqual(self.records(PLACE), before)  # blanks are no change

    def test_values_come_and_go(self):
        self.begin()
        self.resume(campaign(14).replace("[cg, gmres]", "[direct, cg, gmres]"))
        rows = self.rows()
        self.assertIn("variables.solver.values: [cg, gmres] -> [direct, cg, gmres]", self.status())
        self.assertLessEqual({rows[i]["solver"] for i in range(8)}, {"cg", "gmres"})
        self.digest()

    def test_the_order_of_variables(self):
        self.begin()
        before = self.rows()
        self.resume(campaign(10, "variables:\n" + "".join(reversed(VARIABLES.splitlines(True)[1:]))))
        after = self.rows()
        for i in range(8):
            self.assertEqual([before[i][k] for k in ("x1", "x2", "solver")], [after[i][k] for k in ("x1", "x2", "solver")])
        self.digest()

    # Results.

    def test_constraints_of_what_was_reported(self):
        self.begin()
        self.resume(campaign(10, more="constraints: {mass: {upper: 2}}\n"))
        rows = self.rows()
        for row in rows.values():
            self.assertEqual(row["feasible"], "true" if float(row["mass"]) <= 2 else "false")
        self.assertEqual(len([name for name in rows[0] if name == "mass"]), 1)
        self.assertLessEqual(float(self.best()["mass"]), 2)
        self.digest()
        self.resume(campaign(10, more="constraints: {mass: {upper: 9, lower: 0}, stress: {upper: 20, expression: 2*drag}}\n"))
        for row in self.rows().values():
            self.assertAlmostEqual(float(row["stress"]), 2 * float(row["drag"]))
        self.digest()
        self.resume(campaign(10))
        self.assertIn("mass", self.rows()[0])
        self.assertIn("constraints.mass.upper: 9 -> (none)", self.status())
        self.resume(campaign(10, more="constraints: {mass: {upper: 9}}\n"))
        said = self.resume(campaign(10, more="constraints: {mas: {upper: 9}}\n"), "--dry-run").err
        self.assertIn("constraint 'mas' is new, and 'mass' is gone; did you mean 'mass'?", said)
        self.digest()

    def test_another_goal_and_objective(self):
        self.begin()
        self.resume(campaign(8, more="goal: maximize\n"))
        rows = self.rows()
        self.assertEqual(self.best()["id"], max(rows, key=lambda i: float(rows[i]["objective"])))
        self.resume(campaign(8, more="objective: drag\n"))
        best = min(rows, key=lambda i: float(rows[i]["drag"]))
        self.assertEqual(self.best()["id"], best)
        self.digest()
        self.resume(campaign(8, more="objective: was_objective + mass\n"))
        self.digest()
        self.resume(campaign(8, more="objective: drag + 0.5*mass\n"))
        found = self.best()
        self.assertEqual(found["id"], min(rows, key=lambda i: float(rows[i]["drag"]) + 0.5 * float(rows[i]["mass"])))
        self.resume(campaign(8))
        self.assertEqual({i: row["objective"] for i, row in self.rows().items()}, {i: row["objective"] for i, row in rows.items()})
        self.refuse(campaign(8, more="objective: lift + mass\n"), "objective: no evaluation has a number objective", "lift is missing", "choose one that evaluation 0 reported: ")
        self.digest()

    def test_an_objective_gets_a_name(self):
        self.begin()
        before = {i: row["objective"] for i, row in self.rows().items()}
        self.resume(campaign(8, more="objective: cost\n"))
        self.assertEqual({i: row["objective"] for i, row in self.rows().items()}, before)
        self.assertIn("objective: objective -> cost", self.status())
        self.digest()

    def test_what_nobody_knows(self):
        self.begin()
        self.write(SIMULATION.replace('\\ndrag', '\\nstress 1\\ndrag'), "stress.sh", 0o755)
        said = self.resume(campaign(10, more="constraints: {stress: {upper: 2}}\n").replace("command: [./simulate.sh]", "command: [./stress.sh]"), "-n").out
        self.assertRegex(said, r"8 feasible before, 0 now; no evaluation is the best now \(\d before\)")
        self.assertIn("8 lack a number that is now required, and it is unknown whether they are feasible", said)
        said = self.gannet("run", self.write(campaign(8, more="constraints: {stress: {upper: 2}}\n")), "--resume").out
        self.assertIn("no result has all numbers that are needed: `gannet status ", said)
        self.assertRegex(self.status(), r"best +no result has all numbers that are needed\n")
        self.resume(campaign(10, more="constraints: {stress: {upper: 2}}\n").replace("command: [./simulate.sh]", "command: [./stress.sh]"))
        rows = self.rows()
        self.assertEqual({(rows[i]["status"], rows[i]["stress"]) for i in range(8)}, {("done", "")})
        self.assertIn(self.best()["id"], (8, 9))
        self.digest()
        self.succeed("correct", PLACE, "--id", 3, "--constraint", "stress=1.5")
        self.digest()
        self.resume(campaign(10))
        self.assertEqual(self.rows()[3]["stress"], "1.5")
        self.digest()

    def test_results_without_an_objective(self):
        self.write(SIMULATION.replace("results.out", "results.out; [ $GANNET_EVAL_ID != 2 ] || echo 'mass 99' > results.out"), "simulate.sh", 0o755)
        more = "constraints: {mass: {upper: 90}}\n"
        self.begin(campaign(more=more))
        self.assertEqual((self.rows()[2]["status"], self.rows()[2]["objective"]), ("done", ""))
        self.resume(campaign(10, more="constraints: {mass: {upper: 95}}\n").replace("upper: 10", "upper: 6"))
        self.assertEqual((self.rows()[2]["status"], self.rows()[2]["objective"], self.rows()[2]["feasible"]), ("done", "", "false"))
        self.digest()
        self.refuse(campaign(10).replace("upper: 10", "upper: 6"), "evaluation 2 has none of the numbers that are needed now", "gannet discard --id 2")
        self.succeed("discard", PLACE, "--id", 2)
        self.resume(campaign(10).replace("upper: 10", "upper: 6"))
        self.digest()
        outcome = self.gannet("discard", PLACE, "--id", 2, "--undo")
        self.assertEqual(outcome.code, USAGE, outcome)
        self.assertIn("has none of the numbers that are needed", outcome.err)
        self.digest()

    def test_imports_outside_are_told_as_imports(self):
        self.write("x1,x2,solver,objective\n20,1,cg,5\n1,1,cg,5.5\n", "old.csv")
        self.begin(campaign(4, more="import: old.csv\n"))
        self.resume(campaign(6, more="import: old.csv\n").replace("upper: 15", "upper: 16"))
        self.assertIn("changes, in the order", self.status())
        self.assertIn("1 outside of what is allowed, never the best", self.status())
        self.assertNotIn("outside of what is allowed now", self.status())

    # Variable constraints.

    def test_variable_constraints(self):
        self.begin()
        self.resume(campaign(12, more='variable_constraints: ["x1 + x2 <= 6"]\n'))
        rows = self.rows()
        self.assertTrue(all(float(rows[i]["x1"]) + float(rows[i]["x2"]) <= 6 for i in range(8, 12)))
        self.assertLessEqual(float(self.best()["x1"]) + float(self.best()["x2"]), 6)
        self.assertIn("variable_constraints: (none) -> [x1 + x2 <= 6]", self.status())
        self.assertIn("outside of what is allowed now", self.status())
        best = self.best()
        x = float(best["x1"]) + float(best["x2"])
        self.resume(campaign(12, more=f'variable_constraints: ["x1 + x2 <= {x - 0.01}"]\n'))
        self.assertNotEqual((self.best() or {"id": -1})["id"], best["id"])
        self.resume(campaign(12, more='variable_constraints: ["x1 + x2 <= 6"]\n'))
        self.assertEqual(self.best(), best)
        digest, records = self.digest(), self.records(PLACE)
        self.resume(campaign(12, more='variable_constraints: ["x1+x2 <=6"]\n'))
        self.assertEqual((self.digest(), self.records(PLACE)), (digest, records))
        self.resume(campaign(12))
        self.assertIn("variable_constraints: [x1 + x2 <= 6] -> (none)", self.status())

    # Settings.

    def test_settings_are_remembered(self):
        self.begin()
        self.resume(campaign(12).replace("method: gp-ei", "method: sobol").replace("search: {candidates: 50}\n", "")
                    .replace("batch: 2\ninitial: 4\n", "batch: 4\n"))
        status = self.status()
        self.assertIn("method: gp-ei -> sobol", status)
        self.assertIn("batch: 2 -> 4", status)
        self.digest()

    # Corrections, and what else was before.

    def test_corrections_of_before(self):
        self.begin()
        self.succeed("discard", PLACE, "--id", 2, "--why", "wrong mesh")
        self.succeed("correct", PLACE, "--id", 1, "--objective", -3)
        self.resume(campaign(9, more="constraints: {mass: {upper: 20}}\n").replace("upper: 10", "upper: 11"))
        rows = self.rows()
        self.assertEqual((rows[2]["status"], float(rows[1]["objective"])), ("discarded", -3))
        self.succeed("discard", PLACE, "--id", 2, "--undo")
        self.succeed("correct", PLACE, "--id", 1, "--undo")
        rows = self.rows()
        self.assertEqual(rows[2]["status"], "done")
        self.assertGreater(float(rows[1]["objective"]), 0)
        self.assertEqual(float(rows[1]["mass"]), float(rows[1]["x1"]))
        self.succeed("retry", PLACE, "--id", 0)
        self.digest()
        self.resume(campaign(10, more="constraints: {mass: {upper: 20}}\n").replace("upper: 10", "upper: 11"))
        self.assertEqual(self.rows()[0]["status"], "done")
        self.digest()
        self.succeed("predict", PLACE, "--point", "x1=1", "--point", "x2=2", "--point", "solver=cg")

    def test_what_was_in_flight_is_reported(self):
        self.write("", "hold.5")
        running = self.start("run", self.write(campaign()), "-q")
        self.wait_until(lambda: (self.folder / "runs").exists() and "5" in (self.folder / "runs").read_text().split())
        running.kill()
        (self.folder / "hold.5").unlink()
        self.resume(campaign(10).replace("upper: 10", "upper: 0.5"))
        rows = self.rows()
        self.assertEqual((len(rows), rows[5]["status"]), (10, "done"))
        self.digest()

    def test_old_data_and_designs_to_begin_with(self):
        self.write("x1,x2,solver,objective\n1,1,cg,1.125\n8,3,gmres,50\n20,3,gmres,50\n", "old.csv")
        start = "start: [{x1: 1, x2: 9, solver: cg}, {x1: 2, x2: 8, solver: cg}, {x1: 3, x2: 7, solver: cg}]\nimport: [old.csv]\n"
        self.succeed("run", self.write(campaign(2, more=start)), "-q")
        self.resume(campaign(6, more=start).replace("upper: 10", "upper: 5"))
        rows = self.rows()
        self.assertEqual(sum(float(row["x1"]) == 3 and float(row["x2"]) == 7 for row in rows.values()), 1)
        self.digest()
        self.resume(campaign(8, VARIABLES + "  rho: {lower: 1, upper: 3, was: 2}\n").replace("upper: 10", "upper: 30"))
        self.digest()

    # The files.

    def test_the_same_on_any_number_of_ranks(self):
        texts = [campaign(6), campaign(10, VARIABLES + "  rho: {lower: 1, upper: 3, was: 2}\n", "constraints: {mass: {upper: 2}}\n")]
        digests = set()
        for ranks in 1, 2, 3:
            shutil.rmtree(self.folder / PLACE, ignore_errors=True)
            self.succeed("run", self.write(texts[0]), "-q", ranks=ranks)
            self.resume(texts[1], ranks=ranks)
            self.resume(texts[1].replace("upper: 10", "upper: 4").replace("evaluations: 10", "evaluations: 14"), ranks=ranks % 3 + 1)
            digests.add(self.digest())
        self.assertEqual(len(digests), 1)

    def test_killed_anywhere(self):
        texts = [campaign(6), campaign(10, VARIABLES + "  rho: {lower: 1, upper: 3, was: 2}\n").replace("upper: 10", "upper: 4")]
        reference, first, lines = self.keep_change(texts)
        for n in range(first, len(lines)):
            for is_saved in False, True:
                self.cut_journal(lines, n)
                if is_saved and n > first:
                    shutil.copy(self.folder / "saved.yaml", self.folder / PLACE / "campaign.yaml")
                if n > first:  # nobody has resumed yet
                    self.assertIn("changes, in the order", self.status())
                    self.succeed("verify", PLACE)
                    self.succeed("export", PLACE)
                self.resume(texts[1])
                self.assertEqual(self.digest(), reference, n)
                self.assertEqual(self.status().count(" by "), 1)
                shutil.copy(self.folder / PLACE / "campaign.yaml", self.folder / "saved.yaml")

    def test_another_change_after_a_kill(self):
        texts = [campaign(6), campaign(8).replace("upper: 10", "upper: 4"), campaign(8).replace("upper: 10", "upper: 3")]
        self.begin(texts[0])
        shutil.copytree(self.folder / PLACE, self.folder / "before")
        self.resume(texts[1], "--max-evals", 6)
        shutil.copy(self.folder / PLACE / "journal", self.folder / "before" / "journal")
        shutil.rmtree(self.folder / PLACE)
        shutil.copytree(self.folder / "before", self.folder / PLACE)
        self.resume(texts[2])
        self.assertIn("variables.x1.upper: 10 -> 4", self.status())
        self.assertIn("variables.x1.upper: 4 -> 3", self.status())
        self.digest()

    def test_restored_from_the_snapshot(self):
        self.begin()
        self.succeed("correct", PLACE, "--id", 1, "--objective", -3)
        text = campaign(12, VARIABLES + "  rho: {lower: 1, upper: 3, was: 2}\n", "constraints: {mass: {upper: 4}}\n").replace("upper: 10", "upper: 6")
        self.resume(text)
        digest, status = self.digest(), self.status()
        (self.folder / PLACE / "journal").unlink()
        self.resume(text)
        self.assertEqual(self.digest(), digest)
        self.assertEqual(re.findall(r"changes, .*", status, re.S), re.findall(r"changes, .*", self.status(), re.S))
        # A change when the journal is lost.
        (self.folder / PLACE / "journal").unlink()
        self.resume(text.replace("upper: 6", "upper: 7"))
        self.assertIn("variables.x1.upper: 6 -> 7", self.status())
        self.digest()
        self.succeed("correct", PLACE, "--id", 1, "--undo")
        self.digest()

    def test_nobody_knows_what_was(self):
        self.begin()
        (self.folder / PLACE / "campaign.yaml").unlink()
        outcome = self.resume(campaign().replace("upper: 10", "upper: 5"), code=USAGE)
        self.assertIn("variables, constraints or goal differ", outcome.err)
        self.assertIn("put it back", outcome.err)
        self.resume(campaign())
        self.resume(campaign().replace("upper: 10", "upper: 5"))

    def test_a_campaign_of_many_changes(self):
        self.begin()
        rho = VARIABLES + "  rho: {lower: 1, upper: 3, was: 2}\n"
        steps = [campaign(10).replace("upper: 10", "upper: 6"), campaign(10, rho), campaign(11, rho, "constraints: {mass: {upper: 4}}\n"),
                 campaign(12, rho, "constraints: {mass: {upper: 5}}\ngoal: maximize\n"), campaign(12, rho, "objective: drag\n"),
                 campaign(13, rho.replace("[cg, gmres]", "[cg, gmres, lu]"), "objective: drag + mass\n"),
                 campaign(14, rho.replace("[cg, gmres]", "[cg, gmres, lu]"), 'variable_constraints: ["x1 <= x2"]\n'),
                 campaign(15, rho.replace("[cg, gmres]", "[cg, gmres, lu]")).replace("gp-ei", "gp-ucb"),
                 campaign(16, rho.replace("[cg, gmres]", "[cg, gmres, lu]").replace("x2: {lower: 0", "x2: {step: 0.25, lower: 0"))]
        corrections = [("discard", "--id", 1), ("correct", "--id", 2, "--objective", 1), ("retry", "--id", 3), ("discard", "--id", 1, "--undo"),
                       ("correct", "--id", 2, "--undo")]
        for i, text in enumerate(steps):
            self.resume(text)
            if i < len(corrections):
                self.succeed(*corrections[i][:1], PLACE, *corrections[i][1:])
            self.digest()
        digest = self.digest()
        self.assertEqual(self.status().count("  on 20"), len(steps))
        self.resume(steps[-1])
        self.assertEqual(self.digest(), digest)
        self.succeed("export", PLACE)
        self.succeed("report", PLACE)
        (self.folder / PLACE / "journal").unlink()
        self.resume(steps[-1])
        self.assertEqual(self.digest(), digest)


if __name__ == "__main__":
    program.main()
