// SPDX-License-Identifier: Apache-2.0

// Package filmwords is the list of the pictures of words on a video's film, spoken words as well as texts and buttons: which lies
// where, and from when to when it stands. Who draws the words stores it beside them; who builds the film reads it. It is too long for a status.
//
// The package neither draws nor stores anything.
package filmwords

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Version is the only version that is read and written.
const Version = 1

// MaxBytes bounds a document.
const MaxBytes = 1 << 20

// Document is the list, in the order in which the pictures are drawn.
type Document struct {
	// Version is always the constant Version.
	Version int `json:"version"`
	// Spots are the pictures.
	Spots []Spot `json:"spots"`
}

// Spot is a picture with transparency that stands for some time.
type Spot struct {
	// BlobKey of the PNG.
	BlobKey string `json:"blobKey"`
	// X and Y place its top left corner on the canvas, in pixels.
	X int `json:"x"`
	Y int `json:"y"`
	// Width and Height of the picture in pixels; 0 in lists that were written before these fields existed.
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
	// FromMilliseconds is when it begins to stand, ToMilliseconds when it no longer does, both from the film's beginning.
	FromMilliseconds int64 `json:"fromMilliseconds"`
	ToMilliseconds   int64 `json:"toMilliseconds"`
}

// Encode gives the JSON of a list.
func Encode(spots []Spot) ([]byte, error) {
	return json.Marshal(Document{Version: Version, Spots: spots})
}

// Read reads a document.
func Read(r io.Reader) (*Document, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading the words of a film: %w", err)
	}
	if len(data) > MaxBytes {
		return nil, errors.New("reading the words of a film: the document is too large")
	}
	d := &Document{}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("reading the words of a film: %w", err)
	}
	if d.Version != Version {
		return nil, fmt.Errorf("reading the words of a film: version %d is unknown", d.Version)
	}
	return d, nil
}
