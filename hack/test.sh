#!/usr/bin/env bash
# Runs all tests of the main module. Those of the whole stack wait more than they compute, so they run beside all others; the go command
# prints packages in their order, so both print as they go only when they are two. Arguments go to both, such as -race.
set -uo pipefail
cd "$(dirname "$0")/.."

whole=github.com/reelops/reelops/internal/e2e
others=$(go list ./... | grep -vx "$whole") || exit 1

go test -timeout 30m "$@" "$whole" &
pid=$!
trap 'kill $pid 2>/dev/null' EXIT
# shellcheck disable=SC2086
go test -timeout 20m "$@" $others
code=$?
wait $pid && exit $code
exit 1
