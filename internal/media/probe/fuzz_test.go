// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"
)

// FuzzAnswers parses possible output of ffprobe, in pieces of any length: the content of a file determines the
// output.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`[{"index":0,"codec_type":"video","codec_name":"h264","width":96,"height":96,"sample_aspect_ratio":"4:3","nb_frames":"20","side_data_list":[{"rotation":-90}]}]`),
		[]byte("0,0.000000,0.100000,512\n0,0.100000,N/A,100\n1,N/A,N/A,N/A\n"), uint8(7))
	f.Add([]byte(`[{"index":-1,"codec_type":"video","codec_name":"h264","width":2147483647,"height":1,"sample_aspect_ratio":"1:0","nb_frames":"9223372036854775807"}]`),
		[]byte("0,1e308,1e308,9223372036854775807\n0,-1e308,NaN,-1\n0,Inf,1,1\n"), uint8(1))
	f.Fuzz(func(t *testing.T, said, packets []byte, piece uint8) {
		c := &counter{streams: map[int]*count{}}
		for p := packets; len(p) > 0; {
			n := min(len(p), int(piece)+1)
			if _, err := c.Write(p[:n]); err != nil {
				break
			}
			p = p[n:]
		}
		var streams []stream
		if json.Unmarshal(said, &streams) != nil {
			return
		}
		for _, v := range streams {
			if checkPicture(&v, limits()) != nil {
				continue
			}
			if w, h := v.shown(); w < 1 || h < 1 || w > 10*limits().Side || h > 10*limits().Side {
				t.Errorf("got a display size of %d x %d", w, h)
			}
			n := c.streams[v.Index]
			if n == nil {
				continue
			}
			clip := &Clip{Frames: n.packets, start: n.start}
			var refusal *Refusal
			if err := clip.time(n, &v, limits()); err != nil {
				if !errors.As(err, &refusal) {
					t.Errorf("got an error that is not a Refusal: %v", err)
				}
				continue
			}
			if clip.Duration < time.Millisecond || clip.Duration > limits().Duration || !(clip.FrameRate > 0 && clip.FrameRate <= limits().FrameRate) ||
				math.IsNaN(clip.start) || math.IsInf(clip.start, 0) {
				t.Errorf("got %+v", clip)
			}
		}
	})
}
