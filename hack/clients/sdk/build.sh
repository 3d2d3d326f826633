#!/usr/bin/env bash
# Builds the TypeScript client from the description of the API, and packs what npm would publish. Installs what it needs.
set -euo pipefail
cd "$(dirname "$0")"
. ../../node.sh
node_modules .. "clients of the API and of the MCP server"

rm -rf src/generated dist out
../node_modules/.bin/openapi-ts --no-log-file
# The operations that accept an Idempotency-Key, as "POST /path/[^/]+".
node --input-type=module >src/generated/idempotent.ts <<'JS'
import { readFileSync } from 'node:fs';
const { paths } = JSON.parse(readFileSync('../../../apiserver/testdata/openapi.json', 'utf8'));
const list = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, o]) => (o.parameters ?? []).some((p) => JSON.stringify(p).includes('Idempotency-Key') || p.$ref?.includes('dempotency')))
    .map(([method]) => `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '[^/]+')}`),
);
console.log(`export const idempotent: readonly string[] = ${JSON.stringify(list, null, 2)};`);
JS
../node_modules/.bin/tsc -p .
mkdir -p out
npm pack --silent --pack-destination out >/dev/null
