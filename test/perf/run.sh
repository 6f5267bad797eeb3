#!/usr/bin/env bash
# Takes the figures of README.md, one after the other, in about four minutes; or
# those that are named: run.sh accuracy cpu. "stats" is taken only by name: the
# simulations of docs/statistics.md, ten minutes of two CPUs. WEIR_BIN is the
# binary to measure; without it one is built as make build does. WEIR_PERF_RT=1
# takes the accuracy at real-time priority (chrt), which stands in for an idle box
# on a busy one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$(cd ../.. && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$root/test" && go build -o "$work/perf" ./perf)
if [ -z "${WEIR_BIN:-}" ]; then
	(cd "$root" && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$work/weir" ./cmd/weir)
	WEIR_BIN=$work/weir
fi
export WEIR_BIN

echo "$(go version), $(nproc) CPUs, $(uname -sr), load average $(cut -d' ' -f1-3 /proc/loadavg)"
[ $# -gt 0 ] || set -- startup reader accuracy stamps cpu memory
for name; do
	flags=() front=()
	case $name in
	stats)
		(cd "$root" && go test ./internal/stats -v -run Simulation -timeout 60m -replications 2000) | grep -v '^==='
		continue
		;;
	reader) flags=(-root "$root") ;;
	accuracy) [ "${WEIR_PERF_RT:-}" != 1 ] || front=(chrt -f 10) ;;
	esac
	[ "$name" != stamps ] || { name=accuracy flags=(-stamps); }
	timeout --kill-after=15s 10m "${front[@]}" "$work/perf" "$name" "${flags[@]}"
done
