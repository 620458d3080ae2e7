# test: labels cli timeout 120 processors 1
"""A case folder: every evaluation runs in a copy of a folder, with templates filled in and large parts linked."""
import os
import pathlib
import shutil
import signal
import subprocess

import program
from program import USAGE

# What people have: a folder with sub-folders, run by a script in it that starts like those of OpenFOAM.
ALLRUN = """\
#!/bin/sh
cd "${0%/*}" || exit 1
test -L constant/polyMesh && test -f constant/polyMesh/points || exit 3
test -e system/written && exit 4
speed=$(sed 's/.*(\\([^ ]*\\) .*/\\1/' 0/U)
end=$(sed -n 's/^endTime *\\([^;]*\\);/\\1/p' system/control.dict)
echo changed > system/written
echo changed > system/plain
if [ "$GANNET_EVAL_ID" = 1 ] && [ "$GANNET_ATTEMPT" = 1 ]; then exit 137; fi
mkdir -p postProcessing/forces/0
printf '# Time Cd\\n1 %s\\n' "$speed" > postProcessing/forces/0/coefficient.dat
echo "end $end" > results.out
"""
TEXT = """\
name: wing
variables: {speed: {lower: 1, upper: 2}}
method: sobol
batch: 2
objective: drag
outputs:
  drag: {file: "postProcessing/forces/*/coefficient.dat", column: Cd}
  end: {}
budget: {evaluations: 3}
evaluate:
  backend: command
  command: [./Allrun]
  case: {copy: case, templates: [0/U, "**/*.dict"], link: [constant/polyMesh]}
"""
STANDIN = pathlib.Path(__file__).resolve().parent.parent / "evaluate" / "standin" / "scheduler"
TOOLS = "sbatch", "squeue", "sacct", "scontrol", "scancel"


