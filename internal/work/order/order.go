// SPDX-License-Identifier: Apache-2.0

package order

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Version is the only version of orders that this package reads and writes.
const Version = 2

// ErrVersion means that an order has another version: the manager and the renderer are of different releases.
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
	// Speak speaks a text and stores the sound.
	Speak Kind = "speak"
	// Listen finds in a sound, or in the sound of a clip, the times of the words of a text.
	Listen Kind = "listen"
)

var kinds = []Kind{Film, ProbeVideo, ProbeAudio, StarterClip, StarterTrack, Speak, Listen}

// Brought reports whether the work is about a stored file: it has an input and creates no file.
func (k Kind) Brought() bool { return k == ProbeVideo || k == ProbeAudio || k == Listen }

// Starter reports whether the work creates an item of the starter set.
func (k Kind) Starter() bool { return k == StarterClip || k == StarterTrack }

// Spoken reports whether the work is about a spoken text.
func (k Kind) Spoken() bool { return k == Speak || k == Listen }

// Clip reports whether the work is about the frames of a clip, not about sound alone.
func (k Kind) Clip() bool { return k == ProbeVideo || k == StarterClip }

// Bounds of an order.
const (
	// MaxBytes bounds the JSON of an order.
	MaxBytes = 2 << 20
	// MaxThreads bounds the encoder's threads.
	MaxThreads = 64

	maxName = 100
)

// Order is the work of one attempt.
type Order struct {
	// Version is always the constant Version.
	Version int `json:"version"`
	// ID is the name of the attempt's Job. The outcome repeats it, so that an outcome of another attempt is not taken
	// for this one's.
	ID string `json:"id"`
	// Kind of the work.
	Kind Kind `json:"kind"`
	// Outcome takes the outcome of the attempt.
	Outcome Target `json:"outcome"`
	// ProgressURL is a signed URL that takes progress reports by POST. If empty, progress is not reported. Only for films.
	ProgressURL string `json:"progress_url,omitempty"`
	// Limits bound the work and the files.
	Limits Limits `json:"limits"`
	// RequireConfinement refuses the work on a system that does not confine the programs that open files of users in full.
	RequireConfinement bool `json:"require_confinement,omitempty"`

	// Render is the video to render; only for films, which have none of the fields below.
	Render *Render `json:"render,omitempty"`

	// Input is the file to inspect; set exactly for kinds with a stored file.
	Input *Input `json:"input,omitempty"`
	// Starter names the item of the starter set to create; set exactly for starter kinds.
	Starter string `json:"starter,omitempty"`
	// Speech is the spoken text; set exactly with Speak and Listen, unless there are Passages.
	Speech *Speech `json:"speech,omitempty"`
	// Passages are several texts, each with a sound of its own; only with Speak and Listen, instead of Speech, Input and
	// File.
	Passages []Passage `json:"passages,omitempty"`
	// File takes the created file; set exactly with starter items and Speak.
	File *Target `json:"file,omitempty"`
	// Thumbnail takes a small JPEG; set exactly with clips.
	Thumbnail *Target `json:"thumbnail,omitempty"`
}

// Limits bound the work and its files. Deadline, MemoryBytes and Threads are above zero for every kind.
type Limits struct {
	// Deadline is when the order expires.
	Deadline time.Time `json:"deadline"`
	// MemoryBytes is what the renderer and its children may use together.
	MemoryBytes int64 `json:"memory_bytes"`
	// Threads is how many processors they may use, at most MaxThreads.
	Threads int `json:"threads"`
	// DurationMilliseconds is the longest duration of a file or of a spoken text. Unused for films, like the fields below.
	DurationMilliseconds int64 `json:"duration_milliseconds,omitempty"`
	// Tracks is the largest number of streams in a file.
	Tracks int `json:"tracks,omitempty"`
	// Pixels is the largest number of pixels of a frame of a clip, Side the longest side. Only for clips.
	Pixels int64 `json:"pixels,omitempty"`
	Side   int   `json:"side,omitempty"`
	// Frames is the largest number of frames of a clip, FrameRate the largest number in a second. Only for clips.
	Frames    int64   `json:"frames,omitempty"`
	FrameRate float64 `json:"frame_rate,omitempty"`
	// ThumbnailWidth of a clip in pixels. Only for clips.
	ThumbnailWidth int `json:"thumbnail_width,omitempty"`
}

// Parse reads and checks an order. The timeline of a film is not validated. An order of another version is ErrVersion.
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

// Encode checks an order and returns its JSON.
func (o *Order) Encode() ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return json.Marshal(o)
}

func (o *Order) check() error {
	switch {
	case o.Version != Version:
		return Wrong("version", fmt.Sprintf("The version must be %d, not %d.", Version, o.Version))
	case !slices.Contains(kinds, o.Kind):
		return Wrong("kind", fmt.Sprintf("The kind must be one of %s.", kinds))
	case o.ID == "" || len(o.ID) > maxName || !Plain(o.ID):
		return Wrong("id", fmt.Sprintf("The id has 1 to %d letters, digits and signs.", maxName))
	case o.Kind != Film && o.ProgressURL != "":
		return Wrong("progress_url", "Only films report progress.")
	case (o.Kind == Film) != (o.Render != nil):
		return Wrong("render", "There is a video to render exactly for films.")
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

// checkWork checks what the kind of work needs.
func (o *Order) checkWork() error {
	if o.Kind == Film {
		if o.Input != nil || o.Starter != "" || o.Speech != nil || len(o.Passages) > 0 || o.File != nil ||
			o.Thumbnail != nil {
			return Wrong("render", "A film has no other work beside it.")
		}
		return o.Render.check()
	}
	if len(o.Passages) > 0 {
		return o.checkPassages()
	}
	return o.checkMedia()
}

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
