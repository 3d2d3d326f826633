// SPDX-License-Identifier: Apache-2.0

package mediawork

import (
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/work/workdoc"
)

// Bounds of an outcome.
const (
	// MaxOutcomeBytes bounds the JSON of an outcome: Kubernetes keeps 4096 bytes of a termination message.
	MaxOutcomeBytes = 4096

	maxMessage = 500
	maxWord    = 64
	// maxNumber bounds every number of a result, so that arithmetic with them cannot overflow.
	maxNumber = 1 << 40
)

// State says how the work ended.
type State string

// The ends of the work.
const (
	Succeeded State = "succeeded"
	Failed    State = "failed"
)

// Code is the error code a caller of the product sees.
type Code string

// The codes that work can fail with.
const (
	// ValidationFailed means that the file cannot be used; trying again gives the same answer.
	ValidationFailed Code = "validation_failed"
	// MediaTooLarge means that the file weighs more than it may.
	MediaTooLarge Code = "media_too_large"
	// GenerationFailed means that a step of the work failed; trying again may help.
	GenerationFailed Code = "generation_failed"
	// InternalError means a fault of the renderer.
	InternalError Code = "internal_error"
)

// Reason tells programs what is wrong with a file, or what happened to the work.
type Reason string

// Reasons why a file cannot be used.
const (
	// Unreadable files are damaged, cut off, or not what they claim to be.
	Unreadable Reason = "unreadable"
	// NoPicture and NoSound are for files without what they were brought for.
	NoPicture Reason = "no_video_track"
	NoSound   Reason = "no_audio_track"
	// TooLong, TooManyPixels, TooManyFrames and TooManyTracks are over the limit.
	TooLong       Reason = "too_long"
	TooManyPixels Reason = "too_many_pixels"
	TooManyFrames Reason = "too_many_frames"
	TooManyTracks Reason = "too_many_tracks"
	// TooComplex files need more time or memory than they may have.
	TooComplex Reason = "too_complex"
	// Unsupported files use a codec that is not taken.
	Unsupported Reason = "unsupported_codec"
)

// Reasons why a text cannot be said.
const (
	// UnknownVoice is for a voice that there is none of, OtherLanguage for a language that nobody here speaks, or not well
	// enough to be heard.
	UnknownVoice  Reason = "unknown_voice"
	OtherLanguage Reason = "unsupported_language"
	// Unspeakable texts hold nothing that can be said.
	Unspeakable Reason = "nothing_to_say"
)

// Reasons why work failed that is not the file's fault.
const (
	NoSpace          Reason = "no_space"
	Killed           Reason = "killed"
	InputUnavailable Reason = "input_unavailable"
	UploadRefused    Reason = "upload_refused"
	Expired          Reason = "order_expired"
	Stopped          Reason = "stopped"
	// Unconfined means that the node cannot confine programs and that the installation requires it.
	Unconfined Reason = "confinement_missing"
)

// Outcome says how the work ended.
type Outcome struct {
	Version int   `json:"version"`
	State   State `json:"state"`
	// Result is there exactly when the work succeeded.
	Result *Result `json:"result,omitempty"`
	// Error is there exactly when it failed.
	Error *Failure `json:"error,omitempty"`
	// Unconfined are the parts of the confinement that the node does not have: landlock, seccomp. It is empty where the
	// programs that open files of users were confined in full.
	Unconfined []string `json:"unconfined,omitempty"`
}

