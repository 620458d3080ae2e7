# test: labels cli timeout 240 processors 1
"""Files of evaluations that have ended: evaluate.keep, and gannet tidy afterwards."""
import os
import pathlib
import re
import shutil
import signal
import subprocess

import program
from program import BUSY, FINISHED, RESOURCE, USAGE

SIMULATION = """\
#!/bin/sh
x=$(sed -n 's/^x //p' params.in)
mkdir -p post/deep empty
echo big > field.dat; echo log > solver.log; echo log > post/deep/deep.log; echo big > post/deep/field.dat
ln -s "$GANNET_INPUT_DIRECTORY/precious" link
ln -s "$GANNET_INPUT_DIRECTORY/precious/file" file.lnk
if [ -e "$GANNET_INPUT_DIRECTORY/slow" ] && [ "$GANNET_EVAL_ID" -ge 6 ]; then sleep 1000; fi
case $GANNET_EVAL_ID in
  2) exit 1 ;;
  3) [ "$GANNET_ATTEMPT" -ge 2 ] || exit 137 ;;
esac
echo "objective $x" > results.out
"""
TEXT = """\
name: wing
variables: {x: {lower: 0, upper: 1}}
method: sobol
batch: 2
budget: {evaluations: 8}
evaluate:
  backend: command
  command: ["{input_directory}/simulate.sh"]
  parallel: 2
  keep: {files: ["*.log"], all_files_of: [best 2, failed]}
"""
STANDIN = pathlib.Path(__file__).resolve().parent.parent / "evaluate" / "standin" / "scheduler"
TOOLS = "sbatch", "squeue", "sacct", "scontrol", "scancel"
OWN = {"params.in", "params.json", "attempt.json", "outcome.json", "stdout.log", "stderr.log", "results.out"}
TIDY = OWN | {"solver.log", "post/deep/deep.log"}
FULL = TIDY | {"field.dat", "post/deep/field.dat", "link", "file.lnk"}


