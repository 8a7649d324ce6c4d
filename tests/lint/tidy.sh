#!/bin/sh
# tidy.sh JOBS [FILE...]: all that is built, or these files, through clang with every warning, clang-tidy and cppcheck.
set -e
jobs=$1
shift
build=build/tidy
cmake --fresh --preset tidy >/dev/null
cmake --build $build --target embedded >/dev/null
if [ $# -eq 0 ]; then
	files=$(sed -nE '/verify_interface/!s/^ *"file": "(.*)",?$/\1/p' $build/compile_commands.json)
	# shellcheck disable=SC2086 # a word is a file
	set -- $files
	[ $# -gt 0 ]
fi

# Ten at a time: it takes as long to start as for half a file.  It counts what it does not show, too, on stderr.
printf '%s\n' "$@" | xargs -P "$jobs" -n 10 clang-tidy -p $build --quiet 2>$build/tidy.log || {
	cat $build/tidy.log
	exit 1
}
exec cppcheck -j "$jobs" --quiet --error-exitcode=1 --inline-suppr --library=posix \
	--enable=warning,performance,portability -D_GNU_SOURCE -I . "$@"
