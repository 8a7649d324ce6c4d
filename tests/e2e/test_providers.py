"""Test models without a server, servers behind proxies and certificates, and the secrecy of the API key."""
import base64
import glob
import os
import pty
import re
import signal
import subprocess
import sys
import time
import unittest

from kforge import ADVICE, BROKEN, HERE, KFORGE, RIGHT, Case, hurried

MODEL = ("--headless", "--optimize", "0", "--agent", "openai:scripted")


class Command(Case):
    """A program in the role of a model."""

    def test_any_program_can_write_kernels(self):
        self.write("right.md", RIGHT)
        self.write("advice.md", ADVICE)
        model = self.write("model", "#!/bin/sh\nif grep -q bottleneck; then cat advice.md; else cat right.md; fi\n",
                           0o755)
        run = self.kforge("run", self.problem, "--headless", "--optimize", "1", "--agent", "command:" + model)
        self.assertIn(run.returncode, (0, 1), run.stderr + run.stdout)
        self.assertEqual(self.git("log", "-1", "--format=%an", self.branch()).strip(), "command:" + model)

    def test_a_failing_command_leaves_the_session_to_be_resumed(self):
        run = self.kforge("run", self.problem, "--headless", "--agent", "command:echo no quota >&2; exit 7")
        self.assertEqual(run.returncode, 5)
        self.assertIn("exited with 7: no quota", run.stderr)
        self.assertIn("kforge resume", run.stdout)


class Manual(Case):
    """A person at a terminal copies prompts to a model and its replies back."""

    def start(self):
        """Start kforge in a new terminal; return its process id and the terminal."""
        self.seen = b""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.root)
            os.execve(KFORGE, [KFORGE, *hurried(("run", self.problem, "--headless", "--optimize", "0", "--agent",
                                                 "manual:" + self.path("chat")))], self.env)
        self.addCleanup(os.close, terminal)
        return pid, terminal

    def read_until(self, terminal, pattern):
        """Read until the pattern matches the output so far."""
        while not (match := re.search(pattern, self.seen)):
            self.seen += os.read(terminal, 65536)
        return match

    def test_the_prompt_is_on_the_clipboard_and_the_reply_in_a_file(self):
        pid, terminal = self.start()
        copied = self.read_until(terminal, rb"\033\]52;c;([A-Za-z0-9+/=]+)\a")
        (prompt,) = glob.glob(self.path("chat/prompt-*.md"))
        with open(prompt, "rb") as file:
            self.assertEqual(base64.b64decode(copied[1]), file.read())
        self.read_until(terminal, rb"write the reply to (reply-[0-9a-f]+\.md)")
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        self.write(prompt.replace("prompt-", "reply-"), RIGHT)
        (session,) = self.sessions()
        resumed = self.kforge("resume", session, "--headless")
        self.assertEqual(resumed.returncode, 1, resumed.stderr)
        self.assertEqual(len(self.events("candidate.kept")), 1)


class Network(Case):
    """A server with a certificate of an unknown authority, behind a proxy."""

    def openssl(self, *args):
        subprocess.run(["openssl", *args], cwd=self.root, check=True, capture_output=True)

    def make_certificate(self):
        """Make a certificate for the server, signed by a new authority (authority.pem)."""
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        self.write("names", "subjectAltName = IP:127.0.0.1\n")
        self.openssl("req", "-x509", *key, "-keyout", "authority.key", "-out", "authority.pem", "-subj", "/CN=authority")
        self.openssl("req", *key, "-keyout", "server.key", "-out", "request", "-subj", "/CN=server")
        self.openssl("x509", "-req", "-in", "request", "-CA", "authority.pem", "-CAkey", "authority.key",
                     "-CAcreateserial", "-extfile", "names", "-out", "server.pem")
        with open(self.path("server.key"), encoding="ascii") as key, \
             open(self.path("server.pem"), encoding="ascii") as certificate:
            return self.write("server", key.read() + certificate.read())

    def start_proxy(self):
        proxy = subprocess.Popen([sys.executable, os.path.join(HERE, "proxy.py"), self.path("proxied")],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.stop, proxy)
        port = proxy.stdout.readline().strip()
        self.env.update(no_proxy="", NO_PROXY="", http_proxy=f"http://127.0.0.1:{port}",
                        https_proxy=f"http://127.0.0.1:{port}")

    def proxied(self):
        with open(self.path("proxied"), encoding="ascii") as log:
            return log.read()

    def test_a_certificate_has_to_be_trusted(self):
        self.start_model({"reply": RIGHT}, tls=self.make_certificate())
        run = self.kforge("run", self.problem, *MODEL)
        self.assertEqual(run.returncode, 5)
        self.assertIn("has a certificate that is not trusted; check CURL_CA_BUNDLE", run.stderr)
        (session,) = self.sessions()
        for variable in ("CURL_CA_BUNDLE", "SSL_CERT_FILE"):
            self.env[variable] = self.path("authority.pem")
            run = self.kforge("resume", session, "--headless")
            self.assertEqual(run.returncode, 1, run.stderr)
            del self.env[variable]

    def test_a_proxy_forwards_what_is_plain(self):
        self.start_model({"reply": RIGHT})
        self.start_proxy()
        run = self.kforge("run", self.problem, *MODEL)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("POST " + self.env["OPENAI_BASE_URL"], self.proxied())

    def test_a_proxy_tunnels_what_is_not(self):
        self.start_model({"reply": RIGHT}, tls=self.make_certificate())
        self.start_proxy()
        self.env["CURL_CA_BUNDLE"] = self.path("authority.pem")
        run = self.kforge("run", self.problem, *MODEL)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("CONNECT 127.0.0.1:", self.proxied())
        self.assertNotIn("sk-marked", self.proxied())

    def test_a_proxy_that_is_not_there_is_named(self):
        self.start_model({"reply": RIGHT})
        self.env.update(no_proxy="", NO_PROXY="", http_proxy="http://127.0.0.1:9")
        run = self.kforge("run", self.problem, *MODEL)
        self.assertEqual(run.returncode, 5)
        self.assertIn("refuses the connection; check the address and the proxy", run.stderr)


