# test: labels cli timeout 120
"""Manual pages and shell completion, made from the tables of the commands."""
import os
import pty
import re
import select
import shutil
import subprocess
import unittest

import program
from program import GANNET, USAGE


def commands():
    out = subprocess.run([GANNET, "--help"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in out.split("commands:\n")[1].split("\n\n")[0].splitlines()]


class Manual(program.ProgramTest):
    def test_every_page_is_sound_roff_and_names_every_option(self):
        for page in ["gannet", "campaign", *commands()]:
            text = self.succeed("manual", page).out
            self.assertTrue(text.startswith(".TH GANNET"), page)
            self.assertIn(".SH NAME\ngannet", text)
            if shutil.which("groff"):
                made = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-P-c"], input=text, text=True, capture_output=True)
                self.assertEqual(made.stderr, "", page)
                self.assertGreater(len(made.stdout), 500, page)
            if page in commands():
                help_text = self.succeed(page, "--help").out
                for word in help_text.split():
                    if word.startswith("--"):
                        self.assertIn(word.strip(".,:;()`").replace("-", "\\-"), text, page)

    def test_the_page_of_the_campaign_file_has_every_key(self):
        text = self.succeed("manual", "campaign").out
        keys = [line.split("`")[1] for line in self.succeed("explain", "--markdown").out.splitlines()
                if line.startswith("| `")]
        self.assertGreater(len(keys), 50)
        for key in keys:
            self.assertIn(f".B {key}\n", text)

    def test_unknown_pages_and_shells(self):
        self.assertIn("did you mean 'status'", self.succeed("manual", "statsu", code=USAGE).err)
        self.assertIn("bash, zsh or fish", self.succeed("completion", "tcsh", code=USAGE).err)

    def complete(self, *words):
        """What bash offers for the last word."""
        script = (f"source <('{GANNET}' completion bash); COMP_WORDS=({' '.join(words)}); "
                  f"COMP_CWORD={len(words) - 1}; _gannet; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        out = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(out.stderr, "")
        return out.stdout.split()

    def test_bash_completes_commands_options_and_files(self):
        self.write("", "plate.yaml")
        self.assertEqual(self.complete("gannet", "sta"), ["status"])
        self.assertEqual(sorted(self.complete("gannet", "''")), sorted([*commands(), "--help", "--version"]))
        self.assertEqual(self.complete("gannet", "run", "--dr"), ["--dry-run"])
        self.assertIn("--directory", self.complete("gannet", "run", "--"))
        self.assertEqual(self.complete("gannet", "run", "pla"), ["plate.yaml"])
        self.assertEqual(self.complete("gannet", "explain", "budget.wa"), ["budget.wall_time"])
        self.assertEqual(self.complete("gannet", "manual", "camp"), ["campaign"])
        self.assertEqual(self.complete("gannet", "list", "surr"), ["surrogates"])

    def names(self, family):
        return re.findall(r"^  (\S+)  ", self.succeed("list", family).out, re.M)

    def test_bash_completes_values(self):
        """In the words that bash makes of a line: it parts them at '='."""
        self.assertEqual(sorted(self.complete("gannet", "init", "--method", "''")), sorted(self.names("methods")))
        self.assertEqual(sorted(self.complete("gannet", "init", "-b", "''")), sorted(self.names("backends")))
        self.assertEqual(self.complete("gannet", "init", "--simulation", "=", "bran"), ["branin", "branin-currin", "branin-currin-disk", "branin-disk"])
        self.assertEqual(self.complete("gannet", "init", "--goal", "=", "max"), ["maximize"])
        self.assertEqual(self.complete("gannet", "export", "c", "--format", "="), ["table", "csv", "json"])
        self.assertEqual(self.complete("gannet", "report", "-f", "p"), ["pdf", "png"])
        self.assertEqual(self.complete("gannet", "run", "--set", "evaluate.simul"), ["evaluate.simulation="])
        self.assertEqual(self.complete("gannet", "run", "c.yaml", "-s", "method", "=", "sob"), ["sobol"])
        self.assertEqual(self.complete("gannet", "run", "--set", "=", "surrogate.type", "=", "tang"), ["tangent-kernel"])
        for command in ("step", "try"):
            self.assertEqual(self.complete("gannet", command, "--set", "goal", "="), ["minimize", "maximize"])
        self.assertEqual(self.complete("gannet", "bench", "--set", "runs"), ["runs="])

    def test_the_other_shells_take_their_scripts(self):
        for shell in ("zsh", "fish"):
            text = self.succeed("completion", shell).out
            for command in commands():
                self.assertIn(command, text)
            self.assertIn("dry-run", text)
            if shutil.which(shell):
                file = self.write(text, f"completion.{shell}")
                made = subprocess.run([shell, "-n", file], capture_output=True, text=True)
                self.assertEqual((made.returncode, made.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_completes_commands_options_and_files(self):
        self.write("", "plate.yaml")
        lines = ("gannet sta", "gannet run --dr", "gannet run pla", "gannet explain budget.wa", "gannet init --method neural-gr",
                 "gannet init -b slu", "gannet run --set evaluate.simul", "gannet run --set method=sob", "gannet run --set=goal=max",
                 "gannet report -f sv")
        script = f"'{GANNET}' completion fish | source; " + "; ".join(f"complete -C '{line}'" for line in lines)
        out = subprocess.run(["fish", "--no-config", "-c", script], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual([line.split("\t")[0] for line in out.stdout.splitlines()], [
            "status", "--dry-run", "plate.yaml", "budget.wall_time", "neural-greedy", "slurm", "evaluate.simulation=", "method=sobol",
            "--set=goal=maximize", "svg"])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_completes_commands_options_and_files(self):
        self.write("", "plate.yaml")
        self.write(self.succeed("completion", "zsh").out, "site/_gannet")
        for way in (f"compinit -u -D; source <('{GANNET}' completion zsh)", "fpath=(site $fpath); compinit -u -D"):
            with Terminal(["zsh", "-f", "-i"], self.folder) as shell:
                shell.type(f"autoload -Uz compinit; {way}; echo re''ady\n")
                shell.wait_for("ready\r")
                for typed, expected in (("gannet sta", "tus"), ("gannet run --dr", "y-run"), ("gannet run pla", "te.yaml"),
                                        ("gannet explain budget.wa", "ll_time"), ("gannet init --method neural-gr", "eedy"),
                                        ("gannet run --set evaluate.simul", "ation="), ("gannet run --set method=sob", "ol"),
                                        ("gannet run --set=goal=max", "imize")):
                    shell.type(f"\x15{typed}\t")  # the line before is removed first
                    shell.wait_for(typed + expected)


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, command, folder):
        ours, theirs = pty.openpty()
        self.end, self.shown = ours, ""
        self.process = subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs,
                                        start_new_session=True, env={**os.environ, "TERM": "xterm", "COLUMNS": "200"})
        os.close(theirs)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.end)

    def type(self, text):
        self.shown = ""
        os.write(self.end, text.encode())

    def wait_for(self, text):
        while text not in re.sub(r"\x1b\[[\d;?]*[a-zA-Z]|.\x08", "", self.shown):
            if not select.select([self.end], [], [], 30)[0]:
                raise AssertionError(f"{text!r} was not shown, but {self.shown!r}")
            self.shown += os.read(self.end, 4096).decode(errors="replace")


if __name__ == "__main__":
    program.main()
