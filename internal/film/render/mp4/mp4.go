// SPDX-License-Identifier: Apache-2.0

package mp4

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
)

// Video is a track of pictures in BT.709, limited range.
type Video struct {
	// Width and Height are in pixels, FPS is the number of pictures per second.
	Width, Height, FPS int
	// SPS is the sequence parameter set, PPS are the picture parameter sets; both without start codes.
	SPS []byte
	PPS [][]byte
	// Sizes are the sizes of the pictures in storage order, in bytes, including the length prefix of each unit.
	Sizes []int
	// Early has for a picture by its index how many of the following pictures are shown before it. The first picture
	// of a video and the pictures within such a group are not early.
	Early map[int]int
	// Keys are the indices of the pictures at which a player may begin.
	Keys []int
	// Data has all pictures, each unit after its length in four bytes.
	Data io.Reader
}

// Audio is a track of AAC-LC.
type Audio struct {
	// Rate is the number of samples per second, Channels is 1 or 2.
	Rate, Channels int
	// Sizes are the sizes of the frames, in bytes; each frame has 1024 samples.
	Sizes []int
	// Data has all frames, one after the other, without headers.
	Data io.Reader
}

const (
	// ticks is the duration of a picture in time units.
	ticks = 512
	// frameSamples is the number of samples in an AAC frame.
	frameSamples = 1024
	// movieScale is the number of time units per second of the whole video.
	movieScale = 1000
)

// ErrTooLarge means that a video does not fit the 32-bit offsets of the file.
var ErrTooLarge = errors.New("writing MP4: video exceeds 4 GiB")

// Write writes a video. A video above 4 GB is ErrTooLarge.
func Write(dst io.Writer, v Video, a Audio) error {
	if len(v.Sizes) == 0 || len(a.Sizes) == 0 || v.FPS < 1 || a.Rate < 1 || len(v.PPS) == 0 || len(v.SPS) < 4 {
		return errors.New("writing MP4: frames, audio or their parameters are missing")
	}
	layout := interleave(v, a)
	if layout.bytes > math.MaxUint32-(64<<20) {
		return ErrTooLarge
	}
	var brands box
	brands.text("isom")
	brands.u32(0x200)
	brands.text("isomiso2avc1mp41")
	if len(v.Early) > 0 {
		brands.text("iso4") // signed offsets
	}
	head := wrap("ftyp", brands)
	index := movie(v, a, layout, 0)
	var mdat box
	mdat.u32(layout.bytes + 8)
	mdat.text("mdat")
	index = movie(v, a, layout, len(head)+len(index)+len(mdat))
	w := bufio.NewWriterSize(dst, 256<<10)
	for _, b := range []box{head, index, mdat} {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	for _, c := range layout.chunks {
		from := v.Data
		if c.audio {
			from = a.Data
		}
		if _, err := io.CopyN(w, from, int64(c.bytes)); err != nil {
			return fmt.Errorf("writing MP4: copying a track: %w", noEOF(err))
		}
	}
	return w.Flush()
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// chunk is a run of samples of one track.
type chunk struct {
	audio   bool
	samples int
	bytes   int
	at      int // from the beginning of the media
}

type layout struct {
	chunks []chunk
	bytes  int
}

// interleave returns the order of the tracks' chunks: a second of pictures, then the sound that has begun by then.
func interleave(v Video, a Audio) layout {
	var l layout
	add := func(audio bool, sizes []int) {
		if len(sizes) == 0 {
			return
		}
		c := chunk{audio: audio, samples: len(sizes), at: l.bytes}
		for _, n := range sizes {
			c.bytes += n
		}
		l.bytes += c.bytes
		l.chunks = append(l.chunks, c)
	}
	sound := 0
	for from := 0; from < len(v.Sizes); from += v.FPS {
		to := min(from+v.FPS, len(v.Sizes))
		add(false, v.Sizes[from:to])
		until := min((to*a.Rate+v.FPS*frameSamples-1)/(v.FPS*frameSamples), len(a.Sizes))
		if to == len(v.Sizes) {
			until = len(a.Sizes)
		}
		if until > sound {
			add(true, a.Sizes[sound:until])
			sound = until
		}
	}
	return l
}
