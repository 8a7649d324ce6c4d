#!/bin/sh
# tidy.sh JOBS [FILE...]: run clang-tidy, clang with all warnings, and cppcheck on the files, or on the program's files.
# Tests are left out, because they run with sanitizers and would take a quarter of the time.
set -e
jobs=$1
shift
build=build/tidy
cmake --fresh --preset tidy >/dev/null
cmake --build $build --target embedded >/dev/null
if [ $# -eq 0 ]; then
	files=$(sed -nE '/verify_interface|\/tests\//!s/^ *"file": "(.*)",?$/\1/p' $build/compile_commands.json)
	# shellcheck disable=SC2086 # a word is a file
	set -- $files
	[ $# -gt 0 ]
fi

# clang-tidy reads several files as one unit (units.py), because reading their headers for each file takes half of its time.
# Where a unit fails or has one file, the reports about each of its files alone count, without two warnings that gcc gives
# too. stderr goes to a log, because clang-tidy counts suppressed warnings there.
units=$build/units
rm -rf $units
/usr/bin/python3 -B tests/lint/units.py $units "$@" >$build/units.txt
: >$build/tidy.log
# shellcheck disable=SC2016 # the inner shell expands these
xargs -P "$jobs" -L 1 sh -c '
	build=$0 unit=$1
	shift
	[ $# -gt 1 ] && clang-tidy -p $build/units --quiet "$unit" >"$unit.log" 2>&1 && exit
	clang-tidy -p $build --quiet --extra-arg=-Wno-shadow --extra-arg=-Wno-double-promotion "$@" 2>>$build/tidy.log || exit
	[ $# -eq 1 ] || echo "$unit.log: no fault in the files alone"
' $build <$build/units.txt || {
	cat $build/tidy.log
	exit 1
}
# cppcheck reads the files of a folder as one, because reading their headers for each takes half of its time.
rm -rf $build/folders
mkdir $build/folders
printf '%s\n' "$@" | awk -v out=$build/folders '{
	folder = $0
	sub("/?[^/]*$", "", folder)
	gsub("/", "_", folder)
	print "#include \"" $0 "\"" >(out "/" folder ".c")
}'
exec cppcheck -j "$jobs" --quiet --error-exitcode=1 --inline-suppr --library=posix \
	--enable=warning,performance,portability -D_GNU_SOURCE -I . $build/folders/*.c
