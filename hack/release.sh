#!/usr/bin/env bash
# Writes the files of a release.
#
#   hack/release.sh files TAG FOLDER [REGISTRY]     the chart, the CRDs as one file, and the notes from CHANGELOG.md
#   hack/release.sh plugin TAG FOLDER [OS/ARCH...]  the kubectl plugin for each platform, and its Krew manifest
#   hack/release.sh checksums FOLDER                checksums.txt, with the SHA-256 of every file in the folder
#   hack/release.sh subjects FOLDER LOG...          print the subjects of the provenance: the files of checksums.txt, and
#                                                   the images and the chart whose pushes the logs report
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

# check_tag TAG fails unless the tag is a version.
check_tag() {
  [[ $1 =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || fail "$1 is not a version such as v0.2.0"
}

files() {
  local tag=$1 out=$2 registry=${3:-}
  check_tag "$tag"
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
    {
      echo "  artifacthub.io/images: |"
      for name in manager apiserver renderer; do
        printf '    - name: %s\n      image: %s/%s:%s\n      platforms: [linux/amd64, linux/arm64]\n' $name "$registry" $name "$tag"
      done
    } >>"$chart/reelops/Chart.yaml"
  fi
  go -C hack/chart tool helm package "$chart/reelops" --version "${tag#v}" --app-version "$tag" --destination "$(realpath "$out")"
}

# plugin writes an archive for each platform, the same bytes for the same commit, and reelops.yaml for Krew.
plugin() {
  local tag=$1 out=$2 platforms=("${@:3}") work os arch exe archive
  check_tag "$tag"
  [ ${#platforms[@]} -gt 0 ] || platforms=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64)
  mkdir -p "$out"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' RETURN
  sed "s/TAG/$tag/" config/release/krew.yaml >"$out/reelops.yaml"
  for platform in "${platforms[@]}"; do
    os=${platform%/*} arch=${platform#*/} exe=""
    [ "$os" != windows ] || exe=.exe
    archive=kubectl-reelops_${os}_$arch.tar.gz
    echo "building $archive" >&2
    mkdir "$work/$os-$arch"
    CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=false -tags=nodynamic,grpcnotrace,disable_grpc_modules -o "$work/$os-$arch/kubectl-reelops$exe" \
      -ldflags="-s -w -X github.com/reelops/reelops/internal/process/version.Version=$tag" ./cmd/reelops
    cp LICENSE cmd/reelops/kubectl_complete-reelops "$work/$os-$arch/"
    tar --sort=name --mtime="@$(git log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner -C "$work/$os-$arch" -c . | gzip -n >"$out/$archive"
    cat >>"$out/reelops.yaml" <<END
  - uri: https://github.com/reelops/reelops/releases/download/$tag/$archive
    sha256: $(sha256sum "$out/$archive" | cut -d ' ' -f 1)
    bin: kubectl-reelops$exe
    selector:
      matchLabels:
        os: $os
        arch: $arch
END
  done
}

checksums() {
  local sums
  cd "$1"
  rm -f checksums.txt
  sums=$(sha256sum -- *)
  echo "$sums" >checksums.txt
}

# subjects prints lines of sha256sum. The logs are those of `make images PUSH=` and of `helm push`.
subjects() {
  cat "$1/checksums.txt"
  awk '
    function name(ref) { sub(/:[^:\/]*$/, "", ref); return ref }
    $1 == "pushed" { split($2, p, "@sha256:"); print p[2] "  " name(p[1]) }
    $1 == "Pushed:" { chart = name($2) }
    $1 == "Digest:" { sub("sha256:", "", $2); print $2 "  " chart }
  ' "${@:2}"
}

case ${1:-}:$# in
files:3 | files:4) files "${@:2}" ;;
plugin:*) plugin "${@:2}" ;;
checksums:2) checksums "$2" ;;
subjects:*) subjects "${@:2}" ;;
*) fail "usage: files TAG FOLDER [REGISTRY], plugin TAG FOLDER [OS/ARCH...], checksums FOLDER, or subjects FOLDER LOG..." ;;
esac
