#!/bin/sh
# Every shell script is POSIX, and clean under shellcheck.
set -e
find run check setup.sh .ci/run tests -type f \( -name '*.sh' -o ! -name '*.*' \) -exec \
	grep -lE '^#(!/bin/sh| shellcheck shell=sh)' {} + | while read -r script; do
	dash -n "$script"
	shellcheck -x "$script"
done
