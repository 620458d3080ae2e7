# test: labels cli timeout 180 processors 1
"""Simulations that cannot be started: nothing counts as failed, and what may pass is waited for."""
import errno
import os
import re
import signal
import time

import program
from program import FINISHED, RESUMABLE, USAGE

SOBOL = """\
name: fast
method: sobol
variables: {x: {lower: 0, upper: 1}}
batch: 4
budget: {evaluations: %d}
evaluate: {backend: command, %s, parallel: 4, retries: 2}
"""
# Later ones wait for the test, so that the campaign does not end before something goes away.
GATE = 12
SIMULATION = f"#!%s\nsleep 0.05\nuntil [ $GANNET_EVAL_ID -lt {GATE} ] || [ -e $GANNET_INPUT_DIRECTORY/on ]; do sleep 0.05; done\necho \"objective 1\" > $GANNET_RESULTS\n"
AWAY = ("cannot start", "such attempts do not count")


class Launch(program.ProgramTest):
    def campaign(self, evaluations, keys="command: [./simulate.sh]", script=SIMULATION % "/bin/sh"):
        self.write(script, "simulate.sh", 0o755)
        return self.write(SOBOL % (evaluations, keys))

    def log(self):
        return (self.folder / "fast.campaign/campaign.log").read_text()

    def all_done(self, n):
        rows = self.check_history(n)
        self.assertEqual({(row["status"], row["attempts"]) for row in rows}, {("done", "1")})

    def survive(self, n, keys, away, back, words=("cannot start",), **options):
        """Something goes away while the campaign runs, and comes back after a while."""
        running = self.start("run", self.campaign(n, keys, **options), "-q")
        self.wait_for_records(8, running)
        away()
        self.write("", "on")
        self.wait_until(lambda: running.process.poll() is not None or any(word in self.log() for word in ("cannot start", *words)))
        time.sleep(1.2)
        self.assertIsNone(running.process.poll(), running.outcome(None))
        back()
        outcome = running.wait()
        self.assertEqual(outcome.code, FINISHED, outcome)
        self.all_done(n)
        for text in *words, "simulations can be started again":
            self.assertIn(text, self.log())
        return self.log()

    def moved(self, name):
        path, elsewhere = self.folder / name, self.folder / "elsewhere"
        return lambda: path.rename(elsewhere), lambda: elsewhere.rename(path)

    def test_a_program_that_is_away_is_waited_for(self):
        log = self.survive(28, "command: [./simulate.sh]", *self.moved("simulate.sh"), AWAY)
        # A reason is given once. There are two when the script goes between its start and the shell that opens it.
        reasons = re.findall(r"cannot start .*?; it is tried", log)
        self.assertTrue(all(one != next for one, next in zip(reasons, reasons[1:])), log)
        self.assertIn(len(set(reasons)), (1, 2), log)

    def test_an_interpreter_that_is_away_is_waited_for(self):
        (self.folder / "interpreter").symlink_to("/bin/sh")
        self.survive(28, "command: [./simulate.sh]", *self.moved("interpreter"), AWAY,
                     script=SIMULATION % (self.folder / "interpreter"))

    def test_a_program_that_is_being_written_is_waited_for(self):
        stream = []

        def begin():
            """Linux refuses to open a program for writing during the moment in which it starts."""
            try:
                stream.append(open(self.folder / "simulate.sh", "a"))
            except OSError as error:
                self.assertEqual(error.errno, errno.ETXTBSY)
            return stream

        self.survive(28, "command: [./simulate.sh]", lambda: self.wait_until(begin), lambda: stream.pop().close(),
                     ("Text file busy",))

    def test_a_template_that_is_away_is_waited_for(self):
        self.write("x = {x}\n", "case.in")
        self.survive(28, "command: [./simulate.sh], templates: [case.in]", *self.moved("case.in"),
                     ("case.in", "such attempts do not count"))

    def test_a_command_of_the_shell_that_is_away_is_waited_for(self):
        self.survive(28, f"shell: '{self.folder}/simulate.sh; exit $?'", *self.moved("simulate.sh"),
                     ("exit code 127",))

    def test_a_script_of_the_shell_that_is_away_is_waited_for(self):
        """Some interpreters, dash and Python among them, end with 2 then."""
        for start in f"cd / && sh {self.folder}/simulate.sh", f"python3 '{self.folder}/simulate.sh' --fast":
            (self.folder / "fast.campaign").exists() and (self.folder / "fast.campaign").rename(self.folder / "before")
            (self.folder / "on").unlink(missing_ok=True)
            script = SIMULATION % "/bin/sh" if " sh " in start else \
                "import os, time\nhere, id = os.environ['GANNET_INPUT_DIRECTORY'], int(os.environ['GANNET_EVAL_ID'])\n" \
                f"while id >= {GATE} and not os.path.exists(here + '/on'): time.sleep(0.05)\nopen(os.environ['GANNET_RESULTS'], 'w').write('objective 1\\n')\n"
            self.survive(28, f"shell: \"{start}; exit $?\"", *self.moved("simulate.sh"), ("pen ",), script=script)

    def test_processes_that_are_not_there_are_waited_for(self):
        gate = self.folder / "no-processes"
        environment = {"LD_PRELOAD": os.environ["GANNET_REFUSING_FORK"], "GANNET_TEST_NO_FORK": str(gate)}
        file = self.campaign(40)
        running = self.start("run", file, "-q", environment=environment)
        self.wait_for_records(8, running)
        gate.touch()
        self.write("", "on")
        self.wait_until(lambda: "cannot start (fork): Resource temporarily unavailable" in self.log())
        gate.unlink()
        self.assertEqual(running.wait().code, FINISHED, running.outcome(None))
        self.all_done(40)

    def test_an_mpirun_that_cannot_begin_is_tried_again(self):
        """Two that begin and end at once on a node disturb each other; it happens once here."""
        file = self.campaign(8, script='#!/bin/sh\nif mkdir "$GANNET_INPUT_DIRECTORY/once" 2>/dev/null; then\n'
                                       '  echo "It looks like orte_init failed for some reason; your parallel process is" >&2\n  exit 1\nfi\n'
                                       'echo "objective 1" > $GANNET_RESULTS\n')
        self.succeed("run", file, "-q")
        self.all_done(8)
        self.assertIn("orte_init failed for some reason; your parallel process is; it is tried", self.log())

    def test_after_patience_the_campaign_stops_and_can_be_resumed(self):
        file = self.campaign(30, "patience: 1s, command: [./simulate.sh]")
        away, back = self.moved("simulate.sh")
        running = self.start("run", file, "-q")
        self.wait_for_records(8, running)
        away()
        self.write("", "on")
        outcome = running.wait()
        self.assertEqual(outcome.code, RESUMABLE, outcome)
        self.assertIn("no simulation can be started: cannot start (exec): No such file", outcome.err + outcome.out)
        self.assertEqual({row["status"] for row in self.history()}, {"done"})
        back()
        self.succeed("run", file, "-q", "--resume")
        self.all_done(30)

    def test_a_stop_does_not_wait_for_what_cannot_be_started(self):
        for number in signal.SIGUSR1, signal.SIGTERM:
            file = self.campaign(24)
            (self.folder / "on").unlink(missing_ok=True)
            away, back = self.moved("simulate.sh")
            running = self.start("run", file, "-q", "--resume")
            records = max(self.records(), 0)
            self.wait_for_records(records + 4, running)
            away()
            self.write("", "on")
            self.wait_until(lambda: self.log().count("cannot start") > self.log().count("again, after"))
            running.process.send_signal(number)
            self.assertEqual(running.wait(30).code, RESUMABLE)
            back()
            self.succeed("run", file, "-q", "--resume")
            self.all_done(24)
            program.shutil.rmtree(self.folder / "fast.campaign")

    def test_a_program_that_cannot_run_is_told_at_once(self):
        """Before anything runs, by the dry run, too."""
        file = self.campaign(8, script=SIMULATION % "/no/such/interpreter")
        for words in (), ("--dry-run",):
            outcome = self.succeed("run", file, "-q", *words, code=USAGE)
            self.assertIn("'/no/such/interpreter', the interpreter that its first line asks for", outcome.err)

    def test_what_only_a_launch_can_tell_ends_the_campaign_soon(self):
        file = self.campaign(8, "patience: 1s, command: [./simulate.sh]", script="no first line\n")
        outcome = self.succeed("run", file, "-q", code=USAGE)
        self.assertIn("Exec format error", outcome.err)
        self.assertIn("correct it and resume", outcome.err)
        self.assertEqual(self.history(), [])
        self.write(SIMULATION % "/bin/sh", "simulate.sh", 0o755)
        self.succeed("run", file, "-q", "--resume")
        self.assertEqual({row["status"] for row in self.check_history(8)}, {"done"})

    def test_words_about_one_design_are_a_failure_of_its_own(self):
        script = "#!/bin/sh\nif [ $GANNET_EVAL_ID = 5 ]; then no-such-tool; exit 127; fi\n" \
                 "echo \"objective 1\" > $GANNET_RESULTS\n"
        for keys in "patience: 1s, command: [./simulate.sh]", "mode: asynchronous, command: [./simulate.sh]":
            self.succeed("run", self.campaign(16, keys, script=script), "-q")
            rows = self.check_history(16)
            self.assertEqual([row["id"] for row in rows if row["status"] == "failed"], ["5"])
            program.shutil.rmtree(self.folder / "fast.campaign")


if __name__ == "__main__":
    program.main()
