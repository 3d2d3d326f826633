// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/reelops/reelops/internal/work/child"
	"github.com/reelops/reelops/internal/work/outcome"
)

const (
	// maxPackets is the largest number of packets of a file: half an hour of frames and uncompressed sound.
	maxPackets = 4_000_000
	// maxLine is the largest size of a line about a packet, in bytes.
	maxLine = 4096
)

// count has the totals of the packets of a stream.
type count struct {
	packets int64
	bytes   int64
	// start, last and end are seconds: when the first packet begins, when the last begins, and when it ends.
	start, last, end float64
}

// duration returns the time from the start of the first packet to the end of the last packet, in seconds.
func (c *count) duration() float64 {
	if c.packets == 0 {
		return 0
	}
	return max(0, c.end-c.start)
}

var errTooManyPackets = errors.New("more packets than are counted")

// counter reads ffprobe's lines about packets and keeps only totals.
type counter struct {
	streams map[int]*count
	total   int64
	line    []byte
}

func (c *counter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			if c.line = append(c.line, p...); len(c.line) > maxLine {
				return 0, child.ErrTooMuch
			}
			return n, nil
		}
		line := p[:end]
		if len(c.line) > 0 {
			line = append(c.line, line...)
		}
		c.add(string(line))
		c.line, p = c.line[:0], p[end+1:]
		if c.total > maxPackets {
			return 0, errTooManyPackets
		}
	}
}

// add counts one line: stream, start and duration in seconds, size. An unknown number is N/A.
func (c *counter) add(line string) {
	f := strings.SplitN(line, ",", 5)
	if len(f) < 4 {
		return
	}
	index, err := strconv.Atoi(f[0])
	if err != nil {
		return
	}
	s := c.streams[index]
	if s == nil {
		s = &count{start: math.Inf(1), last: math.Inf(-1), end: math.Inf(-1)}
		c.streams[index] = s
	}
	c.total++
	s.packets++
	if size, err := strconv.ParseInt(f[3], 10, 64); err == nil {
		s.bytes += size
	}
	begin, err := strconv.ParseFloat(f[1], 64)
	if err != nil || math.IsNaN(begin) || math.IsInf(begin, 0) {
		return
	}
	length, err := strconv.ParseFloat(f[2], 64)
	if err != nil || !(length >= 0) {
		length = 0
	}
	s.start, s.last, s.end = min(s.start, begin), max(s.last, begin), max(s.end, begin+length)
}

// packets reads all packets of a file. It omits truncated packets.
func (t Tools) packets(ctx context.Context, path, contentType string, l Limits) (map[int]*count, error) {
	c := &counter{streams: map[int]*count{}}
	args := append(t.guard(contentType, l), "-fflags", "+discardcorrupt", "-show_entries", "packet=stream_index,pts_time,duration_time,size",
		"-of", "csv=p=0", "file:"+path)
	if _, err := t.run(ctx, c, reads(path), t.FFprobe, args...); errors.Is(err, errTooManyPackets) {
		return nil, &Refusal{Reason: outcome.TooManyFrames, Message: "The file has too many packets.", Err: err}
	} else if err != nil {
		return nil, err
	}
	for _, s := range c.streams {
		if math.IsInf(s.start, 0) {
			s.start, s.last, s.end = 0, 0, 0
		}
		if s.end == s.last && s.packets > 1 { // the duration of the last packet is unknown: use the mean of the others
			s.end += (s.last - s.start) / float64(s.packets-1)
		}
	}
	return c.streams, nil
}
