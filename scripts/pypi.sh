#!/usr/bin/env bash
# usage: scripts/pypi.sh litellm|llamacpp [DIR]
#
# Prints the Python of an environment with a server that PyPI has: LiteLLM's proxy, or llama-cpp-python's server. It makes the
# environment in DIR where it is not there; llama-cpp-python is compiled, which takes a C++ compiler and ten minutes.
#
# DIR   default ${XDG_CACHE_HOME:-~/.cache}/gavel-ci/NAME
#
# The path goes to stdout, everything else to stderr. Exit status: 0, or after one line that says why 77 where the server
# cannot be had, or 2 for a usage error.
set -euo pipefail
name=${1:-}
case $name in
litellm) package='litellm[proxy]==1.108.7' ;;
llamacpp) package='llama-cpp-python[server]==0.3.36' ;;
*)
	echo 'usage: scripts/pypi.sh litellm|llamacpp [DIR]' >&2
	exit 2
	;;
esac
dir=${2:-${XDG_CACHE_HOME:-$HOME/.cache}/gavel-ci/$name}

lack() {
	echo "pypi.sh: $*" >&2
	exit 77
}

if [[ ! -e $dir/installed ]]; then
	command -v python3 >/dev/null || lack "$package takes python3, which is not in PATH"
	rm -rf "$dir"
	python3 -m venv "$dir" >&2 || lack "python3 makes no environment in $dir"
	echo "pypi.sh: installing $package in $dir" >&2
	"$dir/bin/pip" install -q "$package" >"$dir/log" 2>&1 || lack "$package cannot be had: $(tail -n 1 "$dir/log")"
	touch "$dir/installed"
fi
echo "$dir/bin/python"
