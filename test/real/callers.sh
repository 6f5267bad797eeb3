#!/usr/bin/env bash
# Installs the Python clients that callers.txt pins into a cache folder outside
# the repository, and writes callers.env there. Cached: well under two seconds.
# Status 3, and only then: the packages cannot be installed here.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir="${WEIR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weir}/callers"
python=${PYTHON:-python3}
want=$(cat "$here/callers.txt")

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
echo "callers: folder $dir"
if command -v flock >/dev/null; then
	exec 9>"$dir/lock"
	timeout 900 flock 9 # two at once: the second waits and finds it done
fi

unmeasured() {
	tail -n 5 "$dir/install.log" >&2 || true
	echo "packages: $(grep -E '^(openai|anthropic|langchain-openai)==' "$here/callers.txt" | tr '\n' ' ')"
	echo "Python clients NOT measured"
	exit 3
}

cached() { [ "$(cat "$dir/stamp" 2>/dev/null)" = "$want" ] && [ -x "$dir/venv/bin/python" ]; }

if ! cached; then
	rm -rf "$dir/stamp" "$dir/callers.env" "$dir/venv"
	: >"$dir/install.log"
	timeout 120 "$python" -m venv "$dir/venv" >>"$dir/install.log" 2>&1 || unmeasured
	timeout 600 "$dir/venv/bin/python" -m pip install --disable-pip-version-check --no-input --only-binary=:all: --no-deps \
		-r "$here/callers.txt" >>"$dir/install.log" 2>&1 || unmeasured
	timeout 60 "$dir/venv/bin/python" -c 'import anthropic, langchain_openai, openai' >>"$dir/install.log" 2>&1 || unmeasured
	echo "$want" >"$dir/stamp"
fi

echo "PYTHON=$dir/venv/bin/python" >"$dir/callers.env.tmp"
mv "$dir/callers.env.tmp" "$dir/callers.env"
echo "callers: ready, $dir/callers.env"
