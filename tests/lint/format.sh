#!/bin/sh
# Checks that clang-format would change no C file.
find core backends tui tests -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run -Werror
