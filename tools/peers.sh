#!/usr/bin/env bash
# Sets bin/weir beside other benchmark tools, with the same load, on streams of
# known truth and on a real engine. Each tool's own file stays in the cache
# folder. WRITE=1 writes the measured part of docs/peers.md anew; ONLY=bare,engine
# measures those streams only; WEIR_PEERS_RT=1 gives weir sim and its clients
# real-time priority (root), which stands in for an idle box. A tool that does
# not install is named, and no failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export WEIR_CACHE=${WEIR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weir}
mkdir -p "$WEIR_CACHE"
WEIR_CACHE=$(cd "$WEIR_CACHE" && pwd)

real=$WEIR_CACHE/real/real.env
status=0
bash test/real/install.sh </dev/null || status=$?
case $status in
0) ;;
3) real= ;; # the engine's part then says so
*) exit "$status" ;;
esac
bash test/peers/install.sh </dev/null

doc=
[ "${WRITE:-}" != 1 ] || doc=$PWD/docs/peers.md
weir=$PWD/bin/weir
rt=false
[ "${WEIR_PEERS_RT:-}" != 1 ] || rt=true
# Other gateways on the fault wall: docs/faults.md. ONLY=gateways for these alone.
case ${ONLY:-gateways} in
*gateways*) bash test/peers/gateways.sh "$weir" "$WEIR_CACHE/peers/gateways" || exit ;;
esac
[ "${ONLY:-}" != gateways ] || exit 0
cd test
exec go run ./peers -weir "$weir" -env "$WEIR_CACHE/peers/peers.env" -real "$real" \
	-out "$WEIR_CACHE/peers/runs/$(date -u +%Y%m%dT%H%M%SZ)" -doc "$doc" -only "${ONLY:-}" -rt="$rt"
