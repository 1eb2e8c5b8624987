# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What the tests of the command share. A test file sources this, defines its
# tests and ends with `main "$@"`.
#
# XTR_BUILD says where what is tested was built.

set -u

BUILD=$(realpath "${XTR_BUILD:-build}")
XTR=$BUILD/xdp-testrun
BPF=$BUILD/bpf
# shellcheck disable=SC2034 # for those who source this
CASES=$BPF/cases
# shellcheck disable=SC2034
PATHS="call batch veth"
# shellcheck disable=SC2034
GEN=udp,count=2000,seed=7
ENDLESS=udp,count=4000000000

TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
cd "$TMP" || exit 1

# ---- what all tests use --------------------------------------------------------
# A test is a function test_*. It runs in a subshell with its own folder and
# calls `fail` or `skip`, which end it.

SKIPPED=77

fail() {
	echo "# $*"
	[ ! -s err ] || sed 's/^/#   stderr: /' err
	exit 1
}

skip() {
	echo "# $*"
	exit $SKIPPED
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

need() {
	command -v "$1" > /dev/null || skip "needs $1"
}

# What a kernel may be built or patched without
MISSING_HERE='refuses to inject live frames|cannot use helper bpf_xdp_adjust_meta'

# Runs the command; stdout, stderr and exit code go to out, err and $rc.
run() {
	timeout --kill-after=5 120 "$XTR" "$@" > out 2> err
	rc=$?
	[ "$rc" -lt 2 ] || ! grep -qE "$MISSING_HERE" err || skip "$(tail -n 1 err)"
}

expect_rc() {
	[ "$rc" = "$1" ] || fail "exit code $rc, not $1"
}

# Options for live frames, one element or none; skipping whole tests would lose other ways
live_way() {
	local way="--path veth --inject live"

	# shellcheck disable=SC2086 # options are words
	"$XTR" run "$BPF/xdp_drop.bpf.o" --gen udp,count=1 $way 2>&1 > /dev/null |
		grep -qE "$MISSING_HERE" || echo "$way"
}

need_live() {
	[ -n "$(live_way)" ] || skip "this kernel refuses live frames"
}

need_meta() {
	run run "$CASES/adjust_meta.bpf.o" --prog meta_set_4 --gen udp,count=1
}

# Bad input: this exit code, nothing on stdout, one line on stderr with this in it.
expect_error() {
	expect_rc "$1"
	[ ! -s out ] || fail "there is output: $(head -c 200 out)"
	[ "$(wc -l < err)" = 1 ] || fail "$(wc -l < err) lines on stderr, not one"
	grep -qF -- "$2" err || fail "stderr does not say \"$2\""
}

expect_said() {
	grep -qF -- "$1" err || fail "stderr does not say \"$1\""
}

# A field of the JSON object in out, by a jq expression.
field() {
	jq -r "$1" out || fail "out is not JSON: $(head -c 200 out)"
}

expect_field() {
	local value

	value=$(field "$1")
	[ "$value" = "$2" ] || fail "$1 is $value, not $2"
}

# What a run could leave behind: namespaces with names, pins, links, XDP programs on links.
traces() {
	ip netns list 2> /dev/null | grep '^xtr-'
	find /sys/fs/bpf -mindepth 1 2> /dev/null
	ip -o link show 2> /dev/null | grep -oE '^[0-9]+: [^:]+|xdp.*'
}

# The kernel takes some time to tear down a namespace after its last process.
expect_clean() {
	for _ in $(seq 20); do
		[ "$(traces)" != "$TRACES" ] || return 0
		sleep 0.1
	done
	fail "left behind: $(diff <(echo "$TRACES") <(traces))"
}

# Starts an endless run in the background as $pid, and waits until it is under way.
start_endless() {
	"$XTR" run "$BPF/xdp_pass.bpf.o" --gen $ENDLESS --json "$@" > out 2> err &
	pid=$!
	sleep 1.5
	kill -0 $pid 2> /dev/null || fail "it ended by itself: $(cat out)"
}

nobody() {
	setpriv --reuid=65534 --clear-groups --inh-caps=-all "$@"
}

# Prints a capture file: link type, snap length, then records "length:bytes-in-hex".
write_pcap() {
	python3 - "$@" << 'EOF'
import struct, sys
linktype = int(sys.argv[1])
out = struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, linktype)
for i, record in enumerate(sys.argv[2:]):
    length, data = record.split(':')
    data = bytes.fromhex(data)
    out += struct.pack('<IIII', 1000 + i, i, len(data), int(length)) + data
sys.stdout.buffer.write(out)
EOF
}

zeros() {
	printf '%0*d' $((2 * $1)) 0
}

# ---- running them --------------------------------------------------------------

run_test() {
	local name=$1 log=$TMP/$1.log

	mkdir "$TMP/$name"
	# err and out belong to the test.
	(cd "$TMP/$name" && "$name") > "$log" 2>&1
	case $? in
	0)
		passed=$((passed + 1))
		echo "ok $number - $name"
		;;
	"$SKIPPED")
		skipped=$((skipped + 1))
		echo "ok $number - $name # SKIP $(sed 's/^# //' "$log" | tail -n 1)"
		;;
	*)
		failed=$((failed + 1))
		echo "not ok $number - $name"
		sed 's/^\(# \)*/# /' "$log"
		;;
	esac
}

main() {
	local tests name number=0 passed=0 failed=0 skipped=0

	command -v jq > /dev/null || { echo "Bail out! jq is missing (package jq)"; exit 1; }
	[ -x "$XTR" ] || { echo "Bail out! there is no $XTR; run make"; exit 1; }
	TRACES=$(traces)
	mapfile -t tests < <(declare -F | sed -n 's/^declare -f \(test_.*\)/\1/p' | grep -- "${1:-.}")
	echo "1..${#tests[@]}"
	for name in "${tests[@]}"; do
		number=$((number + 1))
		run_test "$name"
	done
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
}
