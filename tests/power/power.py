"""Measure the judge's power, the share of wrong kernels that it refuses.

A mutant is a problem's plain kernel with one fault: the kernel of a changed graph, or a changed text.  Each mutant is
built and judged once against the problem.  A mutant that computes the same as the problem for every input is
equivalent: equivalents.json names it with the reason, and it is not counted.  Mutants of a problem whose outputs a
constant passes, as the task lint says, are counted apart.
"""
import argparse
import collections
import concurrent.futures
import datetime
import glob
import json
import os
import queue
import random
import re
import sys

import drawn_mutations
import equality
import graph_mutations
import held_out_mutations
import kernel_mutations
import kernel_text
import late_mutations
import mistake_mutations
import report
import sizes
import trials
import worker

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

Mutant = collections.namedtuple("Mutant", "kind said source plan")
Mutations = collections.namedtuple("Mutations", "graph kernel problems")

MAIN_PROBLEMS = "prompts/problems/*.json", "tests/models/*.py"
HELD_OUT_PROBLEMS = "tests/problems/*.json", "tests/attack/problems/*.json", "tests/bench/models/*.py"
LATE_PROBLEMS = "tests/power/problems/*.json", "tests/power/problems/*.py"
SETS = {
    "main": Mutations(graph_mutations.MUTATIONS, kernel_mutations.MUTATIONS, MAIN_PROBLEMS),
    "held-out": Mutations(held_out_mutations.GRAPH_MUTATIONS, held_out_mutations.KERNEL_MUTATIONS, HELD_OUT_PROBLEMS),
    "mistakes": Mutations((), mistake_mutations.KERNEL_MUTATIONS, (*MAIN_PROBLEMS, *HELD_OUT_PROBLEMS)),
    "late": Mutations((*graph_mutations.MUTATIONS, *held_out_mutations.GRAPH_MUTATIONS),
                      (*kernel_mutations.MUTATIONS, *held_out_mutations.KERNEL_MUTATIONS,
                       *mistake_mutations.KERNEL_MUTATIONS, *drawn_mutations.KERNEL_MUTATIONS,
                       *late_mutations.KERNEL_MUTATIONS), LATE_PROBLEMS),
    "drawn": Mutations((), drawn_mutations.KERNEL_MUTATIONS, ()),  # of problems that the command names
}
NUMBER = re.compile(r" \(\d+\)$")
CONSTANTS = ("task:zero_passes", "task:constant_passes")