class CaseFolder(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(ALLRUN, "case/Allrun", 0o755)
        self.write("internalField uniform ({speed} 0 0);\n", "case/0/U", 0o640)
        self.write("endTime {speed:8.3f};\nFoamFile { version 2.0; }\n", "case/system/control.dict")
        self.write("keeps {speed}\n", "case/system/plain")
        self.write("points\n", "case/constant/polyMesh/points")
        self.write("outside\n", "outside")
        self.write("{speed}\n", "case/old.campaign/deep.dict")
        self.write("x\n", "case/.git/config")
        os.symlink("../0/U", self.folder / "case/system/inside")
        os.symlink("../../outside", self.folder / "case/system/outside")
        os.utime(self.folder / "case/system/plain", (1e9, 1e9))

    def refused(self, *sets, command="run", text=TEXT):
        words = [word for one in sets for word in ("--set", one)]
        outcome = self.gannet(command, self.write(text, "bad.yaml"), "--directory", "bad", *words)
        self.assertEqual(outcome.code, USAGE, outcome)
        return outcome.err

    def check_copies(self, n):
        rows = {int(row["id"]): row for row in self.history("wing.campaign")}
        self.assertEqual(len(rows), n)
        for number, row in rows.items():
            copy = self.folder / "wing.campaign" / "evals" / f"{number:06}"
            self.assertEqual(row["status"], "done", row)
            self.assertEqual(float(row["objective"]), float(row["speed"]))
            self.assertEqual(float(row["end"]), round(float(row["speed"]), 3))
            self.assertEqual((copy / "0/U").stat().st_mode & 0o777, 0o640)
            self.assertEqual((copy / "Allrun").stat().st_mode & 0o777, 0o755)
            self.assertEqual(os.readlink(copy / "constant/polyMesh"), str(self.folder / "case/constant/polyMesh"))
            self.assertEqual(os.readlink(copy / "system/inside"), "../0/U")
            self.assertEqual((copy / "system/outside").read_text(), "outside\n")
            self.assertFalse((copy / "old.campaign").exists())
            self.assertFalse((copy / ".git").exists())
        self.assertEqual((self.folder / "case/system/plain").read_text(), "keeps {speed}\n")
        self.assertEqual((self.folder / "case/0/U").read_text(), "internalField uniform ({speed} 0 0);\n")
        self.assertFalse((self.folder / "case/system/written").exists())
        return rows

    def test_a_case_runs_without_a_wrapper_and_a_retry_gets_a_fresh_copy(self):
        outcome = self.succeed("run", self.write(TEXT, "c.yaml"), "-q")
        self.assertNotIn("evaluate.command", outcome.err)
        rows = self.check_copies(3)
        self.assertEqual(rows[1]["attempts"], "2")
        self.assertTrue((self.folder / "wing.campaign/evals/000001/attempt-1/system/written").exists())

    def test_files_keep_their_time(self):
        self.succeed("run", self.write(TEXT, "c.yaml"), "-q", "--set", "evaluate.command=['true']", "--max-evals", "1",
                     code=program.INFEASIBLE)
        copy = self.folder / "wing.campaign/evals/000000/system/plain"
        self.assertEqual(copy.read_text(), "keeps {speed}\n")
        self.assertEqual(copy.stat().st_mtime, 1e9)

    def test_the_folder_alone_is_enough_and_may_be_the_one_of_the_campaign(self):
        """case: . leaves out the campaign's directory, and the copy does not grow by the copies before."""
        text = TEXT.replace("case: {copy: case, templates: [0/U, \"**/*.dict\"], link: [constant/polyMesh]}", "case: .")
        text = text.replace("command: [./Allrun]", "shell: \"echo drag 1 > results.out\"")
        text = text.replace("outputs:\n  drag: {file: \"postProcessing/forces/*/coefficient.dat\", column: Cd}\n", "outputs:\n")
        self.succeed("run", self.write(text, "case/c.yaml"), "-q", "--directory", "case/deep/runs")
        for number in range(3):
            copy = self.folder / f"case/deep/runs/evals/{number:06}"
            self.assertTrue((copy / "constant/polyMesh/points").exists())
            self.assertTrue((copy / "deep").exists())
            self.assertFalse((copy / "deep/runs").exists())
        # Directories of other campaigns and of tries are known by what is in them.
        self.succeed("try", "case/c.yaml", "--keep", "case/attempt")
        self.write("{}\n", "case/evals/notes")
        self.succeed("run", "case/c.yaml", "-q", "--directory", "case/second")
        copy = self.folder / "case/second/evals/000000"
        self.assertEqual([(copy / name).exists() for name in ("deep/runs", "attempt", "second", "evals/notes")], [False, False, False, True])
        outcome = self.gannet("run", "case/c.yaml", "--directory", "case")
        self.assertEqual(outcome.code, USAGE, outcome)
        self.assertIn("is the directory of the campaign", outcome.err)

    def test_the_saved_configuration_says_the_same(self):
        self.succeed("run", self.write(TEXT, "c.yaml"), "-q")
        saved = (self.folder / "wing.campaign/campaign.yaml").read_text()
        self.assertIn("  case:\n    copy: case\n    templates: [\"0/U\", \"**/*.dict\"]\n    link: [constant/polyMesh]\n", saved)
        outcome = self.succeed("run", "c.yaml", "-q", "--resume", "--max-evals", "4",
                               "--set", "evaluate.case.templates=[0/U, system/control.dict]")
        self.assertIn("evaluate.case.templates: [0/U, **/*.dict] -> [0/U, system/control.dict]", outcome.err)

    def test_mistakes_are_told_with_their_key(self):
        place = "bad.yaml:13:9: evaluate.case.copy: "
        for sets, words in (
                (["evaluate.case.templates=[nothing]"], "evaluate.case.templates: 'nothing' matches no file in "),
                (["evaluate.case.templates=[0/V]"], "'0/V' matches no file in "),
                (["evaluate.case.templates=[sytem/*.dict]"], "; did you mean 'system/*.dict'?"),
                (["evaluate.case.templates=[system/control.dct]"], "; did you mean 'system/control.dict'?"),
                (["evaluate.case.link=[constant/polyMsh]"], "; did you mean 'constant/polyMesh'?"),
                (["evaluate.case.copy=cas"], "(relative paths start from the campaign file); did you mean 'case'?"),
                (["evaluate.case.copy=./cose"], "; did you mean './case'?"),
                (["evaluate.case.templates=[constant]"], "evaluate.case.link: 'constant/polyMesh/points' would be a link"),
                (["evaluate.case.templates=[/etc/hosts]"], "'/etc/hosts': expected a path relative to the case"),
                (["evaluate.case.link=[../outside]"], "'../outside': expected a path relative to the case"),
                (["evaluate.case.link=[mesh]"], "evaluate.case.link: 'mesh' matches no file or folder in "),
                (["evaluate.case.copy=away"], "evaluate.case.copy: cannot find '"),
                (["evaluate.case.copy=outside"], "' is not a folder; expected one"),
                (["evaluate.case.copy=''"], "evaluate.case.copy: it is empty; expected a folder"),
                (["evaluate.case.kopy=case"], "unknown key 'evaluate.case.kopy'; did you mean 'case.copy'?"),
                (["evaluate.case={link: mesh}"], "evaluate.case.link: 'mesh' needs the case that it is in"),
                (["evaluate.case=[case, other]"], "evaluate.case.copy"),
                (["evaluate.command=[./Allclean]"], "cannot run './Allclean': No such file or directory"),
                (["evaluate.command=[0/U]"], "cannot run '0/U': Permission denied (make it executable with chmod +x"),
                (["evaluate.templates=[case/0/U, case/1/U]"], "evaluate.templates: cannot read 'case/1/U'"),
                (["evaluate.templates=[case]"], "'case' is not a file; expected an input file with {placeholders}; a folder "
                                                "with its sub-folders is copied by evaluate.case")):
            with self.subTest(sets=sets):
                self.assertIn(words, self.refused(*sets))
        self.write("x\n", "case/1/U")
        self.assertIn("or have the folder copied with its sub-folders by evaluate.case",
                      self.refused("evaluate.templates=[case/0/U, case/1/U]"))
        os.mkfifo(self.folder / "case/pipe")
        self.assertIn("case/pipe' is not a file, folder or link and cannot be copied", self.refused())
        os.remove(self.folder / "case/pipe")
        self.write("drag 1\n", "case/results.out")
        self.assertIn("case/results.out': gannet or the simulation writes a file of that name", self.refused())
        os.remove(self.folder / "case/results.out")
        self.write("# Time Cd\n1 2\n", "case/postProcessing/forces/0/coefficient.dat")
        self.assertIn("bad.yaml:7:3: outputs.drag: the case has", self.refused())
        shutil.rmtree(self.folder / "case")
        told = self.refused()
        self.assertIn("bad.yaml:13:16: evaluate.case.copy: cannot find '", told)
        self.assertNotIn("Allrun", told)  # which is in that folder
        self.assertFalse((self.folder / "bad").exists() and list((self.folder / "bad").glob("evals/0*")))

    def test_what_appears_later_in_the_case_is_refused_too(self):
        self.succeed("run", self.write(TEXT, "c.yaml"), "-q")
        text = TEXT.replace("[./Allrun]", "[bash, -c, \"mkfifo {input_directory}/case/pipe; bash ./Allrun\"]")
        outcome = self.gannet("run", self.write(text.replace("batch: 2", "batch: 1"), "c.yaml"), "-q", "--resume", "--max-evals", "6")
        self.assertEqual(outcome.code, USAGE, outcome)
        self.assertIn("case/pipe' is not a file, folder or link and cannot be copied", outcome.err)

    def test_it_is_explained_and_its_placeholders_are_looked_at(self):
        for path in "case", "evaluate.case":
            out = self.succeed("explain", path).out
            self.assertIn("evaluate.case.copy\n", out)
            self.assertIn("evaluate.case.link\n", out)
        self.write("{sped}\n{speed:1.0f}\n", "case/1/U")
        outcome = self.succeed("run", self.write(TEXT, "c.yaml"), "--dry-run", "--set", "evaluate.case.templates=[0, 1]")
        self.assertIn("evaluate.case.templates: 1/U:1:1: ", outcome.err)

    def test_it_runs_as_jobs_in_bundles_and_arrays(self):
        (self.folder / "scheduler/jobs").mkdir(parents=True)
        for name in *TOOLS, "node":
            shutil.copy(STANDIN, self.folder / "scheduler" / name)
        node = subprocess.Popen(["/bin/sh", self.folder / "scheduler/node"], start_new_session=True)
        slurm = ("backend: slurm\n  poll_interval: 0.1s\n  parallel: 4\n"
                 + "".join(f"  {tool}_command: ./scheduler/{tool}\n" for tool in TOOLS))
        try:
            for packing in "", "  submit: array\n", "  runs_per_job: 2\n  runs_at_once: 2\n  step: [env]\n":
                with self.subTest(packing=packing):
                    shutil.rmtree(self.folder / "wing.campaign", ignore_errors=True)
                    text = TEXT.replace("backend: command\n", slurm + packing)
                    self.succeed("run", self.write(text, "c.yaml"), "-q")
                    self.check_copies(3)
        finally:
            os.killpg(node.pid, signal.SIGKILL)
            node.wait()


if __name__ == "__main__":
    program.main()
