#!/bin/sh
# Tests a newcomer's session in tmux, from the first screen to a second kept candidate, with a veto
# and an edit: usage: first_screen.sh KFORGE SOURCE_DIR
name=first_screen
program="${1:?usage: first_screen.sh KFORGE SOURCE_DIR} --timing-limit 0.1" # no time is asserted
KFORGE_ROOT=${2:?usage: first_screen.sh KFORGE SOURCE_DIR}
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

# Problems with small sizes, and one that is only given by name.
ship linear_gelu groupnorm_silu softmax
problems=$KFORGE_ROOT/prompts/problems
sed -i 's/"M": 512, "N": 1024, "K": 768/"M": 64, "N": 128, "K": 96/' "$problems/linear_gelu.json"
sed -i 's/"N": 8, "C": 64, "H": 32, "W": 32/"N": 2, "C": 64, "H": 8, "W": 8/' "$problems/groupnorm_silu.json"
grep -q '"M": 64' "$problems/linear_gelu.json" || fail 'linear_gelu has other sizes now'
grep -q '"H": 8' "$problems/groupnorm_silu.json" || fail 'groupnorm_silu has other sizes now'

# waits STEP KIND: wait until the engineer can decide on that step.
waits() {
	sees "STEP $1 $2"
	sees 'a accept'
}

start 'choose what to work on'
tmux_here resize-window -x 120 -y 36
sees 'linear_gelu'
sees 'ok  M=64' # the worker sends the findings of lint while the screen is shown
keys Enter
waits 3 keep;                  keys a
waits 4 recommendation;        keys v;     sees 'because:'
keys -l 'try something else';  keys Enter
waits 7 keep
# A message says that this device shows no PTX; the sanitizer finds nothing; pane 3 still shows the kernel.
keys 3 i;                      sees 'does not show PTX'
keys z;                        sees 'memcheck: no error'
keys v Enter
waits 8 recommendation;        keys 7;     sees 'bottleneck'
keys e
# The keep takes the middle column from the recommendation.
sees '3 Kernel #3'
waits 11 keep;                 keys a
sees ' 11 OK keep'
keys 1 f G k k k;              sees '  8 ED tip'
tmux_here capture-pane -p | grep -c 'OK keep' | grep -qx 2 || fail 'expected two kept candidates'
keys f

# q returns to the first screen, which lists the session now and resumes it.
keys q;                        sees 'press q again to go back'
keys q;                        sees 'Sessions 1'
keys Tab;                      keys / ; keys -l 'linear'; keys Enter Enter
sees ' 11 OK keep'
keys q;                        sees 'press q again to go back'
keys q;                        sees 'Enter start'
keys q
sees 'continue with: kforge resume'
is_sane 'leaving'

# The same way to a kept kernel at other sizes, down to a screen of one pane and one bar.
for size in 160x45 80x24 60x16; do
	keys "clear; $program" Enter;  sees 'choose what to work on'
	tmux_here resize-window -x "${size%x*}" -y "${size#*x}"
	keys / ; keys -l 'groupnorm';  keys Enter Enter
	waits 3 keep;                  keys a
	sees 'STEP 4'
	keys q q;                      sees 'Enter start'
	keys q;                        sees 'back>'
done
tmux_here resize-window -x 120 -y 36

# A shipped problem, given by name.
keys "clear; $program softmax --policy manual" Enter
waits 1 prompt
stop
