# test: labels cli timeout 120 processors 1
"""Campaigns that choose from a list of designs: each once, exactly as listed, and clear words for bad lists."""
import csv
import io
import json
import random
import re
import shutil

import program
from program import BRANIN, FINISHED, SOBOL, USAGE

LISTED = BRANIN.replace("seed: 7\n", "seed: 7\ncandidates: pool.csv\n")
PLAIN = SOBOL.replace("seed: 7\n", "seed: 7\ncandidates: pool.csv\n")


def table(n, seed=1):
    """n points of the box of Branin with digits that do not survive a change of units."""
    numbers = random.Random(seed)
    return [(repr(numbers.uniform(-5, 10)), repr(numbers.uniform(0, 15))) for _ in range(n)]


class Candidates(program.ProgramTest):
    def write_pool(self, rows):
        text = "sample,x2,x1\n" + "".join(f'"alloy, {i}",{y},{x}\n' for i, (x, y) in enumerate(rows))
        return self.write(text, "pool.csv")

    def evaluated(self):
        lines = self.succeed("export", "fast.campaign").out.splitlines()
        names = lines[0].split(",")
        at = [names.index("x1"), names.index("x2")]
        return [tuple(float(line.split(",")[i]) for i in at) for line in lines[1:]]

    def test_every_design_is_one_of_the_list_and_no_design_comes_twice(self):
        rows = table(300)
        self.write_pool(rows)
        self.succeed("run", self.write(LISTED), "-q", ranks=2)
        found = self.evaluated()
        self.assertEqual(len(found), 24)
        self.assertEqual(len(set(found)), 24)
        self.assertLessEqual(set(found), {(float(x), float(y)) for x, y in rows})

    def test_the_campaign_ends_with_the_list(self):
        rows = table(13) + table(5)  # the last five are repeated
        self.write_pool(rows)
        outcome = self.succeed("run", self.write(LISTED), "-q", ranks=3)
        self.assertEqual(outcome.code, FINISHED)
        self.assertEqual(sorted(self.evaluated()), sorted((float(x), float(y)) for x, y in table(13)))
        self.assertIn("13 proposed of 13:", self.succeed("status", "fast.campaign").out)
        self.assertIn("13 of 13, 100 %", self.succeed("watch", "fast.campaign", "--once").out)

    def test_a_resumed_campaign_goes_on_in_the_list(self):
        self.write_pool(table(200))
        file = self.write(LISTED)
        self.succeed("run", file, "-q", "--max-evals", "12")
        self.succeed("run", file, "-q", "--resume", ranks=2)
        whole = self.evaluated()
        self.succeed("run", file, "-q", "-d", "other.campaign")
        self.assertEqual(self.digest(), self.digest("other.campaign"))
        self.assertEqual(len(set(whole)), 24)

    def test_a_list_that_was_changed_is_said_on_a_resume(self):
        rows = table(60)
        self.write_pool(rows)
        file = self.write(LISTED)
        self.succeed("run", file, "-q", "--max-evals", "4")
        self.write_pool(rows + table(20, 2))
        outcome = self.succeed("run", file, "-q", "--resume", "--max-evals", "5")
        self.assertNotIn("has changed", outcome.err)
        self.write_pool(table(60, 3))
        outcome = self.succeed("run", file, "-q", "--resume", "--max-evals", "6")
        self.assertIn("the list of candidates has changed: 5 designs", outcome.err)

    def test_other_columns_are_shown_with_the_results(self):
        rows = table(40)
        names = [f'alloy, {i} "new"' for i in range(40)]
        text = ",x2,id,x1,name,\"a\nb\",name,objective\n" + "".join(
            f'{i},{y},M{i},{x},"alloy, {i} ""new""",gr\u00fcn,,\n' for i, (x, y) in enumerate(rows))
        self.write(text + text.splitlines()[-1].replace("M39", "again") + "\n", "pool.csv")
        outcome = self.succeed("run", self.write(PLAIN), "-q", ranks=2)
        lines = list(csv.DictReader(io.StringIO(self.succeed("export", "fast.campaign").out)))
        added = ["candidates.1", "candidates.id", "name", "a b", "candidates.name", "candidates.objective"]
        self.assertEqual(list(lines[0])[-6:], added)
        self.assertEqual(len(lines), 24)
        for row in lines:
            i = rows.index((repr(float(row["x1"])), repr(float(row["x2"]))))
            self.assertEqual([row[name] for name in added], [str(i), f"M{i}", names[i], "gr\u00fcn", "", ""])
        best = json.loads(self.succeed("best", "fast.campaign", "-f", "json").out)[0]
        self.assertEqual(best["name"], names[int(best["candidates.1"])])
        self.assertIsNone(best["candidates.name"])
        self.assertIn(f"name = {best['name']}\n", outcome.out)
        self.assertIn(best["name"], self.succeed("best", "fast.campaign").out)
        self.assertIn(best["name"], self.succeed("best", "fast.campaign", "--recommended").out)
        self.succeed("report", "fast.campaign")
        page = (self.folder / "fast.campaign" / "report.html").read_text()
        data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL).group(1))["summary"]
        self.assertEqual(data["labels"], added)
        self.assertEqual(data["best"][0]["labels"][:3], [best[name] for name in added[:3]])
        (self.folder / "pool.csv").unlink()
        outcome = self.succeed("best", "fast.campaign")
        self.assertIn("no names from the list of candidates", outcome.err)
        self.assertEqual(len(outcome.out.splitlines()), 2)

    def test_who_asks_by_hand_is_told_the_names(self):
        self.write_pool(table(20))
        file = self.write(PLAIN.replace("backend: function, simulation: branin, parallel: 4", "backend: manual"))
        rows = list(csv.DictReader(io.StringIO(self.succeed("ask", file).out)))
        pool = list(csv.DictReader(io.StringIO((self.folder / "pool.csv").read_text())))
        for row in rows:
            listed, = (one for one in pool if one["sample"] == row["sample"])
            self.assertEqual([float(row[x]) for x in ("x1", "x2")], [float(listed[x]) for x in ("x1", "x2")])

    def test_designs_beside_the_list_do_not_end_it(self):
        """They count in the budget; the list has others left."""
        self.write_pool(table(10))
        file = self.write(PLAIN.replace("backend: function, simulation: branin, parallel: 4", "backend: manual"))
        for i in range(4):
            self.succeed("tell", file, "--point", f"x1={i}.5", "--point", "x2=1.25", "--objective", i)
        for count, finished in ((6, False), (4, True)):
            for row in csv.DictReader(io.StringIO(self.succeed("ask", file, "--count", count).out)):
                self.succeed("tell", file, "--id", row["id"], "--objective", 1)
            self.assertEqual("finished" in self.succeed("watch", "fast.campaign", "--once").out, finished)

    def test_who_asks_for_more_than_is_left_gets_what_is_left(self):
        """Then is told that it is over, as by a run, and nothing comes twice."""
        self.write_pool(table(10))
        file = self.write(PLAIN.replace("backend: function, simulation: branin, parallel: 4", "backend: manual"))
        few = PLAIN.replace("candidates: pool.csv\n", "noise: 0\n").replace("backend: function, simulation: branin, parallel: 4", "backend: manual") \
                   .replace("x1: {lower: -5, upper: 10}", "x1: {type: integer, lower: 1, upper: 5}") \
                   .replace("x2: {lower: 0, upper: 15}", "x2: {type: boolean}")
        self.assertIn("boolean", few)
        for text, why in ((file.read_text(), "list of candidates"), (few, "noise: 0")):
            file = self.write(text)
            points = []
            for count, ranks, n in (6, 0, 6), (6, 2, 4):
                outcome = self.succeed("ask", file, "--count", count, ranks=ranks)
                rows = list(csv.DictReader(io.StringIO(outcome.out)))
                points += [(row["x1"], row["x2"]) for row in rows]
                self.assertEqual(len(rows), n)
                self.assertEqual(outcome.err.count("6 designs were asked for, but only 4 are left"), n < count)
                self.assertEqual(why in outcome.err, n < count)
            self.assertEqual(len(set(points)), 10)
            before = (self.folder / "fast.campaign" / "journal").read_bytes()
            for ranks in 0, 2:
                outcome = self.succeed("ask", file, "--count", 1, ranks=ranks, code=USAGE)
                self.assertRegex(outcome.err, f"no design is left.*{why}")
                self.assertEqual(outcome.out, "")
            self.assertEqual((self.folder / "fast.campaign" / "journal").read_bytes(), before)
            shutil.rmtree(self.folder / "fast.campaign")

    def test_a_run_counts_up_to_what_can_be_reached(self):
        self.write_pool(table(6) * 2)
        few = SOBOL.replace("seed: 7\n", "seed: 7\nnoise: 0\n").replace("x1: {lower: -5, upper: 10}", "x1: {type: integer, lower: 1, upper: 3}") \
                   .replace("x2: {lower: 0, upper: 15}", "x2: {type: boolean}")
        for text in PLAIN, few, few.replace("budget: {evaluations: 24}", "budget: {wall_time: 1m}"):
            outcome = self.succeed("run", self.write(text))
            self.assertRegex(outcome.err, "batch 0: 4/6 evaluations.*(?s:.*)batch 1: 6/6 evaluations")
            shutil.rmtree(self.folder / "fast.campaign")
        outcome = self.succeed("run", self.write(PLAIN), "--max-evals", 4)
        self.assertIn("batch 0: 4/4 evaluations", outcome.err)
        outcome = self.succeed("run", self.write(PLAIN), "--resume")
        self.assertIn("6/6 evaluations", outcome.err)

    def fails(self, *words, ranks=0):
        outcome = self.gannet("run", self.write(LISTED), "-q", ranks=ranks)
        self.assertEqual(outcome.code, USAGE, outcome)
        for word in words:
            self.assertIn(word, outcome.err)

    def test_bad_lists_are_explained(self):
        self.fails("pool.csv", "No such file")
        self.write("", "pool.csv")
        self.fails("pool.csv", "empty")
        self.write("x1,x3\n1,2\n", "pool.csv")
        self.fails("no column 'x2'")
        self.write("x1,x2,x1\n1,2,3\n", "pool.csv")
        self.fails("two columns are named 'x1'")
        self.write("x1,x2\n1,2\n1\n", "pool.csv")
        self.fails("row 2 has 1 columns")
        self.write("x1,x2\n1,2\n3,abc\n", "pool.csv")
        self.fails("row 2", "abc", ranks=2)
        self.write("x1,x2\n1,2\n3,99\n", "pool.csv")
        self.fails("candidate 2", "99")
        self.write('x1,x2\n1,"2\n', "pool.csv")
        self.fails("pool.csv")
        self.write("x1,x2\n", "pool.csv")
        self.fails("no rows")


if __name__ == "__main__":
    program.main()
