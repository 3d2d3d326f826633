// SPDX-License-Identifier: Apache-2.0

// Package filmwords is the list of the images of text on a video: spoken words, captions and buttons, with their
// positions and times. The controller that draws the text stores the list beside the images, and the builder of the
// video reads it. The list is too long for a status.
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

// Document is the list of the images in drawing order.
type Document struct {
	// Version is always the constant Version.
	Version int `json:"version"`
	// Spots are the images.
	Spots []Spot `json:"spots"`
}

// Spot is an image with transparency that is shown for some time.
type Spot struct {
	// BlobKey of the PNG.
	BlobKey string `json:"blobKey"`
	// X and Y are the position of the top left corner on the canvas, in pixels.
	X int `json:"x"`
	Y int `json:"y"`
	// Width and Height of the image in pixels; 0 in lists that were written before these fields existed.
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
	// FromMilliseconds is the time at which the image appears, ToMilliseconds the time at which it disappears, from the
	// beginning of the video.
	FromMilliseconds int64 `json:"fromMilliseconds"`
	ToMilliseconds   int64 `json:"toMilliseconds"`
}

// Encode returns the JSON of a list.
func Encode(spots []Spot) ([]byte, error) {
	return json.Marshal(Document{Version: Version, Spots: spots})
}

// Read returns the parsed document. A document above MaxBytes or of another version is an error.
func Read(r io.Reader) (*Document, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading the captions of a video: %w", err)
	}
	if len(data) > MaxBytes {
		return nil, errors.New("reading the captions of a video: the document is too large")
	}
	d := &Document{}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("reading the captions of a video: %w", err)
	}
	if d.Version != Version {
		return nil, fmt.Errorf("reading the captions of a video: version %d is unknown", d.Version)
	}
	return d, nil
}
