#!/bin/sh
# Checks that every shell script is POSIX and passes shellcheck.
set -e
find run check setup.sh .ci/run tests -type f \( -name '*.sh' -o ! -name '*.*' \) -exec \
	grep -lE '^#(!/bin/sh| shellcheck shell=sh)' {} + | while read -r script; do
	dash -n "$script"
	shellcheck -x "$script"
done
