#!/usr/bin/env bash
# The tests of both modules. Root and CI get what is missing installed first;
# anyone else gets what can run here, and status 1 with the names of what
# could not: a test that did not run has not passed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ "${CI:-}" = true ] || [ "$(id -u)" -eq 0 ]; then
	tools/deps.sh
fi

flags=(-shuffle=on) skip=() missing=()
if command -v "$(go env CC)" >/dev/null; then
	export CGO_ENABLED=1
	flags+=(-race)
else
	export CGO_ENABLED=0
	missing+=("the race detector: there is no C compiler; make deps")
fi
if [ ! -d test/sdk/node_modules ] || ! command -v node >/dev/null; then
	skip+=('^TestNode')
	missing+=("the Node clients of test/sdk; make deps")
fi
if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then
	skip+=('^TestBrowser')
	missing+=("the reports in a browser: there is no Chromium; make deps")
fi
if [ ${#skip[@]} -gt 0 ]; then
	skip=(-skip "$(IFS='|' && echo "${skip[*]}")")
fi

go vet ./...
go test "${flags[@]}" ./...
case " ${flags[*]} " in *" -race "*)
	# What skips itself under the race detector, and says so.
	go test -shuffle=on ./internal/bench ./internal/engine/validate
	;;
esac
(cd tools && go vet ./prices && go test ./prices)
cd test
go vet -tags real ./...
go test -count=1 "${flags[@]}" "${skip[@]}" ./...

if [ ${#missing[@]} -gt 0 ]; then
	printf 'make test: NOT tested: %s\n' "${missing[@]}" >&2
	exit 1
fi
