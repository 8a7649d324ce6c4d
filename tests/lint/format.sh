#!/bin/sh
# Every C file is as clang-format leaves it.
find core backends tui tests -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run -Werror
