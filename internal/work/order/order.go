// SPDX-License-Identifier: Apache-2.0

package order

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Version is the only supported version of orders.
const Version = 2

// ErrVersion means that an order has another version. The manager and the renderer are of different releases.
var ErrVersion = errors.New("the order has another version than this renderer reads")

// Kind is the kind of work.
type Kind string

// Kinds of work.
const (
	// Film renders a video from a timeline.
	Film Kind = "film"
	// ProbeVideo inspects a clip and creates its thumbnail.
	ProbeVideo Kind = "probe-video"
	// ProbeAudio inspects a track and measures its loudness.
	ProbeAudio Kind = "probe-audio"
	// StarterClip creates a clip of the starter set, then does with it what ProbeVideo does.
	StarterClip Kind = "starter-clip"
	// StarterTrack creates a track of the starter set, then does with it what ProbeAudio does.
	StarterTrack Kind = "starter-track"
	// Speak converts a text to speech and stores the sound.
	Speak Kind = "speak"
	// Listen determines the times of the words of a text in a sound or in the sound of a clip.
	Listen Kind = "listen"
)

var kinds = []Kind{Film, ProbeVideo, ProbeAudio, StarterClip, StarterTrack, Speak, Listen}

// Inspects reports whether the work inspects a stored file. Such work has an input and creates no file.
func (k Kind) Inspects() bool { return k == ProbeVideo || k == ProbeAudio || k == Listen }

// Starter reports whether the work creates an item of the starter set.
func (k Kind) Starter() bool { return k == StarterClip || k == StarterTrack }

// Spoken reports whether the work has a spoken text.
func (k Kind) Spoken() bool { return k == Speak || k == Listen }

// Clip reports whether the work inspects the frames of a clip, not only its sound.
func (k Kind) Clip() bool { return k == ProbeVideo || k == StarterClip }

// Bounds of an order.
const (
	// MaxBytes is the size limit of the JSON of an order.
	MaxBytes = 2 << 20
	// MaxThreads is the largest number of threads of an encoder.
	MaxThreads = 64

	maxName = 100 // bytes
)

// Order is the work of one attempt.
type Order struct {
	// Version is always the constant Version.
	Version int `json:"version"`
	// ID is the name of the attempt's Job. The outcome repeats the ID, so that no outcome of another attempt is
	// accepted.
	ID string `json:"id"`
	// Kind of the work.
	Kind Kind `json:"kind"`
	// Outcome is the destination of the outcome of the attempt.
	Outcome Target `json:"outcome"`
	// ProgressURL is a signed URL for POST of progress reports. If empty, progress is not reported. Only for films.
	ProgressURL string `json:"progress_url,omitempty"`
	// Limits of the work and of the files.
	Limits Limits `json:"limits"`
	// RequireConfinement makes the renderer fail if the system cannot fully confine the programs that open files of
	// users.
	RequireConfinement bool `json:"require_confinement,omitempty"`

	// Render is the video to render. It is set only for films, which have none of the fields below.
	Render *Render `json:"render,omitempty"`

	// Input is the file to inspect. It is set only for kinds with a stored file.
	Input *Input `json:"input,omitempty"`
	// Starter is the name of the item of the starter set. It is set only for starter kinds.
	Starter string `json:"starter,omitempty"`
	// Speech is the spoken text. It is set only with Speak and Listen, unless there are Passages.
	Speech *Speech `json:"speech,omitempty"`
	// Passages are several texts, each with a sound of its own. They replace Speech, Input and File of Speak and
	// Listen.
	Passages []Passage `json:"passages,omitempty"`
	// File is the destination of the created file. It is set only for starter kinds and Speak.
	File *Target `json:"file,omitempty"`
	// Thumbnail is the destination of a small JPEG. It is set only for clips.
	Thumbnail *Target `json:"thumbnail,omitempty"`
}

