# test: labels cli timeout 240
"""kill -9 of everything, or of one rank, at any moment: nothing is lost, nothing is done twice, nothing is left."""
import collections
import os
import random
import re
import shutil
import signal
import time

import program
from program import BRANIN, FAST, FINISHED, slow

# A simulation that says in one line, written at once, which attempt it is; it is found by the name of its nonce.
SIMULATION = """\
#!/bin/sh
echo "$GANNET_EVAL_ID $GANNET_NONCE $$" >> "$LEDGER"
sleep 0.15
awk '{v[$1] = $2} END {printf "objective %.17g\\n", (v["x1"] - 1)^2 + (v["x2"] - 2)^2}' "$GANNET_PARAMS" > "$GANNET_RESULTS"
"""
COMMAND = FAST + "evaluate: {backend: command, command: [./simulate.sh], parallel: 4, retries: 2}\n"


class Kill(program.ProgramTest):
    def survive(self, file, kills, longest, check, environment=None):
        """Kill so often at random moments and resume each time; check is called whenever a campaign ended, and the
        next one begins."""
        moments = random.Random(20240229)
        hit, begun = 0, 0
        while hit < kills:
            ranks = begun % 3 + 1
            running = self.start("run", file, "--resume", "-q", ranks=ranks, environment=environment)
            begun += 1
            time.sleep(moments.uniform(0.0, longest))
            if running.process.poll() is None:
                hit += 1
                self.assertTrue(running.kill(), f"left running: {running.pids()}")
            else:
                outcome = running.wait()
                self.assertEqual(outcome.code, FINISHED, outcome)
                check()
                shutil.rmtree(self.folder / "fast.campaign")
                continue
            outcome = self.gannet("verify", "fast.campaign")
            self.assertIn(outcome.code, (FINISHED, program.USAGE), outcome)
        self.succeed("run", file, "--resume", "-q", ranks=2, environment=environment, timeout=120)
        check()

    def test_a_campaign_inside_the_job_survives_forty_kills(self):
        text = BRANIN.replace("evaluations: 24", "evaluations: 40")
        digest = self.reference(text)

        def check():
            self.check_history(40)
            self.assertEqual(self.digest(), digest)

        self.survive(self.write(slow(text, 0.15)), 40, 1.2, check)

    def test_a_campaign_of_programs_survives_ten_kills(self):
        self.write(SIMULATION, "simulate.sh", 0o755)
        calls = self.folder / "calls"
        environment = {"LEDGER": str(self.folder / "whole-calls")}
        file = self.write(COMMAND)
        self.succeed("run", file, "-d", "whole.campaign", "-q", environment=environment)
        digest = self.digest("whole.campaign")

        def check():
            self.assertEqual(self.digest(), digest)
            self.check_history(24)
            self.check_calls(calls.read_text())
            calls.unlink()

        self.survive(file, 10, 1.2, check, {"LEDGER": str(calls)})

    def check_calls(self, text):
        """Every evaluation was accepted once, and what was accepted had been run under that name exactly once."""
        calls = collections.Counter(tuple(line.split()[:2]) for line in text.splitlines())
        journal = (self.folder / "fast.campaign" / "journal").read_text()
        accepted = re.findall(r'"record":"result","id":(\d+),"final":true', journal)
        self.assertEqual(sorted(map(int, accepted)), list(range(24)))
        nonces = dict(re.findall(r'\[(\d+),\d+,"([0-9a-f]{16})"\]', journal))  # the last one of each counts
        for evaluation, nonce in nonces.items():
            self.assertEqual(sum(n for (i, name), n in calls.items()
                                 if int(i) == int(evaluation) and name == nonce), 1, (evaluation, nonce, calls))

    def test_one_killed_worker_ends_the_job_which_can_be_resumed(self):
        file = self.write(slow(BRANIN, 0.1))
        for victim in 2, 1:
            running = self.start("run", file, "--resume", "-q", ranks=3)
            records = max(self.records(), 0)
            self.wait_for_records(records + 3, running)
            os.kill(running.ranks()[victim], signal.SIGKILL)
            outcome = running.wait(30)
            self.assertNotIn(outcome.code, (0, program.RESUMABLE), outcome)
            self.wait_until(lambda: not running.pids())
        self.succeed("run", file, "--resume", "-q", ranks=2)
        self.assertEqual(self.digest(), self.reference())

    def test_simulations_die_with_their_controller(self):
        self.write("#!/bin/sh\nsleep 600 & wait\n", "simulate.sh", 0o755)
        running = self.start("run", self.write(COMMAND), "-q", ranks=2)
        self.wait_until(lambda: sum(is_sleep(pid) for pid in running.pids()) == 4)
        os.kill(running.ranks()[0], signal.SIGKILL)
        running.wait(30)
        self.wait_until(lambda: not running.pids())


def is_sleep(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as stream:
            return stream.read() == b"sleep\x00600\x00"
    except OSError:
        return False


if __name__ == "__main__":
    program.main()
