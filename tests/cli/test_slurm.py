# test: labels cli timeout 240 processors 1
"""Campaigns on a SLURM that is a stand-in: what is on the disk before sbatch is called, stops, shell functions."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import program
from program import RESUMABLE, SCRATCH

STANDIN = pathlib.Path(__file__).resolve().parent.parent / "evaluate" / "standin" / "scheduler"
TOOLS = "sbatch", "squeue", "sacct", "scontrol", "scancel"
CAMPAIGN = """\
name: on
method: sobol
variables: {x: {lower: 0, upper: 1}}
batch: 4
budget: {evaluations: 4, failures: {rate: 1}}
evaluate:
  backend: slurm
  parallel: 4
  retries: 0
  poll_interval: 0.1s
  command_timeout: 30s
""" + "".join(f"  {tool}_command: ./scheduler/{tool}\n" for tool in TOOLS)
LIMIT = ("sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job violates "
         "accounting/QOS policy (job submit limit, user's size and/or time limits)\n")
PACKINGS = {"jobs": "", "array": "  submit: array\n",
            "bundles": "  runs_per_job: 2\n  runs_at_once: 2\n  step: [env]\n"}
SIMULATION = "#!/bin/sh\necho >> \"$GANNET_INPUT_DIRECTORY/runs\"\necho objective 1 > results.out\n"
MODULES = pathlib.Path("/usr/share/modules/init/bash")


class Slurm(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SIMULATION, "simulate.sh", 0o755)
        self.scheduler = self.folder / "scheduler"
        (self.scheduler / "jobs").mkdir(parents=True)
        for name in *TOOLS, "node":
            shutil.copy(STANDIN, self.scheduler / name)
        self.node = subprocess.Popen(["/bin/sh", self.scheduler / "node"], start_new_session=True)

    def tearDown(self):
        os.killpg(self.node.pid, signal.SIGKILL)
        self.node.wait()
        super().tearDown()

    def mischief(self, name, text=""):
        (self.scheduler / name).write_text(text)

    def calls(self, tool):
        path = self.scheduler / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        return sum(line.startswith(tool + " ") for line in lines)

    def begin(self, evaluate, command="run"):
        return self.start(command, self.write(CAMPAIGN + evaluate, "on.yaml"), "-q")

    def test_jobs_learn_their_nodes_and_gpus_from_slurm(self):
        """{gpus} and {hosts} are what SLURM says when the job begins."""
        self.write('#!/bin/sh\necho "$*|$X|$GANNET_HOSTS|$GANNET_GPUS" > seen\necho objective 1 > results.out\n', "see.sh", 0o755)
        self.write("#!/bin/sh\n[ \"$*\" = 'show hostnames n[1-2]' ] && printf 'n1\\nn2\\n'\n", "bin/scontrol", 0o755)
        asked = {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "SLURM_JOB_NODELIST": "n[1-2]", "CUDA_VISIBLE_DEVICES": "2,3"}
        os.killpg(self.node.pid, signal.SIGKILL)
        self.node.wait()
        self.node = subprocess.Popen(["/bin/sh", self.scheduler / "node"], start_new_session=True, env={**os.environ, **asked})
        text = CAMPAIGN + ("  command: [./see.sh, \"it's {hosts}\", \"{gpus}\", \"{cores}\"]\n  environment: [\"X=<{gannet.hosts}>\"]\n"
                           "  resources: {cores: 1, gpus: 2, nodes: 1}\n")
        self.succeed("run", self.write(text, "on.yaml"), "-q")
        seen = {path.read_text() for path in self.folder.glob("on.campaign/evals/*/seen")}
        self.assertEqual(seen, {"it's n1,n2 2,3 1|<n1,n2>|n1,n2|2,3\n"})
        self.write("gpus {gpus} x {x}\n", "deck.in")
        refused = self.succeed("run", self.write(text + "  templates: [deck.in]\n", "on.yaml"), "--directory", "b.campaign", code=program.USAGE)
        self.assertIn("deck.in:1:6: {gpus} is not known when this file is written", refused.err)
        self.assertIn("read $GANNET_GPUS in the simulation", refused.err)

    def test_status_shows_what_jobs_used(self):
        """Memory and time of the job that came nearest to its request; nothing without accounting."""
        outcome = self.begin("  command: [./simulate.sh]\n").wait(60)
        self.assertEqual(outcome.code, 0, outcome)
        job = [row["job"] for row in self.history("on.campaign")]
        words = lambda: [line for line in self.succeed("status", "on.campaign").out.splitlines() if line.startswith("job usage")]
        state = lambda: json.loads(self.succeed("status", "on.campaign", "--format", "json").out)["job_usage"]
        self.assertEqual((words(), state()), ([], None))
        self.write("#!/bin/sh\necho 'Slurm accounting storage is disabled' >&2\nexit 1\n", "scheduler/sacct", 0o755)
        self.assertEqual((words(), state()), ([], None))
        self.write(f"""#!/bin/sh
