"""Holds README.md's count of wrong verdicts against the trials of new kernels in SECURITY.md: usage: trials.py ROOT.

A row of the table there has the wrong kernels, those that were accepted (after the judge was mended; at first sight), the
correct ones, and those that were refused (likewise).
"""
import re
import sys

TABLE = re.compile(r"^### Candidates that were new to the judge$.*?^((?:\|[^\n]*\n)+)", re.MULTILINE | re.DOTALL)
SAID = re.compile(r"In ([\d,]+) trials until .*? it accepted ([\d,]+) of ([\d,]+) wrong kernels that were new to it, and "
                  r"refused ([\d,]+) of ([\d,]+) correct ones")


def at_first_sight(cell):
    return int(re.search(r"\d+", cell.split(";")[-1])[0])


def totals(table):
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return (len(rows), sum(at_first_sight(row[3]) for row in rows), sum(int(row[2]) for row in rows),
            sum(at_first_sight(row[5]) for row in rows), sum(int(row[4]) for row in rows))


def main(root):
    with open(f"{root}/SECURITY.md", encoding="utf-8") as file:
        counted = totals(TABLE.search(file.read())[1])
    with open(f"{root}/README.md", encoding="utf-8") as file:
        said = SAID.search(" ".join(file.read().split()))
    if not said or tuple(int(number.replace(",", "")) for number in said.groups()) != counted:
        return "README.md: the trials in SECURITY.md make %d trials, %d of %d accepted, %d of %d refused" % counted
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
