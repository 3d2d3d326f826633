#!/usr/bin/env bash
# Fails when generating changed a file, when a go.mod of the product or of hack is not tidy, or when a link or path of a document leads
# nowhere.
set -euo pipefail
cd "$(dirname "$0")/.."

go mod tidy
go -C hack mod tidy
if [ -n "$(git status --porcelain)" ]; then
  echo "these files are not up to date; run make generate and commit them:" >&2
  git status --short >&2
  exit 1
fi

go -C hack run ./documents
