#!/usr/bin/env bash
# Installs what the tests need, so that no test needs the network afterwards.
# Root may install Debian packages; anyone else is told what is missing.
# Quick when all is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

missing=()
updated=
# package WHAT NAME...: installs Debian packages, or notes that WHAT is missing.
package() {
	local what=$1
	shift
	if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
		missing+=("$what (Debian: apt-get install $*)")
		return
	fi
	echo "deps: $what: installing $*"
	if [ -z "$updated" ]; then
		apt-get -qq update </dev/null || true # what is cached may do
		updated=yes
	fi
	DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" </dev/null >/dev/null ||
		missing+=("$what (apt-get install $* failed, see above)")
}

have_node() { command -v npm >/dev/null && [ "$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)" -ge 20 ]; }

have_chromium() { command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; }

command -v "$(go env CC)" >/dev/null || package "a C compiler, for the race detector" gcc libc6-dev
have_chromium || package "Chromium, which looks at the reports" chromium fonts-dejavu-core
have_node || package "Node 20 or newer with npm" nodejs npm

if have_node; then
	lock=$(sha256sum test/sdk/package.json test/sdk/package-lock.json)
	if [ "$(cat test/sdk/node_modules/.weir-lock 2>/dev/null)" != "$lock" ]; then
		echo "deps: test/sdk: npm ci"
		(cd test/sdk && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null)
		echo "$lock" >test/sdk/node_modules/.weir-lock
	fi
elif [ ${#missing[@]} -eq 0 ]; then
	missing+=("Node 20 or newer: the installed one is older")
fi

# The go command would fetch modules while it builds the tests; do it here.
go list -deps -test ./... >/dev/null
(cd test && go list -deps -test -tags real ./... >/dev/null)

if [ ${#missing[@]} -gt 0 ]; then
	printf 'deps: missing: %s\n' "${missing[@]}" >&2
	exit 1
fi
echo "deps: ready"
