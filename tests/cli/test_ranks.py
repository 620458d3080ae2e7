# test: labels cli timeout 120
"""A rank in trouble ends the whole job, with its message and soon; nobody waits for the wall time."""
import os
import signal
import time

import program
from program import BRANIN, FINISHED, USAGE, slow


class Ranks(program.ProgramTest):
    def mixed(self, file, wrapper, ranks=2):
        """One rank is started through a wrapper."""
        words = [program.GANNET, "run", str(file), "-q", "--resume"]
        command = [program.MPIRUN, str(ranks - 1), *words, ":", "-n", "1", *wrapper, *words]
        running = program.Running(self, command, {**os.environ, **program.SCRATCH})
        self.started.append(running)
        return running

    def test_a_rank_without_memory_ends_the_job(self):
        """From far too little to start with, to hardly enough for the work."""
        file = self.write(BRANIN.replace("candidates: 500", "candidates: 200000"))
        wrong = 0
        for megabytes in 60, 300, 450, 520, 600:
            wrapper = ["sh", "-c", f"ulimit -v {megabytes * 1024}; exec \"$@\"", "sh"]
            begin = time.monotonic()
            outcome = self.mixed(file, wrapper).wait(60)
            self.assertLess(time.monotonic() - begin, 45, outcome)
            wrong += outcome.code != FINISHED
            if outcome.code != FINISHED:
                self.assertTrue(outcome.err.strip(), outcome)
        self.assertGreater(wrong, 0)
        self.succeed("run", file, "--resume", "-q", ranks=2, timeout=60)
        self.check_history(24)

    def test_commands_follow_each_other_below_one_launcher(self):
        """As in a shell that srun or mpirun started: the launcher serves only the first that asks it."""
        manual = self.write(BRANIN.split("evaluate:")[0] + "evaluate: {backend: manual}\n")
        command = [program.MPIRUN, "1", "bash", "-c", '"$0" ask "$1" --count 2 && "$0" tell fast.campaign --id 0 --objective 1 '
                   '&& "$0" tell fast.campaign --id 1 --objective 2 && "$0" ask fast.campaign', program.GANNET, str(manual)]
        running = program.Running(self, command, {**os.environ, **program.SCRATCH})
        self.started.append(running)
        outcome = running.wait(60)
        self.assertEqual(outcome.code, FINISHED, outcome)
        self.assertEqual(len([row for row in self.succeed("export", "fast.campaign").out.splitlines() if ",done," in row]), 2)

    def test_a_rank_that_stands_still_is_no_reason_to_fail(self):
        file = self.write(slow(BRANIN, 0.05))
        running = self.start("run", file, "-q", ranks=3)
        self.wait_for_records(4, running)
        victim = running.ranks()[1]
        os.kill(victim, signal.SIGSTOP)
        time.sleep(1)
        os.kill(victim, signal.SIGCONT)
        self.assertEqual(running.wait(60).code, FINISHED)
        self.check_history(24)

    def test_a_rank_that_sees_another_file_is_refused_by_all(self):
        """Only rank 0 reads; the other one starts with other settings."""
        file = self.write(BRANIN)
        words = [program.GANNET, "run", str(file), "-q"]
        command = [program.MPIRUN, "1", *words, ":", "-n", "1", *words, "--set", "batch=3"]
        running = program.Running(self, command, {**os.environ, **program.SCRATCH})
        self.started.append(running)
        outcome = running.wait(60)
        self.assertEqual(outcome.code, USAGE, outcome)
        self.assertIn("ranks have different settings of the campaign; start all of them by one command", outcome.err)
        self.assertFalse((self.folder / "fast.campaign" / "journal").exists())


if __name__ == "__main__":
    program.main()
