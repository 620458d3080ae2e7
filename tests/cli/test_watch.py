# test: labels cli timeout 120 processors 1
"""Looking on: in a terminal of any size, in a file, at campaigns that run, ended, stopped or are damaged."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

import program
from program import BRANIN, DAMAGED, FAILURES, FINISHED, INFEASIBLE, RESUMABLE, SOBOL, USAGE, slow

FAILING = """\
#!/bin/sh
case $GANNET_EVAL_ID in
  1) printf 'mesh \\033[2Jfolded' >&2; exit 3 ;;
  2) echo 'fail no flow' > "$GANNET_RESULTS"; exit 0 ;;
esac
[ "$GANNET_EVAL_ID" -ge 4 ] && until [ -e go ]; do sleep 0.02; done
printf 'objective %s\\nstress 1\\n' "$GANNET_EVAL_ID" > "$GANNET_RESULTS"
"""
COMMAND = """\
name: fast
method: sobol
variables:
  x: {lower: 0, upper: 1}
  kind: {type: categorical, values: [plain, fancy]}
constraints: {stress: {upper: 2}}
batch: 4
budget: {evaluations: 8, failures: {rate: 1}}
evaluate: {backend: command, command: ["{input_directory}/s.sh"], parallel: 4, retries: 0}
"""
ENTER, LEAVE = "\033[?1049h", "\033[?1049l"


def plain(text):
    return re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", text)


class Terminal:
    """gannet watch in a pseudo-terminal, with what it wrote so far."""

    def __init__(self, case, *words, width=80, height=24, **environment):
        pid, self.fd = pty.fork()
        if pid == 0:
            os.chdir(case.folder)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
            base = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "LC_ALL", "LC_CTYPE")}
            os.execve(program.GANNET, [program.GANNET, "watch", *words],
                      {**base, **program.SCRATCH, "TERM": "xterm", "LANG": "C.UTF-8", **environment})
        self.pid, self.text, self.code, self.case = pid, "", None, case
        self.before = termios.tcgetattr(self.fd)
        case.terminals.append(self)

    def read(self, seconds=0.0):
        while self.code is None and select.select([self.fd], [], [], seconds)[0]:
            try:
                part = os.read(self.fd, 65536)
            except OSError:
                part = b""
            if not part:
                self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            self.text += part.decode(errors="replace")
        return self.text

    def until(self, words, timeout=60):
        self.until_match(re.escape(words), timeout)

    def until_match(self, pattern, timeout=60):
        end = time.monotonic() + timeout
        while not re.search(pattern, plain(self.read(0.05))) and self.code is None:
            self.case.assertLess(time.monotonic(), end, self.text)
        self.case.assertRegex(plain(self.text), pattern)

    def wait(self, timeout=60):
        end = time.monotonic() + timeout
        while self.code is None:
            self.case.assertLess(time.monotonic(), end, self.text)
            self.read(0.05)
        return self.code

    def frames(self):
        """The lines of every frame that was drawn on the other screen."""
        inside = self.text[self.text.index(ENTER):self.text.index(LEAVE)]
        return [re.split("\r+\n", plain(frame)) for frame in inside.split("\033[H")[1:]]

    def after(self):
        """What stays on the screen."""
        return plain(self.text[self.text.index(LEAVE):])

    def send(self, keys):
        os.write(self.fd, keys.encode())

    def resize(self, width, height):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def close(self):
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


class Watch(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.terminals = []

    def tearDown(self):
        for terminal in self.terminals:
            terminal.close()
        super().tearDown()

    def held(self, text=COMMAND):
        """A campaign whose second batch runs until the file go is there."""
        self.write(FAILING.replace("-e go", f"-e {self.folder}/go"), "s.sh", 0o755)
        running = self.start("run", self.write(text), "-q")
        self.wait_until(lambda: self.records() >= 9 or running.process.poll() is not None)
        return running

    def let_go(self, running, code=FINISHED):
        (self.folder / "go").touch()
        self.assertEqual(running.wait().code, code)

    def test_a_live_campaign_in_a_terminal(self):
        running = self.held()
        seen = Terminal(self, "fast.campaign", "--interval", "0.05s", height=40)
        for row in range(4, 8):  # the last of them may not have begun when the first view is drawn
            seen.until_match(rf"{row:06d}     1  [0-9.]+ m?s +{row - 4}  process \d+ on ")
        view = "\n".join(seen.text and plain(seen.text).split("\r\n"))
        for words in ("at work: process", "4 of 8, 50 %", "2 done", "1 cannot run", "1 failed", "(4 running, 0 waiting)",
                      "best        0 (evaluation 0", "kind = plain", "stress = 1 (up to 2)", "proposals   last",
                      "q leaves", "000001  failed (exit code): exit code 3; stderr: mesh", "000002  cannot run (word): no flow"):
            self.assertIn(words, view)
        self.assertNotIn("\033[2J", seen.text)  # a text of the simulation does not drive the terminal
        self.let_go(running)
        self.assertEqual(seen.wait(), FINISHED)
        self.assertIn("state       finished", seen.after())
        self.assertIn("8 of 8, 100 %", seen.after())
        self.assertGreater(len(seen.frames()), 1)
        self.assertEqual(termios.tcgetattr(seen.fd) if seen.code is None else seen.before, seen.before)

    def test_leaving_leaves_everything_as_it_was(self):
        running = self.held()
        for keys in "q", "\x03":
            seen = Terminal(self, "fast.campaign", "--interval", "60s")
            seen.until("q leaves")
            self.assertFalse(termios.tcgetattr(seen.fd)[3] & termios.ECHO)
            began = time.monotonic()
            seen.send(keys)
            seen.until("\n")
            while "\033[?25h" not in seen.read(0.02):
                self.assertLess(time.monotonic() - began, 30)
            after = termios.tcgetattr(seen.fd) if seen.code is None else seen.before
            self.assertEqual(seen.wait(), FINISHED)
            self.assertLess(time.monotonic() - began, 30)
            self.assertEqual(after[3], seen.before[3])
            self.assertIn("at work", seen.after())
        self.assertIsNone(running.process.poll())
        self.let_go(running)
        self.assertEqual(self.succeed("verify", "fast.campaign").err, "")

    def test_narrow_and_low_terminals(self):
        running = self.held()
        seen = Terminal(self, "fast.campaign", "--interval", "60s", width=30, height=9)
        seen.until("best")
        seen.resize(46, 14)
        seen.until("q leaves")
        end = time.monotonic() + 10
        while seen.text.count("\033[H") < 2 and time.monotonic() < end:
            seen.read(0.05)
        seen.send("q")
        self.assertEqual(seen.wait(), FINISHED)
        small, larger = seen.frames()[0], seen.frames()[-1]
        self.assertLessEqual(len(small), 9)
        self.assertLessEqual(max(map(len, small)), 30)
        self.assertTrue(30 < max(map(len, larger)) <= 46)
        self.assertLessEqual(len(larger), 14)
        self.let_go(running)

    def test_without_colours_without_unicode_and_dumb(self):
        self.succeed("run", self.write(SOBOL), "-q")
        outcome = self.gannet("watch", "fast.campaign", "--once", wrapper=["sh", "-c", 'exec "$@" > /dev/full', "-"])
        self.assertEqual(outcome.code, program.RESOURCE, outcome)
        seen = Terminal(self, "fast.campaign", NO_COLOR="1", LANG="C")
        self.assertEqual(seen.wait(), FINISHED)
        self.assertNotRegex(seen.text, r"\033\[[0-9;]*m")
        self.assertTrue(seen.text.isascii())
        self.assertIn("####", seen.text)
        colored = Terminal(self, "fast.campaign")
        self.assertEqual(colored.wait(), FINISHED)
        self.assertRegex(colored.text, r"\033\[[0-9;]*m")
        dumb = Terminal(self, "fast.campaign", TERM="dumb")
        self.assertEqual(dumb.wait(), FINISHED)
        self.assertNotIn("\033", dumb.text)
        self.assertIn("24/24 ended", dumb.text)

    def test_lines_for_a_file(self):
        running = self.held()
        watching = self.start("watch", "fast.campaign", "-i", "0.05s")
        self.wait_until(lambda: "4 running" in watching.text(watching.out))
        self.let_go(running)
        outcome = watching.wait()
        self.assertEqual(outcome.code, FINISHED, outcome)
        self.assertNotIn("\033", outcome.out)
        lines = outcome.out.splitlines()
        for line in lines:
            self.assertRegex(line, r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ  ")
        self.assertEqual(sum("evaluation 1 failed (exit code)" in line for line in lines), 1)
        self.assertIn("8/8 ended: 6 done, 1 cannot run, 1 failed; 6 of 6 feasible; 0 running; best 0 (evaluation 0)", outcome.out)
        self.assertTrue(lines[-1].endswith("  finished"), outcome)
        counts = [line.split("Z  ")[1] for line in lines if " ended: " in line]
        self.assertEqual(len(counts), len(set(counts)))  # a line for a change

    def test_the_exit_code_is_that_of_the_campaign(self):
        self.write("#!/bin/sh\nexit 1\n", "s.sh", 0o755)
        self.succeed("run", self.write(COMMAND), "-q", code=INFEASIBLE)
        self.assertIn("no result yet", self.succeed("watch", "fast.campaign", code=INFEASIBLE).out)
        text = COMMAND.replace("rate: 1", "rate: 0.1, minimum: 4")
        self.succeed("run", self.write(text), "-q", "--directory", "f", code=FAILURES)
        self.assertIn("4 of 4 evaluations failed", self.succeed("watch", "f", code=FAILURES).out)

    def test_stopped_and_killed_campaigns_can_come_back(self):
        running = self.start("run", self.write(slow(SOBOL, 0.1)), "-q", "--max-evals", 400)
        self.wait_for_records(6, running)
        running.process.send_signal(signal.SIGTERM)
        self.assertEqual(running.wait().code, RESUMABLE)
        self.assertIn("stopped: ", self.succeed("watch", "fast.campaign", "-i", "0.2s", code=RESUMABLE).out)
        running = self.start("run", self.write(slow(SOBOL, 0.1)), "-q", "--resume", "--max-evals", 400)
        before = self.records()
        self.wait_for_records(before + 2, running)
        running.kill()
        self.assertIn("did not say why", self.succeed("watch", "fast.campaign", "-i", "0.2s", code=RESUMABLE).out)
        watching = self.start("watch", "fast.campaign", "--stay", "-i", "0.05s")
        self.wait_until(lambda: "stopped" in watching.text(watching.out))
        self.succeed("run", self.write(SOBOL), "-q", "--resume", "--max-evals", 60)
        self.wait_until(lambda: "60/60 ended" in watching.text(watching.out))
        self.wait_until(lambda: watching.text(watching.out).endswith("finished\n"))
        self.assertIsNone(watching.process.poll())

    def test_a_campaign_by_hand_is_waited_for(self):
        file = self.write(BRANIN.replace("backend: function, simulation: branin, parallel: 4", "backend: manual")
                          .replace("evaluations: 24", "evaluations: 2").replace("batch: 4", "batch: 2"))
        self.succeed("ask", file)
        watching = self.start("watch", "fast.campaign", "-i", "0.05s")
        self.wait_until(lambda: "gannet tell" in watching.text(watching.out) or watching.process.poll() is not None)
        self.succeed("tell", "fast.campaign", "--id", 0, "--objective", 3)
        self.succeed("tell", "fast.campaign", "--id", 1, "--objective", 2)
        outcome = watching.wait()
        self.assertEqual(outcome.code, FINISHED, outcome)
        self.assertIn("2/2 ended: 2 done, 0 cannot run, 0 failed; 0 running; best 2 (evaluation 1)", outcome.out)

    def test_a_scheduler_that_does_not_answer_leaves_jobs_unknown(self):
        for tool in "sbatch", "scancel", "scontrol", "sacct":
            self.write("#!/bin/sh\necho 17\n", tool, 0o755)
        self.write("#!/bin/sh\n[ -e well ] || { echo 'Unable to contact slurm controller' >&2; exit 1; }\n"
                   "echo '17|RUNNING|n1|x|/x'\n".replace("-e well", f"-e {self.folder}/well"), "squeue", 0o755)
        tools = "".join(f", {tool}_command: ./{tool}" for tool in ("sbatch", "squeue", "scancel", "scontrol", "sacct"))
        text = SOBOL.replace("backend: function, simulation: branin", f"backend: slurm, command: [./s], poll_interval: 0.1s{tools}")
        self.write("#!/bin/sh\n", "s", 0o755)
        running = self.start("run", self.write(text), "-q")
        self.wait_until(lambda: (self.folder / "fast.campaign/slurm/silent").exists() or running.process.poll() is not None)
        told = self.succeed("status", "fast.campaign").out
        self.assertRegex(told, r"scheduler    since \S+Z, for [^:]+: squeue does not answer \(Unable to contact slurm controller\): "
                               "submitted jobs are unknown, none is given up")
        view = self.succeed("watch", "fast.campaign", "--once").out
        self.assertIn("(4 submitted, state unknown, 0 waiting)", view)
        self.assertIn("squeue does not answer", view)
        terminal = Terminal(self, "fast.campaign", width=60)
        terminal.until("none is given up")
        terminal.send("q")
        terminal.wait()
        self.assertLessEqual(max(len(line) for frame in terminal.frames() for line in frame), 60)
        watching = self.start("watch", "fast.campaign", "-i", "0.05s")
        self.wait_until(lambda: "squeue does not answer" in watching.text(watching.out))
        self.write("", "well")
        self.wait_until(lambda: "state of the jobs is known again" in watching.text(watching.out))
        view = self.succeed("watch", "fast.campaign", "--once").out
        self.assertNotIn("unknown", view)
        self.assertIn("(4 submitted, 0 waiting)", view)  # in the queue or not: the files do not tell
        self.assertRegex(view, r"submitted +number +try")
        self.assertNotIn("scheduler", self.succeed("status", "fast.campaign").out)

    def test_words_of_a_scheduler_that_takes_no_jobs_do_not_make_them_unknown(self):
        """What the note means is not looked for in what sbatch said."""
        self.write("#!/bin/sh\n[ -e well ] && echo 17 && exit\necho 'Temporary failure: unknown host' >&2; exit 1\n".replace(
            "-e well", f"-e {self.folder}/well"), "sbatch", 0o755)
        for tool, says in ("squeue", "17|RUNNING|n1|x|/x"), ("scancel", ""), ("scontrol", ""), ("sacct", ""):
            self.write(f"#!/bin/sh\necho '{says}'\n", tool, 0o755)
        tools = "".join(f", {tool}_command: ./{tool}" for tool in ("sbatch", "squeue", "scancel", "scontrol", "sacct"))
        self.write("#!/bin/sh\n", "s", 0o755)
        text = SOBOL.replace("backend: function, simulation: branin", f"backend: slurm, command: [./s], poll_interval: 0.1s, grace: 1s{tools}")
        running = self.start("run", self.write(text), "-q")
        note = self.folder / "fast.campaign/slurm/silent"
        self.wait_until(lambda: note.exists() or running.process.poll() is not None)
        view = self.succeed("watch", "fast.campaign", "--once").out
        self.assertIn("unknown host", view)
        self.assertNotIn("state unknown", view)
        watching = self.start("watch", "fast.campaign", "-i", "0.05s")
        self.wait_until(lambda: "unknown host" in watching.text(watching.out))
        self.write("", "well")
        self.wait_until(lambda: "SLURM takes and starts jobs again" in watching.text(watching.out))

    def test_damaged_and_missing_directories(self):
        self.succeed("run", self.write(SOBOL), "-q")
        journal = self.folder / "fast.campaign" / "journal"
        sound = journal.read_bytes()
        journal.write_bytes(sound.replace(b'"result"', b'"resulT"', 1))
        outcome = self.succeed("watch", "fast.campaign", code=DAMAGED)
        self.assertIn("is damaged", outcome.out)
        self.assertIn("snapshot", outcome.out)
        self.assertIn("24 of 24", self.succeed("watch", "fast.campaign", "--once", code=DAMAGED).out)
        for name in "state.h5", "state.h5.1":
            (self.folder / "fast.campaign" / name).unlink(missing_ok=True)
        self.assertIn("is damaged", self.succeed("watch", "fast.campaign", code=DAMAGED).err)
        journal.write_bytes(sound[:-20])  # a torn end is none of the reader's business
        self.assertIn("24 proposed", self.succeed("status", "fast.campaign").out)
        self.succeed("watch", "fast.campaign", "--once")
        self.assertIn("not a campaign directory", self.succeed("watch", "nowhere", code=USAGE).err)
        self.assertIn("--interval", self.succeed("watch", "fast.campaign", "-i", "0", code=USAGE).err)
        self.assertIn("--interval", self.succeed("watch", "fast.campaign", "-i", "soon", code=USAGE).err)


    def test_a_journal_that_lost_its_end_is_damaged_as_status_says(self):
        """The snapshot knows more; a campaign that seems finished by it is not called so."""
        self.succeed("run", self.write(SOBOL), "-q")
        journal = self.folder / "fast.campaign" / "journal"
        sound = journal.read_bytes()
        journal.write_bytes(b"".join(sound.splitlines(keepends=True)[:-3]))
        told = "journal ends with record [0-9]+, but the snapshot has [0-9]+"
        self.assertRegex(self.succeed("status", "fast.campaign").out, "DAMAGED: the " + told)
        outcome = self.succeed("watch", "fast.campaign", code=DAMAGED)
        self.assertRegex(outcome.out, told)
        self.assertNotIn("finished", outcome.out)
        outcome = self.succeed("watch", "fast.campaign", "--once", code=DAMAGED)
        self.assertRegex(outcome.out, "(?s)stopped: the journal is damaged.*" + told)
        self.assertIn("24 of 24", outcome.out)
        for name in "state.h5", "state.h5.1":
            (self.folder / "fast.campaign" / name).unlink(missing_ok=True)
        journal.write_bytes(sound.splitlines(keepends=True)[0])
        self.assertIn("has no records", self.succeed("watch", "fast.campaign", code=DAMAGED).err)


if __name__ == "__main__":
    program.main()
