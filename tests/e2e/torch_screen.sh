#!/bin/sh
# Tests in tmux that a PyTorch file starts a session, from the first screen and on the command line:
# usage: torch_screen.sh KFORGE SOURCE_DIR
name=torch_screen
program="${1:?usage: torch_screen.sh KFORGE SOURCE_DIR} --timing-limit 0.1" # no time is asserted
KFORGE_ROOT=${2:?usage: torch_screen.sh KFORGE SOURCE_DIR}
export KFORGE_ROOT
find='import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)' # importing it takes two seconds
"${KFORGE_PYTHON:-python3}" -c "$find" || {
	echo 'skipped: no PyTorch (KFORGE_PYTHON names the Python that has it)'
	exit 77
}
. "$KFORGE_ROOT/tests/e2e/terminal.sh"
XDG_DATA_HOME=$folder/data
XDG_CONFIG_HOME=$folder/config
XDG_CACHE_HOME=${TMPDIR:-/tmp}/kforge-e2e-cache # shares measured roofs with the other tests
export XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME
models=$KFORGE_ROOT/tests/models
ship linear_gelu
mkdir -p "$folder/work/models"
cp "$models/linear_gelu_scale.py" "$folder/work/models"
echo 'no = 1' >"$folder/work/models/other.py"
# The log says which processes open the file. Without torch.compile no second one is needed.
cat >>"$folder/work/models/linear_gelu_scale.py" <<'END'
import sys, time
print("python", vars(sys).setdefault("since", time.monotonic_ns()))
vars(torch).pop("compile", None)
END
cd "$folder/work" || exit 1

# A file without a model gives a message on the first screen. Tab completes paths, also inside folders.
start 'choose what to work on'
tmux_here resize-window -x 120 -y 36
keys o;                        sees ':problem'
keys -l 'nosuch.py';           keys Enter; sees 'nosuch.py: cannot open'
keys o;                        sees ':problem'
keys -l 'mo';                  keys Tab;   sees ':problem models/'
keys -l 'o';                   keys Tab;   sees ':problem models/other.py'
keys Enter;                    sees 'no class Model'
keys t;                        sees 'PyTorch files in mixed'
keys o;                        sees ':problem'
keys -l 'models/l';            keys Tab Enter
sees 'linear_gelu_scale.py was read: Enter starts'
keys Enter
sees 'STEP 3 keep';            sees 'a accept'
sees 'eager'
keys a;                        sees '3 OK keep'
keys q q;                      sees 'Enter start'
keys q
sees 'continue with: kforge resume'

# The same file on the command line; then the first screen lists both sessions.
keys "clear; $program models/linear_gelu_scale.py" Enter
sees 'STEP 3 keep';            sees 'a accept'
keys q q
sees 'continue with: kforge resume'
keys "clear; $program" Enter;  sees 'Sessions 2'
pythons=$(grep '^python ' "$XDG_STATE_HOME/kforge/kforge.log" | sort -u | wc -l)
[ "$pythons" = 2 ] || fail "two sessions started PyTorch $pythons times"
sees 'linear_gelu_scale'
keys q q;                      sees 'back>'
keys "clear; $program --tolerance mixed" Enter
sees 'PyTorch files in mixed'
stop
