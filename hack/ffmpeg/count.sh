#!/bin/sh
# Counts what can be reached in an ffmpeg: count.sh [FFMPEG...], the system's and the small one unless named.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- "$(command -v ffmpeg)" "$root/bin/ffmpeg-small/ffmpeg"

# lines that tell of one part each, after the legend
parts() { "$1" -hide_banner -loglevel error "-$2" 2>/dev/null | sed '1,/^ *-*$/d' | grep -c '[a-z0-9]' || true; }
filters() { "$1" -hide_banner -loglevel error -filters 2>/dev/null | grep -c -- '->' || true; }
list() { "$1" -hide_banner -loglevel error "-$2" 2>/dev/null | grep -vc ':$' || true; }
libraries() { ldd "$1" | grep -c '=> /' || true; }
bytes() { { readlink -f "$1"; ldd "$1" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p'; } | xargs -r stat -L -c %s | awk '{n += $1} END {print n}'; }
protocols() { "$1" -hide_banner -loglevel error -protocols 2>/dev/null | awk '/^Input:/ {on = 1; next} /^Output:/ {on = 0} on' | grep -c . || true; }

row() {
	what=$1 how=$2
	shift 2
	printf '%-26s' "$what"
	for f; do printf '%14s' "$($how "$f")"; done
	echo
}
decoders() { parts "$1" decoders; }
encoders() { parts "$1" encoders; }
demuxers() { parts "$1" demuxers; }
muxers() { parts "$1" muxers; }
bsfs() { list "$1" bsfs; }
row decoders decoders "$@"
row demuxers demuxers "$@"
row filters filters "$@"
row 'protocols to read by' protocols "$@"
row encoders encoders "$@"
row muxers muxers "$@"
row 'bitstream filters' bsfs "$@"
row 'shared libraries' libraries "$@"
row 'bytes, libraries included' bytes "$@"
