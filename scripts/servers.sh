#!/usr/bin/env bash
# usage: scripts/servers.sh start|wait|stop|env [llama|ollama|vllm|llamacpp|litellm|transformers|all]
#
# Runs llama-server and Ollama on this machine with the model of scripts/tinymodel, for trying gavel against real servers. Both serve it
# under the name "tiny", on the loopback interface only, on ports the kernel picks. Each works with one thread: several wait for one
# another after each layer, which takes up to ten times as long with a model this small where the machine does other work too.
#
# vllm is vLLM on the CPU with the model of scripts/vllm.sh, SmolLM2, which it too serves as "tiny"; llamacpp is llama-cpp-python's
# server, and litellm is LiteLLM's proxy in front of llama, which has to run (scripts/pypi.sh). transformers is "transformers serve" of
# vLLM's environment with vLLM's model, which it serves as SmolLM2-135M-Instruct and does not list. These four are none of all.
#
#   start   gets the servers (scripts/llama.sh, scripts/ollama.sh), writes the model, starts what is not running yet, waits until it
#           answers, and prints the lines that env prints
#   wait    waits until what was started answers
#   stop    stops what start started; nothing to stop is no error
#   env     prints, for eval:
#             export GAVEL_LLAMA_URL=… and export GAVEL_OLLAMA_URL=…, the addresses
#             export GAVEL_OLLAMA_LOG=…, the file in which Ollama says when it loads the model
#             export GAVEL_LLAMA_SERVER=… and export GAVEL_TINY_MODEL=…, the llama-server command and the model's file, for tests that start and
#             kill servers of their own (with llama)
#
#   trap 'scripts/servers.sh stop' EXIT
#   urls=$(scripts/servers.sh start) && eval "$urls"
#
# SERVERS_DIR      where the model, the logs and the process ids go, default ${XDG_CACHE_HOME:-~/.cache}/gavel-ci/servers;
#                  two folders are two sets of servers
# SERVERS_MODEL    a GGUF file that llama and ollama serve instead, such as that of scripts/smollm.sh
# SERVERS_FLAGS    more flags of vLLM, such as "--load-format dummy", which has it serve random weights
# SERVERS_CONTEXT  tokens of context of each request, default 8192
# SERVERS_SLOTS    requests that llama-server answers at once, default 2
# SERVERS_THREADS  threads of llama-server and Ollama, default 1
# LLAMA_PORT, OLLAMA_PORT, VLLM_PORT
#                  default 0, a free one
#
# Only the lines for eval go to stdout. Exit status: 0, or after a line that says why 77 where a server cannot be had here, else 1.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${SERVERS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/gavel-ci/servers}
context=${SERVERS_CONTEXT:-8192}
slots=${SERVERS_SLOTS:-2}
threads=${SERVERS_THREADS:-1}
patience=300 # seconds until a server answers; one that has ended is not waited for

say() { echo "servers.sh: $*" >&2; }

die() {
	say "$*"
	exit 1
}

# born prints when a living process began, in ticks since the machine did. With its number that names it for good: numbers are used again.
born() {
	local stat
	stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
	read -r -a stat <<<"${stat##*) }" # what follows the program's name, which may hold anything
	[[ ${stat[0]} != Z ]] && echo "${stat[19]}"
}

# running NAME prints the process id of the server, if start started it and it lives.
running() {
	local pid began now
	read -r pid began 2>/dev/null <"$dir/$1.pid" && now=$(born "$pid") && [[ $now == "$began" ]] && echo "$pid"
}

# port NAME prints the port that the server says it listens on.
port() { sed -nE 's/.*[Ll]istening on (http:\/\/)?127\.0\.0\.1:([0-9]+).*/\2/p' "$dir/$1.log" 2>/dev/null | head -n 1 | grep .; }

# get PORT PATH prints what a server answers, its head included, and fails on any status but 200.
get() (
	exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
	printf 'GET %s HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' "$2" >&3
	read -r -t 5 status <&3 && [[ $status == *" 200 "* ]] && timeout 5 cat <&3
) 2>/dev/null

