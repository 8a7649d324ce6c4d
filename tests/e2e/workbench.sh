#!/bin/sh
# Tests decisions on the screen in tmux: usage: workbench.sh PROGRAM SOURCE_DIR
name=workbench
program=${1:?usage: workbench.sh PROGRAM SOURCE_DIR}
KFORGE_ROOT=${2:?usage: workbench.sh PROGRAM SOURCE_DIR}
export KFORGE_ROOT
. "$KFORGE_ROOT/tests/e2e/terminal.sh"
DECISIONS=$folder/decisions
EDITOR=$folder/editor
XDG_DATA_HOME=$folder/data
XDG_CONFIG_HOME=$folder/config
export DECISIONS EDITOR XDG_DATA_HOME XDG_CONFIG_HOME
unset VISUAL

# edits_with COMMAND: make an editor that runs COMMAND on the file "$1".
edits_with() {
	printf '#!/bin/sh\n%s\n' "$1" >"$EDITOR"
	chmod +x "$EDITOR"
}

decided() {
	grep -qxF -- "$1" "$DECISIONS"
}

has_decided() {
	until_true decided "$1" || fail "never decided \"$1\", but: $(cat "$DECISIONS")"
}

# 500 keys typed ahead accept nothing, neither at the start nor at the next question.
ahead=$(printf '%500s' '' | tr ' ' a)
tmux_here new-session -d -x 120 -y 36 'exec sh'
keys "stty -g >$folder/modes; $program" Enter
keys -l "$ahead"
sees 'STEP 10 keep'
sees 'a accept'
[ -s "$DECISIONS" ] && fail 'keys typed ahead decided'
keys -l aaaaa
has_decided '10 accepted '
sees 'STEP 11';                 sees 'a accept'
[ "$(wc -l <"$DECISIONS")" = 1 ] || fail 'one question got several decisions'

# A veto takes a reason; Escape leaves the prompt without a veto. Pasted text triggers no commands.
keys v;                        sees 'veto step 11, because:'
keys -l 'no aligned';          keys Home; keys Delete Delete Delete
keys Enter;                    has_decided '11 vetoed aligned'
sees 'STEP 12';                 sees 'a accept'
keys v;                        sees 'veto step 12, because:'
keys Escape
tmux_here set-buffer 'aaaaqq'
tmux_here paste-buffer -p
keys '?';                      sees 'Keys: Escape goes back'
keys '?'
sees 'a accept'
[ "$(wc -l <"$DECISIONS")" = 2 ] || fail 'a paste or a veto that was left decided'

# When another step is in view, the key a shows the pending step and decides nothing.
keys 1 k;                      sees 'STEP 12 waits for you'
keys a;                        sees 'STEP 12 keep'
sees 'a accept'
[ "$(wc -l <"$DECISIONS")" = 2 ] || fail 'decided on a step that was not in view'

# When the text of the step is not on the screen, the key a shows it and decides nothing.
tmux_here resize-window -x 80 -y 24
keys 5;                        sees 'press 3'
keys a;                        sees '[3 Kernel]'
sees 'a accept'
[ "$(wc -l <"$DECISIONS")" = 2 ] || fail 'decided on a text that was not on the screen'
tmux_here resize-window -x 120 -y 36
sees '6 Profile'

# The next edit continues from a refused edit. An unchanged edit decides nothing.
edits_with 'exit 0'
keys e;                        sees 'no change: step 12 still waits'
sees 'a accept'
# shellcheck disable=SC2016 # "$1" belongs to the editor script
edits_with 'echo "! broken" >"$1"'
keys e;                        sees 'the edit has no kernel'
# The editor gets the kernel and its plan under their own names, and clangd its options beside them.
# shellcheck disable=SC2016
edits_with 'case $1 in */kernel.cl) ;; *) exit 1 ;; esac
grep -q launches "$2" && grep -qx -- -xcl "${1%/*}/compile_flags.txt" && grep -q broken "$1" && echo mended >"$1"'
sees 'a accept'
keys e;                        has_decided mended

# The key A lets the policy decide until a condition is met.
sees 'STEP 13 keep';            sees 'a accept'
keys A;                        sees 'and run on until'
keys -l '2 fail';              keys Tab;  sees '2 failure'
keys Enter;                    has_decided '13 accepted '
sees 'policy until failure, 0 of 2 steps'
sees 'Space pause'
keys A;                        sees 'STEP 14 keep'
sees 'you: keep'

# Retry with an instruction. Notes and attachments go with the next prompt.
sees 'a accept'
keys r;                        sees 'retry step 14, but:'
keys -l 'in local memory';     keys Enter; has_decided '14 retried in local memory'
keys :;                        keys -l 'say mind the tail'; keys Enter
sees 'the agent gets your note'
keys :;                        keys -l "attach $folder/profiler.png"; keys Enter
keys 7;                        sees 'with the next prompt: mind the tail'
sees 'with the next analysis: profiler.png'
keys u;                        has_decided 'undo'
keys U;                        sees 'no decision was undone'

