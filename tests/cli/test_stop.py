# test: labels cli timeout 600 processors 1
"""Asking a campaign to end: signals, the STOP file, the clock. It ends soon, says why, and can be resumed."""
import os
import shutil
import signal
import tempfile
import time
import unittest

import program
from program import BRANIN, FAST, FINISHED, RESUMABLE, SOBOL, slow

SIMULATION = """\
#!/bin/sh
sleep $SECONDS_EACH
awk '{v[$1] = $2} END {printf "objective %.17g\\n", (v["x1"] - 1)^2 + (v["x2"] - 2)^2}' "$GANNET_PARAMS" > "$GANNET_RESULTS"
"""
COMMAND = FAST + "evaluate: {backend: command, command: [./simulate.sh], parallel: 4}\n"


class Stop(program.ProgramTest):
    def begin(self, ranks=2, seconds="0.3", records=8, **options):
        """A campaign of programs, in the middle of its second batch or later."""
        self.write(SIMULATION, "simulate.sh", 0o755)
        self.environment = {"SECONDS_EACH": seconds}
        self.file = self.write(COMMAND)
        running = self.start("run", self.file, "-q", ranks=ranks, environment=self.environment, **options)
        self.wait_for_records(records, running)
        return running

    def finish(self, ranks=2):
        """Resume; the history is that of a campaign that nobody stopped."""
        self.environment["SECONDS_EACH"] = "0"
        self.succeed("run", self.file, "--resume", "-q", ranks=ranks, environment=self.environment)
        self.check_history(24)
        self.assertEqual(self.digest(), self.reference(COMMAND, environment=self.environment))

    def stopped(self, running, longest, *words):
        begin = time.monotonic()
        outcome = running.wait(longest + 20)
        self.assertLess(time.monotonic() - begin, longest, outcome)
        self.assertEqual(outcome.code, RESUMABLE, outcome)
        for word in ("stopped:", "reason:", *words):
            self.assertIn(word, outcome.out)
        self.wait_until(lambda: not running.pids())  # Open MPI's own daemon, without mpirun
        self.assertIn("pending", self.succeed("status", "fast.campaign").out)
        return outcome

    def pending(self):
        rows = self.succeed("export", "fast.campaign").out.splitlines()
        return sum(",pending," in row for row in rows)

    def test_a_failure_before_a_stop_counts_once(self):
        """The attempt that a stop prevents is made after the resume."""
        self.write("#!/bin/sh\necho >> \"$GANNET_INPUT_DIRECTORY/runs\"\n"
                   "touch \"$GANNET_INPUT_DIRECTORY/once.campaign/STOP\"\n[ $GANNET_ATTEMPT = 2 ] || exit 9\n"
                   "echo objective 1 > results.out\n", "simulate.sh", 0o755)
        file = self.write("name: once\nmethod: random\nvariables: {x: {lower: 0, upper: 1}}\nbatch: 1\n"
                          "budget: {evaluations: 1}\nevaluate: {backend: command, command: [./simulate.sh], "
                          "retries: 1, bad_luck_exit_codes: [9]}\n")
        self.assertEqual(self.gannet("run", file, "-q").code, RESUMABLE)
        (self.folder / "once.campaign" / "STOP").unlink()
        self.assertIn("1 evaluation done", self.succeed("run", file, "--resume", "-q").out)
        with open(self.folder / "runs") as stream:
            self.assertEqual(len(stream.readlines()), 2)

    def end_all(self, simulation):
        """Whoever ends the allocation may end the simulation first: gannet has its signal a moment later."""
        self.write("#!/bin/sh\ncd \"$GANNET_INPUT_DIRECTORY\"\necho >> runs\n"
                   "[ -e again ] && { echo objective 1 > \"$GANNET_RESULTS\"; exit 0; }\n"
                   f"end() {{ while [ ! -e end ]; do sleep 0.05; done; {simulation}; }}\nend\n", "simulate.sh", 0o755)
        file = self.write("name: once\nmethod: random\nvariables: {x: {lower: 0, upper: 1}}\nbatch: 1\n"
                          "budget: {evaluations: 1}\n"
                          "evaluate: {backend: command, command: [./simulate.sh], retries: 0}\n")
        running = self.start("run", file, "-q")
        self.wait_until(lambda: (self.folder / "runs").exists())
        (self.folder / "end").touch()
        time.sleep(0.2)  # the signal comes within the second for which an end is held
        os.kill(running.process.pid, signal.SIGTERM)
        outcome = running.wait(60)
        self.assertEqual(outcome.code, RESUMABLE, outcome)
        self.assertIn(" 0 failed, 1 pending", outcome.out)
        (self.folder / "again").touch()
        self.assertIn("1 evaluation done", self.succeed("run", file, "--resume", "-q").out)
        self.assertEqual((self.folder / "runs").read_text(), "\n\n")

    def test_what_a_signal_for_all_ends_is_no_failure(self):
        self.end_all("kill -TERM $$; sleep 9")

    def test_what_a_shell_tells_of_a_signal_for_all_is_no_failure(self):
        self.end_all("exit 143")

    def begin_dots(self, size, *words):
        """A campaign that looks for a number in a line of so many dots, each of which may begin one."""
        self.write("#!/bin/sh\necho >> \"$GANNET_INPUT_DIRECTORY/runs\"\n"
                   f"head -c {size} /dev/zero | tr '\\0' '.'; echo; echo drag 1.5 N\n", "dots.sh", 0o755)
        self.text = ("name: dots\nmethod: random\nvariables: {x: {lower: 0, upper: 1}}\nbudget: {evaluations: 1}\n"
                     "evaluate: {backend: command, command: [./dots.sh], pattern: ['objective=([0-9.eE+-]+) *N$']}\n")
        running = self.start("run", self.write(self.text, "dots.yaml"), "-q", *words)
        self.wait_until(lambda: (self.folder / "dots.campaign/evals/000000/outcome.json").exists())
        return running

    def check_dots(self, outcome):
        """Its result is read by a resume, whose expression need not be tried at every dot, without another run."""
        self.assertEqual(outcome.code, RESUMABLE, outcome)
        self.assertIn(" 0 failed, 1 pending", outcome.out)
        file = self.write(self.text.replace("=(", "=^drag ("), "dots.yaml")
        again = self.succeed("run", file, "--resume", "-q")
        self.assertIn("objective = 1.5", again.out)
        self.assertEqual((self.folder / "runs").read_text(), "\n")

    def test_a_stop_ends_the_search_of_a_long_line(self):
        running = self.begin_dots(30_000_000)
        time.sleep(0.3)
        os.kill(running.process.pid, signal.SIGTERM)
        self.check_dots(running.wait(60))

    def test_the_wall_time_ends_the_search_of_a_long_line(self):
        self.check_dots(self.begin_dots(30_000_000, "--time-limit", "2s").wait(20))

    def test_a_long_line_is_searched_in_a_bearable_time(self):
        self.assertIn("objective = 1.5", self.begin_dots(100_000).wait(40).out)

    def ended(self):
        """Evaluations that have, as export shows them."""
        lines = self.succeed("export", "fast.campaign").out.splitlines()
        return sum(",pending," not in line for line in lines[1:])

    def stop_in(self, cases, wanted):
        """A campaign of which some simulations never end, stopped when this many have."""
        self.write(f"#!/bin/sh\ncase $GANNET_EVAL_ID in {cases} *) sleep 60;; esac\n", "simulate.sh", 0o755)
        file = self.write(SOBOL.replace("backend: function, simulation: branin",
                                        "backend: command, command: [./simulate.sh]"))
        running = self.start("run", file, "-q", ranks=2)
        self.wait_until(lambda: len(list(self.folder.glob("fast.campaign/evals/*/outcome.json"))) >= wanted)
        self.wait_until(lambda: self.ended() >= wanted)
        os.kill(running.ranks()[0], signal.SIGTERM)
        outcome = self.stopped(running, 40)
        return [outcome, self.succeed("run", file, "--resume", "-q", "--time-limit", "1ms", code=RESUMABLE)]

    def test_results_of_an_unfinished_batch_are_shown(self):
        """The next resume tells them to the method; people see them now, as best and status do."""
        for outcome in self.stop_in("0) echo objective 1 >results.out;; 1) exit 3;;", 2):
            self.assertIn("1 evaluation done, 0 cannot run, 1 failed", outcome.out)
            self.assertIn("best design: evaluation 0", outcome.out)
            self.assertNotIn("no result", outcome.out)
        rows = (self.folder / "fast.campaign/history.csv").read_text().splitlines()[1:]
        self.assertEqual([row.split(",")[0] for row in rows], ["0", "1"])
        self.succeed("verify", "fast.campaign")

    def test_the_best_of_all_batches_is_shown(self):
        cases = "[0-3]) echo objective 1$GANNET_EVAL_ID >results.out;; 4) echo objective -5 >results.out;;"
        for outcome in self.stop_in(cases, 5):
            self.assertIn("best design: evaluation 4", outcome.out)

    def test_nobody_is_told_to_remove_what_may_still_bring_results(self):
        for outcome in self.stop_in("0) exit 3;;", 1):
            self.assertIn("no result yet", outcome.out)
            self.assertNotIn("remove", outcome.out)

    def test_sigterm_to_rank_0_ends_simulations_at_once(self):
        running = self.begin(seconds="60", records=3)
        os.kill(running.ranks()[0], signal.SIGTERM)
        self.stopped(running, 40, "Terminated")
        self.assertEqual(self.pending(), 4)
        self.finish()

    def test_sigterm_to_another_rank_counts_too(self):
        running = self.begin(seconds="60", records=3)
        os.kill(running.ranks()[1], signal.SIGTERM)
        self.stopped(running, 40, "Terminated")
        self.finish(ranks=0)

    def test_sigterm_to_a_program_without_mpirun(self):
        running = self.begin(ranks=0, seconds="60", records=3)
        os.kill(running.process.pid, signal.SIGTERM)
        self.stopped(running, 40, "Terminated")
        self.finish()

    def test_a_terminal_that_hangs_up_ends_simulations_at_once(self):
        running = self.begin(ranks=0, seconds="60", records=3)
        os.kill(running.process.pid, signal.SIGHUP)
        self.stopped(running, 40, "Hangup")
        self.assertEqual(self.pending(), 4)
        self.finish()

    def test_nohup_outlives_its_terminal(self):
        running = self.begin(ranks=0, seconds="0.3", records=3, wrapper=("nohup",))
        os.kill(running.process.pid, signal.SIGHUP)
        outcome = running.wait()
        self.assertEqual(outcome.code, FINISHED, outcome)

    def test_sigterm_to_mpirun_loses_nothing(self):
        running = self.begin(seconds="60", records=3)
        os.kill(running.process.pid, signal.SIGTERM)
        begin = time.monotonic()
        outcome = running.wait(40)
        self.assertLess(time.monotonic() - begin, 35, outcome)
        self.assertNotEqual(outcome.code, FINISHED, outcome)  # mpirun's own, whatever the ranks say
        self.wait_until(lambda: not running.pids())
        self.finish(ranks=0)

    def test_usr1_and_usr2_let_running_simulations_end(self):
        # Complaints: submitit #1708, submitit #1603, submitit #1615, submitit #1618, submitit #1701.
        for number in signal.SIGUSR1, signal.SIGUSR2:
            running = self.begin(seconds="1", records=3, wrapper=())
            os.kill(running.process.pid, number)  # mpirun hands it on
            self.stopped(running, 40, "signal")
            self.assertEqual(self.pending(), 0)
            self.finish(ranks=0)
            program.shutil.rmtree(self.folder / "fast.campaign")

    def test_the_first_interrupt_is_graceful_the_second_is_not(self):
        running = self.begin(ranks=0, seconds="2", records=3)
        os.kill(running.process.pid, signal.SIGINT)
        self.stopped(running, 40, "Interrupt")
        self.assertEqual(self.pending(), 0)
        self.environment["SECONDS_EACH"] = "60"
        records = self.records()
        running = self.start("run", self.file, "--resume", "-q", environment=self.environment)
        self.wait_for_records(records + 1, running)
        log = self.folder / "fast.campaign" / "campaign.log"
        told = log.read_text().count("a second Ctrl-C stops at once")  # by the first run
        os.kill(running.process.pid, signal.SIGINT)
        self.wait_until(lambda: log.read_text().count("a second Ctrl-C stops at once") > told)
        self.assertIsNone(running.process.poll())
        os.kill(running.process.pid, signal.SIGINT)
        self.stopped(running, 40, "Interrupt")
        self.assertEqual(self.pending(), 4)
        self.finish()

    def test_the_stop_file_is_named_until_it_is_removed(self):
        # Complaints: BlackBoxOptim.jl #4.
        running = self.begin(seconds="1", records=3)
        (self.folder / "fast.campaign" / "STOP").touch()
        self.stopped(running, 40, "STOP", "remove it")
        self.assertEqual(self.pending(), 0)
        records = self.records()
        outcome = self.succeed("run", self.file, "--resume", "-q", code=RESUMABLE, environment=self.environment)
        self.assertIn("remove it", outcome.out)
        self.assertEqual(self.records(), records)
        (self.folder / "fast.campaign" / "STOP").unlink()
        self.finish(ranks=0)

    def test_a_time_limit_ends_the_run(self):
        self.environment = {"SECONDS_EACH": "60"}
        self.write(SIMULATION, "simulate.sh", 0o755)
        self.file = self.write(COMMAND)
        running = self.start("run", self.file, "-q", "--time-limit", "3s", ranks=2, environment=self.environment)
        self.stopped(running, 30, "wall time")
        self.finish(ranks=0)

    def test_no_batch_is_begun_that_cannot_end(self):
        file = self.write(slow(BRANIN, 1))
        begin = time.monotonic()
        outcome = self.succeed("run", file, "--time-limit", "6s", ranks=2, code=RESUMABLE)
        self.assertIn("too short for another batch", outcome.out)
        self.assertLess(time.monotonic() - begin, 25)
        self.assertEqual(self.pending(), 0)

    @unittest.skipIf("GANNET_SANITIZE" in os.environ, "sanitizers want to be loaded first")
    def test_a_clock_that_is_set_takes_no_wall_time(self):
        """Nor does an evaluation seem to have taken a day, so that no other would fit."""
        # A blank ends a name there, and the build may have one in its path.
        folder = tempfile.TemporaryDirectory(prefix="gannet-")
        self.addCleanup(folder.cleanup)
        library = os.path.join(folder.name, "clock.so")
        os.symlink(os.environ["GANNET_JUMPING_CLOCK"], library)
        text = SOBOL.replace("evaluations: 24", "evaluations: 24, wall_time: 1h")
        self.write("#!/bin/sh\necho objective 1 > $GANNET_RESULTS\n", "simulate.sh", 0o755)
        for name, evaluate in ("inside", ""), ("command", "backend: command, command: [./simulate.sh]"):
            file = self.write(text.replace("backend: function, simulation: branin", evaluate) if evaluate else text)
            self.succeed("run", file, "-q", "-d", name, environment={"LD_PRELOAD": library})
            starts = [row["started"] for row in self.history(name)]
            self.assertGreater(len({start[:10] for start in starts}), 1)  # of two days
            for row in self.history(name):
                self.assertTrue(0 <= float(row["seconds"]) < 60, row)

    def test_a_wall_time_without_evaluations_is_a_budget_like_any_other(self):
        text = BRANIN.replace("evaluations: 24", "wall_time: 2s")
        self.succeed("run", self.write(slow(text, 0.1)), "-q", timeout=60)
        text = BRANIN.replace("evaluations: 24", "evaluations: 1000, wall_time: 2s")
        self.succeed("run", self.write(slow(text, 0.1)), "-q", "-d", "both", code=RESUMABLE, timeout=60)

    def test_the_end_of_the_allocation_is_respected(self):
        # Complaints: amrex #2003.
        self.environment = {"SECONDS_EACH": "60", "SLURM_JOB_END_TIME": str(int(time.time()) + 34)}
        self.write(SIMULATION, "simulate.sh", 0o755)
        self.file = self.write(COMMAND)
        self.stopped(self.start("run", self.file, "-q", environment=self.environment), 33, "wall time")
        del self.environment["SLURM_JOB_END_TIME"]
        self.finish(ranks=0)

    def test_squeue_is_asked_for_the_end_of_the_allocation(self):
        """SLURM before 23.02 does not tell it to jobs."""
        self.write("#!/bin/sh\necho 0:34\n", "bin/squeue", 0o755)
        self.environment = {"SECONDS_EACH": "60", "SLURM_JOB_ID": "4711",
                            "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        self.write(SIMULATION, "simulate.sh", 0o755)
        self.file = self.write(COMMAND)
        self.stopped(self.start("run", self.file, "-q", environment=self.environment), 33, "wall time")
        del self.environment["SLURM_JOB_ID"]
        self.finish(ranks=0)

    def test_steps_wait_for_a_slurmctld_that_does_not_answer(self):
        """It is being restarted: the job goes on, so gannet does not end, and no evaluation has failed."""
        self.environment = {"SLURM_JOB_ID": "4711", "SECONDS_EACH": "0.01"}
        for words in ("confirm allocation for job 4711: Unable to contact slurm controller (connect failure)",
                      "create step for job 4711: Socket timed out on send/recv operation", "create step for job 4711: Memory required by task is not available"):
            self.write(SIMULATION.replace("sleep", f"""\
for refused in 1 2 3; do
  if [ $GANNET_EVAL_ID = 5 ] && mkdir "$GANNET_INPUT_DIRECTORY/refused.$refused" 2>/dev/null; then
    echo "srun: error: Unable to {words}" >&2
    exit 1
  fi
done
sleep"""), "simulate.sh", 0o755)
            self.file = self.write(COMMAND)
            outcome = self.succeed("run", self.file, "-q", "--set", "evaluate.parallel=1", environment=self.environment)
            self.assertIn("evaluation 5: cannot start (exit code 1): srun: error: Unable to", outcome.err)
            self.assertIn("simulations can be started again", outcome.err)
            history = self.succeed("export", "fast.campaign").out
            self.assertNotIn(",failed,", history)
            for path in (*self.folder.glob("refused.*"), self.folder / "fast.campaign"):
                shutil.rmtree(path)

    def test_steps_of_a_job_that_ends_are_no_failures(self):
        """SLURM ends the steps of a job first, refuses others, and kills gannet, without a signal before, seconds later."""
        self.environment = {"SECONDS_EACH": "0.1", "SLURM_JOB_ID": "4711"}
        self.write(SIMULATION.replace("sleep", """\
cd "$GANNET_INPUT_DIRECTORY"
if [ -e ending ]; then
  mkdir ended 2>/dev/null && exit 143
  echo "srun: error: Unable to create step for job 4711: Job/step already completing or completed" >&2
  exit 1
fi
cd "$GANNET_WORKDIR"
sleep"""), "simulate.sh", 0o755)
        self.file = self.write(COMMAND)
        running = self.start("run", self.file, "-q", ranks=2, environment=self.environment)
        self.wait_for_records(8, running)
        (self.folder / "ending").touch()
        outcome = self.stopped(running, 40, "SLURM ends the job")
        self.assertIn("SLURM takes no further steps of this job", outcome.err)
        self.assertNotIn(",failed,", self.succeed("export", "fast.campaign").out)
        (self.folder / "ending").rename(self.folder / "ended" / "ending")
        self.finish(ranks=0)

    def test_a_simulation_inside_the_job_delays_a_stop_by_itself_only(self):
        """Not by all those that are still to be run in the same batch."""
        file = self.write(slow(BRANIN, 6))
        running = self.start("run", file, "-q")
        self.wait_for_records(3, running)
        os.kill(running.process.pid, signal.SIGTERM)
        self.stopped(running, 18, "Terminated")


if __name__ == "__main__":
    program.main()
