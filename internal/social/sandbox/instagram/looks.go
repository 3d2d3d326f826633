// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"context"
	"encoding/binary"
	"errors"
	"image/jpeg"
	"io"
	"slices"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// Limits on media that Instagram enforces.
const (
	maxImageBytes = 8 << 20
	maxVideoBytes = 300 << 20
	minRatio      = 0.8  // 4:5
	maxRatio      = 1.91 // 1.91:1
	// slack allows for aspect ratios that do not divide into whole pixels.
	slack         = 0.005
	minDuration   = 3 * time.Second
	maxDuration   = 15 * time.Minute
	maxVideoWidth = 1920
	minRate       = 23
	maxRate       = 60
)

// checkImage validates an image.
func checkImage(f *sandbox.File) *graphError {
	if f.Size() > maxImageBytes {
		return refuse(36000, 2207004, "The image size is too large.")
	}
	in, err := f.Open()
	if err != nil {
		return refuse(1, 0, "An unknown error has occurred.")
	}
	defer func() { _ = in.Close() }()
	c, err := jpeg.DecodeConfig(in)
	if err != nil {
		return refuse(36001, 2207005, "The image format is not supported. Supported format is: JPEG.")
	}
	if ratio := float64(c.Width) / float64(c.Height); ratio < minRatio-slack || ratio > maxRatio+slack {
		return refuse(36003, 2207009, "The submitted image with aspect ratio cannot be published. Please submit an image with a valid aspect ratio.")
	}
	return nil
}

// checkFilm returns the subcode with which a video fails, or 0 when it is accepted.
func checkFilm(f *sandbox.File) int {
	const unsupported = 2207026
	if f.Size() > maxVideoBytes {
		return unsupported
	}
	in, err := f.Open()
	if err != nil {
		return 2207053
	}
	front, err := moovInFront(in, f.Size())
	_ = in.Close()
	if err != nil || !front {
		return unsupported
	}
	c, err := f.Probe(context.Background())
	if err != nil {
		return unsupported
	}
	switch {
	case c.VideoCodec != "h264" && c.VideoCodec != "hevc",
		c.AudioCodec != "" && c.AudioCodec != "aac",
		c.Duration < minDuration-50*time.Millisecond, c.Duration > maxDuration,
		c.Width > maxVideoWidth, c.FrameRate < minRate-0.1, c.FrameRate > maxRate+0.1:
		return unsupported
	}
	return 0
}

// moovInFront reports whether the index (moov) of an MP4 or MOV file comes before its media data (mdat), so that
// playback can start before the whole file is loaded.
func moovInFront(r io.ReaderAt, size int64) (bool, error) {
	var head [16]byte
	for at := int64(0); at < size; {
		n, err := r.ReadAt(head[:], at)
		if err != nil && (!errors.Is(err, io.EOF) || n < 8) {
			return false, err
		}
		length, kind := int64(binary.BigEndian.Uint32(head[:])), string(head[4:8])
		if at == 0 && !slices.Contains([]string{"ftyp", "moov", "wide", "free", "skip"}, kind) {
			return false, errors.New("it is neither MP4 nor MOV")
		}
		switch {
		case kind == "moov":
			return true, nil
		case kind == "mdat":
			return false, nil
		case length == 1 && n == len(head):
			length = int64(binary.BigEndian.Uint64(head[8:]))
		case length == 0:
			length = size - at
		}
		if length < 8 {
			return false, errors.New("a box has no length")
		}
		at += length
	}
	return false, errors.New("it has no index")
}
