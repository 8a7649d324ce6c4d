"""Test suites whose workers run on hosts, which are reached by the real ssh: two servers of the test on 127.0.0.1."""
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest

from kforge import KFORGE, Case
from test_slurm import free_ports

SERVER = """
Port {port}
ListenAddress 127.0.0.1
HostKey {root}/host_key
AuthorizedKeysFile {root}/user_key.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
SetEnv PATH={worker}:/usr/bin:/bin XDG_CACHE_HOME={cache} {environment}
"""
CLIENT = """
Host one two
    HostName 127.0.0.1
    IdentityFile {root}/user_key
    IdentitiesOnly yes
    UserKnownHostsFile /dev/null
    StrictHostKeyChecking no
    LogLevel ERROR
Host one
    Port {ports[0]}
Host two
    Port {ports[1]}
"""


class Hosts(Case):
    def setUp(self):
        super().setUp()
        self.keys = tempfile.mkdtemp(prefix="kforge-ssh-", dir="/tmp")
        self.addCleanup(shutil.rmtree, self.keys, ignore_errors=True)
        for name in ("host_key", "user_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.keys}/{name}"], check=True)
        os.makedirs("/run/sshd", exist_ok=True)  # sshd wants it for its unprivileged half
        self.ports = free_ports(2)
        self.servers = [self.start_server(i, port) for i, port in enumerate(self.ports)]
        # ssh(1) reads the configuration of the user database's home folder, which is not the test's.
        os.mkdir(self.path("bin"))
        self.write("ssh_config", CLIENT.format(root=self.keys, ports=self.ports))
        self.write("bin/ssh", f"#!/bin/sh\nexec /usr/bin/ssh -F {self.path('ssh_config')} \"$@\"\n", 0o755)
        self.env["PATH"] = self.path("bin") + ":" + os.environ["PATH"]

    def start_server(self, index, port):
        names = ("OCL_", "POCL_", "KFORGE_", "ASAN_", "LSAN_", "UBSAN_")
        environment = " ".join(f"{name}={value}" for name, value in self.env.items() if name.startswith(names))
        config = os.path.join(self.keys, f"sshd{index}")
        with open(config, "w", encoding="utf-8") as file:
            file.write(SERVER.format(port=port, root=self.keys, worker=os.path.dirname(KFORGE),
                                     cache=self.env["XDG_CACHE_HOME"], environment=environment))
        server = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", config], stderr=subprocess.DEVNULL,
                                  stdin=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return server

    def test_hosts_have_queues_and_one_that_is_gone_is_set_aside(self):
        """Both hosts get a task; then one is gone: its task goes to the other one, and nothing is lost."""
        model = self.write("model", "#!/bin/sh\necho x >>began\nwhile [ ! -e go ]; do sleep 0.05; done\necho no idea\n", 0o755)
        arm = {"name": "only", "agent": "command:" + model, "functional": 1, "timing_limit": 0.1}
        suite = self.write("suite.json", json.dumps({"kforge": 1, "name": "small", "problems": ["twice_relu.json"],
                                                     "arms": [arm], "repeats": 2, "on": "ssh:one,two"}))
        self.write("began", "")
        run = self.spawn("suite", "run", "--headless", suite, "--jobs", "1", stdout=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        while os.path.getsize(self.path("began")) < len("x\nx\n"):
            self.assertIsNone(run.poll())
            time.sleep(0.05)
        self.write("go", "")
        output, _ = run.communicate(timeout=90)
        self.assertEqual(run.returncode, 0, output)
        (folder,) = os.listdir(self.path("data/kforge/suites"))
        with open(self.path(f"data/kforge/suites/{folder}/events.jsonl"), encoding="utf-8") as file:
            hosts = [event["host"] for event in map(json.loads, file) if event["type"] == "task.started"]
        self.assertEqual(sorted(hosts), ["one", "two"])
        self.servers[0].kill()
        self.servers[0].wait()
        run = self.kforge("suite", "run", "--headless", suite)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(run.stdout.count("host one does not answer"), 1, run.stdout)
        self.assertIn("2 of 2 tasks ended, 0 failed", run.stdout)
        gone = self.kforge("suite", "run", "--headless", suite, "--on", "ssh:one")
        self.assertEqual(gone.returncode, 5, gone.stdout)
        self.assertIn("0 of 2 tasks ended, 0 failed", gone.stdout)
        again = self.kforge("suite", "resume", "--headless", "--on", "ssh:two")
        self.assertEqual(again.returncode, 0, again.stdout)
        self.assertIn("2 of 2 tasks ended, 0 failed", again.stdout)


if __name__ == "__main__":
    unittest.main()