# answers NAME tells whether the server is ready to be asked something.
answers() {
	local port
	port=$(port "$1") || return 1
	case $1 in
	llama | vllm | transformers) get "$port" /health ;;
	llamacpp) get "$port" /v1/models ;;
	litellm) get "$port" /health/liveliness ;;
	ollama) get "$port" /api/version ;;
	esac >/dev/null
}

# await NAME waits until the server answers.
await() {
	local end=$((SECONDS + patience))
	until answers "$1"; do
		running "$1" >/dev/null || die "$1 is not running; the end of $dir/$1.log: $(tail -n 1 "$dir/$1.log" 2>/dev/null)"
		((SECONDS < end)) || die "$1 does not answer after $patience seconds, see $dir/$1.log"
		sleep 0.1
	done
}

# launch NAME COMMAND... starts a server that outlives this script, and takes down which process it is.
launch() {
	local name=$1 pid
	shift
	: >"$dir/$name.log" # before the server does, lest the port be read from the last one's log
	"$@" >>"$dir/$name.log" 2>&1 </dev/null 9>&- &
	pid=$!
	echo "$pid $(born "$pid")" >"$dir/$name.pid"
	await "$name"
}

start_llama() {
	local server
	server=$("$here/llama.sh") || exit
	# llama.cpp shares out the context it is given among its slots.
	launch llama nohup "$server" -m "$dir/tiny.gguf" --alias tiny --host 127.0.0.1 --port "${LLAMA_PORT:-0}" -np "$slots" -c $((context * slots)) \
		-t "$threads" -tb "$threads"
}

start_ollama() {
	local server
	server=$("$here/ollama.sh") || exit
	# Its own home keeps the key pair that it makes, and its models, out of the user's.
	export HOME=$dir/ollama OLLAMA_MODELS=$dir/ollama/models OLLAMA_CONTEXT_LENGTH=$context
	mkdir -p "$OLLAMA_MODELS"
	OLLAMA_HOST=127.0.0.1:${OLLAMA_PORT:-0} launch ollama nohup "$server" serve
	# The template comes from the model: plain ChatML, which Ollama knows.
	printf 'FROM %s\nPARAMETER num_thread %s\n' "$dir/tiny.gguf" "$threads" >"$dir/Modelfile"
	OLLAMA_HOST=127.0.0.1:$(port ollama) "$server" create tiny -f "$dir/Modelfile" >"$dir/create.log" 2>&1 ||
		die "Ollama does not take the model: $(tail -n 1 "$dir/create.log")"
}

