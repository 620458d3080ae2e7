# test: labels cli timeout 120 processors 1
"""gannet init: what it writes is accepted and runs, says what every line is, and replaces nothing."""
import os
import re
import subprocess

import program
from program import FINISHED, USAGE

SINFO = """#!/bin/sh
printf 'short*|up|4:00:00|10|16|64000\\nshort*|up|4:00:00|2|8|32000\\nlong|up|7-00:00:00|4|16|64000\\nold|down|1:00|3|4|1\\n'
"""
SACCTMGR = """#!/bin/sh
case "$*" in *associations*) printf 'wings\\nkeels\\nwings\\n' ;; *) echo keels ;; esac
"""
SCONTROL = "#!/bin/sh\necho 'SelectTypeParameters    = CR_CORE_MEMORY'\n"
SIMULATION = """#!/bin/sh
awk '{ if ($2 + 0 == $2) sum += $2 * $2 } END { print "objective", sum }' "${1:-params.in}" > "${2:-results.out}"
"""
DECK = "chord = {chord}\nsteps = {steps}; name = \"{id}\"; other {not a name} {}\n"
QUICK = ("--set", "budget.evaluations=4", "--set", "batch=4", "--set", "method=sobol")


class Init(program.ProgramTest):
    def site(self, **programs):
        """An environment in which these programs are all that there is."""
        folder = self.folder / "bin"
        for name, text in programs.items():
            self.write(text, f"bin/{name}", 0o755)
        folder.mkdir(exist_ok=True)
        for name in "sh", "awk", "env", "printf", "echo", "sleep", "mv", "cat":
            found = next(p for p in ("/usr/bin", "/bin") if os.path.exists(f"{p}/{name}"))
            if not (folder / name).exists():
                (folder / name).symlink_to(f"{found}/{name}")
        return {"PATH": str(folder)}

    def slurm(self, **more):
        return self.site(**{"sbatch": "#!/bin/sh\nexit 1\n", "squeue": "#!/bin/sh\nexit 1\n", "scancel": "#!/bin/sh\n",
                            "sinfo": SINFO, "sacctmgr": SACCTMGR, "scontrol": SCONTROL, **more})

    def init(self, *words, code=FINISHED, environment=None):
        return self.succeed("init", *words, code=code, environment=environment or self.site())

    def text(self, name="campaign.yaml"):
        return (self.folder / name).read_text()

    def check(self, name):
        """The file passes a dry run, on the site if there is one."""
        environment = {"PATH": f"{self.folder}/bin:/usr/bin:/bin"} # MPI needs programs, too
        self.assertIn("no errors", self.succeed("run", "--dry-run", name, environment=environment).out)

    def test_without_options_it_runs_at_once(self):
        said = self.init().out
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["bin", "campaign.yaml", "simulate.sh"])
        self.assertIn("no SLURM", said)
        self.assertIn("gannet run --dry-run campaign.yaml", said)
        self.check("campaign.yaml")
        self.assertIn("best design", self.succeed("run", "campaign.yaml", "-q", "--max-evals", 4).out)

    def test_every_line_is_explained(self):
        """Every key has a comment above it that names gannet explain KEY, and that knows the key."""
        for objectives in [], ["--objective", "mass", "--objective", "range=maximize:3"]:
            self.init("wing.yaml", "--variable", "chord=0.5:2", "--categorical", "solver=cg,gmres", "--constraint", "stress=:3",
                      "--wall-time", "1h", "--time-limit", "5m", "--force", *objectives)
            self.check_comments()

    def check_comments(self):
        text, path, explained = self.text("wing.yaml"), [], " ".join(self.text("wing.yaml").replace("\n", " ").split())
        keys = []
        for indent, key, value in re.findall(r"^( *)(\w+):(.*)$", text, re.MULTILINE):
            path = path[:len(indent) // 2] + [key]
            if path[0] in ("variables", "constraints", "objectives") and len(path) == 2:
                keys += [f"{path[0]}.*.{k}" for k in re.findall(r"(\w+):", value)]
            else:
                keys.append(".".join(path))
        self.assertIn("budget.wall_time", keys)
        self.assertIn("variables.*.values", keys)
        for key in sorted(set(keys)):
            self.assertIn(f"(gannet explain {key})", explained.replace("# ", ""), key)
            self.succeed("explain", key)
        self.assertLess(max(map(len, text.splitlines())), 101)

    def test_what_is_written_runs(self):
        """Many ways of asking; each file is accepted, and runs where a simulation can."""
        self.write(SIMULATION, "simulate", 0o755)
        self.write(DECK, "case.in")
        self.write("import sys\nopen(sys.argv[1], 'w').write('objective 3')\n", "model.py")
        numbers = ["--variable", "chord=0.5:2", "--variable", "rate=1e-6:1e-2:log", "--variable", "steps=1:8:int",
                   "--variable", "n=1:1000:int:log", "--boolean", "vent", "--categorical", "solver=cg,gmres,it's"]
        results = ["--constraint", "stress=:110", "--constraint", "mass=1:3"]
        run = ["--command", "./simulate {params} {results}"]
        for at, words in enumerate([numbers + run + ["--goal", "maximize", "--batch", "3"], numbers + results + run,
                                    numbers + results,
                                    ["--template", "case.in", "--variable", "chord=1:2"] + run,
                                    ["--variable", "x=0:1", "--shell", "./../../../simulate"],
                                    ["--variable", "x=0:1", "--command", "awk 'BEGIN {print \"drag: 7\"}'",
                                     "--pattern", "objective=^drag: *([0-9.]+)"],
                                    ["--simulation", "branin", "--method", "sobol"],
                                    ["--simulation", "hartmann6", "--parallel", "2"],
                                    ["--variable", "a=0:1", "--variable", "b=0:1", "--simulation", "branin"],
                                    ["--variable", "x=0:1", "--backend", "manual", "--constraint", "mass=0:"]]):
            name = f"c{at}.yaml"
            (self.folder / "simulate.sh").unlink(missing_ok=True)
            self.init(name, *words)
            if at in (1, 7, 9):
                self.check(name)
            if at in (0, 2, 3, 4, 5, 8):
                outcome = self.gannet("run", name, "-q", *QUICK)
                self.assertIn("4 evaluations done", outcome.out, (words, outcome))
        self.assertIn("scale: log", self.text("c0.yaml"))
        self.assertIn("templates: [case.in]", self.text("c3.yaml"))
        self.assertRegex(self.text("c3.yaml"), r"steps: .*# CHANGE this range; the name is from case.in")
        rendered = (self.folder / "c3.campaign/evals/000000/case.in").read_text()
        self.assertRegex(rendered, r'^chord = [0-9.]+\nsteps = [0-9.e-]+; name = "0"; other \{not a name\} \{\}\n$')

    def test_what_would_not_work_is_refused(self):
        (self.folder / "place").mkdir()
        words = ["--variable", "x=0:1", "--command", "/bin/true"]
        for name, more, told in (("place", [], "place is a directory"), ("place", ["--force"], "place is a directory"),
                                 (".", ["--force"], ". is a directory"),
                                 ("wing.campaign", [], "in the way of the campaign's directory"),
                                 ("wing.yaml", ["--pattern", "objective=a{x"], "evaluate.pattern: 'a{x': "),
                                 ("wing.yaml", ["--pattern", "lift=([0-9]+)"], "'lift' is neither objective nor a constraint")):
            outcome = self.succeed("init", name, *words, *more, code=USAGE)
            self.assertIn(told, outcome.err)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["place"])

    def test_files_of_a_command_are_found_from_the_folder_of_an_evaluation(self):
        self.write("import sys\nopen(sys.argv[2], 'w').write('objective 3')\n", "model.py")
        self.write("#!/bin/sh\nexec /usr/bin/env PATH=/usr/bin:/bin python3 \"$@\"\n", "bin/python3", 0o755)
        self.write(SIMULATION, "sub/simulate", 0o755)
        words = ["--variable", "x=0:1", "--command"]
        self.init("a.yaml", *words, "python3 model.py {params} {results}")
        self.assertIn('command: [python3, "{input_directory}/model.py", "{params}", "{results}"]', self.text("a.yaml"))
        self.init("sub/b.yaml", *words, "sub/simulate {params} {results}")
        self.assertIn('command: ["./simulate",', self.text("sub/b.yaml"))
        self.init("sub/c.yaml", *words, "./model.py {params}")
        self.assertIn(f"command: [{self.folder}/model.py", self.text("sub/c.yaml"))
        for name in "a.yaml", "sub/b.yaml":
            outcome = self.gannet("run", name, "-q", *QUICK)
            self.assertIn("4 evaluations done", outcome.out, outcome)

    def test_a_program_that_is_not_there_yet_and_ranges_that_are_guessed_are_told(self):
        self.write(DECK, "case.in")
        outcome = self.init("--template", "case.in", "--command", "./later {params}")
        self.assertIn("'./later' cannot be run yet", outcome.err)
        self.assertRegex(outcome.err, "chord of case.in has the range 0 to 1")
        self.assertIn("--variable steps=LOWER:UPPER", outcome.err)
        outcome = self.init("script.yaml", "--variable", "x=0:1", "--command", "python3 model.py {params}")
        self.assertIn("there is no 'model.py'; put it there, and write \"{input_directory}/model.py\" for it in script.yaml", outcome.err)

    def test_nothing_is_replaced(self):
        self.write("mine\n", "wing.yaml")
        self.write("mine\n", "simulate.sh")
        refused = self.init("wing.yaml", code=USAGE)
        self.assertRegex(refused.err, "wing.yaml exists, and nothing was written; choose another name, or .*--force")
        self.write("mine\n", "other-simulate.sh")
        refused = self.init("other.yaml", code=USAGE)
        self.assertRegex(refused.err, "other-simulate.sh exists.*--command ./other-simulate.sh")
        (self.folder / "other-simulate.sh").unlink()
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["bin", "simulate.sh", "wing.yaml"])
        self.assertEqual((self.text("wing.yaml"), self.text("simulate.sh")), ("mine\n", "mine\n"))
        shown = self.init("other.yaml", "--dry-run").out
        self.assertIn("--- other-simulate.sh", shown)
        self.assertFalse((self.folder / "other.yaml").exists())
        self.init("wing.yaml", "--force")
        self.check("wing.yaml")

    def test_what_slurm_says_is_used(self):
        site = self.slurm()
        self.write(SIMULATION, "simulate", 0o755)
        words = ["--variable", "x=0:1", "--command", "./simulate {params} {results}"]
        said = self.init("a.yaml", *words, "--tasks", "4", environment=site).out
        self.assertIn("partitions short* (12 nodes of 8, 4 h 00 min) long (4 nodes of 16, 168 h 00 min); accounts wings keels "
                      "(default keels)", said)
        self.assertIn("sbatch a-job.sh", said)
        text, script = self.text("a.yaml"), self.text("a-job.sh")
        self.assertIn('sbatch: ["--ntasks=4"]', text)
        self.assertIn("accounts of yours: wings keels", text)
        self.assertNotIn("--partition", text)
        for line in ("#SBATCH --job-name=a", f'#SBATCH --chdir="{self.folder}"', "#SBATCH --time=240", "campaign=${1:-a.yaml}",
                     f': "${{GANNET:={program.GANNET}}}"', "# Written by gannet init for a.yaml: sbatch a-job.sh"):
            self.assertIn(line + "\n", script)
        self.assertTrue(os.access(self.folder / "a-job.sh", os.X_OK))
        self.init("b.yaml", *words, "--time-limit", "30h", "--account", "wings", environment=site)
        self.assertIn('"--partition=long", "--account=wings"', self.text("b.yaml"))
        self.assertIn('#SBATCH --partition="long"\n#SBATCH --account="wings"\n', self.text("b-job.sh"))
        self.init("c.yaml", *words, "--jobscript", "inside-an-allocation", "--tasks", "2", environment=site)
        self.assertIn('command: [srun, "--exact", "--ntasks=2", "{input_directory}/simulate", ', self.text("c.yaml"))
        self.assertRegex(self.text("c.yaml"), "(?m)^  parallel: 4$")
        self.assertIn("#SBATCH --mem-per-cpu=4000M\n", self.text("c-job.sh"))
        self.assertIn("#SBATCH --ntasks=8\n", self.text("c-job.sh"))
        self.init("d.yaml", *words, "--jobscript", "no-resident-process", environment=site)
        self.assertIn("  submit: array\n", self.text("d.yaml"))
        self.assertIn("sbatch d-job.sh CAMPAIGN.yaml", self.text("d-job.sh"))
        self.init("e.yaml", "--simulation", "branin", "--parallel", "6", environment=site)
        self.assertIn("ranks=${RANKS:-6}\n", self.text("e-job.sh"))
        self.init("f.yaml", *words, "--jobscript", "none", environment=site)
        self.assertFalse((self.folder / "f-job.sh").exists())
        self.write("#!/bin/sh\n", "bin/srun", 0o755)
        for name in "bcd":
            self.check(f"{name}.yaml")
        for name in "abcde":
            subprocess.run(["bash", "-n", self.folder / f"{name}-job.sh"], check=True)

    def test_a_slurm_that_does_not_answer_is_not_waited_for(self):
        for limit, programs, hint in (
                ("0.3s", {"sinfo": "#!/bin/sh\nsleep 60\n"}, "no answer within 0.3 s"),
                ("30s", {"sinfo": "#!/bin/sh\necho no controller >&2; exit 1\n"}, "no controller"),
                ("30s", {"sinfo": "#!/bin/sh\nprintf '|||\\nx|up\\nold|down|1|1|1|1\\n'\n"}, "no partition that is up")):
            said = self.init("--force", "--site-timeout", limit, environment=self.slurm(**programs)).out
            self.assertIn("SLURM that cannot be used", said)
            self.assertIn(hint, said)
            self.assertIn("note:  simulations will run on this machine", said)
            self.assertIn("backend: command", self.text())
        self.assertRegex(self.init("--force", "--site-timeout", "0.3s", "--backend", "slurm", environment=self.slurm(sinfo="#!/bin/sh\nexit 1\n")).out,
                         "note:  no job script is written, as the partitions are unknown; --jobscript one-job-per-evaluation writes one")
        self.init("--force", "--site-timeout", "3s",
                  environment=self.slurm(sacctmgr="#!/bin/sh\nsleep 60\n", scontrol="#!/bin/sh\nexit 3\n"))
        self.assertIn("backend: slurm", self.text())
        self.assertEqual(list((self.folder).glob("gannet-init-*")), [])

    def test_wrong_options_are_all_told(self):
        words = ["--variable", "x=0-1", "--variable", "2x=0:1", "--variable", "y=1:0", "--variable", "z=-1:1:log",
                 "--variable", "n=0.5:2:int", "--variable", "w=0:1:lug", "--categorical", "k=one", "--boolean", "a b",
                 "--variable", "u=0:1", "--variable", "u=0:1", "--variable", "objective=0:1",
                 "--constraint", "c", "--constraint", "d=3:1", "--constraint", "u=0:", "--constraint", "e=:", "--constraint",
                 "fail=0:", "--goal", "best", "--method", "neural-bi", "--batch", "0", "--budget", "many", "--time-limit", "soon",
                 "--template", "nowhere.in", "--pattern", "objective", "--tasks", "99999999"]
        outcome = self.init(*words, code=USAGE)
        for hint in ("'x=0-1' is not NAME=LOWER:UPPER", "'2x'", "variable y: empty box", "variable z: scale log", "whole numbers",
                     "'w=0:1:lug'", "'k=one'", "'a b'", "'u' is given twice", "'objective' is taken", "'c' is not NAME=",
                     "lower = 3 is above", "'u' belongs to a variable", "constraint e: give", "'fail' has another meaning", "'best' is not one of",
                     "neural-bo", "--batch", "'many'", "--time-limit: 'soon'", "nowhere.in", "--pattern", "--tasks"):
            self.assertIn(hint, outcome.err)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["bin"])

    def test_options_that_do_not_fit_together(self):
        site, x = self.slurm(), ["--variable", "x=0:1"]
        for words, hint in ((["--command", "a|b"], "use --shell"), (["--command", "'a"], "quote"), (["--command", ""], "is empty"),
                            (["--command", "a", "--shell", "b"], "more than once"), (["--backend", "slum"], "slurm"),
                            (["--backend", "function"], "needs --simulation"), (["--backend", "plugin"], "needs --plugin"),
                            (["--simulation", "brannin"], "branin"), (["--plugin", "no.so"], "no.so"),
                            (["--simulation", "branin", "--backend", "command"], "leave --backend out"),
                            (["--simulation", "branin"], "'branin' takes 2 variables, the campaign has 1"),
                            (["--simulation", "ackley", "--constraint", "g=:1"], "'ackley' computes no constraints"),
                            (["--simulation", "ackley", "--pattern", "objective=a(.*)"], "--pattern: is for programs"),
                            (["--backend", "manual", "--command", "./a"], "--command: is for programs"), (["--shell", " "], "--shell: is empty"),
                            (["--backend", "command", "--jobscript", "one-job-per-evaluation"], "cannot be used with"),
                            (["--jobscript", "one"], "one-job-per-evaluation no-resident-process inside-an-allocation none"),
                            (["--partition", "lang"], "did you mean 'long'"), (["--time-limit", "30d"], "more than the"),
                            (["--partition", "short", "--time-limit", "5h"], "more than the 4 h 00 min"),
                            (["--command", "./a {y}"], "'{y}' is not a variable and not one of"), (["--shell", "./a {x}"], "'{x}': nothing is"),
                            (["--site-timeout", "x"], "--site-timeout"), (["nowhere/c.yaml"], "nowhere"),
                            (["a.yaml", "b.yaml"], "unexpected argument"), (["--vriable", "x=0:1"], "variable"), (["d/"], "name")):
            self.assertIn(hint, self.init(*x, *words, code=USAGE, environment=site).err, words)
        self.assertIn("no box of its own", self.init("--simulation", "heater", code=USAGE, environment=site).err)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["bin"])


if __name__ == "__main__":
    program.main()
