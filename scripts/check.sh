#!/usr/bin/env bash
# usage: scripts/check.sh [--no-servers] [--nightly]
#
# The whole check, one step after another, with the time each took. A step that fails does not keep the next ones from
# running; the summary at the end says which failed.
#
#   format       gofmt finds nothing to do
#   modules      go.mod and go.sum are tidy, and what was downloaded is what go.sum says
#   vet          go vet
#   lint         golangci-lint at the version below, built from its Go module: staticcheck, and what belongs to internal/cli
#                (.golangci.yml); where it cannot be had, staticcheck alone
#   vulnerable   govulncheck, where the database of vulnerabilities can be reached; docs/dependencies.md has what is linked
#   scripts      shellcheck of every shell script
#   fresh        a copy of this tree alone in a folder, with an empty HOME and an empty module cache: go run ./cmd/gavel demo
#   test         go test ./... in that copy, with no published data beside it, no module to download, and no network but loopback
#   rest         here, with the data in ../shared/data: the tests that left something out in that copy, for want of data or,
#                where the package changed in a day, because it takes long (GAVEL_TEST_LONG)
#   race         go test -race, without the tests named below, and of the commands those in which goroutines meet
#   fuzz         for a short while each Fuzz… target of the packages that changed in a day (more than their other
#                tests), by night of all
#   build        without cgo for Windows, by night for six targets
#   release      a release as .goreleaser.yaml has it, unpublished: six binaries, archives, packages, checksums (scripts/release.sh)
#   servers      the tests named …Servers… against llama.cpp's server and Ollama (scripts/servers.sh), those of shards also on Slurm
#                (scripts/slurm.sh) and GNU parallel; --no-servers leaves them out
#   engines      by night SmolLM2, a small instruction model, in llama.cpp, Ollama and vLLM on the CPU: every protocol, the doctor, a kill,
#                and whether they agree (scripts/smollm.sh, scripts/vllm.sh); a run on llama-cpp-python, LiteLLM (scripts/pypi.sh)
#                and transformers serve
#   browser      the pages of gavel serve in Chromium, looked at by axe-core (scripts/browser.sh), with a run on llama.cpp's server unless
#                --no-servers
#
# Servers and browser mostly wait: after test they are begun beside the steps that follow.
#
# --nightly takes its time: every long test, every fuzz target, 30 s each, the race detector on every test, six builds
# instead of one, the servers asked about all items instead of some, and the pages looked at in four sizes and colours
# instead of two.
#
# What cannot be had here (a tool, a server, a browser: not installed, not to be downloaded) is left out, and the
# summary says what and why. That is no failure. gavel's own build and tests are never left out.
#
# CHECK_FUZZ_TIME  how long each fuzz target runs, default 500ms, by night 30s
# GAVEL_TRIALS     how often kills, faults and damage are tried, as a multiple of what they are by day; by night 3
#
# It needs Go. Where it is root on a Debian and chromium, g++ (for the race detector, and to build Ollama), shellcheck, Slurm or GNU parallel is missing, it
# installs them; elsewhere it does without. axe-core comes from npm. The servers are downloaded and built once and
# then kept, see scripts/llama.sh and scripts/ollama.sh: that is the longest part of a first run.
#
# Exit status: 0 if no step failed, 1 if one did, 2 for a usage error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.1
govulncheck=golang.org/x/vuln/cmd/govulncheck@v1.9.0
golangci=github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# Tests that the race detector makes long (ten to forty times) and has nothing to look for in: the work of one
# goroutine, or of another process, which has no detector; of Badger's own; or what others show with less.
not_for_race='^(TestLongReplies|TestLongFinalAnswers|TestEndlessAnswer|TestSimDoesWhatItSays' # long texts, one after another
not_for_race+='|TestPublished.*|TestTreesAndTableAgree' # published rows, likewise
not_for_race+='|TestDamagedParquet|TestLongTree|TestMarkdownStaysSmall|TestHostileTexts|TestHostileTextsAreShown'
not_for_race+='|TestIntervalsCover|TestTheIntervalOfUnitsCovers|TestUnitwiseMetricsAreCompared|TestCalibrationOfKnownJudges|TestJudgesAreDiagnosed|TestRaces|TestTheBestStays|TestTies|TestCapitalRarelyRefutesTheMean|TestEValuesAreExact|TestChanceOfManyKindsOfItems|TestSimulatedJudge.*|TestCoinIsTheRandomJudge' # arithmetic
not_for_race+='|TestSameSeedSameBytes|TestScriptedJudgesOfOptions|TestSelfReferencePrinted|TestCompareSelfReference' # likewise
not_for_race+='|TestManyTablesAreMerged|TestDamagedTablesAreNotMerged|TestTablesAreNotMergedOnAFullDisk' # Badger merges
not_for_race+='|TestTheCommandOfAShardMakesIt|TestAProtocolIsAFolderAndALine' # likewise, and the compiler
not_for_race+='|TestComparePageLeadsToItsItems' # one request
not_for_race+='|TestMetricsAreExplained|TestVerdictIsMarkedWhereItStands' # after the other
not_for_race+='|TestSelfReferenceAgainstASecondComputation|TestRepetitionsOfEveryProtocol|TestCalibrationErrorOfJudgesAllAlike' # arithmetic
not_for_race+='|TestWithin|TestRandomJudgeOfManyOptions|TestRoundedOnce|TestOrdersBeyondRotations' # likewise
not_for_race+='|TestDamagedCache|TestFullDisk.*|TestKilledWithoutClosing|TestKilledAtAnyTime' # other processes
not_for_race+='|TestBombs|TestParquetThatStandsForMuch' # one goroutine unpacks
not_for_race+='|TestAnAnswerLongerThanItsTokens' # long texts again
not_for_race+='|TestSpeedOfALoadedMachineWasNoise|TestEstimateCountsCalls|TestGates|TestUntilErrs|TestAgree|TestEstimate|TestKappaFarBelowZeroCovers|TestLayoutOfAPage|TestPicturesToShare' # arithmetic
not_for_race+='|TestReadme|TestAirGap)$' # every command in turn, each of which has tests of its own

