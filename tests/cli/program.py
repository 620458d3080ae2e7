"""What the tests of the program share: campaign files, starting gannet, and what is left running.

A test is called as  test_x.py path/to/gannet  and uses unittest; every test has a folder of its own.
Everything started carries a mark in its environment, so nothing can be missed or confused.
"""
import csv
import io
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

GANNET = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and os.path.exists(sys.argv[1]) else None
MPIRUN = str(pathlib.Path(__file__).resolve().parent.parent / "support" / "mpirun")
SCRATCH = {"OPENBLAS_NUM_THREADS": "1", "ASAN_OPTIONS": "detect_leaks=0",
           "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

# Exit codes, from include/gannet/status.h.
FINISHED, INTERNAL, USAGE, INFEASIBLE, FAILURES, DAMAGED, RESOURCE, BUSY, RESUMABLE = 0, 1, 2, 3, 4, 5, 6, 8, 75

FAST = """\
name: fast
seed: 7
method: neural-bo
search: {candidates: 500}
variables:
  x1: {lower: -5, upper: 10}
  x2: {lower: 0, upper: 15}
batch: 4
initial: 8
budget: {evaluations: 24}
save: {batches: 1, interval: 0s}
"""
BRANIN = FAST + "evaluate: {backend: function, simulation: branin, parallel: 4}\n"
SOBOL = BRANIN.replace("method: neural-bo\nsearch: {candidates: 500}\ninitial: 8\n", "method: sobol\n") \
              .replace("method: neural-bo\nsearch: {candidates: 500}\n", "method: sobol\n") \
              .replace("initial: 8\n", "")


def slow(text, seconds):
    """The same campaign with a simulation that takes so long."""
    return text.replace("simulation: branin,", f"simulation: branin, settings: {{delay: {seconds}}},")


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit code {self.code}\n--- stdout\n{self.out}--- stderr\n{self.err}---"


def marked(mark):
    """Process ids, without zombies, whose mark begins so; those with an unreadable environment do not count."""
    needle, found = f"GANNET_TEST_MARK={mark}".encode(), []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as stream:
                if needle not in stream.read():
                    continue
            with open(f"/proc/{entry}/stat") as stream:
                if stream.read().rsplit(")", 1)[1].split()[0] not in "ZX":
                    found.append(int(entry))
        except OSError:
            continue
    return found


class Running:
    """A gannet that was started and is to be waited for or killed."""

    def __init__(self, case, command, environment):
        case.n_started += 1
        self.mark = f"{case.mark}-{case.n_started}-"
        environment = {**environment, "GANNET_TEST_MARK": self.mark}
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, cwd=case.folder, env=environment, stdin=subprocess.DEVNULL,
                                        stdout=self.out, stderr=self.err, start_new_session=True)

    def text(self, stream):
        stream.seek(0)
        return stream.read().decode(errors="replace")

    def wait(self, timeout=60):
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"not over after {timeout} s: {self.outcome(None)}") from None
        return self.outcome(code)

    def outcome(self, code):
        return Outcome(code, self.text(self.out), self.text(self.err))

    def pids(self):
        return marked(self.mark)

    def ranks(self):
        """Process ids of the MPI ranks, by rank; a helper that was forked before MPI has no rank of its own."""
        found = {}
        for pid in sorted(self.pids()):
            try:
                with open(f"/proc/{pid}/environ", "rb") as stream:
                    rank = re.search(rb"\0OMPI_COMM_WORLD_RANK=(\d+)\0", stream.read())
                with open(f"/proc/{pid}/cmdline", "rb") as stream:
                    is_gannet = os.path.basename(GANNET).encode() in stream.read().split(b"\0")[0]
            except OSError:
                continue
            if rank and is_gannet:
                found.setdefault(int(rank.group(1)), pid)
        return found

    def kill(self):
        """kill -9 of everything, mpirun first, until nothing is left."""
        end = time.monotonic() + 20
        try:
            os.kill(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        while (left := self.pids()) and time.monotonic() < end:
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.005)
        self.process.wait()
        return not left


class ProgramTest(unittest.TestCase):
    maxDiff = None
    references = {}  # digests, by text: a campaign that is not interrupted need not be run twice

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gannet-cli-"))
        self.mark, self.n_started, self.started = self.folder.name, 0, []
        os.chmod(self.folder, 0o755)

    def tearDown(self):
        is_left = bool(marked(f"{self.mark}-"))
        for running in self.started:
            if is_left or running.process.poll() is None:
                running.kill()
            running.out.close()
            running.err.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, text, name="fast.yaml", mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def start(self, *words, ranks=0, environment=None, wrapper=()):
        """ranks = 0: without mpirun."""
        command = [*wrapper, GANNET, *map(str, words)]
        if ranks:
            command = [MPIRUN, str(ranks), *command]
        running = Running(self, command, {**os.environ, **SCRATCH, **(environment or {})})
        self.started.append(running)
        return running

    def gannet(self, *words, timeout=60, **options):
        return self.start(*words, **options).wait(timeout)

    def succeed(self, *words, code=FINISHED, **options):
        outcome = self.gannet(*words, **options)
        self.assertEqual(outcome.code, code, outcome)
        return outcome

    def digest(self, directory="fast.campaign"):
        """Digest of the history; the files must be sound."""
        return re.search(r"digest ([0-9a-f]{16})", self.succeed("verify", directory).out).group(1)

    def records(self, directory="fast.campaign"):
        """Lines of the journal."""
        try:
            return (self.folder / directory / "journal").read_bytes().count(b"\n") - 1
        except OSError:
            return -1

    def wait_for_records(self, n, running, timeout=60, directory="fast.campaign"):
        self.wait_until(lambda: self.records(directory) >= n or running.process.poll() is not None, timeout)
        self.assertGreaterEqual(self.records(directory), n, running.outcome(running.process.poll()))

    def wait_until(self, condition, timeout=60):
        end = time.monotonic() + timeout
        while not condition():
            self.assertLess(time.monotonic(), end, "it did not happen in time")
            time.sleep(0.01)

    def history(self, directory="fast.campaign"):
        text = (self.folder / directory / "history.csv").read_text()
        self.assertTrue(text.endswith("\n"))
        return list(csv.DictReader(io.StringIO(text)))

    def check_history(self, n, directory="fast.campaign"):
        """history.csv has every evaluation once, in whole lines."""
        rows = self.history(directory)
        self.assertEqual(sorted(int(row["id"]) for row in rows), list(range(n)))
        for row in rows:
            self.assertNotIn(None, row.keys())
            self.assertNotIn(None, row.values())
        return rows

    def reference(self, text=BRANIN, name="whole", environment=None):
        """Digest of an uninterrupted run on one rank."""
        if text not in self.references:
            file = self.write(text, f"{name}.yaml")
            self.succeed("run", file, "--directory", f"{name}.campaign", "--quiet", environment=environment, timeout=120)
            self.references[text] = self.digest(f"{name}.campaign")
        return self.references[text]


def main():
    if GANNET is None:
        sys.exit("usage: test_x.py path/to/gannet [unittest options]")
    unittest.main(argv=sys.argv)
