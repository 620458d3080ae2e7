# test: labels cli timeout 60 processors 1
"""gannet status --format json: the fields that docs/status-json.md promises, of campaigns of every kind."""
import json
import pathlib
import re

import program
from program import BRANIN, DAMAGED, SOBOL, USAGE

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "status-json.md"
COUNT, REAL, TEXT, NONE = int, (int, float), str, type(None)
FIELDS = {
    "schema": TEXT, "version": COUNT, "gannet": TEXT, "time": TEXT, "campaign": TEXT, "directory": TEXT, "state": TEXT,
    "state_text": TEXT, "ended": (TEXT, NONE), "evaluations": dict, "objectives": list, "best": (dict, NONE),
    "front": (dict, NONE), "on_bounds": list, "recommended": (dict, NONE), "seconds": dict, "cost": (dict, NONE),
    "running": list, "job_usage": (dict, NONE), "failure_reasons": COUNT, "failures": list, "damage": (TEXT, NONE), "left_out": (TEXT, NONE),
    "scheduler": (dict, NONE), "corrections": COUNT, "changes": COUNT}
PARTS = {
    "evaluations": {"limit", "proposed", "done", "cannot_run", "failed", "pending", "running", "lost", "imported", "discarded",
                    "feasible", "incomplete"},
    "objectives": {"name", "goal", "unit"},
    "best": {"evaluation", "feasible", "objective", "error", "violation", "runs", "variables", "constraints"},
    "front": {"designs", "hypervolume", "log10_hypervolume", "reference"},
    "on_bounds": {"variable", "side", "bound"},
    "recommended": {"evaluation", "objective", "error"},
    "seconds": {"elapsed", "left", "simulations", "slots", "busy_share", "proposals"},
    "cost": {"quantity", "spent", "limit"},
    "running": {"evaluation", "attempt", "seconds", "exact", "slot", "job", "host", "pid", "place"},
    "failures": {"count", "first", "last", "status", "class", "reason", "exit_code", "signal", "attempts", "host", "job", "folder"}}
COMMAND = SOBOL.replace("backend: function, simulation: branin", "backend: command, command: [./run.sh], retries: 0")


