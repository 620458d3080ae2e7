# test: labels cli timeout 300 processors 1
"""The growth of exploration by the theorems of papers, against the same numbers given by hand."""
import math

import program
from program import BRANIN, USAGE

DELTA, BOUND, CANDIDATES = 0.2, 2, 300


class Theorems(program.ProgramTest):
    def points(self, place, method, acquisition, evaluations):
        text = BRANIN.replace("candidates: 500", f"candidates: {CANDIDATES}").replace("batch: 4", "batch: 1") \
                     .replace("method: neural-bo", f"method: {method}").replace("evaluations: 24", f"evaluations: {evaluations}")
        self.write(text + f"acquisition: {acquisition}\n", place + ".yaml")
        self.succeed("run", place + ".yaml", "-q", "-d", place)
        return [(row["x1"], row["x2"]) for row in self.history(place)]

    def check(self, method, growth, exploration, evaluations):
        place = f"{method}.{growth}"
        bound = "" if growth == "gp-ucb" else f"bound: {BOUND}, "
        theorem = self.points(place, method, f"{{growth: {growth}, exploration: 1, {bound}delta: {DELTA}}}", evaluations)
        given = self.points(place + ".given", method, f"{{exploration: {exploration!r}}}", evaluations)
        self.assertEqual(len(theorem), evaluations)
        self.assertEqual(theorem, given)
        return theorem

    def test_exploration_is_that_of_the_theorem(self):
        doubt = 2 * math.log(1 / DELTA)
        self.check("neural-bo", "neural-bo", math.sqrt(2 * BOUND) + math.sqrt(doubt), 12)
        # After eight observations; the factor is another one later.
        self.check("gp-ucb", "gp-ucb", math.sqrt(2 * math.log(CANDIDATES * 8 * 8 * math.pi ** 2 / 6) + doubt), 9)

    def test_neural_cbo_needs_an_information_gain(self):
        wide = self.points("cbo", "neural-bo", f"{{growth: neural-cbo, exploration: 1, bound: {BOUND}, delta: {DELTA}}}", 10)
        self.assertNotEqual(wide, self.points("plain", "neural-bo", "{exploration: 1}", 10))
        self.write(BRANIN.replace("neural-bo", "forest-ei") + "acquisition: {growth: neural-cbo}\n", "none.yaml")
        refused = self.gannet("run", "none.yaml", "-q")
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("needs an information gain, which surrogate 'forest' does not have; choose gp or tangent-kernel", refused.err)
        self.refuses("acquisition: {growth: neural-cbo}\nsurrogate: {factor: distributed}\n",
                     "acquisition.growth: neural-cbo needs an information gain, and so the whole factor on every rank; "
                     "choose surrogate.factor replicated, or growth log")

    def refuses(self, more, told):
        self.write(BRANIN + more, "wrong.yaml")
        refused = self.gannet("run", "wrong.yaml", "--dry-run")
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn(told, refused.err)

    def test_keys_that_no_growth_uses_are_refused(self):
        self.refuses("acquisition: {bound: 3}\n", "acquisition.bound: growth none does not use it, so this would change nothing; "
                                                  "leave it out, or choose growth neural-bo or neural-cbo")
        self.refuses("acquisition: {growth: log, delta: 0.5}\n", "acquisition.delta: growth log does not use it")
        self.refuses("acquisition: {growth: gp-ucb, bound: 3}\n", "acquisition.bound: growth gp-ucb does not use it")
        self.write(BRANIN + "acquisition: {bound: 1, delta: 0.1}\n", "defaults.yaml")
        self.succeed("run", "defaults.yaml", "--dry-run")


if __name__ == "__main__":
    program.main()
