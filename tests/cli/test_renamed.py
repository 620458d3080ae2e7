# test: labels cli timeout 180 processors 1
"""Old names of keys, options and words: still accepted, with one warning that says the new one."""
import pathlib
import shutil

import program
from program import BRANIN, FAST, USAGE

SAVED = pathlib.Path(__file__).resolve().parent / "words_of_0.1"  # a campaign directory of version 0.1.0, cut short

SCRIPT = """case $GANNET_EVAL_ID in
      0) exit 42;;
      1) echo "negative Jacobian"; exit 1;;
      *) echo "objective $GANNET_EVAL_ID" > $GANNET_RESULTS;;
    esac"""
OLD = FAST.replace("method: neural-bo\nsearch: {candidates: 500}\n", "method: sobol\n").replace("initial: 8\n", "") \
          .replace("evaluations: 24", "evaluations: 4") + f"""evaluate:
  backend: command
  shell: |
    {SCRIPT}
  infeasible_exit_codes: [42]
  infeasible_text: [Jacobian]
"""
NEW = OLD.replace("infeasible", "cannot_run")
CODES = "evaluate.infeasible_exit_codes is now called evaluate.cannot_run_exit_codes"
TEXT = "evaluate.infeasible_text is now called evaluate.cannot_run_text"


class Renamed(program.ProgramTest):
    def test_old_keys_do_what_the_new_ones_do(self):
        for text, warnings in ((OLD, 1), (NEW, 0)):
            shutil.rmtree(self.folder / "fast.campaign", ignore_errors=True)
            outcome = self.succeed("run", self.write(text))
            for words in CODES, TEXT:
                self.assertEqual(outcome.err.count(words), warnings, outcome)
                self.assertEqual((self.folder / "fast.campaign" / "campaign.log").read_text().count(words), warnings)
            self.assertIn("2 evaluations done, 2 cannot run, 0 failed", outcome.out)
            saved = (self.folder / "fast.campaign" / "campaign.yaml").read_text()
            self.assertIn("cannot_run_text: [Jacobian]", saved)
            self.assertNotIn("infeasible", saved)
        self.assertIn(f"fast.yaml:{NEW.splitlines().index('  cannot_run_text: [Jacobian]') + 1}:3: {TEXT}",
                      self.succeed("run", self.write(OLD), "-n", "-d", "other").err)

    def test_the_warning_comes_once_on_several_ranks(self):
        outcome = self.succeed("run", self.write(OLD), "-q", ranks=2)
        self.assertEqual(outcome.err.count(TEXT), 1, outcome)

    def test_errors_in_an_old_key_are_told_with_the_new_name(self):
        outcome = self.succeed("run", self.write(OLD.replace("[42]", "[300]")), code=USAGE)
        self.assertIn("evaluate.cannot_run_exit_codes: '300' is not valid", outcome.err)
        self.assertEqual(outcome.err.count(CODES), 1, outcome)

    def test_two_names_of_a_key_contradict_each_other(self):
        outcome = self.succeed("run", self.write(OLD + "  cannot_run_text: [other]\n"), code=USAGE)
        self.assertIn("evaluate.infeasible_text and evaluate.cannot_run_text are two names of the same key", outcome.err)
        self.assertIn("1 error in", outcome.err)

    def test_the_command_line_replaces_what_the_file_says_by_another_name(self):
        for text, name in (OLD, "cannot_run"), (NEW, "infeasible"):
            shutil.rmtree(self.folder / "fast.campaign", ignore_errors=True)
            out = self.succeed("run", self.write(text), "-q", "--set", f"evaluate.{name}_exit_codes=[7]").out
            self.assertIn("2 evaluations done, 1 cannot run, 1 failed", out)

    def test_what_gannet_wrote_itself_is_no_matter_for_warnings(self):
        for resume in False, True:
            shutil.rmtree(self.folder / "words.campaign", ignore_errors=True)
            directory = shutil.copytree(SAVED, self.folder / "words.campaign")
            for command, words in (("status", "3 done, 3 cannot run, 0 failed"), ("verify", "history.csv    sound, 6 of 6"),
                                   ("export", ",cannot_run,,"), ("report", "")):
                outcome = self.succeed(command, "words.campaign")
                self.assertIn(words, outcome.out)
                self.assertEqual(outcome.err, "gannet: 2 of 3 feasible\n" if command == "export" else "")
            if resume:
                file = directory / "campaign.yaml"
                file.write_text(file.read_text().replace("input_directory: /tmp/words\n", f"input_directory: {self.folder}\n"))
                outcome = self.succeed("run", "words.campaign/campaign.yaml", "--resume", "--max-evals", 8)
                self.assertNotIn("infeasible_", outcome.err)
                self.assertIn("4 evaluations done, 4 cannot run", outcome.out)
            else:
                self.succeed("tell", "words.campaign", "--point", "x=0.5", "--cannot-run", "by hand")
            self.assertNotIn("infeasible", (directory / "history.csv").read_text().replace("infeasible_text found", ""))
            self.assertIn("  cannot_run_text: [Jacobian]", (directory / "campaign.yaml").read_text())
            self.succeed("verify", "words.campaign")

    def test_a_damaged_line_of_an_old_table_is_still_seen(self):
        directory = shutil.copytree(SAVED, self.folder / "words.campaign")
        table = directory / "history.csv"
        table.write_text(table.read_text().replace("infeasible,,1,", "infeasible,,2,", 1))
        self.assertIn("line 4 of", self.succeed("verify", "words.campaign", code=program.DAMAGED).out)

    def test_the_old_option_of_tell(self):
        manual = FAST.replace("initial: 8\n", "").replace("method: neural-bo\nsearch: {candidates: 500}\n", "method: sobol\n")
        file = self.write(manual + "evaluate: {backend: manual}\n")
        self.succeed("ask", file)
        for number, option in enumerate(("--infeasible", "--infeasible=", "--cannot-run")):
            words = [option + "folds"] if option.endswith("=") else [option, "folds"]
            outcome = self.succeed("tell", file, "--id", number, *words)
            self.assertEqual(outcome.err.count("--infeasible is now called --cannot-run"), option != "--cannot-run", outcome)
        self.assertIn("0 done, 3 cannot run, 0 failed, 1 pending", self.succeed("status", "fast.campaign").out)
        both = self.succeed("tell", file, "--id", 3, "--infeasible", "a", "--cannot-run", "b", code=USAGE)
        self.assertIn("--infeasible and --cannot-run are two names of the same option", both.err)
        twice = self.succeed("tell", file, "--id", 3, "--infeasible", "a", "--infeasible", "b", code=USAGE)
        self.assertIn("--cannot-run is given twice", twice.err)

    def test_old_names_are_explained_and_not_offered(self):
        for asked in "infeasible_text", "evaluate.infeasible_text":
            out = self.succeed("explain", asked).out
            self.assertIn(f"{asked} is now called evaluate.cannot_run_text", out)
            self.assertIn("POSIX extended regular expressions", out)
        for words in (("explain",), ("explain", "evaluate"), ("explain", "--markdown"), ("manual", "campaign"), ("manual", "tell"),
                      ("tell", "--help"), *(("completion", shell) for shell in ("bash", "zsh", "fish"))):
            out = self.succeed(*words).out
            self.assertNotIn("infeasible_", out, words)
            self.assertNotIn("--infeasible", out, words)
        near = self.succeed("run", self.write(NEW.replace("cannot_run_text", "canot_run_text")), code=USAGE)
        self.assertIn("did you mean 'cannot_run_text'", near.err)
        self.assertNotIn("infeasible", near.err)
        self.assertIn("did you mean '--cannot-run'", self.succeed("tell", "x", "--canot-run", "w", code=USAGE).err)

    def test_a_key_without_effect_is_accepted_with_one_warning(self):
        text = BRANIN.replace("candidates: 500", "candidates: 500, precision: single").replace("evaluations: 24", "evaluations: 9")
        words = "search.precision no longer has any effect; remove it"
        outcome = self.succeed("run", self.write(text), "-q", ranks=2)
        self.assertEqual(outcome.err.count(words), 1, outcome)
        self.assertIn(f"fast.yaml:{[n for n, line in enumerate(text.splitlines(), 1) if 'precision' in line][0]}:", outcome.err)
        self.assertNotIn("precision", (self.folder / "fast.campaign" / "campaign.yaml").read_text())
        self.assertEqual(self.succeed("explain", "search.precision").out, words + "\n")
        for asked in ("explain", "search"), ("completion", "bash"):
            self.assertNotIn("precision", self.succeed(*asked).out)
        outcome = self.succeed("run", self.write(text), "--resume", "--max-evals", 10, "--set", "search.precision=exact")
        self.assertIn(f"--set search.precision=exact: {words}", outcome.err)


if __name__ == "__main__":
    program.main()
