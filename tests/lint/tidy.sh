#!/bin/sh
# All that is built, through clang with every warning, clang-tidy and cppcheck.
cmake --fresh --preset tidy >/dev/null && cmake --build --preset tidy -- -k 0 --quiet
