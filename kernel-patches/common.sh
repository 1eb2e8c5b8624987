# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What the scripts of this folder share. To be sourced.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # used by the scripts that source this file
top=$(dirname "$here")
cache=${XTR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/xdp-testrun}/kernel

# stdout is for results: everything said on the way goes to stderr
log()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die()
{
	log "$@"
	exit 1
}

# The suite of the Debian archive that has linux-source-VERSION
suite_of()
{
	case $1 in
	6.1)	echo bookworm ;;
	6.12)	echo bookworm-backports ;;
	7.3)	echo trixie-backports ;;
	*)	die "unknown kernel version '$1' (6.1, 6.12 or 7.3)" ;;
	esac
}

# One holder at a time of the named lock, until the script ends
lock()
{
	mkdir -p "$cache/locks"
	exec 9>"$cache/locks/$1"
	flock 9
}
