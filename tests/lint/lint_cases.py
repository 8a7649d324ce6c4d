"""Functions that the tests of lints share: each runs its lint on small trees."""
import os
import subprocess
import sys
import tempfile


def said(lint, files):
    """Run a lint of this folder on a tree of `files` (path: text); return its messages, or None if it passes."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        lint = os.path.join(os.path.dirname(os.path.abspath(__file__)), lint)
        run = subprocess.run([sys.executable, "-B", lint, root], capture_output=True, text=True, check=False)
        return run.stderr if run.returncode else None


def failed(lint, cases):
    """Print each case (name: files, and a part of the messages or None) in which the lint does not say what it should."""
    failures = 0
    for name, (files, expected) in cases.items():
        got = said(lint, files)
        if (got is None) != (expected is None) or (expected and expected not in got):
            print(f"{lint}: {name}: expected {expected!r}, got {got!r}", file=sys.stderr)
            failures += 1
    return failures > 0
