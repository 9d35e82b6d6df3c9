#!/usr/bin/env bash
# usage: scripts/llama.sh [DIR]
#
# Prints the path of a llama-server that runs on this machine. In this order:
#   1. the one in PATH;
#   2. the one unpacked in DIR by an earlier run;
#   3. Debian's package of it, downloaded from the mirror that apt is set up with and unpacked in DIR (20 MB to download, 80 MB on disk).
# Nothing is installed: the packages come from a newer Debian than this machine may run, and keep their own C library beside them.
#
# DIR           default ${XDG_CACHE_HOME:-~/.cache}/gavel-ci/llama
# LLAMA_SUITE   the Debian release to take it from, default forky
#
# The path goes to stdout, everything else to stderr. Exit status: 0, or after one line that says why 77 where there is none to be had here,
# and 1 where what was had does not work.
set -euo pipefail

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# lack ends it where something cannot be had on this machine.
lack() {
	echo "${0##*/}: $*" >&2
	exit 77
}

# thrice runs a command, up to three times until it succeeds: what is far away may answer the next time.
thrice() { "$@" || { sleep 5 && "$@"; } || { sleep 20 && "$@"; }; }

# mirror prints the address of a Debian archive that apt is set up with.
mirror() {
	# shellcheck disable=SC2016 # apt fills it in
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -E '/debian/?$' | head -n 1 | grep . ||
		lack "apt knows no Debian mirror (an address that ends in /debian) on this machine"
}

# unpack SUITE DIR PACKAGE... unpacks the packages, and all that they depend on, as a tree below DIR. It leaves the system's package lists,
# its cache and its record of what is installed alone. ollama.sh uses it too.
unpack() {
	local suite=$1 dir=$2 tmp site keys=/usr/share/keyrings/debian-archive-keyring.gpg
	shift 2
	command -v apt-get >/dev/null || lack "no apt-get here, so $* cannot be had from Debian; a server of your own in PATH is used instead"
	[[ -r $keys ]] || lack "$keys is missing: install debian-archive-keyring"
	site=$(mirror)
	mkdir -p "$dir"
	tmp=$(mktemp -d "$dir.XXXXXX")
	# shellcheck disable=SC2064 # the folder as it is named now
	trap "rm -rf '$tmp'" EXIT
	mkdir -p "$tmp/state/lists/partial" "$tmp/cache/archives/partial"
	: >"$tmp/status"
	echo "deb [signed-by=$keys] $site $suite main" >"$tmp/sources.list"
	local apt=(apt-get -q -y -o APT::Sandbox::User=root -o Debug::NoLocking=true -o Acquire::Languages=none
		-o APT::Update::Error-Mode=any
		-o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false -o "Dir::State=$tmp/state" -o "Dir::State::status=$tmp/status"
		-o "Dir::Cache=$tmp/cache" -o "Dir::Etc::SourceList=$tmp/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null)
	echo "${0##*/}: reading the package list of Debian $suite at $site" >&2
	thrice "${apt[@]}" update >"$tmp/log" 2>&1 || lack "the package list cannot be read: $(grep -m 1 '^[EW]:' "$tmp/log")"
	local install=(install --no-install-recommends)
	"${apt[@]}" "${install[@]}" --print-uris "$@" >"$tmp/uris" 2>"$tmp/log" || lack "$suite does not have $*: $(grep -m 1 '^E:' "$tmp/log")"
	awk -v me="${0##*/}" -v dir="$dir" -v what="$*" -v q="'" \
		'index($1, q) == 1 { n++; bytes += $3 } END { printf "%s: downloading %d packages, %.1f MB, for %s, into %s\n", me, n, bytes/1e6, what, dir }' \
		"$tmp/uris" >&2
	thrice "${apt[@]}" "${install[@]}" --download-only "$@" >"$tmp/log" 2>&1 || lack "the download failed: $(grep -m 1 '^E:' "$tmp/log")"
	local deb
	for deb in "$tmp"/cache/archives/*.deb; do
		dpkg --extract "$deb" "$dir"
	done
	rm -rf "$tmp"
	trap - EXIT
}

# works tells whether a llama-server starts at all.
works() { "$1" --version >/dev/null 2>&1; }

# wrap DIR writes DIR/llama-server, which runs the program in DIR/tree with the C library unpacked beside it.
wrap() {
	local dir=$1 lib loader
	lib=$dir/tree/usr/lib/$(uname -m)-linux-gnu
	loader=$(find "$lib" -maxdepth 1 -name 'ld-linux-*.so.*' | head -n 1)
	[[ $loader ]] || die "no loader in $lib: libc6 looks different from what this script knows"
	# llama.cpp looks for its CPU backends in the system's library folder, which stays untouched here, and then beside the program that
	# runs, which is the loader. It takes the one that suits the processor best.
	ln -sf "$lib"/ggml/backends*/*.so "$lib/"
	cat >"$dir/llama-server.new" <<-END
		#!/bin/sh
		exec '$loader' --library-path '$lib:$lib/llama' '$dir/tree/usr/bin/llama-server' "\$@"
	END
	chmod +x "$dir/llama-server.new"
	works "$dir/llama-server.new" || die "the unpacked llama-server does not start: $("$dir/llama-server.new" --version 2>&1 | head -n 1)"
	mv "$dir/llama-server.new" "$dir/llama-server" # last, so that what is there is whole
}

main() {
	local dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/gavel-ci/llama} found
	(($# <= 1)) || die "usage: scripts/llama.sh [DIR]"
	if found=$(command -v llama-server) && works "$found"; then
		echo "$found"
		return
	fi
	mkdir -p "$dir"
	dir=$(cd "$dir" && pwd)
	exec 9>"$dir/lock"
	flock 9 # two runs at once: the second finds what the first unpacked
	if ! works "$dir/llama-server"; then
		rm -rf "$dir/tree"
		unpack "${LLAMA_SUITE:-forky}" "$dir/tree" llama.cpp-tools
		wrap "$dir"
	fi
	echo "$dir/llama-server"
}

# ollama.sh reads this file for unpack, thrice, lack and die.
if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
	main "$@"
fi
