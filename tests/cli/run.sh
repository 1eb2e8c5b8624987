#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Tests of the command: what it says, prints and leaves behind. TAP on stdout;
# exit code 0 when nothing failed.
#
# usage: tests/cli/run.sh [PATTERN]    runs the tests whose names match
#
# XTR (the command) and XTR_BPF_DIR (the objects) say what to test.

set -u

XTR=$(realpath "${XTR:-build/xdp-testrun}")
BPF=$(realpath "${XTR_BPF_DIR:-build/bpf}")
CASES=$BPF/cases
PATHS="call batch veth"
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

# Runs the command; stdout, stderr and exit code go to out, err and $rc.
run() {
	timeout --kill-after=5 120 "$XTR" "$@" > out 2> err
	rc=$?
}

expect_rc() {
	[ "$rc" = "$1" ] || fail "exit code $rc, not $1"
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

# ---- the command line ----------------------------------------------------------

test_help() {
	run --help
	expect_rc 0
	grep -q '^  run ' out || fail "run is not in the help"
	run run --help
	expect_rc 0
	grep -q -- --threads out || fail "--threads is not in the help"
	run clean --help
	expect_rc 0
}

test_version() {
	run --version
	expect_rc 0
	grep -qE '^xdp-testrun [0-9]+\.[0-9]+\.[0-9]+$' out || fail "no version"
	grep -qE '^libbpf v[0-9]' out || fail "no version of libbpf"
	run run --version
	expect_rc 0
}

test_usage_errors() {
	local prog=$BPF/xdp_pass.bpf.o

	run
	expect_error 2 "no command"
	run fly
	expect_error 2 "there is no command 'fly'"
	run run
	expect_error 2 "no program file"
	run run "$prog"
	expect_error 2 "--in FILE or --gen SPEC"
	run run "$prog" --in a --gen b
	expect_error 2 "exclude each other"
	run run "$prog" "$prog" --gen $GEN
	expect_error 2 "one program file at a time"
	run run "$prog" --gen $GEN --nonsense
	expect_error 2 "--nonsense"
	run run "$prog" --gen
	expect_error 2 "--gen"
	run clean rubbish
	expect_error 2 "rubbish"
}

test_numbers_are_strict() {
	local bad

	for bad in 0 -1 1025 12abc "" " 1" 99999999999999999999 1.5; do
		run run "$BPF/xdp_pass.bpf.o" --gen $GEN --threads="$bad"
		expect_error 2 "--threads takes a number from 1 to 1024, not '$bad'"
	done
	run run "$BPF/xdp_pass.bpf.o" --gen $GEN --max-len 13
	expect_error 2 "--max-len"
	run run "$BPF/xdp_pass.bpf.o" --gen $GEN --queue x
	expect_error 2 "--queue"
}

test_choices() {
	local option

	for option in path inject affinity fresh; do
		run run "$BPF/xdp_pass.bpf.o" --gen $GEN --$option nonsense
		expect_error 2 "--$option takes one of"
	done
	run run "$BPF/xdp_pass.bpf.o" --gen $GEN --ifindex nosuchif
	expect_error 2 "no interface 'nosuchif'"
	run run "$BPF/xdp_pass.bpf.o" --gen $GEN --redirect nokey
	expect_error 2 "MAP:KEY"
	run run "$BPF/xdp_pass.bpf.o" --gen $GEN --map novalue
	expect_error 2 "NAME=FILE"
	run run "$BPF/xdp_pass.bpf.o" --gen $GEN --rodata =5
	expect_error 2 "NAME=VALUE"
	run run "$BPF/xdp_pass.bpf.o" --gen $GEN --verdicts-only --out x.pcap
	expect_error 2 "--verdicts-only"
}

# ---- bad programs --------------------------------------------------------------

test_bad_program_files() {
	run run missing.o --gen $GEN
	expect_error 2 "missing.o: cannot open it: No such file"
	run run . --gen $GEN
	expect_error 2 "directory"
	: > empty.o
	run run empty.o --gen $GEN
	expect_error 2 "the file is empty"
	echo "no object" > text.o
	run run text.o --gen $GEN
	expect_error 2 "not even an ELF file"
	run run "$XTR" --gen $GEN
	expect_error 2 "another machine"
	head -c 300 "$BPF/xdp_pass.bpf.o" > cut.o
	run run cut.o --gen $GEN
	expect_rc 2
}

test_bad_programs() {
	run run "$CASES/only_tc.bpf.o" --gen $GEN
	expect_error 2 "no XDP program"
	run run "$CASES/legacy_maps.bpf.o" --gen $GEN
	expect_error 2 "recompile it with BTF maps"
	run run "$CASES/map_progs.bpf.o" --prog devmap_prog --gen $GEN
	expect_error 2 "devmap program: it cannot be run directly"
	run run "$CASES/map_progs.bpf.o" --section xdp/cpumap --gen $GEN
	expect_error 2 "cpumap program: it cannot be run directly"
	run run "$CASES/checksum.bpf.o" --gen $GEN
	expect_error 2 "csum_ipv4, csum_udp"
	run run "$CASES/checksum.bpf.o" --prog nobody --gen $GEN
	expect_error 2 "csum_ipv4, csum_udp"
}

test_verifier_refusal() {
	local path

	need_root
	for path in auto $PATHS; do
		run run "$CASES/verifier_reject.bpf.o" --gen $GEN --path "$path"
		expect_error 2 "the verifier refuses program 'no_bounds_check' (EACCES)"
	done
	run run "$CASES/verifier_reject.bpf.o" --gen $GEN --verbose
	expect_said "debug: libbpf: "
	expect_said "BEGIN PROG LOAD LOG"
}

test_bad_settings() {
	run run "$CASES/global_data.bpf.o" --prog globals --gen $GEN --rodata nobody=1
	expect_error 2 "there are: "
	run run "$CASES/global_data.bpf.o" --prog globals --gen $GEN --set xor_key=4294967296
	expect_error 2 "does not fit"
	run run "$CASES/global_data.bpf.o" --prog globals --gen $GEN --set xor_key=1x
	expect_error 2 "not a number"
	echo '[{"key":[0],"value":[0]}]' > map.json
	run run "$CASES/zero_max_entries.bpf.o" --gen $GEN --map nobody=map.json
	expect_error 2 "its maps: sized_by_loader"
	run run "$CASES/zero_max_entries.bpf.o" --gen $GEN --map sized_by_loader=map.json
	expect_error 2 "a key of 1 bytes, the map has 4"
	run run "$CASES/zero_max_entries.bpf.o" --gen $GEN --map sized_by_loader=missing.json
	expect_error 2 "missing.json"
	need_root
	run run "$CASES/zero_max_entries.bpf.o" --gen $GEN --map-pinned sized_by_loader=/nowhere
	expect_error 2 "/nowhere"
}

# ---- bad packets ---------------------------------------------------------------

test_bad_captures() {
	run run "$BPF/xdp_pass.bpf.o" --in missing.pcap
	expect_error 2 "missing.pcap"
	: > empty.pcap
	run run "$BPF/xdp_pass.bpf.o" --in empty.pcap
	expect_error 2 "empty.pcap"
	echo "no capture, but some text that is long enough" > text.pcap
	run run "$BPF/xdp_pass.bpf.o" --in text.pcap
	expect_error 2 "text.pcap"
	write_pcap 1 > none.pcap
	run run "$BPF/xdp_pass.bpf.o" --in none.pcap
	expect_error 2 "none.pcap"
	write_pcap 101 "64:$(zeros 64)" > raw.pcap
	run run "$BPF/xdp_pass.bpf.o" --in raw.pcap
	expect_error 2 "raw.pcap"
	write_pcap 113 "64:$(zeros 64)" > sll.pcap
	run run "$BPF/xdp_pass.bpf.o" --in sll.pcap
	expect_error 2 "sll.pcap"
}

test_bad_generators() {
	local spec

	for spec in nonsense udp,count=x udp,nonsense=1 udp,count=-1 ""; do
		run run "$BPF/xdp_pass.bpf.o" --gen "$spec"
		expect_rc 2
		[ "$(wc -l < err)" = 1 ] || fail "$spec: $(wc -l < err) lines on stderr"
	done
}

test_odd_frames_are_counted() {
	local path

	need_root
	write_pcap 1 "64:$(zeros 64)" "8:$(zeros 8)" "1000:$(zeros 100)" "13:$(zeros 13)" \
		"14:$(zeros 14)" "9000:$(zeros 9000)" > odd.pcap
	for path in $PATHS; do
		run run "$BPF/xdp_pass.bpf.o" --in odd.pcap --path "$path" --json
		expect_rc 0
		expect_field .packets 3
		expect_field .undersized 2
		expect_field .oversized 1
		expect_field .truncated 1
		expect_field .verdicts.XDP_PASS 3
		expect_said "2 packets left out (the first is number 2)"
		expect_said "xdp.frags"
	done
	write_pcap 1 "8:$(zeros 8)" > short.pcap
	run run "$BPF/xdp_pass.bpf.o" --in short.pcap
	expect_error 2 "no packet could be run: 1 are too short"
}

# ---- results -------------------------------------------------------------------

test_json_fields() {
	local path key

	need_root
	for path in $PATHS; do
		run run "$BPF/xdp_tx.bpf.o" --gen $GEN --path "$path" --threads 2 --json
		expect_rc 0
		[ "$(wc -l < out)" = 1 ] || fail "more than one line on stdout"
		expect_field .path "$path"
		expect_field .threads 2
		expect_field .packets 2000
		expect_field .observed 2000
		expect_field .lost 0
		expect_field .foreign 0
		expect_field .interrupted false
		expect_field .program xdp_tx
		expect_field .kernel "$(uname -r)"
		expect_field '.verdicts | tostring' '{"XDP_TX":2000}'
		for key in seconds setup_seconds mpps; do
			expect_field ".$key > 0" true
		done
		expect_field '(.mpps * .seconds * 1e6 - .observed | fabs) < 20' true
	done
}

test_table() {
	need_root
	run run "$BPF/xdp_drop.bpf.o" --gen $GEN --path call
	expect_rc 0
	grep -qE '^XDP_DROP +2000 +100.00 %$' out || fail "no histogram"
	grep -q 'packets 2000, observed 2000, lost 0' out || fail "no counts"
	[ ! -s err ] || fail "there is something on stderr"
}

test_auto_path() {
	need_root
	run run "$BPF/xdp_drop.bpf.o" --gen $GEN --json
	expect_rc 0
	expect_field .verdicts.XDP_DROP 2000
}

test_odd_verdicts() {
	need_root
	run run "$CASES/verdict.bpf.o" --prog verdict_1234567 --gen $GEN --path call --json
	expect_rc 0
	expect_field .verdicts.INVALID 2000
}

test_stdout_full() {
	need_root
	"$XTR" run "$BPF/xdp_drop.bpf.o" --gen $GEN > /dev/full 2> err
	rc=$?
	expect_rc 3
	expect_said "cannot write the report"
}

test_notes() {
	need_root
	run run "$CASES/custom_section.bpf.o" --gen $GEN --path call --json
	expect_rc 0
	expect_said "note: "
	expect_said "taken for XDP"
	expect_field .verdicts.XDP_TX 2000
	run run "$CASES/zero_max_entries.bpf.o" --gen $GEN --path call
	expect_said "made 1024"
	run run "$CASES/pin_by_name.bpf.o" --gen $GEN --path call --json
	expect_said "not pinned"
	# One map of its own in each run.
	expect_field .verdicts.XDP_PASS 1
	expect_clean
	run run "$CASES/pin_by_name.bpf.o" --gen $GEN --path call --quiet
	[ ! -s err ] || fail "--quiet is not"
}

# What is not the program's fault is no reason to say more than one line.
test_notes_wait() {
	run run "$CASES/custom_section.bpf.o" --gen nonsense
	expect_error 2 nonsense
}

test_empty_maps_hint() {
	need_root
	run run "$CASES/hash.bpf.o" --prog hash_count --gen $GEN --path call
	expect_rc 0
	expect_said "maps are empty: flows"
	run run "$BPF/xdp_pass.bpf.o" --gen $GEN --path call
	[ ! -s err ] || fail "a hint without a reason"
}

# ---- settings ------------------------------------------------------------------

test_rodata() {
	need_root
	run run "$CASES/redirect.bpf.o" --prog devmap_or_tx --gen $GEN --path call --json
	expect_field .verdicts.XDP_TX 2000
	run run "$CASES/global_data.bpf.o" --prog globals --gen $GEN --path call --out a.pcap
	run run "$CASES/global_data.bpf.o" --prog globals --gen $GEN --path call --out b.pcap \
		--set xor_key=0
	expect_rc 0
	! cmp -s a.pcap b.pcap || fail "the variable has no effect"
}

# With an entry for key 0 the program redirects, to lo.
test_map_contents() {
	need_root
	echo '[{"key":[0,0,0,0],"value":[1,0,0,0]}]' > ports.json
	run run "$CASES/redirect.bpf.o" --prog devmap_or_pass --gen $GEN --path call --json
	expect_field .verdicts.XDP_PASS 2000
	run run "$CASES/redirect.bpf.o" --prog devmap_or_pass --gen $GEN --path call --json \
		--map tx_ports=ports.json
	expect_rc 0
	expect_field .verdicts.XDP_REDIRECT 2000
}

# bpftool's own words, there and back.
test_map_from_bpftool() {
	local bpftool

	need_root
	bpftool=$(command -v bpftool || command -v /usr/sbin/bpftool) || skip "needs bpftool"
	mkdir bpffs
	mount -t bpf none bpffs || skip "needs a bpffs"
	trap 'umount bpffs' EXIT
	"$bpftool" map create "$PWD/bpffs/m" type array key 4 value 8 entries 1 name pinned_counter ||
		fail "bpftool cannot create a map"
	"$bpftool" map update pinned "$PWD/bpffs/m" key 0 0 0 0 value 5 0 0 0 0 0 0 0
	"$bpftool" -j map dump pinned "$PWD/bpffs/m" > dump.json
	run run "$CASES/pin_by_name.bpf.o" --gen $GEN --path call --json --map pinned_counter=dump.json
	expect_rc 0
	expect_field .verdicts.XDP_TX 2000
	run run "$CASES/pin_by_name.bpf.o" --gen $GEN --path call --json \
		--map-pinned pinned_counter=bpffs/m
	expect_rc 0
	expect_field .verdicts.XDP_TX 2000
	"$bpftool" map lookup pinned "$PWD/bpffs/m" key 0 0 0 0 -j | jq -r '.value[0:2] | join(" ")' > count
	[ "$(cat count)" = "0xd5 0x07" ] || fail "the pinned map holds $(cat count), not 2005"
}

test_fresh_lane() {
	need_root
	run run "$CASES/pin_by_name.bpf.o" --gen $GEN --path call --threads 2 --json
	expect_field .verdicts.XDP_PASS 1
	run run "$CASES/pin_by_name.bpf.o" --gen $GEN --path call --threads 2 --json --fresh lane
	expect_rc 0
	expect_field .verdicts.XDP_PASS 2
}

# ---- packets after the run -----------------------------------------------------

# The same file from every path, whatever the number of threads.
same_out() {
	local path threads

	run run "$@" --path call --out want.pcap
	expect_rc 0
	for path in $PATHS; do
		for threads in 1 2 8; do
			run run "$@" --path "$path" --threads $threads --out got.pcap
			expect_rc 0
			cmp -s want.pcap got.pcap || fail "$1: call and $path with $threads threads differ"
		done
	done
}

test_out_is_the_same() {
	local name

	need_root
	for name in pass drop tx rewrite parse lb; do
		same_out "$BPF/xdp_$name.bpf.o" --gen mix,count=5000,seed=3,size=64-1400
	done
}

# A program that changes nothing gives back the packets and their times.
test_out_is_the_input() {
	need_root
	run run "$BPF/xdp_pass.bpf.o" --gen $GEN,size=64-1400 --path call --out a.pcap
	expect_rc 0
	run run "$BPF/xdp_drop.bpf.o" --in a.pcap --path call --threads 2 --out b.pcap
	expect_rc 0
	cmp -s a.pcap b.pcap || fail "the packets have changed"
	"$XTR" run "$BPF/xdp_drop.bpf.o" --in - --path call --out c.pcap < a.pcap > out 2> err
	rc=$?
	expect_rc 0
	cmp -s a.pcap c.pcap || fail "standard input makes a difference"
}

test_out_replaces_when_complete() {
	need_root
	echo old > o.pcap
	run run "$BPF/xdp_pass.bpf.o" --gen nonsense --out o.pcap
	expect_rc 2
	[ "$(cat o.pcap)" = old ] || fail "a failed run has touched the file"
	run run "$BPF/xdp_pass.bpf.o" --gen $GEN --out o.pcap
	expect_rc 0
	[ "$(head -c 4 o.pcap | od -An -tx4)" = " a1b23c4d" ] || fail "no nanosecond pcap file"
	[ "$(find . -name 'o.pcap*' | wc -l)" = 1 ] || fail "there is another file"
}

test_out_errors() {
	need_root
	run run "$BPF/xdp_pass.bpf.o" --gen $GEN --out nowhere/o.pcap
	expect_error 2 "nowhere/o.pcap"
	run run "$BPF/xdp_pass.bpf.o" --gen $GEN --out .
	expect_error 2 "directory"
	run run "$BPF/xdp_pass.bpf.o" --gen $GEN --out /dev/full
	[ "$rc" != 0 ] || fail "a full device goes unnoticed"
	[ -c /dev/full ] || fail "/dev/full is gone"
}

# ---- privileges ----------------------------------------------------------------

# As nobody, from a folder that nobody may enter.
test_no_root() {
	local path

	need_root
	need setpriv
	chmod 755 "$TMP" .
	cp "$XTR" xdp-testrun
	cp "$BPF/xdp_pass.bpf.o" .
	for path in auto $PATHS; do
		nobody ./xdp-testrun run xdp_pass.bpf.o --gen $GEN --path "$path" > out 2> err
		rc=$?
		expect_error 3 "missing CAP_BPF, CAP_NET_ADMIN"
	done
	nobody ./xdp-testrun clean > out 2> err
	rc=$?
	expect_rc 0
}

# ---- interruptions -------------------------------------------------------------

interrupt() {
	local path=$1 signal=$2 begin

	start_endless --path "$path" --threads 2 --out o.pcap
	begin=$(date +%s%N)
	kill -"$signal" $pid
	wait $pid
	rc=$?
	expect_rc 130
	[ $((($(date +%s%N) - begin) / 1000000)) -lt 1000 ] || fail "it took more than a second"
	expect_field .interrupted true
	expect_field '.observed > 0' true
	[ "$(find . -name 'o.pcap*' | wc -l)" = 0 ] || fail "there is an incomplete file"
	expect_clean
}

test_interrupt_call() {
	need_root
	interrupt call INT
}

test_interrupt_batch() {
	need_root
	interrupt batch TERM
}

test_interrupt_veth() {
	need_root
	interrupt veth INT
}

# Without --out, which orders outcomes, lanes wait for nobody.
test_interrupt_unordered() {
	local path

	need_root
	for path in $PATHS; do
		start_endless --path "$path" --threads 2
		kill -INT $pid
		wait $pid
		rc=$?
		expect_rc 130
	done
	expect_clean
}

test_kill() {
	local path

	need_root
	for path in $PATHS; do
		start_endless --path "$path" --threads 2 --out o.pcap
		kill -KILL $pid
		wait $pid 2> /dev/null
		expect_clean
		[ "$(find . -name 'o.pcap*' | wc -l)" = 0 ] || fail "there is an incomplete file"
		run run "$BPF/xdp_pass.bpf.o" --gen $GEN --path "$path"
		expect_rc 0
	done
}

test_side_by_side() {
	local path pids i

	need_root
	for path in $PATHS; do
		pids=
		for i in 1 2 3; do
			"$XTR" run "$BPF/xdp_tx.bpf.o" --gen "udp,count=30000,seed=$i" --path "$path" \
				--threads 2 --json > "out$i" 2> "err$i" &
			pids="$pids $!"
		done
		for pid in $pids; do
			wait "$pid" || fail "$path: exit code $?: $(cat err[123])"
		done
		for i in 1 2 3; do
			cp "out$i" out
			expect_field .verdicts.XDP_TX 30000
			expect_field .foreign 0
		done
	done
	expect_clean
}

# ---- clean ---------------------------------------------------------------------

test_clean() {
	need_root
	need ip
	run clean
	expect_rc 0
	# No process has such a number.
	ip netns add xtr-99999999-0 || skip "needs named namespaces"
	ip netns add xtr-$$-0
	run clean
	expect_rc 0
	grep -q xtr-99999999-0 out || fail "it does not say what it removed"
	! grep -q "xtr-$$-0" out || fail "it removed what is in use"
	run clean
	expect_rc 0
	grep -q "nothing to clean" out || fail "it does not say that nothing was there"
	ip netns delete xtr-$$-0 || fail "it removed what is in use"
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
	echo "cli: $passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
}

main "$@"
