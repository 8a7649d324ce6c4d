#!/bin/sh
# Tests in tmux, for many terminal types, that the prompt, an editor, a shell, suspending and a resize keep the screen
# and its colours: usage: colours.sh KFORGE SOURCE_DIR
name=colours
program="${1:?usage: colours.sh KFORGE SOURCE_DIR} replay softmax_written"
KFORGE_ROOT=${2:?usage: colours.sh KFORGE SOURCE_DIR}
export KFORGE_ROOT
. "$KFORGE_ROOT/tests/e2e/terminal.sh"
XDG_DATA_HOME=$folder/data
XDG_CONFIG_HOME=$folder/config
EDITOR=$folder/editor
SHELL=$folder/shell
PATH=$folder:$PATH
export XDG_DATA_HOME XDG_CONFIG_HOME EDITOR SHELL PATH
unset VISUAL COLORTERM

# Both leave colours, attributes, a scroll region, text and, where terminfo can show it again, no cursor.
cat >"$folder/editor" <<'END'
#!/bin/sh
printf '\033[?1049h\033[2J\033[41;32;1;7m an editor \033[3;5r'
tput civis
printf '\033[?1049l'
END
cat >"$folder/shell" <<'END'
#!/bin/sh
printf '\033[44;33m a shell \033[2;4r'
tput civis
exec /bin/sh "$@"
END
chmod +x "$folder/editor" "$folder/shell"

# cells: print the screen with colours and attributes.
cells() {
	tmux_here capture-pane -e -p
}

