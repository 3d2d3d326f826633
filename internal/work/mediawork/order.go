// SPDX-License-Identifier: Apache-2.0

package mediawork

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/work/workdoc"
)

// Version is the only version of orders and outcomes that this package reads and writes.
const Version = 1

// Kind is what shall be done.
type Kind string

// Kinds of work.
const (
	// ProbeVideo looks at a clip and makes its thumbnail.
	ProbeVideo Kind = "probe-video"
	// ProbeAudio looks at a track and measures its loudness.
	ProbeAudio Kind = "probe-audio"
	// StarterClip makes a clip of the starter set, then does with it what ProbeVideo does.
	StarterClip Kind = "starter-clip"
	// StarterTrack makes a track of the starter set, then does with it what ProbeAudio does.
	StarterTrack Kind = "starter-track"
	// Speak says a text and makes a sound file of it.
	Speak Kind = "speak"
	// Listen looks in a sound, or in the sound of a clip, for when the words of a text are said.
	Listen Kind = "listen"
)

// kinds there are.
var kinds = []Kind{ProbeVideo, ProbeAudio, StarterClip, StarterTrack, Speak, Listen}

// Brought says that the work is about a file that is there already: it has an input and makes no file.
func (k Kind) Brought() bool { return k == ProbeVideo || k == ProbeAudio || k == Listen }

// Starter says that the work makes an item of the starter set.
func (k Kind) Starter() bool { return k == StarterClip || k == StarterTrack }

// Spoken says that the work is about a text that is said.
func (k Kind) Spoken() bool { return k == Speak || k == Listen }

// Clip says that the work is about the pictures of a clip, not about sound alone.
func (k Kind) Clip() bool { return k == ProbeVideo || k == StarterClip }

// Bounds of an order.
const (
	// MaxOrderBytes bounds the JSON of an order.
	MaxOrderBytes = 256 << 10

	// MaxSpeechCharacters is the longest text of an order with one, in Unicode code points. The times of its words fit an outcome.
	MaxSpeechCharacters = catalog.MaxHookCharacters

	// MaxPassages bounds the texts of one order: a voice-over has one for each slide. MaxPassageCharacters bounds each of them.
	MaxPassages          = catalog.MaxSlides
	MaxPassageCharacters = catalog.MaxSpeechCharacters

	maxName = 100
)

