# test: labels cli timeout 60 processors 1
"""Which libraries the commands load: help and tables none of size, queries only what reads a campaign."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import program

TEXT = program.SOBOL.replace("evaluations: 24", "evaluations: 8")
NUMERICS = re.compile(r"petsc|blas|lapack", re.I)
STATE = re.compile(r"libmpi|open-rte|hdf5", re.I)


class Libraries(program.ProgramTest):
    def loaded(self, *arguments):
        """Names of the shared libraries that the command and the programs it becomes load, and how many files the loader tries
        to open for that."""
        for old in pathlib.Path(self.folder).glob("loader.*"):
            old.unlink()
        environment = dict(os.environ, **program.SCRATCH, LD_DEBUG="files,libs", LD_DEBUG_OUTPUT=f"{self.folder}/loader")
        done = subprocess.run([program.GANNET, *arguments], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        trace = "".join(path.read_text(errors="replace") for path in pathlib.Path(self.folder).glob("loader.*"))
        return set(re.findall(r"file=(\S+) \[\d+\];  generating link map", trace)), len(re.findall("trying file=", trace))

    def setUp(self):
        super().setUp()
        if not (pathlib.Path(program.GANNET).parent / "libexec/gannet/everything").exists():
            self.skipTest("configured with GANNET_QUERIES_APART=OFF")

    def test_tables_load_no_library_of_size(self):
        for words in (["--version"], ["--help"], ["run", "--help"], ["explain", "batch"], ["list", "methods"],
                      ["completion", "bash"], ["manual", "run"]):
            libraries, opens = self.loaded(*words)
            self.assertTrue(any("fyaml" in name for name in libraries), libraries)
            self.assertLess(opens, 25, words)
            self.assertFalse([name for name in libraries if NUMERICS.search(name) or STATE.search(name)], words)

    def test_queries_load_no_numerics(self):
        self.succeed("run", self.write(TEXT), "-q")
        for command in "status", "best", "export", "verify":
            libraries, opens = self.loaded(command, "fast.campaign")
            self.assertLess(opens, 85, command)
            self.assertFalse([name for name in libraries if NUMERICS.search(name)], command)

    def test_a_query_that_needs_a_model_gets_it(self):
        self.succeed("run", self.write(TEXT + "noise: 0.1\n"), "-q")
        self.assertIn("recommended", self.succeed("status", "fast.campaign").out)
        self.assertTrue(any("petsc" in name for name in self.loaded("best", "fast.campaign", "--recommended")[0]))

    def test_a_program_that_was_moved_alone_says_so(self):
        moved = pathlib.Path(self.folder) / "gannet"
        shutil.copy(program.GANNET, moved)
        done = subprocess.run([moved, "doctor"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, program.USAGE, done)
        self.assertIn("the program was moved alone", done.stderr)


if __name__ == "__main__":
    program.main()
