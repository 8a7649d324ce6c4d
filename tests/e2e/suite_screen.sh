#!/bin/sh
# Tests a suite in tmux: problems are marked on the first screen, the suite goes on when the screen is left, and the
# decisions that wait are taken in the inbox: usage: suite_screen.sh KFORGE SOURCE_DIR
name=suite_screen
program="${1:?usage: suite_screen.sh KFORGE SOURCE_DIR}"
KFORGE_ROOT=${2:?usage: suite_screen.sh KFORGE SOURCE_DIR}
export KFORGE_ROOT
. "$KFORGE_ROOT/tests/e2e/terminal.sh"
EDITOR=$folder/editor
XDG_DATA_HOME=$folder/data
XDG_CONFIG_HOME=$folder/config
XDG_CACHE_HOME=${TMPDIR:-/tmp}/kforge-e2e-cache # shares measured roofs with the other tests
export EDITOR XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME
unset VISUAL
# shellcheck disable=SC2016 # "$1" belongs to the editor script
printf '#!/bin/sh\nsed -i "1i Seen by the engineer." "$1"\n' >"$EDITOR"
chmod +x "$EDITOR"
ship gelu softmax

# decided N DECISION: N steps were decided so by the engineer.
decided() {
	cat "$XDG_DATA_HOME"/kforge/sessions/*/events.jsonl | grep -c "\"decision\":\"$2\",\"by\":\"engineer\"" | grep -qx "$1"
}

# With the policy manual the first prompt of each session waits, so that nothing is judged.
kforge=$program
program="$kforge --analyst none --without-profile"
start 'choose what to work on'
program=$kforge
tmux_here resize-window -x 120 -y 36
sees 'builtin, analyst none, no profiles'
keys p;                       sees 'policy manual'
keys g Space;                 sees '1 marked: s runs it as a suite'
keys Space;                   sees '2 marked'
keys s;                       sees 'repeats: 1'
keys Enter;                   sees 'runs in the background'
keys q;                       sees 'choose what to work on'
keys q;                       sees 'back>'
keys "clear; $program suite open gelu" Enter; sees 'no suite begins with'
until_true grep -q '"analyst":.*"none"' "$XDG_DATA_HOME"/kforge/suites/*/suite.json || fail 'the suite has an analyst'
keys "clear; $program suite open" Enter
sees 'suite gelu+1'
sees '2 ask you'

# One is accepted, the other edited. Each lets the suite go on, and the kernels wait then.
keys D;                       sees '1 of 2 decisions'
sees 'a accept'
keys a;                       sees 'is accepted'
sees ' softmax 1'
sees 'a accept'
keys e
until_true decided 1 edited || fail 'the edit was not decided'
until_true decided 1 accepted || fail 'the approval was not decided'
sees 'kernel  softmax'
sees 'kernel  gelu'
sees 'a accept'
keys v;                       sees 'because:'
keys -l 'no vectors';         keys Enter
sees 'is vetoed'
until_true decided 1 vetoed || fail 'the veto was not decided'
keys q;                       sees 'suite gelu+1'
keys B;                       sees '2 problems x 1 arm x 1'
keys q q;                     sees 'back>'
stop
