#!/usr/bin/env bash
# Writes the files of a release.
#
#   hack/release.sh files TAG FOLDER [REGISTRY]   the chart, the CRDs as one file, and the notes from CHANGELOG.md
#   hack/release.sh checksums FOLDER              checksums.txt, with the SHA-256 of every file in the folder
#
# REGISTRY is the registry and path of the images that the chart installs by default, such as ghcr.io/reelops/reelops.
# The command fails if the changelog has no section for the release, or if the release's CRDs are not frozen or differ
# from config/crd/bases.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "release: $*" >&2
  exit 1
}

# notes TAG prints the section of CHANGELOG.md.
notes() {
  awk -v head="## [${1#v}]" 'index($0, head) == 1 {on = 1; next} /^## |^\[/ {on = 0} on' CHANGELOG.md
}

files() {
  local tag=$1 out=$2 registry=${3:-}
  [[ $tag =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || fail "$tag is not a version such as v0.2.0"
  mkdir -p "$out"
  notes "$tag" >"$out/notes.md"
  grep -q '[^[:space:]]' "$out/notes.md" || fail "CHANGELOG.md has no section [${tag#v}]"

  # Pre-releases (v0.2.0-rc.1) guarantee no compatibility with later releases, so their CRDs are not frozen.
  if [[ $tag != *-* ]]; then
    diff -r config/crd/bases "config/crd/releases/$tag" >&2 ||
      fail "config/crd/releases/$tag differs from config/crd/bases: run go -C hack run ./upgrade freeze $tag"
  fi
  for crd in config/crd/bases/*.yaml; do
    cat "$crd" # each begins with ---
  done >"$out/reelops-crds.yaml"

  local chart
  chart=$(mktemp -d)
  trap 'rm -rf "$chart"' RETURN
  cp -r config/chart/reelops "$chart/"
  if [ -n "$registry" ]; then
    sed -i -E "/^image:/,/^  tag:/s|^(  registry: )[^ ]+|\1$registry|" "$chart/reelops/values.yaml"
    grep -q "^  registry: $registry " "$chart/reelops/values.yaml" || fail "values.yaml has no image.registry"
  fi
  go -C hack/chart tool helm package "$chart/reelops" --version "${tag#v}" --app-version "$tag" --destination "$(realpath "$out")"
}

checksums() {
  local sums
  cd "$1"
  rm -f checksums.txt
  sums=$(sha256sum -- *)
  echo "$sums" >checksums.txt
}

case ${1:-}:$# in
files:3 | files:4) files "${@:2}" ;;
checksums:2) checksums "$2" ;;
*) fail "usage: files TAG FOLDER [REGISTRY], or checksums FOLDER" ;;
esac
