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
        theorem = self.points(place, method, f"{{growth: {growth}, exploration: 1, bound: {BOUND}, delta: {DELTA}}}", evaluations)
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


if __name__ == "__main__":
    program.main()