# Listings of the compiler, or the reason why there is none, and findings of a sanitizer.
keys 3 i;                      sees '.visible .entry softmax'
sees '3 Kernel #4 ptx'
keys I;                        sees 'nvdisasm: not found'
# The decision is on the kernel, not on its listing: the key a shows the kernel first.
sees 'press 3';        sees 'a accept'
keys a;                        sees '[against the best'
sees 'lines seen'
keys I;                        sees 'nvdisasm: not found'
keys I;                        sees '[against the best'
keys z;                        sees 'memcheck: 1 place'
sees 'S 9 Invalid __global__ write'
keys :;                        keys -l 'sanitize ra'; keys Tab Enter
sees 'racecheck: 1 place'
keys G Enter;                  sees '3 Kernel #4'
keys :;                        keys -l 'sanitize all'; keys Enter
sees 'choose memcheck, racecheck, initcheck or synccheck'
keys 6 c;                       sees 'Limits, the largest gain first'

# Give a candidate a name.
keys 2 t;                      sees 'name of attempt 4:'
keys -l 'wide';                keys Enter; sees '[wide]'

# The policy menu switches who decides on each kind of step. Decision keys do nothing there.
keys P;                        sees 'Space switches'
keys a a;                      keys Space; sees 'you: prompt, keep'
keys q
grep -q '^15' "$DECISIONS" && fail 'the menu decided'

# The prompt line completes, and names an unknown command. Copied text reaches tmux.
keys :;                        keys -l 'pol';  keys Tab
sees ':policy'
keys -l 'keep ask';            keys Enter;     sees 'policy: keep ask'
keys :;                        keys Up;        sees ':policy keep ask'
keys C-u;                      keys -l 'nonsense'; keys Enter
sees 'no command "nonsense"'
keys :;                        keys -l "screen $folder/none/x.svg"; keys Enter
sees 'x.svg: cannot write: No such file or directory'
keys :;                        keys -l "screen $folder/x.svg"; keys Enter
sees 'the screen is in';       [ -s "$folder/x.svg" ] || fail 'the screen was not saved'
keys C-p;                      keys -l 'candidates'; keys Enter
keys y;                        sees 'bytes copied'
tmux_here show-buffer | grep -q 'Loads of eight values' || fail 'nothing was copied'

# The message log keeps all messages.
keys :;                        keys -l 'messages'; keys Enter
sees 'Messages: Escape goes back';  sees 'no command "nonsense"'
keys q
keys :;                        keys -l 'about'; keys Enter
sees 'About: Escape goes back'
for part in kforge ncurses libedit libcurl libgit2 cJSON libmd 'invented library' 'invented device'; do sees "$part"; done
keys /;                        keys -l 'libgit'; keys Enter q

# A shell command shows its output, a shell its own screen; then the workbench is back.
keys :;                        keys -l '!echo in""side'; keys Enter
sees 'inside';                 sees '[press Enter to return]'
[ "$(tmux_here display-message -p '#{alternate_on}')" = 0 ] || fail 'the shell has no screen of its own'
keys Enter;                    sees 'waiting for you'
keys !;                        keys -l 'exit'; keys Enter
sees 'waiting for you'

# A click selects a row and its pane.
esc=$(printf '\033')
keys 3;                        keys -l "${esc}[<0;5;5M"
sees 'STEP 15 waits'
keys j;                        sees '#3'
keys G

# Leaving takes two keys, and prints a line at the end.
keys q;                        sees 'press q again to leave'
keys q;                        sees 'left made-up'
keys "PS1='back> '" Enter
is_sane 'leaving'

# Custom keys: a faulty file is named with the line, and changes nothing.
mkdir -p "$XDG_CONFIG_HOME/kforge"
echo 'x = :nonsense' >"$XDG_CONFIG_HOME/kforge/keys"
keys "$program" Enter;         sees 'keys:1: no command "nonsense"'
keys q q;                      sees 'left made-up'

# A faulty theme is named too, and both messages can be read.
mkdir "$XDG_CONFIG_HOME/kforge/themes"
printf '{\n  "roles": {"text": {"fg": "#12"}}\n}' >"$XDG_CONFIG_HOME/kforge/themes/dark.json"
keys "clear; $program" Enter;  sees '1 more: :messages'; sees 'keys:1:'
keys :;                        keys -l 'messages'; keys Enter
sees 'dark.json'
keys q q q;                    sees 'left made-up'
rm "$XDG_CONFIG_HOME/kforge/themes/dark.json"
printf 'x = :help\n[live]\nU = none\nY = :redo\n' >"$XDG_CONFIG_HOME/kforge/keys"
keys "clear; $program" Enter;  sees 'STEP 10 keep'
sees 'a accept'
keys a;                        sees 'STEP 11'
keys u;                        sees 'decision undone; Y redoes it'
keys x;                        sees 'Keys: Escape goes back'
keys C-d;                       sees '? x'
keys q q q;                    sees 'left made-up'
