# test: labels cli timeout 480 processors 2
"""Simulations that have cores and GPUs of their own: evaluate.resources."""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import unittest

import program

GPU_LISTS = ("CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ZE_AFFINITY_MASK", "GANNET_GPUS")
CORES = len(os.sched_getaffinity(0))
CAMPAIGN = """\
name: placed
method: sobol
variables: {{x: {{lower: 0, upper: 1}}}}
budget: {{evaluations: {evaluations}}}
evaluate:
  backend: command
  command: {command}
  mode: asynchronous
  {more}
  resources: {{{resources}}}
"""
OWN = '[./simulate, "{results}"]'
JOBS = """\
name: placed
method: sobol
seed: 1
variables: {refine: {type: integer, lower: 1, upper: 3}}
budget: {evaluations: 4}
batch: 4
start: [{refine: 3}]
evaluate:
  backend: slurm
  command: ["{launcher}", ./simulate]
  sbatch: [--partition=x]
  resources: {RESOURCES}
"""
# Writes what it has been given, in one line that a short file keeps whole.
SIMULATE = """\
#!/bin/sh
while read -r word rest; do [ "$word" != Cpus_allowed_list: ] || cores=$rest; done </proc/self/status
echo "$GANNET_EVAL_ID $GANNET_SLOT $cores $GANNET_CORES ${GANNET_GPUS-none} ${CUDA_VISIBLE_DEVICES-none} $GANNET_MPIRUN" > seen
%secho objective 1 > "$1"
"""


