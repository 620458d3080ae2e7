# test: labels cli timeout 300 processors 1
"""gannet discard, correct and retry: results that were wrong."""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import program
from program import BUSY, FAST, FINISHED, USAGE

STANDIN = pathlib.Path(__file__).resolve().parent.parent / "evaluate" / "standin" / "scheduler"
TEXT = FAST.replace("method: neural-bo\nsearch: {candidates: 500}", "method: gp-ei\nsearch: {candidates: 50}") \
           .replace("initial: 8", "initial: 4").replace("batch: 4", "batch: 2").replace("evaluations: 24", "evaluations: 8")
BRANIN = TEXT + "evaluate: {backend: function, simulation: branin, parallel: 2}\n"
PLACE = "fast.campaign"
# A simulation that waits while there is a file of the name of its evaluation.
SIMULATION = """\
#!/bin/sh
echo "$GANNET_EVAL_ID" >> "$GANNET_INPUT_DIRECTORY/runs"
while [ -e "$GANNET_INPUT_DIRECTORY/hold.$GANNET_EVAL_ID" ]; do sleep 0.05; done
[ ! -e "$GANNET_INPUT_DIRECTORY/fail.$GANNET_EVAL_ID" ] || exit 1
awk '{v[$1] = $2} END {printf "objective %.17g\\nmass %.17g\\ndrag 3\\n", (v["x1"] - 1)^2 + (v["x2"] - 2)^2, v["x1"]}' params.in > results.out
"""
COMMAND = TEXT + "constraints: {mass: {upper: 8}}\nevaluate: {backend: command, command: [./simulate.sh], parallel: 2, kill_grace: 0.2s}\n"
SLURM = TEXT + """\
evaluate:
  backend: slurm
  command: [./simulate.sh]
  parallel: 2
  poll_interval: 0.1s
  grace: 2s
  command_timeout: 30s
""" + "".join(f"  {tool}_command: ./scheduler/{tool}\n" for tool in ("sbatch", "squeue", "sacct", "scontrol", "scancel"))


