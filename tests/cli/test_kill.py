# test: labels cli timeout 240 processors 1
"""kill -9 of everything, or of one rank, at any moment: nothing is lost, nothing is done twice, nothing is left."""
import collections
import csv
import io
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
ASYNCHRONOUS = COMMAND.replace("parallel: 4,", "parallel: 4, mode: asynchronous,")

# Kills per test for a thorough run: GANNET_TEST_KILLS=34 makes about a hundred of them altogether.
KILLS = int(os.environ.get("GANNET_TEST_KILLS", 0))


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

    def test_a_campaign_inside_the_job_survives_kills(self):
        text = BRANIN.replace("evaluations: 24", "evaluations: 40")
        digest = self.reference(text)

        def check():
            self.check_history(40)
            self.assertEqual(self.digest(), digest)

        self.survive(self.write(slow(text, 0.15)), KILLS or 40, 1.2, check)

    def test_a_campaign_of_programs_survives_kills(self):
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

        self.survive(file, KILLS or 8, 1.2, check, {"LEDGER": str(calls)})

    def test_an_asynchronous_campaign_survives_kills(self):
        """Its course depends on time, so there is no digest to compare with."""
        self.write(SIMULATION, "simulate.sh", 0o755)
        calls = self.folder / "calls"

        def check():
            self.digest()
            self.check_history(24)
            self.check_calls(calls.read_text())
            calls.unlink()

        self.survive(self.write(ASYNCHRONOUS), KILLS or 6, 1.2, check, {"LEDGER": str(calls)})

    def test_a_killed_simulation_is_run_again(self):
        self.write(SIMULATION, "simulate.sh", 0o755)
        calls = self.folder / "calls"
        running = self.start("run", self.write(ASYNCHRONOUS), "-q", environment={"LEDGER": str(calls)})
        killed = 0
        while running.process.poll() is None:
            lines = calls.read_text().splitlines() if calls.exists() else []
            if len(lines) > 4 * killed and killed < (KILLS or 5):
                evaluation, _, pid = lines[-1].split()
                try:
                    os.killpg(int(pid), signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
            time.sleep(0.01)
        self.assertEqual(running.wait().code, FINISHED, running.outcome(None))
        self.assertGreater(killed, 0)
        rows = self.check_history(24)
        self.assertEqual({row["status"] for row in rows}, {"done"})
        again = sum(int(row["attempts"]) - 1 for row in rows)
        self.assertGreaterEqual(again, 1)
        bars = list(csv.DictReader(io.StringIO(
            self.succeed("export", "fast.campaign", "--timeline").out)))
        self.assertEqual(len(bars), 24 + again)
        failed = [bar for bar in bars if bar["status"] == "failed"]
        self.assertEqual({bar["failure"] for bar in failed}, {"signal"})
        for one, two in zip(bars, bars[1:]):  # simulations of one slot do not overlap
            if one["slot"] == two["slot"]:
                self.assertLessEqual(one["ended"], two["started"])

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
        file, reference = self.write(slow(BRANIN, 0.1)), self.reference()
        for _ in range(max(1, KILLS // 4)):
            for victim in 2, 1:
                running = self.start("run", file, "--resume", "-q", ranks=3)
                records = max(self.records(), 0)
                self.wait_for_records(records + 3, running)
                os.kill(running.ranks()[victim], signal.SIGKILL)
                outcome = running.wait(30)
                self.assertNotIn(outcome.code, (0, program.RESUMABLE), outcome)
                self.wait_until(lambda: not running.pids())
            self.succeed("run", file, "--resume", "-q", ranks=2)
            self.assertEqual(self.digest(), reference)
            shutil.rmtree(self.folder / "fast.campaign")

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
