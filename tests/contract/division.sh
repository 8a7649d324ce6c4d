#!/bin/sh
# division.sh ROOT: compile division.cpp for the host, and run it. Skipped without a compiler for C++.
set -eu
compiler=$(command -v c++ || command -v g++) || exit 77
made=$(mktemp)
trap 'rm -f "$made"' EXIT
"$compiler" -std=c++17 -O2 -ffp-contract=off -I"$1" "$1/tests/contract/division.cpp" -o "$made"
"$made"
