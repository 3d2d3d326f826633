#!/usr/bin/env bash
# Uses a running service as its users do, by the client in sdk and by clients that others wrote: one generated from its description, the official
# SDK of the Model Context Protocol, and the inspector's command line. The service publishes to a sandbox. Installs what it needs.
#   REELOPS_URL=http://127.0.0.1:8080 REELOPS_KEY=rlo_... REELOPS_LINK=$(reelops console --account demo) hack/clients/run.sh
set -euo pipefail
cd "$(dirname "$0")"
. ../node.sh
node_modules . "clients of the API and of the MCP server"

rm -rf generated out
mkdir out
node_modules/.bin/openapi-ts --no-log-file >out/generator.log || { cat out/generator.log; exit 1; }
{
  echo 'declare const queue: { add(id: unknown, event: unknown): void };'
  sed -n '/^```ts$/,/^```$/{/^```/d;s/8080/Number(process.env.PORT)/;p}' ../../docs/guides/webhooks.md
} >generated/receiver.ts
sdk/build.sh
mkdir -p node_modules/@reelops
ln -sfn ../../sdk node_modules/@reelops/client
node_modules/.bin/tsc
for program in rest mcp inspector webhook oauth sdk; do
  node "out/src/$program.js"
done
