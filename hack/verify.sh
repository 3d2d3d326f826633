#!/usr/bin/env bash
# Fails when generating changed a file, when a go.mod of the product or of hack is not tidy, or when a document names a path that is not there.
set -euo pipefail
cd "$(dirname "$0")/.."

go mod tidy
go -C hack mod tidy
if [ -n "$(git status --porcelain)" ]; then
  echo "these files are not up to date; run make generate and commit them:" >&2
  git status --short >&2
  exit 1
fi

wrong=0
for doc in README.md CONTRIBUTING.md; do
  # Paths in backquotes that begin with one of the top-level folders.
  for path in $(grep -oE '`(api|apiserver|cmd|config|controllers|docs|hack|internal)/[A-Za-z0-9_./-]*`' "$doc" | tr -d '`' | sort -u); do
    if [ ! -e "$path" ]; then
      echo "$doc names $path, which is not there" >&2
      wrong=1
    fi
  done
done
exit $wrong