# free prints a port that nothing listens on.
free() { "$1" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# at PORT COMMAND... becomes a server that does not say its port as the others do; for launch.
# shellcheck disable=SC2016 # for sh
at() { exec nohup sh -c 'echo "listening on http://127.0.0.1:$0" && exec "$@"' "$@"; }

start_llamacpp() {
	local python port
	python=$("$here/pypi.sh" llamacpp) || exit
	port=$(free "$python")
	launch llamacpp at "$port" "$python" -m llama_cpp.server --model "$dir/tiny.gguf" --model_alias tiny --host 127.0.0.1 \
		--port "$port" --n_ctx "$context" --n_threads "$threads"
}

start_litellm() {
	local python port llama
	llama=$(port llama) || die "litellm stands in front of llama, which does not run; try: scripts/servers.sh start llama"
	python=$("$here/pypi.sh" litellm) || exit
	port=$(free "$python")
	cat >"$dir/litellm.yaml" <<-Y
		model_list:
		  - model_name: tiny
		    litellm_params: {model: openai/tiny, api_base: "http://127.0.0.1:$llama/v1", api_key: none}
	Y
	# Its list of prices would be fetched; without a key it starts only when told to, and only this machine reaches it.
	export LITELLM_LOCAL_MODEL_COST_MAP=True LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY=true
	launch litellm at "$port" "$(dirname "$python")/litellm" --config "$dir/litellm.yaml" --host 127.0.0.1 --port "$port"
}

# vLLM knows of no port 0, and says its port late. Without AVX-512 it takes a quarter of the time in float32.
start_vllm() {
	local have python model port type=float32
	have=$("$here/vllm.sh") || exit
	{ read -r python && read -r model; } <<<"$have"
	grep -q avx512f /proc/cpuinfo && type=bfloat16
	port=${VLLM_PORT:-$(free "$python")}
	export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 VLLM_NO_USAGE_STATS=1 DO_NOT_TRACK=1
	export VLLM_CPU_KVCACHE_SPACE=2 VLLM_CPU_OMP_THREADS_BIND=nobind OMP_NUM_THREADS=2
	# shellcheck disable=SC2086 # several words
	launch vllm at "$port" "$python" -m vllm.entrypoints.openai.api_server --model "$model" --served-model-name tiny --host 127.0.0.1 --port "$port" \
		--dtype $type --max-model-len "$context" --max-num-seqs 8 --enforce-eager \
		${SERVERS_FLAGS:-}
}

# It lists what is in the cache of Hugging Face's hub, which has to exist.
start_transformers() {
	local have python model port
	have=$("$here/vllm.sh") || exit
	{ read -r python && read -r model; } <<<"$have"
	port=$(free "$python")
	mkdir -p "$dir/hub"
	export HF_HUB_CACHE=$dir/hub HF_HUB_OFFLINE=1 DO_NOT_TRACK=1 OMP_NUM_THREADS=$threads
	cd "$(dirname "$model")" # it serves a folder under the name that it is given
	launch transformers at "$port" "$(dirname "$python")/transformers" serve "$(basename "$model")" --host 127.0.0.1 --port "$port" \
		--device cpu --dtype bfloat16
}

# alone waits until no other run of this script starts or stops these servers.
alone() {
	mkdir -p "$dir"
	exec 9>"$dir/lock"
	flock 9
}

start() {
	local name status
	alone
	for name in "$@"; do
		if running "$name" >/dev/null && answers "$name"; then
			continue
		fi
		stop "$name"
		if [[ -n ${SERVERS_MODEL:-} ]]; then
			ln -sf "$SERVERS_MODEL" "$dir/tiny.gguf"
		else
			(cd "$here/.." && go run ./scripts/tinymodel -out "$dir/tiny.gguf") || die "the model cannot be written"
		fi
		status=0
		(start_"$name") || status=$?
		if ((status)); then
			stop "$name"
			exit $status
		fi
		say "$name is running, process $(running "$name"), log $dir/$name.log"
	done
	urls "$@"
}

stop() {
	local name pid end
	for name in "$@"; do
		if pid=$(running "$name"); then
			kill "$pid" 2>/dev/null || true # it may have ended this moment
			end=$((SECONDS + 10))
			while running "$name" >/dev/null && ((SECONDS < end)); do sleep 0.1; done
			if running "$name" >/dev/null; then
				say "$name does not stop when asked, so it is killed"
				kill -KILL "$pid" 2>/dev/null || true
			fi
		fi
		rm -f "$dir/$name.pid"
	done
}

urls() {
	local name server
	for name in "$@"; do
		running "$name" >/dev/null || die "$name is not running; try: scripts/servers.sh start $name"
		echo "export GAVEL_${name^^}_URL=http://127.0.0.1:$(port "$name")"
		case $name in
		llama)
			server=$("$here/llama.sh") || exit
			printf 'export GAVEL_LLAMA_SERVER=%q\nexport GAVEL_TINY_MODEL=%q\n' "$server" "$dir/tiny.gguf"
			;;
		ollama) printf 'export GAVEL_OLLAMA_LOG=%q\n' "$dir/ollama.log" ;;
		esac
	done
}

main() {
	local usage='usage: scripts/servers.sh start|wait|stop|env [llama|ollama|vllm|llamacpp|litellm|transformers|all]' names name
	case ${2:-all} in
	llama | ollama | vllm | llamacpp | litellm | transformers) names=("$2") ;;
	all) names=(llama ollama) ;;
	*) die "$usage" ;;
	esac
	(($# <= 2)) || die "$usage"
	case ${1:-} in
	start) start "${names[@]}" ;;
	wait) alone && for name in "${names[@]}"; do await "$name"; done ;;
	stop) alone && stop "${names[@]}" ;;
	env) urls "${names[@]}" ;;
	*) die "$usage" ;;
	esac
}

main "$@"