// Limits are the limits of the work and its files. Deadline, MemoryBytes and Threads are above zero for every kind.
type Limits struct {
	// Deadline is the time at which the order expires.
	Deadline time.Time `json:"deadline"`
	// MemoryBytes is the memory of the renderer and its child processes together.
	MemoryBytes int64 `json:"memory_bytes"`
	// Threads is the number of processors that they may use, at most MaxThreads.
	Threads int `json:"threads"`
	// DurationMilliseconds is the longest duration of a file or of a spoken text. Unused for films, like the fields
	// below.
	DurationMilliseconds int64 `json:"duration_milliseconds,omitempty"`
	// Tracks is the largest number of streams in a file.
	Tracks int `json:"tracks,omitempty"`
	// Pixels is the largest number of pixels of a frame. Only for clips.
	Pixels int64 `json:"pixels,omitempty"`
	// Side is the largest width or height of a frame in pixels. Only for clips.
	Side int `json:"side,omitempty"`
	// Frames is the largest number of frames. Only for clips.
	Frames int64 `json:"frames,omitempty"`
	// FrameRate is the largest number of frames in a second. Only for clips.
	FrameRate float64 `json:"frame_rate,omitempty"`
	// ThumbnailWidth of a clip in pixels. Only for clips.
	ThumbnailWidth int `json:"thumbnail_width,omitempty"`
}

// Parse parses and validates an order, but not the timeline of a film. For another version it returns ErrVersion.
func Parse(doc []byte) (*Order, error) {
	var v struct {
		Version int `json:"version"`
	}
	if json.Unmarshal(doc, &v) == nil && v.Version != Version {
		return nil, fmt.Errorf("reading the order: %w", ErrVersion)
	}
	o := &Order{}
	if err := Decode(doc, MaxBytes, o); err != nil {
		return nil, fmt.Errorf("reading the order: %w", err)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	return o, nil
}

// Encode validates an order and returns its JSON.
func (o *Order) Encode() ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return json.Marshal(o)
}

// check returns an *Error for the first invalid field.
func (o *Order) check() error {
	switch {
	case o.Version != Version:
		return Wrong("version", fmt.Sprintf("The version must be %d, not %d.", Version, o.Version))
	case !slices.Contains(kinds, o.Kind):
		return Wrong("kind", fmt.Sprintf("The kind must be one of %s.", kinds))
	case o.ID == "" || len(o.ID) > maxName || !Plain(o.ID):
		return Wrong("id", fmt.Sprintf("The id has 1 to %d letters, digits and signs.", maxName))
	case o.Kind != Film && o.ProgressURL != "":
		return Wrong("progress_url", "Only renders report progress.")
	case (o.Kind == Film) != (o.Render != nil):
		return Wrong("render", "A render order, and no other, has a video to render.")
	}
	if err := o.Outcome.check("outcome"); err != nil {
		return err
	}
	if o.ProgressURL != "" {
		if err := checkURL("progress_url", o.ProgressURL); err != nil {
			return err
		}
	}
	if err := o.checkWork(); err != nil {
		return err
	}
	return o.Limits.check(o.Kind)
}

// checkWork checks the fields of the kind of work.
func (o *Order) checkWork() error {
	if o.Kind == Film {
		if o.Input != nil || o.Starter != "" || o.Speech != nil || len(o.Passages) > 0 || o.File != nil ||
			o.Thumbnail != nil {
			return Wrong("render", "A render order has no other work.")
		}
		return o.Render.check()
	}
	if len(o.Passages) > 0 {
		return o.checkPassages()
	}
	return o.checkMedia()
}

// check returns an *Error if a limit that the kind needs is missing.
func (l *Limits) check(k Kind) error {
	switch {
	case l.Deadline.IsZero() || l.MemoryBytes < 1 || l.Threads < 1 || l.Threads > MaxThreads:
		return Wrong("limits", fmt.Sprintf("The deadline and the memory must be above zero, the threads 1 to %d.",
			MaxThreads))
	case k != Film && (l.DurationMilliseconds < 1 || l.Tracks < 1):
		return Wrong("limits", "The duration and the tracks must be above zero.")
	case k.Clip() && (l.Pixels < 1 || l.Side < 1 || l.Frames < 1 || !(l.FrameRate > 0) || l.ThumbnailWidth < 2):
		return Wrong("limits",
			"The pixels, the side, the frames, the frame rate and the thumbnail's width must be above zero.")
	}
	return nil
}
