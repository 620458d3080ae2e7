# test: labels cli timeout 60 processors 1
"""Standard streams that are full, closed, or read by nobody: told where the output was all that was asked for, and no end of a campaign."""
import json
import os
import subprocess
import tempfile
import unittest

import program
from program import FINISHED, RESOURCE, SOBOL, slow

LONG = slow(SOBOL, 0.03)


class Streams(program.ProgramTest):
    def run_with(self, *words, **streams):
        environment = {**os.environ, **program.SCRATCH}
        return subprocess.run([program.GANNET, *map(str, words)], cwd=self.folder, env=environment, timeout=50, **streams)

    def test_a_full_disk_behind_the_output_is_told(self):
        self.succeed("run", self.write(SOBOL), "-q")
        for words in ("status", "fast.campaign"), ("best", "fast.campaign"), ("list", "methods"), ("--version",), \
                     ("run", "--help"), ("doctor",), ("init", "--dry-run", "x.yaml"):
            with open("/dev/full", "w") as full:
                done = self.run_with(*words, stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, RESOURCE, (words, done.stderr))
            self.assertEqual(done.stderr.count("No space left on device"), 1, done.stderr)
            self.assertNotIn("PETSC", done.stderr)

    def test_a_reader_that_goes_away_ends_no_campaign(self):
        self.write(LONG)
        reading, writing = os.pipe()
        running = subprocess.Popen([program.GANNET, "run", "fast.yaml"], cwd=self.folder, stdout=writing, stderr=writing,
                                   env={**os.environ, **program.SCRATCH})
        os.close(writing)
        self.assertIn(b"batch 0", os.read(reading, 200))
        os.close(reading)
        self.assertEqual(running.wait(50), FINISHED)
        self.assertIn("24 done", self.succeed("status", "fast.campaign").out)

    def test_no_file_takes_the_place_of_a_closed_stream(self):
        file = self.write(SOBOL.replace("backend: function, simulation: branin",
                                        "backend: command, shell: 'echo told; echo objective 1 > $GANNET_RESULTS'"))
        closed = self.run_with("run", file, preexec_fn=lambda: [os.close(n) for n in range(3)])
        self.assertEqual(closed.returncode, FINISHED)
        self.assertIn("journal        sound", self.succeed("verify", "fast.campaign").out)
        for path in (self.folder / "fast.campaign").iterdir():
            if path.suffix != ".log" and path.is_file():
                self.assertNotIn(b"best design", path.read_bytes(), path)

    @unittest.skipIf("GANNET_SANITIZE" in os.environ, "sanitizers want to be loaded first")
    def test_no_library_adds_to_an_answer(self):
        """L-BFGS-B may print a line, which Fortran writes when the process ends."""
        with tempfile.TemporaryDirectory(prefix="gannet-") as folder:  # a blank ends a name there
            library = os.path.join(folder, "late.so")
            os.symlink(os.environ["GANNET_LATE_LINE"], library)
            asked = self.gannet("ask", self.write(SOBOL), "--format", "json", environment={"LD_PRELOAD": library})
        self.assertEqual(asked.code, FINISHED, asked)
        self.assertTrue(json.loads(asked.out))

    @unittest.skipIf("GANNET_SANITIZE" in os.environ, "sanitizers need more")
    def test_limits_under_which_mpi_crashes(self):
        file = self.write(SOBOL)
        for limit, words in {"-n 10": "10 open files here", "-s 64": "64 kB of stack here"}.items():
            outcome = self.gannet("run", file, wrapper=("sh", "-c", f'ulimit {limit} && exec "$@"', "sh"))
            self.assertEqual(outcome.code, program.USAGE, outcome)
            self.assertIn(words, outcome.err)
            self.assertIn("`ulimit " + limit[:2], outcome.err)


if __name__ == "__main__":
    program.main()
