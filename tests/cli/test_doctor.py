# test: labels cli timeout 120 processors 1
"""What gannet finds out about the machine, and how it gets the better BLAS kernels by itself."""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import time

import program
from program import BRANIN, FAST, FINISHED, SOBOL, USAGE, slow

MACHINE = 7
OLD = "Prescott"  # kernels without AVX, slow on every processor of today

SIMULATION = """\
#!/bin/sh
env | grep -E 'OPENBLAS_CORETYPE|GANNET_(BLAS|INHERITED)' > "$OUT"
echo objective 1 > "$GANNET_RESULTS"
"""
COMMAND = FAST.replace("method: neural-bo\nsearch: {candidates: 500}\n", "method: sobol\n") \
              .replace("initial: 8\n", "").replace("batch: 4", "batch: 1") \
              .replace("evaluations: 24", "evaluations: 1") + "evaluate: {backend: command, command: [./s.sh]}\n"


class Doctor(program.ProgramTest):
    best = None  # findings about the kernels without any wish

    def findings(self, *words, **options):
        """(topic, item) -> finding; the exit code must say the same."""
        outcome = self.gannet("doctor", "--format", "json", *words, **options)
        found = {(row["topic"], row["item"]): row for row in json.loads(outcome.out)}
        worst = {row["state"] for row in found.values()}
        self.assertLessEqual(worst, {"fine", "note", "change"})
        self.assertEqual(outcome.code, MACHINE if "change" in worst else FINISHED, outcome)
        for row in found.values():
            self.assertEqual(row["state"] == "fine", not row["advice"], row)
        return found

    def kernels(self, **options):
        return self.findings(**options)["BLAS", "kernels"]

    def chosen(self):
        """Kernels without any wish; skips where OpenBLAS does not choose or the processor is not known."""
        if Doctor.best is None:
            Doctor.best = self.kernels()
        if "unknown" in self.best["value"] or self.best["state"] != "fine":
            self.skipTest("nothing to choose: " + self.best["value"])
        return self.best["value"]

    def test_places_of_simulations(self):
        """Nodes, cores and GPUs, what says so, and how many simulations of a campaign run at once."""
        cores = len(os.sched_getaffinity(0))
        shown = {item: row["value"] for (topic, item), row in self.findings(environment={"GANNET_GPUS": "3,GPU-a1"}).items() if topic == "places"}
        self.assertEqual(shown["GPUs"], "2 on this node, by GANNET_GPUS: 3, GPU-a1")
        self.assertRegex(shown["cores"], rf"^{cores} on this node, by (the machine|the affinity mask of gannet's start|the quota of .*)$")
        self.assertRegex(shown["nodes"], "^1: ")
        self.assertNotIn("simulations", shown)
        self.write("#!/bin/sh\n", "s.sh", 0o755)
        for resources, count, limit in (("cores: 1, gpus: 1, devices: [7]", 1, "GPUs" if cores > 1 else "cores and GPUs"), ("cores: 1", cores, "cores"),
                                        (f"cores: {cores}, gpus: 1, devices: [7, 8]", 1, "cores"), ("memory: 1e6KiB, cores: 1", None, None)):
            file = self.write(COMMAND.replace("command: [./s.sh]", f"command: [./s.sh], resources: {{{resources}}}"))
            found = self.findings(file)["places", "simulations"]["value"]
            if count:
                self.assertEqual(found, f"{count} at once; what limits it: {limit}")
        if cores > 1:
            bound = self.gannet("doctor", file, "--format", "json", wrapper=("taskset", "-c", str(min(os.sched_getaffinity(0)))))
            self.assertIn("1 on this node, by the affinity mask of gannet's start", bound.out)
        nodes = {"SLURM_JOB_ID": "3", "SLURM_JOB_NODELIST": "n[1-2]", "SLURM_JOB_CPUS_PER_NODE": "1(x2)", "SLURMD_NODENAME": "n1"}
        found = self.findings(environment=nodes)
        self.assertEqual(found["places", "nodes"]["value"], "2 of SLURM job 3: n1, n2")
        self.assertRegex(found["places", "cores"]["value"], "^1 on this node, by " + ("SLURM$" if cores > 1 else ""))
        nodes["SLURMD_NODENAME"] = "n7"
        found = self.findings(environment=nodes)
        self.assertIn("does not run on a node of job 3", found["places", "state"]["advice"])

    def test_a_machine_without_ssh_is_no_obstacle(self):
        """Open MPI looks for it even where nothing is started on another machine."""
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "sh").symlink_to("/bin/sh")
        path = {"PATH": str(self.folder / "bin")}
        self.write("#!/bin/sh\nset > seen\necho objective 1 > \"$GANNET_RESULTS\"\n", "s.sh", 0o755)
        self.succeed("run", self.write(COMMAND), "-q", environment=path)
        seen = (self.folder / "fast.campaign" / "evals" / "000000" / "seen").read_text()
        self.assertNotIn("plm_rsh_agent", seen)
        self.succeed("report", "fast.campaign", environment=path)

    def test_without_a_launcher_nothing_else_is_started(self):
        """By Open MPI, whose helper begins later than gannet and may outlive it."""
        file = self.write(slow(BRANIN, 60))
        for wanted, helpers in ({}, 0), ({"OMPI_MCA_ess_singleton_isolated": "0"}, 1):
            running = self.start("run", file, "-q", environment=wanted)
            self.wait_until(lambda: (self.folder / "fast.campaign" / "history.csv").exists())
            names = [(pathlib.Path("/proc") / str(pid) / "comm").read_text().strip() for pid in running.pids()]
            self.assertLessEqual(names.count("orted"), helpers, names)
            self.assertEqual([name for name in names if "gannet" not in name and name != "orted"], [])
            self.assertTrue(running.kill())
            shutil.rmtree(self.folder / "fast.campaign")

    def test_slots_with_fewer_cores_than_they_are_are_told(self):
        one = ("taskset", "-c", str(min(os.sched_getaffinity(0))))
        self.write("#!/bin/sh\n", "s.sh", 0o755)
        for command, parallel, state in (("[./s.sh]", 1, "fine"), ("[./s.sh]", 3, "change"),
                                         ("[mpirun, -n, 2, \"{input_directory}/s.sh\"]", 1, "change")):
            file = self.write(COMMAND.replace("[./s.sh]", f"{command}, parallel: {parallel}"), "slots.yaml")
            found = self.findings(file, wrapper=one)["processors", "simulations"]
            self.assertEqual(found["state"], state, (command, found))
            self.assertIn("may use 1 core (1 ", found["value"])
        self.assertEqual(self.findings(wrapper=one)["processors", "simulations"]["state"], "fine")

    def test_a_faulty_campaign_is_a_finding(self):
        """What there is to say about the machine is said all the same."""
        for text, error in (("name: [", "broken.yaml"), (COMMAND.replace("[./s.sh]", "[./nothing]"), "./nothing"),
                            (COMMAND.replace("[./s.sh]", "[./s.sh], resources: {cores: 100000}"), "100000 cores")):
            self.write("#!/bin/sh\n", "s.sh", 0o755)
            for ranks in 0, 2:
                outcome = self.succeed("doctor", self.write(text, "broken.yaml"), "--format", "json", code=USAGE, ranks=ranks)
                self.assertIn(error, outcome.err)
                rows = json.loads(outcome.out)
                self.assertEqual((rows[0]["topic"], rows[0]["item"], rows[0]["state"]), ("campaign", "file", "change"))
                self.assertIn(error, rows[0]["advice"])
                self.assertIn("MPI", {row["topic"] for row in rows})
        self.assertIn("nothing.yaml", self.gannet("doctor", "nothing.yaml").err)

    def test_every_format_says_the_same(self):
        found = self.findings()
        for topic in "MPI", "BLAS", "processors", "threads", "libraries", "memory", "directory", "SLURM":
            self.assertIn(topic, {key[0] for key in found})
        self.assertEqual(found["MPI", "ranks"]["value"], "1 on 1 node")
        self.assertEqual(found["directory", "locks"]["value"], "work")
        self.assertEqual(found["threads", "per rank"]["value"], "1")
        rows = list(csv.DictReader(io.StringIO(self.gannet("doctor", "-f", "csv").out)))
        self.assertEqual([(row["topic"], row["item"]) for row in rows], list(found))
        table = self.gannet("doctor").out
        for _, item in found:
            self.assertIn(item, table)
        self.assertEqual(list(self.folder.iterdir()), [], "nothing is left behind")

    def test_places_that_are_none(self):
        self.assertIn("nowhere", self.succeed("doctor", "nowhere", code=USAGE).err)
        self.assertIn("not a directory", self.succeed("doctor", self.write("", "file"), code=USAGE).err)
        self.succeed("doctor", ".", ".", code=USAGE)

    def test_a_campaign_is_left_to_verify(self):
        place = self.folder / "old.campaign"
        place.mkdir()
        self.assertNotIn(("directory", "campaign"), self.findings(place))
        (place / "journal").write_text("not a journal")
        found = self.findings(place)["directory", "campaign"]
        self.assertEqual((found["state"], found["value"]), ("note", "not looked at"))
        self.assertIn(f"`gannet verify {place}` checks the files of the campaign", found["advice"])

    def test_ranks_on_one_processor_are_seen(self):
        found = self.findings(ranks=2, wrapper=("taskset", "-c", str(min(os.sched_getaffinity(0)))))
        for item in "ranks and cores", "binding":
            self.assertEqual(found["processors", item]["state"], "change", found["processors", item])
        self.assertIn("2 ranks, 1 core", found["processors", "ranks and cores"]["value"])
        self.assertEqual(found["BLAS", "on all ranks"]["value"], "the same")

    def test_an_inherited_kernel_is_replaced(self):
        good = self.chosen()
        old = {"OPENBLAS_CORETYPE": OLD}
        for ranks, more in (0, {"GANNET_KEEP_BLAS": "0", "GANNET_BLAS_CHOICE": "1 99"}), (2, {}):
            row = self.kernels(ranks=ranks, environment={**old, **more})
            self.assertEqual((row["value"], row["state"]), (good, "note"), row)
            self.assertIn("GANNET_KEEP_BLAS", row["advice"])
        kept = self.kernels(environment={**old, "GANNET_KEEP_BLAS": "1"})
        self.assertEqual(kept["state"], "change")
        self.assertIn(OLD, kept["value"])
        self.assertIn("unset OPENBLAS_CORETYPE", kept["advice"])

    def test_simulations_see_the_inherited_value(self):
        self.chosen()
        self.write(SIMULATION, "s.sh", 0o755)
        seen = self.folder / "seen"
        self.succeed("run", self.write(COMMAND), "-q", environment={"OPENBLAS_CORETYPE": OLD, "OUT": str(seen)})
        self.assertEqual(seen.read_text(), f"OPENBLAS_CORETYPE={OLD}\n")

    def test_run_says_it_in_one_line(self):
        good = self.chosen().split()[0]
        file = self.write(SOBOL)
        old = {"OPENBLAS_CORETYPE": OLD}
        self.assertEqual(self.succeed("run", file, "-q", ranks=2, environment=old).err, "")
        log = (self.folder / "fast.campaign/campaign.log").read_text()
        line = json.loads(re.search(r"info machine: (\{.*\})$", log, re.MULTILINE).group(1))
        self.assertEqual((line["ranks"], line["nodes"], line["kernels"], line["kernels_agree"]), (2, 1, good, True))
        kept = self.succeed("run", file, "-q", "-d", "kept", environment={**old, "GANNET_KEEP_BLAS": "1"})
        self.assertEqual(kept.err.count("gannet: warning: BLAS uses its " + OLD), 1, kept)

    def test_a_scheduler_is_asked(self):
        tools = self.folder / "bin"
        for name in "sbatch", "squeue", "scancel":
            self.write("#!/bin/sh\necho slurm 99.1\n", f"bin/{name}", 0o755)
        path = {"PATH": f"{tools}:{os.environ['PATH']}", "SLURM_JOB_END_TIME": str(int(time.time()) + 3600),
                "SLURM_JOB_ID": "5", "SLURM_NTASKS": "8"}
        found = self.findings(environment=path)
        self.assertEqual(found["SLURM", "version"]["value"], "slurm 99.1")
        self.assertRegex(found["SLURM", "time left"]["value"], "^(59|60) min$")
        self.assertIn("srun", found["SLURM", "allocation"]["advice"])
        del path["SLURM_JOB_END_TIME"]  # SLURM before 23.02
        for left, minutes in ("2-01:02:03", "2942 min"), ("1:00:10", "60 min"), ("5:03", "5 min"), ("UNLIMITED", "unknown"):
            self.write(f'#!/bin/sh\n[ "$*" = "--noheader --format=%L --jobs 5" ] && echo {left}\n', "bin/squeue", 0o755)
            self.assertEqual(self.findings(environment=path)["SLURM", "time left"]["value"], minutes)
        self.write('#!/bin/sh\n[ "$4" = 4_3 ] && echo 9:02\n', "bin/squeue", 0o755)
        array = {**path, "SLURM_ARRAY_JOB_ID": "4", "SLURM_ARRAY_TASK_ID": "3"}
        self.assertEqual(self.findings(environment=array)["SLURM", "time left"]["value"], "9 min")
        self.write("#!/bin/sh\necho no such cluster >&2\nexit 1\n", "bin/sbatch", 0o755)
        self.assertIn("no such cluster", self.findings(environment=path)["SLURM", "version"]["advice"])


if __name__ == "__main__":
    program.main()
