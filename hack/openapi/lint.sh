#!/usr/bin/env bash
# Holds the OpenAPI description against linters that others wrote: Redocly and Spectral, pinned in package-lock.json.
# Any finding fails. Without an argument it takes the description that the tests keep up to date.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
description=$(realpath "${1:-$here/../../apiserver/testdata/openapi.json}")
cd "$here"
. ../node.sh
node_modules . "the linters of the OpenAPI description"

export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
node_modules/.bin/redocly lint --config redocly.yaml --max-problems 1000 "$description"
node_modules/.bin/spectral lint --ruleset .spectral.yaml --fail-severity hint "$description"
