"""Test the measurement of the judge's power: usage: test_power.py FOLDER_OF_PROGRAMS"""
import collections
import os
import sys
import tempfile
import unittest

import equality
import graph_mutations
import held_out_mutations
import kernel_mutations
import kernel_text
import late_mutations
import mistake_mutations
import reach
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


def graph_of(*nodes, dims=None, tolerance="f32", **tensors):
    """Return a problem of nodes ("op", operands, result, {attributes}) and inputs {name: (shape, fill)}."""
    return {"dims": dims or {}, "tolerance": {"class": tolerance},
            "tensors": {name: {"role": "input", "dtype": "f32", "shape": shape, "fill": fill}
                        for name, (shape, fill) in tensors.items()},
            "graph": [{"op": op, "in": operands, "out": out, **more} for op, operands, out, more in nodes]}


class NoFaults(unittest.TestCase):
    """Changes that change no result, or none that counts, are no mutants."""

    NORMAL = {"normal": [0, 1]}

    def test_values_that_are_never_negative(self):
        document = graph_of(("mul", ["x", "x"], "a", {}), ("mean", ["a"], "b", {}), ("add", ["b", 1e-6], "c", {}),
                            ("sub", ["x", "b"], "d", {}), ("clamp", ["x"], "e", {"max": 1}),
                            ("sub", ["x", "e"], "f", {}), ("log_softmax", ["x"], "g", {}), ("neg", ["g"], "h", {}),
                            x=([8, 4], self.NORMAL))
        self.assertEqual(reach.Reach(document, {}).positive, {"a", "b", "c", "f", "h"})

    def test_values_that_few_bits_represent(self):
        document = graph_of(("cumsum", ["one"], "a", {}), ("mul", ["a", 0.5], "b", {}), ("div", ["a", 5], "c", {}),
                            ("gt", ["x", 0], "d", {}), ("cast", ["d"], "e", {"dtype": "f32"}), ("log", ["m"], "f", {}),
                            ("mul", ["x", "m"], "g", {}), one=([20], {"constant": 1}), x=([8], self.NORMAL),
                            m=([8], {"mask": 0.5}))
        self.assertEqual(reach.Reach(document, {}).short, {"one", "m", "a", "b", "d", "e", "f"})

    def test_values_that_are_rounded_anyway(self):
        document = graph_of(("exp", ["x"], "a", {}), ("cast", ["a"], "b", {"dtype": "bf16"}),
                            ("mul", ["b", 3], "c", {}), ("abs", ["x"], "d", {}), ("cast", ["d"], "e", {"dtype": "f16"}),
                            x=([8], self.NORMAL))
        found = reach.Reach(document, {})
        self.assertEqual(found.coarse, {"a", "b", "c"})
        self.assertEqual([name for name in "abcd" if found.is_rounded_next(name)], ["a", "d"])

    def test_a_norm_of_few_numbers_is_bounded(self):
        nodes = (("mul", ["x", "x"], "a", {}), ("mean", ["a"], "b", {"dim": -1}), ("add", ["b", 1e-6], "c", {}),
                 ("rsqrt", ["c"], "d", {}), ("mul", ["x", "d"], "y", {}))
        for n, is_free in ((40, False), (4000, True)):
            document = graph_of(*nodes, x=([8, n], self.NORMAL), a=([8, n], {}))
            self.assertIs("y" in reach.Reach(document, {}).free, is_free)

    def test_operations_without_an_order(self):
        for first, second, count in (("mul", "mul", 0), ("cast", "cast", 0), ("sub", "add", 0), ("mean", "add", 0),
                                     ("add", "mul", 1), ("mean", "mul", 1)):
            document = graph_of((first, ["x", 2], "a", {"dtype": "f32"}), (second, ["a", 3], "y", {"dtype": "f32"}),
                                x=([8], self.NORMAL))
            found = list(held_out_mutations.commuted_operations(document, 0, document["graph"][0]))
            self.assertEqual(len(found), count, (first, second))

    def test_operations_of_their_own_result(self):
        for node, is_mutant in (({"op": "max", "keepdim": True}, False), ({"op": "cumsum", "dim": 0}, True),
                                ({"op": "slice", "end": 3}, False), ({"op": "slice", "start": 1}, True),
                                ({"op": "log_softmax"}, False), ({"op": "exp"}, True)):
            document = {"graph": [{**node, "in": ["x"], "out": "y"}]}
            found = list(held_out_mutations.doubled_operation(document, 0, document["graph"][0]))
            self.assertEqual(bool(found), is_mutant, node)

    def test_differences_whose_sign_is_not_used(self):
        for op, is_mutant in (("abs", False), ("exp", True)):
            document = {"graph": [{"op": "sub", "in": ["x", "z"], "out": "d"}, {"op": op, "in": ["d"], "out": "y"}]}
            found = list(graph_mutations.swapped_operands(document, 0, document["graph"][0]))
            self.assertEqual(bool(found), is_mutant, op)


