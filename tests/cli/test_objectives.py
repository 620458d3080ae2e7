# test: labels cli timeout 300
"""Campaigns with several objectives: what is read, shown, corrected and changed."""
import json
import os
import pathlib
import re
import shutil
import sys
import unittest

import program
from program import FINISHED, INFEASIBLE, USAGE

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from browser import Browser

SIMULATION = """\
#!/bin/bash
awk '{ v[$1] = $2 } END { x = v["x"]; y = v["y"]
     print "drag", x > "results.out"
     print "lift", -(1 - x) * (1 + y) > "results.out"
     print "stress", x + y / 5 > "results.out"
     print "mass", y > "results.out" }' params.in
"""
WING = """\
name: wing
method: sobol
variables: {x: {lower: 0, upper: 1}, y: {lower: 0, upper: 1}}
constraints: {stress: {upper: 0.9}}
objectives:
  drag: {goal: minimize, threshold: 1.1, unit: N}
  lift: {goal: maximize, threshold: -2.5}
batch: 3
budget: {evaluations: 12}
save: {batches: 1, interval: 0s}
evaluate: {backend: command, command: ["{input_directory}/sim.sh"], parallel: 3}
"""


def dominates(a, b):
    return a[0] <= b[0] and a[1] >= b[1] and a != b


