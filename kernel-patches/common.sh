# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What the scripts of this folder share. To be sourced.

set -euo pipefail

# The kernel's makefiles must not take themselves for a part of ours
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES

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

# The folder of a variant. All of series@1, series@2 ... share one, so that a step
# rebuilds what its patch touches.
tree_of()
{
	echo "$cache/$1/${2%@*}"
}

# Sets patches to those that make a variant of a version, in order
find_patches()
{
	local version=$1 variant=$2

	shopt -s nullglob
	patches=()
	case $variant in
	stock)	return ;;
	patched|debug|selftests)
		patches=("$here/$version"/0*.patch)
		patches=("${patches[@]:1}") ;; # without the cover letter
	series@[1-9])
		patches=("$here/$version"/0*.patch)
		patches=("${patches[@]:1:${variant#*@}}") ;;
	2021)	patches=("$here/2021/$version.patch") ;;
	*)	die "unknown variant '$variant' (stock, patched, 2021, debug, series@N or selftests)" ;;
	esac
	[ ${#patches[@]} -gt 0 ] || die "no patches for $version $variant"
}

# One holder at a time of the named lock, until the script ends
lock()
{
	mkdir -p "$cache/locks"
	exec 9>"$cache/locks/$1"
	flock 9
}