case $* in *--jobs={",".join(reversed(job))}*) ;; *) exit 3 ;; esac
echo '{job[0]}|billing=2,cpu=2,mem=4G,node=1||60|600'
echo '{job[0]}.batch||cpu=00:00:01,fs/disk=10,mem=1048576K,pages=0||600'
echo '{job[0]}.0||cpu=00:00:01,mem=2097152K||500'
echo '{job[1]}|cpu=1,mem=4G,node=1||60|1800'
echo '{job[1]}.batch||mem=1000K||1800'
echo '{job[2]}|cpu=1,mem=4G,node=1||UNLIMITED|9000'
echo '{job[3]}|cpu=1,node=1||Partition_Limit|9000'
echo '{job[3]}.batch||mem=9G||9000'
""", "scheduler/sacct", 0o755)
        self.assertEqual(words(), [f"job usage    of 4 jobs: memory up to 2 GiB of 4 GiB requested (job {job[0]}), "
                                   f"time up to 30 min 00 s of 60 min 00 s requested (job {job[1]})"])
        self.assertEqual(state(), {"jobs": 4, "memory": {"job": job[0], "used": 2.0**31, "requested": 2.0**32},
                                   "seconds": {"job": job[1], "used": 1800, "requested": 3600}})

    def test_a_stop_ends_what_sbatch_does_not_take(self):
        """Whatever asks for the stop, and however evaluations are packed: exit at once, and nothing is submitted."""
        asks = [lambda running: os.kill(running.process.pid, signal.SIGINT),
                lambda running: os.kill(running.process.pid, signal.SIGUSR1),
                lambda running: (self.folder / "on.campaign" / "STOP").touch()]
        for ask, (name, packing) in zip(asks, PACKINGS.items()):
            with self.subTest(packing=name):
                shutil.rmtree(self.folder / "on.campaign", ignore_errors=True)
                self.mischief("sbatch.says", LIMIT)
                self.mischief("sbatch.fail", "1000\n")
                running = self.begin("  command: [./simulate.sh]\n" + packing)
                before = self.calls("sbatch")
                self.wait_until(lambda: self.calls("sbatch") > before + 1)
                ask(running)
                begun = time.monotonic()
                if (self.folder / "on.campaign" / "STOP").exists():
                    time.sleep(5)  # gannet looks for the file once a second, later on a busy machine
                self.mischief("sbatch.fail", "0\n")  # accepts jobs again
                outcome = running.wait(30)
                self.assertEqual(outcome.code, RESUMABLE, outcome)
                self.assertLess(time.monotonic() - begun, 25)
                self.assertIn(" 0 failed, 4 pending", outcome.out)
                self.assertFalse(list(self.scheduler.glob("jobs/*")))
        (self.folder / "on.campaign" / "STOP").unlink()
        self.assertIn("4 evaluations done", self.succeed("run", self.folder / "on.yaml", "--resume", "-q").out)
        self.assertEqual((self.folder / "runs").read_text(), "\n" * 4)

    def test_outputs_are_read_from_the_files_of_jobs(self):
        self.write("#!/bin/sh\nmkdir -p post/1 post/2\nfor i in 1 2; do printf '# Time Cd\\n0 9\\n1 %d.5\\n' $i > post/$i/c.dat; done\n"
                   "echo mass 7\n", "simulate.sh", 0o755)
        outputs = "objective: drag\noutputs:\n  drag: {file: 'post/*/c.dat', column: Cd}\n  mass: {pattern: '^mass (.*)'}\n"
        for name, packing in PACKINGS.items():
            with self.subTest(packing=name):
                text = outputs + CAMPAIGN + "  command: [./simulate.sh]\n" + packing
                outcome = self.succeed("run", self.write(text, "on.yaml"), "-q", "--directory", name)
                self.assertIn("  drag = 2.5\n", outcome.out)
                self.assertEqual([(row["objective"], row["mass"]) for row in self.history(name)], [("2.5", "7")] * 4)

    def test_a_stop_waits_for_jobs_that_run(self):
        """Of two the first is taken; the stop gives the other one back, and the first counts."""
        self.write("#!/bin/sh\necho >> \"$GANNET_INPUT_DIRECTORY/runs\"\n"
                   "until [ -e \"$GANNET_INPUT_DIRECTORY/go\" ]; do sleep 0.05; done\n"
                   "echo objective 1 > results.out\n", "simulate.sh", 0o755)
        real = (self.scheduler / "sbatch").read_text()
        self.write(real, "scheduler/sbatch", 0o755)
        text = real.replace("tool=${0##*/}\n", "tool=${0##*/}\n[ ! -d \"$home/jobs/1\" ] || "
                            f"{{ echo sbatch x >>\"$home/calls\"; printf %s \"{LIMIT}\" >&2; exit 1; }}\n", 1)
        self.write(text, "scheduler/sbatch", 0o755)
        running = self.begin("  command: [./simulate.sh]\n")
        self.wait_until(lambda: self.calls("sbatch") > 1 and (self.folder / "runs").exists())
        os.kill(running.process.pid, signal.SIGUSR1)
        self.write(real, "scheduler/sbatch", 0o755)
        time.sleep(1)
        self.assertIsNone(running.process.poll())
        (self.folder / "go").touch()
        outcome = running.wait(30)
        self.assertEqual(outcome.code, RESUMABLE, outcome)
        self.assertIn("1 evaluation done", outcome.out)
        self.assertIn(" 0 failed, 3 pending", outcome.out)
        self.assertEqual(len(list(self.scheduler.glob("jobs/*"))), 1)

    def test_a_step_submits_nothing_after_a_stop(self):
        self.mischief("sbatch.says", LIMIT)
        self.mischief("sbatch.fail", "1000\n")
        running = self.begin("  command: [./simulate.sh]\n", "step")
        self.assertEqual(running.wait(30).code, RESUMABLE)
        (self.folder / "on.campaign" / "STOP").touch()
        self.mischief("sbatch.fail", "0\n")
        outcome = self.begin("  command: [./simulate.sh]\n", "step").wait(30)
        self.assertEqual(outcome.code, RESUMABLE, outcome)
        self.assertFalse(list(self.scheduler.glob("jobs/*")))

    def test_all_that_a_job_reads_is_synced_before_sbatch(self):
        """After a power failure only synced files and names are there: those of jobs, arrays and bundles, and retries."""
        library, log = os.environ.get("GANNET_SYNC_LOG_LIBRARY"), self.folder / "synced"
        if not library or os.environ.get("GANNET_SANITIZE"):
            self.skipTest("needs a library to be preloaded")
        self.write("{x}\n", "case.in")
        self.write(SIMULATION, "job.tmpl")
        text = (self.scheduler / "sbatch").read_text().replace(
            "submit() {\n", f"submit() {{\n  cp '{log}' \"$home/synced.$$\"\n  ls -d \"$home\"/../*.campaign/evals/*/* "
            "\"$home\"/../*.campaign/slurm/*/* >\"$home/there.$$\" 2>/dev/null\n", 1)
        self.write(text, "scheduler/sbatch", 0o755)
        for name, packing in {**PACKINGS, "own": "own"}.items():
            with self.subTest(packing=name):
                shutil.rmtree(self.folder / "on.campaign", ignore_errors=True)
                for path in self.scheduler.glob("*synced.*"):
                    path.unlink()
                log.write_text("")
                what = ("  script: job.tmpl\n" if packing == "own" else "  command: [./simulate.sh]\n" + packing)
                file = self.write(CAMPAIGN + what + "  templates: [case.in]\n", "on.yaml")
                self.succeed("run", file, "-q", environment={"LD_PRELOAD": library, "GANNET_SYNC_LOG": str(log)})
                calls = list(self.scheduler.glob("synced.*"))
                self.assertTrue(calls)
                campaign = self.folder / "on.campaign"
                for call in calls:
                    synced = {line[:-4] if line.endswith(".new") else line for line in call.read_text().splitlines()}
                    for path in (self.scheduler / call.name.replace("synced", "there")).read_text().split():
                        self.check_synced(pathlib.Path(os.path.normpath(path)), campaign, synced)
                for path in self.scheduler.glob("there.*"):
                    path.unlink()

    def check_synced(self, path, campaign, synced):
        """The file, and every directory that has a name on the way to it."""
        if path.name not in ("job", "stdout.log", "stderr.log", "results.out", "outcome.json", "job.running",
                             "outcome.part", "gannet.log", "job.log") and not path.name.endswith(".log") \
                and path.parent.parent.name in ("evals", "slurm"):
            self.assertIn(str(path), synced)
            for directory in path.parent, path.parent.parent, campaign, campaign.parent:
                self.assertIn(str(directory), synced)

    def module_campaign(self, backend):
        text = CAMPAIGN if backend == "slurm" else CAMPAIGN.split("evaluate:")[0] + "evaluate:\n  backend: command\n"
        return self.write(text + "  shell: module load solver && solve params.in\n", "on.yaml")

    @unittest.skipUnless(MODULES.exists(), "needs environment-modules")
    def test_module_works_in_shell(self):
        """The example of the help, with the function that a login shell exports."""
        self.mischief("sbatch.functions")
        (self.folder / "bin").mkdir()
        self.write("#!/bin/sh\n[ -r \"$1\" ] && echo objective 1 > results.out\n", "bin/solve", 0o755)
        self.write(f"#%Module\nprepend-path PATH {self.folder}/bin\n", "solver")
        for backend in "command", "slurm":
            with self.subTest(backend=backend):
                shutil.rmtree(self.folder / "on.campaign", ignore_errors=True)
                file = self.module_campaign(backend)
                words = f". {MODULES}; module use '{self.folder}'; exec '{program.GANNET}' run '{file}' -q"
                ran = subprocess.run(["bash", "-c", words], cwd=self.folder, env={**os.environ, **SCRATCH},
                                     capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
                self.assertIn("4 evaluations done", ran.stdout)

    @unittest.skipUnless(MODULES.exists() and pathlib.Path("/etc/profile.d/modules.sh").exists(),
                         "needs environment-modules")
    def test_module_is_defined_by_the_profile(self):
        """What to do where no function is exported."""
        file = self.write(CAMPAIGN.split("evaluate:")[0] + "evaluate:\n  backend: command\n  shell: '. /etc/profile; "
                          "module list && echo objective 1 > results.out'\n", "on.yaml")
        environment = {key: value for key, value in os.environ.items() if "BASH_" not in key}
        ran = subprocess.run([program.GANNET, "run", str(file), "-q"], cwd=self.folder, env={**environment, **SCRATCH},
                             capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_a_simulation_inside_the_job_does_not_begin_after_a_stop(self):
        """Those that were handed over and have not begun wait for the resume."""
        text = ("name: in\nmethod: sobol\nvariables: {x1: {lower: -5, upper: 10}, x2: {lower: 0, upper: 15}}\nbatch: 8\n"
                "budget: {evaluations: 8}\nevaluate: {backend: function, simulation: branin, settings: {delay: 1}, "
                "parallel: 8}\n")
        running = self.start("run", self.write(text, "in.yaml"), "-q")
        self.wait_until(lambda: (self.folder / "in.campaign" / "journal").exists())
        time.sleep(1.5)
        os.kill(running.process.pid, signal.SIGUSR1)
        outcome = running.wait(40)
        self.assertEqual(outcome.code, RESUMABLE, outcome)  # it would be finished if all of them had begun
        self.assertIn("8 evaluations done", self.succeed("run", self.folder / "in.yaml", "--resume", "-q").out)


if __name__ == "__main__":
    program.main()
