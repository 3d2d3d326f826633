// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"encoding/json"
	"time"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// note is the progress of Prepare.
type note struct {
	Kind string `json:"kind"`
	// Assets are the URNs of the files that LinkedIn has completely, in order: one video, or the images.
	Assets []string `json:"assets,omitempty"`
	// Film is a video upload in progress.
	Film *film `json:"film,omitempty"`
	// Since is when the last file was sent; zero before that.
	Since time.Time `json:"since,omitzero"`
	// Covered reports whether the upload of the video began with a cover, NoCover whether LinkedIn refused the cover.
	Covered bool `json:"covered,omitempty"`
	NoCover bool `json:"no_cover,omitempty"`
	// CoverTries counts the uploads of the cover.
	CoverTries int `json:"cover_tries,omitempty"`
	// Warning describes which of the author's choices LinkedIn did not accept.
	Warning string `json:"warning,omitempty"`
	// Again reports whether this is the second upload, after LinkedIn could not use the first.
	Again bool `json:"again,omitempty"`
	// Blind reports whether the account may not read the state of its images.
	Blind bool `json:"blind,omitempty"`
	// Ready reports whether LinkedIn has processed all files.
	Ready bool `json:"ready,omitempty"`
	// ReadyAt is when Ready was set.
	ReadyAt time.Time `json:"ready_at,omitzero"`
}

// film is a video upload in progress.
type film struct {
	URN   string `json:"urn"`
	Token string `json:"token"`
	// Cover is the upload address of the cover; empty without a cover, and once the cover was sent.
	Cover string `json:"cover,omitempty"`
	// Parts are the parts that are still to be sent. Tags are LinkedIn's tags of the parts that it has.
	Parts []part   `json:"parts,omitempty"`
	Tags  []string `json:"tags,omitempty"`
}

// part is a byte range of a video, first to last byte, and its upload address.
type part struct {
	First int64  `json:"firstByte"`
	Last  int64  `json:"lastByte"`
	URL   string `json:"uploadUrl"`
}

// maxNote is the maximum size of a note that is stored during an upload, in bytes. A video of hundreds of parts has as
// many addresses. Until enough parts are sent, a crash restarts the upload.
const maxNote = 40_000

func (n *note) bytes() []byte {
	b, err := json.Marshal(n)
	if err != nil {
		panic(err) // strings, numbers and times always marshal
	}
	return b
}

// readNote returns the note for a draft; a new note if doc is empty.
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

// prepared returns the note of a draft for which only the post is left.
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
	return &publish.Error{Kind: publish.Expired, Safe: "The preparation for LinkedIn is no longer valid and is repeated."}
}
