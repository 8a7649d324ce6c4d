#!/bin/sh
# The contract of back ends, what is built on it, and the attacks, over every device that there is: usage: everywhere.sh BIN [SECONDS]
# BIN holds the programs of a build; neither that build nor what it took to make it is needed, only this source tree.
# One after the other, so that none disturbs what another measures, each for at most SECONDS (600).  Exits with 1 where
# one failed, and shows the end of what it said.
set -u
bin=$(cd "${1:?usage: everywhere.sh BIN [SECONDS]}" && pwd) || exit 2
seconds=${2:-600}
here=$(cd "$(dirname "$0")" && pwd)
KFORGE_ROOT=$(dirname "$(dirname "$here")")
KFORGE_WORKER=$bin/kforge-worker
KFORGE_FORGING_EXECUTOR=$bin/forging_executor
export KFORGE_ROOT KFORGE_WORKER KFORGE_FORGING_EXECUTOR
logs=$(mktemp -d) || exit 2
trap 'rm -rf "$logs"' EXIT

# try NAME PROGRAM [ARG...]: a line on what came of it; what it said follows where it failed.
try() {
	name=$1 program=$bin/$2
	shift 2
	log=$logs/$(echo "$name" | tr ' :' '__')
	begun=$(date +%s)
	timeout "$seconds" "$program" "$@" >"$log" 2>&1
	status=$?
	case $status in
	0) came=$(grep -aoE '[0-9]+ test\(s\)' "$log" | tail -n 1); came="passed ${came:+(${came% test*})}" ;;
	77) came=skipped ;;
	124) came="FAILED: no end after $seconds s" ;;
	*) came="FAILED with $status" ;;
	esac
	printf '%-36s %s, %s s\n' "$name" "$came" "$(($(date +%s) - begun))"
	case $came in FAILED*) tail -n 40 "$log"; failed=1 ;; esac
}

# try_device ID: what takes one device.
try_device() {
	KFORGE_DEVICE=$1
	export KFORGE_DEVICE
	language=${1%:*}
	try "$1 schedules" test_schedules
	try "$1 attacks" test_attack "$language"
	[ "$language" != opencl ] || try "$1 candidates" test_candidates "$here"/../candidates/[a-z]*.md
}

devices=$("$bin/kforge" devices --json | grep -oE '"id":[[:space:]]*"[^"]*"' | cut -d '"' -f 4)
[ -n "$devices" ] || { echo 'everywhere: no device' >&2; exit 2; }
failed=0
try 'all devices: back ends' test_backend
try 'all devices: contents' test_contents
try 'cuda: beyond the contract' test_cuda
try 'containment' test_containment
for device in $devices; do
	try_device "$device"
done
exit $failed
