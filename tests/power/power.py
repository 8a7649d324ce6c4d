"""Measure the judge's power, the share of wrong kernels that it refuses.

A mutant is a problem's plain kernel with one fault: the kernel of a changed graph, or a changed text.  Each mutant is
built and judged once against the problem.  A mutant that computes the same as the problem for every input is
equivalent, and equivalents.json names it with the reason; it is not counted.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import queue
import random
import subprocess
import sys

import graph_mutations
import kernel_mutations

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

Mutant = collections.namedtuple("Mutant", "problem kind said source plan")


class Child:
    """A child process that answers each line of JSON with one or more lines of JSON."""

    def __init__(self, *argv):
        self.process = subprocess.Popen(argv, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args[0]} ended")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()


class Worker(Child):
    def ask(self, what, **members):
        self.send({"id": 1, "do": what, **members})
        while True:
            answer = self.receive()
            if answer["event"] == "error":
                raise RuntimeError(answer["error"])
            if answer["event"] == "result":
                return answer

    def judge(self, language, source, plan):
        """Return outcome and detail of one evaluation."""
        candidate = {"language": language, "source": source, "plan": plan, "remark": ""}
        verdict = self.ask("evaluate", candidate=candidate)["verdict"]
        return verdict["outcome"], verdict.get("detail", "")


def evenly(items, count):
    """Choose at most `count` of the items, evenly spaced."""
    items = list(items)
    return items if len(items) <= count else [items[i * len(items) // count] for i in range(count)]


class Problem:
    """A problem, its plain kernels and their mutants."""

    def __init__(self, path, worker, writer):
        self.name = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".py"):
            self.document = worker.ask("describe", model=text, file=os.path.basename(path))["problem"]
        else:
            self.document = json.loads(text)
        self.text = json.dumps(self.document)
        self.writer = writer
        self.plain = self.write(self.document)

    def write(self, document):
        self.writer.send(document)
        return self.writer.receive()

    def mutants(self, per_kind):
        """Yield at most `per_kind` mutants of each kind, each with another kernel."""
        seen = {(self.plain["source"], self.plain["plan"])}
        by_kind = collections.defaultdict(list)
        for kind, said, document in graph_mutations.mutants(self.document):
            written = self.write(document)
            self._add(by_kind, seen, kind, said, written.get("source"), written.get("plan"))
        for kind, said, source in kernel_mutations.mutants(self.document, self.plain["source"]):
            self._add(by_kind, seen, kind, said, source, self.plain["plan"])
        for found in by_kind.values():
            yield from evenly(found, per_kind)

    def _add(self, by_kind, seen, kind, said, source, plan):
        if source and (source, plan) not in seen:
            seen.add((source, plan))
            by_kind[kind].append(Mutant(self.name, kind, said, source, plan))


def equivalents():
    with open(os.path.join(HERE, "equivalents.json"), encoding="utf-8") as file:
        return {(e["problem"], e["kind"], e["mutant"]): e["reason"] for e in json.load(file)}


def measure_problem(path, options):
    """Judge all mutants of a problem; return a list of results, or one with an error."""
    worker = Worker(os.path.join(options.bin, "kforge-worker"), "--device", options.device,
                    "--timing-limit", "0.1")
    writer = Child(os.path.join(options.bin, "plain_writer"), options.language)
    name = os.path.splitext(os.path.basename(path))[0]
    results = []
    try:
        problem = Problem(path, worker, writer)
        if "error" in problem.plain:
            return [{"problem": name, "error": problem.plain["error"]}]
        worker.ask("load", problem=problem.text, file=os.path.basename(path))
        outcome, detail = worker.judge(options.language, problem.plain["source"], problem.plain["plan"])
        if outcome != "correct":
            return [{"problem": name, "error": f"its plain kernel is {outcome}: {detail}"}]
        for mutant in _chosen(problem, options):
            outcome, detail = worker.judge(options.language, mutant.source, mutant.plan)
            results.append({"problem": name, "kind": mutant.kind, "mutant": mutant.said, "outcome": outcome,
                            "detail": detail})
        return results
    except (RuntimeError, KeyError) as error:
        return [*results, {"problem": name, "error": str(error)}]
    finally:
        worker.close()
        writer.close()


def _chosen(problem, options):
    mutants = list(problem.mutants(options.per_kind))
    if options.sample and options.sample < len(mutants):
        return random.Random(f"{options.seed} {problem.name}").sample(mutants, options.sample)
    return mutants


def measure(options):
    """Judge the mutants of all problems, `options.workers` problems at a time."""
    paths = options.problem or sorted(glob.glob(os.path.join(ROOT, "prompts/problems/*.json"))
                                      + glob.glob(os.path.join(ROOT, "tests/models/*.py")))
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        for found in pool.map(lambda path: measure_problem(path, options), paths):
            for result in found:
                said = result.get("error") or f"{result['kind']}: {result['mutant']}: {result['outcome']}"
                if "error" in result or result["outcome"] == "correct":
                    print(f"{result['problem']}: {said}", file=sys.stderr, flush=True)
            results += found
            _keep(options, results)
    return results


def _keep(options, results):
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


def tally(results, known):
    """Return {kind: [refused, counted, equivalent]}."""
    kinds = collections.defaultdict(lambda: [0, 0, 0])
    for r in results:
        if "error" in r:
            continue
        row = kinds[r["kind"]]
        if r["outcome"] == "correct" and (r["problem"], r["kind"], r["mutant"]) in known:
            row[2] += 1
        else:
            row[1] += 1
            row[0] += r["outcome"] != "correct"
    return dict(sorted(kinds.items()))


def table(kinds):
    rows = [("mutation", "mutants", "refused", "equivalent"), ("---", "---", "---", "---")]
    rows += [(kind, counted, refused, same) for kind, (refused, counted, same) in kinds.items()]
    refused, counted, same = (sum(row[i] for row in kinds.values()) for i in range(3))
    rows.append(("**all**", counted, f"{refused} ({100 * refused / max(1, counted):.1f} %)", same))
    return "".join("| " + " | ".join(map(str, row)) + " |\n" for row in rows)


def survivors(results, known):
    return [r for r in results if r.get("outcome") == "correct" and (r["problem"], r["kind"], r["mutant"]) not in known]


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("problem", nargs="*", help="problems and models (all shipped problems and tests/models)")
    parser.add_argument("--device", default="opencl:0", help="the device (%(default)s)")
    parser.add_argument("--per-kind", type=int, default=3, help="mutants of each kind for a problem (%(default)s)")
    parser.add_argument("--sample", type=int, help="judge only this many mutants of each problem, drawn at random")
    parser.add_argument("--seed", default="1", help="the seed of that draw (%(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="problems at a time (%(default)s)")
    parser.add_argument("--bin", default=os.environ.get("KFORGE_BIN", os.path.join(ROOT, "build/release/bin")),
                        help="folder of kforge-worker and plain_writer")
    parser.add_argument("--json", help="file for all results")
    options = parser.parse_args()
    options.language = options.device.split(":")[0]
    return options


def main():
    options = _arguments()
    known = equivalents()
    results = measure(options)
    text = table(tally(results, known))
    print(text)
    return bool(survivors(results, known))


if __name__ == "__main__":
    sys.exit(main())
