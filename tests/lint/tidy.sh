#!/bin/sh
# tidy.sh JOBS: all that is built, through clang with every warning, clang-tidy and cppcheck; no program is linked.
set -e
build=build/tidy
cmake --fresh --preset tidy >/dev/null
objects=$(ninja -C $build -t targets all | sed -nE '/verify_interface/!s/^(.*\.o): .*/\1/p')
# shellcheck disable=SC2086 # a word is an object
exec ninja -C $build -j "$1" -k 0 --quiet $objects
