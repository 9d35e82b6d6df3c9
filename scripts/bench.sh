#!/usr/bin/env bash
# How fast gavel is, beside what it cannot be faster than. All in one run, on
# one machine: read the ratios, not the seconds.
#
#   scripts/bench.sh            7,000 prompts; a 50 ms stub; a cached run; memory
#   scripts/bench.sh quick      a tenth of it
#
# Needs Go and GNU time (Debian: time) for the memory figures.
set -euo pipefail
cd "$(dirname "$0")/.."

scale=1
[ "${1:-}" = quick ] && scale=10
work=$(mktemp -d)
pids=()
finish() {
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done
	rm -rf "$work"
}
trap finish EXIT

echo "building" >&2
CGO_ENABLED=0 go build -o "$work/gavel" ./cmd/gavel
CGO_ENABLED=0 go build -o "$work/bench" ./scripts/bench
export XDG_CACHE_HOME=$work/cache XDG_DATA_HOME=$work/data

# start NAME FLAGS...: a stub; its address goes to the variable url
start() {
	local name=$1
	shift
	"$work/bench" stub -url-file "$work/$name" "$@" &
	pids+=($!)
	until [ -s "$work/$name" ]; do sleep 0.02; done
	url=$(cat "$work/$name")
}

# seconds COMMAND...: how long it took
seconds() {
	local t0 t1
	t0=$(date +%s.%N)
	"$@" >/dev/null 2>"$work/err" || { cat "$work/err" >&2; return 1; }
	t1=$(date +%s.%N)
	awk -v a="$t0" -v b="$t1" 'BEGIN { printf "%.3f", b - a }'
}

calc() { awk "BEGIN { printf \"%.${2:-2}f\", $1 }"; }

rate() { echo "$(calc "2 * $pairs / $1" 0)/s"; }
least() { calc "$1 < $2 ? $1 : $2" 4; }

pairs=$((3500 / scale))
"$work/bench" pairs -n $pairs >"$work/pairs.jsonl"
run=("$work/gavel" run pairwise --model stub --dataset "$work/pairs.jsonl")

echo "== zero-latency stub, $((2 * pairs)) prompts, concurrency 8"
echo "   each asks for the same prompts, rendered from pairs of $(calc "$(stat -c %s "$work/pairs.jsonl") / $pairs / 1000" 1) kB; a bare client is a loop around http.Client that"
echo "   encodes every request and decodes every reply, a prebuilt one has encoded them before and throws replies away unread"
start zero
best_bare=999 best_built=999 best_asked=999 best_gavel=999
for i in 1 2 3; do
	b=$("$work/bench" bare -url "$url" -pairs "$work/pairs.jsonl" -concurrency 8)
	p=$("$work/bench" bare -prebuilt -url "$url" -pairs "$work/pairs.jsonl" -concurrency 8)
	g=$(seconds "${run[@]}" --base-url "$url" --concurrency 8 --cache "$work/c$i" --out "$work/r$i")
	a=$(sed -nE 's/.* judgments in ([0-9.]+)(m?s).*/\1 \2/p' "$work/err" | awk '{ print $2 == "ms" ? $1 / 1000 : $1 }')
	echo "   round $i: bare $(rate "$b"), prebuilt $(rate "$p"), gavel $(rate "$a") while asking, $(rate "$g") from process start to exit"
	best_bare=$(least "$b" "$best_bare")
	best_built=$(least "$p" "$best_built")
	best_asked=$(least "$a" "$best_asked")
	best_gavel=$(least "$g" "$best_gavel")
done
echo "   best of three each, gavel's requests a second (cache and records written) to those of"
echo "   the bare client:     $(calc "$best_bare / $best_asked") while asking, $(calc "$best_bare / $best_gavel") with start, reading and scoring  (wanted: at least 0.5, aim 0.7)"
echo "   the prebuilt client: $(calc "$best_built / $best_asked") while asking"

echo "== stub of 50 ms, $((2 * pairs)) prompts, concurrency 32"
start slow -delay 50ms
s=$(seconds "${run[@]}" --base-url "$url" --concurrency 32 --cache "$work/c4" --out "$work/r4")
ideal=$(calc "2 * $pairs / 32 * 0.05" 3)
echo "   took ${s} s, ideal ${ideal} s: ratio $(calc "$s / $ideal" 3)  (wanted: at most 1.05)"

echo "== second run, 700 judgments, all cached, process start to exit"
head -n 350 "$work/pairs.jsonl" >"$work/350.jsonl"
fast=("$work/gavel" run pairwise --model stub --dataset "$work/350.jsonl" --base-url "$(cat "$work/zero")" --cache "$work/c5")
seconds "${fast[@]}" --out "$work/first" >/dev/null
for i in 1 2 3 4 5; do
	c=$(seconds "${fast[@]}" --out "$work/again$i")
	r=$(seconds "${fast[@]}" --out "$work/first")
	echo "   from the cache into a new run: $(calc "1000 * $c" 0) ms; the same run again: $(calc "1000 * $r" 0) ms  (wanted: under 150)"
done
cmp "$work/first/results.json" "$work/again1/results.json" && echo "   results.json: the same bytes"

echo "== peak memory"
if [ -x /usr/bin/time ]; then
	for n in 1000 $((100000 / scale)); do
		"$work/bench" pairs -n "$n" >"$work/mem.jsonl"
		for kind in "--cache $work/cm" --no-cache; do
			# shellcheck disable=SC2086 # two words
			/usr/bin/time -f %M -o "$work/rss" "$work/gavel" run pairwise --model stub --dataset "$work/mem.jsonl" \
				--base-url "$(cat "$work/zero")" --concurrency 8 $kind --out "$work/m" >/dev/null 2>&1
			echo "   $n pairs, ${kind%% *}: $(calc "$(cat "$work/rss") / 1024" 0) MiB"
			rm -rf "$work/m" "$work/cm"
		done
		rm "$work/mem.jsonl"
	done
else
	echo "   (GNU time is not installed)"
fi
