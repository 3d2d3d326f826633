#!/usr/bin/env bash
# Fails if generation changed a file, if the go.mod of the main module or of hack is not tidy, if another module requires
# other versions than the main module, or if a link or path in a document is broken.
set -euo pipefail
cd "$(dirname "$0")/.."

go mod tidy
go -C hack mod tidy
if [ -n "$(git status --porcelain)" ]; then
  echo "these files are outdated; run make generate and commit them:" >&2
  git status --short >&2
  exit 1
fi

# With the same versions, the go command compiles each package once for all modules: a package is compiled again if any
# package that it imports differs. The modules that are not listed share few packages with the main module.
others="$(awk '
  $2 == "=>" { $2 = $4 } # in a list of replacements
  $2 !~ /^v[0-9]/ { next }
  FILENAME == "go.mod" { main[$1] = $2; next }
  $1 in main && main[$1] != $2 { print FILENAME ": " $1 " " $2 ", but " main[$1] " in go.mod" }
' go.mod hack/go.mod hack/{chart,health,localkube,monitoring/check,realnode,tools}/go.mod)"
if [ -n "$others" ]; then
  echo "these modules require other versions than the main module; run go get in either:" >&2
  echo "$others" >&2
  exit 1
fi

go -C hack run ./documents
