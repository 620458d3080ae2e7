# test: labels cli timeout 90 processors 2
"""Simulations get what the job has, and not what mpirun has given to the rank of gannet."""
import os
import re
import shutil
import subprocess
import sys
import unittest

import program

CAMPAIGN = ("name: fast\nmethod: sobol\nvariables: {x: {lower: 0, upper: 1}}\nbatch: 2\nbudget: {evaluations: 2}\n"
            "evaluate: {backend: command, command: [./simulate.sh], parallel: 2}\n")
MPIRUN = [shutil.which("mpirun"), "-n", "1"]

# What a launcher could do to its rank, in its name: all of this is inherited by what the rank starts.
BIND = """\
import ctypes, os, signal, sys
libc = ctypes.CDLL(None, use_errno=True)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
with open("/proc/self/status") as status:
    capabilities = next(int(line.split()[1], 16) for line in status if line.startswith("CapEff"))
if capabilities >> 23 & 1:  # CAP_SYS_NICE: without it nobody can take that back
    os.nice(3)
if os.uname().machine == "x86_64":
    mask = ctypes.c_ulong(1)
    libc.syscall(238, 2, ctypes.byref(mask), 64)  # set_mempolicy: bind to the first node
os.environ.update(OMP_PROC_BIND="true", OMP_PLACES="{0}", KMP_AFFINITY="compact", GOMP_CPU_AFFINITY="0", I_MPI_PIN_DOMAIN="core",
                  OMPI_MCA_hwloc_base_binding_policy="core")
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGUSR1, signal.SIGHUP])
os.execv(sys.argv[1], sys.argv[1:])
"""
SEEN = """\
#!/bin/sh
{ grep -E 'Cpus_allowed_list|SigBlk|SigIgn' /proc/self/status
  awk '{print "nice " $19, "policy " $41}' /proc/$$/stat
  awk 'NR == 1 {print "memory " $2}' /proc/$$/numa_maps
  cat /proc/self/limits
  env | grep -E '^(OMP_|KMP_|GOMP_|I_MPI_|OMPI_|PRTE_|MV2_)' | sort
} > $GANNET_INPUT_DIRECTORY/seen.$GANNET_EVAL_ID
echo "objective 1" > $GANNET_RESULTS
"""
NESTED = """\
#!/bin/sh
mpirun -n 1 sh -c 'grep Cpus_allowed_list /proc/self/status; sleep 0.3' > $GANNET_INPUT_DIRECTORY/seen.$GANNET_EVAL_ID 2>&1
echo "objective 1" > $GANNET_RESULTS
"""


def allowed():
    return subprocess.run(["grep", "Cpus_allowed_list", "/proc/self/status"], text=True, capture_output=True).stdout


def binds():
    """Whether mpirun binds a rank here, which containers may forbid."""
    said = subprocess.run([*MPIRUN, "--bind-to", "core", "grep", "Cpus_allowed_list", "/proc/self/status"], text=True,
                          capture_output=True, env={**os.environ, **program.SCRATCH})
    return said.returncode == 0 and said.stdout != allowed()


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two processors")
class Binding(program.ProgramTest):
    def seen(self, script, wrapper=(), campaign=CAMPAIGN, **options):
        """What the two simulations have written."""
        self.write(script, "simulate.sh", 0o755)
        shutil.rmtree(self.folder / "fast.campaign", ignore_errors=True)
        self.succeed("run", self.write(campaign), "-q", wrapper=wrapper, **options)
        return [(self.folder / f"seen.{i}").read_text() for i in range(2)]

    def test_simulations_are_not_bound_to_the_processor_of_their_rank(self):
        if not binds():
            self.skipTest("this mpirun does not bind")
        for text in self.seen(SEEN, [*MPIRUN, "--bind-to", "core"]):
            self.assertIn(allowed(), text)

    def test_nothing_that_a_rank_was_given_reaches_simulations(self):
        own = self.seen(SEEN)
        bind = self.write(BIND, "bind.py")
        for before, text in zip(own, self.seen(SEEN, [*MPIRUN, sys.executable, bind])):
            self.assertEqual(text, before)
        self.assertRegex(text, r"SigBlk:\s0+\nSigIgn:\s0+\n")

    def test_what_the_user_has_set_stays(self):
        users = {"OMP_PROC_BIND": "close", "KMP_AFFINITY": "scatter", "OMPI_MCA_hwloc_base_binding_policy": "socket"}
        bind = self.write(BIND, "bind.py")
        text = self.seen(SEEN, [*MPIRUN, sys.executable, bind], environment=users)[0]
        for name, value in users.items():
            self.assertIn(f"{name}={value}\n", text)
        self.assertNotIn("OMP_PLACES", text)
        self.assertNotIn("PRTE_MCA", text)
        text = self.seen(SEEN, [*MPIRUN, "-x", "OMP_PLACES=cores", "nice", "-n", "2", "taskset", "-c", str(max(os.sched_getaffinity(0)))])[0]
        self.assertIn("OMP_PLACES=cores\n", text)
        self.assertRegex(text, rf"Cpus_allowed_list:\s{max(os.sched_getaffinity(0))}\n(.*\n)*nice {min(os.nice(0) + 2, 19)} ")

    def test_ranks_that_bind_themselves_are_kept_from_it(self):
        """MVAPICH2 and Intel MPI; the second keeps to the cores of a place."""
        placed = CAMPAIGN.replace("parallel: 2", "parallel: 2, resources: {cores: 1}")
        alone = CAMPAIGN.replace("parallel: 2", "parallel: 1")
        where = {"TMPDIR": str(self.folder), "HOME": str(self.folder)}  # other tests may share out the same cores
        for campaign, users, found in (
                (CAMPAIGN, {}, ["I_MPI_PIN=off", "MV2_ENABLE_AFFINITY=0"]), (placed, {}, ["MV2_ENABLE_AFFINITY=0"]), (alone, {}, []),
                (CAMPAIGN, {"I_MPI_PIN_DOMAIN": "core", "MV2_CPU_MAPPING": "0:1"}, ["I_MPI_PIN_DOMAIN=core", "MV2_CPU_MAPPING=0:1"])):
            for text in self.seen(SEEN, campaign=campaign, environment={**where, **users}):
                self.assertEqual([line for line in text.splitlines() if line.startswith(("I_MPI_PIN", "MV2_"))], found)

    def test_mpirun_in_two_simulations_does_not_bind_both_to_one_core(self):
        if not binds():
            self.skipTest("this mpirun does not bind")
        for text in self.seen(NESTED):
            self.assertIn(allowed(), text)
        for text in self.seen(NESTED, [*MPIRUN, "--bind-to", "core"]):
            self.assertIn(allowed(), text)
        chosen = CAMPAIGN.replace("parallel: 2", "parallel: 2, environment: [OMPI_MCA_hwloc_base_binding_policy=core]")
        alone = CAMPAIGN.replace("parallel: 2", "parallel: 1")
        for campaign in (chosen, alone):
            for text in self.seen(NESTED, campaign=campaign):
                self.assertRegex(text, r"(?m)^Cpus_allowed_list:\s\d+$")


if __name__ == "__main__":
    program.main()
