#!/usr/bin/env bash
# usage: scripts/check.sh [--no-servers]
#
# The whole check, one step after another, with the time each took. A step that fails does not keep the next ones from running; the summary
# at the end says which failed.
#
#   format       gofmt finds nothing to do
#   modules      go.mod and go.sum are tidy, and what was downloaded is what go.sum says
#   vet          go vet
#   staticcheck  at the version below, built from its Go module
#   scripts      shellcheck of every shell script; left out where there is no shellcheck
#   test         go test ./...
#   race         go test -race ./...
#   fuzz         every Fuzz… target there is, for a short while each
#   build        without cgo, for Linux, macOS and Windows, amd64 and arm64
#   servers      the tests named …Servers… against llama.cpp's server and Ollama (scripts/servers.sh); --no-servers leaves them out
#   browser      the pages of gavel serve in Chromium, looked at by axe-core (scripts/browser.sh), with a run on llama.cpp's server unless
#                --no-servers
#
# CHECK_FUZZ_TIME  how long each fuzz target runs, default 5s
#
# It needs Go. Where it is root on a Debian and chromium, g++ (for the race detector, and to build Ollama) or shellcheck is missing, it
# installs them; elsewhere it says what is missing. axe-core comes from npm. The servers are downloaded and built once and then kept, see scripts/llama.sh and scripts/ollama.sh:
# that is the longest part of a first run.
#
# Exit status: 0 if every step passed, 1 if one failed, 2 for a usage error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.1
fuzz_time=${CHECK_FUZZ_TIME:-5s}
targets=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64)

servers=yes
case "$*" in
'') ;;
--no-servers) servers=no ;;
*)
	echo 'usage: scripts/check.sh [--no-servers]' >&2
	exit 2
	;;
esac

command -v go >/dev/null || {
	echo 'check.sh: go is not in PATH' >&2
	exit 1
}
scratch=$(mktemp -d)
export SERVERS_DIR=$scratch/servers # servers of this check's own, whatever else runs here

leave() {
	if [[ -d $SERVERS_DIR ]]; then
		scripts/servers.sh stop || true
	fi
	rm -rf "$scratch" || true # a server on its way out may still write there: no matter for the exit status
}
trap leave EXIT
signals() { trap 'exit 130' INT && trap 'exit 143' TERM; }
signals

# say prints what is about to be run, and runs it.
say() {
	echo "\$ $*"
	"$@"
}

# fetching runs a command that may have to download Go modules: once more, and once again, where that broke off.
fetching() {
	local try
	for try in 1 2 3; do
		say "$@" 2>&1 | tee "$scratch/fetched" && return
		if ((try == 3)) || ! grep -qE 'dial tcp|timeout|connection re(set|fused)|unexpected EOF|stream error|: 5[0-9][0-9] ' "$scratch/fetched"; then
			return 1
		fi
		echo 'a download broke off: once more'
		sleep $((10 * try))
	done
}

# skipped ends a step that cannot be made here.
skipped() {
	echo "left out: $*"
	exit 77
}