class StatusJson(program.ProgramTest):
    def state(self, *more, directory="fast.campaign", code=0):
        said = json.loads(self.succeed("status", directory, "--format", "json", *more, code=code).out)
        for name, kind in FIELDS.items():
            self.assertIsInstance(said[name], kind, name)
        self.assertEqual(set(said), set(FIELDS))
        for name, parts in PARTS.items():
            for one in said[name] if isinstance(said[name], list) else [said[name]] if said[name] else []:
                self.assertEqual(set(one), parts, name)
        self.assertEqual((said["schema"], said["version"], said["campaign"]), ("gannet-status", 1, "fast"))
        return said

    def test_a_campaign_that_has_ended(self):
        self.succeed("run", self.write(BRANIN), "-q")
        said = self.state()
        self.assertEqual((said["state"], said["damage"], said["failures"], said["front"]), ("finished", None, [], None))
        self.assertEqual([said["evaluations"][k] for k in ("limit", "proposed", "done", "pending", "feasible")], [24, 24, 24, 0, None])
        best = min(self.history(), key=lambda row: float(row["objective"]))
        self.assertEqual(said["best"]["evaluation"], int(best["id"]))
        self.assertEqual(said["best"]["objective"], float(best["objective"]))
        self.assertEqual(said["best"]["variables"], {name: float(best[name]) for name in ("x1", "x2")})
        self.assertEqual(said["objectives"], [{"name": "objective", "goal": "minimize", "unit": None}])
        self.assertGreater(said["seconds"]["elapsed"], 0)

    def test_values_of_every_kind_failures_and_a_cost(self):
        self.write("#!/bin/sh\ncase $GANNET_EVAL_ID in 1|3) echo 'mesh \\377 folds' >&2; exit 3;; esac\n"
                   "echo objective 3 > results.out; echo g 2 >> results.out; echo hours 2 >> results.out\n", "run.sh", 0o755)
        text = COMMAND.replace("variables:", "goal: maximize\nobjective: {name: objective, unit: kW}\nconstraints: {g: {upper: 1}}\n"
                               "outputs: {hours: }\ncost: hours\nvariables:\n  s: {type: categorical, values: [cg, gmres]}\n"
                               "  b: {type: boolean}\n  n: {type: integer, lower: 1, upper: 3, when: b}")
        text = text.replace("evaluations: 24", "evaluations: 8, cost: 1000, failures: {rate: 1}")
        self.gannet("run", self.write(text), "-q")
        said = self.state("--failed", "1")
        self.assertEqual(said["objectives"], [{"name": "objective", "goal": "maximize", "unit": "kW"}])
        self.assertEqual((said["best"]["feasible"], said["best"]["violation"], said["best"]["constraints"]), (False, 1, {"g": 2}))
        values = said["best"]["variables"]
        self.assertIn(values["s"], ("cg", "gmres"))
        self.assertIsInstance(values["b"], bool)
        self.assertEqual(values["n"] is None, not values["b"])
        self.assertEqual(said["cost"], {"quantity": "hours", "spent": 12, "limit": 1000})
        self.assertEqual((said["evaluations"]["feasible"], said["evaluations"]["failed"], said["failure_reasons"]), (0, 2, 1))
        failure = said["failures"][0]
        self.assertEqual([failure[k] for k in ("count", "first", "last", "status", "exit_code", "attempts")], [2, 1, 3, "failed", 3, 1])
        self.assertIn("mesh ? folds", failure["reason"])
        self.assertTrue(failure["folder"].endswith("evals/000003"))
        self.assertEqual(self.state("--failed", "0")["failures"], [])

    def test_several_objectives(self):
        self.write("#!/bin/sh\necho a $GANNET_EVAL_ID > results.out; echo b -$GANNET_EVAL_ID >> results.out\n", "run.sh", 0o755)
        text = COMMAND.replace("variables:", "objectives: {a: {threshold: 100}, b: {goal: maximize, threshold: -90}}\nvariables:")
        self.succeed("run", self.write(text.replace("evaluations: 24", "evaluations: 4")), "-q")
        said = self.state()
        self.assertEqual((said["best"], said["front"]["designs"], said["front"]["reference"]), (None, 1, {"a": 100, "b": -90}))
        self.assertEqual([(o["name"], o["goal"]) for o in said["objectives"]], [("a", "minimize"), ("b", "maximize")])

    def test_a_campaign_that_runs_and_one_that_was_killed(self):
        self.write("#!/bin/sh\nexec sleep 60\n", "run.sh", 0o755)
        run = self.start("run", self.write(COMMAND), "-q")
        self.wait_until(lambda: (self.folder / "fast.campaign/evals/000003").exists())
        self.wait_until(lambda: self.state()["evaluations"]["running"] == 4)
        said = self.state()
        self.assertEqual((said["state"], said["best"], said["evaluations"]["running"], len(said["running"])), ("running", None, 4, 4))
        self.assertEqual(sorted(one["evaluation"] for one in said["running"]), [0, 1, 2, 3])
        self.assertEqual(said["evaluations"]["lost"], 0)
        run.kill()
        said = self.state()
        self.assertEqual((said["state"], said["evaluations"]["running"], said["evaluations"]["lost"], said["running"]), ("stopped", 0, 4, []))
        seen = self.gannet("watch", "fast.campaign", "--once").out
        self.assertRegex(seen, r"\(4 lost, 0 waiting\)")
        self.assertRegex(seen, r"(?m)^lost +their controller is gone; a resume runs them again$")
        self.assertNotIn("running", seen)

    def test_noise_and_too_many_failures(self):
        noisy = SOBOL.replace("method: sobol", "method: sobol\nnoise: 0.1").replace("evaluations: 24", "evaluations: 12")
        self.succeed("run", self.write(noisy), "-q")
        self.assertIn(self.state()["recommended"]["evaluation"], range(12))
        manual = self.write("name: few\nvariables: {x: {lower: 0, upper: 1}}\nobjective: drag\nbudget: {evaluations: 9}\n"
                            "batch: 3\nevaluate: {backend: manual}\n", "few.yaml")
        self.succeed("ask", manual)
        self.succeed("tell", "few.campaign", "--id", 0, "--objective", "3.2+-0.1")
        self.succeed("tell", "few.campaign", "--id", 1, "--objective", 1)  # of which no deviation is known
        said = json.loads(self.succeed("status", "few.campaign", "-f", "json").out)
        self.assertEqual(said["recommended"], {"evaluation": 1, "objective": 1, "error": None})
        self.assertRegex(self.succeed("status", "few.campaign").out, "(?m)^recommended  evaluation 1: 1 without noise$")
        for name in "drag", "objective":  # as tables call it
            self.assertRegex(self.succeed("best", "few.campaign", "--where", f"{name} > 2").out, r"(?m)^ 0 .* 3\.2 ")
        self.write("#!/bin/sh\nexit 1\n", "run.sh", 0o755)
        self.gannet("run", self.write(COMMAND, "bad.yaml"), "--set", "name=bad", "-q")
        said = json.loads(self.succeed("status", "bad.campaign", "-f", "json").out)
        self.assertEqual(said["state"], "failed")

    def test_damage_and_mistakes(self):
        self.succeed("run", self.write(SOBOL), "-q")
        journal = self.folder / "fast.campaign" / "journal"
        content = bytearray(journal.read_bytes())
        content[len(content) // 2] ^= 255
        journal.write_bytes(content)
        said = self.state()
        self.assertIn("newest snapshot", said["damage"])
        self.assertEqual(said["state"], "stopped")
        for snapshot in (self.folder / "fast.campaign").glob("state*"):
            snapshot.unlink()
        self.assertLess(self.state(code=DAMAGED)["evaluations"]["done"], 24)
        self.assertIn("'xml' is not known; expected text or json", self.succeed("status", "fast.campaign", "-f", "xml", code=USAGE).err)

    def test_docs_name_every_field(self):
        page = PAGE.read_text(encoding="utf-8")
        for name in [*FIELDS, *(part for parts in PARTS.values() for part in parts)]:
            self.assertRegex(page, rf"`{re.escape(name)}`", name)


if __name__ == "__main__":
    program.main()
