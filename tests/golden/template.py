#!/usr/bin/python3
"""Renders every template here and in prompts/ with kforge and with Jinja2, and compares the bytes.

usage: template.py RENDER_TEMPLATE SOURCE_FOLDER

tests/golden/template/*.lines   the variables as JSON on the first line, then one template a line
tests/golden/template/*.blocks  the same, then templates of several lines, each behind "### name"
tests/golden/template/include/  templates that include each other, with the variables variables.json
prompts/templates/*.j2          each with the variables of every prompt in tests/golden/prompt/

Where Jinja2 fails, kforge has to fail, too.  The templates in refused.lines are
valid Jinja outside of kforge's subset: Jinja2 renders them, kforge has to fail.
"""
import json
import pathlib
import subprocess
import sys

import jinja2

LEAST = 150  # templates: fewer means that the corpus was not found
EXACT = 2**53  # beyond it a double skips integers


def number(text):
    """The rule of kforge: what has no fraction is an int, however it is written."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) <= EXACT else value


def load(text):
    return json.loads(text, parse_int=number, parse_float=number)


def lines(path):
    first, *templates = path.read_text().rstrip("\n").split("\n")
    for line, template in enumerate(templates, 2):
        yield {"name": f"{path.name}:{line}", "template": template, "variables": load(first)}


def blocks(path):
    first, *templates = path.read_text().split("### ")
    for block in templates:
        name, template = block.split("\n", 1)
        yield {"name": f"{path.name}: {name}", "template": template, "variables": load(first)}


def files(folder, samples):
    for sample in sorted(samples):
        variables = load(sample.read_text())
        for path in sorted(folder.glob("*.j2")):
            yield {"name": path.name, "folder": str(folder), "variables": variables}


def corpus(source):
    here = source / "tests/golden/template"
    for path in sorted(here.glob("*.lines")):
        yield from lines(path)
    for path in sorted(here.glob("*.blocks")):
        yield from blocks(path)
    yield from files(here / "include", [here / "include/variables.json"])
    yield from files(source / "prompts/templates", (source / "tests/golden/prompt").glob("*.json"))


def expected(case):
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(case.get("folder", [])),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    try:
        if "folder" in case:
            template = environment.get_template(case["name"])
        else:
            template = environment.from_string(case["template"])
        return {"output": template.render(case["variables"])}
    except (jinja2.TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        return {"error": str(error)}
    except RecursionError:
        return {"error": "recursion"}


def agrees(case, wanted, reply):
    if case["name"].startswith("refused.lines:"):
        return "output" in wanted and "error" in reply
    return ("error" in wanted) == ("error" in reply) and wanted.get("output") == reply.get("output")


def main():
    driver, source = sys.argv[1], pathlib.Path(sys.argv[2])
    cases = list(corpus(source))
    if len(cases) < LEAST:
        sys.exit(f"template.py: only {len(cases)} templates")
    result = subprocess.run(
        [driver], input=json.dumps(cases), stdout=subprocess.PIPE, text=True, check=True
    )
    replies = [json.loads(line) for line in result.stdout.split("\n")[:-1]]
    failures = 0
    for case, reply in zip(cases, replies, strict=True):
        wanted = expected(case)
        if not agrees(case, wanted, reply):
            failures += 1
            print(f"{case['name']}: {case.get('template', '')}\n  Jinja2: {wanted}\n  kforge: {reply}")
    print(f"{len(cases)} templates, {failures} differ")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