class Tidy(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SIMULATION, "simulate.sh", 0o755)
        self.write("precious\n", "precious/file")
        self.file = self.write(TEXT, "c.yaml")

    def files(self, directory="wing.campaign"):
        """Files of each evaluation, without those of earlier attempts."""
        found = {}
        for folder in sorted((self.folder / directory / "evals").iterdir()):
            found[int(folder.name)] = {str(path.relative_to(folder)) for path in folder.rglob("*")
                                       if path.is_symlink() or not path.is_dir()}
        return found

    def check_tidy(self, directory="wing.campaign"):
        rows = {int(row["id"]): row for row in self.history(directory)}
        done = sorted((float(row["objective"]), number) for number, row in rows.items() if row["status"] == "done")
        best = {number for _, number in done[:2]}
        for number, files in self.files(directory).items():
            if number == 3:
                early = {name for name in files if name.startswith("attempt-")}
                self.assertEqual({name.split("/", 1)[1] for name in early} - OWN,
                                 (FULL if 3 in best else TIDY) - OWN)
                files = files - early
            if rows[number]["status"] == "failed":
                self.assertEqual(files, FULL - {"results.out"})
            else:
                self.assertEqual(files, FULL if number in best else TIDY, number)
            self.assertEqual((self.folder / directory / f"evals/{number:06}/empty").exists(), "field.dat" in files)
        self.assertEqual((self.folder / "precious/file").read_text(), "precious\n")
        return rows

    def test_a_campaign_keeps_what_was_asked_for(self):
        self.succeed("run", self.file, "-q")
        rows = self.check_tidy()
        self.assertEqual(len(rows), 8)
        self.assertEqual(rows[2]["status"], "failed")
        digest = self.digest("wing.campaign")
        self.succeed("status", "wing.campaign")
        self.succeed("export", "wing.campaign")
        self.succeed("run", self.file, "-q", "--resume", "--max-evals", "10")
        self.check_tidy()
        self.assertNotEqual(digest, self.digest("wing.campaign"))
        self.assertIn("  keep:\n    files: [\"*.log\"]\n    all_files_of: [\"best 2\", failed]\n",
                      (self.folder / "wing.campaign/campaign.yaml").read_text())

    def test_running_evaluations_are_not_touched_and_a_resume_after_a_kill_ends_in_the_same_state(self):
        self.write("", "slow")
        running = self.start("run", self.file, "-q")
        evals = self.folder / "wing.campaign/evals"
        self.wait_until(lambda: (evals / "000006/file.lnk").is_symlink() and (evals / "000007/file.lnk").is_symlink())
        self.wait_until(lambda: not (evals / "000000/link").is_symlink() or not (evals / "000001/link").is_symlink()
                        or not (evals / "000004/link").is_symlink())
        for number in 6, 7:
            self.assertIn("field.dat", self.files()[number])
        outcome = self.gannet("tidy", "wing.campaign")
        self.assertEqual(outcome.code, BUSY, outcome)
        running.kill()
        # What a kill in the middle of the removal leaves: some files are gone, others not yet.
        self.write("big\n", "wing.campaign/evals/000000/post/deep/field.dat")
        self.assertIn("field.dat", self.files()[6])
        os.remove(self.folder / "slow")
        self.succeed("run", self.file, "-q", "--resume")
        whole = self.without_earlier_attempts("wing.campaign")
        self.succeed("run", self.file, "-q", "--directory", "whole")
        self.check_tidy("whole")
        self.assertEqual(self.digest("wing.campaign"), self.digest("whole"))
        self.assertEqual(whole, self.without_earlier_attempts("whole"))

    def without_earlier_attempts(self, directory):
        return {number: {name for name in files if not name.startswith("attempt-")}
                for number, files in self.files(directory).items()}

    def test_a_kill_at_each_write(self):
        """Whatever is in the journal and on the disk after a kill, a resume ends with the same files."""
        self.write(TEXT.replace("evaluations: 8", "evaluations: 5"), "c.yaml")
        self.succeed("run", self.file, "-q", "--set", "evaluate.keep=all")
        (self.folder / "wing.campaign").rename(self.folder / "full")
        self.succeed("run", self.file, "-q")
        expected, digest = self.files(), self.digest("wing.campaign")
        shutil.rmtree(self.folder / "wing.campaign")
        lines = (self.folder / "full/journal").read_bytes().splitlines(keepends=True)
        place = self.folder / "wing.campaign"
        for n in range(2, len(lines) + 1):
            shutil.copytree(self.folder / "full", place, symlinks=True, ignore=shutil.ignore_patterns("state.h5*", "history.csv"))
            (place / "journal").write_bytes(b"".join(lines[:n]))
            ended = {int(number) for number in re.findall(r'"record":"result","id":(\d+),"final":true', b"".join(lines[:n]).decode())}
            kept = {number for number, files in expected.items() if "field.dat" in files}
            for folder in (place / "evals").iterdir():
                if int(folder.name) not in ended:
                    shutil.rmtree(folder)  # it had not begun
                elif n % 3 and int(folder.name) not in kept:
                    (folder / "field.dat").unlink()  # and of this one the removal had
                    if n % 3 == 2:
                        shutil.rmtree(folder / "post")
            self.succeed("run", self.file, "-q", "--resume")
            self.assertEqual(self.digest("wing.campaign"), digest, n)
            for number, files in self.files().items():
                gone = {"post/deep/deep.log"} if number in ended - kept and n % 3 == 2 else set()
                strip = lambda names: {name for name in names if not name.startswith("attempt-")} - gone
                self.assertEqual(strip(files), strip(expected[number]), (n, number))
            shutil.rmtree(place)

    def test_an_asynchronous_campaign(self):
        self.succeed("run", self.file, "-q", "--set", "evaluate.mode=asynchronous")
        self.assertEqual(len(self.check_tidy()), 8)

    def test_jobs(self):
        (self.folder / "scheduler/jobs").mkdir(parents=True)
        for name in *TOOLS, "node":
            shutil.copy(STANDIN, self.folder / "scheduler" / name)
        node = subprocess.Popen(["/bin/sh", self.folder / "scheduler/node"], start_new_session=True)
        slurm = ("backend: slurm\n  poll_interval: 0.1s\n" + "".join(f"  {tool}_command: ./scheduler/{tool}\n" for tool in TOOLS))
        own = {"job.sh", "gannet.log"}
        try:
            for packing in "", "  submit: array\n", "  runs_per_job: 2\n  runs_at_once: 2\n  step: [env]\n":
                with self.subTest(packing=packing):
                    shutil.rmtree(self.folder / "wing.campaign", ignore_errors=True)
                    self.succeed("run", self.write(TEXT.replace("backend: command\n", slurm + packing), "s.yaml"), "-q")
                    rows = {int(row["id"]): row for row in self.history("wing.campaign")}
                    best = sorted((float(row["objective"]), number) for number, row in rows.items() if row["status"] == "done")[:2]
                    for number, files in self.files().items():
                        full = rows[number]["status"] == "failed" or number in {one for _, one in best}
                        files = {name for name in files if not name.startswith("attempt-")}
                        self.assertEqual(files - OWN - own, (FULL if full else TIDY) - OWN, number)
                        self.assertLessEqual(OWN - {"results.out", "outcome.json"}, files)
                    self.succeed("run", "s.yaml", "-q", "--resume", "--max-evals", "9")
                    self.succeed("verify", "wing.campaign")
        finally:
            os.killpg(node.pid, signal.SIGKILL)
            node.wait()

    def test_tidy_does_it_afterwards(self):
        self.succeed("run", self.file, "-q", "--set", "evaluate.keep=all")
        full = self.files()
        self.assertEqual(full[0], FULL)
        outcome = self.gannet("tidy", "wing.campaign")
        self.assertEqual(outcome.code, USAGE, outcome)
        self.assertIn("the campaign keeps all files; give --keep PATTERN", outcome.err)
        words = "--keep", "*.log", "--all-files-of", "best 2", "-a", "failed"
        told = self.succeed("tidy", "wing.campaign", "--dry-run", *words).out
        self.assertEqual(self.files(), full)
        self.assertRegex(told, r"^would remove \d+ files with [\d.e-]+ MB of 5 evaluations\n$")
        self.assertEqual(self.succeed("tidy", "wing.campaign", *words).out, told.replace("would remove", "removed"))
        self.check_tidy()
        self.assertEqual(self.succeed("tidy", "wing.campaign", *words).out, "removed 0 files with 0 MB of 0 evaluations\n")
        self.succeed("verify", "wing.campaign")
        self.succeed("run", self.file, "-q", "--resume", "--set", "evaluate.keep=all")

    def test_the_policy_of_the_campaign_is_that_of_tidy(self):
        self.succeed("run", self.file, "-q")
        (self.folder / "wing.campaign/evals/000000/again.dat").write_text("x")
        (self.folder / "wing.campaign/evals/000001/again.dat").write_text("x")
        self.succeed("tidy", "wing.campaign")
        self.check_tidy_again()

    def check_tidy_again(self):
        rows = {int(row["id"]): float(row["objective"]) for row in self.history("wing.campaign") if row["status"] == "done"}
        best = sorted(rows, key=rows.get)[:2]
        for number in 0, 1:
            self.assertEqual((self.folder / f"wing.campaign/evals/{number:06}/again.dat").exists(), number in best)

    def test_patterns_with_folders_and_the_last_evaluations(self):
        self.succeed("run", self.file, "-q", "--set", "evaluate.keep={files: [post], all_files_of: last 1}")
        files = self.files()
        self.assertEqual(files[7], FULL)
        self.assertEqual(files[0], OWN | {"post/deep/deep.log", "post/deep/field.dat"})

    def test_what_cannot_be_removed_is_named(self):
        wrapper = ["setpriv", "--reuid", "65534", "--clear-groups"]
        if subprocess.run([*wrapper, program.GANNET, "--version"], stdout=subprocess.DEVNULL).returncode:
            self.skipTest("no setpriv, or the program is not readable by others")
        self.succeed("run", self.file, "-q", "--set", "evaluate.keep=all")
        place = self.folder / "wing.campaign"
        for path in self.folder, place, *place.iterdir():
            path.chmod(path.stat().st_mode | 0o666 | (0o111 if path.is_dir() else 0))
        for path in place.glob("evals/*/**/"):
            path.chmod(0o755)
        words = "tidy", "wing.campaign", "--keep", "*.log"
        for mode, named in (0o755, r"'evals/000000/[\w./]+': Permission denied"), (0o700, "'evals/000000': Permission denied"):
            (place / "evals/000000").chmod(mode)
            outcome = self.succeed(*words, wrapper=wrapper, code=RESOURCE, environment={"HOME": "/tmp"})
            self.assertRegex(outcome.err, r"\d+ files or folders of 'wing.campaign' cannot be removed; the first is " + named)
        self.assertEqual(self.files()[0], FULL)

    def test_mistakes_are_told(self):
        for value, told in (("{files: ['*.log'], all_files_of: [best]}", "'best' is not valid; expected 'best 5'"),
                            ("{files: ['*.log'], all_files_of: [best 0]}", "'best 0' is not valid"),
                            ("{files: ['*.log'], all_files_of: [last 1.5]}", "'last 1.5' is not valid"),
                            ("{all_files_of: [failed]}", "without files, all files of every evaluation stay"),
                            ("true", "'true' is not valid, it is not a file pattern"), ("All", "did you mean 'all'?"),
                            ("''", "'' is not valid, it is empty"), ("[]", "the list is empty; expected all"), ("none", "'none' is not"),
                            ("'*.dat *.log'", "patterns are items of a list"), ("'*.{dat,log}'", "braces have no meaning here"),
                            ("'!*.dat'", "a leading ! has no meaning"), ("['']", "it is empty"), ("[/abs]", "an absolute path"),
                            ("[../x]", "it leads out of the evaluation's directory"), ("['[']", "its [ has no ]"),
                            ("{fils: [x]}", "unknown key 'evaluate.keep.fils'; did you mean 'keep.files'?")):
            with self.subTest(value=value):
                outcome = self.gannet("run", self.file, "--dry-run", "--set", f"evaluate.keep={value}")
                self.assertEqual(outcome.code, USAGE, outcome)
                self.assertIn(told, outcome.err)
        self.assertIn("only these files and gannet's own stay: *.log; all files of: best 2, failed",
                      self.succeed("run", self.file, "--dry-run").out)
        outcome = self.gannet("tidy", ".")
        self.assertNotEqual(outcome.code, FINISHED)
        self.succeed("run", self.file, "-q")
        for pattern in "", "..", "[", "none", "/abs/path":
            outcome = self.gannet("tidy", "wing.campaign", "--dry-run", "--keep", pattern)
            self.assertEqual(outcome.code, USAGE, outcome)
            self.assertIn(f"--keep: '{pattern}' is not valid", outcome.err)
        outcome = self.gannet("tidy", "wing.campaign", "--keep", "x", "--all-files-of", "best")
        self.assertEqual(outcome.code, USAGE, outcome)
        self.assertIn("--all-files-of: 'best' is not valid", outcome.err)


if __name__ == "__main__":
    program.main()
