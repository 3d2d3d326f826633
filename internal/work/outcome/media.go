// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"fmt"
	"math"

	"github.com/reelops/reelops/internal/work/order"
)

// Media describes a file that was inspected or created.
type Media struct {
	ContentType          string  `json:"content_type"`
	Bytes                int64   `json:"bytes"`
	DurationMilliseconds int64   `json:"duration_milliseconds"`
	Width                int     `json:"width,omitempty"`
	Height               int     `json:"height,omitempty"`
	FrameRate            float64 `json:"frame_rate,omitempty"`
	VideoCodec           string  `json:"video_codec,omitempty"`
	AudioCodec           string  `json:"audio_codec,omitempty"`
	// Thumbnail reports whether the thumbnail was uploaded.
	Thumbnail bool `json:"thumbnail,omitempty"`
	// Loudness of a track; nil for a silent track.
	Loudness *Loudness `json:"loudness,omitempty"`
	// Words are the begin and end times of the words of the order's text, as package speech splits the text. The times are
	// milliseconds from the beginning of the sound. Words is empty if no word was recognized.
	Words Times `json:"words,omitempty"`
	// Passages are the results of an order with passages, in the same sequence. The other fields are then empty.
	Passages []Sound `json:"passages,omitempty"`
}

// Sound is the result of one passage.
type Sound struct {
	// ID of the passage.
	ID string `json:"id"`
	// Refused is the reason why the passage cannot be spoken. If empty, the other fields are set.
	Refused Reason `json:"refused,omitempty"`
	// Bytes of the sound file.
	Bytes int64 `json:"bytes,omitempty"`
	// DurationMilliseconds of the sound.
	DurationMilliseconds int64 `json:"duration_milliseconds,omitempty"`
	// Words as in Media. They are also empty if they did not fit in a termination message.
	Words Times `json:"words,omitempty"`
}

// Loudness has the loudness of a track as defined by EBU R 128.
type Loudness struct {
	IntegratedLUFS float64 `json:"integrated_lufs"`
	TruePeakDBTP   float64 `json:"true_peak_dbtp"`
	RangeLU        float64 `json:"range_lu"`
	ThresholdLUFS  float64 `json:"threshold_lufs"`
}

// shorten removes the word times of a single text, or those of the passage with the most. It reports whether it removed
// any.
func (m *Media) shorten() bool {
	if m == nil {
		return false
	}
	if len(m.Words) > 0 {
		m.Words = nil
		return true
	}
	most := -1
	for i := range m.Passages {
		if n := len(m.Passages[i].Words); n > 0 && (most < 0 || n > len(m.Passages[most].Words)) {
			most = i
		}
	}
	if most < 0 {
		return false
	}
	m.Passages[most].Words = nil
	return true
}

// check returns an *order.Error for the first invalid field.
func (m *Media) check() error {
	if len(m.Passages) > 0 {
		return m.checkPassages()
	}
	switch {
	case m.Bytes < 1 || m.Bytes > maxNumber || m.DurationMilliseconds < 1 || m.DurationMilliseconds > maxNumber:
		return order.Wrong("media", "The size and the length of a file are above zero.")
	case m.Width < 0 || m.Height < 0 || m.Width > math.MaxInt32 || m.Height > math.MaxInt32 ||
		(m.Width == 0) != (m.Height == 0):
		return order.Wrong("media", "The dimensions are those of a frame, or zero.")
	case !(m.FrameRate >= 0 && m.FrameRate <= 1e6) || (m.FrameRate > 0) != (m.Width > 0):
		return order.Wrong("media.frame_rate", "A clip has a frame rate, a track has none.")
	}
	words := map[string]string{"content_type": m.ContentType, "video_codec": m.VideoCodec, "audio_codec": m.AudioCodec}
	for field, word := range words {
		if len(word) > maxWord || !order.Plain(word) {
			return order.Wrong("media."+field, fmt.Sprintf("A word has at most %d letters, digits and signs.", maxWord))
		}
	}
	if l := m.Loudness; l != nil {
		for _, v := range []float64{l.IntegratedLUFS, l.TruePeakDBTP, l.RangeLU, l.ThresholdLUFS} {
			if !(v >= -200 && v <= 200) {
				return order.Wrong("media.loudness", "A level lies between -200 and 200.")
			}
		}
	}
	return m.Words.check(m.DurationMilliseconds)
}

// checkPassages checks the results of several texts.
func (m *Media) checkPassages() error {
	if len(m.Passages) > order.MaxPassages || m.Bytes != 0 || m.DurationMilliseconds != 0 || len(m.Words) > 0 {
		return order.Wrong("media.passages", fmt.Sprintf("There are at most %d passages, and nothing beside them.",
			order.MaxPassages))
	}
	for i, p := range m.Passages {
		field := fmt.Sprintf("media.passages[%d]", i)
		switch {
		case p.ID == "" || len(p.ID) > order.MaxID || !order.Plain(p.ID):
			return order.Wrong(field+".id", fmt.Sprintf("An id has at most %d letters, digits and signs.", order.MaxID))
		case len(p.Refused) > maxWord || !order.Plain(string(p.Refused)):
			return order.Wrong(field+".refused", fmt.Sprintf("A reason has at most %d letters, digits and signs.", maxWord))
		case p.Refused != "" && (p.Bytes != 0 || p.DurationMilliseconds != 0 || len(p.Words) > 0):
			return order.Wrong(field, "A passage that was refused has no sound.")
		case p.Refused == "" &&
			(p.Bytes < 1 || p.Bytes > maxNumber || p.DurationMilliseconds < 1 || p.DurationMilliseconds > maxNumber):
			return order.Wrong(field, "The size and the length of a sound are above zero.")
		}
		if err := p.Words.check(p.DurationMilliseconds); err != nil {
			return err
		}
	}
	return nil
}