# Prints the cells as they look: a blank shows its ground, but its foreground only where it is underlined or reversed.
cat >"$folder/look.awk" <<'END'
function put(text, key) { if (key != last) line = line "<" key ">"; last = key; line = line text }
function show(text,   blanks) {
	blanks = attributes ~ /;[47]/ ? ground attributes foreground : ground
	while (text != "") {
		match(text, /^ */)
		if (RLENGTH) put(substr(text, 1, RLENGTH), blanks)
		text = substr(text, RLENGTH + 1)
		match(text, /^[^ ]*/)
		if (RLENGTH) put(substr(text, 1, RLENGTH), ground attributes foreground)
		text = substr(text, RLENGTH + 1)
	}
}
function set(codes,   n, i, c, code, rest) {
	n = split(codes, c, ";")
	if (n == 0) ground = foreground = attributes = ""
	for (i = 1; i <= n; i++) {
		code = c[i]
		if (code == 38 || code == 48)
			for (rest = c[i + 1] == 2 ? 4 : 2; rest; rest--) code = code ";" c[++i]
		if (code == 0) ground = foreground = attributes = ""
		else if (code ~ /^(3[0-9]|9[0-7])/) foreground = code == 39 ? "" : code
		else if (code ~ /^(4[0-9]|10[0-7])/) ground = code == 49 ? "" : code
		else attributes = attributes ";" code
	}
}
{
	line = last = ""
	n = split($0, parts, "\033")
	show(parts[1])
	for (i = 2; i <= n; i++) {
		match(parts[i], /^\[[0-9;:]*m/)
		if (RLENGTH > 0) set(substr(parts[i], 2, RLENGTH - 2))
		show(RLENGTH > 0 ? substr(parts[i], RLENGTH + 1) : parts[i])
	}
	print line
}
END

# look: print the screen as it looks.
look() {
	cells | awk -f "$folder/look.awk"
}

is_unchanged() {
	look >"$folder/after"
	cmp -s "$folder/before" "$folder/after"
}

# keeps_colours ACTION: fail unless the screen is the same as before ACTION, with its colours.
keeps_colours() {
	until_true is_unchanged || {
		diff "$folder/before" "$folder/after" | head -20 >&2
		fail "$terminal: $1 changed the screen or its colours"
	}
}

# colours: print how many different foregrounds the screen has.
colours() {
	cells | grep -oE '[;[][349]8[;:][25][;:0-9]*|[;[]3[0-7]|[;[]9[0-7]' | sort -u | wc -l
}

has_colours() {
	[ "$(colours)" -ge "$1" ]
}

# has_text: the text is that of the first terminal tried.
has_text() {
	tmux_here capture-pane -p >"$folder/text"
	[ -f "$folder/first" ] || cp "$folder/text" "$folder/first"
	cmp -s "$folder/first" "$folder/text"
}

# is_asking: the cursor is visible, right after the colon of the prompt.
is_asking() {
	[ "$(tmux_here display-message -p '#{cursor_flag}#{cursor_x}')" = 11 ]
}

# marks END: print how often the program wrote the begin (h) or the end (l) of a frame.
marks() {
	tr '\033' '\n' <"$folder/written" | grep -c "^\[?2026$1"
}

# has_marks: frames are marked where $marked is "marked", each has an end, and the header is drawn inside; else none is.
has_marks() {
	case $marked$(marks h) in marked0 | [1-9]*) return 1 ;; esac
	[ "$(marks h)" = "$(marks l)" ] &&
		! tr '\033\n' '\n ' <"$folder/written" | awk -v "outside=$marked" '
			/^\[\?2026h/ { outside = "" }
			/^\[\?2026l/ { outside = "marked" }
			outside && /REPLAY/ { found = 1 }
			END { exit !found }'
}

# try TERM COLORTERM COLOURS [marked]: run all checks; the screen must have at least COLOURS foregrounds. A terminal
# that terminfo lacks is named and left out.
try() {
	terminal="TERM=$1 COLORTERM=$2"
	infocmp "$1" >/dev/null 2>&1 || {
		echo "colours: $1 is not tried: terminfo lacks it"
		return 0
	}
	tried="$tried $1"
	marked=${4-}
	tmux_here pipe-pane "exec cat >$folder/written"
	keys "clear; TERM=$1 COLORTERM=$2 $program" Enter
	sees 'step 0 of'
	sees 'q leave'
	until_true has_colours "$3" || fail "$terminal: fewer than $3 colours"
	[ "$3" != 0 ] || [ "$(colours)" = 0 ] || fail "$terminal: colours on a terminal without"
	until_true has_text || fail "$terminal: the text is not that of other terminals"
	look >"$folder/before"
	keys :;                until_true is_asking || fail "$terminal: no prompt"
	keys Escape;           keeps_colours 'the prompt'
	keys : Escape : Escape
	keys Right;            sees 'step 1 of'
	keys Left;             sees 'step 0 of'
	keeps_colours 'a step on and back'
	keys ':shell editor' Enter
	sees 'press Enter'
	keys Enter;            keeps_colours 'an editor'
	keys !;                sees 'a shell'
	keys exit Enter;       keeps_colours 'a shell'
	tmux_here resize-window -x 80 -y 24
	tmux_here resize-window -x 120 -y 36
	keeps_colours 'a resize'
	keys C-z;              sees 'back>'
	keys fg Enter;         keeps_colours 'being suspended'
	keys q;                sees 'back>'
	until_true has_marks || fail "$terminal: the marks around frames are not right"
	tmux_here pipe-pane
}

tmux_here new-session -d -x 120 -y 36 'exec sh'
tmux_here set-option -g terminal-overrides '*:RGB'
keys "PS1='back> '; clear" Enter
sees 'back>'
try xterm-256color truecolor 6 marked
try xterm-256color '' 6 marked
try tmux-256color truecolor 6 marked
try screen-256color '' 6
try screen '' 3
try linux '' 3
try vt100 '' 0
try xterm-mono truecolor 0 marked
try alacritty truecolor 6 marked
try foot truecolor 6 marked
try kitty truecolor 6 marked
case $tried in
*' screen linux vt100 '*) ;;
*) fail "terminfo lacks the terminals of Debian's base system; tried:$tried" ;;
esac
