#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build.sh OUT: builds realnode to OUT, and the programs of its images and its CNI
# plugin to OUT-pause, OUT-dns and OUT-cni. Does nothing if the sources have not
# changed since the last build.
#
# The module has the same versions as hack/localkube, so that both share most
# compiled packages.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 OUT" >&2; exit 2; }
mkdir -p "$(dirname "$1")"
out=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")"

sources=$(find . ../localkube/pki \( -name '*.go' -o -name '*.yaml' -o -name 'go.*' \) ! -name '*_test.go' | sort)
# shellcheck disable=SC2086 # names have no spaces, so each is one word
stamp="$(go env GOVERSION) $(cat build.sh $sources | sha256sum)"
if [ -x "$out" ] && [ -x "$out-pause" ] && [ -x "$out-cni" ] && [ -x "$out-dns" ] && [ "$(cat "$out.stamp" 2>/dev/null)" = "$stamp" ]; then
	exit 0
fi

kube=$(sed -n 's/^[[:space:]]*k8s.io\/kubernetes \(v[0-9.]*\).*/\1/p' go.mod | head -n 1)
minor=${kube#v1.}
v=k8s.io/component-base/version
vars="-X $v.gitVersion=$kube -X $v.gitMajor=1 -X $v.gitMinor=${minor%%.*} -X $v.gitTreeState=clean"

echo "realnode: compiling Kubernetes $kube; the first time takes about 10 minutes on 2 cores, 3 after localkube"
export CGO_ENABLED=0
nice -n 5 go build -trimpath -ldflags "-s -w" -o "$out-pause" ./pause
nice -n 5 go build -trimpath -ldflags "-s -w" -o "$out-cni" ./policy/plugin
(cd dns && nice -n 5 go build -trimpath -ldflags "-s -w" -o "$out-dns" .)
# With cgo, as for localkube, so that shared packages are compiled once.
CGO_ENABLED=1 nice -n 5 go build -ldflags "-s -w $vars" -o "$out.new" .
mv -f "$out.new" "$out"
printf '%s\n' "$stamp" >"$out.stamp"
echo "realnode: built $out"
