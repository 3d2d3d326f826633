#!/bin/sh
# pinned.sh VERSION GO_IMAGE DEBIAN_IMAGE SNAPSHOT [SOURCES]: rejects a release whose inputs are not pinned, and makes
# apt use Debian's archive as of SNAPSHOT (YYYYMMDDTHHMMSSZ, a time that https://snapshot.debian.org/ has). A VERSION
# that begins with v and a digit is a release: both images need a digest, and SNAPSHOT is required. SOURCES is apt's
# file of sources.
set -eu
version=$1 go=$2 debian=$3 snapshot=$4 sources=${5:-/etc/apt/sources.list.d/debian.sources}

fail() {
	echo "pinned.sh: $*" >&2
	exit 1
}
digest() {
	printf '%s' "$2" | grep -Eq '^[^@]+@sha256:[0-9a-f]{64}$' || fail "release $version needs --build-arg $1=IMAGE@sha256:DIGEST, not $2"
}

case $version in
v[0-9]*)
	digest GO_IMAGE "$go"
	digest DEBIAN_IMAGE "$debian"
	[ -n "$snapshot" ] || fail "release $version needs --build-arg SNAPSHOT=YYYYMMDDTHHMMSSZ"
	;;
esac
[ -n "$snapshot" ] || exit 0
printf '%s' "$snapshot" | grep -Eq '^[0-9]{8}T[0-9]{6}Z$' || fail "SNAPSHOT is YYYYMMDDTHHMMSSZ, not $snapshot"
# The archive's Release file has expired by now, so its date is not checked. Its signature is.
for archive in 'debian bookworm bookworm-updates' 'debian-security bookworm-security'; do
	cat <<SOURCE
Types: deb
URIs: http://snapshot.debian.org/archive/${archive%% *}/$snapshot/
Suites: ${archive#* }
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
Check-Valid-Until: no

SOURCE
done >"$sources"