# Of the commands those in which goroutines meet: runs at once, several servers, interrupts, jobs, live pages.
commands_for_race='Serve|Kill'
scripts_for_race='^TestScripts$/^(another-model|away|cache|failed|interrupt|killed|odd|race-|serve|shards|stages|suite|unverified)'

servers=yes
nightly=no
for arg; do
	case $arg in
	--no-servers) servers=no ;;
	--nightly) nightly=yes ;;
	*)
		echo 'usage: scripts/check.sh [--no-servers] [--nightly]' >&2
		exit 2
		;;
	esac
done
if [[ $nightly == yes ]]; then
	fuzz_time=${CHECK_FUZZ_TIME:-30s}
	export GAVEL_TEST_NIGHTLY=1
	targets=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64)
else
	fuzz_time=${CHECK_FUZZ_TIME:-500ms}
	targets=(windows/amd64) # the least like Linux, on which the other steps run
fi

command -v go >/dev/null || {
	echo 'check.sh: go is not in PATH' >&2
	exit 1
}
scratch=$(mktemp -d)
alone=$scratch/alone/gavel           # a copy of this tree, with nothing beside it
export SLURM_DIR=$scratch/slurm SERVERS_DIR=$scratch/servers # servers of this check's own, whatever else runs here
# Packages compiled in one folder, or from one module cache, are then those of the other.
GOFLAGS="$(go env GOFLAGS) -trimpath"
export GOFLAGS

declare -A beside=() # the process of each step that runs beside others

