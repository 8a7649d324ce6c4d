#!/bin/sh
# Runs DEMO (workbench_demo) with each key script in this folder, without a terminal, and compares the
# screens that the scripts save: usage: play.sh DEMO SOURCE_DIR [--update]
#
# Text is compared with tests/golden/screens/, pictures with screenshots/TOPIC/ (a script names a picture
# with its topic). --update replaces both, makes a PNG of each picture, and stores digests of SVG and PNG.
# NAME.keys starts at the stage NAME of the sample session (tests/golden/sample_session.h). NAME.ascii.keys
# runs in an ASCII locale, NAME.mono.keys without colours, NAME.empty.keys in a folder without problems and
# sessions. suite*.keys have a suite that is under way (make_suite.py).
set -u
demo=${1:?usage: play.sh DEMO SOURCE_DIR [--update]}
KFORGE_ROOT=${2:?usage: play.sh DEMO SOURCE_DIR [--update]}
golden=$KFORGE_ROOT/tests/golden/screens
pictures=$KFORGE_ROOT/screenshots
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# A few problems and one recorded session, so that new ones change no picture.
mkdir -p "$folder/root/prompts/problems" "$folder/data/kforge" "$folder/empty"
ln -s "$KFORGE_ROOT/themes" "$folder/root/themes"
ln -s "$KFORGE_ROOT/prompts/sessions" "$folder/root/prompts/sessions"
for problem in add_rmsnorm attention layernorm linear_gelu matmul_square saxpy softmax transpose; do
	cp "$KFORGE_ROOT/prompts/problems/$problem.json" "$folder/root/prompts/problems"
done
cp -r "$KFORGE_ROOT/tests/screens/sessions" "$folder/data/kforge"
mkdir "$folder/own"
sed 's/"name": "saxpy"/"name": "mine"/' "$KFORGE_ROOT/prompts/problems/saxpy.json" >"$folder/own/mine.json"
source=$KFORGE_ROOT
KFORGE_ROOT=$folder/root
XDG_DATA_HOME=$folder/data
XDG_CONFIG_HOME=$folder/config
XDG_STATE_HOME=$folder/state
export KFORGE_ROOT XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME
unset NO_COLOR TMUX
failed=0

# The topics of the pictures, as the scripts name them.
topics=$(sed -nE 's|^:screen ([a-z]+)/.*|\1|p' "$source"/tests/screens/*.keys | sort -u)
for topic in $topics; do
	mkdir -p "$folder/$topic"
	[ "${3-}" != --update ] || mkdir -p "$pictures/$topic"
done

for script in "$source"/tests/screens/*.keys; do
	name=$(basename "$script" .keys)
	locale=C.UTF-8 colours='' place=$folder
	case $name in *.ascii) locale=C ;; *.mono) colours=none ;; *.empty) place=$folder/empty ;; esac
	(
		cd "$folder" || exit 1
		set -- "$demo" "${name%%.*}" "$script"
		case $name in suite*) place=$folder/suites &&
			set -- /usr/bin/python3 -B "$source/tests/screens/make_suite.py" "$source" "$place/data" -- "$@" ;; esac
		KFORGE_ROOT=$folder/root
		[ "$place" = "$folder/empty" ] && KFORGE_ROOT=$place/root
		XDG_DATA_HOME=$place/data NO_COLOR=$colours LC_ALL=$locale "$@" >/dev/null
	) || failed=1
done

# home FILE: print the path of the stored copy of a file.
home() {
	case $1 in
	*.svg) echo "$pictures/$1" ;;
	*) echo "$golden/$1" ;;
	esac
}

cd "$folder" || exit 1
for file in *.txt *.ansi */*.svg; do
	kept=$(home "$file")
	if [ "${3-}" = --update ]; then
		cp "$file" "$kept"
		[ "$file" = "${file%.svg}" ] || rsvg-convert "$file" -o "${kept%.svg}.png"
	elif ! cmp -s "$file" "$kept"; then
		echo "play: $kept differs; build the target screenshots and check the differences:" >&2
		diff "$kept" "$file" | head -n 40 >&2
		failed=1
	fi
done
for file in $(cd "$golden" && echo *) $(cd "$pictures" && for topic in $topics; do echo "$topic"/*.svg; done); do
	[ -f "$file" ] || { echo "play: $(home "$file"): no script makes this file; remove it" >&2; failed=1; }
done

# Each PNG must be made from the current SVG: check the digests that --update stored for both.
cd "$pictures" || exit 1
pairs=$(for topic in $topics; do echo "$topic"/*.svg "$topic"/*.png; done)
# shellcheck disable=SC2086 # a word is a file
[ "${3-}" = --update ] && sha256sum -- $pairs >made.sha256
sha256sum --quiet --strict -c made.sha256 >&2 || failed=1
for kept in $pairs; do
	{ [ -f "${kept%.*}.png" ] && grep -q "  $kept\$" made.sha256; } ||
		{ echo "play: $pictures/$kept: SVG, PNG or digest is missing; build the target screenshots" >&2; failed=1; }
done
exit $failed
