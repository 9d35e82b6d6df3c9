#!/usr/bin/env bash
# How fast gavel is, beside what it cannot be faster than. All in one run, on
# one machine: read the ratios, not the seconds.
#
#   scripts/bench.sh            7,000 prompts; a 50 ms stub; a cached run; memory
#   scripts/bench.sh quick      a tenth of it
#   GAVEL_OLD=FILE scripts/bench.sh
#                               measures another gavel too, in turn with this one
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
gavels=("$work/gavel")
[ -z "${GAVEL_OLD:-}" ] || gavels+=("$GAVEL_OLD")
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

# seconds COMMAND...: how long it took; the processor's share goes to the file worked
seconds() {
	local TIMEFORMAT='%3R %3U %3S'
	{ time "$@" >/dev/null 2>"$work/err"; } 2>"$work/took" || { cat "$work/err" >&2; return 1; }
	awk '{ print $2 + $3 }' "$work/took" >"$work/worked"
	awk '{ printf "%s", $1 }' "$work/took"
}

calc() { awk "BEGIN { printf \"%.${2:-2}f\", $1 }"; }

rate() { echo "$(calc "2 * $pairs / $1" 0)/s"; }
least() { calc "$1 < $2 ? $1 : $2" 4; }

pairs=$((3500 / scale))
"$work/bench" pairs -n $pairs >"$work/pairs.jsonl"
run=(run pairwise --model stub --dataset "$work/pairs.jsonl")

echo "== zero-latency stub, $((2 * pairs)) prompts, concurrency 32"
echo "   each asks for the same prompts, rendered from pairs of $(calc "$(stat -c %s "$work/pairs.jsonl") / $pairs / 1000" 1) kB; the bare client is a loop around http.Client that"
echo "   encodes every request and decodes every reply"
start zero
declare -A best
for i in 1 2 3; do
	read -r b worked < <("$work/bench" bare -url "$url" -pairs "$work/pairs.jsonl" -concurrency 32)
	echo "   round $i: bare $(rate "$b"), $worked s of the processor; the stub: $(curl -s "$url/count")"
	best[bare]=$(least "$b" "${best[bare]:-999}")
	for g in "${gavels[@]}"; do
		rm -rf "$work/c1" "$work/r1"
		s=$(seconds "$g" "${run[@]}" --base-url "$url" --concurrency 32 --cache "$work/c1" --out "$work/r1")
		a=$(sed -nE 's/.* judgments in ([0-9.]+)(m?s).*/\1 \2/p' "$work/err" | awk '{ print $2 == "ms" ? $1 / 1000 : $1 }')
		echo "            $g $(rate "$a") while asking, $(rate "$s") from start to exit, $(cat "$work/worked") s of the processor; the stub: $(curl -s "$url/count")"
		best[$g]=$(least "$a" "${best[$g]:-999}")
	done
done
for g in "${gavels[@]}"; do
	echo "   best of three each, requests a second while asking (cache and records written) to those of the bare client: $(calc "${best[bare]} / ${best[$g]}") of $g"
done

echo "== stub of 50 ms, $((2 * pairs)) prompts, concurrency 32"
start slow -delay 50ms
ideal=$(calc "2 * $pairs / 32 * 0.05" 3)
for g in "${gavels[@]}"; do
	rm -rf "$work/c4" "$work/r4"
	s=$(seconds "$g" "${run[@]}" --base-url "$url" --concurrency 32 --cache "$work/c4" --out "$work/r4")
	echo "   $g took ${s} s, ideal ${ideal} s: ratio $(calc "$s / $ideal" 3)  (wanted: at most 1.05)"
done

echo "== second run, 700 judgments, all cached, process start to exit"
head -n 350 "$work/pairs.jsonl" >"$work/350.jsonl"
fast=(run pairwise --model stub --dataset "$work/350.jsonl" --base-url "$(cat "$work/zero")" --cache "$work/c5")
seconds "$work/gavel" "${fast[@]}" --out "$work/first" >/dev/null
for i in 1 2 3 4 5; do
	for g in "${gavels[@]}"; do
		again=$work/again
		[ "$g" = "$work/gavel" ] || again=$work/again-old
		rm -rf "$again"
		c=$(seconds "$g" "${fast[@]}" --out "$again")
		v=$(seconds "$g" --version)
		echo "   $g: from the cache into a new run $(calc "1000 * $c" 0) ms (aim: 60), --version $(calc "1000 * $v" 0) ms"
	done
done
cmp "$work/first/results.json" "$work/again/results.json" && echo "   results.json: the same bytes"

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
