#!/bin/sh
# Tests in tmux, for several terminal types, that the prompt, suspending and a resize keep the colours:
# usage: colours.sh KFORGE SOURCE_DIR
name=colours
program="${1:?usage: colours.sh KFORGE SOURCE_DIR} replay softmax_written"
KFORGE_ROOT=${2:?usage: colours.sh KFORGE SOURCE_DIR}
export KFORGE_ROOT
. "$KFORGE_ROOT/tests/e2e/terminal.sh"
XDG_DATA_HOME=$folder/data
XDG_CONFIG_HOME=$folder/config
EDITOR=$folder/editor
SHELL=/bin/sh
export XDG_DATA_HOME XDG_CONFIG_HOME EDITOR SHELL
unset VISUAL

# cells: print the screen with colours and attributes.
cells() {
	tmux_here capture-pane -e -p
}

is_unchanged() {
	cells >"$folder/after"
	cmp -s "$folder/before" "$folder/after"
}

# keeps_colours ACTION: fail unless the screen is the same as before ACTION, with its colours.
keeps_colours() {
	until_true is_unchanged || {
		diff "$folder/before" "$folder/after" | head -20 >&2
		fail "$terminal: $1 changed the screen or its colours"
	}
}

# has_colours COUNT: the screen has at least COUNT different foregrounds.
has_colours() {
	[ "$(cells | grep -oE '[;[][349]8[;:][25][;:0-9]*|\[3[0-7]' | sort -u | wc -l)" -ge "$1" ]
}

is_over() {
	! tmux_here list-sessions 2>/dev/null
}

# is_asking: the cursor is visible, right after the colon of the prompt.
is_asking() {
	[ "$(tmux_here display-message -p '#{cursor_flag}#{cursor_x}')" = 11 ]
}

# try TERM COLORTERM COLOURS: run all checks; the screen must have at least COLOURS foregrounds.
try() {
	terminal="TERM=$1 COLORTERM=$2"
	tmux_here new-session -d -x 120 -y 36 "TERM=$1 COLORTERM=$2 exec sh"
	tmux_here set-option -g remain-on-exit on
	keys "PS1='back> '; clear" Enter
	sees 'back>'
	keys "$program" Enter
	sees 'step 0 of'
	until_true has_colours "$3" || fail "$terminal: fewer than $3 colours"
	cells >"$folder/before"
	keys :;                until_true is_asking || fail "$terminal: no prompt"
	keys Escape;           keeps_colours 'the prompt'
	keys : Escape : Escape
	keys Right;            sees 'step 1 of'
	keys Left;             sees 'step 0 of'
	keeps_colours 'a step on and back'
	tmux_here resize-window -x 80 -y 24
	tmux_here resize-window -x 120 -y 36
	keeps_colours 'a resize'
	keys C-z;              sees 'back>'
	keys fg Enter;         keeps_colours 'being suspended'
	tmux_here kill-server
	until_true is_over || fail "$terminal: the tmux server does not exit"
}

try xterm-256color truecolor 6
try xterm-256color '' 6
try tmux-256color truecolor 6
try screen-256color '' 6
try screen '' 2
