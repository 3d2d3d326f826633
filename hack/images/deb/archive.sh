#!/bin/sh
# archive.sh SUITE: prints where the packages of a Debian release come from, its updates and security fixes with it, as the sources.list of an
# apt. The machine's own apt knows; what it trusts for other archives is not trusted here. This package and hack/ffmpeg/build.sh run it.
set -eu
list=$(apt-get indextargets --format 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) $(RELEASE) $(COMPONENT)' \
	'Created-By: Packages' 'Origin: Debian' 'Component: main' | grep -E " $1(-updates|-security)? " | sort -u)
[ -n "$list" ] || { echo "apt knows no archive of $1 yet: apt-get update" >&2; exit 1; }
echo "$list"
