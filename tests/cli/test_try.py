# test: labels cli timeout 120 processors 1
"""gannet try: one run that is recorded nowhere."""
import os
import pathlib
import shutil
import signal
import subprocess

import program
from program import FAILURES, FINISHED, INFEASIBLE, RESUMABLE, USAGE

SIMULATION = """\
#!/bin/sh
x=$(sed -n 's/^x //p' params.in)
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "line $i"; done
echo "a warning" >&2
printf 'objective %s\\nstress 2\\nmass 7\\n' "$x" > results.out
"""
TEXT = """\
name: wing
variables:
  x: {lower: 1, upper: 100, scale: log, unit: m}
  n: {type: integer, lower: 1, upper: 5}
  way: {type: categorical, values: [up, down]}
constraints: {stress: {upper: 3}}
budget: {evaluations: 3}
evaluate: {backend: command, command: ["{input_directory}/simulate.sh"]}
"""
STANDIN = pathlib.Path(__file__).resolve().parent.parent / "evaluate" / "standin" / "scheduler"
TOOLS = "sbatch", "squeue", "sacct", "scontrol", "scancel"


class Try(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SIMULATION, "simulate.sh", 0o755)
        self.file = self.write(TEXT, "c.yaml")

    def test_it_shows_what_was_run_and_read_and_records_nothing(self):
        out = self.succeed("try", self.file).out
        self.assertIn("design:\n  x = 10 m\n  n = 3\n  way = up\n", out)
        self.assertIn(f"command: [{self.folder}/simulate.sh]\n", out)
        self.assertIn("end of stdout.log:\nline 3\n", out)
        self.assertIn("line 12\nend of stderr.log:\na warning\n", out)
        self.assertIn(f"directory: {self.folder}/wing.try-1/evals/000000\n", out)
        self.assertIn("read:\n  objective = 10\n  stress = 2\n  mass = 7\n", out)
        self.assertRegex(out, r"time: [\d.]+ m?s\nthe result would count\n$")
        self.assertTrue((self.folder / "wing.try-1/evals/000000/results.out").exists())
        self.assertEqual(sorted(os.listdir(self.folder)), ["c.yaml", "simulate.sh", "wing.try-1"])
        self.assertEqual(os.listdir(self.folder / "wing.try-1"), ["evals"])

    def test_a_script_that_is_not_there_is_told_before_anything_runs(self):
        file = self.write(TEXT.replace('["{input_directory}/simulate.sh"]', '[python3, simulat.sh]'), "wrong.yaml")
        for words in ("try", file), ("run", file), ("run", file, "--dry-run"), ("doctor", file):
            outcome = self.gannet(*words)
            self.assertEqual(outcome.code, USAGE, outcome)
            self.assertIn("wrong.yaml:8:40: evaluate.command: there is no 'simulat.sh' in '%s'; did you mean "
                          '"{input_directory}/simulate.sh"?' % self.folder, outcome.err)
        self.assertEqual(sorted(os.listdir(self.folder)), ["c.yaml", "simulate.sh", "wrong.yaml"])

    def test_the_command_is_shown_with_its_values(self):
        file = self.write(TEXT.replace('"{input_directory}/simulate.sh"]', 'sh, "{input_directory}/simulate.sh", "{x:.3f}", "{way}", '
                                       '"{results}", "$x"]'), "c.yaml")
        outcome = self.succeed("try", file, "-p", "x=2.5")
        self.assertIn(f"command: [sh, {self.folder}/simulate.sh, 2.500, up, {self.folder}/wing.try-1/evals/000000/results.out, $x]\n",
                      outcome.out)
        self.assertIn("evaluate.command: '$x': $x is not the variable x; write {x}", outcome.err)

    def test_a_long_command_is_shown_whole(self):
        word = "w" * 9000
        file = self.write(TEXT.replace('"{input_directory}/simulate.sh"]', f'"{{input_directory}}/simulate.sh", {word}, last]'), "c.yaml")
        self.assertIn(f"command: [{self.folder}/simulate.sh, {word}, last]\n", self.succeed("try", file).out)

    def test_the_command_is_shown_with_what_its_place_gives(self):
        file = self.write(TEXT.replace('"{input_directory}/simulate.sh"]', 'sh, "{input_directory}/simulate.sh", "{cores}", "{launcher}", "{hosts}"], '
                                       "resources: {tasks: 1, launcher: mpirun}"), "c.yaml")
        self.assertRegex(self.succeed("try", file).out, rf"command: \[sh, {self.folder}/simulate.sh, 1, mpirun -n 1, [^{{}}, ]+\]\n")

    def test_the_backend_may_be_left_out(self):
        file = self.write(TEXT.replace("backend: command, ", ""), "c.yaml")
        self.assertIn("  backend: command, as evaluate names none\n", self.succeed("run", file, "--dry-run").out)
        self.succeed("run", file, "-q")
        self.assertIn("evaluate.backend: command, as the file names none", (self.folder / "wing.campaign/campaign.log").read_text())
        self.assertRegex((self.folder / "wing.campaign/campaign.yaml").read_text(), r"\n  backend: command\n")
        shutil.rmtree(self.folder / "wing.campaign")
        missing = "missing required key 'evaluate.backend'"
        for keys, told in (("", missing), ("command: [/bin/true], submit: job", missing), (
                "command: [/bin/true], simulation: branin",
                "evaluate.simulation: this is of backend function, and command of backend command; leave one of them out")):
            file = self.write(TEXT.replace('backend: command, command: ["{input_directory}/simulate.sh"]', keys), "c.yaml")
            self.assertIn(told, self.succeed("run", file, code=USAGE).err)

    def test_an_output_of_nearly_the_same_name_is_suggested(self):
        file = self.write("variables: {x: {lower: 0, upper: 1}}\nobjective: weigt\noutputs: {weight: {pattern: '^mass (.*)'}}\n"
                          "budget: {evaluations: 1}\nevaluate: {command: [echo, mass 7]}\n", "c.yaml")
        self.assertIn("weigt is missing; did you mean the output 'weight'?", self.succeed("try", file, code=FAILURES).out)

    def test_points_sets_and_directories(self):
        out = self.succeed("try", self.file, "--point", "x=2.5", "-p", "way=down", "--keep", "mine",
                           "--set", "constraints.stress.upper=1").out
        self.assertIn("  x = 2.5 m\n  n = 3\n  way = down\n", out)
        self.assertIn("the result would count; the design violates a constraint\n", out)
        self.assertIn("way down\n", (self.folder / "mine/evals/000000/params.in").read_text())
        for number in 1, 2:
            self.assertIn(f"wing.try-{number}/evals/000000\n", self.succeed("try", self.file).out)

    def test_failures_have_their_reason_and_exit_code(self):
        for command, code, words in (
                ("exit 5", FAILURES, "failed: exit code 5"),
                ("echo stress 2 > results.out", FAILURES, "failed: "),
                ("echo fail no mesh > results.out", INFEASIBLE, "cannot run at this design: no mesh"),
                ("sleep 50", FAILURES, "failed: time limit of 1 s reached")):
            with self.subTest(command=command):
                outcome = self.succeed("try", self.file, "--set", f"evaluate.command=[sh, -c, '{command}']",
                                       "--set", "evaluate.time_limit=1s", code=code)
                self.assertIn(words, outcome.out)

    def test_mistakes_are_refused_before_anything_runs(self):
        for words, told in (
                (["--point", "y=1"], "the campaign has no variable 'y'; known: x n way"),
                (["--point", "x"], "--point 'x': expected NAME=VALUE"),
                (["--point", "x=1000"], "variable x: 1000 is outside [1, 100]"),
                (["--point", "x=2", "-p", "x=3"], "--point x is given twice"),
                (["--keep", "."], "cannot make the directory of --keep"),
                (["--keep", "away/mine"], "cannot make the directory of --keep"),
                (["--set", "evaluate.command=[./no]"], "cannot run './no'"),
                (["--set", "evaluate={backend: manual}"], "there is none to try")):
            with self.subTest(words=words):
                outcome = self.gannet("try", self.file, *words)
                self.assertNotEqual(outcome.code, FINISHED, outcome)
                self.assertIn(told, outcome.err)
                self.assertFalse((self.folder / "wing.try-1").exists())

    def test_ranks_try_one_run_together_and_built_in_simulations_leave_no_directory(self):
        outcome = self.succeed("try", self.write(program.BRANIN), ranks=2)
        self.assertEqual(outcome.out.count("read:\n  objective = 24.12996441362"), 1, outcome)
        self.assertFalse((self.folder / "fast.try-1").exists())

    def test_an_interrupt_ends_the_simulation(self):
        running = self.start("try", self.file, "--set", "evaluate.command=[sh, -c, 'echo > begun; sleep 1000']")
        self.wait_until(lambda: (self.folder / "wing.try-1/evals/000000/begun").exists())
        os.kill(running.process.pid, signal.SIGINT)
        outcome = running.wait(60)
        self.assertEqual(outcome.code, RESUMABLE, outcome)
        self.assertIn("stopped: a signal has ended the run", outcome.out)
        self.wait_until(lambda: not running.pids())

    def test_warnings_are_told_once(self):
        self.write("{x:2.0f}\n", "deck")
        outcome = self.succeed("try", self.file, "--set", "evaluate.templates=[deck]")
        self.assertEqual(outcome.err.count("evaluate.templates: deck:1:1: "), 1, outcome)

    def test_a_folder_that_cannot_be_written(self):
        wrapper = ["setpriv", "--reuid", "65534", "--clear-groups"]
        if subprocess.run([*wrapper, program.GANNET, "--version"], stdout=subprocess.DEVNULL).returncode:
            self.skipTest("no setpriv, or the program is not readable by others")
        self.folder.chmod(0o755)
        (self.folder / "other").mkdir()
        (self.folder / "other").chmod(0o777)
        outcome = self.succeed("try", self.file, wrapper=wrapper,
                               environment={"HOME": "/tmp", "TMPDIR": str(self.folder / "other")})
        self.assertIn(f"cannot write to '{self.folder}': the directory of the run is made in '{self.folder}/other'", outcome.err)
        self.assertIn(f"directory: {self.folder}/other/wing.try-1/evals/000000\n", outcome.out)

    def test_a_job_is_waited_for(self):
        (self.folder / "scheduler/jobs").mkdir(parents=True)
        for name in *TOOLS, "node":
            shutil.copy(STANDIN, self.folder / "scheduler" / name)
        node = subprocess.Popen(["/bin/sh", self.folder / "scheduler/node"], start_new_session=True)
        slurm = ("evaluate:\n  backend: slurm\n  poll_interval: 0.1s\n  command: [\"{input_directory}/simulate.sh\"]\n"
                 + "".join(f"  {tool}_command: ./scheduler/{tool}\n" for tool in TOOLS))
        try:
            out = self.succeed("try", self.write(TEXT.split("evaluate:")[0] + slurm, "s.yaml")).out
            self.assertIn("read:\n  objective = 10\n", out)
        finally:
            os.killpg(node.pid, signal.SIGKILL)
            node.wait()

    def test_init_ends_by_naming_it(self):
        out = self.succeed("init", "new.yaml").out
        self.assertIn("       gannet try new.yaml\n       gannet run new.yaml\n", out)
        self.succeed("try", "new.yaml")
        self.assertNotIn("gannet try", self.succeed("init", "hand.yaml", "--backend", "manual", "--variable", "x=0:1").out)


if __name__ == "__main__":
    program.main()