// Result is what the file is.
type Result struct {
	ContentType          string  `json:"content_type"`
	Bytes                int64   `json:"bytes"`
	DurationMilliseconds int64   `json:"duration_milliseconds"`
	Width                int     `json:"width,omitempty"`
	Height               int     `json:"height,omitempty"`
	FrameRate            float64 `json:"frame_rate,omitempty"`
	VideoCodec           string  `json:"video_codec,omitempty"`
	AudioCodec           string  `json:"audio_codec,omitempty"`
	// Thumbnail tells that the thumbnail was uploaded.
	Thumbnail bool `json:"thumbnail,omitempty"`
	// Loudness of a track; absent when it is silent.
	Loudness *Loudness `json:"loudness,omitempty"`
	// Words are when each word of the order's text, as package speech parts it, begins and ends: pairs in milliseconds from
	// the sound's beginning. Empty when nothing is heard.
	Words Times `json:"words,omitempty"`
	// Passages are the results of an order with passages, in its order; the other fields are then empty.
	Passages []Sound `json:"passages,omitempty"`
}

// Sound is the result of one passage.
type Sound struct {
	// ID of the passage.
	ID string `json:"id"`
	// Refused is why the passage cannot be said; empty when it was, and the other fields are then set.
	Refused Reason `json:"refused,omitempty"`
	// Bytes of the sound file.
	Bytes int64 `json:"bytes,omitempty"`
	// DurationMilliseconds of the sound.
	DurationMilliseconds int64 `json:"duration_milliseconds,omitempty"`
	// Words as in Result. They are left out where nothing is heard, and where they do not fit into the outcome.
	Words Times `json:"words,omitempty"`
}

// Loudness holds the measured values of a track as EBU R 128 defines them.
type Loudness struct {
	IntegratedLUFS float64 `json:"integrated_lufs"`
	TruePeakDBTP   float64 `json:"true_peak_dbtp"`
	RangeLU        float64 `json:"range_lu"`
	ThresholdLUFS  float64 `json:"threshold_lufs"`
}

// Failure says why there is no result.
type Failure struct {
	Code Code `json:"code"`
	// Reason for programs; absent with a fault of the renderer.
	Reason Reason `json:"reason,omitempty"`
	// Message is a sentence for people. It holds no URL, no path and nothing that stands in the file.
	Message string `json:"message"`
	// Retryable tells that the same order may succeed another time.
	Retryable bool `json:"retryable"`
}

// ParseOutcome reads and checks an outcome.
func ParseOutcome(doc []byte) (*Outcome, error) {
	o := &Outcome{}
	if err := workdoc.Decode(doc, MaxOutcomeBytes, o); err != nil {
		return nil, fmt.Errorf("reading the outcome: %w", err)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	return o, nil
}

// Encode checks an outcome and gives its JSON, which fits MaxOutcomeBytes. Where the words of several passages do not fit, it leaves
// out those of the passages that have the most.
func (o *Outcome) Encode() ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	doc, err := json.Marshal(o)
	for err == nil && len(doc) > MaxOutcomeBytes && o.Result.shorten() {
		doc, err = json.Marshal(o)
	}
	if err == nil && len(doc) > MaxOutcomeBytes {
		return nil, workdoc.Wrong("result.words", fmt.Sprintf("An outcome has at most %d bytes.", MaxOutcomeBytes))
	}
	return doc, err
}

func (o *Outcome) check() error {
	if o.Version != Version {
		return workdoc.Wrong("version", fmt.Sprintf("The version must be %d, not %d.", Version, o.Version))
	}
	if err := workdoc.CheckLacks("unconfined", o.Unconfined); err != nil {
		return err
	}
	switch {
	case o.State == Succeeded && o.Result != nil && o.Error == nil:
		return o.Result.check()
	case o.State == Failed && o.Error != nil && o.Result == nil:
		return o.Error.check()
	case o.State != Succeeded && o.State != Failed:
		return workdoc.Wrong("state", fmt.Sprintf("The state must be %s or %s.", Succeeded, Failed))
	}
	return workdoc.Wrong("state", "Work that succeeded has a result and no error, work that failed an error and no result.")
}

// shorten leaves out the words of the passage with the most, and reports whether there was one with any.
func (r *Result) shorten() bool {
	if r == nil {
		return false
	}
	most := -1
	for i := range r.Passages {
		if n := len(r.Passages[i].Words); n > 0 && (most < 0 || n > len(r.Passages[most].Words)) {
			most = i
		}
	}
	if most < 0 {
		return false
	}
	r.Passages[most].Words = nil
	return true
}

