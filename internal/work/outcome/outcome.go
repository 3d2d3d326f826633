// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/work/order"
)

// Version is the version of outcomes that this package writes.
const Version = 2

// Bounds of an outcome.
const (
	// MaxBytes bounds the JSON of an outcome. The times of the words of all passages of an order fit.
	MaxBytes = 128 << 10
	// MaxMessageBytes bounds the JSON of an outcome in a termination message: Kubernetes keeps 4096 bytes.
	MaxMessageBytes = 4096

	maxMessage = 1000
	maxField   = 300
	maxWord    = 64
)

// State is how the work ended.
type State string

// The ends of the work.
const (
	Succeeded State = "succeeded"
	Failed    State = "failed"
)

// Code is the error code that a caller of the product receives.
type Code string

// The codes of failed work.
const (
	// ValidationFailed means that a file or the video itself cannot be used; another attempt gives the same answer.
	ValidationFailed Code = "validation_failed"
	// MediaTooLarge means that a file is over its size limit.
	MediaTooLarge Code = "media_too_large"
	// GenerationFailed means that a step of the work failed; Retryable reports whether another attempt may help.
	GenerationFailed Code = "generation_failed"
	// InternalError means a fault of the renderer.
	InternalError Code = "internal_error"
)

var codes = []Code{ValidationFailed, MediaTooLarge, GenerationFailed, InternalError}

// Reason is why work failed or a file cannot be used, for programs.
type Reason string

// Reasons why a file cannot be used.
const (
	// Unreadable files are damaged, cut off, or of another type.
	Unreadable Reason = "unreadable"
	// NoPicture and NoSound are for files without the needed track.
	NoPicture Reason = "no_video_track"
	NoSound   Reason = "no_audio_track"
	// TooLong, TooManyPixels, TooManyFrames and TooManyTracks are over the limit.
	TooLong       Reason = "too_long"
	TooManyPixels Reason = "too_many_pixels"
	TooManyFrames Reason = "too_many_frames"
	TooManyTracks Reason = "too_many_tracks"
	// TooComplex files need more time or memory than the limit.
	TooComplex Reason = "too_complex"
	// Unsupported files use a codec that is not accepted.
	Unsupported Reason = "unsupported_codec"
)

// Reasons why a text cannot be spoken.
const (
	// UnknownVoice is for a voice that does not exist, OtherLanguage for a language that the renderer does not speak
	// well enough.
	UnknownVoice  Reason = "unknown_voice"
	OtherLanguage Reason = "unsupported_language"
	// Unspeakable texts have nothing to speak.
	Unspeakable Reason = "nothing_to_say"
)

// Reasons of failures that are not the file's fault.
const (
	NoSpace          Reason = "no_space"
	Killed           Reason = "killed"
	EncoderKilled    Reason = "encoder_killed"
	EncoderFailed    Reason = "encoder_failed"
	BadOutput        Reason = "bad_output"
	InputUnavailable Reason = "input_unavailable"
	UploadRefused    Reason = "upload_refused"
	Expired          Reason = "order_expired"
	Stopped          Reason = "stopped"
	// OtherVersion means that the manager and the renderer are of different releases.
	OtherVersion Reason = "order_version"
	// Unconfined means that the node cannot confine programs and that the installation requires it.
	Unconfined Reason = "confinement_missing"
)

// Parts of the confinement of programs that open files of users.
const (
	Landlock = "landlock"
	Seccomp  = "seccomp"
)

// Outcome is how an attempt ended.
type Outcome struct {
	Version int `json:"version"`
	// Order is the ID of the order; empty if the order could not be read.
	Order string `json:"order,omitempty"`
	State State  `json:"state"`
	// Film is the result of a render, Media that of all other work. Exactly one of them is set when the work succeeded.
	Film  *Film  `json:"film,omitempty"`
	Media *Media `json:"media,omitempty"`
	// Error is set exactly when the work failed.
	Error *Failure `json:"error,omitempty"`
	// Unconfined are the parts of the confinement that the node does not have: landlock, seccomp. It is empty where the
	// programs that open files of users were confined in full.
	Unconfined []string `json:"unconfined,omitempty"`
}