class Placed(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment = {"TMPDIR": str(self.folder), "HOME": str(self.folder)}  # other tests may share out the same cores

    def start(self, *words, environment=None, **options):
        unset = [part for name in GPU_LISTS if name not in {**self.environment, **(environment or {})} for part in ("-u", name)]
        return super().start(*words, environment={**self.environment, **(environment or {})}, wrapper=("env", *unset), **options)

    def campaign(self, resources, evaluations=8, more="retries: 0", command=OWN, pause=""):
        self.write(SIMULATE % pause, "simulate", 0o755)
        self.write(CAMPAIGN.format(evaluations=evaluations, command=command, more=more, resources=resources), "placed.yaml")

    def refused(self, *words, sets=(), environment=None):
        """The campaign is refused with these words, before anything runs."""
        said = self.gannet("run", "placed.yaml", *[word for key in sets for word in ("--set", key)], environment=environment)
        self.assertEqual(said.code, program.USAGE, said)
        for word in words:
            self.assertIn(word, said.err)
        self.assertFalse(list(self.folder.glob("placed.campaign/evals/*")))
        return said

    def timeline(self):
        return list(csv.DictReader(io.StringIO(self.succeed("export", "placed.campaign", "--timeline", "--format", "csv").out)))

    def seen(self):
        return [path.read_text().split() for path in sorted(self.folder.glob("placed.campaign/evals/*/seen"))]

    def test_every_simulation_has_its_own(self):
        self.campaign("cores: 1, gpus: 1, devices: [5, 7, GPU-a1]", pause="sleep 0.05\n")
        self.succeed("run", "placed.yaml")
        rows = self.seen()
        self.assertEqual(len(rows), 8)
        slots = min(CORES, 3)
        self.assertEqual({row[1] for row in rows}, {str(i) for i in range(slots)})  # as many at once as have room
        for row in rows:
            self.assertEqual(row[3:], ["1", row[4], row[4], "mpirun", "-n", "1"])
            self.assertEqual(row[4], ["5", "7", "GPU-a1"][int(row[1])])
        self.assertEqual({bar["place"] for bar in self.timeline()}, {f"cores {row[2]}, gpus {row[4]}" for row in rows})
        places = {row[1]: (row[2], row[4]) for row in rows}
        self.assertEqual(len(set(places.values())), slots)
        self.gannet("report", "placed.campaign", "--figures", "figures", "--format", "svg")  # without gnuplot its commands are written
        page = (self.folder / "placed.campaign/report.html").read_text()
        rows = [json.loads(found) for found in re.findall(r'"places":(\[.*?\])', page)]
        self.assertEqual(len(rows), 2)  # of the columns, and as rows of the time line
        self.assertEqual({*rows[1]}, {f"cores {row[2]}, gpus {row[4]}" for row in self.seen()})
        self.assertIn(f"set ytics ('{rows[1][0]}' 0", (self.folder / "figures/timeline.gp").read_text())

    def test_gpus_may_be_a_range_or_parts(self):
        mig = "MIG-GPU-4a1f0c11-1111-2222-3333-444455556666/1/0"
        for names, gpus, found in (("2-3,5", "3", "2,3,5"), (f"{mig}, MIG-7c1f0c11", "2", f"{mig},MIG-7c1f0c11"), ("0.1 1.0", "2", "0.1,1.0")):
            self.campaign(f"cores: 1, gpus: {gpus}", evaluations=1)
            shutil.rmtree(self.folder / "placed.campaign", ignore_errors=True)
            said = self.gannet("run", "placed.yaml", environment={"GANNET_GPUS": names})
            self.assertEqual(said.code, program.FINISHED, said)
            self.assertEqual({row[4] for row in self.seen()}, {found})
        self.campaign("cores: 1, gpus: 4, devices: [0-2, 7]", evaluations=1)
        shutil.rmtree(self.folder / "placed.campaign")
        self.succeed("run", "placed.yaml")
        self.assertEqual({row[4] for row in self.seen()}, {"0,1,2,7"})

    def test_hip_counts_the_gpus_that_rocr_leaves(self):
        self.campaign("cores: 1, gpus: 2", evaluations=1)
        self.write('#!/bin/sh\necho "$ROCR_VISIBLE_DEVICES $HIP_VISIBLE_DEVICES" > seen\necho objective 1 > "$1"\n', "simulate", 0o755)
        for lists, rocr in (({"HIP_VISIBLE_DEVICES": "2,3"}, "2,3"), ({"ROCR_VISIBLE_DEVICES": "4,6", "CUDA_VISIBLE_DEVICES": "0,1"}, "4,6"),
                            ({"ROCR_VISIBLE_DEVICES": "GPU-DEADBEEFDEADBEEF,1", "ZE_AFFINITY_MASK": ""}, "GPU-DEADBEEFDEADBEEF,1")):
            shutil.rmtree(self.folder / "placed.campaign", ignore_errors=True)
            self.succeed("run", "placed.yaml", environment=lists)
            self.assertEqual(self.seen(), [[rocr, "0,1"]])
        shutil.rmtree(self.folder / "placed.campaign")
        self.refused("HIP_VISIBLE_DEVICES=1 chooses among the GPUs of ROCR_VISIBLE_DEVICES; unset it",
                     environment={"ROCR_VISIBLE_DEVICES": "2,3", "HIP_VISIBLE_DEVICES": "1"})
        self.refused("HIP_VISIBLE_DEVICES=1,0 chooses", environment={"ROCR_VISIBLE_DEVICES": "2,3", "HIP_VISIBLE_DEVICES": "1,0"})
        self.succeed("run", "placed.yaml", environment={"ROCR_VISIBLE_DEVICES": "2,3", "HIP_VISIBLE_DEVICES": "0,1"})
        shutil.rmtree(self.folder / "placed.campaign")
        self.campaign("cores: 1, gpus: 0", evaluations=1)
        self.write('#!/bin/sh\necho "a${HIP_VISIBLE_DEVICES-unset}" > seen\necho objective 1 > "$1"\n', "simulate", 0o755)
        self.succeed("run", "placed.yaml", environment={"GANNET_GPUS": "0,1"})
        self.assertEqual(self.seen(), [["a"]])

    def test_a_list_of_gpus_for_all_simulations_is_refused(self):
        self.campaign("cores: 1, gpus: 1, devices: [0, 1]", evaluations=1)
        self.refused("environment: 'HIP_VISIBLE_DEVICES=7' is set for each simulation by evaluate.resources.gpus; leave it out",
                     sets=["evaluate.environment={HIP_VISIBLE_DEVICES: '7'}"])
        self.campaign("cores: 1", evaluations=1)
        self.succeed("run", "placed.yaml", "--dry-run", "--set", "evaluate.environment={CUDA_VISIBLE_DEVICES: '7'}")

    def test_a_long_list_of_gpus_is_told_whole(self):
        names = [f"GPU-8932f9{i:02d}-d72c-4106-c12f-20bd9faed9f6" for i in range(16)]
        self.campaign(f"cores: 1, gpus: 16, devices: [{', '.join(names)}]", evaluations=1)
        self.succeed("run", "placed.yaml")
        self.assertEqual([row[4] for row in self.seen()], [",".join(names)])

    def test_a_simulation_has_a_shared_gpu_once(self):
        self.campaign("cores: 1, gpus: 2, devices: [0, 0, 1, 1]")
        self.succeed("run", "placed.yaml")
        self.assertEqual({row[4] for row in self.seen()}, {"0,1"})

    @unittest.skipUnless(CORES > 1, "one core")
    def test_nested_mpirun_stays_on_its_core(self):
        if not shutil.which("mpirun"):
            self.skipTest("no mpirun")
        self.campaign("cores: 1", evaluations=4,
                      command='["{launcher}", sh, -c, "grep Cpus_allowed_list /proc/self/status >ran; sleep 0.2; '
                              'echo objective 1 >$GANNET_RESULTS"]')
        self.succeed("run", "placed.yaml")
        ran = {path.parent.name: path.read_text() for path in self.folder.glob("placed.campaign/evals/*/ran")}
        failed = [row["reason"] for row in program.ProgramTest.history(self, "placed.campaign") if row["status"] != "done"]
        self.assertEqual(failed, [])
        by_slot = {bar["slot"]: ran[f"{int(bar['id']):06d}"] for bar in self.timeline()}
        self.assertEqual(len(by_slot), min(CORES, 4))
        self.assertEqual(len(set(by_slot.values())), len(by_slot), by_slot)
        for bar in self.timeline():
            self.assertEqual(bar["place"], "cores " + ran[f"{int(bar['id']):06d}"].split()[1])

    @unittest.skipUnless(CORES > 1 and shutil.which("mpirun"), "one core, or no mpirun")
    def test_ranks_that_are_bound_count_the_same(self):
        """mpirun binds two ranks to a core each; simulations have the cores of rank 0's start."""
        self.campaign("cores: 1", evaluations=4)
        self.environment |= {name: "1" for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OPENBLAS_NUM_THREADS")}
        outcome = program.ProgramTest.start(self, "run", "placed.yaml", environment=self.environment,
                                            wrapper=("mpirun", "-n", "2", "--bind-to", "core")).wait(60)
        self.assertEqual(outcome.code, 0, outcome)
        self.assertEqual(len({row[2] for row in self.seen()}), min(CORES, 4))

    def test_too_much_is_refused(self):
        self.campaign("cores: 1, gpus: 1, devices: [0]")
        self.refused(f"needs {CORES + 1} cores", f"has {CORES}; expected at most {CORES}",
                     sets=[f"evaluate.resources.cores={CORES + 1}"])
        self.refused("resources.gpus: a simulation needs 2 GPUs, and this machine has 1 by evaluate.resources.devices",
                     sets=["evaluate.resources.gpus=2"])
        if not os.path.exists("/proc/driver/nvidia/gpus") and not os.path.exists("/sys/class/drm/renderD128"):
            self.refused("no GPU was found; expected them in devices, or in GANNET_GPUS=0,1; `gannet doctor` without a file shows",
                         sets=["evaluate.resources.devices=auto"])
        self.refused("resources.devices: the list is empty", sets=["evaluate.resources.devices=[]"])
        self.refused("CUDA_VISIBLE_DEVICES names no GPU", sets=["evaluate.resources.devices=auto"],
                     environment={"CUDA_VISIBLE_DEVICES": ""})
        self.refused("GANNET_GPUS names no GPU", sets=["evaluate.resources.devices=auto"], environment={"GANNET_GPUS": ""})
        for nothing in "-1", "NoDevFiles", "-1,0":
            self.refused("CUDA_VISIBLE_DEVICES names no GPU", sets=["evaluate.resources.devices=auto"],
                         environment={"CUDA_VISIBLE_DEVICES": nothing})
        as_shown = ", as `nvidia-smi -L` or `rocminfo` shows them, as in "
        for names, wrong in (("0;1", "0;1"), ("all", "all"), ("[0,1]", "[0"), ("3-0", "3-0"), ("0-3x", "0-3x"), ("GPU-", "GPU-"),
                             ("GPU-4a1f,0:1", "0:1"), ("GPU-4a1f/0", "GPU-4a1f/0"), ("gpu-4a1f", "gpu-4a1f"), ("0,MIG-x1", "MIG-x1"),
                             ("12345678901234567890", "12345678901234567890"), ("1024", "1024"), ("0-12345678901", "0-12345678901"), ("0,01", "01"),
                             ("MIG-1/2/3", "MIG-1/2/3"), ("MIG-GPU-1/2", "MIG-GPU-1/2"), ("MIG-GPU-1/2/3/4", "MIG-GPU-1/2/3/4"), ("MIG-GPU-1//3", "MIG-GPU-1//3"),
                             ("GPU-123456789", "GPU-123456789"), ("GPU-1234-", "GPU-1234-"), ("0.01", "0.01"), ("0.1.2", "0.1.2")):
            self.refused(f"resources.gpus: GANNET_GPUS: '{wrong}' is not a GPU; expected numbers to 1023, ranges such as 0-3, tiles such as 0.1, or UUIDs that begin with GPU- or MIG-{as_shown}0,1",
                         sets=["evaluate.resources.devices=auto"], environment={"GANNET_GPUS": names})
        for names, numbers in ("0-3", "0,1,2,3"), ("7,2-2", "2"), ("0-1023", "0,1"):
            said = self.refused("CUDA_VISIBLE_DEVICES: '", sets=["evaluate.resources.devices=auto"], environment={"CUDA_VISIBLE_DEVICES": names})
            self.assertIn(f"{as_shown}{numbers}\n", said.err)
        for names, wrong in ("3-0", "3-0"), ("0 1", "0 1"), ("0,,1", ""), ("0.1", "0.1"):
            self.refused(f"CUDA_VISIBLE_DEVICES: '{wrong}' is not a GPU; expected numbers or UUIDs that begin with GPU- or MIG-{as_shown}0,1",
                         sets=["evaluate.resources.devices=auto"], environment={"CUDA_VISIBLE_DEVICES": names})
        self.refused("ZE_AFFINITY_MASK: 'GPU-1' is not a GPU; expected numbers of GPUs or of tiles such as 0.1, as in 0,1",
                     sets=["evaluate.resources.devices=auto"], environment={"ZE_AFFINITY_MASK": "GPU-1"})
        for wrong in "-1", "gpu0", "cuda:0", "99999999999999999999":
            self.refused(f"resources.devices: '{wrong}' is not a GPU; expected numbers to 1023, ranges such as 0-3, tiles such as 0.1, or UUIDs that begin with GPU- or MIG-{as_shown}[0, 1]",
                         sets=[f"evaluate.resources.devices=['{wrong}']"])
        for one, other in ("0", "0.1"), ("GPU-12", "GPU-1"), ("GPU-AB", "GPU-ab1"), ("GPU-1", "MIG-GPU-12/1/0"), ("MIG-1", "MIG-12"):
            self.refused(f"resources.devices: '{one}' and '{other}' name the same GPU; expected one name for each GPU",
                         sets=[f"evaluate.resources.devices=[5, {one}, {other}]"])
        names = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6, GPU-DEADBEEFDEADBEEF, MIG-8932f937-d72c, MIG-GPU-932f937/1/0, 0.1, 7"
        self.succeed("run", "placed.yaml", "--dry-run", "--set", f"evaluate.resources.devices=[{names}]")
        self.refused("unknown key 'evaluate.resources.cpus'; did you mean 'resources.cores'?", sets=["evaluate.resources.cpus=1"])
        said = self.refused("unknown key", sets=["evaluate.resources.cpus=1", 'evaluate.command=[./simulate, "{gpus}"]'])
        self.assertNotIn("is a placeholder only with", said.err)
        self.refused("needs 2 nodes, and there is one", sets=["evaluate.resources.nodes=2"])
        self.refused("a simulation needs 2 GPUs, and this machine has 1", sets=["evaluate.resources.gpus=2", "evaluate.resources.devices=[0, 0]"])
        self.refused("8 bytes are too little for a simulation; expected a unit, as in 8GiB", sets=["evaluate.resources.memory=8"])
        self.refused("needs 1e+06 GiB", sets=["evaluate.resources.memory=1000000GiB"])
        self.refused(f"2 simulations at once do not fit: there is room for 1, and {'cores and ' if CORES < 2 else ''}GPUs limit it; expected at most 1",
                     sets=["evaluate.parallel=2"])
        for sets, limit in ((f"cores={CORES}", "cores and GPUs limit it"), ("devices=[0, 1]", "cores limit it")):
            self.refused(f"there is room for 1, and {limit}", sets=["evaluate.parallel=2", f"evaluate.resources.cores={CORES}", "evaluate.resources." + sets])
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 30
        if CORES > 1 and memory > 1:
            said = self.gannet("run", "placed.yaml", "--dry-run", "--set", f"evaluate.resources.memory={memory * 7 // 12}GiB", "--set",
                               "evaluate.resources.gpus=0", "--set", "evaluate.parallel=2")
            self.assertTrue("and memory limits it" in said.err or "needs" in said.err, said)
        self.refused("has 0 besides reserved_cores",
                     sets=[f"evaluate.resources.reserved_cores={CORES}"])
        self.refused("resources.reserved_cores: a simulation needs 1 core", f"expected less than {CORES}",
                     sets=["evaluate.resources.reserved_cores=99"])
        for key, words in (("cores=1e30", "'1e30' is 1e+30 at the bounds of the variables; expected a number from 1 to 1000000"),
                           ("cores=-1", "'-1' is -1 at the bounds"), ("gpus=0.5", "whole GPUs, not 0.5; where several share one, list it several times"),
                           ("devices=['', a]", "resources.devices: '' is not a GPU"), ("devices=[auto, 1]", "'auto' is not a GPU; expected numbers or UUIDs"),
                           ("tasks=3", "resources.cores: cores: 1 is too few for 3 tasks; expected at least 3, or leave cores out")):
            self.refused(words, sets=["evaluate.resources." + key])
        outside = self.gannet("run", "placed.yaml", "--dry-run", "--set", "evaluate.resources.launcher=srun")
        self.assertIn("gannet does not run in a job of SLURM, so each srun will ask for a job of its own", outside.err)
        self.refused("unknown name 'refine'", sets=["evaluate.resources.cores=8*refine"])
        self.refused("'8*x' is 0 at the bounds", sets=["evaluate.resources.cores=8*x"])
        if CORES > 1:
            self.refused(f"hwloc sees 1 of the {CORES} processors", "HWLOC_SYNTHETIC",
                         environment={"HWLOC_SYNTHETIC": "core:1 pu:1"})
        self.refused("cannot read which nodes job 3 has", environment={"SLURM_JOB_ID": "3"})
        self.refused("does not run on a node of job 3",
                     environment={"SLURM_JOB_ID": "3", "SLURM_JOB_NODELIST": "n[1-2]", "SLURM_JOB_CPUS_PER_NODE": "4(x2)",
                                  "SLURMD_NODENAME": "n7"})
        self.refused("resources.nodes: a simulation needs 4 nodes with 8 cores, and only 3 of the 5 nodes in the allocation have that; ask for less",
                     sets=["evaluate.resources.cores=32", "evaluate.resources.gpus=0", "evaluate.resources.nodes=4", 'evaluate.command=["{launcher}", "{input_directory}/simulate"]'],
                     environment={"SLURM_JOB_ID": "3", "SLURM_JOB_NODELIST": "n[1,3,5-7]", "SLURM_JOB_CPUS_PER_NODE": "1,8(x3),2",
                                  "SLURMD_NODENAME": "n1", "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"})

    def test_a_launcher_that_is_missing_is_named(self):
        self.campaign("tasks: 1", command='["{launcher}", "{input_directory}/simulate"]')
        (self.folder / "bin").mkdir()
        (self.folder / "bin/env").symlink_to(shutil.which("env"))
        self.refused("cannot run 'mpirun': No such file or directory ({launcher} starts it; load its module, or set resources.launcher to another one)",
                     environment={"PATH": str(self.folder / "bin")})

    def test_resources_that_ask_for_nothing_are_refused(self):
        for resources, words in (("", "resources.cores: the braces are empty; expected a key such as this one"),
                                 ("reserved_cores: 2", "resources: it does not say what a simulation needs; expected cores, gpus,"),
                                 ("oversubscribe: yes", "it does not say what a simulation needs"), ("devices: [0]", "it does not say what a simulation needs"),
                                 ("launcher: mpirun", "it does not say what a simulation needs")):
            self.campaign(resources)
            self.refused(words)

    def test_needs_that_variable_constraints_rule_out_do_not_count(self):
        self.campaign(f"cores: \"x > 0.5 ? {CORES + 1} : 1\"", evaluations=2)
        self.refused(f"needs {CORES + 1} cores")
        text = (self.folder / "placed.yaml").read_text()
        self.succeed("run", self.write(text.replace("budget:", "variable_constraints: [\"x <= 0.4\"]\nbudget:"), "placed.yaml"))
        self.assertEqual({row[3] for row in self.seen()}, {"1"})

    def test_no_file_is_left_of_the_claim(self):
        self.campaign("cores: 1", evaluations=2)
        self.succeed("run", "placed.yaml")
        self.assertEqual([path for path in self.folder.glob("gannet-places-*/*")], [])

    def test_back_ends_without_programs_refuse_it(self):
        self.write(program.BRANIN.replace("parallel: 4", "parallel: 4, resources: {cores: 2}")
                   .replace("name: fast", "name: placed"), "placed.yaml")
        self.refused("this back-end starts no programs")

    def test_placeholders_of_places_need_resources(self):
        self.write(SIMULATE % "", "simulate", 0o755)
        self.write(CAMPAIGN.format(evaluations=1, command='[./simulate, "{results}", "{gpus}"]', more="retries: 0",
                                   resources="").replace("  resources: {}\n", ""), "placed.yaml")
        self.refused("'gpus' is a placeholder only with evaluate.resources")

    def test_a_variable_wins_over_the_placeholder(self):
        self.campaign("cores: 1", evaluations=1, command='[./simulate, "{results}", "{cores}", "{gannet.cores}", "{gannet.slot}", "{slot}", "{gpus}"]')
        text = (self.folder / "placed.yaml").read_text().replace(
            "{x: {", "{cores: {type: integer, fixed: 9}, slot: {type: integer, fixed: 8}, gpus: {type: integer, fixed: 7}, x: {")
        self.write(text, "placed.yaml")
        self.write('#!/bin/sh\necho "$2 $3 $4 $5 $6" > seen\necho objective 1 > "$1"\n', "simulate", 0o755)
        said = self.succeed("run", "placed.yaml")
        for name in "cores", "slot", "gpus":
            self.assertIn(f"here {{{name}}} is the variable, and {{gannet.{name}}} has that meaning", said.err)
        self.assertEqual(self.seen(), [["9", "1", "0", "8", "7"]])

    def test_two_gannets_do_not_share(self):
        self.campaign("cores: 1", pause="sleep 5\n")
        first = self.start("run", "placed.yaml")
        self.wait_until(lambda: list(self.folder.glob("placed.campaign/evals/*/attempt.json")))
        said = self.gannet("run", "placed.yaml", "--directory", "second.campaign")
        self.assertEqual(said.code, program.BUSY, said)
        self.assertIn("another gannet uses core:", said.err)
        self.assertIn("placed.campaign", said.err)
        self.assertFalse(list(self.folder.glob("second.campaign/evals/*")))
        first.kill()
        self.campaign("cores: 1")
        self.succeed("run", "placed.yaml", "--directory", "third.campaign")

    def test_two_gannets_on_nodes_of_one_allocation_do_not_share(self):
        self.write("#!/bin/sh\n[ $GANNET_EVAL_ID != 1 ] || exec sleep 300\necho objective 1 >$GANNET_RESULTS\n", "bin/srun", 0o755)

        def on(node, name, **options):
            (self.folder / node).mkdir(exist_ok=True)
            return {"environment": {**self.environment, "TMPDIR": str(self.folder / node), "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
                                    "SLURM_JOB_ID": "3", "SLURM_JOB_NODELIST": "n[1-2]", "SLURM_JOB_NUM_NODES": "2",
                                    "SLURM_JOB_CPUS_PER_NODE": "1(x2)", "SLURMD_NODENAME": node}, **options}, f"{name}.campaign"

        def start(words, *more):
            return self.start("run", "placed.yaml", "--directory", words[1], *more, **words[0])

        own = "--set", "evaluate.resources.launcher=mpirun"
        self.campaign("cores: 1", evaluations=3, command='["{launcher}", "{hosts}"]')
        first = start(on("n1", "first"))
        self.wait_until(lambda: list(self.folder.glob("first.campaign/evals/*1/attempt.json")))
        for name, more in ("second", ()), ("third", own):
            said = start(on("n2", name), *more).wait(60)
            self.assertEqual(said.code, program.BUSY, said)
            self.assertRegex(said.err, r"another gannet in job 3 uses node n[12]: process \d+ on n1, campaign .*/first.campaign; wait until it ends")
        first.kill()
        self.campaign("cores: 1", evaluations=3)  # each keeps to its own node
        self.write("#!/bin/sh\nuntil [ -e \"$TMPDIR/ends\" ]; do sleep 0.1; done\necho objective 1 >$GANNET_RESULTS\n", "simulate", 0o755)
        both = {}
        for node, name in ("n1", "fourth"), ("n2", "fifth"):
            both[node] = start(on(node, name), *own)
            self.wait_until(lambda: list(self.folder.glob(f"{name}.campaign/evals/*/attempt.json")))
        for node, one in both.items():
            self.write("", f"{node}/ends")
            said = one.wait(60)
            self.assertEqual(said.code, 0, said)
        self.assertEqual(list(self.folder.glob(".gannet-places-*")), [])

    def test_needs_that_fit_nowhere_fail_alone(self):
        """An expression that is larger between its corners than at them."""
        self.campaign(f"cores: \"x > 0.3 and x < 0.6 ? {CORES + 3} : 1\"".replace(" and ", " && "), evaluations=8,
                      more="parallel: 1")
        said = self.gannet("run", "placed.yaml", "--set", "budget.failures.rate=1")
        self.assertEqual(said.code, program.FINISHED, said)
        self.assertIn(f"a simulation needs {CORES + 3} cores", said.err)

    @unittest.skipUnless(CORES > 1, "one core")
    def test_mpirun_may_start_as_many_ranks_as_the_place_has(self):
        """In a job of one task with many cores SLURM_TASKS_PER_NODE is 1, and Open MPI starts no more than that."""
        for nodes, seen in ("n1", "2"), ("n[1-3]", "2(x3)"):
            self.campaign("tasks: 2", evaluations=1)
            self.write('#!/bin/sh\necho "$SLURM_TASKS_PER_NODE" > seen\necho objective 1 > "$1"\n', "simulate", 0o755)
            shutil.rmtree(self.folder / "placed.campaign", ignore_errors=True)
            self.succeed("run", "placed.yaml", environment={
                "SLURM_JOB_ID": "3", "SLURM_JOB_NODELIST": nodes, "SLURM_JOB_CPUS_PER_NODE": "8(x3)", "SLURMD_NODENAME": "n1",
                "SLURM_TASKS_PER_NODE": "1"})
            self.assertEqual(self.seen(), [[seen]])

    def test_gpus_of_a_job_may_be_dealt_unevenly(self):
        """With `sbatch --gpus=5` SLURM may give four to this node and one to the other."""
        self.campaign("cores: 1, gpus: 1", command='["{launcher}", "{input_directory}/simulate"]')
        self.write("#!/bin/sh\n", "bin/srun", 0o755)
        here = {"SLURM_JOB_ID": "3", "SLURM_JOB_NODELIST": "n[1-2]", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_CPUS_PER_NODE": "8(x2)",
                "SLURMD_NODENAME": "n1", "SLURM_GPUS_ON_NODE": "4", "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        for asked, elsewhere in ({}, 4), ({"SLURM_GPUS": "5"}, 1), ({"SLURM_GPUS": "a100:4,v100:2"}, 2), ({"SLURM_GPUS": "8"}, 4):
            self.refused(f"there is room for {min(CORES, 4) + elsewhere}", sets=["evaluate.parallel=99"], environment={**here, **asked})
        self.refused("{gpus} is not known before srun starts the simulation, as SLURM then chooses its GPUs",
                     sets=['evaluate.command=["{launcher}", "{input_directory}/simulate", "{gpus}"]'], environment=here)
        self.campaign("cores: 1", command='["{launcher}", "{input_directory}/simulate"]')
        self.refused("resources: job 3 has GPUs, and resources.gpus is not set", "expected how many one simulation needs, as in gpus: 1, or gpus: 0", environment=here)
        self.succeed("run", "placed.yaml", "--dry-run", "--set", "evaluate.resources.gpus=0", environment=here)
        listed = "evaluate.resources.devices=[0, 0, 1, 1]", "evaluate.resources.gpus=1"
        for plugin, confines in ("task/none", "yes"), ("task/affinity,task/cgroup", "no"), ("task/affinity,task/cgroup", "yes"), ("", ""):
            self.write(f"#!/bin/sh\n[ '{plugin}' ] && echo 'ConstrainDevices        = {confines}\nTaskPlugin              = {plugin}'\n", "bin/scontrol", 0o755)
            if plugin.endswith("cgroup") and confines == "yes":
                self.refused("resources.devices: SLURM confines each step to the GPUs that it chooses for it (ConstrainDevices=yes), so a list cannot",
                             sets=listed, environment=here)
                self.refused("resources.gpus: SLURM confines", "so GANNET_GPUS cannot choose them in job 3",
                             sets=["evaluate.resources.gpus=1"], environment={**here, "GANNET_GPUS": "0,1"})
                continue
            said = self.succeed("run", "placed.yaml", "--dry-run", *[word for key in listed for word in ("--set", key)], environment=here)
            self.assertEqual("evaluate.resources.devices: `scontrol show config` cannot be asked" in said.err, not plugin, said)
        self.campaign("cores: 1, gpus: 1", command='["{launcher}", "{input_directory}/simulate"]')
        for known in ["evaluate.resources.launcher=mpirun"], ["evaluate.resources.devices=[0, 1]"]:
            sets = [*known, 'evaluate.command=["{launcher}", "{input_directory}/simulate", "{gpus}"]']
            self.write("#!/bin/sh\n", "bin/mpirun", 0o755)
            said = self.gannet("run", "placed.yaml", "--dry-run", *[word for key in sets for word in ("--set", key)], environment=here)
            self.assertEqual(said.code, 0, said)

    def on_two_nodes(self, refusal, pause="", nodes="n2", scontrol="exit 1", when="*"):
        """Run in an allocation that is pretended, where srun takes no step for n2, or for other nodes and evaluations."""
        self.write('#!/bin/sh\ncase $GANNET_EVAL_ID,$* in %s,*--nodelist=%s*) echo "srun: error: %s" >&2; exit 1;; esac\n%s'
                   'echo objective 1 >$GANNET_RESULTS\n' % (when, nodes, refusal, pause), "bin/srun", 0o755)
        self.write(f"#!/bin/sh\n{scontrol}\n", "bin/scontrol", 0o755)
        self.campaign("cores: 1", evaluations=6, command='["{launcher}", "{hosts}"]')
        shutil.rmtree(self.folder / "placed.campaign", ignore_errors=True)
        return self.gannet("run", "placed.yaml", "--set", "budget.failures.rate=1", environment={
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "SLURM_JOB_ID": "3", "SLURM_JOB_NODELIST": "n[1-2]",
            "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_CPUS_PER_NODE": "1(x2)", "SLURMD_NODENAME": "n1"})

    def states(self, job, n2):
        """The text of a scontrol that tells of the nodes of the job, and of the state of n2."""
        return (f'[ "$3 $4" = "job 3" ] && echo "JobId=3 ReqNodeList=(null) NodeList={job} BatchHost=n1" && exit\n'
                f'[ "$3 $4" = "node n[1-2]" ] || exit 1\nfor node in "n1 IDLE" "n2 {n2}"; do\n'
                'echo "NodeName=${node% *} Arch=x86_64 State=${node#* } ThreadsPerCore=1"; done')

    def history(self):
        return list(csv.DictReader(io.StringIO((self.folder / "placed.campaign/history.csv").read_text())))

    def test_a_node_that_takes_no_step_is_left_out(self):
        for refusal, how_long in (("Task launch for StepId=3.5 failed on node n2: Communication connection failure", "for 10 s"),
                                  ("Unable to create step for job 3: Requested node configuration is not available", "for 10 s"),
                                  ("Node failure on n2", "from now on"),
                                  ("*** STEP 3.0 ON n2 CANCELLED AT 2026-11-28T13:35:31 DUE TO NODE FAILURE, SEE ***", "from now on")):
            said = self.on_two_nodes(refusal)
            self.assertEqual(said.code, 0, said)
            self.assertEqual(said.err.count(f"node n2 is left out {how_long}: srun: error: {refusal}; evaluation "), 1, said)
            self.assertEqual({(row["status"], row["attempts"]) for row in self.history()}, {("done", "1")})
            self.assertEqual({bar["place"] for bar in self.timeline()}, {"n1: 1 core"})

    def test_a_node_that_refuses_again_is_left_out_for_good(self):
        refusal = "Unable to create step for job 3: Required node not available (down, drained or reserved)"
        for scontrol, then in ("exit 1", "from now on"), (self.states("n[1-2]", "MIXED"), "for 20 s"):
            said = self.on_two_nodes(refusal, pause="sleep 3\n", scontrol=scontrol)
            self.assertEqual(said.code, 0, said)
            self.assertEqual(re.findall("node n2 is left out (.*?):", said.err), ["for 10 s", then])

    def test_what_slurm_says_of_a_node_counts(self):
        """Where scontrol works, a node is lost only when SLURM says that it is not well."""
        refusal = "Unable to create step for job 3: Requested node configuration is not available"
        for job, state, how_long, says in (("n1", "IDLE", "from now on", "IDLE, not in the job"), ("n[1-2]", "MIXED+DRAIN", "for 10 s", "MIXED+DRAIN"),
                                          ("n[1-2]", "MIXED", "for 10 s", "MIXED")):
            said = self.on_two_nodes(refusal, scontrol=self.states(job, state))
            self.assertIn(f"node n2 is left out {how_long}: srun: error: {refusal} (SLURM: {says}); evaluation ", said.err)
            self.assertEqual({(row["status"], row["attempts"]) for row in self.history()}, {("done", "1")})
        words = "Task launch for StepId=3.5 failed on node n2: Job credential expired"
        said = self.on_two_nodes(words, scontrol=self.states("n[1-2]", "MIXED"))
        self.assertEqual(said.err.count("node n2 is left out for 10 s: srun: error: " + words), 1, said)
        self.assertEqual({(row["status"], row["attempts"]) for row in self.history()}, {("done", "1")})

    def test_one_simulation_that_asks_for_too_much_costs_no_node(self):
        refusal = "Unable to create step for job 3: Requested node configuration is not available"
        said = self.on_two_nodes(refusal, nodes="n[12]", when="5", scontrol=self.states("n[1-2]", "MIXED"))
        self.assertNotIn("from now on", said.err)
        failed = [row for row in self.history() if row["status"] == "failed"]
        self.assertEqual([row["id"] for row in failed], ["5"])
        self.assertIn(f"srun: error: {refusal}", failed[0]["reason"])

    def test_a_simulation_that_asks_srun_for_too_much_fails_with_its_words(self):
        refusal = "Unable to create step for job 3: Requested node configuration is not available"
        said = self.on_two_nodes(refusal, nodes="n[12]")
        self.assertNotIn("from now on", said.err)
        self.assertEqual({row["status"] for row in self.history()}, {"failed"})
        self.assertIn(f"srun: error: {refusal}", self.history()[0]["reason"])

    def test_other_words_of_srun_are_failures(self):
        said = self.on_two_nodes("Task launch for StepId=3.5 failed on node n25: Communication connection failure")
        self.assertNotIn("left out", said.err)
        self.assertEqual({row["status"] for row in self.history()}, {"done", "failed"})

    def jobs(self, resources, *sets):
        """The lines for sbatch in the first script of a campaign that only submits."""
        for name, text in {"sbatch": "echo 17", "squeue": "exit 1", "scancel": "", "srun": ""}.items():
            self.write(f"#!/bin/sh\n{text}\n", f"bin/{name}", 0o755)
        self.write(JOBS.replace("RESOURCES", resources), "placed.yaml")
        shutil.rmtree(self.folder / "placed.campaign", ignore_errors=True)
        self.environment["PATH"] = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        self.succeed("step", "placed.yaml", *[word for key in sets for word in ("--set", key)], code=program.RESUMABLE)
        scripts = sorted(self.folder.glob("placed.campaign/slurm/*/job.sh")) or sorted(
            self.folder.glob("placed.campaign/evals/*/job.sh"))
        text = scripts[0].read_text()
        return [line[10:].strip() for line in text.splitlines() if line.startswith("#SBATCH --")], text

    def test_jobs_ask_for_what_a_simulation_needs(self):
        lines, text = self.jobs('cores: "8*refine", gpus: 2, tasks: 4, memory: 8GiB, nodes: 2')
        self.assertEqual(lines, "partition=x ntasks=4 cpus-per-task=6 nodes=2 gpus=2 mem=4096M".split())
        self.assertIn("'--ntasks=4' '--cpus-per-task=6'", text)  # {launcher}
        lines, _ = self.jobs("tasks: 4")
        self.assertEqual(lines, "partition=x ntasks=4".split())
        several = ("evaluate.runs_per_job=4", "evaluate.runs_at_once=2")
        lines, text = self.jobs('cores: "8*refine", gpus: 1, memory: 1GiB', *several)
        self.assertEqual(lines, "partition=x ntasks=2 cpus-per-task=24 gpus=2 mem=2048M".split())
        self.assertIn("srun --exact --nodes=1 --ntasks=1 --cpus-per-task=24 --gpus=1 --mem=1024M ", text)
        _, text = self.jobs("tasks: 4", *several)
        script = next(self.folder.glob("placed.campaign/evals/*/job.sh")).read_text()
        self.assertIn("mpirun' '-n' '4'", script)
        self.assertIn("export SLURM_TASKS_PER_NODE='4'\n", script)  # the step has one task
        self.write(JOBS.replace("RESOURCES", 'cores: "8*refine", gpus: 2, tasks: 4, memory: 8GiB, nodes: 2'), "placed.yaml")
        shutil.rmtree(self.folder / "placed.campaign")
        self.refused("2 nodes for a simulation, but runs_at_once: 2", sets=several)
        for option, key in {"--ntasks=8": "tasks", "-c 4": "cores", "--gres=gpu:1": "gpus", "--gpus=1": "gpus", "--mem=1G": "memory",
                            "--mem-per-cpu=1G": "memory", "-N4": "nodes", "--tasks-per-node=2": "tasks"}.items():
            word = option.split()[0]
            error = self.refused(f"evaluate.sbatch: '{word}' contradicts evaluate.resources.{key}", sets=[f'evaluate.sbatch=["{option}"]'])
            self.assertEqual(error.err.count("contradicts"), 1)
        self.succeed("run", "placed.yaml", "--dry-run", "--set", 'evaluate.sbatch=["--ntasks=4", "--nodes 2", "-G2"]')

    def shell(self, text, begin, end, show, **environment):
        """What some lines of a script, from one text to another, make of variables."""
        lines = text[text.index(begin):text.index(end, text.index(begin))]
        return subprocess.run(["sh", "-c", f"{lines}\necho {show}"], env={"PATH": os.environ["PATH"], **environment}, check=True,
                              capture_output=True, text=True).stdout.strip()

    def test_runs_of_a_job_share_its_memory_also_where_nodes_have_different_numbers_of_tasks(self):
        _, text = self.jobs("tasks: 4", "evaluate.runs_per_job=12", "evaluate.runs_at_once=6")
        for tasks, share in (("2(x3),1", 2), ("1,2(x3)", 2), ("1(x2),10", 6), ("4", 4), ("12(x2)", 6), ("", 6)):
            self.assertEqual(self.shell(text, "gannet_memory=", "gannet_run()", "$gannet_memory", SLURM_TASKS_PER_NODE=tasks, SLURM_MEM_PER_NODE="1200"),
                             f"--mem={1200 // share}M")
        # Processors and nodes of the job; those of a step are 4 of `tasks`.
        for tasks, processors, nodes, share in (("1", 64, 1, 6), ("1", 12, 1, 3), ("1(x3)", 64, 3, 2), ("1(x6)", 64, 6, 1), ("2(x3)", 8, 3, 2)):
            self.assertEqual(self.shell(text, "gannet_memory=", "gannet_run()", "$gannet_memory", SLURM_TASKS_PER_NODE=tasks, SLURM_MEM_PER_NODE="1200",
                                        SLURM_CPUS_ON_NODE=str(processors), SLURM_JOB_NUM_NODES=str(nodes)), f"--mem={1200 // share}M", tasks)

    def test_mpirun_of_a_job_binds_nothing_where_the_cluster_confines_no_job(self):
        """It sees all processors of the node then, and so does that of another job there."""
        ompi, shown = "OMPI_MCA_hwloc_base_binding_policy", "$OMPI_MCA_hwloc_base_binding_policy $PRTE_MCA_hwloc_default_binding_policy $I_MPI_PIN $MV2_ENABLE_AFFINITY"
        for sets in ((), ("evaluate.runs_per_job=4", "evaluate.runs_at_once=2"), ("evaluate.runs_per_job=4", "evaluate.runs_at_once=2", "evaluate.step=[env]")):
            self.jobs("cores: 1", *sets)
            script = next(self.folder.glob("placed.campaign/evals/*/job.sh")).read_text()
            alone = not any("step" in key for key in sets)
            for granted, unbound in ((CORES, not alone), (1, not alone or CORES > 1), ("", not alone)):
                said = self.shell(script, "gannet_seen=", "gannet_began=", shown, SLURM_CPUS_ON_NODE=str(granted), OMP_NUM_THREADS="1")
                self.assertEqual(said, "none none off 0" if unbound else "", (sets, granted))
            said = self.shell(script, "gannet_seen=", "gannet_began=", shown, SLURM_CPUS_ON_NODE="0", **{ompi: "core", "I_MPI_PIN_DOMAIN": "core", "MV2_CPU_MAPPING": "0"})
            self.assertEqual(said, "core", "what the user has set")

    def test_oversubscribing_is_asked_for(self):
        self.campaign("cores: 1, oversubscribe: yes", more=f"parallel: {CORES + 2}", pause="sleep 0.2\n")
        self.succeed("run", "placed.yaml")
        self.assertEqual({row[1] for row in self.seen()}, {str(i) for i in range(min(CORES + 2, 8))})


if __name__ == "__main__":
    program.main()
