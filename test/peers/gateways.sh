#!/usr/bin/env bash
# Scores other gateways on the fault wall, as docs/faults.md has it: LiteLLM's
# proxy (PyPI) and Portkey's gateway (npm), installed outside the repository.
# One that does not install or start is named, and not scored.
#   test/peers/gateways.sh WEIR FOLDER
set -uo pipefail

weir=$1 out=$2
litellm=1.108.7 portkey=1.15.2
mkdir -p "$out"
wall=127.0.0.1:18009
pids=()
stop() { [ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null; wait 2>/dev/null; }
trap stop EXIT

ready() { # URL SECONDS
	for _ in $(seq $(($2 * 5))); do
		curl -s -o /dev/null "$1" && return 0
		sleep 0.2
	done
	return 1
}

score() { # NAME URL FLAGS...
	local name=$1 url=$2
	shift 2
	echo "== $name"
	# A gateway that cannot pass a healthy answer on is not set up right, or does
	# not run on this machine: its verdicts would say nothing.
	"$weir" faults "$url" --wall "$wall" --only W09 "$@" >"$out/$name.first" 2>&1 </dev/null
	if grep -q "not rescued\|no such route\|skipped" "$out/$name.first"; then
		echo "$name NOT scored: it does not pass on what a healthy target answers"
		return
	fi
	"$weir" faults "$url" --wall "$wall" -o json "$@" >"$out/$name.json" 2>"$out/$name.err" </dev/null
	python3 - "$out/$name.json" <<'END' || tail -n 3 "$out/$name.err"
import collections, json, sys
cells = json.load(open(sys.argv[1]))["cells"]
print(", ".join(f"{v} {n}" for v, n in sorted(collections.Counter(c["verdict"] for c in cells).items())))
for c in cells:
    if c["verdict"] != "pass":
        print(f"{c['id']} {c['verdict']}: {c['why']}")
END
}

"$weir" faults serve --listen "$wall" >"$out/wall.log" 2>&1 </dev/null &
pids+=($!)
ready "http://$wall/v1/models" 10 || { echo "the wall does not answer"; exit 1; }

if [ ! -x "$out/litellm/bin/litellm" ]; then
	python3 -m venv "$out/litellm" && timeout 600 "$out/litellm/bin/pip" install -q "litellm[proxy]==$litellm" >"$out/litellm.log" 2>&1
fi
if [ -x "$out/litellm/bin/litellm" ]; then
	{
		echo "model_list:"
		ids=$(printf 'S%02d ' {1..16}; printf 'W%02d ' {1..12})
		for id in $ids good; do
			echo "  - {model_name: $id, litellm_params: {model: openai/$id, api_base: \"http://$wall/v1\", api_key: wall-key-$id}}"
		done
		echo "litellm_settings:"
		echo "  num_retries: 2"
		echo "  request_timeout: 30"
		echo "  fallbacks: [$(for id in $ids; do printf '{%s: [good]}, ' "$id"; done)]"
		echo "  context_window_fallbacks: [{S12: [good]}]"
	} >"$out/litellm.yaml"
	export LITELLM_MASTER_KEY=sk-of-this-run-alone # it does not start without one
	LITELLM_LOCAL_MODEL_COST_MAP=True "$out/litellm/bin/litellm" --config "$out/litellm.yaml" --host 127.0.0.1 --port 18010 --telemetry False >"$out/litellm-proxy.log" 2>&1 </dev/null &
	pids+=($!)
	if ready http://127.0.0.1:18010/health/liveliness 60; then
		score "litellm-$litellm" http://127.0.0.1:18010/v1 --key-env LITELLM_MASTER_KEY
	else
		echo "LiteLLM $litellm NOT scored: it does not start"
	fi
else
	echo "LiteLLM $litellm NOT scored: it does not install"
fi

if [ ! -d "$out/portkey/node_modules/@portkey-ai/gateway" ]; then
	mkdir -p "$out/portkey" && timeout 300 npm install --prefix "$out/portkey" --no-audit --no-fund "@portkey-ai/gateway@$portkey" >"$out/portkey.log" 2>&1
fi
server="$out/portkey/node_modules/@portkey-ai/gateway/build/start-server.js"
if [ -f "$server" ]; then
	node "$server" --headless --port=18011 >"$out/portkey-gateway.log" 2>&1 </dev/null &
	pids+=($!)
	if ready http://127.0.0.1:18011/ 30; then
		score "portkey-$portkey" http://127.0.0.1:18011/v1 --header "x-portkey-config={\"strategy\":{\"mode\":\"fallback\"},\"targets\":[{\"provider\":\"openai\",\"api_key\":\"k\",\"custom_host\":\"http://$wall/v1\",\"retry\":{\"attempts\":2},\"request_timeout\":30000},{\"provider\":\"openai\",\"api_key\":\"wall-key-good\",\"custom_host\":\"http://$wall/v1\",\"override_params\":{\"model\":\"good\"}}]}"
	else
		echo "Portkey $portkey NOT scored: it does not start"
	fi
else
	echo "Portkey $portkey NOT scored: it does not install"
fi
