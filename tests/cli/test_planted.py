# test: labels cli timeout 300 processors 1
"""What others put in the place of gannet's files, do to them while it runs, or do not offer: no wait for ever, no
harm to files elsewhere, a message with the name, and nothing lost that was acknowledged."""
import os
import re
import shutil
import signal
import socket
import time
import unittest

import program
from program import BUSY, DAMAGED, FAILURES, FINISHED, INFEASIBLE, RESOURCE, RESUMABLE, SOBOL, USAGE, slow

MANUAL = """\
name: fast
seed: 3
method: sobol
variables:
  x: {lower: 0, upper: 1}
batch: 3
budget: {evaluations: 200}
evaluate: {backend: manual}
"""


def bind(path):
    """A socket's path is short: it is made from its folder."""
    here = os.getcwd()
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as endpoint:
        endpoint.bind(path.name)
    os.chdir(here)


def grow(path):
    path.touch()
    os.truncate(path, 1 << 40)


KINDS = {"fifo": (os.mkfifo, "a FIFO"), "zero": (lambda path: path.symlink_to("/dev/zero"), "a character device"),
         "loop": (lambda path: path.symlink_to(path.name), "leads back to itself"), "folder": (os.mkdir, "a directory"),
         "socket": (bind, "a socket"), "huge": (grow, "more than")}


