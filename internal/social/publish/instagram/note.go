// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// containerLife is how long a container can be published.
const containerLife = 24 * time.Hour

// note is how far a preparation has come. It holds no secrets: the identifiers in it are of use to nobody but the account.
type note struct {
	// Children are the containers of a carousel's pictures, in order.
	Children []container `json:"children,omitempty"`
	// Main is the container that is published.
	Main container `json:"main,omitzero"`
	// Since is when the first container was begun, from which on Instagram forgets them.
	Since time.Time `json:"since,omitzero"`
	// Remade counts the containers that came to nothing and were made anew.
	Remade int `json:"remade,omitempty"`
	// NoCover reports that Instagram refused the video with its cover: it is published without one.
	NoCover bool `json:"noCover,omitempty"`
}

type container struct {
	ID       string    `json:"id,omitempty"`
	At       time.Time `json:"at,omitzero"`
	Finished bool      `json:"finished,omitempty"`
}

func readNote(b []byte) (note, error) {
	var n note
	if len(b) == 0 {
		return n, nil
	}
	if err := json.Unmarshal(b, &n); err != nil {
		return n, errors.New("the note of the preparation cannot be read")
	}
	return n, nil
}

func (n note) write() []byte {
	b, err := json.Marshal(n)
	if err != nil {
		panic(err) // plain values
	}
	return b
}

// handle names an accepted post: by its own id where the answer came, else by the container it was published from.
type handle struct {
	media     string
	container string
	// at is when it was sent.
	at time.Time
}

func (h handle) String() string {
	if h.media != "" {
		return "media:" + h.media + "@" + strconv.FormatInt(h.at.Unix(), 10)
	}
	return "container:" + h.container + "@" + strconv.FormatInt(h.at.Unix(), 10)
}

func readHandle(s string) (handle, error) {
	kind, rest, ok := strings.Cut(s, ":")
	name, at, dated := strings.Cut(rest, "@")
	sec, err := strconv.ParseInt(at, 10, 64)
	if !ok || !dated || name == "" || err != nil || (kind != "media" && kind != "container") {
		return handle{}, errors.New("the handle is not one of Instagram's")
	}
	h := handle{at: time.Unix(sec, 0).UTC()}
	if kind == "media" {
		h.media = name
	} else {
		h.container = name
	}
	return h, nil
}
