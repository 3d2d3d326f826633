# What goes into the small ffmpeg: exactly what the renderer uses. build.sh and count.sh read it.
#
# Whoever takes another format, filter or option in internal/film/render, internal/media/probe, internal/starter/avatar or internal/starter/music adds it here;
# hack/ffmpeg/test.sh runs their tests with the small programs.

# No network: files that the renderer names, and pipes to it.
protocols='file pipe'

# The types of files that are taken (internal/media/probe), and what the renderer gives ffmpeg itself: raw frames, raw samples, bare H.264 and AAC.
demuxers='mov matroska mp3 aac wav flac ogg rawvideo pcm_f32le h264'

# Films, bare streams, music of the starter set, raw frames and samples, thumbnails, and measuring alone.
muxers='mp4 h264 adts flac rawvideo pcm_s16le image2 null'

# What clips, tracks and covers of records may hold (internal/media/probe). libvpx is for transparent clips: vp8 and vp9 do not know transparency.
decoders='
h264 hevc vp8 vp9 libvpx_vp8 libvpx_vp9 libdav1d mpeg4 mjpeg png prores h263 dvvideo rawvideo
aac mp3 mp3float opus vorbis flac alac ac3 eac3
pcm_s16le pcm_s16be pcm_s24le pcm_s24be pcm_s32le pcm_s32be pcm_f32le pcm_f64le pcm_u8 pcm_s8 pcm_alaw pcm_mulaw
'

encoders='libx264 aac flac mjpeg rawvideo pcm_s16le'

parsers='h264 hevc vp8 vp9 av1 mpeg4video h263 mjpeg png aac mpegaudio opus vorbis flac ac3'

# AAC from a bare stream into MP4; the avatar clips are without the encoder's own words; headers of streams in the middle of a file.
bsfs='aac_adtstoasc filter_units extract_extradata vp9_superframe_split null'

# What the chains name (footage_facts.go, footage_colour.go, audio*.go, internal/media/probe), and what ffmpeg puts in by itself: turning a
# clip upright, scaling, and changing formats.
filters='
setpts fps format crop scale setsar zscale lut3d premultiply bwdif split trim null copy
transpose hflip vflip rotate
aresample aformat atrim asetpts anull highpass loudnorm ebur128
'
