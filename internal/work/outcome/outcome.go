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
	// MaxBytes is the size limit of the JSON of an outcome. The word times of all passages of an order fit.
	MaxBytes = 128 << 10
	// MaxMessageBytes is the size limit of the JSON of an outcome in a termination message. Kubernetes truncates a longer
	// message.
	MaxMessageBytes = 4096

	// Sizes in bytes.
	maxMessage = 1000
	maxField   = 300
	maxWord    = 64
)

// State is the final state of the work.
type State string

// Final states.
const (
	Succeeded State = "succeeded"
	Failed    State = "failed"
)

// Code is the error code that a caller of the product receives.
type Code string

// The codes of failed work.
const (
	// ValidationFailed means that a file or the video itself cannot be used. Another attempt cannot succeed.
	ValidationFailed Code = "validation_failed"
	// MediaTooLarge means that a file is over its size limit.
	MediaTooLarge Code = "media_too_large"
	// GenerationFailed means that a step of the work failed. Retryable reports whether another attempt may succeed.
	GenerationFailed Code = "generation_failed"
	// InternalError means a defect of the renderer.
	InternalError Code = "internal_error"
)

var codes = []Code{ValidationFailed, MediaTooLarge, GenerationFailed, InternalError}

// Reason is the machine-readable cause of a failure.
type Reason string

// Reasons why a file cannot be used.
const (
	// Unreadable files are damaged, truncated, or of another type.
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
	// UnknownVoice is for a voice that does not exist.
	UnknownVoice Reason = "unknown_voice"
	// OtherLanguage is for a language without a voice of sufficient quality.
	OtherLanguage Reason = "unsupported_language"
	// Unspeakable is for a text without a word.
	Unspeakable Reason = "nothing_to_say"
)

// Reasons of failures that the file did not cause.
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

// Outcome is the result or the failure of an attempt.
type Outcome struct {
	Version int `json:"version"`
	// Order is the ID of the order; empty if the order could not be read.
	Order string `json:"order,omitempty"`
	State State  `json:"state"`
	// Film is the result of a render. If the work succeeded, either Film or Media is set.
	Film *Film `json:"film,omitempty"`
	// Media is the result of other work.
	Media *Media `json:"media,omitempty"`
	// Error is set only if the work failed.
	Error *Failure `json:"error,omitempty"`
	// Unconfined are the missing parts of the confinement of the node: landlock, seccomp. It is empty if the programs that
	// open files of users were fully confined.
	Unconfined []string `json:"unconfined,omitempty"`
}

// Failure is the reason why work failed.
type Failure struct {
	Code Code `json:"code"`
	// Reason is empty for a defect of the renderer.
	Reason Reason `json:"reason,omitempty"`
	// Field is the invalid field of the order or the timeline, such as inputs.photo-1 or timeline.clips[2].frames.
	Field string `json:"field,omitempty"`
	// Message is a sentence for users. It contains no URL, no path and no content of a file.
	Message string `json:"message"`
	// Retryable reports whether another attempt may succeed.
	Retryable bool `json:"retryable"`
}

// Parse parses and validates an outcome of this or the previous release.
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

// Encode validates an outcome and returns its JSON, of at most MaxBytes.
func (o *Outcome) Encode() ([]byte, error) { return o.encode(MaxBytes) }

// EncodeMessage validates an outcome and returns its JSON for a termination message, of at most MaxMessageBytes. It
// omits word times that do not fit, those of the longest passages first. It cuts a long error message.
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
		e.Message, e.Field = Cut(e.Message, maxMessage/4), Cut(e.Field, maxField/4) // JSON has at most six bytes for one byte
		short.Error = &e
	}
	if err != nil {
		return nil, err
	}
	return short.encode(MaxMessageBytes)
}

// encode validates an outcome and returns its JSON of at most limit bytes.
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

// check returns an *order.Error for the first invalid field.
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

// check returns an *order.Error for the first invalid field.
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

// Cut returns the first n bytes of a text, or fewer so that no character is split.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
