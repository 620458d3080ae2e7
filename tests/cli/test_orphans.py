# test: labels cli timeout 120 processors 1
"""Nothing that a simulation has started outlives it, whoever is killed."""
import json
import os
import pathlib
import signal
import subprocess

import program

ONE = """\
name: fast
method: sobol
variables: {x: {lower: 0, upper: 1}}
batch: %d
budget: {evaluations: %d}
evaluate: {backend: command, command: [./simulate.sh], parallel: 4, kill_grace: 0.5s, %s}
"""


def name_of(pid):
    return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()


def running(seconds):
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as stream:
                words = stream.read().split(b"\0")
            with open(f"/proc/{entry}/stat") as stream:
                state = stream.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if words[:2] == [b"sleep", seconds.encode()] and state != "Z":
            found.append(int(entry))
    return found


class Orphans(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.seconds = f"3{os.getpid() % 10000:04}.{id(self) % 1000:03}5"  # no other test sleeps so long

    def tearDown(self):
        for pid in running(self.seconds):
            os.kill(pid, signal.SIGKILL)
        super().tearDown()

    def campaign(self, script, batch=1, evaluations=1, keys="retries: 0"):
        self.write("#!/bin/sh\n" + script.replace("SLEEP", f"sleep {self.seconds}"), "simulate.sh", 0o755)
        return self.write(ONE % (batch, evaluations, keys))

    def wait_for_sleeps(self, n):
        self.wait_until(lambda: len(running(self.seconds)) == n)

    def descendants(self, pid):
        with open(f"/proc/{pid}/task/{pid}/children") as stream:
            children = list(map(int, stream.read().split()))
        return children + [below for child in children for below in self.descendants(child)]

    def test_a_process_with_a_session_and_an_environment_of_its_own_is_ended(self):
        hidden = "(setsid env -i SLEEP >/dev/null 2>&1 &)\nsleep 0.3\n"
        self.succeed("run", self.campaign(hidden + 'echo "objective 1" > $GANNET_RESULTS\n', 4, 8), "-q")
        self.assertEqual(running(self.seconds), [])
        self.check_history(8)

    def test_it_meets_the_time_limit_of_its_simulation(self):
        script = "(setsid env -i SLEEP >/dev/null 2>&1 &)\nif [ $GANNET_EVAL_ID = 0 ]; then exec SLEEP; fi\n" \
                 "sleep 4; echo \"objective 1\" > $GANNET_RESULTS\n"
        started = self.start("run", self.campaign(script, 2, 2, "time_limit: 1s, retries: 0"
                                                  ).rename(self.folder / "limit.yaml"), "-q", "-d", "fast.campaign")
        self.wait_for_sleeps(3)
        outcome = started.wait()
        self.assertEqual(running(self.seconds), [])
        self.assertEqual([row["status"] for row in self.history()], ["failed", "failed"], outcome)

    def test_a_resume_ends_what_a_killed_controller_and_helper_have_left(self):
        script = "if [ -e done ] || [ -e $GANNET_INPUT_DIRECTORY/quick ]; then echo \"objective 1\" > $GANNET_RESULTS; " \
                 "exit; fi\n(setsid env -i SLEEP &)\nSLEEP\n"
        file = self.campaign(script, 2, 2)
        started = self.start("run", file, "-q")
        self.wait_for_sleeps(4)
        self.wait_until(lambda: all('"boot"' in (self.folder / f"fast.campaign/evals/{i:06}/attempt.json").read_text()
                                    for i in range(2)))
        tree = self.descendants(started.process.pid)
        own = [started.process.pid, *(pid for pid in tree if name_of(pid).startswith(("gannet", "sim-")))]
        for number in signal.SIGSTOP, signal.SIGKILL:  # at once
            for pid in own:
                os.kill(pid, number)
        started.process.wait()
        self.assertNotEqual(running(self.seconds), [])
        (self.folder / "quick").touch()
        outcome = self.succeed("run", file, "-q", "--resume")
        self.assertIn("that an earlier gannet had left running", outcome.err)
        self.assertEqual(running(self.seconds), [])
        self.check_history(2)

    def test_a_killed_helper_leaves_nothing(self):
        file = self.campaign("(setsid env -i SLEEP &)\nSLEEP\n", 2, 2)
        started = self.start("run", file, "-q")
        self.wait_for_sleeps(4)
        helper = [pid for pid in self.descendants(started.process.pid)
                  if name_of(pid) == "gannet-launcher"]
        for pid in [started.process.pid, helper[0]]:
            os.kill(pid, signal.SIGKILL)
        started.process.wait()
        self.wait_for_sleeps(0)

    def test_a_stranger_with_the_same_number_is_left_alone(self):
        file = self.campaign("if [ -e $GANNET_INPUT_DIRECTORY/quick ]; then echo \"objective 1\" > $GANNET_RESULTS; "
                             "else SLEEP; fi\n")
        started = self.start("run", file, "-q")
        path = self.folder / "fast.campaign/evals/000000/attempt.json"
        self.wait_until(lambda: path.exists() and '"boot"' in path.read_text())
        started.kill()
        stranger = subprocess.Popen(["sleep", self.seconds], start_new_session=True, cwd=self.folder)
        about = json.loads(path.read_text())
        about["pid"] = stranger.pid
        path.write_text(json.dumps(about))
        (self.folder / "quick").touch()
        self.succeed("run", file, "-q", "--resume")
        self.assertIsNone(stranger.poll())
        stranger.kill()
        stranger.wait()


if __name__ == "__main__":
    program.main()
