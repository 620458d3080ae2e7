# test: labels cli timeout 60 processors 2
"""Simulations get the processors of the job, and not those that mpirun has bound gannet to."""
import os
import shutil
import subprocess
import unittest

import program


class Binding(program.ProgramTest):
    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two processors")
    def test_simulations_are_not_bound_to_the_processor_of_their_rank(self):
        self.write("#!/bin/sh\ngrep Cpus_allowed_list /proc/self/status > $GANNET_INPUT_DIRECTORY/seen.$GANNET_EVAL_ID\n"
                   "echo \"objective 1\" > $GANNET_RESULTS\n", "simulate.sh", 0o755)
        file = self.write("name: fast\nmethod: sobol\nvariables: {x: {lower: 0, upper: 1}}\nbatch: 2\n"
                          "budget: {evaluations: 2}\nevaluate: {backend: command, command: [./simulate.sh]}\n")
        mpirun = [shutil.which("mpirun"), "--bind-to", "core", "-n", "1"]
        probe = subprocess.run([*mpirun, "grep", "Cpus_allowed_list", "/proc/self/status"], text=True,
                               capture_output=True, env={**os.environ, **program.SCRATCH})
        if probe.returncode:
            self.skipTest("this mpirun does not bind")
        self.succeed("run", file, "-q", wrapper=mpirun)
        ours = subprocess.run(["grep", "Cpus_allowed_list", "/proc/self/status"], text=True, capture_output=True)
        self.assertNotEqual(probe.stdout, ours.stdout)
        for i in range(2):
            self.assertEqual((self.folder / f"seen.{i}").read_text(), ours.stdout)


if __name__ == "__main__":
    program.main()
