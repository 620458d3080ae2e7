# test: labels cli timeout 600 processors 1
"""Full disks, closed directories and damaged files: a clear message, and nothing lost that was acknowledged."""
import os
import re
import resource
import shutil
import subprocess
import unittest

import program
from program import BRANIN, DAMAGED, FINISHED, RESOURCE, SOBOL, USAGE, slow

NOBODY = 65534


class Damage(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.file = self.write(BRANIN)
        self.place = self.folder / "fast.campaign"

    def run_half(self, save="save={batches: 1, interval: 0s}"):
        self.succeed("run", self.file, "--max-evals", 16, "-q")

    def finish(self, ranks=0):
        outcome = self.succeed("run", self.file, "--resume", "-q", ranks=ranks)
        self.assertEqual(self.digest(), self.reference())
        self.check_history(24)
        return outcome

    def hurt(self, name, share=0.5):
        """One changed byte."""
        path = self.place / name
        data = bytearray(path.read_bytes())
        data[int(len(data) * share)] ^= 0x10
        path.write_bytes(data)

    def check_that_it_is_told(self, what_to_do, code=FINISHED):
        """By the commands that show what can be read all the same."""
        told = self.succeed("status", "fast.campaign", code=code).out
        self.assertRegex(told, "journal      DAMAGED: .*" + what_to_do)
        self.assertIn("16 done", told) if code == FINISHED else self.assertNotIn(" 0 done", told)
        outcome = self.succeed("report", "fast.campaign", code=code)
        self.assertIn(what_to_do, outcome.err)
        self.assertIn(what_to_do, (self.place / "report.html").read_text())
        outcome = self.succeed("best", "fast.campaign", code=code)
        self.assertIn(what_to_do, outcome.err)
        self.assertEqual(outcome.out == "", code == DAMAGED)
        (self.place / "report.html").unlink()

    def test_a_damaged_journal_is_rebuilt_and_kept_aside(self):
        for share, ranks in (0.02, 2), (0.5, 0), (0.9, 0):
            self.run_half()
            self.hurt("journal", share)
            damaged = (self.place / "journal").read_bytes()
            self.assertIn("journal", self.succeed("verify", "fast.campaign", code=DAMAGED).out)
            if share == 0.5:
                self.check_that_it_is_told("--resume rebuilds the journal")
            outcome = self.finish(ranks)
            self.assertNotIn("DAMAGED", self.succeed("status", "fast.campaign").out)
            self.assertIn("damaged", outcome.err)
            self.assertEqual((self.place / "journal.damaged").read_bytes(), damaged)
            self.assertIn("moved the damaged journal", (self.place / "campaign.log").read_text())
            shutil.rmtree(self.place)

    def test_records_after_an_old_snapshot_are_not_lost(self):
        """The snapshot is old: the damage is before it or after it."""
        self.succeed("run", self.file, "--max-evals", 12, "-q")
        old = {name: (self.place / name).read_bytes() for name in ("state.h5", "state.h5.1")}
        begin = len((self.place / "journal").read_bytes())
        self.succeed("run", self.file, "--max-evals", 20, "-q", "--resume")
        journal = (self.place / "journal").read_bytes()
        lines = journal[begin:].splitlines(keepends=True)
        for place, kept in (begin // 2, 20), (begin + sum(map(len, lines[:-3])) + 40, 20 - 4):
            for name, data in old.items():
                (self.place / name).write_bytes(data)
            (self.place / "journal").write_bytes(journal[:place] + b"?" + journal[place + 1:])
            outcome = self.succeed("run", self.file, "--max-evals", 8, "-q", "--resume")  # restores, evaluates nothing
            self.assertRegex(outcome.out, f"{kept} evaluations done|[0-9]+ evaluations done")
            done = int(re.search(r"(\d+) evaluations done", outcome.out).group(1))
            self.assertGreaterEqual(done, kept, outcome)
            self.succeed("verify", "fast.campaign")
        self.finish()

    def test_a_missing_journal_is_rebuilt(self):
        self.run_half()
        (self.place / "journal").unlink()
        self.succeed("verify", "fast.campaign", code=DAMAGED)
        self.assertIn("16 done", self.succeed("status", "fast.campaign").out)
        self.finish(ranks=2)
        self.assertFalse((self.place / "journal.damaged").exists())

    def test_a_journal_and_snapshots_that_are_all_damaged_are_left_alone(self):
        self.run_half()
        for name in "journal", "state.h5", "state.h5.1":
            self.hurt(name)
        before = {p.name: p.read_bytes() for p in self.place.iterdir() if p.name != "journal.lock"}
        for ranks in 0, 2:
            outcome = self.succeed("run", self.file, "--resume", "-q", code=DAMAGED, ranks=ranks)
            self.assertRegex(outcome.err, "journal.*state.h5")
        self.check_that_it_is_told("Put back a copy of the directory", code=DAMAGED)
        self.succeed("run", self.file, "-q", code=USAGE)
        self.assertEqual(before, {p.name: p.read_bytes() for p in self.place.iterdir() if p.name != "journal.lock"})
        # what the message advises
        line = int(re.search(r"follows line (\d+)", outcome.err).group(1))
        path = self.place / "journal"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:line]))
        self.assertIn("move history.csv away", outcome.err)
        (self.place / "history.csv").rename(self.folder / "history.csv")
        self.finish()

    def test_what_follows_a_damaged_first_line_cannot_be_continued(self):
        self.run_half()
        for name in "state.h5", "state.h5.1":
            (self.place / name).unlink(missing_ok=True)
        data = (self.place / "journal").read_bytes()
        (self.place / "journal").write_bytes(b"?" + data[1:])
        outcome = self.succeed("status", "fast.campaign", code=DAMAGED)
        self.assertIn("16 done", outcome.out)
        self.assertNotIn("delete what follows", outcome.out)
        self.assertIn("start again with --directory, with a copy of history.csv as `import`", outcome.out)
        # what the message advises
        shutil.copy(self.place / "history.csv", self.folder / "old.csv")
        file = self.write(BRANIN + "import: old.csv\n")
        outcome = self.succeed("run", file, "--directory", "again.campaign", "--max-evals", 4, "-q")
        self.assertRegex(self.succeed("status", "again.campaign").out, "imported +16 results")

    def test_a_directory_in_place_of_a_file_is_to_be_moved_away(self):
        self.run_half()
        for name in "state.h5", "history.csv":
            (self.place / name).rename(self.folder / name)
            (self.place / name).mkdir()
            outcome = self.succeed("run", self.file, "--resume", "-q", code=RESOURCE)
            self.assertRegex(outcome.err, rf"cannot write '.*{name}': there is a directory of that name; move it away")
            out = self.succeed("verify", "fast.campaign", code=DAMAGED).out
            self.assertRegex(out, rf"{re.escape(name)} +DAMAGED: .*is a directory" + ("(?s:.*); move it away, then gannet run" if name == "history.csv" else ""))
            (self.place / name).rmdir()
            (self.folder / name).rename(self.place / name)
        self.finish()

    def test_damaged_snapshots_do_not_matter(self):
        self.run_half()
        for names in ("state.h5",), ("state.h5.1",), ("state.h5", "state.h5.1"):
            for name in names:
                self.hurt(name)
            outcome = self.succeed("verify", "fast.campaign", code=DAMAGED)
            self.assertEqual(outcome.out.count("DAMAGED"), len(names), outcome)
            self.succeed("run", self.file, "--resume", "--max-evals", 16, "-q")
            self.succeed("run", self.file, "--resume", "--max-evals", len(self.history()) + 1, "-q")
        self.succeed("verify", "fast.campaign")

    def foreign(self, **changes):
        """state.h5 of another campaign that is well."""
        text = BRANIN.replace("name: fast", "name: other")
        for old, new in changes.values():
            self.assertIn(old, text)
            text = text.replace(old, new)
        shutil.rmtree(self.folder / "other.campaign", ignore_errors=True)
        self.succeed("run", self.write(text, "other.yaml"), "--max-evals", 12, "-q")
        return (self.folder / "other.campaign" / "state.h5").read_bytes()

    OTHERS = ({}, {"seed": ("seed: 7", "seed: 8")}, {"problem": ("upper: 10", "upper: 11")})

    def test_a_snapshot_of_another_campaign_is_told_and_put_aside(self):
        self.run_half()
        own = (self.place / "state.h5").read_bytes()
        for n, changes in enumerate(self.OTHERS):
            data = self.foreign(**changes)
            for name in "state.h5", "state.h5.1":
                kept = (self.place / name).read_bytes()
                (self.place / name).write_bytes(data)
                out = self.succeed("verify", "fast.campaign", code=DAMAGED).out
                self.assertRegex(out, rf"{re.escape(name)} +DAMAGED: of another campaign, 'other' with seed {8 if n == 1 else 7}")
                self.assertEqual(out.count("DAMAGED"), 1, out)
                (self.place / name).write_bytes(kept)
            (self.place / "state.h5").write_bytes(data)
            self.assertIn("16 done", self.succeed("status", "fast.campaign").out)
            outcome = self.succeed("run", self.file, "--resume", "--max-evals", 16, "-q", ranks=2 * (n == 0))
            self.assertRegex(outcome.err, "state.h5 belongs to another campaign .'other', seed .*moved to .*state.h5.foreign")
            self.assertIn("16 evaluations done", outcome.out)
            aside = self.place / ("state.h5.foreign" + (f".{n}" if n else ""))
            self.assertEqual(aside.read_bytes(), data)
            self.assertEqual(len((self.place / "state.h5").read_bytes()), len(own))
            self.succeed("verify", "fast.campaign")
        self.finish()

    def test_a_snapshot_of_another_campaign_hides_no_lost_record(self):
        """The older generation knows what the journal has lost, or stands in for it."""
        for changes in self.OTHERS:
            data = self.foreign(**changes)
            for harm in "end", "middle", "whole":
                shutil.rmtree(self.place, ignore_errors=True)
                self.run_half()
                journal = self.place / "journal"
                (self.place / "state.h5.1").write_bytes((self.place / "state.h5").read_bytes())
                (self.place / "state.h5").write_bytes(data)
                if harm == "end":
                    journal.write_bytes(journal.read_bytes()[:-2000])
                    self.assertIn("journal      DAMAGED", self.succeed("status", "fast.campaign").out)
                elif harm == "middle":
                    self.hurt("journal")
                else:
                    journal.unlink()
                self.succeed("verify", "fast.campaign", code=DAMAGED)
                outcome = self.succeed("run", self.file, "--resume", "--max-evals", 8, "-q")
                self.assertIn("16 evaluations done", outcome.out)
                self.assertRegex(outcome.err, "rebuilding the journal from .*state.h5.1 of campaign 'fast'")
                self.assertEqual((self.place / "state.h5.foreign").read_bytes(), data)
                self.finish()

    def test_a_journal_of_another_campaign_is_told_and_put_aside(self):
        """The snapshot is that of this campaign, and serves."""
        for n, changes in enumerate(self.OTHERS):
            self.foreign(**changes)
            data = (self.folder / "other.campaign" / "journal").read_bytes()
            self.run_half()
            digest = self.digest()
            (self.place / "journal").write_bytes(data)
            before = self.contents()
            whose = rf"is of another campaign .'other', seed {8 if n == 1 else 7}., but state.h5 of this one .'fast', seed 7."
            self.check_that_it_is_told("--resume rebuilds the journal")
            outcome = self.succeed("verify", "fast.campaign", code=DAMAGED)
            self.assertRegex(outcome.out, rf"journal +DAMAGED: .*{whose}")
            self.assertIn(f"digest {digest}", outcome.out)
            self.assertEqual(outcome.out.count("DAMAGED"), 1, outcome)
            outcome = self.succeed("watch", "fast.campaign", "--once", code=DAMAGED)
            self.assertRegex(outcome.out, f"{whose}.*--resume rebuilds the journal")
            self.assertIn("16 of 16", outcome.out)
            self.assertEqual(before, self.contents())
            outcome = self.finish(ranks=2 * (n == 0))
            self.assertRegex(outcome.err, f"{whose}(?s:.*)rebuilding the journal from .*state.h5 of campaign 'fast': 16 evaluations")
            self.assertEqual((self.place / "journal.damaged").read_bytes(), data)
            self.assertFalse((self.place / "state.h5.foreign").exists())
            shutil.rmtree(self.place)

    def test_a_journal_and_a_snapshot_of_another_campaign_are_told_and_put_aside(self):
        """The older generation of the snapshot is that of this campaign, and serves."""
        for n, changes in enumerate(self.OTHERS):
            data = self.foreign(**changes)
            self.run_half()
            digest = self.digest()
            (self.place / "state.h5.1").write_bytes((self.place / "state.h5").read_bytes())
            (self.place / "state.h5").write_bytes(data)
            shutil.copy(self.folder / "other.campaign" / "journal", self.place)
            before = self.contents()
            whose = rf"is of another campaign .'other', seed {8 if n == 1 else 7}., but state.h5.1 of this one .'fast', seed 7."
            self.check_that_it_is_told("--resume rebuilds the journal")
            outcome = self.succeed("verify", "fast.campaign", code=DAMAGED)
            self.assertRegex(outcome.out, rf"journal +DAMAGED: .*{whose}")
            self.assertRegex(outcome.out, r"state.h5 +DAMAGED: of another campaign, 'other'")
            self.assertIn(f"digest {digest}", outcome.out)
            outcome = self.succeed("watch", "fast.campaign", "--once", code=DAMAGED)
            self.assertRegex(outcome.out, f"{whose}.*--resume rebuilds the journal(?s:.*)16 of 16")
            self.assertEqual(before, self.contents())
            outcome = self.finish(ranks=2 * (n == 0))
            self.assertRegex(outcome.err, f"{whose}(?s:.*)rebuilding the journal from .*state.h5.1 of campaign 'fast': 16 evaluations")
            self.assertTrue((self.place / "journal.damaged").exists())
            self.assertEqual((self.place / "state.h5.foreign").read_bytes(), data)
            shutil.rmtree(self.place)

    def test_a_renamed_campaign_keeps_its_journal(self):
        """Journal and snapshot have the old name."""
        self.run_half()
        file = self.write(BRANIN.replace("name: fast", "name: other"), "other.yaml")
        outcome = self.succeed("run", file, "--resume", "--directory", "fast.campaign", "-q")
        self.assertNotIn("another campaign", outcome.err)
        self.assertEqual(self.digest(), self.reference())
        self.succeed("verify", "fast.campaign")

    def test_who_looks_on_sees_what_a_run_will_use(self):
        """Where no journal tells whose the snapshots are: not the newest, but the own one."""
        for n, changes in enumerate(self.OTHERS):
            data = self.foreign(**changes)
            for harm in "whole", "head":
                shutil.rmtree(self.place, ignore_errors=True)
                self.run_half()
                digest = self.digest()
                journal = self.place / "journal"
                (self.place / "state.h5.1").write_bytes((self.place / "state.h5").read_bytes())
                (self.place / "state.h5").write_bytes(data)
                if harm == "head":
                    journal.write_bytes(b"?" + journal.read_bytes()[1:])
                else:
                    journal.unlink()
                before = self.contents()
                self.assertIn("16 proposed of 16: 16 done", self.succeed("status", "fast.campaign").out)
                outcome = self.succeed("watch", "fast.campaign", "--once", code=DAMAGED)
                self.assertRegex(outcome.out, "journal is damaged(?s:.*) 16 of 16")
                outcome = self.succeed("run", self.file, "--resume", "--dry-run")
                self.assertIn("a run would continue after 16 evaluations of 24", outcome.out)
                outcome = self.succeed("verify", "fast.campaign", code=DAMAGED)
                self.assertRegex(outcome.out, f"state.h5 +DAMAGED: of another campaign, 'other' with seed {8 if n == 1 else 7}")
                self.assertRegex(outcome.out, f"(?m)^campaign.yaml +sound$(?s:.*)^state.h5.1 +sound(?s:.*)digest {digest}")
                self.assertEqual(outcome.out.count("DAMAGED"), 2, outcome)
                self.assertEqual(before, self.contents())
                self.assertRegex(self.finish().err, "rebuilding the journal from .*state.h5.1 of campaign 'fast'")

    def test_a_journal_is_not_made_from_another_campaign(self):
        """Nothing is changed."""
        for changes, code in zip(self.OTHERS, (DAMAGED, USAGE, USAGE)):
            data = self.foreign(**changes)
            shutil.rmtree(self.place, ignore_errors=True)
            self.run_half()
            (self.place / "state.h5.1").unlink()
            (self.place / "state.h5").write_bytes(data)
            self.hurt("journal")
            before = self.contents()
            outcome = self.succeed("run", self.file, "--resume", "-q", code=code)
            self.assertRegex(outcome.err, "state.h5: the snapshot is of .*campaign 'other'")
            self.assertEqual(before, self.contents())
            # nor do others take it for this one
            outcome = self.succeed("run", self.file, "--resume", "--dry-run", code=code)
            self.assertRegex(outcome.err, "the snapshot is of .*")
            told = self.succeed("status", "fast.campaign", code=DAMAGED).out
            self.assertRegex(told, "journal +DAMAGED: .*nor is there a sound snapshot of this campaign .*only the first [0-9]+ records of the journal")
            self.assertEqual(before, self.contents())

    def test_the_older_snapshot_serves_when_the_newer_is_damaged(self):
        self.run_half()
        self.hurt("state.h5")
        (self.place / "journal").unlink()
        outcome = self.finish(ranks=2)
        self.assertIn("state.h5.1", outcome.err)

    def test_a_torn_tail_is_cut_off_and_said(self):
        self.run_half()
        path = self.place / "journal"
        path.write_bytes(path.read_bytes() + b"0123456789abcdef 99 {\"rec")
        self.assertIn("not completed", self.succeed("verify", "fast.campaign").out)
        outcome = self.finish(ranks=2)
        self.assertIn("not completed", outcome.err)
        self.assertNotIn("damaged", outcome.err)

    def test_what_the_journal_has_lost_is_taken_from_the_snapshot(self):
        for lost in 25, 2000:
            self.run_half()
            path = self.place / "journal"
            path.write_bytes(path.read_bytes()[:-lost])
            self.assertIn("lost", self.succeed("verify", "fast.campaign", code=DAMAGED).out)
            outcome = self.succeed("run", self.file, "--max-evals", 8, "-q", "--resume")
            self.assertIn("16 evaluations done", outcome.out)
            self.finish()
            shutil.rmtree(self.place)

    def test_a_journal_that_was_never_begun_is_no_obstacle(self):
        for size in 0, 10, 42:
            self.succeed("run", self.file, "--max-evals", 4, "-q")
            header = (self.place / "journal").read_bytes().splitlines(keepends=True)[0]
            shutil.rmtree(self.place)
            self.place.mkdir()
            (self.place / "journal").write_bytes(header[:size])
            self.finish()
            self.succeed("run", self.file, "--resume", "-q")
            shutil.rmtree(self.place)

    def contents(self):
        """Files with what is in them; who holds the lock, and what is said of it all, may change."""
        return {p.relative_to(self.place): p.read_bytes() for p in self.place.rglob("*")
                if p.is_file() and p.name not in ("journal.lock", "campaign.log")}

    def test_a_damaged_configuration_does_not_lock_out(self):
        self.run_half()
        path = self.place / "campaign.yaml"
        whole = path.read_text()
        commands = "status", "best", "export"
        for text, asked in (whole[:300], commands), ("", commands[:1]), ("\0", commands[1:2]), ("# nothing\n", commands[2:]):
            path.write_text(text)
            for command in asked:
                outcome = self.succeed(command, "fast.campaign", code=DAMAGED)
                self.assertRegex(outcome.err, "gannet run FILE --resume --directory .* writes it again")
            out = self.succeed("verify", "fast.campaign", code=DAMAGED).out
            self.assertRegex(out, r"campaign.yaml +DAMAGED: (?s:.*)journal +sound(?s:.*)state.h5 +sound")
        path.unlink()
        self.assertRegex(self.succeed("verify", "fast.campaign", code=DAMAGED).out, "campaign.yaml +DAMAGED(?s:.*)journal +sound")
        self.finish()
        self.assertEqual(path.read_text().splitlines()[1:3], whole.splitlines()[1:3])

    def test_a_campaign_that_was_killed_at_once_is_not_damaged(self):
        self.succeed("run", self.file, "--max-evals", 4, "-q")
        journal = (self.place / "journal").read_bytes().splitlines(keepends=True)
        for lines in 0, 1, 2:
            shutil.rmtree(self.place)
            self.place.mkdir()
            (self.place / "journal").write_bytes(b"".join(journal[:lines]))
            outcome = self.succeed("verify", "fast.campaign", code=USAGE)
            self.assertNotIn("DAMAGED", outcome.out)
            self.assertIn("without its campaign.yaml", outcome.err)
            self.succeed("run", self.file, "--resume", "-q", "--max-evals", 4)

    def test_files_that_were_changed_are_not_called_sound(self):
        """The configuration, by its checksum and by the journal; the table of results, by the journal."""
        self.run_half()
        for name, old, new, told in (("campaign.yaml", "evaluations: 16", "evaluations: 17", "not as gannet wrote it"),
                                     ("campaign.yaml", "seed: 7", "seed: 8", "seed 8, but that of the journal is 7"),
                                     ("campaign.yaml", "upper: 10", "upper: 11", "differ from those"),
                                     ("campaign.yaml", "log:", "logs:", "log"),
                                     ("history.csv", "\n7,", "\n6,", "line 9"), ("history.csv", ",done,", ",failed,", "line 2"),
                                     ("history.csv", "id,", "no,", "line 1")):
            text = (self.place / name).read_text()
            self.assertIn(old, text)
            (self.place / name).write_text(text.replace(old, new, 1))
            out = self.succeed("verify", "fast.campaign", code=DAMAGED).out
            self.assertEqual(out.count("DAMAGED"), 1, out)
            self.assertRegex(out, f"{name} +DAMAGED: .*{told}")
            (self.place / name).write_text(text)
        self.assertRegex(self.succeed("verify", "fast.campaign").out, "history.csv +sound, 16 of 16 results")
        for rest, n in (text[:-30], 15), ("", 0):  # a crash while it was written
            (self.place / "history.csv").write_text(rest)
            self.assertRegex(self.succeed("verify", "fast.campaign").out, f"history.csv +sound, {n} of 16 results; .*writes the others")
        (self.place / "history.csv").unlink()
        text = (self.place / "campaign.yaml").read_text()
        (self.place / "campaign.yaml").write_text(text[:text.rindex("# checksum ")])  # of a gannet that wrote none
        self.assertIn("has no checksum", self.succeed("verify", "fast.campaign").out)
        (self.place / "campaign.yaml").write_text(text)
        self.assertIn("--resume writes it", self.succeed("verify", "fast.campaign").out)
        self.finish()

    def test_a_table_shows_that_the_journal_lost_its_end(self):
        """Without a snapshot, only history.csv knows of the evaluations whose records were cut off."""
        self.run_half()
        records = (self.place / "journal").read_bytes().splitlines(keepends=True)
        for snapshot in "state.h5", "state.h5.1":
            (self.place / snapshot).unlink(missing_ok=True)
        self.assertRegex(self.succeed("verify", "fast.campaign").out, "history.csv +sound")
        whole = (self.place / "history.csv").read_bytes()
        (self.place / "journal").write_bytes(b"".join(records[:2]))
        before = self.contents()
        outcome = self.succeed("verify", "fast.campaign", code=DAMAGED)
        self.assertRegex(outcome.out, "history.csv +DAMAGED: line 2 .* of an evaluation that the journal has lost")
        lost = "history.csv has evaluation 15, but the journal only 0 evaluations"
        for ranks in 0, 2:
            outcome = self.succeed("run", self.file, "--resume", "-q", code=DAMAGED, ranks=ranks)
            self.assertIn(lost, outcome.err)
        self.assertIn(lost, self.succeed("run", self.file, "--resume", "--dry-run", code=DAMAGED).err)
        for command in "status", "best":
            outcome = self.succeed(command, "fast.campaign", code=DAMAGED)
            self.assertIn(lost, outcome.out + outcome.err)
        self.assertEqual(before, self.contents())
        (self.place / "history.csv").rename(self.folder / "lost.csv")
        shutil.rmtree(self.place / "evals", ignore_errors=True)
        self.finish()
        self.assertEqual((self.folder / "lost.csv").read_bytes(), whole)

    def test_a_table_with_more_than_a_rebuilt_journal_is_kept(self):
        """The snapshot is old, and the journal cannot be read behind it."""
        self.succeed("run", self.file, "--max-evals", 8, "-q")
        old = (self.place / "state.h5").read_bytes()
        size = len((self.place / "journal").read_bytes())
        self.succeed("run", self.file, "--max-evals", 16, "-q", "--resume")
        whole = (self.place / "history.csv").read_bytes()
        (self.place / "state.h5.1").unlink(missing_ok=True)
        (self.place / "state.h5").write_bytes(old)
        journal = (self.place / "journal").read_bytes()
        (self.place / "journal").write_bytes(journal[:size + 5] + b"?" + journal[size + 6:])
        outcome = self.finish()
        self.assertIn("history.csv has a result of evaluation 8, and the journal has none", outcome.err)
        self.assertEqual((self.place / "history.csv.before").read_bytes(), whole)

    def test_a_table_with_results_that_a_shorter_journal_lacks_is_kept(self):
        """The journal has lost results, but not the proposal of their designs."""
        self.succeed("run", self.file, "--max-evals", 8, "-q")
        whole = (self.place / "history.csv").read_bytes()
        for snapshot in "state.h5", "state.h5.1":
            (self.place / snapshot).unlink(missing_ok=True)
        records = (self.place / "journal").read_bytes().splitlines(keepends=True)
        last = max(i for i, record in enumerate(records) if b'"propose"' in record)
        (self.place / "journal").write_bytes(b"".join(records[:last + 1]))
        outcome = self.finish()
        self.assertRegex(outcome.err, "history.csv has a result of evaluation [0-9]+, and the journal has none")
        self.assertEqual((self.place / "history.csv.before").read_bytes(), whole)

    def test_an_empty_journal_does_not_begin_a_campaign_anew(self):
        """Nor does one of which only the beginning is left: other files show that there were records."""
        self.run_half()
        journal, header = (self.place / "journal").read_bytes(), len((self.place / "journal").read_bytes().split(b"\n")[0])
        state = (self.place / "state.h5").read_bytes()
        for size in 0, 20, header + 1, 100:
            for left in "state.h5", "history.csv":
                (self.place / "journal").write_bytes(journal[:size])
                (self.place / "state.h5").write_bytes(state[:3000])
                (self.place / "state.h5.1").unlink(missing_ok=True)
                if left == "history.csv":
                    (self.place / "state.h5").unlink()
                before = self.contents()
                for ranks in (0, 2) if size == 20 else (0,):
                    outcome = self.succeed("run", self.file, "--resume", "-q", code=DAMAGED, ranks=ranks)
                    self.assertRegex(outcome.err, f"has no records, but {left} .*Nothing was changed")
                for command in "status", "best", "verify":
                    self.succeed(command, "fast.campaign", code=DAMAGED)
                self.assertEqual(before, self.contents())
        (self.place / "journal").write_bytes(b"")
        (self.place / "state.h5.1").write_bytes(state)
        self.finish()

    def test_what_a_campaign_has_left_is_not_overwritten(self):
        self.run_half()
        for name in "journal", "state.h5", "state.h5.1":
            (self.place / name).unlink(missing_ok=True)
        before = self.contents()
        self.assertIn("already holds a campaign", self.succeed("run", self.file, "-q", code=USAGE).err)
        self.assertIn("Nothing was changed", self.succeed("run", self.file, "-q", "--resume", code=DAMAGED).err)
        self.assertEqual(before, self.contents())

    def test_other_junk_is_not_taken_for_a_campaign(self):
        self.place.mkdir()
        (self.place / "journal").write_text("my diary\n")
        outcome = self.succeed("run", self.file, "--resume", "-q", code=DAMAGED)
        self.assertIn("does not begin like a gannet journal", outcome.err)
        self.assertEqual((self.place / "journal").read_text(), "my diary\n")

    def test_a_full_disk_stops_the_run_resumably(self):
        """No file may grow beyond a size; the last one is generous, so the journal begins."""
        for size in 300, 3000, 9000:
            wrapper = ["sh", "-c", f"ulimit -f {-(-size // 512)}; trap '' XFSZ; exec \"$@\"", "sh"]
            for ranks in 0, 2:
                outcome = self.gannet("run", self.file, "--resume", "-q", wrapper=wrapper, ranks=ranks)
                self.assertEqual(outcome.code, RESOURCE, outcome)
                self.assertRegex(outcome.err, "(?i)no space|too large")
        self.finish()

    def test_a_really_full_disk_stops_the_run_resumably(self):
        self.with_disk("64k", self.full_disk)

    def with_disk(self, size, check):
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", disk],
                          stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no right to mount")
        try:
            check(disk)
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_simulations_that_fill_the_disk_are_made_again(self):
        """Nor does it matter that they end well, with results cut off, or beside the one that ends the run."""
        self.with_disk("400k", self.disk_filled_by_simulations)

    def disk_filled_by_simulations(self, disk):
        text = ("name: fast\nmethod: sobol\nvariables: {x: {lower: 0, upper: 1}}\nbatch: 2\nbudget: {evaluations: 4}\n"
                "evaluate: {backend: command, parallel: 2, shell: "
                "'dd if=/dev/zero of=mesh bs=1k count=450 || %s; sleep 0.3; awk \"{print \\\"objective\\\", \\$2}\" params.in > results.out'}\n")
        for number, how in enumerate(("exit 1", "sleep 0.5")):
            place = f"disk/{number}"
            words = "run", self.write(text % how), "--resume", "-q", "-d", place
            for _ in range(2):
                outcome = self.succeed(*words, code=RESOURCE)
                self.assertRegex(outcome.err, "(?i)no space")
            subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
            self.assertIn("4 evaluations done, 0 cannot run, 0 failed", self.succeed(*words).out)
            self.succeed("run", self.write(text % how), "-q", "-d", "whole.campaign")
            self.assertEqual(self.digest(place), self.digest("whole.campaign"))
            for name in disk / str(number), self.folder / "whole.campaign":
                shutil.rmtree(name)
            subprocess.run(["mount", "-o", "remount,size=400k", disk], check=True)

    def full_disk(self, disk):
        words = "run", self.file, "--resume", "-q", "-d", "disk/c", "--max-evals", "400", "--set", "method=sobol", \
            "--set", "search=", "--set", "initial="
        file = self.write(program.SOBOL, "sobol.yaml")
        words = "run", file, "--resume", "-q", "-d", "disk/c", "--max-evals", "400"
        outcome = self.succeed(*words, ranks=2, code=RESOURCE)
        self.assertRegex(outcome.err, "(?i)no space")
        again = self.succeed(*words, code=RESOURCE)
        self.assertRegex(again.err, "(?i)no space")
        self.assertIn("done", self.succeed("status", "disk/c").out)
        subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
        self.succeed(*words, ranks=2)
        self.check_history(400, "disk/c")
        self.succeed("run", file, "-q", "-d", "whole.campaign", "--max-evals", "400")
        self.assertEqual(self.digest("disk/c"), self.digest("whole.campaign"))

    @unittest.skipIf(os.getuid() != 0, "only root can become somebody else")
    def test_a_directory_that_was_moved_away_is_said(self):
        """What was acknowledged went with it."""
        self.file = self.write(slow(SOBOL, 0.05))
        running = self.start("run", self.file, "-q", ranks=2)
        self.wait_for_records(4, running)
        self.place.rename(self.folder / "moved")
        outcome = running.wait()
        self.assertEqual(outcome.code, RESOURCE, outcome)
        self.assertIn(f"was '{self.place}' moved or removed while the campaign ran?", outcome.err)
        self.succeed("verify", "moved")
        self.succeed("run", self.file, "-q", "--resume", "--directory", "moved")
        self.assertEqual(self.digest("moved"), self.reference(SOBOL))

    def test_results_that_moved_away_with_their_directory_are_not_failures(self):
        """Simulations go on in it, and write where nobody looks for them."""
        self.write("#!/bin/sh\nsleep 0.7; awk '{print \"objective\", $2}' params.in > results.out\n", "slow.sh", 0o755)
        text = ("name: fast\nmethod: random\nvariables: {x: {lower: 0, upper: 1}}\nbatch: 2\nbudget: {evaluations: 6}\n"
                "evaluate: {backend: command, command: [./slow.sh], parallel: 2%s}\n")
        for rules in "", ", pattern: ['objective=(.*)']":  # nor is a missing log one without a match
            file = self.write(text % "", "slow.yaml")
            running = self.start("run", self.write(text % rules, "now.yaml"), "-q", "-d", "gone")
            attempt = self.folder / "gone/evals/000001/attempt.json"
            self.wait_until(lambda: attempt.exists() and '"pid"' in attempt.read_text())
            (self.folder / "gone").rename(self.folder / "moved")
            outcome = running.wait()
            self.assertEqual(outcome.code, RESOURCE, outcome)
            self.assertIn("moved or removed while the campaign ran?", outcome.err)
            again = self.succeed("run", file, "-q", "--resume", "--directory", "moved")
            self.assertIn("6 evaluations done, 0 cannot run, 0 failed", again.out)
            shutil.rmtree(self.folder / "moved")

    def test_a_directory_that_may_not_be_written_is_said(self):
        wrapper = ["setpriv", "--reuid", str(NOBODY), "--clear-groups"]
        if subprocess.run([*wrapper, program.GANNET, "--version"], stdout=subprocess.DEVNULL).returncode:
            self.skipTest("no setpriv, or the program is not readable by others")
        environment = {"HOME": "/tmp"}
        outcome = self.succeed("run", self.file, "-q", wrapper=wrapper, code=RESOURCE, environment=environment)
        self.assertIn("Permission denied", outcome.err)
        self.run_half()
        outcome = self.succeed("run", self.file, "-q", "--resume", wrapper=wrapper, code=RESOURCE,
                               environment=environment)
        self.assertIn("Permission denied", outcome.err)
        for command in "status", "best", "export", "verify":
            self.succeed(command, "fast.campaign", wrapper=wrapper, environment=environment)
        self.place.chmod(0o700)
        for words in ["status"], ["best"], ["verify"], ["watch"], ["ask"], ["tell", "--id", 0, "--objective", 1]:
            outcome = self.succeed(words[0], "fast.campaign", *words[1:], wrapper=wrapper, environment=environment, code=RESOURCE)
            self.assertIn("fast.campaign': Permission denied", outcome.err)
        self.place.chmod(0o755)
        self.finish()


if __name__ == "__main__":
    program.main()