class Secrets(Case):
    """The API key is a marked text, which must not appear in processes, files or the repository."""

    KEY = "sk-marked-secret"

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("tmp"))
        self.own_cache("roofs")
        self.env.update(KFORGE_API_KEY_ENV="OUR_MODEL", OUR_MODEL=self.KEY, ANTHROPIC_API_KEY=self.KEY, http_proxy="",
                        HTTPS_PROXY=f"http://ada:{self.KEY}@127.0.0.1:9",
                        TMPDIR=self.path("tmp"), PATH=os.path.dirname(KFORGE) + ":" + os.environ["PATH"])

    @staticmethod
    def read_process(pid, name):
        try:
            with open(f"/proc/{pid}/{name}", "rb") as file:
                return file.read()
        except OSError:  # it has ended, or is not readable for its user
            return b""

    def descendants(self, pid):
        """Return all descendants of a process."""
        for child in self.read_process(pid, f"task/{pid}/children").split():
            yield int(child)
            yield from self.descendants(int(child))

    def watch(self, *args):
        """Run kforge, and collect the command line and the environment of all its processes."""
        seen = {}
        with open(self.path("said"), "w", encoding="utf-8") as said:
            run = self.spawn(*args, stdout=said, stderr=said)
        while run.poll() is None:
            own = self.read_process(run.pid, "cmdline")
            self.assertNotIn(self.KEY.encode(), own)
            for pid in self.descendants(run.pid):
                before, environment, command = (self.read_process(pid, name)
                                                for name in ("cmdline", "environ", "cmdline"))
                # After fork and before exec a process is still kforge; one that has ended has no command.
                if before not in (b"", own) and command:
                    command = command.replace(b"\0", b" ").decode()
                    seen[command] = seen.get(command, b"") + environment
            time.sleep(0.005)
        return run.returncode, seen

    def assert_unseen(self, seen, *kinds):
        """Check that processes of each kind have run, and that none had the key."""
        for kind in kinds:
            self.assertTrue([command for command in seen if kind in command], f"no {kind} in {list(seen)}")
        for command, environment in seen.items():
            self.assertNotIn(self.KEY, command)
            self.assertNotIn(self.KEY.encode(), environment, command)

    def assert_nowhere(self):
        """Check that no file below home, temporary folder and cache has the key, and no object of the repository."""
        self.assertEqual(subprocess.run(["grep", "-raFl", self.KEY, self.root], check=False,
                                        capture_output=True, text=True).stdout, "")
        objects = subprocess.run(["git", "-C", self.path("data/kforge/history.git"), "cat-file", "--batch",
                                  "--batch-all-objects"], check=True, capture_output=True).stdout
        self.assertIn(b"twice_relu", objects)
        self.assertNotIn(self.KEY.encode(), objects)

    def test_the_key_goes_to_the_server_and_nowhere_else(self):
        worker = self.write("worker", '#!/bin/sh\ngrep "Max core file size" /proc/$PPID/limits >seen.core\n'
                                      'exec "$@"\n', 0o755)
        self.start_model({"status": 429, "headers": {"Retry-After": "0"}, "body": f"{self.KEY} is too fast"},
                         {"reply": BROKEN}, {"reply": RIGHT}, {"reply": ADVICE}, {"reply": RIGHT})
        status, seen = self.watch("run", self.problem, "--headless", "--optimize", "1", "--worker", worker,
                                  "--agent", "openai:scripted")
        with open(self.path("said"), encoding="utf-8") as said:
            said = said.read()
        self.assertIn(status, (0, 1), said)
        self.assertIn("*** is too fast", said)
        self.assert_unseen(seen, "kforge-worker", "--executor")
        with open(self.path("requests.jsonl"), encoding="utf-8") as log:
            self.assertIn("Bearer " + self.KEY, log.read())
        os.unlink(self.path("requests.jsonl"))
        os.unlink(self.path("script.json"))
        with open(self.path("seen.core"), encoding="utf-8") as limit:
            self.assertEqual(limit.read().split()[4:6], ["0", "0"])
        (session,) = self.sessions()
        self.kforge("export", session, "exported")
        self.kforge("export", session, "recording", "--recording")
        for name in ("data/kforge/history.git", "cache", ".local/state/kforge/kforge.log", "exported/README.md",
                     "recording/events.jsonl"):
            self.assertTrue(os.path.exists(self.path(name)), name)
        self.assert_nowhere()

    def test_a_stranger_s_python_has_no_key(self):
        _, seen = self.watch("lint", self.write("model.py", "import time\ntime.sleep(0.3)\n"))
        self.assert_unseen(seen, "kforge-worker", "bridge.py")

    def test_a_command_has_the_key_and_tells_it_to_nobody(self):
        """The command is the engineer's own program, and may need the key."""
        self.write("right.md", RIGHT)
        model = "sleep 0.2; test $OUR_MODEL && cat right.md"
        status, seen = self.watch("run", self.problem, "--headless", "--optimize", "0", "--agent", "command:" + model)
        self.assertEqual(status, 1)
        asked = [command for command in seen if "right.md" in command or command.startswith("sleep")]
        self.assertTrue(asked)
        self.assert_unseen({command: seen[command] for command in seen if command not in asked}, "kforge-worker")
        self.assert_nowhere()


if __name__ == "__main__":
    unittest.main(verbosity=2)