// checkPassages checks the results of several texts.
func (r *Result) checkPassages() error {
	if len(r.Passages) > MaxPassages || r.Bytes != 0 || r.DurationMilliseconds != 0 || len(r.Words) > 0 {
		return workdoc.Wrong("result.passages", fmt.Sprintf("There are at most %d passages, and nothing beside them.", MaxPassages))
	}
	for i, p := range r.Passages {
		field := fmt.Sprintf("result.passages[%d]", i)
		switch {
		case p.ID == "" || len(p.ID) > maxWord || !plain(p.ID):
			return workdoc.Wrong(field+".id", fmt.Sprintf("An id has at most %d letters, digits and signs.", maxWord))
		case len(p.Refused) > maxWord || !plain(string(p.Refused)):
			return workdoc.Wrong(field+".refused", fmt.Sprintf("A reason has at most %d letters, digits and signs.", maxWord))
		case p.Refused != "" && (p.Bytes != 0 || p.DurationMilliseconds != 0 || len(p.Words) > 0):
			return workdoc.Wrong(field, "A passage that was refused has no sound.")
		case p.Refused == "" && (p.Bytes < 1 || p.Bytes > maxNumber || p.DurationMilliseconds < 1 || p.DurationMilliseconds > maxNumber):
			return workdoc.Wrong(field, "The size and the length of a sound are above zero.")
		}
		if err := p.Words.check(p.DurationMilliseconds); err != nil {
			return err
		}
	}
	return nil
}

func (r *Result) check() error {
	if len(r.Passages) > 0 {
		return r.checkPassages()
	}
	switch {
	case r.Bytes < 1 || r.Bytes > maxNumber || r.DurationMilliseconds < 1 || r.DurationMilliseconds > maxNumber:
		return workdoc.Wrong("result", "The size and the length of a file are above zero.")
	case r.Width < 0 || r.Height < 0 || r.Width > math.MaxInt32 || r.Height > math.MaxInt32 || (r.Width == 0) != (r.Height == 0):
		return workdoc.Wrong("result", "The dimensions are those of a picture, or zero.")
	case !(r.FrameRate >= 0 && r.FrameRate <= 1e6) || (r.FrameRate > 0) != (r.Width > 0):
		return workdoc.Wrong("result.frame_rate", "A clip has a frame rate, a track has none.")
	}
	for field, word := range map[string]string{"content_type": r.ContentType, "video_codec": r.VideoCodec, "audio_codec": r.AudioCodec} {
		if len(word) > maxWord || !plain(word) {
			return workdoc.Wrong("result."+field, fmt.Sprintf("A word has at most %d letters, digits and signs.", maxWord))
		}
	}
	if l := r.Loudness; l != nil {
		for _, v := range []float64{l.IntegratedLUFS, l.TruePeakDBTP, l.RangeLU, l.ThresholdLUFS} {
			if !(v >= -200 && v <= 200) {
				return workdoc.Wrong("result.loudness", "A level lies between -200 and 200.")
			}
		}
	}
	return r.Words.check(r.DurationMilliseconds)
}

func plain(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

func (f *Failure) check() error {
	switch f.Code {
	case ValidationFailed, MediaTooLarge, GenerationFailed, InternalError:
	default:
		return workdoc.Wrong("error.code", "The code must be validation_failed, media_too_large, generation_failed or internal_error.")
	}
	if f.Message == "" || len(f.Message) > maxMessage || !utf8.ValidString(f.Message) {
		return workdoc.Wrong("error.message", fmt.Sprintf("The message must have 1 to %d bytes of text.", maxMessage))
	}
	if len(f.Reason) > maxWord || !plain(string(f.Reason)) {
		return workdoc.Wrong("error.reason", fmt.Sprintf("A reason has at most %d letters, digits and signs.", maxWord))
	}
	return nil
}