class Planted(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.place = self.folder / "fast.campaign"

    def plant(self, name, kind):
        path = self.place / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        KINDS[kind][0](path)
        return path

    def overwrite(self, path):
        with open(path, "r+b") as stream:
            stream.seek(200)
            stream.write(b"garbage")

    def test_logs_that_a_simulation_leaves(self):
        """The evaluation ends as the exit code says; neither run nor status waits."""
        for number, kind in enumerate(("fifo", "zero", "huge")):
            make = {"fifo": "mkfifo", "zero": "ln -s /dev/zero", "huge": "truncate -s 1T"}[kind]
            self.write(f"#!/bin/sh\nrm -f stderr.log stdout.log; {make} stderr.log; {make} stdout.log; exit 1\n", "s", 0o755)
            text = SOBOL.replace("backend: function, simulation: branin, parallel: 4",
                                 "backend: command, command: [./s], retries: 0, infeasible_text: [nothing]")
            name = f"{number}.campaign"
            outcome = self.gannet("run", self.write(text), "-q", "--max-evals", 2, "-d", name, timeout=60)
            self.assertIn(outcome.code, (INFEASIBLE, FAILURES), (kind, outcome))
            self.assertIn("failed", self.succeed("status", name, timeout=60).out)

    def test_files_of_a_campaign_that_are_none(self):
        self.succeed("run", self.write(SOBOL), "-q", "--max-evals", 12)
        kept = self.folder / "kept"
        self.place.rename(kept)
        for turn, name in enumerate(("journal", "state.h5", "campaign.yaml", "campaign.log", "history.csv", "journal.lock")):
            for kind in list(KINDS)[turn % 3::3]:
                shutil.copytree(kept, self.place)
                path = self.plant(name, kind)
                verify = self.gannet("verify", "fast.campaign", timeout=60)
                if name not in ("campaign.log", "journal.lock"):
                    self.assertEqual(verify.code, DAMAGED, verify)
                    if kind != "huge" and (name, kind) != ("campaign.yaml", "loop"):
                        self.assertIn(KINDS[kind][1], verify.out + verify.err)
                    self.assertIn(str(path.name), verify.out + verify.err)
                self.gannet("status", "fast.campaign", timeout=60)
                resumed = self.gannet("run", self.folder / "fast.yaml", "--resume", "-q", "--max-evals", 16, timeout=60)
                if name == "campaign.log":
                    self.assertIn("this run has no log", resumed.err) if kind != "huge" else None
                if name in ("journal.lock",) and kind != "huge":
                    self.assertEqual(resumed.code, DAMAGED, resumed)
                    self.assertIn("expected a regular file", resumed.err)
                elif kind != "folder" or name == "journal":
                    self.assertEqual(resumed.code, FINISHED, (name, kind, resumed))
                    self.check_history(16)
                shutil.rmtree(self.place)

    def test_links_lead_nowhere_else(self):
        """Somebody's file is not written to, whatever of gannet's links to it."""
        precious = self.write("precious", "precious")
        self.succeed("run", self.write(SOBOL), "-q", "--max-evals", 8)
        kept = self.folder / "kept"
        self.place.rename(kept)
        for name in ("journal", "journal.lock", "campaign.log", "history.csv", "state.h5.new", "history.csv.new",
                     "campaign.yaml.new", "report.html"):
            shutil.copytree(kept, self.place)
            (self.place / name).unlink(missing_ok=True)
            (self.place / name).symlink_to(precious)
            self.gannet("run", self.folder / "fast.yaml", "-q", "--max-evals", 12, "--resume", timeout=60)
            if name == "report.html":
                self.succeed("report", "fast.campaign", timeout=60)
            self.assertEqual(precious.read_text(), "precious", name)
            shutil.rmtree(self.place)

    def test_inputs_that_are_no_files(self):
        os.mkfifo(self.folder / "fifo.csv")
        os.mkfifo(self.folder / "fifo.h5")
        for name in "fifo.csv", "fifo.h5", "/dev/zero":
            self.write(SOBOL + f"candidates: {name}\n")
            outcome = self.succeed("run", "fast.yaml", "--dry-run", code=USAGE, timeout=60)
            self.assertIn("expected a regular file", outcome.err)
        self.assertIn("a FIFO", self.succeed("run", "fifo.csv", "--dry-run", code=USAGE, timeout=60).err)
        (self.folder / "real.yaml").write_text(SOBOL)
        (self.folder / "link.yaml").symlink_to("real.yaml")
        self.succeed("run", "link.yaml", "--dry-run")
        outcome = self.start("run", "/dev/stdin", "--dry-run", wrapper=("sh", "-c", 'cat real.yaml | "$@"', "sh")).wait()
        self.assertEqual(outcome.code, FINISHED, outcome)

    def test_a_journal_that_somebody_changes_while_a_campaign_runs(self):
        """Whatever is done to it: an answer that is not 0, and a campaign that goes on."""
        for number, hurt in enumerate((lambda path: path.unlink(), lambda path: os.truncate(path, 200),
                                       lambda path: (path.unlink(), path.write_text("something else\n")),
                                       self.overwrite)):
            name = f"{number}.campaign"
            running = self.start("run", self.write(slow(SOBOL, 0.05)), "-q", "--max-evals", 200, "-d", name)
            self.wait_for_records(12, running, directory=name)
            hurt(self.folder / name / "journal")
            outcome = running.wait(20)
            self.assertEqual(outcome.code, DAMAGED, outcome)
            self.assertIn("journal", outcome.err)
            self.succeed("run", self.write(SOBOL), "-q", "--max-evals", 40, "-d", name, "--resume")
            self.succeed("verify", name)

    def test_one_owner_without_locks(self):
        environment = {"LD_PRELOAD": os.environ["GANNET_NO_LOCKS"]}
        first = self.start("run", self.write(slow(SOBOL, 0.1)), "-q", "--max-evals", 400, environment=environment)
        self.wait_for_records(6, first)
        second = self.succeed("run", self.folder / "fast.yaml", "-q", "--resume", code=BUSY, environment=environment)
        self.assertIn(f"process {first.process.pid} on", second.err)
        self.assertIn("at work", self.succeed("watch", "fast.campaign", "--once").out)
        first.process.send_signal(signal.SIGTERM)
        outcome = first.wait()
        self.assertEqual(outcome.code, RESUMABLE, outcome)
        self.assertEqual(outcome.err.count("no locks"), 1, outcome)
        third = self.start("run", self.folder / "fast.yaml", "-q", "--resume", "--max-evals", 400, environment=environment)
        before = self.records()
        self.wait_for_records(before + 2, third)
        third.kill()  # its name stays, and is of a process that has ended
        fourth = self.succeed("run", self.write(SOBOL), "-q", "--resume", "--max-evals", 60, environment=environment)
        self.assertNotIn("no locks", fourth.err)
        self.assertFalse((self.place / "journal.lock.owner").exists())
        self.digest()

    def test_no_told_result_is_lost_without_locks(self):
        environment = {"LD_PRELOAD": os.environ["GANNET_NO_LOCKS"]}
        self.succeed("ask", self.write(MANUAL), "--count", 8, environment=environment)
        told = [self.start("tell", "fast.campaign", "--id", i, "--objective", f"{i}.5", environment=environment)
                for i in range(8)]
        self.assertEqual([running.wait(120).code for running in told], 8 * [FINISHED])
        self.succeed("ask", "fast.campaign", environment=environment)
        self.assertEqual(sum(row["status"] == "done" for row in self.history()), 8)
        self.digest()

    def test_a_number_that_is_in_use_again_is_not_the_owner(self):
        """The owner was killed, and its number was given to another process: here to this test."""
        running = self.start("run", self.write(slow(SOBOL, 0.1)), "-q", "--max-evals", 400)
        self.wait_for_records(6, running)
        self.assertIn("at work", self.succeed("watch", "fast.campaign", "--once").out)
        running.kill()
        self.assertIn("did not say why", self.succeed("watch", "fast.campaign", "--once", code=RESUMABLE).out)
        lock = self.place / "journal.lock"
        lock.write_text(re.sub(r"^\d+", str(os.getpid()), lock.read_text()))
        self.assertIn("stopped", self.succeed("watch", "fast.campaign", "-i", "0.2s", code=RESUMABLE, timeout=60).out)
        self.succeed("run", self.folder / "fast.yaml", "--resume", "--dry-run")

    def test_words_from_outside_do_not_reach_a_terminal_as_they_are(self):
        """Escape sequences, the eight-bit form of their beginning, and what turns a line around; exports keep them."""
        self.write("""#!/bin/sh
printf 'w\\033[31mo\\302\\23332m\\342\\200\\256rds\\n' >&2
case $GANNET_EVAL_ID in 1) exit 3;; esac
echo "objective 1" > results.out
""", "s", 0o755)
        file = self.write("""\
name: fast
method: sobol
variables: {x: {lower: 0, upper: 1}, y: {type: categorical, values: ["a\\e[2Jb", "c\\u202ed", "e\\u0085\\u009b31mf\\u2066"]}}
batch: 4
budget: {evaluations: 8}
evaluate: {backend: command, command: [./s], retries: 0}
""")
        for words in (("run", file), ("best", "fast.campaign", "--count", 8), ("watch", "fast.campaign", "--once"),
                      ("watch", "fast.campaign"), ("status", "fast.campaign"), ("verify", "fast.campaign")):
            outcome = self.gannet(*words, timeout=60)
            text = outcome.out + outcome.err
            self.assertRegex(text, "eval|feasible|ended")
            bad = [hex(ord(c)) for c in text if ord(c) < 32 and c not in "\n\t" or 0x7f <= ord(c) < 0xa0
                   or 0x202a <= ord(c) <= 0x202e or 0x2066 <= ord(c) <= 0x2069]
            self.assertEqual(bad, [], words)
        self.assertEqual({row["y"] for row in self.history()}, {"a\x1b[2Jb", "c\u202ed", "e\u0085\u009b31mf\u2066"})

    def test_rows_that_are_doubled_swapped_or_gone(self):
        self.succeed("run", self.write(SOBOL), "-q", "--max-evals", 12)
        history = self.place / "history.csv"
        sound = history.read_text()
        rows = sound.splitlines(keepends=True)
        for hurt, told in ((rows + rows[-1:], "repeats"), (rows[:3] + rows[2:], "repeats"),
                           ([*rows[:4], rows[5], rows[4], *rows[6:]], "order"), (rows[:5] + rows[6:], "order"),
                           (rows + rows[:1], "is not what"), (rows[1:], "is not what")):
            history.write_text("".join(hurt))
            outcome = self.succeed("verify", "fast.campaign", code=DAMAGED)
            self.assertRegex(outcome.out, "history.csv +DAMAGED: line [0-9]+ of .*" + told)
        history.write_text("".join(rows[:-1]))  # as a kill between journal and file leaves it
        self.assertIn("11 of 12", self.succeed("verify", "fast.campaign").out)

    def test_who_was_stopped_is_not_at_work(self):
        running = self.start("run", self.write(slow(SOBOL, 0.1)), "-q", "--max-evals", 400)
        self.wait_for_records(6, running)
        running.process.send_signal(signal.SIGINT)
        self.assertEqual(running.wait().code, RESUMABLE)
        os.utime(self.place / "journal")  # as if it were a moment ago, however busy the machine is
        self.assertIn("stopped", self.succeed("watch", "fast.campaign", "--once", code=RESUMABLE).out)


if __name__ == "__main__":
    program.main()
