"""The judge of a device, and a writer of plain kernels, as child processes that speak lines of JSON."""
import json
import os
import subprocess


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


class Judge:
    """A worker on one device, and a writer of plain kernels in the device's language."""

    def __init__(self, folder, device, *options):
        self.language = device.split(":")[0]
        self.worker = Child(os.path.join(folder, "kforge-worker"), "--device", device, "--timing-limit", "0.05",
                            "--tune-choices", "1", *options)
        self.writer = Child(os.path.join(folder, "plain_writer"), self.language)

    def ask(self, what, **members):
        self.worker.send({"id": 1, "do": what, **members})
        while True:
            answer = self.worker.receive()
            if answer["event"] == "error":
                raise RuntimeError(answer["error"])
            if answer["event"] == "result":
                return answer

    def describe(self, path):
        """Return the problem of a file as a document: JSON as it is, PyTorch by the bridge."""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if not path.endswith(".py"):
            return json.loads(text)
        return self.ask("describe", model=text, file=os.path.basename(path))["problem"]

    def plain(self, document):
        """Return {"source", "plan"} of a problem's plain kernels, or {"error"}."""
        self.writer.send(document)
        written = self.writer.receive()
        if "plan" in written and isinstance(written["plan"], str):
            written["plan"] = json.loads(written["plan"])
        return written

    def load(self, document):
        self.ask("load", problem=json.dumps(document), file=document["name"] + ".json")

    def evaluate(self, source, plan):
        """Return the verdict of one evaluation.  PoCL compiles in half the time without its optimizer."""
        if self.language == "opencl":
            plan = {**plan, "build": [*plan.get("build", []), "-cl-opt-disable"]}
        candidate = {"language": self.language, "source": source, "plan": json.dumps(plan), "remark": ""}
        return self.ask("evaluate", candidate=candidate)["verdict"]

    def device(self):
        return self.ask("hello")["device"]["name"]

    def close(self):
        self.worker.close()
        self.writer.close()
