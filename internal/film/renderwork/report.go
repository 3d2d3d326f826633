// SPDX-License-Identifier: Apache-2.0

package renderwork

import (
	"encoding/json"
	"fmt"

	"github.com/reelops/reelops/internal/work/workdoc"
)

// Bounds of a report.
const (
	// MaxReportBytes bounds the JSON of a report. Kubernetes keeps 4096 bytes of a termination message, and an outcome has to
	// fit there.
	MaxReportBytes = 4096

	maxMessage = 1000
	maxDetail  = 300
	maxDetails = 8
)

// Progress says how far a render is. It is sent to the progress address, at most once a second.
type Progress struct {
	Version int `json:"version"`
	// Percent runs from 0 to 99; 100 is said by the outcome.
	Percent int `json:"percent"`
	// Frame is the number of frames made so far, of Frames.
	Frame  int `json:"frame"`
	Frames int `json:"frames"`
	// FPS is how many frames are made in a second.
	FPS float64 `json:"fps"`
}

// State says how a render ended.
type State string

// The ends of a render.
const (
	Succeeded State = "succeeded"
	Failed    State = "failed"
)

// Code is the error code a caller of the product sees.
type Code string

// The codes a render can fail with.
const (
	// ValidationFailed means that an input or the film itself cannot be used; trying again gives the same answer.
	ValidationFailed Code = "validation_failed"
	// GenerationFailed means that a step of the work failed; Retryable says whether trying again may help.
	GenerationFailed Code = "generation_failed"
	// InternalError means a fault of the renderer.
	InternalError Code = "internal_error"
)

// Keys of Failure.Details.
const (
	// DetailField is the field of the order that is to blame, such as inputs.photo-1 or clips[2].frames.
	DetailField = "field"
	// DetailReason is one of the Reason values.
	DetailReason = "reason"
)

// Reasons of failures that are not the caller's, for operators and for deciding about another attempt.
const (
	ReasonNoSpace          = "no_space"
	ReasonEncoderKilled    = "encoder_killed"
	ReasonEncoderFailed    = "encoder_failed"
	ReasonBadOutput        = "bad_output"
	ReasonInputUnavailable = "input_unavailable"
	ReasonUploadRefused    = "upload_refused"
	ReasonExpired          = "order_expired"
	ReasonStopped          = "stopped"
	// ReasonUnconfined means that the node cannot confine programs and that the installation requires it.
	ReasonUnconfined = "confinement_missing"
)

// Outcome says how a render ended. It is sent to the outcome address and written to the container's termination message.
type Outcome struct {
	Version int   `json:"version"`
	State   State `json:"state"`
	// Result is there exactly when the render succeeded.
	Result *Result `json:"result,omitempty"`
	// Error is there exactly when it failed.
	Error *Failure `json:"error,omitempty"`
	// Unconfined are the parts of the confinement that the node does not have: landlock, seccomp. It is empty where the
	// programs that open files of users were confined in full.
	Unconfined []string `json:"unconfined,omitempty"`
}

// Result describes an uploaded film.
type Result struct {
	Bytes           int64   `json:"bytes"`
	SHA256          string  `json:"sha256"`
	DurationSeconds float64 `json:"duration_seconds"`
	Width           int     `json:"width"`
	Height          int     `json:"height"`
	Frames          int     `json:"frames"`
	// Probe is one line about the streams, such as "h264 High yuv420p 1080x1920 30/1, aac 48000 Hz 2 ch, fast start".
	Probe string `json:"probe"`
	// Encoded is how many frames went through the encoder; the others repeat the frame before them or come from a pack.
	Encoded int `json:"encoded"`
	// Reused is how many of the film's Parts came from a pack.
	Reused int `json:"reused,omitempty"`
	Parts  int `json:"parts,omitempty"`
	// RenderSeconds is the time from the fetched inputs to the checked film.
	RenderSeconds float64 `json:"render_seconds"`
	// Poster tells that the poster was uploaded.
	Poster bool `json:"poster,omitempty"`
}

// Failure says why there is no film.
type Failure struct {
	Code Code `json:"code"`
	// Message is a sentence for people. It holds no URL and no path.
	Message string `json:"message"`
	// Retryable tells that the same order may succeed another time.
	Retryable bool `json:"retryable"`
	// Details hold DetailField or DetailReason.
	Details map[string]string `json:"details,omitempty"`
}

// ParseProgress reads and checks a progress report.
func ParseProgress(doc []byte) (*Progress, error) {
	p := &Progress{}
	if err := workdoc.Decode(doc, MaxReportBytes, p); err != nil {
		return nil, fmt.Errorf("reading the progress: %w", err)
	}
	switch {
	case p.Version != Version:
		return nil, workdoc.Wrong("version", fmt.Sprintf("The version must be %d, not %d.", Version, p.Version))
	case p.Percent < 0 || p.Percent > 99:
		return nil, workdoc.Wrong("percent", fmt.Sprintf("The percentage must be 0 to 99, not %d.", p.Percent))
	case p.Frame < 0 || p.Frame > p.Frames:
		return nil, workdoc.Wrong("frame", fmt.Sprintf("The frame must be 0 to %d, not %d.", p.Frames, p.Frame))
	case !(p.FPS >= 0):
		return nil, workdoc.Wrong("fps", "The frames per second cannot be negative.")
	}
	return p, nil
}

// ParseOutcome reads and checks an outcome.
func ParseOutcome(doc []byte) (*Outcome, error) {
	o := &Outcome{}
	if err := workdoc.Decode(doc, MaxReportBytes, o); err != nil {
		return nil, fmt.Errorf("reading the outcome: %w", err)
	}
	return o, o.check()
}

// Encode checks an outcome and gives its JSON, which always fits MaxReportBytes.
func (o *Outcome) Encode() ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return json.Marshal(o)
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
	return workdoc.Wrong("state", "A succeeded render has a result and no error, a failed one an error and no result.")
}

func (r *Result) check() error {
	switch {
	case r.Bytes < 1 || r.Frames < 1 || r.Width < 1 || r.Height < 1 || !(r.DurationSeconds > 0):
		return workdoc.Wrong("result", "The size, length and dimensions of a film are above zero.")
	case !hexDigest.MatchString(r.SHA256):
		return workdoc.Wrong("result.sha256", "The digest must be 64 lower-case hexadecimal digits.")
	case len(r.Probe) > maxMessage:
		return workdoc.Wrong("result.probe", fmt.Sprintf("The summary is longer than %d bytes.", maxMessage))
	}
	return nil
}

func (f *Failure) check() error {
	switch f.Code {
	case ValidationFailed, GenerationFailed, InternalError:
	default:
		return workdoc.Wrong("error.code", fmt.Sprintf("The code must be %s, %s or %s.", ValidationFailed, GenerationFailed, InternalError))
	}
	if f.Message == "" || len(f.Message) > maxMessage {
		return workdoc.Wrong("error.message", fmt.Sprintf("The message must have 1 to %d bytes.", maxMessage))
	}
	if len(f.Details) > maxDetails {
		return workdoc.Wrong("error.details", fmt.Sprintf("There are at most %d details.", maxDetails))
	}
	for k, v := range f.Details {
		if len(k) > maxDetail || len(v) > maxDetail {
			return workdoc.Wrong("error.details", fmt.Sprintf("A detail is longer than %d bytes.", maxDetail))
		}
	}
	return nil
}
