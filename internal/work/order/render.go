// SPDX-License-Identifier: Apache-2.0

package order

import (
	"encoding/json"
	"fmt"
)

// Bounds of a video to render.
const (
	// MaxFiles is the largest number of input files. A timeline cannot name more.
	MaxFiles = 600
	// MaxFileBytes is the largest size limit of an input file.
	MaxFileBytes = 512 << 20
)

// Render is a video to render and its files.
type Render struct {
	// Timeline is the JSON of a timeline, as package timeline reads it.
	Timeline json.RawMessage `json:"timeline"`
	// Inputs are the files that the timeline names, by key.
	Inputs map[string]File `json:"inputs"`
	// Video is the destination of the MP4.
	Video Target `json:"video"`
	// Poster is the destination of a JPEG of the first complete frame. If nil, no poster is created.
	Poster *Target `json:"poster,omitempty"`
	// Pack is the segment cache. If nil, every segment is encoded.
	Pack *Pack `json:"pack,omitempty"`
}

// File is an input file of a timeline.
type File struct {
	// URL is a signed URL for GET.
	URL string `json:"url"`
	// SHA256 is the expected digest in lower-case hexadecimal digits. If empty, the digest is not checked.
	SHA256 string `json:"sha256,omitempty"`
	// MaxBytes is the size limit of the file. The renderer rejects a larger file.
	MaxBytes int64 `json:"max_bytes"`
}

// Pack is the segment cache of a render. A render encodes only the segments that changed since an earlier render. The
// cache does not change the video, and a cache that cannot be fetched or stored does not fail the render.
type Pack struct {
	// URL is a signed URL for GET of the segment cache of an earlier render. The object need not exist. If empty, there is
	// no earlier render.
	URL string `json:"url,omitempty"`
	// Keep is the destination of the segment cache of this render. It may be the object of URL. If nil, nothing is stored.
	Keep *Target `json:"keep,omitempty"`
}

// check returns an *Error for the first invalid field.
func (r *Render) check() error {
	if len(r.Timeline) == 0 {
		return Wrong("timeline", "The timeline is missing.")
	}
	if len(r.Inputs) > MaxFiles {
		return Wrong("inputs", fmt.Sprintf("There are at most %d inputs, not %d.", MaxFiles, len(r.Inputs)))
	}
	for key, in := range r.Inputs {
		at := "inputs." + key
		if err := checkURL(at+".url", in.URL); err != nil {
			return err
		}
		if in.SHA256 != "" && !IsSHA256(in.SHA256) {
			return Wrong(at+".sha256", "The digest must be 64 lower-case hexadecimal digits.")
		}
		if in.MaxBytes < 1 || in.MaxBytes > MaxFileBytes {
			return Wrong(at+".max_bytes", fmt.Sprintf("The size limit must be 1 to %d bytes, not %d.", MaxFileBytes,
				in.MaxBytes))
		}
	}
	if err := r.Video.check("video"); err != nil {
		return err
	}
	if err := r.Poster.check("poster"); err != nil {
		return err
	}
	if r.Pack == nil {
		return nil
	}
	if r.Pack.URL != "" {
		if err := checkURL("pack.url", r.Pack.URL); err != nil {
			return err
		}
	}
	return r.Pack.Keep.check("pack.keep")
}
