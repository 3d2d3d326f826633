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

// note is the progress of a preparation. It holds no secrets: the ids in it are usable only by the account.
type note struct {
	// Children are the containers of a carousel's images, in order.
	Children []container `json:"children,omitempty"`
	// Main is the container to publish.
	Main container `json:"main,omitzero"`
	// Since is when the first container was created. Instagram deletes containers containerLife later.
	Since time.Time `json:"since,omitzero"`
	// Remade counts the failed containers that are created again.
	Remade int `json:"remade,omitempty"`
	// NoCover reports whether Instagram refused the video with its cover: it is published without one.
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

// handle identifies an accepted post: by its id, or by its container if the response was lost.
type handle struct {
	media     string
	container string
	// at is when the publishing call was sent.
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
