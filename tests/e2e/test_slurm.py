"""Test suites on a real Slurm of one node, which the test starts with its own folders, ports and keys."""
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from kforge import Case

CONFIG = """
ClusterName=kforge
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={root}/munge.socket
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool
SlurmctldPidFile={root}/slurmctld.pid
SlurmdPidFile={root}/slurmd.pid
SlurmctldLogFile={root}/slurmctld.log
SlurmdLogFile={root}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
KillWait=5
SchedulerParameters=sched_interval=1,bf_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
# The agent of the tests: it waits for the file "go" and then answers without a kernel, which takes no build.
MODEL = "#!/bin/sh\necho \"$SLURM_ARRAY_TASK_ID\" >>began\nwhile [ ! -e go ]; do sleep 0.05; done\necho no idea\n"


def free_ports(count):
    """Return ports that nobody listens on now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


class Slurm(Case):
    """munged, slurmctld and slurmd of Debian, as the user of the test, without systemd and cgroups."""

    def setUp(self):
        super().setUp()
        # Paths of sockets are short.
        self.slurm = tempfile.mkdtemp(prefix="kforge-slurm-", dir="/tmp")
        self.addCleanup(shutil.rmtree, self.slurm, ignore_errors=True)
        self.daemons = []
        self.addCleanup(self.end_daemons)
        for folder in ("state", "spool"):
            os.mkdir(self.at(folder))
        self.make_key()
        controller_port, node_port = free_ports(2)
        self.host = socket.gethostname().partition(".")[0]
        with open(self.at("slurm.conf"), "w", encoding="utf-8") as file:
            file.write(CONFIG.format(host=self.host, user=self.user(), root=self.slurm,
                                     controller_port=controller_port, node_port=node_port))
        self.env["SLURM_CONF"] = self.at("slurm.conf")
        self.start_daemon("munged", "--foreground", "--force", "--num-threads=1", "--key-file", self.at("munge.key"),
                          "--socket", self.at("munge.socket"), "--pid-file", self.at("munged.pid"),
                          "--log-file", self.at("munged.log"), "--seed-file", self.at("munge.seed"))
        self.wait_for(lambda: os.path.exists(self.at("munge.socket")), "munged's socket")
        self.start_daemon("slurmctld", "-D", "-i")
        self.start_daemon("slurmd", "-D", "-N", self.host)
        self.wait_for(lambda: "idle" in self.command("sinfo", "-h", "-o", "%t", check=False), "an idle node")

    @staticmethod
    def user():
        return subprocess.run(["id", "-un"], check=True, capture_output=True, text=True).stdout.strip()

    def at(self, name):
        return os.path.join(self.slurm, name)

    def make_key(self):
        with open(self.at("munge.key"), "wb") as file:
            file.write(os.urandom(128))
        os.chmod(self.at("munge.key"), 0o600)

    def start_daemon(self, *args):
        env = dict(self.env, PATH=os.environ["PATH"] + ":/usr/sbin")
        self.daemons.append(subprocess.Popen(args, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL))

    def end_daemons(self):
        """End the jobs' processes, then slurmd, slurmctld and munged."""
        if len(self.daemons) >= 2:
            self.write("go", "")
            self.command("scancel", "-u", self.user(), check=False)
            self.command("scancel", "--signal=KILL", "--full", "-u", self.user(), check=False)
            deadline = time.monotonic() + 20
            while self.command("squeue", "-h", check=False) and time.monotonic() < deadline:
                time.sleep(0.2)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def command(self, *args, check=True):
        return subprocess.run(args, env=self.env, cwd=self.root, text=True, capture_output=True, check=check,
                              timeout=60).stdout

    def succeeds(self, *args):
        return subprocess.run(args, env=self.env, capture_output=True, check=False, timeout=60).returncode == 0

    def wait_for(self, is_true, what):
        deadline = time.monotonic() + 60
        while not is_true():
            self.assertLess(time.monotonic(), deadline, f"no {what}\n{self.logs()}")
            time.sleep(0.05)

    def logs(self):
        text = ""
        for name in ("munged.log", "slurmctld.log", "slurmd.log"):
            with contextlib.suppress(FileNotFoundError), open(self.at(name), encoding="utf-8") as file:
                text += f"== {name}\n" + "".join(file.readlines()[-20:])
        return text

    def suite_folder(self):
        (suite,) = os.listdir(self.path("data/kforge/suites"))
        return self.path(f"data/kforge/suites/{suite}")

    def journal(self):
        with open(os.path.join(self.suite_folder(), "events.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def record(self, task):
        with contextlib.suppress(FileNotFoundError), \
                open(os.path.join(self.suite_folder(), f"tasks/{task}.json"), encoding="utf-8") as file:
            return json.load(file)
        return {}

    def began(self):
        with contextlib.suppress(FileNotFoundError), open(self.path("began"), encoding="utf-8") as file:
            return file.read().split()
        return []

    def write_suite(self, **members):
        model = self.write("model", MODEL, 0o755)
        arm = {"name": "only", "agent": "command:" + model, "functional": 1, "timing_limit": 0.1}
        return self.write("suite.json", json.dumps({"kforge": 1, "name": "small", "problems": ["twice_relu.json"],
                                                    "arms": [arm], **members}))

    def open_screen(self):
        """Open the suite on a screen as another machine does, which shares nothing but the data folder."""
        home = self.path("elsewhere")
        env = dict(self.env, HOME=home, TERM="xterm-256color",
                   **{f"XDG_{name}_HOME": f"{home}/{name}" for name in ("STATE", "CACHE", "CONFIG")})
        env.pop("SLURM_CONF")
        subprocess.run(["tmux", "-S", self.at("tmux"), "new-session", "-d", "-x", "100", "-y", "30",
                        f"exec {os.environ['KFORGE']} suite open"], env=env, check=True)
        self.addCleanup(self.command, "tmux", "-S", self.at("tmux"), "kill-server", check=False)

    def screen_says(self, words):
        self.wait_for(lambda: words in self.command("tmux", "-S", self.at("tmux"), "capture-pane", "-p"), f"screen with {words}")

    def requeued_runs_again(self, job, began):
        """Slurm lets a requeued job wait for two minutes; one that starts in the second of the requeue is refused."""
        self.wait_for(lambda: "PENDING" in self.command("squeue", "-h", "-r", "-o", "%K %T"), "requeued task")
        self.command("scontrol", "update", f"JobId={job}_0", "StartTime=now+2seconds")
        self.wait_for(lambda: len(self.began()) == began, "task that runs again")

    def test_a_requeued_task_goes_on_with_its_session(self):
        """
        A task is interrupted, and handed over again; the other reaches its time limit, and is requeued, which a
        preemption does too; the suite's process is killed.  A screen elsewhere follows.
        """
        run = self.spawn("suite", "run", "--headless", self.write_suite(repeats=2), "--on", "slurm:--time=10")
        self.addCleanup(run.kill)
        self.wait_for(lambda: len(self.began()) == 2, "two tasks that run")
        job = self.job()
        self.open_screen()
        self.screen_says("2 run")
        (task,) = self.processes(f"suite task {os.path.basename(self.suite_folder())} 2 ")
        os.kill(task, signal.SIGTERM)
        self.wait_for(lambda: [e["type"] for e in self.journal()].count("suite.submitted") == 2, "second submission")
        self.wait_for(lambda: len(self.began()) == 3, "interrupted task that runs again")
        run.send_signal(signal.SIGKILL)
        run.wait()
        self.command("scontrol", "requeue", f"{job}_0")
        self.wait_for(lambda: self.record(1).get("exit") == 130, f"interrupted task: {self.record(1)}")
        self.wait_for(lambda: "PENDING" in self.command("squeue", "-h", "-r", "-o", "%K %T"), "requeued task")
        status = json.loads(self.kforge("suite", "status", "--json").stdout)
        self.assertEqual([(t["task"], t["state"]) for t in status["open"]], [(1, "queued"), (2, "runs")])
        self.assertEqual(status["open"][1]["host"], socket.gethostname())
        self.requeued_runs_again(job, 4)
        self.command("scancel", "--signal=USR1", "--batch", f"{job}_0")
        self.requeued_runs_again(job, 5)
        self.assertEqual(self.record(1)["runs"], 3)
        self.write("go", "")
        resumed = self.kforge("suite", "resume", "--headless")
        self.assertEqual(resumed.returncode, 0, resumed.stdout + resumed.stderr + self.logs())
        self.assertIn("2 of 2 tasks ended", resumed.stdout)
        self.screen_says("2 of 2 ended")
        events = self.journal()
        self.assertEqual([e["type"] for e in events].count("suite.submitted"), 2)
        suite = os.path.basename(self.suite_folder())
        self.assertEqual({(e["task"], e["session"], e["result"]) for e in events if e["type"] == "task.ended"},
                         {(1, suite + "-1", "incorrect"), (2, suite + "-2", "incorrect")})
        self.assertEqual(self.sessions(), [suite + "-1", suite + "-2"])
        for session in self.sessions():
            with open(self.path(f"data/kforge/sessions/{session}/events.jsonl"), encoding="utf-8") as file:
                kinds = [json.loads(line)["type"] for line in file]
            self.assertEqual((kinds.count("session.opened"), kinds.count("session.closed")), (1, 1))

    def job(self):
        self.wait_for(lambda: "suite.submitted" in [e["type"] for e in self.journal()], "event of the submission")
        return [e["job"] for e in self.journal() if e["type"] == "suite.submitted"][-1]

    def boot_time(self):
        return re.search(r"SlurmdStartTime=(\S+)", self.command("scontrol", "show", "node", self.host)).group(1)

    @staticmethod
    def processes(words):
        """Return the ids of processes in whose command line the words stand."""
        found = subprocess.run(["pgrep", "-f", words], capture_output=True, text=True, check=False).stdout
        return [int(pid) for pid in found.split()]

    @staticmethod
    def parent(pid):
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return int(file.read().rpartition(")")[2].split()[1])

    def kill_node(self):
        """End slurmd and all that it runs, as a power failure does."""
        slurmd = self.daemons.pop()
        slurmd.kill()
        slurmd.wait()
        scripts = self.processes(self.slurm + "/spool")
        # Slurm's own process first, which would tell the controller of the end of the script.
        for pid in [self.parent(pid) for pid in scripts] + scripts:
            os.kill(pid, signal.SIGKILL)
        for pid in self.processes("suite task " + os.path.basename(self.suite_folder()) + " ") + self.processes(
                self.root + "/model"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.command("scontrol", "update", "NodeName=" + self.host, "State=DOWN", "Reason=power")

    def test_a_node_that_dies_and_a_cancelled_task_are_told(self):
        """The task goes on where Slurm runs it again; the cancelled one is tried again by resume; a refusal is told."""
        run = self.spawn("suite", "run", "--headless", self.write_suite(repeats=2), "--on", "slurm", "--jobs", "1",
                         stdout=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        self.wait_for(lambda: len(self.began()) == 1, "task that runs")
        self.wait_for(lambda: "task.started" in [e["type"] for e in self.journal()], "task that was seen to run")
        booted = self.boot_time()
        self.kill_node()
        self.wait_for(lambda: self.succeeds("scontrol", "hold", self.job() + "_0"), "task that is held")
        self.command("scancel", self.job() + "_1")
        self.wait_for(lambda: "task.failed" in [e["type"] for e in self.journal()], "cancelled task")
        self.start_daemon("slurmd", "-D", "-N", self.host)
        # The controller still has an order for the old slurmd, to end the task.
        self.wait_for(lambda: self.boot_time() > booted, "slurmd that is registered")
        self.wait_for(lambda: "idle" in self.command("sinfo", "-h", "-o", "%T"), "idle node")
        self.wait_for(lambda: re.search(r"Agent queue size:\s+0\nAgent count:\s+0\n", self.command("sdiag")), "idle controller")
        self.command("scontrol", "release", self.job() + "_0")
        self.command("scontrol", "update", f"JobId={self.job()}_0", "StartTime=now+2seconds")
        self.write("go", "")
        output, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 5, output)
        self.assertIn(f"repeat 1: Slurm requeued it from {self.host}", output)
        self.assertIn("repeat 1: nothing correct, 1 attempt", output)
        self.assertIn("repeat 2: failed: Slurm ended it on no node: CANCELLED", output)
        record = self.record(1)
        self.assertEqual((record["runs"], record["lost_on"], record["exit"]), (2, socket.gethostname(), 3))
        resumed = self.kforge("suite", "resume", "--headless")
        self.assertEqual(resumed.returncode, 0, resumed.stdout + resumed.stderr)
        self.assertIn("2 of 2 tasks ended, 0 failed", resumed.stdout)
        self.assertEqual(len(self.sessions()), 2)
        refused = self.kforge("suite", "run", "--headless", self.write_suite(), "--on", "slurm:--partition=nowhere")
        self.assertEqual(refused.returncode, 5, refused.stdout)
        self.assertIn("kforge: sbatch: sbatch: error: invalid partition specified: nowhere\n", refused.stderr)


if __name__ == "__main__":
    unittest.main()