leave() {
	local dir
	((${#beside[@]} == 0)) || kill "${beside[@]}" 2>/dev/null || true
	for dir in "$SERVERS_DIR" "$SERVERS_DIR"-*; do
		if [[ -d $dir ]]; then
			SERVERS_DIR=$dir scripts/servers.sh stop || true
		fi
	done
	[[ ! -d $SLURM_DIR ]] || scripts/slurm.sh stop || true
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

# What go says where it gets no answer, where the answer is no, and where it may not ask.
broke_off='dial tcp|timeout|connection re(set|fused)|unexpected EOF|stream error|: 5[0-9][0-9] '
refused=': 4[0-9][0-9] '
forbidden='GOPROXY=off'

# fetching runs a command that may have to download Go modules: once more, and once again, where that broke off. What
# it said is in $fetched.
fetched=$scratch/fetched
fetching() {
	local try
	for try in 1 2 3; do
		say "$@" 2>&1 | tee "$fetched" && return
		if ((try == 3)) || ! grep -qE "$broke_off" "$fetched"; then
			return 1
		fi
		echo 'a download broke off: once more'
		sleep $((10 * try))
	done
}

# tool sets $tool to a Go program of a version, built once for each release of Go.
tool() {
	local bin
	bin=${XDG_CACHE_HOME:-$HOME/.cache}/gavel-ci/bin/$(go env GOVERSION)/${1//\//-}
	tool=$bin/$(basename "${1%@*}")
	[[ $1 != */v[0-9]@* ]] || tool=$bin/$(basename "$(dirname "${1%@*}")")
	[[ -x $tool ]] || GOBIN=$bin fetching go install "$1"
}

# unfetched prints why the last command of fetching failed, if it is for want of a module.
unfetched() { grep -m 1 -E "$broke_off|$refused|$forbidden" "$fetched"; }

# skipped ends a step that cannot be made here.
skipped() {
	without "$*"
	exit 77
}

# without says what a step does without, for the summary too.
without() {
	echo "left out: $*"
	echo "$*" >>"$scratch/without-$current"
}

# tools installs what is missing, where that can be done without asking.
tools() {
	local missing=()
	command -v g++ >/dev/null || missing+=(g++)
	command -v shellcheck >/dev/null || missing+=(shellcheck)
	if [[ $servers == yes ]]; then
		command -v parallel >/dev/null || missing+=(parallel)
		[[ -x /usr/sbin/slurmctld ]] || missing+=(slurmctld slurmd slurm-client munge)
	fi
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
		echo "check.sh: that failed: $(grep -m 1 '^E:' "$scratch/apt.log")" >&2
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

# Both read of modules that gavel's own build and tests have no need of, and not every proxy has all of them.
check_modules() {
	local why
	if ! fetching go mod tidy -diff; then
		why=$(unfetched) || return 1
		without "go mod tidy -diff, for which go mod verify, go build -mod=readonly and go vet stand: $why"
		say go build -mod=readonly ./...
	fi
	if ! fetching go mod verify; then
		why=$(unfetched) || return 1
		without "go mod verify of all modules; the build held those it took to go.sum: $why"
	fi
}

check_vet() { say go vet ./...; }

check_lint() {
	local why
	if tool "$golangci"; then
		say "$tool" run ./...
		return
	fi
	why=$(unfetched) || return 1
	without "$golangci, for which staticcheck alone stands: $why"
	if ! tool "$staticcheck"; then
		why=$(unfetched) || return 1
		skipped "$staticcheck cannot be had: $why"
	fi
	say "$tool" ./...
}

check_vulnerable() {
	if ! tool "$govulncheck"; then
		skipped "$govulncheck cannot be had: $(unfetched)"
	fi
	if ! say "$tool" ./... 2>&1 | tee "$scratch/vulnerable"; then
		if grep -qE 'fetching vulnerabilities|dial tcp|no such host' "$scratch/vulnerable"; then
			skipped "the database of vulnerabilities does not answer: $(tail -n 1 "$scratch/vulnerable")"
		fi
		return 1
	fi
}

check_scripts() {
	local scripts
	command -v shellcheck >/dev/null || skipped 'there is no shellcheck here, and none can be installed'
	mapfile -t scripts < <(shell_scripts)
	say shellcheck -x "${scripts[@]}"
}

# as_fresh runs a command in the copy, as on a machine that has Go, the modules in $modules, and nothing else. What Go
# has compiled is kept: nothing comes out of it that the sources do not say.
as_fresh() (
	export GOENV GOCACHE
	GOENV=$(go env GOENV) GOCACHE=$(go env GOCACHE)
	# shellcheck disable=SC2046 # names of variables
	unset $(compgen -e | grep -E '^(XDG|GAVEL)_')
	export HOME=$scratch/home GOPATH=$scratch/home/go GOMODCACHE=$modules GOFLAGS="$GOFLAGS -modcacherw"
	cd "$alone"
	"$@"
)

# A module that is refused is a failure: what a fresh machine cannot fetch is no dependency. Where nobody answers
# there is nothing to be seen.
check_fresh() {
	local modules=$scratch/modules
	if ! fetching as_fresh go list -test -deps -f '{{with .Error}}{{.}}{{end}}' ./...; then
		if grep -qE "$refused" "$fetched" || ! grep -qE "$broke_off|$forbidden" "$fetched"; then
			return 1
		fi
		skipped "no module can be fetched: $(unfetched)"
	fi
	touch "$scratch/all-fetched"
	say as_fresh go run ./cmd/gavel demo >"$scratch/demo"
}

# cut_off runs a command where there is no network but loopback.
cut_off() { unshare -n -- sh -c 'ip link set lo up && exec "$@"' sh "$@"; }

# The results that Go remembers are of this machine's earlier runs; here every test is to run.
# A test that waits for what never comes is ended by the time limit; it is no limit for a slow machine.
check_test() {
	local modules=$scratch/modules go=(go) log=$scratch/test.log
	[[ -e $scratch/all-fetched ]] || modules=$(go env GOMODCACHE)
	if cut_off true 2>"$scratch/cut_off"; then
		export GOPROXY=off
		go=(cut_off go)
		say as_fresh "${go[@]}" run ./cmd/gavel demo >"$scratch/demo" || return 1
	else
		without "a network of its own, so that the tests had this machine's: $(head -n 1 "$scratch/cut_off")"
	fi
	# -v tells what was left out; the rest of what it says is worth reading where a test fails.
	if ! say as_fresh "${go[@]}" test -v -count=1 -timeout 15m ./... 2>&1 | tee "$log" | grep --line-buffered -E '^(ok|FAIL|panic:|\?|\$)'; then
		grep -vE '^ *(=== (RUN|PAUSE|CONT|NAME)|--- (PASS|SKIP))' "$log"
		return 1
	fi
}

# rest_tests prints a line for each package with tests that left something out in the copy: the package, and their
# names as a pattern. Servers, browsers and engines have steps of their own, and two tests are made by hand. What
# TestReadme left out needs what came before it.
rest_tests() {
	awk '$1 == "---" && $2 == "SKIP:" && $3 !~ /^Test(Servers|Browser|Engines|MakeEarlier|CoverageTable)/ {
			sub("^TestReadme/.*", "TestReadme", $3)
			gsub(/[][\\.*+?(){}^$|]/, "\\\\&", $3)
			gsub("/", "$/^", $3)
			if (!seen[$3]++) names = names "|^" $3 "$"
		}
		/^ok/ { if (names) print $2, substr(names, 2); names = ""; split("", seen) }' "$scratch/test.log"
}

check_rest() {
	[[ -d ../shared/data ]] || without 'tests of published data, which is not in ../shared/data'
	rest_tests >"$scratch/rest"
	[[ -s $scratch/rest ]] || return 0
	cut -d' ' -f2 "$scratch/rest" | paste -s -d '|' >"$scratch/rest-names"
	changed | xargs -r -n 1 dirname | sort -u | sed 's|.*|gavel/& |' >"$scratch/changed"
	rest_of "$(grep -F -f "$scratch/changed" "$scratch/rest")" 1
	rest_of "$(grep -vF -f "$scratch/changed" "$scratch/rest")" ''
}

# rest_of makes the tests of some lines of rest_tests, the long ones too, or not.
rest_of() {
	local packages
	mapfile -t packages < <(cut -d' ' -f1 <<<"$1" | grep .)
	((${#packages[@]} == 0)) ||
		GAVEL_TEST_LONG=$2 say go test -count=1 -timeout 15m -run "$(cat "$scratch/rest-names")" "${packages[@]}" </dev/null
}

check_race() {
	command -v "$(go env CC)" >/dev/null || skipped "the race detector takes a C compiler, and $(go env CC) is not here"
	local packages
	if [[ $nightly == yes ]]; then
		CGO_ENABLED=1 say go test -race -count=1 -timeout 60m ./...
		return
	fi
	# What scripts/golden tests is another process, which has no detector. Protocols and tables are the work of one goroutine.
	# The commands go the way of the packages behind them, once more and one after the other: by day those are run in which
	# goroutines meet.
	mapfile -t packages < <(go list ./... | grep -vE '/(scripts/[a-z]+|internal/cli|protocols/[a-z]+|report/[a-z]+|scoring/[a-z]+)$')
	CGO_ENABLED=1 say go test -race -skip "$not_for_race" -count=1 -timeout 20m "${packages[@]}"
	CGO_ENABLED=1 say go test -race -run "$commands_for_race" -skip "$not_for_race" -count=1 -timeout 20m ./internal/cli
	CGO_ENABLED=1 say go test -race -run "$scripts_for_race" -count=1 -timeout 20m ./internal/cli
}

# changed prints the files of Go that changed in a day, and by night, or where Git does not know, all.
changed() {
	if [[ $nightly == no ]] && git rev-parse -q --verify HEAD >/dev/null 2>&1; then
		{ git log --since=1.days --name-only --format= && git diff --name-only HEAD; } | sort -u | grep '\.go$' || true
	else
		find . -name '*.go' | cut -c 3-
	fi
}

# fuzzed prints the packages with fuzz targets of which something changed. Tests of other things are no change.
fuzzed() {
	local file
	changed | while read -r file; do
		[[ -e $file ]] || continue
		[[ $file != *_test.go ]] || grep -q '^func Fuzz' "$file" || continue
		echo "./$(dirname "$file")"
	done | sort -u >"$scratch/changed"
	grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u | grep -Fx -f "$scratch/changed" || true
}

# Of each package one binary is built, instrumented, for all its targets.
check_fuzz() {
	local package target status=0 n=0
	while read -r package; do
		say go test -c -fuzz=. -o "$scratch/fuzz.test" "$package"
		while read -r target; do
			n=$((n + 1))
			fuzz "$package" "$target" || status=1
		done < <("$scratch/fuzz.test" -test.list '^Fuzz')
	done < <(fuzzed)
	echo "$n fuzz targets, $fuzz_time each"
	return $status
}

# fuzz runs one target. Inputs are made smaller with 20 tries and not, as by default, for up to a minute each: of the
# few seconds of a short run hardly any were left for new ones. When its time is up, Go's fuzzer now and then fails
# with its own deadline, with no input that fails (https://go.dev/issue/75804, mended in Go 1.27), the oftener the
# busier the machine: then once more.
fuzz() (
	cd "$1"
	interesting=$(go env GOCACHE)/fuzz/gavel/${1#./} # where go test keeps what it found
	for try in 1 2 3 4 5; do
		echo "\$ fuzz $1 $2"
		"$scratch/fuzz.test" -test.run '^$' -test.fuzz "^$2\$" -test.fuzztime "$fuzz_time" -test.fuzzminimizetime 20x \
			-test.fuzzcachedir "$interesting" -test.paniconexit0 </dev/null 2>&1 | tee "$scratch/fuzz" && exit
		if ((try == 5)) || grep -q 'Failing input written' "$scratch/fuzz" || ! grep -q '^ *context deadline exceeded$' "$scratch/fuzz"; then
			exit 1
		fi
		echo 'that was the fuzzer, not an input: once more'
	done
)

check_build() {
	local target
	for target in "${targets[@]}"; do
		say env CGO_ENABLED=0 GOOS="${target%/*}" GOARCH="${target#*/}" go build -o "$scratch/gavel-${target/\//-}" ./cmd/gavel
	done
}

check_release() {
	local status=0
	[[ $nightly == yes ]] || skipped 'by day: --nightly builds a release, for which goreleaser is fetched or built'
	say scripts/release.sh snapshot || status=$?
	((status != 77)) || skipped 'goreleaser cannot be had here: what a release consists of is unchecked'
	command -v docker >/dev/null || without 'the image, for which there is no docker here'
	command -v syft >/dev/null || without 'the SBOM, for which there is no syft here'
	return $status
}

# started starts a server, and sets what names it for the tests. Status 77: it cannot be had here.
started() {
	local urls status=0
	echo "\$ scripts/servers.sh start $1"
	urls=$(scripts/servers.sh start "$1" 2>"$scratch/started-$current") || status=$?
	cat "$scratch/started-$current"
	case $status in
	0) echo "$urls" && eval "$urls" ;;
	77) without "$1: $(tail -n 1 "$scratch/started-$current")" ;;
	esac
	return $status
}

check_servers() {
	local name status had=0 failed=0
	[[ $servers == yes ]] || skipped '--no-servers'
	for name in llama ollama; do
		status=0
		started $name || status=$?
		case $status in
		0) had=1 ;;
		77) ;;
		*) failed=1 ;;
		esac
	done
	command -v parallel >/dev/null || without 'shards on GNU parallel, which is not here'
	if name=$(scripts/slurm.sh start 2>"$scratch/started-slurm"); then
		eval "$name"
	else
		without "shards on Slurm: $(tail -n 1 "$scratch/started-slurm")"
	fi
	if ((had)) && ! say go test ./internal/cli -run Servers -count=1 -v -timeout 40m; then
		echo 'the end of what the servers had to say:'
		tail -n 20 "$SERVERS_DIR"/*.log
		failed=1
	fi
	scripts/slurm.sh stop
	scripts/servers.sh stop ollama # the browser's runs ask llama.cpp
	((had || failed)) || exit 77
	return $failed
}

check_engines() {
	local name status failed=0
	[[ $nightly == yes && $servers == yes ]] || skipped 'by day, and with --no-servers: --nightly asks a small model in three engines'
	if ! SERVERS_MODEL=$(scripts/smollm.sh 2>"$scratch/smollm"); then
		skipped "$(tail -n 1 "$scratch/smollm")"
	fi
	export SERVERS_MODEL SERVERS_DIR=$SERVERS_DIR-engines SERVERS_THREADS=2 GAVEL_ENGINES=1
	for name in llama ollama vllm llamacpp litellm transformers; do
		status=0
		started $name || status=$?
		((status == 0 || status == 77)) || failed=1
	done
	say go test ./internal/cli -run '^TestEngines' -count=1 -v -timeout 40m || failed=1
	for name in transformers litellm llamacpp llama ollama vllm; do
		scripts/servers.sh stop $name
	done
	return $failed
}

check_browser() {
	local status=0
	if [[ $servers == yes ]]; then
		started llama || (($? == 77)) || return 1
	fi
	say scripts/browser.sh -v 2> >(tee "$scratch/browser" >&2) || status=$?
	((status != 77)) || skipped "$(tail -n 1 "$scratch/browser")"
	if grep -q 'axe-core missing' "$scratch/browser"; then
		without "axe-core: $(grep -m 1 -B 1 'axe-core missing' "$scratch/browser" | head -n 1)"
	fi
	return $status
}

steps=(format modules vet lint vulnerable scripts fresh test rest race fuzz build release servers browser engines)
summary=()
failed=()
declare -A count=([passed]=0 [in part]=0 [left out]=0 [FAILED]=0)

# run runs one of them in a shell of its own, in which the first command that fails ends it. ("if run" would turn that
# off.) Its status and its seconds go to a file.
run() {
	local start=$SECONDS cpu before status
	cpu
	before=$cpu
	current=$1
	: >"$scratch/without-$1"
	set +e
	(
		set -e
		signals # the shell of the step has no traps yet; without one Ctrl-C would only end the fuzz target at work
		"check_$1"
	)
	status=$?
	set -e
	cpu
	echo "$status $((SECONDS - start)) $((cpu - before))" >"$scratch/ended-$1"
}

# cpu sets $cpu to the seconds of CPU that the commands of this shell took; servers, which nobody waits for, are not in it.
cpu() {
	local file=$scratch/times-$BASHPID
	times >"$file"
	cpu=$(awk 'NR == 2 { gsub("s", ""); split($1 "m" $2, t, "m"); printf "%d", 60 * (t[1] + t[3]) + t[2] + t[4] }' "$file")
}

# begin starts a step beside others, with a folder for the servers that it starts.
begin() {
	SERVERS_DIR=$2 run "$1" >"$scratch/beside-$1" 2>&1 </dev/null &
	beside[$1]=$!
}

# step runs one, or waits for it where it was begun beside another, and takes down how it ended.
step() {
	local name=$1 status seconds cpu word
	echo "=== $name"
	if [[ -e $scratch/beside-$name ]]; then
		wait "${beside[$name]}" || true
		unset "beside[$name]"
		cat "$scratch/beside-$name"
	else
		run "$name"
	fi
	read -r status seconds cpu <"$scratch/ended-$name"
	case $status in
	0) word=passed && [[ ! -s $scratch/without-$name ]] || word='in part' ;;
	77) word='left out' ;;
	*)
		word=FAILED
		failed+=("$name")
		;;
	esac
	count[$word]=$((count[$word] + 1))
	echo "--- $name: $word, $seconds s, $cpu s of CPU"
	echo
	summary+=("$(printf '  %-12s %-9s %5d s %5d s of CPU' "$name" "$word" "$seconds" "$cpu")")
	while read -r word; do
		summary+=("               left out: $word")
	done <"$scratch/without-$name"
}

echo "$(go version), $(getconf _NPROCESSORS_ONLN) processors"
tools
mkdir -p "$alone" "$scratch/home"
tar --exclude=./.git -c . | tar -x -C "$alone"
for name in "${steps[@]}"; do
	step "$name"
	if [[ $name == test ]]; then
		begin servers "$SERVERS_DIR"
		begin browser "$SERVERS_DIR-browser"
	fi
done

echo '=== summary'
printf '%s\n' "${summary[@]}"
echo "check.sh: ${count[passed]} steps passed, ${count[in part]} in part, ${count[left out]} left out, ${count[FAILED]} failed, after $SECONDS s"
if ((${#failed[@]})); then
	echo "check.sh: FAILED: ${failed[*]}"
	exit 1
fi
