#!/usr/bin/env bash
# Fails if generation changed a file, if the go.mod of the main module or of hack is not tidy, or if a link or path in a
# document is broken.
set -euo pipefail
cd "$(dirname "$0")/.."

go mod tidy
go -C hack mod tidy
if [ -n "$(git status --porcelain)" ]; then
  echo "these files are outdated; run make generate and commit them:" >&2
  git status --short >&2
  exit 1
fi

go -C hack run ./documents
