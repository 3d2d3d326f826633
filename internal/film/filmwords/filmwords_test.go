// SPDX-License-Identifier: Apache-2.0

package filmwords_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/film/filmwords"
)

func TestDocument_RoundTrip(t *testing.T) {
	spots := []filmwords.Spot{{BlobKey: "a", X: 1, Y: 2, FromMilliseconds: 3, ToMilliseconds: 4}, {BlobKey: "b"}}
	doc, err := filmwords.Encode(spots)
	if err != nil {
		t.Fatal(err)
	}
	d, err := filmwords.Read(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(spots, d.Spots); diff != "" {
		t.Error(diff)
	}
}

func TestParse_InvalidDocuments(t *testing.T) {
	for why, doc := range map[string]string{
		"nothing": "", "invalid JSON": "words", "another version": `{"version":2,"spots":[]}`, "too many words": `{"version":1,"spots":[]}` + strings.Repeat(" ", filmwords.MaxBytes),
	} {
		if _, err := filmwords.Read(strings.NewReader(doc)); err == nil {
			t.Errorf("%s is accepted", why)
		}
	}
}
