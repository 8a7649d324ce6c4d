"""Test the measurement of the judge's power: usage: test_power.py FOLDER_OF_PROGRAMS"""
import collections
import os
import sys
import tempfile
import unittest

import equality
import kernel_mutations
import kernel_text
import mistake_mutations
import report
import sizes
import trials
import worker

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PREFIX = os.path.join(ROOT, "tests/attack/problems/prefix.json")


class Bits(unittest.TestCase):
    """A kernel has the same bits as itself, and a sum in another order has others."""

    @classmethod
    def setUpClass(cls):
        cls.judge = worker.Judge(FOLDER, "opencl:0", "--all-trials")
        cls.document = sizes.shrink(cls.judge.describe(PREFIX), 500, lambda _: True)
        written = cls.judge.plain(cls.document)
        cls.plain = written["source"], written["plan"]

    @classmethod
    def tearDownClass(cls):
        cls.judge.close()

    def compare(self, change):
        return equality.has_same_bits(self.judge, self.document, self.plain, (change(self.plain[0]), self.plain[1]))

    def test_a_kernel_has_its_own_bits(self):
        self.assertIs(self.compare(lambda source: source.replace("running + x", "x + running")), True)

    def test_a_rounding_changes_bits(self):
        self.assertIs(self.compare(lambda source: source.replace("running + x", "(float)(running + 1e-6f) + x")), False)

    def test_trials_go_on_after_a_wrong_one(self):
        self.judge.load(self.document)
        verdict = self.judge.evaluate(self.plain[0].replace("running + x", "running + x + 1"), self.plain[1])
        self.assertEqual(verdict["outcome"], "wrong_values")
        found = trials.by_kind(self.document, verdict["verify"]["trials"])
        self.assertGreater(sum(found.values()), 4)
        self.assertTrue(found[trials.MAIN] and found["outliers"])

    def test_mistakes_have_a_place_where_sizes_vary(self):
        mutants = list(kernel_text.mutants(mistake_mutations.KERNEL_MUTATIONS, self.document, *self.plain))
        self.assertEqual({kind for kind, _, _ in mutants},
                         {"half intermediate", "vector tail lost", "wrong stride", "lost carry", "floored grid",
                          "first batch always"})

    def test_every_mutant_is_another_kernel(self):
        mutants = list(kernel_text.mutants(kernel_mutations.MUTATIONS, self.document, *self.plain))
        self.assertGreater(len({kind for kind, _, _ in mutants}), 8)
        self.assertEqual(len({source for _, _, source in mutants} | {self.plain[0]}), len(mutants) + 1)


class Sizes(unittest.TestCase):
    def test_a_problem_shrinks_and_its_sums_do_not(self):
        tensors = {"w": {"role": "param", "shape": ["N", "K"], "fill": {"normal": [0, 0.5]}},
                   "y": {"role": "output", "shape": ["N"]}}
        document = {"dims": {"N": 64, "K": 256}, "tensors": tensors, "graph": [{"op": "sum"}], "also": [{"K": 100}]}
        small = sizes.shrink(document, 64 * 64, lambda _: True)
        self.assertEqual(small["dims"], {"N": 64, "K": 64})
        self.assertEqual(small["tensors"]["w"]["fill"], {"normal": [0, 1]})
        self.assertEqual(small["also"], [{"K": 25}])


class Trials(unittest.TestCase):
    def test_a_trial_has_a_size_or_a_variation(self):
        document = {"dims": {"N": 9}, "also": [{"N": 3}]}
        made = [{"output": output, "dims": dims, "seed_id": seed, "mismatched": mismatched}
                for dims, seed, mismatched in (("N=3", 0, 0), ("N=3, ties and sorted rows", 1, 2), ("N=9", 0, 1),
                                               ("N=9", 1, 0))
                for output in "yz"]
        self.assertEqual(trials.by_kind(document, made),
                         {"further sizes": False, "ties and sorted rows": True, "main size": True,
                          "main size, other seeds": False})

    def test_a_table_says_what_refuses_alone(self):
        results = [{"outcome": "wrong_values", "trials": {"a": True, "b": True}},
                   {"outcome": "wrong_values", "trials": {"a": False, "b": True}},
                   {"outcome": "crashed", "trials": {"a": True}}]
        self.assertIn("| a | 2 | 1 | 0 |\n| b | 2 | 2 | 1 |", trials.table(results))


class Report(unittest.TestCase):
    def test_intervals_are_exact(self):
        for successes, trials, low, high in ((7, 20, 0.1539, 0.5922), (0, 10, 0, 0.3085), (400, 400, 0.9908, 1),
                                             (1980, 2000, 0.9846, 0.9939)):
            found = report.interval(successes, trials)
            self.assertAlmostEqual(found[0], low, places=4)
            self.assertAlmostEqual(found[1], high, places=4)

    def test_equivalents_and_degenerate_problems_do_not_count(self):
        def result(mutant, outcome, **more):
            return {"problem": "p", "kind": "k", "mutant": mutant, "outcome": outcome, **more}
        results = [result("a", "wrong_values"), result("b", "correct"), result("c", "correct"),
                   result("d", "correct", degenerate=True), result("e", "build_failed"),
                   {"problem": "q", "error": "no graph"}]
        kinds = report.tally(results, {("p", "k", "b"): "it is the same"})
        self.assertEqual(kinds["k"], collections.Counter(refused=1, accepted=1, equivalent=1, degenerate=1, invalid=1))
        self.assertEqual([r["mutant"] for r in report.survivors(results, {("p", "k", "b")})], ["c"])

    def test_a_table_takes_its_place(self):
        with tempfile.NamedTemporaryFile("w+", encoding="utf-8") as file:
            file.write("before\n<!-- x: begin -->\nold\n<!-- x: end -->\nafter\n")
            file.flush()
            report.publish(file.name, "x", "new")
            with open(file.name, encoding="utf-8") as changed:
                self.assertEqual(changed.read(), "before\n<!-- x: begin -->\nnew\n<!-- x: end -->\nafter\n")


if __name__ == "__main__":
    FOLDER = sys.argv.pop(1)
    unittest.main()
