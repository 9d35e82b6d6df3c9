#!/usr/bin/env bash
# usage: scripts/pictures.sh
#
# Takes the pictures of the README anew: it makes the runs of "gavel demo", which are of published judges, serves them,
# and has Chromium without a window look at the leaderboard and at the page of a run, light and dark. They go to
# docs/images.
#
# GAVEL_CHROMIUM     the browser's command, if it is not to be looked for
# GAVEL              gavel itself, if it is not to be built
#
# Exit status: 0; 1 after a line that says what went wrong; 77 where there is no Chromium.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

most=200000 # bytes of a picture
addr=127.0.0.1:7079

say() { echo "pictures.sh: $*" >&2; }

browser=${GAVEL_CHROMIUM:-}
for name in chromium chromium-browser google-chrome-stable google-chrome; do
	[ -n "$browser" ] || browser=$(command -v "$name" || true)
done
if [ -z "$browser" ]; then
	say 'there is no Chromium here: install it, or name it with GAVEL_CHROMIUM'
	exit 77
fi

work=$(mktemp -d)
server=
finish() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT

gavel=${GAVEL:-$work/gavel}
[ -n "${GAVEL:-}" ] || CGO_ENABLED=0 go build -o "$gavel" ./cmd/gavel
export XDG_CACHE_HOME=$work/cache XDG_DATA_HOME=$work/data XDG_CONFIG_HOME=$work/config
"$gavel" demo --out "$work/runs" >/dev/null 2>&1
"$gavel" serve --runs "$work/runs" --addr "$addr" --read-only 2>"$work/log" &
server=$!
for _ in $(seq 100); do
	curl -sf -o /dev/null "http://$addr/healthz" && break
	sleep 0.1
done

# picture NAME WIDTH HEIGHT PATH SCHEME, where 0 is dark and 1 light
picture() {
	local out=docs/images/$1.png
	curl -sf -o /dev/null "http://$addr$4" # which asks for what is computed in the background
	sleep 2
	timeout 60 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
		--force-color-profile=srgb --blink-settings=preferredColorScheme="$5" --window-size="$2,$3" \
		--screenshot="$work/$1.png" "http://$addr$4" 2>"$work/browser" ||
		{ say "Chromium took no picture: $(tail -n 1 "$work/browser")"; exit 1; }
	local size
	size=$(wc -c <"$work/$1.png")
	if ((size > most)); then
		say "$1.png has $size bytes, and may have $most"
		exit 1
	fi
	mv "$work/$1.png" "$out"
	say "$out: $size bytes"
}

mkdir -p docs/images
picture leaderboard 1120 892 / 1
picture leaderboard-dark 1120 892 / 0
picture run 1120 892 /runs/llmbar-llama-3.1-70b 1
picture run-dark 1120 892 /runs/llmbar-llama-3.1-70b 0
