# test: labels scale timeout 180 processors 2
"""A thousand evaluations on many pretended nodes and GPUs: no two share any of them."""
import csv
import io
import json
import os

import program

CORES = len(os.sched_getaffinity(0))
CAMPAIGN = """\
name: placed
method: sobol
variables: {x: {lower: 0, upper: 1}}
budget: {evaluations: 1000}
evaluate:
  backend: command
  command: ["{launcher}", sh, -c, "echo objective 1 >$0", "{results}"]
  mode: asynchronous
  retries: 0
  resources: {cores: 1, gpus: "x < 0.5 ? 1 : 2"}
"""
# Stands for srun on nodes that are all this machine: it drops its own options, and notes the node.
SRUN = """\
#!/bin/sh
while [ "${1#-}" != "$1" ]; do
  case $1 in --nodelist=*) GANNET_TEST_NODE=${1#*=} ;; esac
  shift
done
export GANNET_TEST_NODE
exec "$@"
"""


class Thousand(program.ProgramTest):
    def test_a_thousand_evaluations_share_nothing(self):
        """On an allocation of eight nodes, each of which has this machine's cores and four GPUs."""
        nodes, gpus = [f"n{i}" for i in range(1, 9)], 4
        self.write(SRUN, "bin/srun", 0o755)
        environment = {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "HOME": str(self.folder), "TMPDIR": str(self.folder),
                       "GANNET_GPUS": "0,1,2,3",
                       "SLURM_JOB_ID": "17", "SLURMD_NODENAME": "n3", "SLURM_JOB_NODELIST": "n[1-8]", "SLURM_JOB_NUM_NODES": "8",
                       "SLURM_JOB_CPUS_PER_NODE": f"{CORES}(x8)"}
        self.write(CAMPAIGN, "placed.yaml")
        self.succeed("run", "placed.yaml", "--quiet", environment=environment, timeout=150)
        timeline = self.succeed("export", "placed.campaign", "--timeline", "--format", "csv").out
        bars = list(csv.DictReader(io.StringIO(timeline)))
        runs = {}
        for line in (self.folder / "placed.campaign/journal").read_bytes().splitlines()[1:]:
            record = json.loads(line.split(b" ", 2)[2])
            if record["record"] == "result":
                runs[record["id"]] = record["run"]  # times to the microsecond
        self.assertEqual(len(bars), 1000)
        events = []
        for bar in bars:
            host, what = bar["place"].split(": ")
            self.assertIn(host, nodes)
            self.assertRegex(what, r"^1 core, gpus [0-3](,[0-3])?$")
            owned = [(host, int(gpu)) for gpu in what.split("gpus ")[1].split(",")]
            run = runs[int(bar["id"])]
            events += [(run["started"], 1, host, owned), (run["ended"], -1, host, owned)]
        busy, cores, most = {}, {}, 0
        for _, by, host, owned in sorted(events, key=lambda event: event[:2]):
            cores[host] = cores.get(host, 0) + by
            self.assertLessEqual(cores[host], CORES)
            for device in owned:
                busy[device] = busy.get(device, 0) + by
                self.assertIn(busy[device], (0, 1))
            most = max(most, sum(cores.values()))
        self.assertGreater(most, CORES)  # several nodes were in use at a time
        self.assertTrue(all(device[1] < gpus for device in busy))


if __name__ == "__main__":
    program.main()
