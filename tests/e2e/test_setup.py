"""Test ./run and ./check on a machine without the Debian packages, as a user who cannot install them."""
import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
NOBODY = 65534


class Setup(unittest.TestCase):
    """The scripts run as copies, with an empty package database, as a user other than root."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="kforge-setup-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.chmod(self.folder, 0o755)
        for name in ("run", "check", "setup.sh"):
            shutil.copy(os.path.join(ROOT, name), self.folder)

    def start(self, shell, *args):
        os.makedirs(os.path.join(self.folder, "dpkg/updates"), exist_ok=True)
        with open(os.path.join(self.folder, "dpkg/status"), "w", encoding="utf-8"):
            pass
        env = {**os.environ, "DPKG_ADMINDIR": os.path.join(self.folder, "dpkg")}
        become = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        return subprocess.run([shell, os.path.join(self.folder, args[0]), *args[1:]], env=env, cwd="/",
                              capture_output=True, text=True, timeout=60, check=False, **become)

    def test_without_root_the_line_to_run_is_printed(self):
        for shell in ("dash", "bash"):
            for script, last in (("run", "ncurses-term"), ("check", "python3-torch")):
                run = self.start(shell, script)
                said, line = run.stderr.splitlines()
                self.assertEqual((said, run.stdout, run.returncode),
                                 ("missing Debian packages; as root, run:", "", 5))
                self.assertTrue(line.startswith("apt-get install --no-install-recommends gcc libc6-dev cmake "), line)
                self.assertTrue(line.endswith(last), line)
                self.assertEqual(len(line.split()), len(set(line.split())), line)
                self.assertFalse(os.path.exists(os.path.join(self.folder, "build")))

    @unittest.skipUnless(os.geteuid() == 0, "the folder can be written to")
    def test_no_install_goes_on_without_packages(self):
        run = self.start("dash", "run", "--no-install", "devices")
        self.assertEqual((run.stderr, run.stdout, run.returncode),
                         (f"{self.folder}/build/release: not writable; kforge must be built there\n", "", 5))


if __name__ == "__main__":
    unittest.main(verbosity=2)
