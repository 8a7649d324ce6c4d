#!/bin/sh
# The layer lint passes a tree that keeps the layers, and names the file of each violation.
set -eu

lint=$(dirname "$(readlink -f "$0")")/layers.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

# put FILE HEADER: a tree with one file, which includes HEADER.
put() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/$(dirname "$1")"
	echo "#include $2" >"$tree/$1"
}

accepts() {
	put "$@"
	"$lint" "$tree" >"$tree/said" 2>&1 && return
	echo "test_layers: refused: $1 with $2" >&2
	failed=1
}

refuses() {
	put "$@"
	! "$lint" "$tree" >"$tree/said" 2>&1 && grep -q "$1" "$tree/said" && return
	echo "test_layers: not refused: $1 with $2" >&2
	failed=1
}

accepts core/base/json.c       '<cjson/cJSON.h>'
accepts core/base/digest.c     '<sha2.h>'
accepts core/judge/baseline.c  '<cblas.h>'
accepts core/session/history.c '<git2.h>'
accepts core/session/diff.c    '<git2.h>'
accepts core/session/driver.c  '"core/agent/agent.h"'
accepts backends/opencl/run.c  '<CL/cl.h>'
accepts backends/worker.c      '"core/judge/backend.h"'
accepts tui/term.c             '<curses.h>'
accepts tui/term_input.c       '<curses.h>'
accepts tui/main.c             '"core/session/driver.h"'

refuses core/base/vec.h        '"core/model/graph.h"'
refuses core/model/graph.c     '"core/judge/oracle.h"'
refuses core/judge/oracle.c    '"core/agent/agent.h"'
refuses core/llm/provider.c    '"core/judge/verify.h"'
refuses core/agent/prompt.c    '"core/session/event.h"'
refuses core/session/driver.c  '"tui/panel.h"'
refuses core/judge/registry.c  '"backends/registry.h"'
refuses backends/worker.c      '"core/llm/provider.h"'
refuses tui/main.c             '"backends/registry.h"'

refuses tui/app.c              '<curses.h>'
refuses tui/app.c              '<ncursesw/curses.h>'
refuses tui/app.c              '<histedit.h>'
refuses core/llm/openai.c      '<curl/curl.h>'
refuses core/session/journal.c '<git2.h>'
refuses core/model/problem.c   '<cjson/cJSON.h>'
refuses core/session/driver.c  '<sha2.h>'
refuses core/model/graph.c     '<cblas.h>'
refuses backends/worker.c      '<CL/cl.h>'
exit $failed
