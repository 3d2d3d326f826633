#!/bin/sh
# Builds ffmpeg and ffprobe with nothing in them but what the renderer uses: bin/ffmpeg-small/{ffmpeg,ffprobe}.
#
# The source is Debian's, with Debian's patches, and the codecs are Debian's static libraries: apt checks the signatures of both. Of dav1d
# there is none; its shared library comes along and has to lie beside the programs. Beyond it they need the C library alone. Nothing is
# installed and root is not needed: the packages are unpacked below the build folder.
# parts.sh says what goes in.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${FFMPEG_BUILD_DIR:-$root/bin/ffmpeg-build}
out=${FFMPEG_OUT_DIR:-$root/bin/ffmpeg-small}
jobs=${JOBS:-$(nproc)}
. "$here/parts.sh"

for tool in gcc make pkg-config dpkg-source apt-get; do
	command -v "$tool" >/dev/null || { echo "build.sh: there is no $tool (Debian: build-essential pkg-config dpkg-dev)" >&2; exit 1; }
done
mkdir -p "$work"

# apt with lists of its own, so that the machine's stay as they are.
. /etc/os-release
"$root/hack/images/deb/archive.sh" "$VERSION_CODENAME" >"$work/sources.list"
sed -i 's/^deb \(.*\)/&\ndeb-src \1/' "$work/sources.list"
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/packages"
apt() {
	apt-get -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$work/lists" \
		-o Dir::Cache::Archives="$work/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root "$@"
}
apt update

cd "$work/packages"
rm -f ./*
apt source --download-only ffmpeg
apt download nasm zlib1g-dev libx264-dev libvpx-dev libdav1d-dev libdav1d6 libzimg-dev

# Built before from the very same packages and parts: done.
stamp=$(cat ./*.dsc ./*.deb "$here/parts.sh" "$here/build.sh" | sha256sum | cut -d' ' -f1)
if [ -x "$out/ffprobe" ] && [ "$(cat "$out/.built-from" 2>/dev/null)" = "$stamp" ]; then
	echo "$out is up to date"
	exit 0
fi

rm -rf "$work/source" "$work/sysroot"
dpkg-source -x "$(ls -t ./*.dsc | head -1)" "$work/source"
for p in ./*.deb; do dpkg -x "$p" "$work/sysroot"; done
find "$work/sysroot" -name '*.so' ! -name libdav1d.so -delete # so that the static ones are taken
sys=$work/sysroot/usr
sed -i 's/-lstdc++/-l:libstdc++.a -lm/' "$sys/lib/$(gcc -print-multiarch)/pkgconfig/zimg.pc"

export PATH="$sys/bin:$PATH"
export PKG_CONFIG_SYSROOT_DIR="$work/sysroot"
export PKG_CONFIG_LIBDIR="$sys/lib/$(gcc -print-multiarch)/pkgconfig:$sys/share/pkgconfig"
# Paths of this machine do not belong into the programs.
flags="-O2 -ffile-prefix-map=$work=. -fstack-protector-strong -fstack-clash-protection -I$sys/include"
[ "$(gcc -print-multiarch)" = x86_64-linux-gnu ] && flags="$flags -fcf-protection"

cd "$work/source"
export SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -S Timestamp)
list() { echo "$1" | tr -s ' \n\t' ',' | sed 's/^,//; s/,$//'; }
./configure --toolchain=hardened --extra-cflags="$flags" --extra-ldflags="-L$sys/lib/$(gcc -print-multiarch) -Wl,-z,noexecstack -static-libgcc" \
	--pkg-config-flags=--static \
	--extra-version="$(dpkg-parsechangelog -S Version | sed 's/.*-//')-reelops" --prefix=/usr \
	--disable-everything --disable-autodetect --disable-network --disable-doc --disable-debug --disable-ffplay --disable-avdevice \
	--disable-postproc --disable-shared --enable-static --enable-gpl --enable-zlib \
	--enable-libx264 --enable-libvpx --enable-libdav1d --enable-libzimg \
	--enable-protocol="$(list "$protocols")" --enable-demuxer="$(list "$demuxers")" --enable-muxer="$(list "$muxers")" \
	--enable-decoder="$(list "$decoders")" --enable-encoder="$(list "$encoders")" --enable-parser="$(list "$parsers")" \
	--enable-bsf="$(list "$bsfs")" --enable-filter="$(list "$filters")" >"$work/configure.log" || { cat "$work/configure.log" >&2; tail -30 ffbuild/config.log >&2; exit 1; }
sed -i "s#$work#.#g" config.h # the programs say how they were configured
nice -n 10 make -s -j "$jobs" 'LDEXEFLAGS=-fPIE -pie -Wl,-rpath,\$$ORIGIN' ffmpeg ffprobe >"$work/make.log" 2>&1 || { tail -40 "$work/make.log" >&2; exit 1; }
strip -s ffmpeg ffprobe
mkdir -p "$out"
rm -f "$out/.built-from" # written last: what it is not there for may be half a copy
cp ffmpeg ffprobe "$out/"
cp -L "$sys/lib/$(gcc -print-multiarch)/libdav1d.so.6" "$out/"
echo "$stamp" >"$out/.built-from"
"$out/ffmpeg" -hide_banner -version | head -1
