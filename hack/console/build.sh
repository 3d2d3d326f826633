#!/usr/bin/env bash
# Builds the web console into apiserver/console/dist, unless its sources are unchanged. With the argument check it also
# runs the type checker and the linter.
set -euo pipefail
cd "$(dirname "$0")/../.."
. hack/node.sh
web=apiserver/console/web dist=apiserver/console/dist
node_modules $web "the packages of the console"

sources() {
  find $web hack/console apiserver/testdata/openapi.json -name node_modules -prune -o -type f ! -name '*.gen.ts' -print0
}
stamp=$(sources | sort -z | xargs -0 sha256sum | sha256sum)
if [ "$stamp" != "$(cat $dist/.stamp 2>/dev/null)" ]; then
  echo "building the console"
  rm -f $dist/.stamp
  npm --prefix $web run --silent types
  go -C hack run ./console
  echo "$stamp" >$dist/.stamp
fi
if [ "${1:-}" = check ]; then
  npm --prefix $web run --silent check
fi
