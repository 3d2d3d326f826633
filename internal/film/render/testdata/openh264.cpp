// SPDX-License-Identifier: Apache-2.0

// Decodes a byte stream with Cisco's decoder: openh264 IN OUT writes raw pictures and fails at the first flaw. It conceals
// nothing, and shares no code with the decoder of ffmpeg and Chromium.
#include <cstdio>
#include <cstring>
#include <vector>
#include <wels/codec_api.h>

static FILE *out;

static void put(unsigned char **planes, const SBufferInfo &info) {
	if (info.iBufferStatus != 1) return;
	const SSysMEMBuffer &b = info.UsrData.sSystemBuffer;
	for (int p = 0; p < 3; p++) {
		int half = p ? 2 : 1;
		for (int y = 0; y < b.iHeight / half; y++) fwrite(planes[p] + y * b.iStride[p ? 1 : 0], 1, b.iWidth / half, out);
	}
}

int main(int argc, char **argv) {
	if (argc != 3) return 2;
	FILE *in = fopen(argv[1], "rb");
	out = fopen(argv[2], "wb");
	if (!in || !out) return 2;
	std::vector<unsigned char> b;
	unsigned char part[1 << 16];
	for (size_t n; (n = fread(part, 1, sizeof part, in)) > 0;) b.insert(b.end(), part, part + n);
	ISVCDecoder *decoder;
	if (WelsCreateDecoder(&decoder)) return 2;
	SDecodingParam how;
	memset(&how, 0, sizeof how);
	how.sVideoProperty.eVideoBsType = VIDEO_BITSTREAM_AVC;
	how.eEcActiveIdc = ERROR_CON_DISABLE;
	if (decoder->Initialize(&how)) return 2;
	std::vector<size_t> starts;
	for (size_t i = 0; i + 3 < b.size(); i++)
		if (!b[i] && !b[i + 1] && b[i + 2] == 1) starts.push_back(i > 0 && !b[i - 1] ? i - 1 : i);
	starts.push_back(b.size());
	for (size_t k = 0; k + 1 < starts.size(); k++) {
		unsigned char *planes[3] = {};
		SBufferInfo info = {};
		int state = decoder->DecodeFrameNoDelay(b.data() + starts[k], starts[k + 1] - starts[k], planes, &info);
		if (state) {
			fprintf(stderr, "unit %zu: state %d\n", k, state);
			return 1;
		}
		put(planes, info);
	}
	int left = 0; // frames that are decoded and not shown
	decoder->GetOption(DECODER_OPTION_NUM_OF_FRAMES_REMAINING_IN_BUFFER, &left);
	while (left-- > 0) {
		unsigned char *planes[3] = {};
		SBufferInfo info = {};
		if (decoder->FlushFrame(planes, &info)) return 1;
		put(planes, info);
	}
	return fclose(out) ? 1 : 0;
}
