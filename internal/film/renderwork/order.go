// SPDX-License-Identifier: Apache-2.0

package renderwork

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"time"

	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/work/workdoc"
)

// Version is the only version of orders and reports this package reads and writes.
const Version = 1

// Bounds of an order.
const (
	// MaxOrderBytes bounds the JSON of an order.
	MaxOrderBytes = 2 << 20
	// MaxInputs bounds the number of inputs: two pictures a clip, the words on one of them, voices, and music.
	MaxInputs = 2*timeline.MaxClips + timeline.MaxSpots + timeline.MaxVoices + 1
	// MaxInputBytes bounds what one input may be allowed to weigh.
	MaxInputBytes = 512 << 20
	// MaxThreads bounds the encoder's threads.
	MaxThreads = 64
)

// Order is one render: a film to make and the places around it.
type Order struct {
	// Version is always the constant Version.
	Version int `json:"version"`
	// ID names the render in logs, such as the name of its Job. It says nothing to the renderer.
	ID string `json:"id,omitempty"`
	// Timeline is the film.
	Timeline timeline.Timeline `json:"timeline"`
	// Inputs are the files the timeline names, by key.
	Inputs map[string]Input `json:"inputs"`
	// Outputs are the places for what is made.
	Outputs Outputs `json:"outputs"`
	// Pack is where coded parts of films are kept from one render to the next. Absent means that every part is coded.
	Pack *Pack `json:"pack,omitempty"`
	// Callback is where reports go.
	Callback Callback `json:"callback"`
	// Limits bound the work.
	Limits Limits `json:"limits"`
	// RequireConfinement refuses the work on a system that does not confine the programs that open files of users in full.
	RequireConfinement bool `json:"require_confinement,omitempty"`
}

// Input is a file to fetch.
type Input struct {
	// URL is a signed address for GET.
	URL string `json:"url"`
	// SHA256 is the lower-case hexadecimal digest the file must have. Absent means unchecked.
	SHA256 string `json:"sha256,omitempty"`
	// MaxBytes is the most the file may weigh; a larger one is refused.
	MaxBytes int64 `json:"max_bytes"`
}

// Outputs are the places for what is made.
type Outputs struct {
	// Video takes the MP4.
	Video Target `json:"video"`
	// Poster takes a JPEG of the film's first whole picture. Absent means that none is made.
	Poster *Target `json:"poster,omitempty"`
}

// Pack is where the coded parts of films are kept, so that a render of a film that was changed a little codes only what was
// changed. Films are the same with it and without, and a pack that cannot be fetched or stored fails no render.
type Pack struct {
	// URL is a signed address for GET of what a render before has kept; nothing has to be there. Absent means that there is none.
	URL string `json:"url,omitempty"`
	// Keep takes what this render keeps. It may be the place that URL names. Absent means that nothing is kept.
	Keep *Target `json:"keep,omitempty"`
}

// Target is a place to upload to.
type Target = workdoc.Target

// Callback is where reports go, each by POST to a signed address. An absent address means that nobody listens.
type Callback struct {
	ProgressURL string `json:"progress_url,omitempty"`
	OutcomeURL  string `json:"outcome_url,omitempty"`
}

// Limits bound the work. Zero means no limit of its own.
type Limits struct {
	// Deadline is when the order expires; work for it after that is of no use.
	Deadline time.Time `json:"deadline,omitzero"`
	// MemoryBytes is what the renderer and its encoder may use together.
	MemoryBytes int64 `json:"memory_bytes,omitempty"`
	// Threads is how many processors they may use.
	Threads int `json:"threads,omitempty"`
}

// Error says what is wrong with one field of an order or a report.
type Error = workdoc.Error

// ParseOrder reads and checks the shape of an order. The timeline inside is not validated here, so that an impossible film can
// be reported to the callback the order names: call Timeline.Validate.
func ParseOrder(doc []byte) (*Order, error) {
	o := &Order{}
	if err := workdoc.Decode(doc, MaxOrderBytes, o); err != nil {
		return nil, fmt.Errorf("reading the order: %w", err)
	}
	return o, o.check()
}

// Encode checks an order and gives its JSON.
func (o *Order) Encode() ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return json.Marshal(o)
}

var hexDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (o *Order) check() error {
	if o.Version != Version {
		return workdoc.Wrong("version", fmt.Sprintf("The version must be %d, not %d.", Version, o.Version))
	}
	if len(o.Inputs) > MaxInputs {
		return workdoc.Wrong("inputs", fmt.Sprintf("There are at most %d inputs, not %d.", MaxInputs, len(o.Inputs)))
	}
	for key, in := range o.Inputs {
		at := "inputs." + key
		if err := workdoc.CheckURL(at+".url", in.URL); err != nil {
			return err
		}
		if in.SHA256 != "" && !hexDigest.MatchString(in.SHA256) {
			return workdoc.Wrong(at+".sha256", "The digest must be 64 lower-case hexadecimal digits.")
		}
		if in.MaxBytes < 1 || in.MaxBytes > MaxInputBytes {
			return workdoc.Wrong(at+".max_bytes", fmt.Sprintf("The size limit must be 1 to %d bytes, not %d.", MaxInputBytes, in.MaxBytes))
		}
	}
	if err := o.Outputs.Video.Check("outputs.video"); err != nil {
		return err
	}
	if o.Outputs.Poster != nil {
		if err := o.Outputs.Poster.Check("outputs.poster"); err != nil {
			return err
		}
	}
	if o.Pack != nil {
		if o.Pack.URL != "" {
			if err := workdoc.CheckURL("pack.url", o.Pack.URL); err != nil {
				return err
			}
		}
		if o.Pack.Keep != nil {
			if err := o.Pack.Keep.Check("pack.keep"); err != nil {
				return err
			}
		}
	}
	for field, u := range map[string]string{"callback.progress_url": o.Callback.ProgressURL, "callback.outcome_url": o.Callback.OutcomeURL} {
		if u != "" {
			if err := workdoc.CheckURL(field, u); err != nil {
				return err
			}
		}
	}
	if o.Limits.MemoryBytes < 0 {
		return workdoc.Wrong("limits.memory_bytes", "The memory limit cannot be negative.")
	}
	if o.Limits.Threads < 0 || o.Limits.Threads > MaxThreads {
		return workdoc.Wrong("limits.threads", fmt.Sprintf("The threads must be 0 to %d, not %d.", MaxThreads, o.Limits.Threads))
	}
	return nil
}

// Redact gives the part of a signed URL that may be shown: scheme and host. Some stores sign in the query, some in the path.
func Redact(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "(unreadable address)"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}