def evenly(items, count):
    """Choose at most `count` of the items, evenly spaced."""
    items = list(items)
    return items if len(items) <= count else [items[i * len(items) // count] for i in range(count)]


class Problem:
    """A problem, its plain kernels and their mutants."""

    def __init__(self, path, judge, limit):
        self.judge = judge
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.document = judge.describe(path)
        if limit and self.document.get("graph"):
            self.document = sizes.shrink(self.document, limit, lambda document: "error" not in judge.plain(document))
        self.plain = judge.plain(self.document)

    def mutants(self, mutations, per_kind):
        """Return at most `per_kind` mutants of each kind, each with another kernel."""
        seen = {(self.plain["source"], json.dumps(self.plain["plan"]))}
        by_kind = collections.defaultdict(list)
        for kind, said, document in graph_mutations.mutants(mutations.graph, self.document):
            written = self.judge.plain(document)
            self._add(by_kind, seen, Mutant(kind, said, written.get("source"), written.get("plan")))
        for kind, said, source in kernel_text.mutants(mutations.kernel, self.document, **self.plain):
            self._add(by_kind, seen, Mutant(kind, said, source, self.plain["plan"]))
        return [mutant for found in by_kind.values() for mutant in evenly(found, per_kind)]

    def _add(self, by_kind, seen, mutant):
        identity = mutant.source, json.dumps(mutant.plan)
        same = sum(NUMBER.sub("", other.said) == mutant.said for other in by_kind[mutant.kind])
        if mutant.source and identity not in seen:
            seen.add(identity)
            by_kind[mutant.kind].append(mutant._replace(said=f"{mutant.said} ({same + 1})" if same else mutant.said))


def equivalents():
    return {report.key(entry): entry["reason"] for entry in _read(os.path.join(HERE, "equivalents.json"))}


def _is_degenerate(verdict):
    """Tell if a constant passes as every output."""
    passing = {hazard["evidence"].split(":")[0] for hazard in verdict.get("hazards", ())
               if hazard["name"] in CONSTANTS}
    return passing >= {trial["output"] for trial in verdict["verify"]["trials"]}


def measure_problem(path, judge, options):
    """Judge all mutants of a problem; return a list of results, or one with an error."""
    problem = Problem(path, judge, options.largest)
    if "error" in problem.plain:
        return [{"problem": problem.name, "error": problem.plain["error"]}]
    judge.load(problem.document)
    verdict = judge.evaluate(**problem.plain)
    if verdict["outcome"] != "correct":
        return [{"problem": problem.name, "error": f"its plain kernel is {verdict['outcome']}: {verdict['detail']}"}]
    results = [_judged(problem, mutant, judge, _is_degenerate(verdict)) for mutant in _chosen(problem, options)]
    for result, mutant in results:
        if options.bits and result["outcome"] == "correct" and not result["degenerate"]:
            result["same_bits"] = equality.has_same_bits(judge, problem.document, tuple(problem.plain.values()),
                                                         (mutant.source, mutant.plan))
    return [result for result, _ in results]


def _judged(problem, mutant, judge, degenerate):
    verdict = judge.evaluate(mutant.source, mutant.plan)
    return {"problem": problem.name, "kind": mutant.kind, "mutant": mutant.said, "outcome": verdict["outcome"],
            "detail": verdict.get("detail", ""), "degenerate": degenerate,
            "trials": trials.by_kind(problem.document, verdict.get("verify", {}).get("trials", ()))}, mutant


def _chosen(problem, options):
    mutants = problem.mutants(SETS[options.set], options.per_kind)
    if options.sample and options.sample < len(mutants):
        return random.Random(f"{options.seed} {problem.name}").sample(mutants, options.sample)
    return mutants


class Judges:
    """Judges that are lent to threads.  One that fails is replaced."""

    def __init__(self, options):
        self.options = options
        self.free = queue.SimpleQueue()
        for _ in range(options.workers):
            self.free.put(None)

    def _new(self):
        return worker.Judge(self.options.bin, self.options.device, *["--all-trials"] * bool(self.options.trials))

    def measure(self, path):
        judge = self.free.get() or self._new()
        try:
            results = measure_problem(path, judge, self.options)
        except (RuntimeError, KeyError, BrokenPipeError) as error:
            judge.close()
            judge, results = None, [{"problem": os.path.splitext(os.path.basename(path))[0], "error": repr(error)}]
        self.free.put(judge)
        return results

    def close(self):
        for _ in range(self.options.workers):
            judge = self.free.get()
            if judge:
                judge.close()


def measure(options, known):
    """Judge the mutants of all problems, `options.workers` problems at a time."""
    patterns = SETS[options.set].problems
    paths = options.problem or sorted(path for pattern in patterns for path in glob.glob(os.path.join(ROOT, pattern)))
    judges, results = Judges(options), []
    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        for found in pool.map(judges.measure, paths):
            results += found
            _tell(found, known)
            _keep(options, results)
    judges.close()
    return results


def _tell(found, known):
    """Print errors and what was accepted."""
    for result in found:
        if "error" in result:
            print(f"{result['problem']}: {result['error']}", file=sys.stderr, flush=True)
        elif report.status(result, known) == "accepted":
            bits = {True: ", the same bits", False: ", other bits"}.get(result.get("same_bits"), "")
            print(f"{result['problem']}: {result['kind']}: {result['mutant']}: correct{bits}", file=sys.stderr,
                  flush=True)


def _read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _keep(options, results):
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


def _caption(options, results):
    judge = worker.Judge(options.bin, options.device)
    device = judge.device()
    judge.close()
    names = [result["problem"] for result in results if "error" not in result]
    problems = sum(name != before for name, before in zip(names, [None, *names]))
    size = f", at most {options.largest} steps in an operation" if options.largest else ""
    return f"{options.set.capitalize()} set: {device}, {datetime.date.today()}, {problems} problems{size}.\n\n"


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("problem", nargs="*", help="problems and models (all of the set)")
    parser.add_argument("--set", choices=SETS, default="main", help="mutations and problems (%(default)s)")
    parser.add_argument("--device", default="opencl:0", help="the device (%(default)s)")
    parser.add_argument("--per-kind", type=int, default=3, help="mutants of each kind for a problem (%(default)s)")
    parser.add_argument("--sample", type=int, help="judge only this many mutants of each problem, drawn at random")
    parser.add_argument("--seed", default="1", help="the seed of that draw (%(default)s)")
    parser.add_argument("--largest", type=int, help="shrink problems until an operation has at most this many steps")
    parser.add_argument("--bits", action="store_true", help="compare what is accepted with the plain kernels by bits")
    parser.add_argument("--trials", action="store_true", help="make all trials, and say which of them refuse mutants")
    parser.add_argument("--workers", type=int, default=1, help="problems at a time (%(default)s)")
    parser.add_argument("--bin", default=os.environ.get("KFORGE_BIN", os.path.join(ROOT, "build/release/bin")),
                        help="folder of kforge-worker and plain_writer")
    parser.add_argument("--json", help="file for all results")
    parser.add_argument("--again", help="file of results to report again, in place of judging")
    parser.add_argument("--publish", help="document whose table of this set and device is replaced")
    return parser.parse_args()


def main():
    options = _arguments()
    known = equivalents()
    results = _read(options.again) if options.again else measure(options, known)
    text = report.table(report.tally(results, known))
    print(text)
    if options.trials:
        print(trials.table(results))
    if options.publish:
        report.publish(options.publish, f"power {options.set} {options.device.split(':')[0]}",
                       _caption(options, results) + text)
    return bool(report.survivors(results, known))


if __name__ == "__main__":
    sys.exit(main())
