#!/usr/bin/env bash
# usage: scripts/browser.sh [go test's arguments]
#
# Runs the tests named TestBrowser… of ./internal/cli, which look at the pages of "gavel serve" in Chromium without a window. In this order:
#   1. Chromium: the command in PATH, else Debian's package, which is installed where that can be done without asking (root, apt-get);
#   2. axe-core, which looks for what keeps people from using a page: its npm package, kept in DIR. It is only run, never part of gavel
#      (MPL-2.0). Where npm is missing or cannot get it, the tests do without and say so, unless BROWSER_AXE is "must";
#   3. go test -count=1 -run '^TestBrowser'.
#
# GAVEL_CHROMIUM     the browser's command, if it is not to be looked for
# GAVEL_AXE          axe-core's axe.min.js, if it is not to be fetched
# GAVEL_SCREENSHOTS  a folder for pictures of the pages, default none
# GAVEL_TEST_NIGHTLY if set, or with pictures: every page light and dark, wide and narrow; else light and wide, and dark and narrow
# GAVEL_LLAMA_URL    llama.cpp's server (scripts/servers.sh): a run is made on it too
# BROWSER_AXE        must: without axe-core it is a failure
# BROWSER_DIR        DIR, default ${XDG_CACHE_HOME:-~/.cache}/gavel-ci/axe
#
# Exit status: that of the tests, 1 after a line that says what went wrong, or 77 where there is no Chromium and none can be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

axe=4.14.1
dir=${BROWSER_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/gavel-ci/axe}

say() { echo "browser.sh: $*" >&2; }

die() {
	say "$*"
	exit 1
}

# lack ends it where there is no browser to be had.
lack() {
	say "$*"
	exit 77
}

# thrice runs a command, up to three times until it succeeds: what is far away may answer the next time.
thrice() { "$@" || { sleep 5 && "$@"; } || { sleep 20 && "$@"; }; }

# browser prints the command of a browser that is there.
browser() {
	local name
	for name in chromium chromium-browser google-chrome-stable google-chrome; do
		command -v "$name" && return
	done
	return 1
}

install_browser() {
	if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
		lack 'there is no Chromium here: install it, or name it with GAVEL_CHROMIUM'
	fi
	say 'installing chromium'
	local log apt=(apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=5)
	log=$(mktemp)
	# An update that fails may have got what the install needs. The fonts are what pages are read in.
	"${apt[@]}" update >"$log" 2>&1 </dev/null || true
	DEBIAN_FRONTEND=noninteractive thrice "${apt[@]}" install --no-install-recommends chromium fonts-dejavu-core >>"$log" 2>&1 </dev/null ||
		lack "that failed: $(grep -m 1 '^E:' "$log")"
	rm -f "$log"
}

# fetch_axe gets axe-core as npm is set up to; a package whose sum is not the registry's is refused by npm.
fetch_axe() {
	local tmp
	command -v npm >/dev/null || { say 'npm is missing'; return 1; }
	mkdir -p "$dir"
	tmp=$(mktemp -d "$dir/new.XXXXXX")
	if (cd "$tmp" && thrice timeout 120 npm pack --silent "axe-core@$axe" >log 2>&1 && tar -xzf "axe-core-$axe.tgz" package/axe.min.js); then
		mv "$tmp/package/axe.min.js" "$dir/axe-$axe.min.js"
		rm -rf "$tmp"
		return
	fi
	say "axe-core $axe cannot be had: $(grep -m 1 -i 'err' "$tmp/log" 2>/dev/null || tail -n 1 "$tmp/log" 2>/dev/null)"
	rm -rf "$tmp"
	return 1
}

if [[ -z ${GAVEL_CHROMIUM:-} ]]; then
	GAVEL_CHROMIUM=$(browser) || {
		install_browser
		GAVEL_CHROMIUM=$(browser) || lack 'chromium was installed, yet there is no command of that name'
	}
fi
if [[ -z ${GAVEL_AXE:-} ]]; then
	if [[ -s $dir/axe-$axe.min.js ]] || fetch_axe; then
		GAVEL_AXE=$dir/axe-$axe.min.js
	elif [[ ${BROWSER_AXE:-} == must ]]; then
		die 'without axe-core the pages are not checked for what keeps people out'
	fi
fi
export GAVEL_CHROMIUM GAVEL_AXE=${GAVEL_AXE:-}
say "$("$GAVEL_CHROMIUM" --version 2>/dev/null | head -n 1), axe-core ${GAVEL_AXE:-missing}"
exec go test ./internal/cli -count=1 -timeout 20m -run '^TestBrowser' "$@"
