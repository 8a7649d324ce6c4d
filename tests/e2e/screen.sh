#!/bin/sh
# Tests in tmux that a program with a screen behaves as users of terminals expect:
# usage: screen.sh PROGRAM SOURCE_DIR
name=screen
program=${1:?usage: screen.sh PROGRAM SOURCE_DIR}
KFORGE_ROOT=${2:?usage: screen.sh PROGRAM SOURCE_DIR}
export KFORGE_ROOT
unset ASAN_OPTIONS # the program's own signal handler is tested, not the sanitizer's
. "$KFORGE_ROOT/tests/e2e/terminal.sh"

start 'size 80x24'
keys j;         sees 'last j'
keys Up;        sees 'last Up'
keys Escape;    sees 'last Escape'
keys M-x;       sees 'last M-x'
keys C-d;       sees 'last C-d'
keys BTab;      sees 'last S-Tab'
keys Enter;     sees 'last Enter'
keys PPage;     sees 'last PageUp'
keys -l 'é';    sees 'last é'
tmux_here set-buffer 'qqq'     # typed as keys, these would quit the program
tmux_here paste-buffer -p;     sees 'last paste of 3: qqq'
decomposed=$(printf 'e\314\201!')
tmux_here set-buffer "$decomposed"
tmux_here paste-buffer -p;     sees "last paste of 4: $decomposed"
esc=$(printf '\033')
keys -l "${esc}[<0;12;5M";        sees 'last press at 11,4'
keys -l "${esc}[<65;1;2M";        sees 'last wheel down at 0,1'
keys -l "${esc}[<0;12;5m";        keys k;        sees 'last k'
[ "$(tmux_here display-message -p '#{mouse_sgr_flag}')" = 1 ] || fail 'the mouse is off'
keys o j;       sees 'last j'
shows 'noise' && fail 'standard error reached the screen'
for size in 200x50 60x16 40x8 20x4 120x36; do
	tmux_here resize-window -x "${size%x*}" -y "${size#*x}"
	[ $size = 20x4 ] || sees "size $size"
done
keys e;         sees 'in the child'
[ "$(tmux_here display-message -p '#{alternate_on}')" = 0 ] || fail 'the child has no screen of its own'
keys Enter;     sees 'last child ended with 3'
keys C-z;       sees 'back>'
[ "$(tmux_here display-message -p '#{alternate_on}')" = 0 ] || fail 'suspended on the alternate screen'
keys fg Enter;  sees 'size 120x36'
kill -TSTP "$pid"
sees 'back>'
is_sane 'SIGTSTP'
kill -CONT "$pid"                # continued in the background, it waits for fg
keys 'clear; fg' Enter;  sees 'size 120x36'
keys j;         sees 'last j'
keys q;         until_true ended "$pid" || fail 'q does not quit'
is_sane 'quit'
stop

for signal in TERM INT HUP QUIT SEGV ABRT; do
	start 'size 80x24'
	kill -$signal "$pid"
	sees 'status '
	is_sane "SIG$signal"
	stop
done

start 'size 80x24'
keys x
sees 'status 139'
is_sane 'a fault'
stop

# On a terminal without cursor control, the program prints one line.
demo=$program
for terminal in dumb nonesuch; do
	program="TERM=$terminal $demo"
	start "TERM=$terminal is unknown"
	is_sane "TERM=$terminal"
	stop
done
program=$demo

# 24-bit colours, if terminfo has an entry for them (Debian: ncurses-term).
if infocmp tmux-direct >/dev/null 2>&1; then
	demo=$program
	program="COLORTERM=truecolor TERM=tmux-256color $demo"
	start 'size 80x24'
	tmux_here capture-pane -p -e | grep -q '38;2;95;175;255m' || fail 'no 24-bit colours'
	keys Up;        sees 'last Up'
	keys q
	is_sane 'quit'
	stop
	program=$demo
fi

# The terminal disappears without a SIGHUP.  The leak sanitizer is off, because without a terminal it may
# hang while it stops the threads.
program="(trap '' HUP; ASAN_OPTIONS=detect_leaks=0 exec $program)"
start 'size 80x24'
keys j;         sees 'last j'
tmux_here kill-server
tries=200
until ended "$pid"; do
	tries=$((tries - 1))
	[ $tries -gt 0 ] || { kill -KILL "$pid"; echo 'screen: outlives its terminal' >&2; exit 1; }
	sleep 0.05
done
