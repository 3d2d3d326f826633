#!/usr/bin/env bash
# Runs gofumpt, golangci-lint, actionlint and Vale over the modules, workflows and texts of this repository.
set -euo pipefail
cd "$(dirname "$0")/.."

unformatted=$(go tool -modfile=hack/tools/go.mod gofumpt -l api apiserver cmd controllers hack internal)
if [ -n "$unformatted" ]; then
  echo "not formatted (make generate):" >&2
  echo "$unformatted" >&2
  exit 1
fi
# Every folder in the list in .golangci.yml must still have a line over 120 columns.
for folder in $(sed -n "s|^ *- {path: '^\(.*\)/\[^/\]+\$', linters: \[lll\]}$|\1|p" .golangci.yml); do
  if ! grep -qE '^.{121}' "$folder"/*.go; then
    echo "remove $folder from the list for lll in .golangci.yml: its lines have at most 120 columns" >&2
    exit 1
  fi
done
echo "golangci-lint, with the checks of go vet: the first run builds it"
go tool -modfile=hack/tools/lint/go.mod golangci-lint run ./...
(cd hack && go tool -modfile=tools/lint/go.mod golangci-lint run ./...)
go tool -modfile=hack/tools/go.mod actionlint
echo "Vale, for comments, documents and the OpenAPI description: the first run builds it"
# Vale's parsers are C and C++ code.
for compiler in $(go env CC CXX); do
  command -v "$compiler" >/dev/null || hack/deps.sh "$compiler" libc6-dev
done
CGO_ENABLED=1 go tool -modfile=hack/tools/vale/go.mod vale --config=hack/vale/.vale.ini --no-global --output=line \
  ./*.md .github api apiserver cmd config controllers docs hack internal