# tools installs what is missing, where that can be done without asking.
tools() {
	local missing=()
	command -v g++ >/dev/null || missing+=(g++)
	command -v shellcheck >/dev/null || missing+=(shellcheck)
	((${#missing[@]})) || return 0
	if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
		echo "check.sh: missing: ${missing[*]}" >&2
		return 0
	fi
	echo "check.sh: installing ${missing[*]}" >&2
	local apt=(apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=5)
	# An update that fails may have got what the install needs.
	if ! { "${apt[@]}" update; DEBIAN_FRONTEND=noninteractive "${apt[@]}" install --no-install-recommends "${missing[@]}"; } \
		>"$scratch/apt.log" 2>&1 </dev/null; then
		echo "check.sh: that failed, the steps that need them will too: $(grep -m 1 '^E:' "$scratch/apt.log")" >&2
	fi
}

shell_scripts() { find .ci scripts -type f \( -name '*.sh' -o -path .ci/run \) | sort; }

check_format() {
	local found
	found=$(gofmt -l .)
	[[ -z $found ]] || {
		echo "not formatted; gofmt -w mends it:"
		echo "$found"
		return 1
	}
}

check_modules() {
	fetching go mod tidy -diff
	say go mod verify
}

check_vet() { say go vet ./...; }

check_staticcheck() { fetching go run "$staticcheck" ./...; }

check_scripts() {
	local scripts
	command -v shellcheck >/dev/null || skipped 'there is no shellcheck here'
	mapfile -t scripts < <(shell_scripts)
	say shellcheck -x "${scripts[@]}"
}

# The results that Go remembers are of this machine's earlier runs; here every test is to run.
# A test that waits for what never comes is ended by the time limit; it is no limit for a slow machine.
check_test() { GOFLAGS="${GOFLAGS:-} -count=1" say go test -timeout 30m ./...; }

check_race() { CGO_ENABLED=1 say go test -race -count=1 -timeout 30m ./...; }

# fuzz_targets prints a line "package target" for each.
fuzz_targets() { go test -list '^Fuzz' ./... | awk '/^Fuzz/ { name[n++] = $1 } /^ok/ { for (i = 0; i < n; i++) print $2, name[i]; n = 0 }'; }

check_fuzz() {
	local package target status=0 n=0
	fuzz_targets >"$scratch/targets"
	while read -r package target; do
		n=$((n + 1))
		fuzz "$package" "$target" || status=1
	done <"$scratch/targets"
	echo "$n fuzz targets, $fuzz_time each"
	return $status
}

# fuzz runs one target. Inputs are made smaller with 20 tries and not, as by default, for up to a minute each: of the few seconds of a short
# run hardly any were left for new ones. When its time is up, Go's fuzzer now and then fails with its own deadline, with no input that fails
# (https://go.dev/issue/75804, mended in Go 1.27), the oftener the busier the machine: then once more.
fuzz() {
	local try
	for try in 1 2 3 4 5; do
		say go test -run '^$' -fuzz "^$2\$" -fuzztime "$fuzz_time" -fuzzminimizetime 20x "$1" </dev/null 2>&1 | tee "$scratch/fuzz" && return
		if ((try == 5)) || grep -q 'Failing input written' "$scratch/fuzz" || ! grep -q '^ *context deadline exceeded$' "$scratch/fuzz"; then
			return 1
		fi
		echo 'that was the fuzzer, not an input: once more'
	done
}

check_build() {
	local target
	for target in "${targets[@]}"; do
		say env CGO_ENABLED=0 GOOS="${target%/*}" GOARCH="${target#*/}" go build -o "$scratch/gavel-${target/\//-}" ./cmd/gavel
	done
}

check_servers() {
	local urls
	[[ $servers == yes ]] || skipped '--no-servers'
	echo '$ scripts/servers.sh start'
	urls=$(scripts/servers.sh start)
	echo "$urls"
	eval "$urls"
	if say go test ./cmd/gavel -run Servers -count=1 -v -timeout 30m; then
		scripts/servers.sh stop ollama # the browser's runs ask llama.cpp
		return
	fi
	echo 'the end of what the servers had to say:'
	tail -n 20 "$SERVERS_DIR"/*.log
	return 1
}

check_browser() {
	local urls=''
	if [[ $servers == yes ]]; then
		urls=$(scripts/servers.sh start llama)
		eval "$urls"
	fi
	say scripts/browser.sh -v
}

steps=(format modules vet staticcheck scripts test race fuzz build servers browser)
summary=()
failed=()

# step runs one of them in a shell of its own, in which the first command that fails ends it. ("if step" would turn that off.)
step() {
	local name=$1 start=$SECONDS status word
	echo "=== $name"
	set +e
	(
		set -e
		signals # the shell of the step has no traps yet; without one Ctrl-C would only end the fuzz target at work
		"check_$name"
	)
	status=$?
	set -e
	case $status in
	0) word=passed ;;
	77) word='left out' ;;
	*)
		word=FAILED
		failed+=("$name")
		;;
	esac
	echo "--- $name: $word, $((SECONDS - start)) s"
	echo
	summary+=("$(printf '  %-12s %-9s %5d s' "$name" "$word" $((SECONDS - start)))")
}

echo "$(go version), $(getconf _NPROCESSORS_ONLN) processors"
tools
for name in "${steps[@]}"; do
	step "$name"
done

echo '=== summary'
printf '%s\n' "${summary[@]}"
if ((${#failed[@]})); then
	echo "check.sh: FAILED after $SECONDS s: ${failed[*]}"
	exit 1
fi
echo "check.sh: all well after $SECONDS s"
