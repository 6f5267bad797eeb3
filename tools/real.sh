#!/usr/bin/env bash
# Measures a real engine with bin/weir, and holds weir gateway against real
# clients for Python, on weir sim and on that engine. Where packages cannot be
# installed (status 3 of the install scripts, which name them) what needs them
# is not measured, and that is no failure; a measurement that disagrees is one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export WEIR_BIN=$PWD/bin/weir
export WEIR_CACHE=${WEIR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weir}
mkdir -p "$WEIR_CACHE"
WEIR_CACHE=$(cd "$WEIR_CACHE" && pwd)
export WEIR_REAL_ENV=$WEIR_CACHE/real/real.env WEIR_CALLERS_ENV=$WEIR_CACHE/callers/callers.env

# has SCRIPT: whether what it installs is there.
has() {
	local status=0
	bash "$1" </dev/null || status=$?
	case $status in
	0) return 0 ;;
	3) return 1 ;;
	*) exit "$status" ;;
	esac
}

engine= clients= which=()
has test/real/install.sh && engine=yes
has test/real/callers.sh && clients=yes
case $engine,$clients in
yes,yes) ;;
yes,) which=(-skip '^TestPython') ;;
,yes) which=(-run '^TestPythonCallers$') ;; # the only ones that need no engine
*) exit 0 ;;
esac
cd test
go test -tags real -count=1 -v -timeout 20m "${which[@]}" ./real/...
