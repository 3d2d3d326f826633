#!/usr/bin/env bash
# Holds the OpenAPI description against linters that others wrote: Redocly and Spectral, pinned in package-lock.json.
# Any finding fails. Without an argument it takes the description that the tests keep up to date.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
description=$(realpath "${1:-$here/../../apiserver/testdata/openapi.json}")
cd "$here"

least=20.19.0
found=$(node --version 2>/dev/null | tr -d v || true)
if [ -z "$found" ] || ! command -v npm >/dev/null; then
  ../deps.sh nodejs npm
  found=$(node --version | tr -d v)
fi
if [ "$(printf '%s\n' "$least" "$found" | sort -V | head -n 1)" != "$least" ]; then
  echo "the linters of the OpenAPI description need Node.js $least or later; this is $found" >&2
  exit 1
fi

# The stamp is the lock file that node_modules was installed from.
if ! cmp -s package-lock.json node_modules/.installed-from; then
  echo "installing the linters of the OpenAPI description"
  npm ci --no-progress --loglevel=error
  cp package-lock.json node_modules/.installed-from
fi

export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
node_modules/.bin/redocly lint --config redocly.yaml --max-problems 1000 "$description"
node_modules/.bin/spectral lint --ruleset .spectral.yaml --fail-severity hint "$description"
