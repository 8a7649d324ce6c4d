#!/bin/sh
# A picture of KCachegrind's window with the candidate under callgrind: the shipped command of `kforge run --picture
# kcachegrind`, for candidates in C (FORMATS.md, Pictures of profilers). Debian packages: valgrind kcachegrind xvfb
# imagemagick xdotool dbus-daemon.
set -eu
for tool in valgrind kcachegrind Xvfb import xdotool dbus-run-session cmake; do
	command -v "$tool" >/dev/null || {
		echo "$tool is missing: apt-get install valgrind kcachegrind xvfb imagemagick xdotool dbus-daemon cmake" >&2
		exit 1
	}
done

# The exported program runs the kernels on random data: once and unchecked, because callgrind takes a hundred times as
# long; with symbols, on one core, and without AVX-512, which valgrind lacks. Only what the kernels do is counted.
"$KFORGE_PROGRAM" export "$KFORGE_SESSION" program --attempt "$KFORGE_ATTEMPT" --as c >&2
case $(uname -m) in x86_64) march='-march=native -mno-avx512f' ;; *) march=-march=native ;; esac
sed -i "s/-march=native/$march -g/" program/CMakeLists.txt
sed -i 's/RUNS = [0-9]*/RUNS = 1/; s/if (reference)/if (reference \&\& !"checked")/' program/main.c
cmake -S program -B build >&2
cmake --build build >&2
program=$(find build -maxdepth 1 -type f -perm -u+x ! -name '*.so' | head -n 1)
last=
set --
# shellcheck disable=SC2013 # a name has no blanks
for kernel in $(grep -o '"kernel":[[:space:]]*"[^"]*"' plan.json | sed 's/.*"\([^"]*\)"$/\1/' | sort -u); do
	set -- "$@" "--toggle-collect=$kernel"
	last=$kernel
done
[ -n "$last" ] || {
	echo "plan.json names no kernel" >&2
	exit 1
}
taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')" \
	valgrind --tool=callgrind --dump-instr=yes --cache-sim=yes --branch-sim=yes \
	--callgrind-out-file=callgrind.out "$@" "$program" >&2

# A screen of its own, whose number Xvfb chooses; it has no other window and no window manager.
export HOME="$PWD/home" XDG_CONFIG_HOME="$PWD/home" XDG_RUNTIME_DIR="$PWD/home" LC_ALL=C.UTF-8
mkdir -m 700 home
cat >home/kcachegrindrc <<-'END'
	[MainWindow]
	1280x860 screen: Width=1280
	1280x860 screen: Height=860
	[TipOfDay]
	RunOnStart=false
END
Xvfb -displayfd 1 -screen 0 1280x860x24 -nolisten tcp >display 2>/dev/null &
xvfb=$!
trap 'kill $xvfb' EXIT
while ! [ -s display ]; do
	kill -0 $xvfb
	sleep 0.1
done
DISPLAY=:$(cat display)
export DISPLAY
unset WAYLAND_DISPLAY
dbus-run-session -- kcachegrind callgrind.out >&2 &
timeout 120 xdotool search --sync --onlyvisible --name 'callgrind.out' >window
xdotool windowmove "$(head -n 1 window)" 0 0 windowsize "$(head -n 1 window)" 1280 860

# Sort by the own share of each function, choose the costliest of the kernel by searching for its name, show all again,
# and open its source. The places are those of the window's panels at this size.
press() { xdotool mousemove "$1" "$2" click 1 && sleep 0.5; }
sleep 2
press 105 119
press 130 89
xdotool type "$last"
sleep 1
press 120 139
press 130 89
xdotool key ctrl+a key BackSpace
press 717 99
sleep 1
import -window root kcachegrind.png