class Objectives(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SIMULATION, "sim.sh", 0o755)

    def begin(self, text=WING, *words, ranks=0):
        outcome = self.gannet("run", self.write(text, "wing.yaml"), *words, ranks=ranks)
        self.assertEqual(outcome.code, FINISHED, outcome)
        return outcome

    def front_of(self, rows):
        """Ids of the front, by every pair."""
        feasible = [row for row in rows if row["feasible"] == "true"]
        value = {row["id"]: (float(row["drag"]), float(row["lift"])) for row in feasible}
        return {a for a in value if not any(dominates(value[b], value[a]) for b in value)}

    def test_a_report_fits_the_transforms_of_the_search(self):
        self.begin(WING.replace("threshold: 1.1, unit: N}", "threshold: 1.1, transform: log}"))
        self.succeed("report", "wing.campaign")
        page = (self.folder / "wing.campaign" / "report.html").read_text(encoding="utf-8")
        self.assertEqual(sorted(re.findall(r'"transform":"(\w+)"', page)), ["log", "none", "none"])  # drag, lift, stress

    def test_the_front_is_shown_everywhere(self):
        outcome = self.begin()
        rows = self.history("wing.campaign")
        self.assertEqual(list(rows[0])[:9], ["id", "batch", "x", "y", "drag", "lift", "stress", "status", "feasible"])
        self.assertNotIn("objective", rows[0])
        front = self.front_of(rows)
        self.assertGreater(len(front), 2)
        volume, worst = 0, -2.5  # strips from the least drag on, each up to the best lift so far
        values = sorted((float(row["drag"]), float(row["lift"])) for row in rows if row["id"] in front)
        for drag, lift in values:
            volume += (1.1 - drag) * (lift - worst)
            worst = lift
        words = f"{len(front)} designs, hypervolume {volume:.6g}"
        self.assertIn(f"front: {words}, reference point drag 1.1, lift -2.5", outcome.out)
        self.assertRegex(outcome.err, r"batch 3: .*, front: \d+ designs, hypervolume [0-9.]+ \(\+[0-9.e-]+\), proposal")
        self.assertIn(words, self.gannet("status", "wing.campaign").out)
        self.assertIn(f"{len(front)} designs", self.gannet("watch", "wing.campaign", "--once").out)
        best = json.loads(self.gannet("best", "wing.campaign", "--format", "json").out)
        self.assertEqual({str(row["id"]) for row in best}, front)
        self.assertEqual([row["drag"] for row in best], sorted(row["drag"] for row in best))
        exported = json.loads(self.gannet("export", "wing.campaign", "--format", "json").out)
        self.assertEqual({str(row["id"]) for row in exported if row["front"]}, front)
        knee = json.loads(self.gannet("best", "wing.campaign", "--knee", "--format", "json").out)
        self.assertEqual(len(knee), 1)
        self.assertIn(str(knee[0]["id"]), front)
        self.assertEqual(self.gannet("verify", "wing.campaign").code, FINISHED)

    def test_where_cuts_the_front(self):
        self.begin()
        rows = {row["id"]: row for row in self.history("wing.campaign")}
        wanted = {i for i in self.front_of(rows.values()) if float(rows[i]["mass"]) <= 0.5 and float(rows[i]["drag"]) > 0.2}
        found = json.loads(self.gannet("best", "wing.campaign", "--where", "mass <= 0.5 and drag > 0.2", "--format", "json").out)
        self.assertEqual({str(row["id"]) for row in found}, wanted)
        for part in "drag < 0.2", "lift < -0.9":  # one of them lacks the knee of the whole front
            some = {i for i in self.front_of(rows.values()) if (float(rows[i]["drag"]) < 0.2 if part[0] == "d" else float(rows[i]["lift"]) < -0.9)}
            (knee,) = json.loads(self.gannet("best", "wing.campaign", "--knee", "--where", part, "--format", "json").out)
            self.assertIn(str(knee["id"]), some)
        nothing = self.gannet("best", "wing.campaign", "--knee", "--where", "drag > 5")
        self.assertEqual((nothing.code, nothing.out), (INFEASIBLE, ""))
        nothing = self.gannet("best", "wing.campaign", "--where", "drag > 5")
        self.assertEqual(nothing.code, INFEASIBLE)
        self.assertIn("no feasible design meets 'drag > 5'", nothing.err)
        wrong = self.gannet("best", "wing.campaign", "--where", "mas <= 700")
        self.assertEqual(wrong.code, USAGE)
        self.assertIn("did you mean 'mass'?", wrong.err)
        for where, told in ("", "it is empty"), ("drag << 3", "nothing stands on one side of '<'; expected two sides"):
            wrong = self.gannet("best", "wing.campaign", "--where", where)
            self.assertEqual(wrong.code, USAGE)
            self.assertIn(told, wrong.err)
        wrong = self.gannet("best", "wing.campaign", "--recommended")
        self.assertEqual(wrong.code, USAGE)
        self.assertIn("--knee", wrong.err)

    def test_a_single_objective_has_no_front(self):
        self.begin(WING.replace("objectives:\n  drag: {goal: minimize, threshold: 1.1, unit: N}\n  lift: {goal: maximize, threshold: -2.5}",
                                "objective: drag"))
        for option in ("--front", "--knee"):
            wrong = self.gannet("best", "wing.campaign", option)
            self.assertEqual(wrong.code, USAGE)
            self.assertIn(f"{option}: the campaign has a single objective", wrong.err)
        found = self.gannet("best", "wing.campaign", "--where", "mass > 0.5", "-n", "20", "--format", "json")
        rows = self.history("wing.campaign")
        self.assertEqual([str(row["id"]) for row in json.loads(found.out)],
                         [row["id"] for row in sorted(rows, key=lambda row: float(row["objective"]))
                          if float(row["mass"]) > 0.5 and row["feasible"] == "true"])

    def refused(self, text, *expected):
        outcome = self.gannet("run", self.write(text, "wrong.yaml"))
        self.assertEqual(outcome.code, USAGE, outcome)
        for part in expected:
            self.assertIn(part, outcome.err)

    def test_what_cannot_be_is_refused_with_its_place(self):
        self.refused(WING + "objective: drag\n", "wrong.yaml:12:1: objective: objectives are given, too")
        self.refused(WING + "goal: maximize\n", "goal: with several objectives each has its own")
        self.refused(WING + "noise: 0.1\n", "noise: with several objectives each has its own")
        self.refused(WING + "transform: log\n", "wrong.yaml:12:12: transform: with several objectives each has its own, as in 'objectives: {drag: {transform: log}}'")
        self.refused(WING + "penalties: no\n", "wrong.yaml:12:12: penalties: with several objectives each has its own, as in 'objectives: {drag: {penalties: no}}'")
        self.refused(WING.replace("unit: N", "transform: logg"), "'logg' is not valid; expected one of: none log, or auto")
        self.refused(WING.replace("unit: N", "penalties: 1e10"), "objectives.drag.penalties")
        self.refused(WING.replace("unit: N", "transform: log").replace("method: sobol", "method: parego"),
                     "wrong.yaml:2:9: method: 'parego' models a norm of all objectives", "leave out that of drag")
        self.refused(WING + "stop: {target: 3}\n", "stop.target: a campaign with several objectives has no single value")
        self.refused(WING + "stop: {regret: {within: 0.1}}\n", "stop.regret: it works for a single objective only")
        self.refused(WING.replace("  lift: {goal: maximize, threshold: -2.5}\n", ""), "expected 'objective: drag'")
        self.refused(WING.replace("lift:", "x:"), "the name 'x' is taken by a variable")
        self.refused(WING.replace("lift:", "stress:"), "the name 'stress' is taken by a constraint")
        self.refused(WING.replace("lift:", "objective:"), "the name 'objective' is taken")
        self.refused(WING.replace("goal: maximize", "goal: maximise"), "'maximise' is not valid; expected one of: minimize maximize")
        self.refused(WING.replace("threshold: -2.5", "threshold: lots"), "objectives.lift.threshold")
        self.refused(WING.replace("goal: maximize", "gaol: maximize"), "did you mean 'goal'?")
        self.refused(WING.replace("method: sobol", "method: gp-ei"), "wrong.yaml:2:9: method: 'gp-ei' does not go with 2 objectives")
        self.refused(WING.replace("method: sobol", "method: pinn-bo"),
                     "wrong.yaml:2:9: method: 'pinn-bo' does not go with 2 objectives: its network is held to the equations of a single")
        self.refused(WING.replace("method: sobol", "method: parego") + "cost: {weigh: yes}\n",
                     "wrong.yaml:12:15: cost.weigh: gains are weighed by cost with a single objective only")
        many = "".join(f"  f{i}: {{}}\n" for i in range(10))
        self.refused(WING.replace("  lift: {goal: maximize, threshold: -2.5}\n", many), "there are 11, expected 2 to 5")
        self.refused(WING.replace("objectives:\n", "objectives: [drag, lift]\nvoid:\n"), "expected a name for each")

    def test_auto_takes_the_keys_of_the_method_that_it_chooses(self):
        text = WING.replace("method: sobol\n", "initial: 6\n").replace("evaluations: 12", "evaluations: 9")
        points = {}
        for draws in 8, 64:
            self.begin(text + f"acquisition: {{draws: {draws}}}\n", "-q", "--directory", f"d{draws}.campaign")
            points[draws] = [(row["x"], row["y"]) for row in self.history(f"d{draws}.campaign")]
        self.assertEqual(points[8][:6], points[64][:6])
        self.assertNotEqual(points[8][6:], points[64][6:])
        self.refused(text + "acquisition: {margin: 0.1}\n", "wrong.yaml:12:15: acquisition.margin: unknown key 'acquisition.margin' for acquisition 'nehvi'")
        one = re.sub(r"objectives:(\n  .*)+", "objective: drag", text)
        self.refused(one + "acquisition: {draws: 8}\n", "wrong.yaml:10:15: ", "unknown key 'acquisition.draws' for every method of [gp-noisy")

    def test_too_few_variables_are_refused_before_the_run(self):
        text = """variables: {VARIABLES}
objectives: {f1: {}, f2: {}, f3: {}}
budget: {evaluations: 4}
evaluate: {backend: function, simulation: NAME, settings: {objectives: 3}}
"""
        for name, n, least in ("dtlz1", 2, 4), ("dtlz2", 3, 4), ("dtlz7", 3, 4), ("wfg4", 4, 5):
            variables = ", ".join(f"x{i}: {{lower: 0, upper: 1}}" for i in range(n))
            self.refused(text.replace("VARIABLES", variables).replace("NAME", name),
                         f"evaluate.simulation: '{name}' with these settings takes at least {least} variables, the campaign has {n}")
        self.refused(text.replace("VARIABLES", "x: {lower: 0, upper: 1}").replace("NAME", "zdt1").replace(", f3: {}", "")
                     .replace(", settings: {objectives: 3}", ""), "'zdt1' with these settings takes at least 2 variables, the campaign has 1")

    def test_an_objective_that_is_not_reported_fails_with_what_was(self):
        self.gannet("run", self.write(WING.replace("lift:", "range:").replace("goal: maximize, threshold: -2.5", "goal: maximize"),
                                      "wing.yaml"), "-q")
        rows = self.history("wing.campaign")
        self.assertFalse(any(row["feasible"] == "true" for row in rows))
        failed = [row for row in rows if row["status"] == "failed"]
        self.assertGreater(len(failed), 2)
        for row in failed:
            self.assertIn("range is missing", row["reason"])

    def test_thresholds_that_nothing_meets_are_told(self):
        outcome = self.begin(WING.replace("threshold: -2.5", "threshold: 5"))
        self.assertIn("hypervolume 0, ", outcome.out)
        self.assertIn("no design is better than the thresholds in every objective: nothing counts", outcome.out)

    def test_a_change_is_a_new_reading(self):
        self.begin()
        before = self.history("wing.campaign")
        told = self.gannet("run", self.write(WING.replace("threshold: 1.1", "threshold: 0.5"), "wing.yaml"), "--resume")
        self.assertEqual(told.code, FINISHED, told)
        self.assertIn("objectives.drag.threshold: 1.1 -> 0.5", told.err)
        self.assertIn("reference point drag 0.5", told.out)
        # The second objective becomes a constraint, and what was only recorded the second one.
        other = WING.replace("  lift: {goal: maximize, threshold: -2.5}\n", "  mass:\n").replace("stress: {upper: 0.9}", "lift: {lower: -1.5}")
        told = self.gannet("run", self.write(other, "wing.yaml"), "--resume")
        self.assertEqual(told.code, FINISHED, told)
        self.assertIn("objectives: drag: minimize, lift: maximize -> drag: minimize, mass: minimize", told.err)
        rows = self.history("wing.campaign")
        self.assertEqual([row["x"] for row in rows], [row["x"] for row in before])
        self.assertEqual([row["mass"] for row in rows], [row["mass"] for row in before])
        self.assertEqual([row["feasible"] == "true" for row in rows], [float(row["lift"]) >= -1.5 for row in before])
        single = WING.replace("objectives:\n  drag: {goal: minimize, threshold: 1.1, unit: N}\n  lift: {goal: maximize, threshold: -2.5}",
                              "objective: mass\ngoal: minimize")
        told = self.gannet("run", self.write(single, "wing.yaml"), "--resume")
        self.assertEqual(told.code, FINISHED, told)
        self.assertEqual([row["objective"] for row in self.history("wing.campaign")], [row["mass"] for row in before])
        self.assertEqual(self.gannet("verify", "wing.campaign").code, FINISHED)

    def test_the_same_points_on_any_number_of_ranks_and_after_a_kill(self):
        text = WING.replace("method: sobol\n", "initial: 6\nsearch: {candidates: 300}\n").replace("evaluations: 12", "evaluations: 18")
        file, digests = self.write(text, "wing.yaml"), set()
        for ranks in (0, 2, 3):
            directory = f"r{ranks}.campaign"
            self.assertEqual(self.gannet("run", file, "-q", "--directory", directory, ranks=ranks).code, FINISHED)
            digests.add(self.digest(directory))
        running = self.start("run", file, "--directory", "killed.campaign")
        self.wait_for_records(30, running, directory="killed.campaign")
        running.kill()
        self.assertEqual(self.gannet("run", file, "-q", "--directory", "killed.campaign", "--resume").code, FINISHED)
        digests.add(self.digest("killed.campaign"))
        self.assertEqual(len(digests), 1)

    def test_mixed_conditional_and_constrained_variables(self):
        self.write(SIMULATION.replace('print "mass",', 'z = v["kind"] == "b" ? v["z"] : 0; print "mass", z + v["n"] / 9 +'), "sim.sh", 0o755)
        text = WING.replace("method: sobol\n", "initial: 5\nsearch: {candidates: 200}\n").replace("evaluations: 12", "evaluations: 15") \
            .replace("1}}\n", "1}, n: {type: integer, lower: 0, upper: 4}, kind: {type: categorical, values: [a, b]}, "
                     "z: {lower: 0, upper: 1, when: kind == 'b'}, w: {fixed: 3}}\nvariable_constraints: ['x + y <= 1.5']\n", 1) \
            .replace("objectives:\n", "objectives:\n  mass: {}\n")
        file, digests = self.write(text, "wing.yaml"), set()
        for ranks in 0, 4:
            self.succeed("run", file, "-q", "-d", f"r{ranks}.campaign", ranks=ranks)
            digests.add(self.digest(f"r{ranks}.campaign"))
        self.assertEqual(len(digests), 1)
        for row in self.history("r4.campaign"):
            self.assertLessEqual(float(row["x"]) + float(row["y"]), 1.5)
            self.assertEqual(row["z"] == "", row["kind"] == "a")
            self.assertEqual(row["w"], "3")
        listed = re.sub(r"variables:.*\n", "variables: {x: {lower: 0, upper: 1}, y: {lower: 0, upper: 1}, w: {fixed: 3}}\ncandidates: list.csv\n", WING) \
            .replace("method: sobol\n", "initial: 5\n")
        self.write("x,y\n" + "".join(f"{i / 7:.6f},{j / 7:.6f}\n" for i in range(8) for j in range(8)), "list.csv")
        self.begin(listed, "-d", "listed.campaign")
        points = {(row["x"], row["y"]) for row in self.history("listed.campaign")}
        self.assertEqual(len(points), 12)
        self.assertTrue(all(abs(7 * float(value) - round(7 * float(value))) < 1e-4 for point in points for value in point))

    def test_an_asynchronous_campaign(self):
        """An evaluation ends when the second next one has begun, so that its course does not depend on time."""
        wait = 'i=$GANNET_EVAL_ID; n=$((i < 16 ? i + 2 : 17)); until [ -e ../$(printf %06d $n)/params.in ]; do sleep 0.01; done\n' \
               'sleep $((i < 16 ? 0 : i - 15))\n'
        self.write(SIMULATION.replace("awk", wait + "awk", 1), "sim.sh", 0o755)
        text = WING.replace("method: sobol\n", "initial: 6\nsearch: {candidates: 200}\n").replace("evaluations: 12", "evaluations: 18") \
            .replace("parallel: 3", "parallel: 3, mode: asynchronous")
        file, digests = self.write(text, "wing.yaml"), set()
        for ranks in 0, 2, 4:
            self.succeed("run", file, "-q", "-d", f"r{ranks}.campaign", ranks=ranks)
            digests.add(self.digest(f"r{ranks}.campaign"))
        self.assertEqual(len(digests), 1)
        running = self.start("run", file, "-d", "killed.campaign")
        self.wait_for_records(25, running, directory="killed.campaign")
        running.kill()
        self.succeed("run", file, "-q", "-d", "killed.campaign", "--resume")
        rows = self.check_history(18, "killed.campaign")
        self.assertEqual({row["id"] for row in json.loads(self.gannet("best", "killed.campaign", "--format", "json").out)},
                         {int(i) for i in self.front_of(rows)})

    CRASHES = SIMULATION.replace('print "drag", x >', 'print "drag", (y < 0.4 ? 1e10 : x) >').replace('-(1 - x)', '(y < 0.4) - (1 - x)')

    def test_a_penalty_is_not_on_the_front(self):
        """Where it crashes the simulation reports drag 1e10 and a lift that nothing else has."""
        self.write(self.CRASHES, "sim.sh", 0o755)
        text = WING.replace("method: sobol\n", "initial: 9\nsearch: {candidates: 300}\n").replace("evaluations: 12", "evaluations: 18").replace(", threshold: 1.1", "")
        file, digests = self.write(text, "wing.yaml"), set()
        for ranks in (0, 2, 3):
            directory = f"r{ranks}.campaign"
            self.assertEqual(self.gannet("run", file, "-q", "--directory", directory, ranks=ranks).code, FINISHED)
            digests.add(self.digest(directory))
        self.assertEqual(self.gannet("run", file, "-q", "--directory", "later.campaign", "--set", "budget.evaluations=12").code, FINISHED)
        self.assertEqual(self.gannet("run", file, "-q", "--directory", "later.campaign", "--resume").code, FINISHED)
        digests.add(self.digest("later.campaign"))
        self.assertEqual(len(digests), 1)
        rows = self.history("r0.campaign")
        crashed = [row["id"] for row in rows if row["drag"] == "10000000000"]
        self.assertGreater(len(crashed), 2)
        self.assertLess(len([i for i in crashed if int(i) >= 9]), 5)  # learnt from
        sound = [row for row in rows if row["id"] not in crashed]
        best = json.loads(self.gannet("best", "r0.campaign", "--front", "--format", "json").out)
        self.assertEqual({str(row["id"]) for row in best}, self.front_of(sound))
        status = self.gannet("status", "r0.campaign").out
        self.assertIn(f"penalties    {len(crashed)} results of drag 1e+10 or more count as failures of their designs", status)
        self.assertNotIn("e+09", status)  # the reference point
        log = (self.folder / "r0.campaign/campaign.log").read_text()
        self.assertIn("their drag, 1e+10 or more, is a penalty", log)
        self.assertIn("(objectives.drag.penalties: no = every value is one)", log)
        # Another reading of the same results.
        kept = self.gannet("run", self.write(text.replace("unit: N", "unit: N, penalties: no, transform: log"), "wing.yaml"), "--directory", "r0.campaign", "--resume")
        self.assertEqual(kept.code, FINISHED, kept)
        self.assertIn("objectives.drag.transform: auto -> log", kept.err)
        self.assertIn("objectives.drag.penalties: yes -> no", kept.err)
        best = json.loads(self.gannet("best", "r0.campaign", "--front", "--format", "json").out)
        self.assertEqual({str(row["id"]) for row in best}, self.front_of(rows))
        self.assertNotIn("penalties  ", self.gannet("status", "r0.campaign").out)
        for directory in "r0.campaign", "later.campaign":
            self.assertEqual(self.gannet("verify", directory).code, FINISHED)
            saved = self.folder / directory / "campaign.yaml"
            self.assertEqual("penalties: no" in saved.read_text(), directory == "r0.campaign")
            self.assertEqual(self.gannet("run", saved, "--directory", directory, "--resume").code, FINISHED)

    def test_results_that_come_onto_the_front_are_no_stagnation(self):
        self.begin(WING.replace("evaluations: 12", "evaluations: 60") + "stop: {stagnation: 4}\n")
        rows, front, stagnant = self.history("wing.campaign"), [], 0
        self.assertLess(len(rows), 60)
        for at, row in enumerate(rows):
            value = (float(row["drag"]), float(row["lift"]))
            comes = row["feasible"] == "true" and not any(a[0] <= value[0] and a[1] >= value[1] for a in front)
            stagnant = 0 if comes or not front and not comes else stagnant + 1
            front += [value] if comes else []
        self.assertGreaterEqual(stagnant, 4)
        self.assertIn("stop.stagnation: no improvement by the last", self.gannet("status", "wing.campaign").out)

    def test_results_by_hand(self):
        manual = WING.replace('{backend: command, command: ["{input_directory}/sim.sh"], parallel: 3}', "{backend: manual}")
        self.assertEqual(self.gannet("ask", self.write(manual, "wing.yaml"), "-q", "2").code, FINISHED)
        wrong = self.gannet("tell", "wing.campaign", "--id", "0", "--objective", "1")
        self.assertIn("give --value drag=VALUE for each", wrong.err)
        wrong = self.gannet("tell", "wing.campaign", "--id", "0", "--constraint", "lift=1")
        self.assertIn("--constraint: 'lift' is an objective; give --value lift=VALUE", wrong.err)
        wrong = self.gannet("tell", "wing.campaign", "--id", "0", "--constraint", "area=1")
        self.assertRegex(wrong.err, r"has no constraint 'area'; known: stress\n")
        wrong = self.gannet("tell", "wing.campaign", "--id", "0", "--value", "drag=1", "--value", "stress=0")
        self.assertIn("give --value lift=VALUE, too", wrong.err)
        told = self.gannet("tell", "wing.campaign", "--id", "0", "--value", "drag=1", "--value", "stress=0", "--value", "lift=2+-0.1")
        self.assertEqual(told.code, FINISHED, told)
        told = self.gannet("tell", "wing.campaign", "--id", "1", "--value", "drag=0.5", "--value", "stress=0", "--value", "lift=missing")
        self.assertEqual(told.code, FINISHED, told)
        self.assertIn("front        1 design,", self.gannet("status", "wing.campaign").out)
        told = self.gannet("correct", "wing.campaign", "--id", "1", "--quantity", "lift=1")
        self.assertEqual(told.code, FINISHED, told)
        self.assertIn("front        2 designs,", self.gannet("status", "wing.campaign").out)
        wrong = self.gannet("correct", "wing.campaign", "--id", "1", "--objective", "1")
        self.assertIn("give --quantity drag=VALUE", wrong.err)
        wrong = self.gannet("correct", "wing.campaign", "--id", "1", "--constraint", "lift=1")
        self.assertIn("--constraint: 'lift' is an objective; give --quantity lift=VALUE", wrong.err)
        self.assertEqual(self.gannet("verify", "wing.campaign").code, FINISHED)

    def test_a_number_called_objective_stays_what_it_is(self):
        self.write(SIMULATION.replace('print "mass"', 'print "objective", 7 > "results.out"; print "mass"'), "sim.sh", 0o755)
        self.begin()
        before = self.history("wing.campaign")
        self.assertEqual({row["reported.objective"] if "reported.objective" in row else row["objective"] for row in before}, {"7"})
        self.begin(WING.replace("goal: maximize, threshold: -2.5", "goal: minimize"), "--resume")
        rows = self.history("wing.campaign")
        for name in "drag", "lift", "objective":
            self.assertEqual([row[name] for row in rows], [row[name] for row in before])
        several = "objectives:\n  drag: {goal: minimize, threshold: 1.1, unit: N}\n  lift: {goal: maximize, threshold: -2.5}"
        self.begin(WING.replace(several, "objective: {name: drag}"), "--resume")
        rows = self.history("wing.campaign")
        self.assertEqual([row["objective"] for row in rows], [row["drag"] for row in before])
        self.assertEqual({row["was_objective"] for row in rows}, {"7"})
        self.assertEqual(self.gannet("verify", "wing.campaign").code, FINISHED)

    def test_every_objective_must_have_been_reported(self):
        self.begin()
        before = (self.folder / "wing.campaign/history.csv").read_bytes()
        for text, name in ((WING.replace("  lift: {goal: maximize, threshold: -2.5}", "  zz: {}"), "zz"),
                           (WING.replace("  drag: {goal: minimize, threshold: 1.1, unit: N}", "  zz: {}"), "zz")):
            refused = self.gannet("run", self.write(text, "wing.yaml"), "--resume")
            self.assertEqual(refused.code, USAGE, refused)
            self.assertIn(f"objectives.{name}: no evaluation has a number {name}; ", refused.err)
        self.assertEqual((self.folder / "wing.campaign/history.csv").read_bytes(), before)
        self.begin(WING, "--resume")

    def test_units_of_objectives_change(self):
        self.begin()
        told = self.begin(WING.replace("unit: N", "unit: kN").replace("threshold: -2.5", "threshold: -2.5, unit: m"), "--resume")
        self.assertIn("objectives.drag.unit: N -> kN", told.err)
        self.assertIn("objectives.lift.unit: (none) -> m", told.err)
        self.assertNotIn("constraints.lift", told.err)

    def test_one_noisy_objective_is_reason_enough_to_repeat(self):
        several = "objectives:\n  drag: {noise: 0}\n  lift: {goal: maximize, noise: NOISE}"
        text = WING.replace("objectives:\n  drag: {goal: minimize, threshold: 1.1, unit: N}\n  lift: {goal: maximize, threshold: -2.5}", several)
        text = text.replace('{backend: command, command: ["{input_directory}/sim.sh"], parallel: 3}', "{backend: manual}")
        table = self.write("x,y,drag,lift,stress\n0.5,0.5,1,2,0\n0.5,0.5,1,3,0\n", "old.csv")
        for noise, refused in ("0.1", 0), ("0", 1):
            self.assertEqual(self.gannet("ask", self.write(text.replace("NOISE", noise).replace("name: wing", f"name: noise{noise}"), "wing.yaml"), "-q", "1").code, FINISHED)
            told = self.gannet("tell", f"noise{noise}.campaign", "--file", table)
            self.assertIn(f"2 rows: {2 - refused} imported, 0 results of evaluations that were proposed, 0 there already, {refused} refused", told.out)
            self.assertEqual("with noise: 0 there is only one" in told.err, bool(refused))

    def test_designs_run_out_where_no_objective_is_noisy(self):
        for noise, n in ("0", 4), ("0.1", 7):
            text = WING.replace("lower: 0, upper: 1}", "type: integer, lower: 0, upper: 1}").replace("evaluations: 12", "evaluations: 7")
            text = text.replace("threshold: 1.1", "noise: 0").replace("threshold: -2.5", f"noise: {noise}")
            self.gannet("run", self.write(text.replace("name: wing", f"name: noise{noise}"), "wing.yaml"), "-q")
            self.assertEqual(len(self.history(f"noise{noise}.campaign")), n)

    def test_a_row_lacks_an_objective(self):
        manual = WING.replace('{backend: command, command: ["{input_directory}/sim.sh"], parallel: 3}', "{backend: manual}")
        self.gannet("ask", self.write(manual, "wing.yaml"), "-q", "1")
        for header, name in ("x,y,drag,stress", "lift"), ("x,y,lift,stress", "drag"), ("x,y,drag,lifft,stress", "lift"):
            wrong = self.gannet("tell", "wing.campaign", "--file", self.write(header + "\n", "old.csv"))
            self.assertIn(f"old.csv:1: no column '{name}' for an objective", wrong.err)
        table = self.write("x,y,drag,lift,stress\n0,0,1,,0\n0,1,,1,0\n1,1,1,1,\n1,0,1,1,0\n", "old.csv")
        told = self.gannet("tell", "wing.campaign", "--file", table)
        self.assertIn("line 2: refused: no value of objective lift", told.err)
        self.assertIn("line 3: refused: no value of objective drag", told.err)
        self.assertIn("4 rows: 2 imported (1 without a value of a constraint)", told.out)

    def test_what_lacks_an_objective_is_counted(self):
        """A design without a lift is neither feasible nor on the front; one that breaks the constraint need not have one."""
        self.write(SIMULATION.replace('print "lift", -(1 - x) * (1 + y)', 'print "lift", x + y < 0.7 ? "missing" : -(1 - x) * (1 + y)'),
                   "sim.sh", 0o755)
        outcome = self.begin(WING.replace("evaluations: 12", "evaluations: 18"))
        rows = self.history("wing.campaign")
        lacking = [row for row in rows if not row["lift"] and not row["feasible"]]
        feasible = [row for row in rows if row["feasible"] == "true"]
        self.assertEqual(len(lacking), len([row for row in rows if not row["lift"]]))
        self.assertGreater(min(len(lacking), len(feasible)), 2)
        words = f"{len(feasible)} of 18 feasible, {len(lacking)} incomplete"
        front = self.front_of(rows)
        self.assertIn(f"18 evaluations done, 0 cannot run, 0 failed, 0 pending; {words}\nfront: {len(front)} designs", outcome.out)
        status = self.gannet("status", "wing.campaign").out
        self.assertIn(words, status)
        self.assertIn(f"incomplete   {len(lacking)} results without lift\n", status)
        self.assertIn(words, self.gannet("watch", "wing.campaign", "--once").out)
        self.assertEqual(self.gannet("correct", "wing.campaign", "--id", lacking[0]["id"], "--quantity", "lift=-2").code, FINISHED)
        self.assertIn(f"incomplete   {len(lacking) - 1} result", self.gannet("status", "wing.campaign").out)
        free = self.gannet("run", self.write(WING.replace("constraints: {stress: {upper: 0.9}}\n", ""), "free.yaml"), "--directory", "free.campaign")
        self.assertRegex(free.out, r"12 evaluations done, 0 cannot run, 0 failed, 0 pending; \d incomplete\n")

    def test_names_that_columns_have(self):
        self.write(SIMULATION.replace('"lift"', '"status"').replace('"mass"', '"front"'), "sim.sh", 0o755)
        text = WING.replace("lift:", "status:")
        self.begin(text)
        csv = self.gannet("export", "wing.campaign", "--format", "csv").out
        columns = csv.splitlines()[0].split(",")
        self.assertEqual(len(set(columns)), len(columns))
        self.assertEqual(columns[:7], ["id", "batch", "x", "y", "drag", "objectives.status", "stress"])
        self.assertIn("reported.front", columns)
        self.assertEqual(columns[-1], "front")
        self.write(csv, "old.csv")
        self.begin(text.replace("name: wing", "name: again").replace("evaluations: 12", "evaluations: 3") + "import: old.csv\n")
        rows, old = self.history("again.campaign"), self.history("wing.campaign")
        for name in "drag", "objectives.status", "reported.front":
            self.assertEqual([row[name] for row in rows[:12]], [row[name] for row in old])

    def test_the_first_line_of_watch_and_a_value_that_goes(self):
        self.begin()
        self.assertIn("wing, trades off 2 objectives over 2 variables with constraints", self.gannet("watch", "wing.campaign", "--once").out)
        told = self.gannet("correct", "wing.campaign", "--id", "0", "--quantity", "drag=missing")
        self.assertEqual(told.code, FINISHED, told)
        self.assertRegex(self.gannet("status", "wing.campaign").out, r"drag was [0-9.e-]+, is missing\n")
        self.begin(WING.replace("constraints: {stress: {upper: 0.9}}\n", "").replace("name: wing", "name: free"))
        self.assertIn("free, trades off 2 objectives over 2 variables\n", self.gannet("watch", "free.campaign", "--once").out)

    def report(self):
        self.succeed("report", "wing.campaign")
        page = (self.folder / "wing.campaign/report.html").read_text()
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1))

    def test_the_report_has_models_of_all_objectives_and_their_front(self):
        """Of drag x, lift (x - 1)(1 + y) and stress x + y / 5 <= 0.9 the front is y = 0: lift = drag - 1 for drag <= 0.9."""
        self.begin(WING.replace("evaluations: 12", "evaluations: 30"))
        model = self.report()["model"]
        self.assertEqual([len(one["slices"]) for one in [model, *model["others"]]], [2, 2])
        self.assertLess(model["importance"][1], 0.01)  # drag does not depend on y, lift does
        self.assertGreater(model["others"][0]["importance"][1], 0.05)
        points = model["front"]["points"]
        self.assertGreater(len(points), 20)
        for point in points:
            drag, lift = point["mean"]
            self.assertAlmostEqual(lift, drag - 1, delta=0.05)
            self.assertTrue(point["low"][1] <= lift <= point["high"][1])
            self.assertLess(point["c"][0], 0.91)
        band, known = model["front"]["band"], 0
        for drag, low, middle, high in zip(band["at"], band["low"], band["middle"], band["high"]):
            if None not in (low, middle, high):
                known += 1
                self.assertTrue(low <= middle <= high)
                self.assertAlmostEqual(middle, min(drag, 0.9) - 1, delta=0.05)
        self.assertGreater(known, 50)

    @unittest.skipUnless(shutil.which("gnuplot"), "there is no gnuplot")
    def test_figures_for_papers(self):
        three = WING.replace("threshold: -2.5}", "threshold: -2.5}\n  mass: {goal: minimize}")
        for text, objectives in (WING, ["drag", "lift"]), (three, ["drag", "lift", "mass"]):
            place = f"m{len(objectives)}.campaign"
            self.begin(text, "-q", "--directory", place)
            written = self.gannet("report", place, "--figures", "figures", "-f", "svg")
            self.assertEqual((written.code, written.err), (FINISHED, ""))
            folder = self.folder / "figures"
            self.assertFalse((folder / "best.svg").exists())
            heads, blocks = {}, {}
            for name in "front", "hypervolume", "importance":
                self.assertIn("</svg>", (folder / f"{name}.svg").read_text())
                heads[name], text = (folder / f"{name}.dat").read_text().split("\n", 1)
                blocks[name] = [[line.split() for line in block.splitlines()] for block in text.split("\n\n\n") if block.strip()]
            rows = self.history(place)
            front = {str(row["id"]) for row in json.loads(self.gannet("best", place, "-n", "30", "--format", "json").out)}
            values = lambda some: sorted(tuple(float(f"{float(row[name]):.12g}") for name in objectives) for row in some)
            shown = [sorted(tuple(map(float, line)) for line in block) for block in blocks["front"][:3]]
            kinds = [[row for row in rows if row["id"] in front], [row for row in rows if row["feasible"] == "true" and row["id"] not in front],
                     [row for row in rows if row["feasible"] == "false"]]
            for block, kind in zip(shown, kinds):
                if kind:
                    self.assertEqual(block, values(kind))
            self.assertIn("drag [N], lift", heads["front"])
            self.assertEqual(len(blocks["front"][3][0]), 3 * len(objectives))
            self.assertEqual(heads["importance"], "# total effect, place from above, variable; a block for " + ", ".join(objectives))
            self.assertEqual([sorted(line[2] for line in block) for block in blocks["importance"]], [['"x"', '"y"']] * len(objectives))
            volume = float(re.search(r"hypervolume ([0-9.]+)", self.gannet("status", place).out).group(1))
            self.assertEqual([float(line[0]) for line in blocks["hypervolume"][0]], list(range(1, 13)))
            self.assertAlmostEqual(float(blocks["hypervolume"][0][-1][1]), volume, places=4)
            page = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>',
                                        (self.folder / place / "report.html").read_text(), re.DOTALL).group(1))
            for name, model in zip(objectives, [page["model"], *page["model"]["others"]]):
                for figure in "slices", "parallel", "projection", "calibration", "coverage":
                    self.assertIn("</svg>", (folder / f"{figure}-{name}.svg").read_text(), (figure, name))
                numbers = lambda figure: [line.split() for line in (folder / f"{figure}-{name}.dat").read_text().splitlines()[1:] if line]
                self.assertEqual([float(line[0]) for line in numbers("calibration")], [float(f"{v:.12g}") for v in model["calibration"]["predicted"]])
                self.assertIn(f"rank by {name}", (folder / f"projection-{name}.gp").read_text())
                self.assertIn(f"set ylabel '{name}{' [N]' if name == 'drag' else ''}'", (folder / f"slices-{name}.gp").read_text())

    @unittest.skipIf("GANNET_SANITIZE" in os.environ, "another compilation writes the same page")
    @unittest.skipUnless(shutil.which("chromium"), "there is no chromium")
    def test_a_point_of_the_front_is_chosen_in_a_browser(self):
        self.begin(WING.replace("evaluations: 12", "evaluations: 30"))
        front = [row["id"] for row in json.loads(self.gannet("best", "wing.campaign", "-n", "30", "--format", "json").out)]
        data = self.report()
        with Browser(self.folder) as browser:
            browser.open((self.folder / "wing.campaign/report.html").as_uri())
            browser.wait_for("document.body.dataset.ready")
            title = 'document.querySelector("#design strong").textContent'
            self.assertRegex(browser.ask(title), r"^Evaluation \d+: the knee of the front$")
            browser.ask('document.querySelector("#front .chart").focus()')
            browser.press("ArrowRight")
            browser.press("ArrowRight")
            browser.press("Enter")
            self.assertIn(f"Evaluation {front[1]}: ", browser.ask(title))
            x, y = browser.ask(f"""(() => {{ const one = echarts.getInstanceByDom(document.querySelector("#front .chart")), place = one.getDom().getBoundingClientRect();
                const at = one.convertToPixel({{seriesIndex: 0}}, one.getOption().series[0].data[0]); window.scrollTo(0, place.y + scrollY - 100);
                const now = one.getDom().getBoundingClientRect(); return [now.x + at[0], now.y + at[1]]; }})()""")
            for kind in "mouseMoved", "mousePressed", "mouseReleased":
                browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
            self.assertIn(f"Evaluation {front[0]}: ", browser.ask(title))
            browser.ask('[...document.querySelectorAll("#design button")].find((one) => one.textContent === "next").click()')
            self.assertIn(f"Evaluation {front[1]}: ", browser.ask(title))
            self.assertEqual(browser.ask('document.querySelector("#best tr.chosen").dataset.id'), str(front[1]))
            for part, value in ("objectives", "drag"), ("variables", "x"), ("constraints", "stress"):
                self.assertIn(value, browser.ask('document.querySelector("#design").innerText'), part)
            axes = 'echarts.getInstanceByDom(document.querySelector("#parallel .chart")).getOption().parallelAxis.map((one) => one.name)'
            self.assertEqual(browser.ask(axes), ["x", "y", "stress", "result", "drag [N]", "lift"])
            browser.ask('Object.assign(document.querySelector("#slices select"), {value: 1}).dispatchEvent(new Event("change"))')
            shown = browser.ask('echarts.getInstanceByDom(document.querySelector("#slices .chart")).getOption().series[0].data.map((point) => point[1])')
            self.assertIn(shown, [one["median"] for one in data["model"]["others"][0]["slices"]])
            browser.ask('Object.assign(document.querySelector("#calibration select"), {value: 1}).dispatchEvent(new Event("change"))')
            self.assertEqual(browser.ask('echarts.getInstanceByDom(document.querySelector("#calibration .chart")).getOption().xAxis[0].name'), "predicted lift")
            self.assertEqual(browser.complaints, [])


if __name__ == "__main__":
    program.main()
