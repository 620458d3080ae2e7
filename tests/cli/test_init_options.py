# test: labels cli timeout 240
"""Whatever gannet init writes runs: each option alone, and pairs that depend on each other."""
import os
import re

import program
from program import FINISHED, USAGE

QUICK = ("-q", "--set", "budget.evaluations=2", "--set", "batch=2", "--set", "method=sobol")
RESULT = "echo objective 1 > results.out"
SHELL = ("--shell", RESULT)
OPTIONS = {
    "nothing": (),
    "variable": ("--variable", "x=0:1"),
    "categorical": ("--categorical", "solver=cg,gmres"),
    "boolean": ("--boolean", "vent"),
    "constraint": ("--constraint", "mass=1:3"),
    "template": ("--template", "case.in"),
    "template and command": ("--template", "case.in", "--command", "./sim {results}"),
    "placeholders": ("--template", "deck.i", "--placeholders", "@@", *SHELL),
    "command": ("--command", "./sim {results}"),
    "shell": SHELL,
    "simulation": ("--simulation", "branin"),
    "pattern": ("--pattern", "objective=^drag: *([0-9.]+)", "--shell", "echo drag: 7"),
    "backend command": ("--backend", "command"),
    "goal": ("--goal", "maximize"),
    "objective": ("--objective", "mass", "--objective", "range=maximize:300", "--objective", "drag=minimize:0.08", "--boolean", "b"),
    "objectives of a simulation": ("--simulation", "re3-4-7"),
    "objectives of a simulation that needs more variables": ("--simulation", "wfg4"),
    "method": ("--method", "random"),
    "batch": ("--batch", "3"),
    "parallel": ("--parallel", "3"),
    "tasks": ("--tasks", "{cores}"),
    "tasks and command": ("--tasks", "{cores}", "--command", "./sim {results}"),
    "tasks and simulation": ("--tasks", "2", "--simulation", "branin"),
    "budget": ("--budget", "2"),
    "wall-time": ("--wall-time", "5m"),
    "time-limit": ("--time-limit", "1m"),
    "jobscript": ("--jobscript", "none"),
    "site-timeout": ("--site-timeout", "1s"),
    "force": ("--force",),
}


