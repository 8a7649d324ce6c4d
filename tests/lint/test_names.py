"""Tests names.py: it must accept a sound tree, and name the fault of any other."""
import sys

from lint_cases import failed

SOUND = {"tests/a.py": "import os\nimport b\nfrom p import q, ONE\nprint(os.sep, b.TWO, ONE, q.f(), b.g)\n",
         "tests/b.py": "TWO = 2\n\ndef f():\n    global g\n    g = 1\n",
         "tests/p/__init__.py": "import b\nONE = b.TWO\n", "tests/p/q.py": "from p import ONE\nf = lambda: ONE\n"}
CASES = {
    "a sound tree": (SOUND, None),
    "a module that has moved": ({**SOUND, "tests/p/q.py": "import c\n"}, "tests/p/q.py:1: there is no module c"),
    "a name of another script": ({**SOUND, "tests/b.py": "g = 2\n"}, "tests/a.py:4: tests/b.py has no TWO"),
    "an imported name": ({**SOUND, "tests/p/__init__.py": ""}, "tests/a.py:3: tests/p/__init__.py has no ONE"),
    "a name of this script": ({**SOUND, "tests/b.py": "TWO = 2\ng = lambda x: x + THREE\n"}, "tests/b.py:2: nobody defines THREE"),
}

if __name__ == "__main__":
    sys.exit(failed("names.py", CASES))
