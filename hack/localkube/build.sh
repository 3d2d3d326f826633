#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build.sh OUT: builds localkube to OUT, and creates the links etcd,
# kube-apiserver and kubectl in the same folder. Does nothing if the sources have
# not changed since the last build.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 OUT" >&2; exit 2; }
mkdir -p "$(dirname "$1")"
out=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")"

links() {
	for name in etcd kube-apiserver kubectl; do
		ln -sf "$(basename "$out")" "$(dirname "$out")/$name"
	done
}

stamp="$(go env GOVERSION) $(cat go.mod go.sum build.sh $(find . -name '*.go' ! -name '*_test.go' | sort) | sha256sum)"
if [ -x "$out" ] && [ "$(cat "$out.stamp" 2>/dev/null)" = "$stamp" ]; then
	links
	exit 0
fi

kube=$(sed -n 's/^[[:space:]]*k8s.io\/kubernetes \(v[0-9.]*\).*/\1/p' go.mod | head -n 1)
minor=${kube#v1.}
v=k8s.io/component-base/version
vars="-X $v.gitVersion=$kube -X $v.gitMajor=1 -X $v.gitMinor=${minor%%.*} -X $v.gitTreeState=clean"

echo "localkube: compiling Kubernetes $kube; the first time takes about 8 minutes on 2 cores"
# The go command prints each package that it compiles. Every 50th line is shown as
# progress, and every line that is not a package name is shown.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
{
	rc=0
	nice -n 5 go build -v -ldflags "-s -w $vars" -o "$out.new" . 2>&1 || rc=$?
	echo "$rc" >"$dir/rc"
} | awk '
	/^go: downloading/ { d++; if (d % 25 == 1) { print "localkube: downloading modules, " d " so far"; fflush() } next }
	/^[a-zA-Z0-9_.\/~-]+$/ { n++; if (n % 50 == 0) { print "localkube: compiled " n " packages (of about 2400 the first time)"; fflush() } next }
	{ print; fflush() }
	END { if (n > 50) print "localkube: compiled " n " packages" }'
rc=$(cat "$dir/rc")
[ "$rc" = 0 ] || { echo "localkube: the build failed" >&2; exit "$rc"; }
mv -f "$out.new" "$out"
printf '%s\n' "$stamp" >"$out.stamp"
links
echo "localkube: built $out"
