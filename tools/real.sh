#!/usr/bin/env bash
# Measures a real engine with bin/weir. Where its packages cannot be installed
# (status 3 of install.sh, which names them) nothing is measured, and that is
# no failure; a measurement that disagrees is one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export WEIR_BIN=$PWD/bin/weir
export WEIR_CACHE=${WEIR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weir}
mkdir -p "$WEIR_CACHE"
WEIR_CACHE=$(cd "$WEIR_CACHE" && pwd)
export WEIR_REAL_ENV=$WEIR_CACHE/real/real.env

status=0
bash test/real/install.sh </dev/null || status=$?
case $status in
0) ;;
3) exit 0 ;;
*) exit "$status" ;;
esac
cd test
go test -tags real -count=1 -v -timeout 20m ./real/...