class InitOptions(program.ProgramTest):
    def text(self, name):
        return (self.folder / name).read_text()

    def test_each_option_runs(self):
        self.write("#!/bin/sh\n[ \"${OMPI_COMM_WORLD_RANK:-0}\" = 0 ] || exit 0\necho objective 1 > \"$1\"\n", "sim", 0o755)
        self.write("x = {x}\n", "case.in")
        self.write("x = @x@ {y}\n", "deck.i")
        cores = re.search(r"found: (\d+) core", self.succeed("init", "first.yaml", "--site-timeout", "5s").out).group(1)
        for name, words in OPTIONS.items():
            with self.subTest(name):
                file = re.sub(r"\W", "_", name) + ".yaml"
                said = self.succeed("init", file, *(word.replace("{cores}", cores) for word in words))
                outcome = self.gannet("run", file, *QUICK)
                self.assertRegex(outcome.out, r"(2 of 2|2 evaluations) ?(done|feasible)?", (self.text(file), outcome))
                self.assertRegex(outcome.out, "front: . design" if "objective" in name else "best design")
                self.assertNotIn("failed: ", outcome.out + outcome.err)
                self.assertNotIn(" share ", said.err)
                tasks = "--tasks" in words and "--simulation" not in words
                if tasks:
                    self.assertIn(f'"-n", "{cores}"', self.text(file))
                    self.assertIn(f"runs:  1 at a time, with {cores} processes each", said.out)
                    self.assertRegex(self.text(file), r"(?m)^  parallel: 1$")

    def test_several_mpirun_at_a_time_are_not_bound(self):
        """To the same cores. A single one is: that is faster."""
        for parallel, written in ("2", True), ("1", False):
            self.succeed("init", f"p{parallel}.yaml", "--parallel", parallel, "--command", "mpirun -n 1 ./sim {results}")
            self.assertEqual("OMPI_MCA_hwloc_base_binding_policy=none" in self.text(f"p{parallel}.yaml"), written)
            self.succeed("run", f"p{parallel}.yaml", "--dry-run", "-q")

    def test_gpus_become_resources(self):
        gpus = {"GANNET_GPUS": "0,1,2"}
        said = self.succeed("init", "a.yaml", "--variable", "x=0:1", "--gpus", "1", "--backend", "command")
        self.assertIn("\n  resources: {tasks: 1, gpus: 1}\n", self.text("a.yaml"))
        self.assertRegex(self.text("a.yaml"), r"(?m)^  parallel: auto$")
        self.assertRegex(self.text("a.yaml"), r"(?m)^batch: auto$")
        self.succeed("run", "a.yaml", "-q", environment=gpus)
        self.assertNotIn("GPU", self.succeed("init", "e.yaml", "--variable", "x=0:1", "--gpus", "1", "--backend", "command", environment=gpus).out)
        if "no GPU was found" in self.gannet("run", "a.yaml", "--dry-run").err:
            self.assertIn("note:  this machine has no GPU that gannet finds. `gannet run` refuses the file here; run it where there are GPUs.", said.out)
        hidden = self.succeed("init", "f.yaml", "--variable", "x=0:1", "--gpus", "1", "--backend", "command", environment={"CUDA_VISIBLE_DEVICES": "-1"})
        self.assertIn("note:  GPUs of this machine: ", hidden.out)
        self.assertIn("CUDA_VISIBLE_DEVICES names no GPU", hidden.out)
        self.succeed("init", "b.yaml", "--variable", "x=0:1", "--gpus", "2", "--tasks", "1", "--parallel", "3", "--command", "./sim", "--backend", "slurm",
                     "--partition", "p")
        self.assertIn('sbatch: ["--partition=p"]\n', self.text("b.yaml"))
        self.assertRegex(self.text("b.yaml"), r"(?m)^  parallel: 3$")
        said = self.succeed("init", "c.yaml", "--variable", "x=0:1", "--gpus", "2", "--tasks", "1", "--parallel", "3", "--command", "./sim", "--jobscript",
                            "inside-an-allocation")
        self.assertIn('command: ["{launcher}", "{input_directory}/sim"]\n', self.text("c.yaml"))
        self.assertNotIn("launcher}', which starts", said.err)
        self.assertIn("#SBATCH --gpus=6\n", self.text("c-job.sh"))
        self.write("#!/bin/sh\n", "sim", 0o755)
        self.succeed("run", "c.yaml", "--dry-run", "-q", "--set", "evaluate.parallel=1", environment=gpus)
        refused = self.succeed("init", "d.yaml", "--simulation", "branin", "--gpus", "1", code=USAGE)
        self.assertIn("--gpus: simulations of the back-end function start no programs", refused.err)

    def test_more_processes_than_cores_are_not_written(self):
        cores = os.sysconf("SC_NPROCESSORS_CONF")
        refused = self.succeed("init", "a.yaml", "--tasks", str(cores + 1), code=USAGE)
        self.assertRegex(refused.err, rf"--tasks: {cores + 1} processors of one simulation are more than the \d+ cores? here")
        self.assertFalse((self.folder / "a.yaml").exists())

    def test_several_objectives(self):
        words = "--objective", "mass=minimize:900", "-o", "range=maximize", "--variable", "x=0:1", "--constraint", "stress=:3"
        self.succeed("init", "wing.yaml", *words)
        text = self.text("wing.yaml")
        self.assertIn("\nobjectives:\n  mass: {goal: minimize, threshold: 900}\n  range: {goal: maximize}\n", text)
        self.assertNotRegex(text, "(?m)^(goal|noise|# objective):")
        outcome = self.succeed("run", "wing.yaml", "-q", "--max-evals", 6)
        self.assertRegex(outcome.out, r"front: \d designs?, hypervolume \d")
        self.assertNotIn("nothing counts", outcome.out)
        self.succeed("init", "fronts.yaml", "--simulation", "dtlz2", "--variable", "a=0:1", "--variable", "b=0:1", code=USAGE)
        for wrong, told in ((["mass"], "there is only 'mass', expected 2 to 5; for a single objective use --goal"),
                            (["mass", "mass"], "the name 'mass' belongs to another objective"),
                            (["mass", "x"], "the name 'x' belongs to a variable"),
                            (["mass", "stress"], "the name 'stress' belongs to a constraint"),
                            (["mass", "objective"], "the name 'objective' has another meaning"),
                            (["mass", "range=max"], "'range=max' is not NAME=GOAL or NAME=GOAL:THRESHOLD, as in mass=minimize:900"),
                            (["mass", "range=maximize:3x"], "'range=maximize:3x' is not NAME=GOAL"),
                            (["mass", "range=maximize:nan"], "'range=maximize:nan' is not NAME=GOAL"),
                            (["mass", "a b"], "--objective: "), (list("abcdef"), "there are more than 5")):
            flags = [word for name in wrong for word in ("--objective", name)]
            refused = self.succeed("init", "no.yaml", *flags, "--variable", "x=0:1", "--constraint", "stress=:3", code=USAGE)
            self.assertIn(told, refused.err)
        refused = self.succeed("init", "no.yaml", *words, "--goal", "maximize", code=USAGE)
        self.assertIn("--goal: each of several objectives has its own, as in --objective range=maximize", refused.err)
        refused = self.succeed("init", "no.yaml", *words, "--method", "gp-ei", code=USAGE)
        self.assertIn("'gp-ei' does not go with 2 objectives", refused.err)

    def test_variables_keep_their_order(self):
        self.succeed("init", "a.yaml", "--boolean", "vent", "--variable", "x=0:1", "--categorical", "s=a,b", "--variable", "y=0:1", "--boolean", "w",
                     "--shell", RESULT)
        self.assertEqual(re.findall(r"^  (\w+): \{type", self.text("a.yaml"), re.MULTILINE), ["vent", "x", "s", "y", "w"])

    def test_a_second_campaign_has_an_example_of_its_own(self):
        self.succeed("init", "one.yaml", "--variable", "x=0:1")
        first = self.text("simulate.sh")
        self.succeed("init", "two.yaml", "--variable", "z=0:1")
        self.assertEqual(self.text("simulate.sh"), first)
        self.assertIn('"z"', self.text("two-simulate.sh"))
        self.succeed("init", "two.yaml", code=USAGE)
        self.succeed("init", "one.yaml", "--variable", "y=0:1", "--force")
        self.assertIn('"y"', self.text("simulate.sh"))
        for name in "one", "two":
            self.assertIn("best design", self.succeed("run", f"{name}.yaml", *QUICK).out)

    def test_explain_suggests_keys_and_shows_examples(self):
        for word, meant in ("tmplate", "evaluate.templates"), ("paralel", "evaluate.parallel"), ("wal_time", "budget.wall_time"), \
                           ("budgt", "budget"):
            self.assertIn(f"did you mean '{meant}'?", self.succeed("explain", word, code=USAGE).err)
        overview = self.succeed("explain").out.split("\nsections\n")[1].split("\nchoices\n")[0]
        sections = re.findall(r"^  (\S+)", overview, re.MULTILINE)
        examples = {}
        for section in sections:
            shown = self.succeed("explain", section).out
            example = re.search(r"^  example:\n((?:    .*\n)+)", shown, re.MULTILINE)
            self.assertTrue(example, section)
            if "." not in section and section not in ("physics", "import"):  # what these name is not there
                examples[section] = re.sub("(?m)^    ", "", example.group(1))
        self.write("#!/bin/sh\n", "simulate", 0o755)
        for others in ["objectives"], ["objective", "outputs", "stop", "acquisition", "region", "cost"]:  # one objective, or several
            whole = "".join(text for section, text in examples.items() if section not in others)
            self.succeed("run", self.write(whole, "c.yaml"), "--dry-run")


if __name__ == "__main__":
    program.main()
