#!/bin/sh
# tidy.sh JOBS: all that is built, through clang with every warning, clang-tidy and cppcheck.
cmake --fresh --preset tidy >/dev/null && cmake --build --preset tidy --parallel "$1" -- -k 0 --quiet
