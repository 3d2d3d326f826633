#!/bin/sh
# Runs the renderer's tests with the small ffmpeg in the renderer's place: test.sh [PACKAGE...]. The tests make their films with the
# system's ffmpeg, which knows more: what the renderer calls names the protocols that may be used, and nothing else does.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
small=$root/bin/ffmpeg-small
[ -x "$small/ffprobe" ] || { echo "test.sh: run hack/ffmpeg/build.sh first" >&2; exit 1; }
# Beside the wrappers, because a confined program opens what lies beside it and what the system has.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp "$small"/libdav1d.so.6 "$dir/"
for p in ffmpeg ffprobe; do
	cp "$small/$p" "$dir/small-$p"
	printf '#!/bin/sh\ncase "$*" in *-protocol_whitelist*) exec %s "$@" ;; esac\nexec %s "$@"\n' "$dir/small-$p" "$(command -v $p)" >"$dir/$p"
	chmod +x "$dir/$p"
done
cd "$root"
[ $# -gt 0 ] || set -- ./internal/media/probe ./internal/film/render/... ./internal/starter/avatar ./internal/starter/music ./cmd/renderer
# Two tests wrap ffmpeg themselves: a wrapper around theirs lies where a confined program may execute nothing.
PATH=$dir:$PATH go test -count=1 -skip 'TestFootage_KilledDecoder|TestSegments_UnknownStreamFallsBack' "$@"
