# test: labels cli timeout 240 processors 1
"""gannet step: no resident process. Called as often as anybody likes, killed or not, the campaign takes one course."""
import collections
import csv
import io
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import program
from program import FAST, FINISHED, RESUMABLE, USAGE

STANDIN = pathlib.Path(__file__).resolve().parent.parent / "evaluate" / "standin" / "scheduler"
SIMULATION = """\
#!/bin/sh
echo "$GANNET_NONCE" >> "$GANNET_INPUT_DIRECTORY/runs"
awk '{v[$1] = $2} END {printf "objective %.17g\\n", (v["x1"] - 1)^2 + (v["x2"] - 2)^2}' params.in > results.out
"""
TEXT = FAST.replace("initial: 8", "initial: 4").replace("evaluations: 24", "evaluations: 8")
COMMAND = TEXT + "evaluate: {backend: command, command: [./simulate.sh], parallel: 4}\n"
SLURM = TEXT + """\
evaluate:
  backend: slurm
  command: [./simulate.sh]
  submit: array
  poll_interval: 0.1s
  grace: 2s
  command_timeout: 30s
""" + "".join(f"  {tool}_command: ./scheduler/{tool}\n" for tool in ("sbatch", "squeue", "sacct", "scontrol", "scancel"))


class Step(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SIMULATION, "simulate.sh", 0o755)
        self.scheduler = self.folder / "scheduler"
        (self.scheduler / "jobs").mkdir(parents=True)
        for name in "sbatch", "squeue", "sacct", "scontrol", "scancel", "node":
            shutil.copy(STANDIN, self.scheduler / name)
        self.node = subprocess.Popen(["/bin/sh", self.scheduler / "node"], start_new_session=True)

    def tearDown(self):
        os.killpg(self.node.pid, signal.SIGKILL)
        self.node.wait()
        super().tearDown()

    def calls(self, tool, what=""):
        """How often a command was called with such a word."""
        lines = (self.scheduler / "calls").read_text().splitlines()
        return sum(line.startswith(tool + " ") and what in line for line in lines)

    def mischief(self, name, text=""):
        (self.scheduler / name).write_text(text)

    def all_ended(self):
        states = [path.read_text() for path in self.scheduler.glob("jobs/*/state")
                  if not (path.parent / "waits").exists()]
        return all(state not in ("PENDING\n", "RUNNING\n", "") for state in states)

    def steps(self, file, *words, most=12):
        """Step until the budget is spent, as cron would."""
        for _ in range(most):
            outcome = self.gannet("step", file, "-q", *words)
            if outcome.code != RESUMABLE:
                return outcome
            self.wait_until(self.all_ended)
        self.fail(f"not finished after {most} steps: {outcome}")
        return None

    def check_runs(self, n):
        runs = collections.Counter((self.folder / "runs").read_text().split())
        self.assertEqual((len(runs), set(runs.values())), (n, {1}), runs)

    def reference_digest(self):
        file = self.write(COMMAND, "whole.yaml")
        self.succeed("run", file, "--directory", "whole.campaign", "-q")
        (self.folder / "runs").unlink()
        return self.digest("whole.campaign")

    def test_steps_take_the_course_of_an_uninterrupted_run(self):
        digest = self.reference_digest()
        outcome = self.steps(self.write(SLURM))
        self.assertEqual(outcome.code, FINISHED, outcome)
        self.assertEqual(self.digest(), digest)
        self.assertEqual(self.calls("sbatch", "--array=0-3 "), 2)
        self.check_runs(8)
        self.succeed("step", "fast.yaml")  # a finished campaign stays finished
        self.check_history(8)
        bars = list(csv.DictReader(io.StringIO(self.succeed("export", "fast.campaign", "--timeline").out)))
        self.assertEqual([int(bar["slot"]) for bar in bars], [0, 0, 1, 1, 2, 2, 3, 3])
        for bar in bars:  # whoever takes a result, another step has submitted it
            self.assertTrue(bar["submitted"], bar)
            self.assertLessEqual(bar["submitted"], bar["started"])

    def test_a_step_of_a_back_end_that_needs_the_process_is_a_batch(self):
        file = self.write(COMMAND)
        first = self.gannet("step", file)
        self.assertEqual(first.code, RESUMABLE, first)
        self.assertIn("a step is a batch", first.out)
        self.check_history(4)
        self.succeed("step", file, ranks=2)
        self.assertEqual(self.digest(), self.reference(COMMAND))

    def test_jobs_that_another_back_end_does_not_take_over_are_named(self):
        file = self.write(SLURM.replace("submit: array", "submit: job"))
        self.mischief("node.hold")
        self.assertEqual(self.gannet("step", file, "-q").code, RESUMABLE)
        other = self.succeed("run", self.write(COMMAND, "other.yaml"), "--resume", "-q", "--directory", "fast.campaign")
        self.assertRegex(other.err, r"warning: 4 evaluations were submitted to SLURM \(the first as [1-4]\), which backend: command cannot adopt: .*`scancel`")
        self.check_history(8)

    def test_a_directory_in_which_no_job_can_begin_is_refused_before_it_is_made(self):
        file = self.write(SLURM)
        for words in ("run", file, "--dry-run"), ("run", file), ("step", file):
            outcome = self.succeed(*words, "--directory", r"a\b", code=USAGE)
            self.assertRegex(outcome.err, r"fast.yaml:\d+:\d+: evaluate.backend: SLURM starts no job in '.*/a\\b', .* --directory")
            self.assertFalse((self.folder / r"a\b").exists())

    def test_calls_beside_each_other_submit_once(self):
        """users-ask 1 (optuna #1457): many processes on one campaign, without a database."""
        # Complaints: optuna #3328.
        file = self.write(SLURM)
        self.mischief("node.hold")
        together = [self.start("step", file, "-q") for _ in range(4)]
        outcomes = [running.wait() for running in together]
        outcomes += [self.gannet("step", file, "-q") for _ in range(2)]  # one after the other
        self.assertEqual({outcome.code for outcome in outcomes}, {RESUMABLE}, outcomes)
        for outcome in outcomes:
            self.assertRegex(outcome.out, "nothing to do now: in use|4 evaluations are left to the scheduler")
        self.assertEqual(self.calls("sbatch"), 1)
        (self.scheduler / "node.hold").unlink()
        self.wait_until(self.all_ended)
        self.steps(file)
        self.check_runs(8)

    def kill_during_sbatch(self, file, moment):
        running = self.start("step", file, "-q")
        # A file that is there may still be empty, and stay so when its writer is killed.
        self.wait_until(lambda: (self.scheduler / moment).exists() and (self.scheduler / moment).read_text())
        self.wait_until(lambda: self.calls("sbatch") > 0)
        self.assertTrue(running.kill())

    def test_a_crash_after_the_scheduler_took_the_jobs_is_mended(self):
        digest = self.reference_digest()
        file = self.write(SLURM)
        self.mischief("sbatch.hang", "1\n")
        self.kill_during_sbatch(file, "jobs/1_3/state")
        self.steps(file)
        self.assertEqual(self.calls("sbatch"), 2)  # found by its name, not submitted again
        self.check_runs(8)
        self.assertEqual(self.digest(), digest)

    def test_a_crash_before_the_scheduler_took_the_jobs_is_mended(self):
        # Complaints: hyperas #191.
        file = self.write(SLURM)
        self.mischief("sbatch.late", "20\n")
        self.kill_during_sbatch(file, "calls")
        (self.scheduler / "sbatch.late").unlink()
        self.steps(file)
        self.assertEqual(self.calls("sbatch"), 3)
        self.check_runs(8)

    def test_one_successor_is_asked_for_however_often(self):
        file = self.write(SLURM)
        script = self.write("#!/bin/sh\n", "again.sh", 0o755)
        self.mischief("node.hold")
        for _ in range(3):
            outcome = self.gannet("step", file, "-q", "--resubmit", script)
            self.assertEqual(outcome.code, RESUMABLE, outcome)
        self.assertEqual(self.calls("sbatch", "again.sh"), 1)
        self.assertEqual(self.calls("sbatch", f"--dependency=afterany:1 {script} {file}"), 1)
        self.assertEqual(self.calls("sbatch", f"--chdir={self.folder} "), 1)

    def test_a_successor_that_may_have_been_taken_is_looked_for_first(self):
        file = self.write(SLURM)
        script = self.write("#!/bin/sh\n", "again.sh", 0o755)
        self.mischief("node.hold")
        self.gannet("step", file, "-q")
        self.mischief("sbatch.mute")
        self.mischief("squeue.fail", "6\n")
        outcome = self.gannet("step", file, "-q", "--resubmit", script)
        self.assertEqual(outcome.code, RESUMABLE, outcome)
        self.assertEqual((self.scheduler / "squeue.fail").read_text(), "0\n")
        self.assertEqual(self.calls("sbatch", "again.sh"), 1, outcome)

    def test_a_step_does_not_wait_for_a_scheduler_that_is_down(self):
        file = self.write(SLURM)
        self.mischief("node.hold")
        self.gannet("step", file, "-q")
        self.mischief("squeue.fail", "1000\n")
        outcome = self.gannet("step", file, "-q", timeout=60)
        self.assertEqual(outcome.code, RESUMABLE, outcome)
        self.assertEqual(self.calls("sbatch"), 1)
        (self.scheduler / "squeue.fail").unlink()
        (self.scheduler / "node.hold").unlink()
        self.wait_until(self.all_ended)
        self.steps(file)
        self.check_runs(8)

    def test_a_signal_ends_the_wait_for_a_successor(self):
        file = self.write(SLURM)
        script = self.write("#!/bin/sh\n", "again.sh", 0o755)
        self.mischief("node.hold")
        self.gannet("step", file, "-q")
        self.mischief("sbatch.fail", "1000\n")
        running = self.start("step", file, "--resubmit", script)
        self.wait_until(lambda: self.calls("sbatch", "again.sh") > 0)
        running.process.send_signal(signal.SIGTERM)
        outcome = running.wait(60)
        self.assertEqual(outcome.code, RESUMABLE, outcome)
        self.assertIn("was not submitted, because a stop was requested", outcome.err)

    def test_the_end_of_its_own_allocation_does_not_end_the_chain(self):
        file = self.write(SLURM)
        script = self.write("#!/bin/sh\n", "again.sh", 0o755)
        self.mischief("node.hold")
        self.gannet("step", file, "-q")
        over = {"SLURM_JOB_END_TIME": str(int(time.time()) + 20)}  # less than what is kept for the last save
        for environment in over, {}:
            outcome = self.gannet("step", file, "-q", "--resubmit", script, environment=environment)
            self.assertEqual(outcome.code, RESUMABLE, outcome)
            self.assertEqual("wall time" in outcome.out, environment == over, outcome)
            self.assertEqual(self.calls("sbatch", "again.sh"), 1)
        self.assertEqual(self.calls("scancel"), 0)
        (self.scheduler / "node.hold").unlink()
        self.wait_until(self.all_ended)
        self.steps(file)
        self.check_runs(8)

    def test_any_job_wakes_an_asynchronous_campaign(self):
        file = self.write(SLURM.replace("submit: array", "submit: job") + "  mode: asynchronous\n  parallel: 3\n")
        self.mischief("node.hold")
        self.gannet("step", file, "-q", "--resubmit", self.write("#!/bin/sh\n", "again.sh"))
        self.assertEqual(self.calls("sbatch", "--dependency=afterany:1?afterany:2?afterany:3 "), 1)

    def test_a_stop_file_ends_the_chain(self):
        """users-ask 73 (BlackBoxOptim.jl #4): a file in the directory ends the campaign gracefully."""
        file = self.write(SLURM)
        script = self.write("#!/bin/sh\n", "again.sh", 0o755)
        self.mischief("node.hold")
        self.gannet("step", file, "-q")
        self.write("", "fast.campaign/STOP")
        outcome = self.gannet("step", file, "-q", "--resubmit", script)
        self.assertEqual(outcome.code, RESUMABLE, outcome)
        self.assertIn("a stop was asked for", outcome.out)
        self.assertEqual(self.calls("sbatch"), 1)

    def test_what_cannot_work_is_told(self):
        def refused(text, *words):
            outcome = self.gannet("step", self.write(text), *words)
            self.assertEqual(outcome.code, USAGE, outcome)
            self.assertFalse((self.folder / "fast.campaign").exists())
            return outcome.err

        self.assertIn("use `gannet ask`", refused(TEXT + "evaluate: {backend: manual}\n"))
        self.assertIn("needs budget.evaluations", refused(SLURM.replace("evaluations: 8", "wall_time: 1h")))
        self.assertIn("back-end whose simulations run without gannet",
                      refused(COMMAND, "--resubmit", self.write("", "again.sh")))
        outcome = self.gannet("step", self.write(SLURM), "--resubmit", "nowhere.sh")
        self.assertIn("nowhere.sh", outcome.err)
        self.assertNotEqual(outcome.code, FINISHED)

    def test_no_two_campaigns_have_the_same_names_of_attempts(self):
        found = []
        for directory in "one", "other":
            self.succeed("run", self.write(COMMAND), "-q", "-d", directory)
            journal = (self.folder / directory / "journal").read_text()
            found.append(set(re.findall(r'\[\d+,\d+,"([0-9a-f]{16})"\]', journal)))
        self.assertEqual((len(found[0]), len(found[1]), found[0] & found[1]), (8, 8, set()))


if __name__ == "__main__":
    program.main()
