// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"encoding/json"
	"time"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// note is what Prepare has come to.
type note struct {
	Kind string `json:"kind"`
	// Assets are the URNs of the files that LinkedIn has in whole, in order: one video, or the pictures.
	Assets []string `json:"assets,omitempty"`
	// Film is a video that is being sent.
	Film *film `json:"film,omitempty"`
	// Since is when the last file was sent; zero until then.
	Since time.Time `json:"since,omitzero"`
	// Covered reports whether the upload of the video began with a cover, NoCover whether LinkedIn refused the cover.
	Covered bool `json:"covered,omitempty"`
	NoCover bool `json:"no_cover,omitempty"`
	// CoverTries is how often the cover was sent.
	CoverTries int `json:"cover_tries,omitempty"`
	// Warning is what of the author's choices LinkedIn did not take.
	Warning string `json:"warning,omitempty"`
	// Again says that LinkedIn could not use what was sent first, and this is the second time.
	Again bool `json:"again,omitempty"`
	// Blind says that the account may not look at its pictures.
	Blind bool `json:"blind,omitempty"`
	// Ready says that LinkedIn was done with all of them.
	Ready bool `json:"ready,omitempty"`
	// ReadyAt is when Ready was set.
	ReadyAt time.Time `json:"ready_at,omitzero"`
}

// film is an upload in the middle.
type film struct {
	URN   string `json:"urn"`
	Token string `json:"token"`
	// Cover is where the cover has to be sent; empty without one, and once it was.
	Cover string `json:"cover,omitempty"`
	// Parts are those that are still to be sent, Tags what LinkedIn knows those by that it has.
	Parts []part   `json:"parts,omitempty"`
	Tags  []string `json:"tags,omitempty"`
}

// part is a piece of a film, from its first to its last byte, and where it is to be sent.
type part struct {
	First int64  `json:"firstByte"`
	Last  int64  `json:"lastByte"`
	URL   string `json:"uploadUrl"`
}

// maxNote is how large a note may be that is kept in the middle of an upload, in bytes. A film of hundreds of parts has that many
// addresses: until enough of them are done with, a crash begins the upload anew.
const maxNote = 40_000

func (n *note) bytes() []byte {
	b, err := json.Marshal(n)
	if err != nil {
		panic(err) // texts, numbers and times can be written
	}
	return b
}

// readNote reads a note for a draft; a new one without any.
func readNote(doc []byte, d publish.Draft) (*note, error) {
	if len(doc) == 0 {
		return &note{Kind: d.Kind}, nil
	}
	var n note
	if json.Unmarshal(doc, &n) != nil || n.Kind != d.Kind {
		return nil, useless()
	}
	return &n, nil
}

// prepared reads the note of a draft of which only the post is left.
func prepared(doc []byte, d publish.Draft) (*note, error) {
	n, err := readNote(doc, d)
	want := 1
	if d.Kind != catalog.MediaVideo {
		want = len(d.Photos)
	}
	if err != nil || !n.Ready || len(n.Assets) != want {
		return nil, useless()
	}
	return n, nil
}

func useless() *publish.Error {
	return &publish.Error{Kind: publish.Expired, Safe: "What was prepared for LinkedIn is of no more use: it is prepared again."}
}
