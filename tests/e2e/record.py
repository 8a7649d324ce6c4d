#!/usr/bin/env python3
"""Record a session for prompts/sessions on this machine, with the real judge.

    record.py KFORGE FOLDER PROBLEM [REPLIES [OPTION...]]

FOLDER is replaced.  The built-in agents write the kernels.  With REPLIES, a scripted server sends the files 1.md, 2.md,
... of that folder in this order instead. The options are those of `kforge run`, in place of --optimize 2.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


@contextlib.contextmanager
def served(replies, home):
    """Run a server that sends the replies; yield its address."""
    entries = [{"reply_file": str(path.resolve()), "usage": None} for path in sorted(replies.glob("*.md"))]
    script = home / "script.json"
    script.write_text(json.dumps(entries), encoding="utf-8")
    with subprocess.Popen([sys.executable, HERE / "chat_server.py", script, "--until-eof"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        yield f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        server.stdin.close()


def record(kforge, folder, run_args, env):
    run = subprocess.run([kforge, "run", *run_args, "--headless"], env=env, text=True, stdout=subprocess.PIPE,
                         check=False)
    print(run.stdout)
    session = re.search(r"session (\S+):", run.stdout)[1]
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([kforge, "export", session, folder, "--recording"], env=env, check=True)


def main():
    kforge, folder, problem, *replies = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="kforge-record-") as home:
        env = dict(os.environ, HOME=home, XDG_DATA_HOME=home + "/data", XDG_CONFIG_HOME=home + "/config",
                   no_proxy="127.0.0.1")
        if not replies:
            record(kforge, folder, [problem, "--optimize", "6"], env)
            return
        with served(pathlib.Path(replies[0]), pathlib.Path(home)) as url:
            env["OPENAI_BASE_URL"] = url
            options = replies[1:] or ["--optimize", "2"]
            record(kforge, folder, [problem, *options, "--agent", "openai:written-by-hand"], env)


if __name__ == "__main__":
    main()
