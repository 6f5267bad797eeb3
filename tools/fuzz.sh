#!/usr/bin/env bash
# Runs every fuzz target of the root module for the time given, one by one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
budget=${1:?usage: fuzz.sh DURATION}

found=0
while IFS=: read -r file name; do
	found=$((found + 1))
	echo "fuzz: $name in $(dirname "$file")"
	go test -run '^$' -fuzz "^$name\$" -fuzztime "$budget" "./$(dirname "$file")" </dev/null
done < <(git ls-files -co --exclude-standard '*_test.go' ':!test' ':!tools' | xargs -r grep -HoE '^func Fuzz[A-Za-z0-9_]*' | sed 's/:func /:/')
echo "fuzz: $found targets"
[ "$found" -gt 0 ]
