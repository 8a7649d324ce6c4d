# shellcheck shell=sh
# Functions that ./run and ./check share: install packages on a bare Debian 12, configure and build.
# Stdin and stdout belong to the program that runs in the end, so these functions read nothing and
# print to stderr.

root=$(dirname "$(readlink -f "$0")")

# Purpose (./run, ./run bench, ./check), Debian package, and use.
packages='
run    gcc                      compiles kforge
run    libc6-dev                the C library to compile against
run    cmake                    configures the build
run    ninja-build              runs it
run    pkg-config               finds the libraries below
run    libcjson-dev             JSON
run    libmd-dev                SHA-256
run    libopenblas-pthread-dev  expected values of matrix products, and a baseline
run    ocl-icd-opencl-dev       OpenCL headers and loader
run    pocl-opencl-icd          an OpenCL device on any CPU
run    libseccomp-dev           keeps candidates from system calls that reach others
run    libcurl4-openssl-dev     talks to model servers
run    ca-certificates          so that HTTPS servers are trusted
run    libgit2-dev              every kept candidate is a commit
run    libncurses-dev           the screen
run    libedit-dev              the prompt line
run    ncurses-term             terminfo entries with 24-bit colours
bench  python3                  drives the benchmark
bench  git                      names the commit that is measured
bench  tig                      a screen to compare with
bench  htop                     a screen to compare with
check  libcmocka-dev            unit tests
check  clang                    the second compiler
check  clang-tidy               lints C
check  cppcheck                 lints C
check  clang-format             formats C
check  shellcheck               lints shell
check  git                      reads the history that kforge wrote
check  valgrind                 watches the screen
check  dpkg-dev                 finds what the package depends on
check  file                     tells the package which files are programs
check  groff-base               reads the manual
check  zsh                      reads its completion
check  fish                     completes
check  tmux                     a terminal for the tests of the screen
check  foot-terminfo            terminfo of a terminal that the screen is tested with
check  oclgrind                 finds wrong accesses in OpenCL kernels
check  librsvg2-bin             makes the screenshots in README.md
check  python3                  scripted model servers
check  openssl                  certificates for them
check  libamdhip64-5            compiles HIP, and needs no GPU for it
check  libhiprtc-builtins5      the headers of that compiler
check  faketime                 sets the clock while a session runs
check  munge                    signs what the daemons of Slurm say
check  slurmctld                Slurm, on which suites are run
check  slurmd                   the node of it
check  slurm-client             sbatch, squeue and scontrol
check  openssh-server           a host on which workers are run
check  openssh-client           reaches it
check  python3-numpy            an independent computation of the operations
check  python3-jinja2           an independent rendering of the prompts
check  python3-torch            models in the form of KernelBench
'

say() {
	printf '%s\n' "$*" >&2
}

# Exit with 5: every failure before kforge itself runs ends here.
fail() {
	say "$@"
	exit 5
}

# missing_packages PURPOSE: print the packages that are not installed, one per line.
missing_packages() {
	wanted=$(printf '%s' "$packages" | sed -nE "s/^($1) +([^ ]+).*/\2/p")
	# shellcheck disable=SC2086 # a word is a package
	installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
		sed -n 's/^installed //p')
	printf '%s\n' "$wanted" | grep -vxF -e "$installed" || true
}

# install_packages PURPOSE: install the missing packages for PURPOSE ("run", "run|bench", "run|check").
install_packages() {
	command -v dpkg-query >/dev/null ||
		fail "this is not Debian: install the packages that setup.sh lists, then use --no-install"
	missing=$(missing_packages "$1" | paste -sd ' ' -)
	[ "$missing" ] || return 0
	if [ "$(id -u)" -ne 0 ]; then
		say "missing Debian packages; as root, run:"
		fail "apt-get install --no-install-recommends $missing"
	fi
	say "installing $missing"
	# shellcheck disable=SC2086 # a word is a package
	{
		apt-get update &&
			DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
	} </dev/null >&2 ||
		fail "apt-get did not install the packages; use --no-install to build without them"
}

# True if the folder has a build of this source tree, and not of another one that was copied here.
is_configured() {
	[ -f "$folder/.ninja_log" ] &&
		grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"
}

# True if a source is newer than the last build. Then the progress of ninja is shown.
is_changed() {
	[ "$(cd "$root" && find CMakeLists.txt core backends tui -newer "$folder/.ninja_log" -print -quit)" ]
}

configure_and_build() {
	if ! is_configured; then
		say "building into $folder"
		(cd "$root" && cmake --fresh --preset "$1") && ninja -C "$folder"
	elif is_changed; then
		ninja -C "$folder"
	else
		said=$(ninja --quiet -C "$folder" 2>&1) || fail "$said"
	fi
}

# build PRESET: bring build/PRESET up to date. A lock lets concurrent calls build one after another.
build() {
	folder=$root/build/$1
	{ mkdir -p "$folder" && touch "$folder/lock"; } 2>/dev/null ||
		fail "$folder: not writable; kforge must be built there"
	(flock 9 && configure_and_build "$1") 9>"$folder/lock" </dev/null >&2 ||
		fail "$folder: the build failed, see above"
}

# set_up PURPOSE PRESET [--no-install]: install packages, configure and build. Other third arguments
# are ignored.
set_up() {
	[ "${3-}" = --no-install ] || install_packages "$1"
	build "$2"
}