class NoFaultsInKernels(unittest.TestCase):
    """As NoFaults, in the text of kernels."""

    @staticmethod
    def mutants(mutation, text, op="softmax", fill=None, tolerance="f32", dims=None):
        document = graph_of((op, ["x"], "y", {}), dims={"N": 32, **(dims or {})}, tolerance=tolerance,
                            x=([7, "N"], fill or {"normal": [0, 1]}), y=([7, "N"], {}))
        plan = {"launches": [{"kernel": "k_0", "global": [7, "N"]}]}
        kernel = kernel_text.Kernel("k_0", text, document, plan)
        return [said for said, *_ in mutation(kernel)]

    def test_only_loops_that_accumulate_repeat_a_step(self):
        for body, count in (("most = larger(most, x);", 0), ("total = total + x;", 1), ("total += x;", 1),
                            ("p_y[j] = x;", 0), ("{ total[r][c] *= x; }", 1)):
            text = f"float most = 0, total = 0, total[2][2];\nfor (int j = 0; j < N; j++) {body}"
            self.assertEqual(len(self.mutants(held_out_mutations.repeated_step, text)), count, body)

    def test_a_maximum_of_bounded_numbers_only_shifts(self):
        text = ("float most = -INFINITY;\nfor (int j = 0; j < N; j++)\n    most = larger(most, p_x[j]);\n"
                "float total = 0;\nfor (int j = 0; j < N; j++)\n    total += exp(p_x[j] - most);\n")
        mutation = held_out_mutations.skipped_step
        said = "without the third step: for (int j = 0; j < N; j++)"
        self.assertEqual(self.mutants(mutation, text), [said, f"{said} (2)"])
        self.assertEqual(self.mutants(mutation, text, fill={"uniform": [0, 1]}), [f"{said} (2)"])

    def test_sizes_that_are_always_multiples(self):
        text = "    const int i = get_global_id(0);\n"
        self.assertEqual(self.mutants(held_out_mutations.wrong_at_some_sizes, text), [])
        self.assertEqual(len(self.mutants(held_out_mutations.wrong_at_some_sizes, text, dims={"N": 9})), 1)

    def test_one_group_of_heads_or_one_of_each_head(self):
        for heads, groups, count in ((8, 1, 0), (8, 8, 0), (8, 2, 1)):
            found = self.mutants(mistake_mutations.wrong_head_of_group, "i1 / (HEADS / KV)",
                                 dims={"HEADS": heads, "KV": groups})
            self.assertEqual(len(found), count)

    def test_class_mixed_rounds_loads_and_scales(self):
        text = "__global float *p_x, __global float *p_y\n    p_y[i] = p_x[i];\n"
        for mutation in (held_out_mutations.rounded_loads, held_out_mutations.scaled_result,
                         mistake_mutations.half_intermediate):
            self.assertEqual(len(self.mutants(mutation, text, op="exp")), 1)
            self.assertEqual(self.mutants(mutation, text, op="exp", tolerance="mixed"), [])

    def test_late_kinds_need_room(self):
        total = "for (int j = 0; j < 40; j++) {\n    total = total + p_x[j];\n}\np_y[i] = total;"
        for mutation, text, count in ((late_mutations.sampled_sum, total, 1), (late_mutations.early_end, total, 1),
                                      (late_mutations.early_end, total.replace("40", "8"), 0),
                                      (late_mutations.exchanged_stores, total, 1),
                                      (late_mutations.short_literal, "x * 0.044715f + 0.5f", 1)):
            self.assertEqual(len(self.mutants(mutation, text)), count, mutation.__name__)

    def test_an_operand_of_one_row_has_no_stride(self):
        text = "for (int k = 0; k < 1; k++)\n    total += p_x[k * N + i1];"
        self.assertEqual(self.mutants(mistake_mutations.wrong_stride, text), [])
        self.assertEqual(len(self.mutants(mistake_mutations.wrong_stride, text.replace("k < 1", "k < 7"))), 1)


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
