#!/usr/bin/env bash
# Checks and builds the nodes for n8n, with n8n's linter, and packs what npm would publish. Installs what it needs.
set -euo pipefail
cd "$(dirname "$0")"
. ../../node.sh
../sdk/build.sh
node_modules . "n8n's linter" --ignore-scripts

node_modules/.bin/n8n-node lint
node_modules/.bin/tsc
node build.mjs
node_modules/.bin/eslint --config scan.config.mjs --no-inline-config 'dist/**/*.js'
rm -rf out
mkdir out
npm pack --silent --pack-destination out >/dev/null
