# test: labels cli timeout 120
"""The comparison of several campaigns: one page with their courses, best designs and settings."""
import os
import pathlib
import shutil
import sys
import unittest

import program
from program import SOBOL
from test_report import FAILING, MIXED, data_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from browser import Browser

TWO = """\
name: {name}
method: random
variables: {{x: {{lower: 0, upper: 1}}, y: {{lower: 0, upper: 1}}}}
objectives: {{mass: {{threshold: 5}}, drag: {{threshold: 5}}}}
batch: 10
budget: {{evaluations: {n}}}
evaluate:
  backend: command
  shell: |
    awk '/^x/ {{x = $2}} /^y/ {{y = $2}} END {{printf "mass %.9f\\ndrag %.9f\\n", x + y, 1 - x + y}}' params.in > results.out
"""


class Compare(program.ProgramTest):
    def compare(self, *names):
        self.succeed("report", *names)
        return data_of((self.folder / "comparison.html").read_text())

    def test_one_summary_for_each(self):
        self.succeed("run", self.write(SOBOL), "-q")
        self.succeed("run", self.write(SOBOL.replace("name: fast", "name: other").replace("method: sobol", "method: random")), "-q")
        data = self.compare("fast.campaign", "other.campaign")
        self.assertEqual([one["directory"] for one in data["campaigns"]], ["fast.campaign", "other.campaign"])
        for one in data["campaigns"]:
            self.succeed("report", one["directory"])
            alone = data_of((self.folder / one["directory"] / "report.html").read_text())["summary"]
            self.assertEqual([one[key] for key in ("best", "trace", "variables")], [alone[key] for key in ("best", "trace", "variables")])
        self.succeed("report", "fast.campaign", "other.campaign", "-o", "both.html")
        self.assertIn("<title>fast, other - gannet</title>", (self.folder / "both.html").read_text())

    def test_what_is_refused(self):
        self.succeed("run", self.write(SOBOL), "-q")
        shutil.copytree(self.folder / "fast.campaign", self.folder / "copy.campaign")
        os.symlink("fast.campaign", self.folder / "link")
        for words, complaint in ((("fast.campaign", "nowhere.campaign"), "nowhere.campaign"), (("fast.campaign", "copy.campaign", "--figures", "here"), "has no figures; name one campaign"),
                                 (("fast.campaign", "copy.campaign", "-o", "no/such.html"), "no/such.html"),
                                 (("fast.campaign", "copy.campaign", "link"), "'fast.campaign' and 'link' are the same campaign; name each campaign once"),
                                 (["fast.campaign"] * 21, "a comparison shows at most 20 campaigns, and 21 directories are given")):
            refused = self.gannet("report", *words)
            self.assertEqual(refused.code, program.USAGE, refused)
            self.assertIn(complaint, refused.err)
        self.assertFalse((self.folder / "comparison.html").exists())

    def table(self, browser, section):
        return browser.ask(f'[...document.querySelectorAll("#{section} tr")].map((line) => [...line.cells].map((cell) => cell.textContent))')

    def look(self, browser):
        browser.open((self.folder / "comparison.html").as_uri())
        browser.wait_for("document.body.dataset.ready")
        self.assertEqual(browser.complaints, [])

    @unittest.skipIf("GANNET_SANITIZE" in os.environ, "another compilation writes the same page")
    @unittest.skipUnless(shutil.which("chromium"), "there is no chromium")
    def test_a_browser_shows_it(self):
        self.write(FAILING, "fail.sh", 0o755)
        self.succeed("run", self.write(MIXED), "-q")
        self.succeed("run", self.write(MIXED.replace("name: fast", "name: other").replace("upper: 20", "upper: 15").replace("fins: ", "ribs: ")), "-q")
        self.succeed("run", self.write(SOBOL.replace("name: fast", "name: third")), "-q")
        with Browser(self.folder) as browser:
            data = self.compare("fast.campaign", "other.campaign")
            self.look(browser)
            (shown,) = browser.ask('[...document.querySelectorAll("#courses .chart")].map((one) => echarts.getInstanceByDom(one).getOption().series.map((s) => [s.name, s.data]))')
            self.assertEqual(shown, [[one["campaign"]["name"], [[step[0], step[2]] for step in one["trace"]] + [[48, one["trace"][-1][2]]]] for one in data["campaigns"]])
            facts = self.table(browser, "facts")
            self.assertEqual([line[0] for line in facts], ["campaign", "fast", "other"])
            best = [float(one["best"][0]["objective"]) for one in data["campaigns"]]
            self.assertEqual([float(line[1]) for line in facts[1:]], [float(f"{value:.8g}") for value in best])
            self.assertRegex(browser.ask('document.querySelector("#lead").textContent'), rf"^Best objective: \S+, {['fast', 'other'][best.index(max(best))]}, evaluation \d+ of 48\.$")
            designs = {line[0]: line[1:] for line in self.table(browser, "designs")[1:]}
            self.assertEqual([designs["fins"][1], designs["ribs"][0]], ["–", "–"])
            self.assertEqual(designs["solver"], [one["best"][0]["x"][2] for one in data["campaigns"]])
            settings = {line[0]: line[1:] for line in self.table(browser, "settings")[1:]}
            self.assertEqual(set(settings), {"constraints.stress", "variables.fins", "variables.ribs"})
            self.assertRegex(settings["constraints.stress"][1], "upper: 15")
            self.compare("fast.campaign", "third.campaign")
            self.look(browser)
            self.assertIn("different objectives or goals: fast: maximize objective; third: minimize objective", browser.ask('document.querySelector("#lead").textContent'))
            shutil.copytree(self.folder / "fast.campaign", self.folder / "copy.campaign")
            self.compare("fast.campaign", "copy.campaign")
            self.look(browser)
            self.assertIn("are equal, apart from the name", browser.ask('document.querySelector("#settings .note").textContent'))
            for name, n in (("two", 30), ("more", 60)):
                self.succeed("run", self.write(TWO.format(name=name, n=n)), "-q")
            data = self.compare("two.campaign", "more.campaign")
            browser.resize(390, dark=True)
            self.look(browser)
            self.assertEqual(browser.ask("document.documentElement.scrollWidth"), 390)
            (points,) = browser.ask('[...document.querySelectorAll("#fronts .chart")].map((one) => echarts.getInstanceByDom(one).getOption().series.map((s) => s.data.length))')
            self.assertEqual(points, [len(one["front"]["ids"]) for one in data["campaigns"]])
            references = [[o["reference"] for o in one["front"]["objectives"]] for one in data["campaigns"]]
            self.assertRegex(browser.ask('document.querySelector("#lead").textContent'), "^Largest hypervolume: .*" + (
                r"All have the reference point \w+ " if references[0] == references[1] else "have different reference points"))
            self.assertEqual([line[2] for line in self.table(browser, "facts")], ["designs of the front", *(str(len(one["front"]["ids"])) for one in data["campaigns"])])


if __name__ == "__main__":
    program.main()
