"""The campaigns of tests/compatibility: what each is, how it was made and how it goes on.

A case is a folder with a campaign file c.yaml, what that names, and the campaign directory c.campaign.
"""
import json

HEAD = "name: c\nseed: 5\n"
BOX = "variables:\n  x1: {lower: -5, upper: 10}\n  x2: {lower: 0, upper: 15}\n"
BRANIN = "evaluate: {backend: function, simulation: branin}\n"
SIMULATE = """\
#!/bin/sh
# A bowl with a limit; some designs cannot work, some runs have bad luck.
test -n "$SLOW" && sleep "$SLOW"
awk '{v[$1] = $2}
END {
  if (v["x1"] > 7) { print "fail too hot"; exit }
  if (v["x2"] < 2) exit 3
  printf "objective %.17g\\nlimit %.17g\\n", (v["x1"] - 1)^2 + (v["x2"] - 4)^2, v["x1"] + v["x2"]
}' params.in > results.out
test -s results.out
"""
COMMAND = ("evaluate: {backend: command, command: [./simulate.sh], parallel: 2, retries: 1}\n"
           "constraints:\n  limit: {upper: 12}\n")
TOOLS = "".join(f"  {tool}_command: ./scheduler/{tool}\n" for tool in ("sbatch", "squeue", "sacct", "scontrol", "scancel"))
SLURM = ("constraints:\n  limit: {upper: 12}\nevaluate:\n  backend: slurm\n  command: [./simulate.sh]\n  parallel: 4\n"
         "  poll_interval: 0.1s\n  grace: 2s\n  command_timeout: 30s\n" + TOOLS)
MIXED = """\
variables:
  x1: {lower: -5, upper: 10}
  x2: {lower: 1, upper: 15, scale: log}
  n: {type: integer, lower: 1, upper: 6}
  b: {type: boolean}
  kind: {type: categorical, values: [red, green, blue]}
"""
MIXED_SIMULATE = """\
#!/bin/sh
awk '{v[$1] = $2} END {
  printf "objective %.17g\\n", (v["x1"] - 1)^2 + (v["x2"] - 4)^2 + v["n"] + (v["kind"] == "green" ? 0 : 2)}' params.in > results.out
"""
PDE = """\
variables:
  x: {lower: 0, upper: 6.283185307179586}
  y: {lower: 0, upper: 6.283185307179586}
physics:
  points: 100
  equations:
    - name: conduction
      terms:
        - {coefficient: 1, derivative: [x, x]}
        - {coefficient: 1, derivative: [y, y]}
      rhs: 0
surrogate: {width: 60, single_width: 0}
evaluate: {backend: function, simulation: steady-heat-2, settings: {grid: 50}}
"""
POOL = "x1,x2,label\n" + "".join(f"{(i * 37 % 151) / 10 - 5},{(i * 53 % 149) / 10},d{i}\n" for i in range(60))


def text(method="", more=BOX + BRANIN, batch=2, evaluations=40):
    return (HEAD + (f"method: {method}\n" if method else "") + more + f"batch: {batch}\n"
            f"budget: {{evaluations: {evaluations}}}\nsave: {{batches: 1, interval: 0s}}\n")


class Case:
    """n: evaluations that were made; kind: run, ask, step; hurt: what was done to the directory then."""

    def __init__(self, name, yaml, n=14, kind="run", hurt="", files=None, more=4):
        self.name, self.yaml, self.n, self.kind, self.hurt = name, yaml, n, kind, hurt
        self.files, self.more = files or {}, more


RUNS = {"simulate.sh": SIMULATE}
# Every kind of state: each surrogate, trust regions, split problems, quadratic models, portfolios.
METHODS = ("auto gp-ei gp-logei-warped gp-noisy neural-bo neural-ei neural-bo-published neural-ts neural-trust turbo-1 go-ucb dngo "
           "forest-ei gp-mes quadratic sobol random").split()
CASES = [Case(f"method-{name}", text(name)) for name in METHODS] + [
    Case("batch", text("auto", batch=5), n=20),
    Case("asynchronous", text("auto", BOX + BRANIN.replace("branin}", "branin, mode: asynchronous, parallel: 3}"), 1)),
    Case("portfolio", text("portfolio", "portfolio: [gp-ei, quadratic, neural-bo]\n" + BOX + BRANIN, 3)),
    Case("noise", text("auto", "noise: 0.5\n" + BOX + BRANIN)),
    Case("maximize", text("gp-ei", "goal: maximize\n" + BOX + BRANIN)),
    Case("candidates", text("auto", "candidates: pool.csv\n" + BOX + BRANIN), files={"pool.csv": POOL}),
    Case("physics-auto", text("auto", PDE.replace("surrogate: {width: 60, single_width: 0}\n", "")), n=10, more=2),
    Case("physics-pinn", text("pinn-bo", PDE), n=8, more=2),
    Case("constraints", text("auto", BOX + COMMAND), files=RUNS),
    Case("constraints-scbo", text("scbo", BOX + COMMAND), files=RUNS),
    Case("constraints-admmbo", text("admmbo", BOX + COMMAND), files=RUNS),
    Case("categories", text("auto", MIXED + "evaluate: {backend: command, command: [./simulate.sh], parallel: 2}\n"),
         files={"simulate.sh": MIXED_SIMULATE}),
    Case("killed-in-a-batch", text("auto", BOX + COMMAND, 4), files=RUNS, hurt="killed"),
    Case("torn-journal", text("auto"), hurt="torn"),
    Case("damaged-journal", text("auto"), hurt="damaged"),
    Case("only-older-state", text("auto"), hurt="older"),
    Case("no-snapshots", text("auto"), hurt="unsaved"),
    Case("ask-tell", text("gp-ei", BOX + "evaluate: {backend: manual}\n"), n=12, kind="ask"),
    Case("step", text("gp-ei", BOX + COMMAND), kind="step", files=RUNS),
    Case("slurm", text("gp-ei", BOX + SLURM, 4), n=12, files=RUNS, kind="slurm"),
    Case("slurm-array-step", text("sobol", BOX + SLURM.replace("  parallel: 4\n", "  submit: array\n"), 4), n=8,
         kind="slurm-step", files=RUNS),
]


def records(journal):
    """The sound records of a journal, of which the last line may be torn."""
    found = []
    for line in journal.read_bytes().split(b"\n")[1:]:
        try:
            found.append(json.loads(line.split(b" ", 2)[2]))
        except (IndexError, ValueError):
            continue
    return found


def points(journal):
    return [x for record in records(journal) if record["record"] == "propose" for x in record["x"]]
