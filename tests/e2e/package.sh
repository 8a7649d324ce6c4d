#!/bin/sh
# Tests the unpacked Debian package: manual pages, completions in real shells, and the program with
# its data files: usage: package.sh BUILD_DIR
build=${1:?usage: package.sh BUILD_DIR}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
HOME=$folder LC_ALL=C.UTF-8
export HOME LC_ALL
unset KFORGE_ROOT XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME XDG_STATE_HOME

fail() {
	echo "package: $1" >&2
	exit 1
}

# Without compression, which is dpkg's work alone, and without the list of dependencies, which follows below.
cpack -D CPACK_DEBIAN_COMPRESSION_TYPE=none -D CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF --config "$build/CPackConfig.cmake" \
	-B "$folder/made" >"$folder/log" 2>&1 || fail "$(cat "$folder/log")"
dpkg-deb -x "$folder"/made/*.deb "$folder/root" || exit 1
usr=$folder/root/usr
for file in bin/kforge bin/kforge-worker share/kforge/prompts/problems/softmax.json \
	share/kforge/themes/dark.json share/man/man1/kforge.1.gz share/man/man1/kforge-worker.1.gz \
	share/man/man5/kforge.5.gz share/bash-completion/completions/kforge \
	share/zsh/vendor-completions/_kforge share/fish/vendor_completions.d/kforge.fish \
	share/doc/kforge/copyright share/doc/kforge/changelog.gz share/doc/kforge/README.md; do
	[ -f "$usr/$file" ] || fail "no $file"
done

# Each library that the programs need is in a package, on which theirs depends.
mkdir "$folder/debian"
printf 'Source: kforge\n\nPackage: kforge\nArchitecture: any\n' >"$folder/debian/control"
needed=$(cd "$folder" && dpkg-shlibdeps -O root/usr/bin/kforge root/usr/bin/kforge-worker 2>"$folder/log") ||
	fail "$(cat "$folder/log")"
for library in libc6 libcurl4 libgit2- libncursesw6 libseccomp2 ocl-icd-libopencl1; do
	case $needed in *"$library"*) ;; *) fail "no dependency on $library: $needed" ;; esac
done
grep -q 'SHLIBDEPS "ON"' "$build/CPackConfig.cmake" || fail 'the package would not depend on its libraries'

# The program finds its data files and its worker, in any folder.
PATH=$usr/bin:$PATH
kforge --version | grep -q '^kforge [0-9]' || fail 'no version'
echo broken >"$usr/share/kforge/prompts/problems/linear_gelu.json"
kforge run --headless 2>&1 | grep -q 'not valid JSON' || fail 'kforge reads data files from another folder'
kforge lint "$usr/share/kforge/prompts/problems/softmax.json" >"$folder/log" 2>&1
[ $? -le 1 ] || fail "no worker: $(cat "$folder/log")"

# groff reports no errors in the manual pages.
for page in man1/kforge.1 man1/kforge-worker.1 man5/kforge.5; do
	said=$(zcat "$usr/share/man/$page.gz" | groff -man -Kutf8 -Tutf8 -ww -z 2>&1)
	[ -z "$said" ] || fail "$page: $said"
done

# The program knows every option of its help.
for command in $(bash -c '. "$1"; COMP_WORDS=(kforge ""); COMP_CWORD=1; _kforge kforge "" kforge
	echo "${COMPREPLY[@]}"' - "$usr/share/bash-completion/completions/kforge"); do
	case $command in --*) continue ;; esac
	for option in $(kforge "$command" --help | sed '/^$/q' | grep -o -e '--[a-z-]*'); do
		kforge "$command" "$option=x" --none-such 2>&1 | grep -qF "unrecognized option '$option" &&
			fail "kforge $command has no $option"
	done
done

# zsh completes only in a terminal: run it in zpty, with a compadd that records the matches.
cat >"$folder/spy" <<'END'
compadd() {
	local -a found
	if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
		builtin compadd -O found "$@"
		print -rl -- $found >>$SPIED
	fi
	builtin compadd "$@"
}
END
cat >"$folder/tab" <<'END'
zmodload zsh/zpty
zpty tab zsh -f -i
zpty -w tab "autoload -Uz compinit; fpath=($1 \$fpath); compinit -u -D; source $2"
zpty -w tab "zstyle ':completion:*' insert-tab false; print rea''dy"
zpty -r tab said '*ready*'
zpty -w -n tab "$3"$'\t'
repeat 200; do [[ -s $SPIED ]] && break; sleep 0.05; done
zpty -w -n tab $'\x15print do\'\'ne\n'
zpty -r tab said '*done*'
END

# completes WANTED WORD...: bash, fish and zsh complete the words to WANTED.
completes() {
	wanted=$1
	shift
	said=$(bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		_kforge kforge "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
		printf "%s\n" "${COMPREPLY[@]}"' - "$usr/share/bash-completion/completions/kforge" "$@" | sort | paste -sd " " -)
	[ "$said" = "$wanted" ] || fail "bash: $*: $said"
	said=$(fish --no-config -c "source $usr/share/fish/vendor_completions.d/kforge.fish
		complete -C '$*'" | cut -f1 | sort | paste -sd ' ' -)
	[ "$said" = "$wanted" ] || fail "fish: $*: $said"
	: >"$folder/spied"
	SPIED=$folder/spied zsh -f "$folder/tab" "$usr/share/zsh/vendor-completions" "$folder/spy" "$*"
	said=$(sort -u "$folder/spied" | grep . | paste -sd ' ' -)
	[ "$said" = "$wanted" ] || fail "zsh: $*: $said"
}

mkdir "$folder/empty" && cd "$folder/empty" || exit 1 # no file names here that could match
completes 'replay resume review' kforge re
completes '--policy' kforge run --po
completes 'guided' kforge run --policy g
completes '--recommendations' kforge show --r
