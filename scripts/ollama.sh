#!/usr/bin/env bash
# usage: scripts/ollama.sh [DIR]
#
# Prints the path of an ollama that has what gavel asks for: "truncate" and "shift" in a chat request, and log probabilities. In this order:
#   1. the one in PATH, from version 0.12.11 on;
#   2. the one built in DIR by an earlier run;
#   3. one built in DIR from Ollama's Go module (23 MB, and its dependencies), at the version in go.mod. That takes Go, a C++ compiler, and about
#      four minutes on two cores. Three libraries of headers that the module leaves out come from Debian (5 MB) and are not installed.
#
# DIR            default ${XDG_CACHE_HOME:-~/.cache}/gavel-ci/ollama
# OLLAMA_SUITE   the Debian release to take the headers from, default trixie
#
# The path goes to stdout, everything else to stderr. Exit status: 0, or after one line that says why 77 where there is none to be had here,
# and 1 where what was had does not work.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=llama.sh
source "$here/llama.sh"

module=github.com/ollama/ollama
least=0.12.11

# version_of prints the version of an ollama. With no server running it speaks of the client's version, after a warning.
version_of() { "$1" --version 2>/dev/null </dev/null | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | tail -n 1; }

recent() { [[ $(printf '%s\n' "$least" "$1" | sort -V | head -n 1) == "$least" ]]; }

# build VERSION DIR FILE
build() {
	local version=$1 dir=$2 file=$3 tool tree=$2/tree why
	for tool in go g++; do
		command -v "$tool" >/dev/null || lack "building Ollama takes $tool, which is not in PATH"
	done
	rm -rf "$tree" "${dir:?}/include" "${dir:?}/bin"
	unpack "${OLLAMA_SUITE:-trixie}" "$tree" nlohmann-json3-dev libstb-dev libminiaudio-dev
	# Only the headers asked for: those of the C library that came along are another release's.
	mkdir -p "$dir/include/stb" "$dir/include/miniaudio"
	cp -R "$tree/usr/include/nlohmann" "$dir/include/"
	cp "$tree/usr/include/stb/stb_image.h" "$dir/include/stb/"
	find "$tree/usr/include" -name miniaudio.h -exec cp {} "$dir/include/miniaudio/" \;
	rm -rf "$tree"
	echo "${0##*/}: building $module@$version in $dir; the Go module proxy sends it and its dependencies" >&2
	thrice env GOFLAGS='' GOBIN="$dir/bin" CGO_ENABLED=1 CGO_CPPFLAGS="-I$dir/include" \
		CGO_CFLAGS="-O2 $vectors" CGO_CXXFLAGS="-O2 $vectors" \
		go install -ldflags "-s -w -X=$module/version.Version=${version#v}" "$module@$version" >"$dir/build.log" 2>&1 || {
		# What go says of a module that does not come.
		why=$(grep -m 1 -E 'dial tcp|i/o timeout|connection re(set|fused)|unexpected EOF|no such host|: [45][0-9][0-9] |GOPROXY' "$dir/build.log") &&
			lack "Ollama's module or one that it needs does not come: $why"
		die "the build failed, see $dir/build.log: $(grep -m 1 -E 'error|go:' "$dir/build.log")"
	}
	mv "$dir/bin/ollama" "$file"
}

main() {
	local dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/gavel-ci/ollama} found version vectors=
	(($# <= 1)) || die "usage: scripts/ollama.sh [DIR]"
	if found=$(command -v ollama) && recent "$(version_of "$found")"; then
		echo "$found"
		return
	fi
	version=$(cd "$here/.." && go list -m -f '{{.Version}}' "$module" 2>/dev/null) || version=v0.17.4
	mkdir -p "$dir"
	dir=$(cd "$dir" && pwd)
	exec 9>"$dir/lock"
	flock 9 # two runs at once: the second finds what the first built
	# Of processors with these vectors: without them Ollama reads a tenth as fast.
	if grep -q -w avx2 /proc/cpuinfo 2>/dev/null; then
		vectors=-march=x86-64-v3
	fi
	if [[ $(version_of "$dir/ollama-$version$vectors") != "${version#v}" ]]; then
		build "$version" "$dir" "$dir/ollama-$version$vectors"
	fi
	echo "$dir/ollama-$version$vectors"
}

main "$@"