// Failure is why there is no result.
type Failure struct {
	Code Code `json:"code"`
	// Reason for programs; empty for a fault of the renderer.
	Reason Reason `json:"reason,omitempty"`
	// Field of the order or the timeline at fault, such as inputs.photo-1 or timeline.clips[2].frames.
	Field string `json:"field,omitempty"`
	// Message is a sentence for people. It has no URL, no path and nothing from the content of a file.
	Message string `json:"message"`
	// Retryable reports whether the same work may succeed in another attempt.
	Retryable bool `json:"retryable"`
}

// Parse reads and checks an outcome, also one that the previous release wrote.
func Parse(doc []byte) (*Outcome, error) {
	o := &Outcome{}
	if legacy(doc) {
		var err error
		if o, err = parseLegacy(doc); err != nil {
			return nil, fmt.Errorf("reading the outcome: %w", err)
		}
	} else if err := order.Decode(doc, MaxBytes, o); err != nil {
		return nil, fmt.Errorf("reading the outcome: %w", err)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	return o, nil
}

// Encode checks an outcome and returns its JSON, of at most MaxBytes.
func (o *Outcome) Encode() ([]byte, error) { return o.encode(MaxBytes) }

// EncodeMessage checks an outcome and returns its JSON for a termination message, of at most MaxMessageBytes. The
// times of words that do not fit are left out, those of the longest passages first, and a long error message is cut.
func (o *Outcome) EncodeMessage() ([]byte, error) {
	short := *o
	if o.Media != nil {
		media := *o.Media
		media.Passages = slices.Clone(media.Passages)
		short.Media = &media
	}
	doc, err := short.encode(MaxBytes)
	for err == nil && len(doc) > MaxMessageBytes && short.Media.shorten() {
		doc, err = short.encode(MaxBytes)
	}
	if err == nil && len(doc) > MaxMessageBytes && o.Error != nil {
		e := *o.Error
		e.Message, e.Field = Cut(e.Message, maxMessage/4), Cut(e.Field, maxField/4) // JSON takes at most six bytes for one
		short.Error = &e
	}
	if err != nil {
		return nil, err
	}
	return short.encode(MaxMessageBytes)
}

func (o *Outcome) encode(limit int) ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	doc, err := json.Marshal(o)
	if err == nil && len(doc) > limit {
		return nil, order.Wrong("outcome", fmt.Sprintf("An outcome has at most %d bytes.", limit))
	}
	return doc, err
}

func (o *Outcome) check() error {
	if o.Version != Version {
		return order.Wrong("version", fmt.Sprintf("The version must be %d, not %d.", Version, o.Version))
	}
	if len(o.Order) > maxField || !order.Plain(o.Order) {
		return order.Wrong("order", "The order is an id of letters, digits and signs.")
	}
	for i, p := range o.Unconfined {
		if p != Landlock && p != Seccomp || slices.Contains(o.Unconfined[:i], p) {
			return order.Wrong("unconfined", "The parts of the confinement are landlock and seccomp, each at most once.")
		}
	}
	switch {
	case o.State == Succeeded && o.Film != nil && o.Media == nil && o.Error == nil:
		return o.Film.check()
	case o.State == Succeeded && o.Media != nil && o.Film == nil && o.Error == nil:
		return o.Media.check()
	case o.State == Failed && o.Error != nil && o.Film == nil && o.Media == nil:
		return o.Error.check()
	case o.State != Succeeded && o.State != Failed:
		return order.Wrong("state", fmt.Sprintf("The state must be %s or %s.", Succeeded, Failed))
	}
	return order.Wrong("state",
		"Work that succeeded has one result and no error, work that failed an error and no result.")
}

func (f *Failure) check() error {
	switch {
	case !slices.Contains(codes, f.Code):
		return order.Wrong("error.code", fmt.Sprintf("The code must be one of %s.", codes))
	case f.Message == "" || len(f.Message) > maxMessage || !utf8.ValidString(f.Message):
		return order.Wrong("error.message", fmt.Sprintf("The message must have 1 to %d bytes of text.", maxMessage))
	case len(f.Reason) > maxWord || !order.Plain(string(f.Reason)):
		return order.Wrong("error.reason", fmt.Sprintf("A reason has at most %d letters, digits and signs.", maxWord))
	case len(f.Field) > maxField || !utf8.ValidString(f.Field):
		return order.Wrong("error.field", fmt.Sprintf("A field has at most %d bytes of text.", maxField))
	}
	return nil
}

// Cut shortens a text to n bytes without splitting a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
