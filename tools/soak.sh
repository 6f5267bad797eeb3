#!/usr/bin/env bash
# weir gateway under random faults, aborts and reloads, every answer compared
# (test/soak): 10,000 streams that are left in their middle, a replica that is
# killed, then the soak itself. SOAK is how long that takes, SEED what happens.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../test"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work # logs of requests, hundreds of MB
(cd .. && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$work/weir" ./cmd/weir)
export WEIR_BIN=$work/weir

echo "$(go version), $(nproc) CPUs, $(uname -sr), load average $(cut -d' ' -f1-3 /proc/loadavg)"
go test -count=1 -v -timeout 24h ./soak -aborted 10000 -soak "${SOAK:-30m}" -seed "${SEED:-0}"
