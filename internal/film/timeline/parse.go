// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// MaxDocumentBytes bounds a timeline document, in bytes. The largest valid video needs a fraction of it.
const MaxDocumentBytes = 256 << 10

// Parse reads one timeline and validates it. Unknown fields, trailing data and documents above MaxDocumentBytes are
// errors.
func Parse(doc []byte) (*Timeline, error) {
	if len(doc) > MaxDocumentBytes {
		return nil, &Error{Field: "timeline", Message: fmt.Sprintf("The document is larger than %d bytes.", MaxDocumentBytes)}
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.DisallowUnknownFields()
	t := &Timeline{}
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("reading the timeline: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, &Error{Field: "timeline", Message: "There is more after the end of the document."}
	}
	if err := t.Validate(); err != nil {
		return nil, err
	}
	return t, nil
}
