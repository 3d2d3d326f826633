// SPDX-License-Identifier: Apache-2.0

package mp4

// movie returns the index of a video whose media begin at offset base in the file.
func movie(v Video, a Audio, l layout, base int) box {
	vLong, aLong := len(v.Sizes)*ticks, len(a.Sizes)*frameSamples
	vScale := v.FPS * ticks
	vMovie, aMovie := vLong*movieScale/vScale, aLong*movieScale/a.Rate
	var head box
	head.u32(0, 0, movieScale, max(vMovie, aMovie), 1<<16)
	head.u16(0x100, 0)
	head.u32(0, 0)
	head.add(unity())
	head.zeros(24)
	head.u32(3) // the next free track number
	return wrap("moov", full("mvhd", 0, head),
		track(1, vMovie, v.Width, v.Height, wrap("mdia", mediaHead(vScale, vLong), handler("vide", "VideoHandler"),
			wrap("minf", full("vmhd", 1, make(box, 8)), dataInfo(), v.table(l, base)))),
		track(2, aMovie, 0, 0, wrap("mdia", mediaHead(a.Rate, aLong), handler("soun", "SoundHandler"),
			wrap("minf", full("smhd", 0, make(box, 4)), dataInfo(), a.table(l, base)))))
}

func track(id, duration, width, height int, media box) box {
	var head box
	head.u32(0, 0, id, 0, duration, 0, 0)
	if width > 0 {
		head.u16(0, 0, 0, 0)
	} else {
		head.u16(0, 1, 0x100, 0) // sound is in a group of alternatives, at full volume
	}
	head.add(unity())
	head.u32(width<<16, height<<16)
	return wrap("trak", full("tkhd", 3, head), media)
}

func mediaHead(scale, duration int) box {
	var b box
	b.u32(0, 0, scale, duration)
	b.u16(0x55c4, 0) // undefined language
	return full("mdhd", 0, b)
}

func handler(kind, name string) box {
	var b box
	b.u32(0)
	b.text(kind)
	b.zeros(12)
	b.text(name)
	b.u8(0)
	return full("hdlr", 0, b)
}

// dataInfo returns the box that declares the media to be in the same file.
func dataInfo() box {
	var n box
	n.u32(1)
	return wrap("dinf", full("dref", 0, n, full("url ", 1)))
}

// times returns the box with the duration of the samples, which all have the same duration.
func times(samples, each int) box {
	var b box
	b.u32(1, samples, each)
	return full("stts", 0, b)
}

// offsets returns the box with the time from the decoding to the display of each picture. It is negative for a picture
// that is shown before the one stored before it. The last two pictures have entries of their own, because ffmpeg takes no
// negative offset from the last two entries of the box.
func (v Video) offsets() box {
	type run struct{ count, offset int }
	var runs []run
	left := 0 // pictures to show before an early one
	for n := range v.Sizes {
		offset := 0
		switch early := v.Early[n]; {
		case early > 0:
			offset, left = early*ticks, early
		case left > 0:
			offset, left = -ticks, left-1
		}
		if last := len(runs) - 1; last >= 0 && runs[last].offset == offset && n < len(v.Sizes)-2 {
			runs[last].count++
		} else {
			runs = append(runs, run{1, offset})
		}
	}
	var b box
	b.u32(len(runs))
	for _, r := range runs {
		b.u32(r.count, r.offset)
	}
	return full("ctts", signed, b)
}

// signed is the version of a box whose numbers may be negative, as flags.
const signed = 1 << 24

func sizes(all []int) box {
	var b box
	b.u32(0, len(all))
	b.u32(all...)
	return full("stsz", 0, b)
}

// places returns the boxes with the offsets of a track's chunks and the number of samples in each.
func places(l layout, audio bool, base int) box {
	var runs, at box
	n, count, before := 0, 0, -1
	for _, c := range l.chunks {
		if c.audio != audio {
			continue
		}
		n++
		at.u32(base + c.at)
		if c.samples != before {
			runs.u32(n, c.samples, 1)
			count++
			before = c.samples
		}
	}
	var nRuns, nAt box
	nRuns.u32(count)
	nAt.u32(n)
	return append(full("stsc", 0, nRuns, runs), full("stco", 0, nAt, at)...)
}

func (v Video) table(l layout, base int) box {
	var keys box
	keys.u32(len(v.Keys))
	for _, k := range v.Keys {
		keys.u32(k + 1)
	}
	parts := []box{described(v.entry()), times(len(v.Sizes), ticks)}
	if len(v.Early) > 0 {
		parts = append(parts, v.offsets())
	}
	return wrap("stbl", append(parts, full("stss", 0, keys), sizes(v.Sizes), places(l, false, base))...)
}

func (a Audio) table(l layout, base int) box {
	return wrap("stbl", described(a.entry()), times(len(a.Sizes), frameSamples), sizes(a.Sizes), places(l, true, base))
}

func described(entry box) box {
	var n box
	n.u32(1)
	return full("stsd", 0, n, entry)
}

func (v Video) entry() box {
	var b, config, colour, shape box
	b.zeros(6)
	b.u16(1)
	b.zeros(16)
	b.u16(v.Width, v.Height)
	b.u32(72<<16, 72<<16, 0)
	b.u16(1)
	b.zeros(32) // the compressor name
	b.u16(24, 0xffff)
	config.u8(1, v.SPS[1], v.SPS[2], v.SPS[3], 0xff, 0xe1)
	config.u16(len(v.SPS))
	config.add(v.SPS)
	config.u8(byte(len(v.PPS)))
	for _, p := range v.PPS {
		config.u16(len(p))
		config.add(p)
	}
	config.u8(0xfd, 0xf8, 0xf8, 0) // of High profile: 4:2:0, 8 bits
	colour.text("nclx")
	colour.u16(1, 1, 1)
	colour.u8(0)
	shape.u32(1, 1)
	return wrap("avc1", b, wrap("avcC", config), wrap("colr", colour), wrap("pasp", shape))
}

func (a Audio) entry() box {
	var b box
	b.zeros(6)
	b.u16(1)
	b.zeros(8)
	b.u16(a.Channels, 16, 0, 0)
	b.u32(a.Rate << 16)
	config := 2<<11 | rateIndex(a.Rate)<<7 | a.Channels<<3 // AAC-LC
	var stream box
	descriptor := func(tag byte, content box) (d box) {
		d.u8(tag, byte(len(content)))
		d.add(content)
		return d
	}
	var special box
	special.u16(config)
	total := 0
	for _, n := range a.Sizes {
		total += n
	}
	rate := total * 8 * a.Rate / (len(a.Sizes) * frameSamples)
	var decoder box
	decoder.u8(0x40, 0x15, 0, 0, 0)
	decoder.u32(rate, rate)
	decoder.add(descriptor(5, special))
	stream.u16(2)
	stream.u8(0)
	stream.add(descriptor(4, decoder), descriptor(6, box{2}))
	return wrap("mp4a", b, full("esds", 0, descriptor(3, stream)))
}

// rates are the sample rates with an index in AAC.
var rates = []int{96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000}

func rateIndex(rate int) int {
	for i, r := range rates {
		if r == rate {
			return i
		}
	}
	return 15
}