// voiceName is what may name a voice.
var voiceName = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_.:+-]{0,63})?$`)

// language is what may be a BCP 47 tag.
var language = regexp.MustCompile(`^([A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8}){0,7})?$`)

// Order is one piece of work.
type Order struct {
	// Version is always the constant Version.
	Version int `json:"version"`
	// Kind of the work.
	Kind Kind `json:"kind"`
	// ID names the work in logs, such as the name of its Job. It says nothing to the renderer.
	ID string `json:"id,omitempty"`
	// Input is the file to look at; there exactly when the kind is one of files that are there already.
	Input *Input `json:"input,omitempty"`
	// Starter names the item of the starter set to make; there exactly when it is one.
	Starter string `json:"starter,omitempty"`
	// Speech is the text that is said; there exactly with Speak and Listen, unless there are Passages.
	Speech *Speech `json:"speech,omitempty"`
	// Passages are several texts, each with a sound of its own; only with Speak and Listen, instead of Speech, Input and File. A
	// renderer from before this field existed refuses them.
	Passages []Passage `json:"passages,omitempty"`
	// File takes what was made; there exactly with starter items and Speak.
	File *Target `json:"file,omitempty"`
	// Thumbnail takes a small JPEG; there exactly with clips.
	Thumbnail *Target `json:"thumbnail,omitempty"`
	// Limits bound the work and the file.
	Limits Limits `json:"limits"`
	// RequireConfinement refuses the work on a system that does not confine the programs that open files of users in full.
	RequireConfinement bool `json:"require_confinement,omitempty"`
}

// Input is a file to fetch.
type Input struct {
	// URL is a signed address for GET.
	URL string `json:"url"`
	// ContentType is what the file is by its first bytes; nothing else is tried.
	ContentType string `json:"content_type"`
	// MaxBytes is the most the file may weigh; a larger one is refused.
	MaxBytes int64 `json:"max_bytes"`
}

// Speech is a text that is said.
type Speech struct {
	// Text has 1 to MaxSpeechCharacters characters, in a passage up to MaxPassageCharacters.
	Text string `json:"text"`
	// Language is a BCP 47 tag; empty means that the text tells.
	Language string `json:"language,omitempty"`
	// Voice as the renderer's programs know it; empty means one that suits the language. Only with Speak.
	Voice string `json:"voice,omitempty"`
}

// Passage is one of several texts that are said.
type Passage struct {
	// ID names the passage in the order and in its result: 1 to 64 plain characters, of which no other passage has the same.
	ID string `json:"id"`
	Speech
	// Input is the sound to listen to; there exactly with Listen.
	Input *Input `json:"input,omitempty"`
	// File takes the spoken sound; there exactly with Speak.
	File *Target `json:"file,omitempty"`
}

// Target is a place to upload to.
type Target = workdoc.Target

// Limits bound the work and what a file may be. All are above zero.
type Limits struct {
	// Deadline is when the order expires.
	Deadline time.Time `json:"deadline"`
	// MemoryBytes is what the renderer and its children may use together.
	MemoryBytes int64 `json:"memory_bytes"`
	// Threads is how many processors they may use.
	Threads int `json:"threads"`
	// DurationMilliseconds is the longest a file may play, or a text may take to say.
	DurationMilliseconds int64 `json:"duration_milliseconds"`
	// Tracks is the most streams a file may hold.
	Tracks int `json:"tracks"`
	// Pixels is the most pixels of a picture of a clip, Side the longest side. Only for clips.
	Pixels int64 `json:"pixels,omitempty"`
	Side   int   `json:"side,omitempty"`
	// Frames is the most pictures of a clip, FrameRate the most in a second. Only for clips.
	Frames    int64   `json:"frames,omitempty"`
	FrameRate float64 `json:"frame_rate,omitempty"`
	// ThumbnailWidth of a clip in pixels. Only for clips.
	ThumbnailWidth int `json:"thumbnail_width,omitempty"`
}

// Error says what is wrong with one field of an order or an outcome.
type Error = workdoc.Error

// KindOf tells the kind of a document that may be an order of this package; "" when it says none.
func KindOf(doc []byte) Kind {
	var d struct {
		Kind Kind `json:"kind"`
	}
	if json.Unmarshal(doc, &d) != nil {
		return ""
	}
	return d.Kind
}

// ParseOrder reads and checks an order.
func ParseOrder(doc []byte) (*Order, error) {
	o := &Order{}
	if err := workdoc.Decode(doc, MaxOrderBytes, o); err != nil {
		return nil, fmt.Errorf("reading the order: %w", err)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	return o, nil
}

// Encode checks an order and gives its JSON.
func (o *Order) Encode() ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return json.Marshal(o)
}

func (o *Order) check() error {
	if o.Version != Version {
		return workdoc.Wrong("version", fmt.Sprintf("The version must be %d, not %d.", Version, o.Version))
	}
	if !slices.Contains(kinds, o.Kind) {
		return workdoc.Wrong("kind", fmt.Sprintf("The kind must be one of %s.", kinds))
	}
	switch {
	case len(o.Passages) > 0:
		if err := o.checkPassages(); err != nil {
			return err
		}
	default:
		if err := o.checkFiles(); err != nil {
			return err
		}
		if o.Kind.Spoken() != (o.Speech != nil) {
			return workdoc.Wrong("speech", "There is a text exactly when one is said.")
		}
		if err := o.Speech.check("speech", o.Kind, MaxSpeechCharacters); err != nil {
			return err
		}
	}
	return o.Limits.check(o.Kind.Clip())
}

func (o *Order) checkFiles() error {
	switch {
	case o.Kind.Brought() != (o.Input != nil):
		return workdoc.Wrong("input", "There is an input exactly when a file is there already.")
	case o.Kind.Starter() != (o.Starter != "") || len(o.Starter) > maxName:
		return workdoc.Wrong("starter", fmt.Sprintf("There is a starter item, of at most %d bytes, exactly when one is made.", maxName))
	case o.Kind.Brought() == (o.File != nil):
		return workdoc.Wrong("file", "There is a place for a file exactly when one is made.")
	case o.Kind.Clip() != (o.Thumbnail != nil):
		return workdoc.Wrong("thumbnail", "There is a place for a thumbnail exactly with clips.")
	}
	if err := o.Input.check("input"); err != nil {
		return err
	}
	for field, t := range map[string]*Target{"file": o.File, "thumbnail": o.Thumbnail} {
		if t == nil {
			continue
		}
		if err := t.Check(field); err != nil {
			return err
		}
	}
	return nil
}

// checkPassages checks an order of several texts.
func (o *Order) checkPassages() error {
	if !o.Kind.Spoken() || o.Speech != nil || o.Input != nil || o.File != nil || o.Thumbnail != nil || o.Starter != "" {
		return workdoc.Wrong("passages", "Passages are said or listened to, and stand for the text and the files of the order.")
	}
	if len(o.Passages) > MaxPassages {
		return workdoc.Wrong("passages", fmt.Sprintf("There are at most %d passages.", MaxPassages))
	}
	seen := map[string]bool{}
	for i := range o.Passages {
		p, at := &o.Passages[i], fmt.Sprintf("passages[%d]", i)
		switch {
		case p.ID == "" || len(p.ID) > maxWord || !plain(p.ID) || seen[p.ID]:
			return workdoc.Wrong(at+".id", fmt.Sprintf("A passage has an id of its own, of at most %d letters, digits and signs.", maxWord))
		case (o.Kind == Listen) != (p.Input != nil):
			return workdoc.Wrong(at+".input", "There is an input exactly when a sound is there already.")
		case (o.Kind == Speak) != (p.File != nil):
			return workdoc.Wrong(at+".file", "There is a place for a file exactly when one is made.")
		}
		seen[p.ID] = true
		if err := p.Speech.check(at, o.Kind, MaxPassageCharacters); err != nil {
			return err
		}
		if err := p.Input.check(at + ".input"); err != nil {
			return err
		}
		if p.File == nil {
			continue
		}
		if err := p.File.Check(at + ".file"); err != nil {
			return err
		}
	}
	return nil
}

// check returns what is wrong with an input at a field; nil for no input.
func (in *Input) check(field string) error {
	if in == nil {
		return nil
	}
	if err := workdoc.CheckURL(field+".url", in.URL); err != nil {
		return err
	}
	if in.ContentType == "" || len(in.ContentType) > maxName {
		return workdoc.Wrong(field+".content_type", "The type of the input is missing.")
	}
	if in.MaxBytes < 1 {
		return workdoc.Wrong(field+".max_bytes", "The size limit must be above zero.")
	}
	return nil
}

// check returns what is wrong with a text at a field that has at most so many characters; nil for no text.
func (s *Speech) check(field string, k Kind, most int) error {
	if s == nil {
		return nil
	}
	if n := utf8.RuneCountInString(s.Text); n < 1 || n > most || !utf8.ValidString(s.Text) {
		return workdoc.Wrong(field+".text", fmt.Sprintf("The text has 1 to %d characters.", most))
	}
	if !language.MatchString(s.Language) {
		return workdoc.Wrong(field+".language", "The language must be a BCP 47 tag.")
	}
	if !voiceName.MatchString(s.Voice) || (s.Voice != "" && k != Speak) {
		return workdoc.Wrong(field+".voice", "A voice has at most 64 letters, digits and signs, and only speaks.")
	}
	return nil
}

func (l *Limits) check(clip bool) error {
	if l.Deadline.IsZero() || l.MemoryBytes < 1 || l.Threads < 1 || l.DurationMilliseconds < 1 || l.Tracks < 1 {
		return workdoc.Wrong("limits", "The deadline, the memory, the threads, the duration and the tracks must be above zero.")
	}
	if clip && (l.Pixels < 1 || l.Side < 1 || l.Frames < 1 || !(l.FrameRate > 0) || l.ThumbnailWidth < 2) {
		return workdoc.Wrong("limits", "The pixels, the side, the frames, the frame rate and the thumbnail's width must be above zero.")
	}
	return nil
}
