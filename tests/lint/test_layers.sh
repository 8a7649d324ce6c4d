#!/bin/sh
# Tests layers.sh: it must accept permitted includes, and name the file of each forbidden one.
set -eu

lint=$(dirname "$(readlink -f "$0")")/layers.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

# put FILE HEADER: make a tree of one file that includes HEADER.
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
accepts core/judge/oracle/walk.c     '<cblas.h>'
accepts core/session/store/history.c '<git2.h>'
accepts core/session/store/diff.c    '<git2.h>'
accepts core/session/driver/driver.c  '"core/agent/agent.h"'
accepts backends/opencl/run.c  '<CL/cl.h>'
accepts backends/worker.c      '"core/judge/device/backend.h"'
accepts tui/term/term.c             '<curses.h>'
accepts tui/term/term_input.c       '<curses.h>'
accepts tui/main.c             '"tui/cli/command.h"'

refuses core/base/vec.h        '"core/model/graph.h"'
refuses core/model/graph.c     '"core/judge/oracle/oracle.h"'
refuses core/judge/oracle/oracle.c    '"core/agent/agent.h"'
refuses core/llm/provider.c    '"core/judge/compare/verify.h"'
refuses core/agent/prompt/prompt.c    '"core/session/state/event.h"'
refuses core/session/state/session.c  '"core/session/store/history.h"'
refuses core/session/recorded/fork.c  '"core/session/driver/driver.h"'
refuses core/session/driver/driver.c  '"tui/panels/panel.h"'
refuses core/judge/registry.c  '"backends/registry.h"'
refuses backends/worker.c      '"core/llm/provider.h"'
refuses tui/main.c             '"backends/registry.h"'
refuses tui/screens/screen_live.c   '"tui/app/app.h"'

refuses tui/app/app.c              '<curses.h>'
refuses tui/app/app.c              '<ncursesw/curses.h>'
refuses tui/app/app.c              '<histedit.h>'
refuses core/llm/openai.c      '<curl/curl.h>'
refuses core/session/store/journal.c '<git2.h>'
refuses core/model/problem.c   '<cjson/cJSON.h>'
refuses core/session/driver/driver.c  '<sha2.h>'
refuses core/model/graph.c     '<cblas.h>'
refuses backends/worker.c      '<CL/cl.h>'
exit $failed
