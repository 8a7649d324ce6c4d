# shellcheck shell=sh
# A terminal in tmux for end-to-end tests. Set `name` and `program`, then source this file.
# shellcheck disable=SC2154 # the script that sources this sets both
# shellcheck disable=SC2034 # the script that sources this reads what start() sets
folder=$(mktemp -d) || exit 1
LC_ALL=C.UTF-8
XDG_STATE_HOME=$folder/state
KFORGE_CC=none # no device for C: most tests are about one device
export LC_ALL XDG_STATE_HOME KFORGE_CC
unset NO_COLOR TMUX

# ship PROBLEM...: make the program use a copy of what kforge ships that has only these problems, because the first
# screen lints all that it lists.
ship() {
	mkdir "$folder/root"
	cp -r "$KFORGE_ROOT/prompts" "$KFORGE_ROOT/themes" "$KFORGE_ROOT/backends" "$folder/root"
	KFORGE_ROOT=$folder/root
	for problem in "$KFORGE_ROOT"/prompts/problems/*.json; do
		case " $* " in *" $(basename "$problem" .json) "*) ;; *) rm "$problem" ;; esac
	done
}

tmux_here() {
	tmux -f /dev/null -S "$folder/socket" "$@"
}

finish() {
	tmux_here kill-server 2>/dev/null
	rm -rf "$folder"
}
trap finish EXIT

fail() {
	echo "$name: $1; the screen is:" >&2
	tmux_here capture-pane -p >&2
	exit 1
}

# until_true COMMAND...: repeat the command until it succeeds, for some two minutes at most. It runs 20 times
# in the first second, then 4 times per second, because each try takes CPU time from the tested program.
until_true() {
	tries=0
	pause=0.05
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 500 ] || return 1
		[ $tries -lt 20 ] || pause=0.25
		sleep $pause
	done
}

shows() {
	tmux_here capture-pane -p | grep -qF -- "$1"
}

sees() {
	until_true shows "$1" || fail "never saw \"$1\""
}

# ended PID: the process is gone, or a zombie.
ended() {
	case $(ps -o stat= -p "$1") in '' | Z*) ;; *) return 1 ;; esac
}

keys() {
	tmux_here send-keys "$@"
}

# start TEXT: start the program from a shell that outlives it, and wait until the screen shows TEXT.
start() {
	tmux_here new-session -d -x 80 -y 24 'exec sh'
	tmux_here set-option -g remain-on-exit on
	keys "PS1='back> '; stty -g >$folder/modes; clear" Enter
	sees 'back>'
	keys "$program; echo status \$?" Enter
	sees "$1"
	shell=$(tmux_here display-message -p '#{pane_pid}')
	pid=$(ps -o pid= --ppid "$shell" | tr -d ' ')
}

stop() {
	tmux_here kill-server
	until_true ended "$shell" || fail 'the shell does not exit'
}

# is_sane ACTION: fail unless the shell is back after ACTION, with main screen, cursor, echo and modes.
is_sane() {
	sees 'back>'
	[ "$(tmux_here display-message -p '#{alternate_on}#{cursor_flag}#{keypad_flag}#{mouse_any_flag}')" = 0100 ] ||
		fail "$1: the alternate screen, cursor, keypad or mouse is not as it was"
	keys "stty -g | cmp - $folder/modes && echo as be''fore" Enter
	sees 'as before'
	keys 'echo ec""hoed' Enter
	sees 'echoed'
}