class Corrections(program.ProgramTest):
    def refuse(self, message, *words, code=USAGE):
        outcome = self.gannet(*words)
        self.assertEqual(outcome.code, code, outcome)
        self.assertIn(message, outcome.err)

    def rows(self, directory=PLACE):
        return {int(row["id"]): row for row in self.history(directory)}

    def exported(self):
        return {int(row["id"]): row for row in csv.DictReader(io.StringIO(self.succeed("export", PLACE).out))}

    def best(self):
        return json.loads(self.succeed("best", PLACE, "-f", "json").out)[0]

    def test_everything_agrees_at_once(self):
        self.succeed("run", self.write(BRANIN), "-q")
        best = self.best()
        said = self.succeed("discard", PLACE, "--id", best["id"], "--why", "wrong mesh").out
        self.assertEqual(said, f"evaluation {best['id']} is discarded: wrong mesh\n")
        row = self.rows()[best["id"]]
        self.assertEqual((row["status"], row["objective"], row["reason"]), ("discarded", "", "wrong mesh"))
        self.assertEqual(self.exported()[best["id"]]["status"], "discarded")
        self.assertNotEqual(self.best()["id"], best["id"])
        status = self.succeed("status", PLACE).out
        self.assertIn("7 proposed of 8: 7 done, 0 cannot run, 0 failed, 0 pending; 1 discarded", status)
        self.assertRegex(status, rf"{best['id']:06d}  discarded on 20.*Z by .*@.*: wrong mesh\n *its result was objective = {best['objective']:.6g}")
        self.digest()
        self.succeed("correct", PLACE, "--id", 0, "--objective", -1.5, "--why", "sign")
        self.assertEqual((self.best()["id"], self.best()["objective"]), (0, -1.5))
        self.assertEqual(float(self.rows()[0]["objective"]), -1.5)
        said = self.succeed("retry", PLACE, "--id", "1,2").out
        self.assertIn("evaluations 1, 2 are to be run again", said)
        self.assertIn("--resume runs what is open", said)
        self.assertEqual([self.exported()[i]["status"] for i in (1, 2)], ["pending"] * 2)
        self.assertIn("5 done, 0 cannot run, 0 failed, 2 pending; 1 discarded", self.succeed("status", PLACE).out)
        self.digest()
        self.succeed("report", PLACE)
        page = (self.folder / PLACE / "report.html").read_text()
        self.assertIn("wrong mesh", page)
        self.succeed("run", self.folder / "fast.yaml", "--resume", "-q")
        self.assertEqual(len(self.rows()), 9)  # one for that which was discarded
        for words in ("discard", best["id"]), ("correct", 0), ("retry", 1), ("retry", 2):
            self.succeed(words[0], PLACE, "--id", words[1], "--undo")
        self.digest()
        self.assertEqual(self.best()["objective"], best["objective"])
        self.assertEqual(self.succeed("status", PLACE).out.count("; taken back on"), 4)

    def test_nonsense_is_told(self):
        file = self.write(COMMAND)
        self.write(SIMULATION, "simulate.sh", 0o755)
        (self.folder / "fail.5").touch()
        self.succeed("run", file, "-q")
        self.refuse("'nowhere.campaign' is not a campaign directory", "discard", "nowhere.campaign", "--id", 1)
        self.refuse("there is no evaluation 8; expected 0 to 7", "discard", PLACE, "--id", 8)
        self.refuse("give --id N", "discard", PLACE)
        self.refuse("--id 'x': expected numbers of evaluations, such as 3 or 3,5,8", "discard", PLACE, "--id", "x")
        self.refuse("--id '3,': expected numbers", "discard", PLACE, "--id", "3,")
        self.refuse("evaluation 3 is given twice", "discard", PLACE, "--id", "3,4,3")
        self.refuse("evaluation 3 has no correction to take back", "discard", PLACE, "--id", 3, "--undo")
        self.refuse("give the right value", "correct", PLACE, "--id", 3)
        self.refuse("--objective: '1x' is not valid; expected a finite number", "correct", PLACE, "--id", 3, "--objective", "1x")
        self.refuse("no evaluation has a quantity 'mas'; did you mean 'mass'? Known: objective mass drag",
                    "correct", PLACE, "--id", 3, "--constraint", "mas=1")
        self.refuse("mass is given twice", "correct", PLACE, "--id", 3, "--constraint", "mass=1", "--quantity", "mass=2")
        self.refuse("--constraint: 'objective' is an objective; give --objective VALUE", "correct", PLACE, "--id", 3, "--constraint", "objective=1")
        self.refuse("correct one after the other", "correct", PLACE, "--id", "3,4", "--objective", 1)
        self.refuse("--undo takes no values", "correct", PLACE, "--id", 3, "--objective", 1, "--undo")
        self.refuse("evaluation 5 has no value of mass, which a result needs; give it, too: --constraint",
                    "correct", PLACE, "--id", 5, "--objective", 1)
        self.refuse("give either --id N or --failed", "retry", PLACE)
        self.refuse("give either --id N or --failed", "retry", PLACE, "--failed", "--id", 3)
        self.refuse("`gannet correct` replaces values of it", "tell", PLACE, "--id", 3, "--objective", 1, "--constraint", "mass=1")
        self.succeed("discard", PLACE, "--id", 3, "--why", "wrong mesh")
        self.refuse("evaluation 3 was already discarded on 20", "discard", PLACE, "--id", 3)
        self.refuse("evaluation 3 was already discarded on 20", "correct", PLACE, "--id", 3, "--objective", 1)
        self.refuse("the last correction of evaluation 3 is that it was discarded on", "retry", PLACE, "--id", 3, "--undo")
        self.succeed("retry", PLACE, "--failed")
        self.refuse("evaluation 5 has no result yet: it will run in any case", "retry", PLACE, "--id", 5)
        self.refuse("evaluation 5 has no result yet, so there is nothing to correct", "correct", PLACE, "--id", 5, "--objective", 1)
        self.refuse("--failed: no evaluation failed", "retry", PLACE, "--failed")
        self.assertEqual(self.succeed("status", PLACE).out.count("on 20"), 2)  # the rest changed nothing

    def test_failed_evaluations_run_again(self):
        file = self.write(COMMAND)
        self.write(SIMULATION, "simulate.sh", 0o755)
        for id in 1, 5:
            (self.folder / f"fail.{id}").touch()
        self.succeed("run", file, "-q")
        for id in 1, 5:
            (self.folder / f"fail.{id}").unlink()
        self.succeed("retry", PLACE, "--failed", "--why", "the licence server was down")
        self.succeed("run", file, "--resume", "-q")
        rows = self.rows()
        self.assertEqual({row["status"] for row in rows.values()}, {"done"})
        self.assertEqual(len(rows), 8)
        self.assertEqual((self.folder / "runs").read_text().split().count("5"), int(rows[5]["attempts"]))
        self.succeed("correct", PLACE, "--id", 5, "--quantity", "drag=4", "--constraint", "mass=9")
        row = self.rows()[5]
        self.assertEqual((row["drag"], row["mass"], row["feasible"]), ("4", "9", "false"))
        self.digest()

    def test_status_shows_what_a_correction_replaced(self):
        """Of each of several corrections of an evaluation what it changed, also of a quantity that is neither objective
        nor constraint, and of one that has no value before; nothing of one that was taken back."""
        (self.folder / "fail.3").touch()
        file = self.write(COMMAND.replace("{mass: {upper: 8}}", "{mass: {upper: 8, unit: kg}}\nobjective: {name: lift, unit: N}"))
        self.write(SIMULATION.replace("objective %", "lift %"), "simulate.sh", 0o755)
        self.succeed("run", file, "-q")
        row = self.rows()[2]
        lift, mass = (f"{float(row[name]):.10g}" for name in ("objective", "mass"))
        for words in ("--quantity", "drag=4"), ("--objective", -1.5, "--constraint", "mass=0.25"), ("--quantity", "drag=5"):
            self.succeed("correct", PLACE, "--id", 2, *words)
        self.succeed("correct", PLACE, "--id", 2, "--undo")
        self.succeed("correct", PLACE, "--id", 3, "--objective", 7, "--constraint", "mass=1")
        self.succeed("discard", PLACE, "--id", 2)
        lines = self.succeed("status", PLACE).out.split("in which they were made:\n")[1].splitlines()
        self.assertEqual([line for line in lines if line.startswith(" " * 10)],
                         [" " * 10 + line for line in (
                             "drag was 3, is 4", f"lift was {lift}, is -1.5 N", f"mass was {mass}, is 0.25 kg",
                             "its result was lift = -1.5 N", "it was failed",
                             "lift was missing, is 7 N", "mass was missing, is 1 kg", "its result was lift = -1.5 N")])

    def test_a_campaign_that_runs_takes_corrections(self):
        for ranks in 0, 2:
            with self.subTest(ranks=ranks):
                shutil.rmtree(self.folder / PLACE, ignore_errors=True)
                self.write(SIMULATION, "simulate.sh", 0o755)
                (self.folder / "hold.4").touch()
                running = self.start("run", self.write(COMMAND), "-q", ranks=ranks)
                self.wait_until(lambda: "4" in self.read("runs"))
                self.assertIn("is discarded: wrong mesh", self.succeed("discard", PLACE, "--id", 1, "--why", "wrong mesh").out)
                self.succeed("correct", PLACE, "--id", 0, "--objective", 77)
                self.refuse("there is no evaluation 99", "discard", PLACE, "--id", 99)
                self.assertIn("is discarded: hangs", self.succeed("discard", PLACE, "--id", 4, "--why", "hangs").out)
                outcome = running.wait(60)
                self.assertEqual(outcome.code, FINISHED, outcome)
                self.assertTrue((self.folder / "hold.4").exists())  # it was ended
                rows = self.rows()
                self.assertEqual([rows[i]["status"] for i in (1, 4)], ["discarded"] * 2)
                self.assertEqual(float(rows[0]["objective"]), 77)
                self.assertEqual(sum(row["status"] == "done" for row in rows.values()), 8)
                self.assertFalse(list((self.folder / PLACE / "requests").iterdir()))
                self.digest()
                (self.folder / "runs").unlink()

    def read(self, name):
        path = self.folder / name
        return path.read_text().split() if path.exists() else []

    def test_a_campaign_that_does_not_answer_is_not_changed(self):
        file = self.write(BRANIN.replace("simulation: branin,", "simulation: branin, settings: {delay: 20},"))
        running = self.start("run", file, "-q")
        self.wait_for_records(2, running)
        self.refuse("did not take the correction within 0.5 s, and nothing was changed", "discard", PLACE, "--id", 0, "--wait", "0.5s",
                    code=BUSY)
        self.assertFalse(list((self.folder / PLACE / "requests").iterdir()))

    def course(self, ranks, cut, directory):
        """A campaign with corrections, of which everything after so many records is lost and done again."""
        steps = [("run", "--max-evals", 6), ("discard", "--id", 3), ("correct", "--id", 2, "--objective", 1e3), ("retry", "--id", "0,5"),
                 ("discard", "--id", 1), ("discard", "--id", 1, "--undo"), ("run",)]
        done = -1
        for number, (command, *words) in enumerate(steps):
            if cut is not None and done < 0:
                self.cut(directory, cut)
                done = 0
            if cut is not None and command != "run" and number <= self.made(directory):
                continue
            if command == "run":
                if cut is not None and number == 0 and self.made(directory) > 0:
                    continue
                self.succeed("run", self.folder / "fast.yaml", "-d", directory, "--resume", "-q", *words, ranks=ranks)
            else:
                self.succeed(command, directory, *words, ranks=ranks)
        return self.digest(directory)

    def made(self, directory):
        return (self.folder / directory / "journal").read_text().count('"record":"correct"')

    def cut(self, directory, records):
        """What a kill leaves after so many records."""
        folder = self.folder / directory
        lines = (folder / "journal").read_bytes().splitlines(keepends=True)
        (folder / "journal").write_bytes(b"".join(lines[:records + 1]))
        for name in "state.h5", "state.h5.1", "history.csv":
            (folder / name).unlink(missing_ok=True)

    def test_killed_after_any_record_it_goes_on_the_same(self):
        self.write(BRANIN)
        digest = self.course(0, None, "whole.campaign")
        n = self.records("whole.campaign")
        self.assertEqual(self.course(2, None, "two.campaign"), digest)
        self.assertEqual(self.course(3, None, "three.campaign"), digest)
        for at in range(2, n, 1 if os.environ.get("GANNET_TEST_KILLS") else 5):
            with self.subTest(records=at):
                shutil.rmtree(self.folder / "cut.campaign", ignore_errors=True)
                shutil.copytree(self.folder / "whole.campaign", self.folder / "cut.campaign")
                self.assertEqual(self.course(at % 3 + 1 if at % 4 == 0 else 0, at, "cut.campaign"), digest)

    def test_a_job_of_a_campaign_that_nobody_runs_is_cancelled(self):
        self.write(SIMULATION.replace("mass %.17g\\ndrag 3\\n", "").replace(', v["x1"]}', "}"), "simulate.sh", 0o755)
        scheduler = self.folder / "scheduler"
        (scheduler / "jobs").mkdir(parents=True)
        for name in "sbatch", "squeue", "sacct", "scontrol", "scancel", "node":
            shutil.copy(STANDIN, scheduler / name)
        node = subprocess.Popen(["/bin/sh", scheduler / "node"], start_new_session=True)
        try:
            (self.folder / "hold.1").touch()
            self.gannet("step", self.write(SLURM), "-q")
            self.wait_until(lambda: {"0", "1"} <= set(self.read("runs")))
            self.succeed("discard", PLACE, "--id", 1, "--why", "hangs")
            calls = (scheduler / "calls").read_text()
            self.assertIn("scancel", calls)
            self.wait_until(lambda: "CANCELLED" in "".join(p.read_text() for p in scheduler.glob("jobs/*/state")))
            self.assertEqual(self.exported()[1]["status"], "discarded")
        finally:
            os.killpg(node.pid, signal.SIGKILL)
            node.wait()


if __name__ == "__main__":
    program.main()
