#!/usr/bin/env bash
# Installs other benchmark tools into a cache folder outside the repository, makes
# their tokenizer, and writes peers.env there: for each tool its program and
# version, or why there is none. A tool that does not install within 15 minutes is
# no failure: docs/peers.md says so. Cached: a few seconds.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir="${WEIR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weir}/peers"
python=${PYTHON:-python3}

aiperf=0.13.0 guidellm=0.8.1 vllm=0.33.0
# torch is GuideLLM's and vLLM's, and most of the size; so they share a folder.
torch=(guidellm=="$guidellm" torch==2.15.0 transformers==5.24.0 tokenizers==0.23.3 numpy==2.4.6 datasets==5.2.0 httpx==0.28.1)
# Of vLLM its wheel, and what the module of `bench serve` imports.
client=(aiohttp==3.14.5 cachetools==8.0.2 cbor2==6.3.0 cloudpickle==3.1.3 einops==0.8.2 fastapi==0.165.0 llguidance==1.9.1
	msgspec==0.23.0 openai==3.57.0 openai-harmony==0.0.8 partial-json-parser==0.2.1.1.post7 pillow==13.0.0
	prometheus_client==0.26.0 psutil==7.2.2 py-cpuinfo==9.0.0 pybase64==1.5.1 pyzmq==27.3.0 requests==2.34.2 xgrammar==0.2.9)

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
echo "peers: folder $dir"
if command -v flock >/dev/null; then
	exec 9>"$dir/lock"
	timeout 2700 flock 9 # two at once: the second waits and finds it done
fi

# into VENV STAMP PIP-ARGUMENTS...: installs, unless the stamp says it was done.
into() {
	local venv=$1 stamp=$dir/$1-$2.stamp log=$dir/$1-$2.log
	shift 2
	[ "$(cat "$stamp" 2>/dev/null)" != "$*" ] || return 0
	echo "peers: installing into $venv: $*"
	rm -f "$stamp"
	if [ ! -x "$dir/$venv/bin/python" ]; then
		timeout 120 "$python" -m venv "$dir/$venv" >"$log" 2>&1 || return 1
	fi
	# Not compiled: of 30,000 files few are ever imported.
	timeout 900 "$dir/$venv/bin/python" -m pip install --disable-pip-version-check --no-input --no-compile --only-binary=:all: "$@" >"$log" 2>&1 || {
		[ $? -ne 124 ] || echo "ERROR: not done after 15 minutes" >>"$log"
		return 1
	}
	echo "$*" >"$stamp"
}

why() { echo "does not install here: $(grep -E '^ERROR|rror:' "$dir/$1.log" | tail -n 1 | cut -c1-200 || true)"; }

env=()
have() { env+=("$1=$2" "$1_VERSION=$3"); }
lack() { env+=("$1_VERSION=$3" "$1_WHY=$2"); }

if into aiperf tool aiperf=="$aiperf"; then
	have AIPERF "$dir/aiperf/bin/aiperf" "$aiperf"
else
	lack AIPERF "$(why aiperf-tool)" "$aiperf"
fi
if into torch guidellm "${torch[@]}"; then
	have GUIDELLM "$dir/torch/bin/guidellm" "$guidellm"
else
	lack GUIDELLM "$(why torch-guidellm)" "$guidellm"
fi
if into torch vllm --no-deps vllm=="$vllm"; then
	rs=$(echo "$dir"/torch/lib/python*/site-packages/vllm/vllm-rs)
	chmod +x "$rs" && have VLLM_RS "$rs" "$vllm"
	if into torch client "${client[@]}"; then
		printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$dir/torch/bin/python" "$dir/vllm_bench.py" >"$dir/vllm-bench"
		cp "$here/vllm_bench.py" "$dir/vllm_bench.py"
		chmod +x "$dir/vllm-bench"
		have VLLM "$dir/vllm-bench" "$vllm"
	else
		lack VLLM "$(why torch-client)" "$vllm"
	fi
else
	lack VLLM "$(why torch-vllm)" "$vllm"
	lack VLLM_RS "$(why torch-vllm)" "$vllm"
fi

for venv in torch aiperf; do
	if "$dir/$venv/bin/python" -c 'import tokenizers' 2>/dev/null; then
		env+=("HF_HOME=$dir/hf" "TOKENIZER=$("$dir/$venv/bin/python" "$here/tokenizer.py" "$dir/hf")" "TOKENIZER_NAME=weir/bytes")
		break
	fi
done

printf '%s\n' "${env[@]}" >"$dir/peers.env.tmp"
mv "$dir/peers.env.tmp" "$dir/peers.env"
echo "peers: ready, $dir/peers.env"
