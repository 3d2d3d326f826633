// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/store/blob"
)

// TestPut_ExistingFiles restores a file whose key already has another file.
func TestPut_ExistingFiles(t *testing.T) {
	store, err := blob.Open(t.Context(), blob.Config{URL: "file://" + t.TempDir(), BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	for name, c := range map[string]struct {
		there string
		into  bool
		want  string
		files int
	}{
		"none":                  {"", true, "archived", 1},
		"of an earlier run":     {"archived", true, "archived", 1},
		"of no object":          {"other", false, "archived", 1},
		"of an existing object": {"other", true, "other", 0},
	} {
		p := &putting{Installation: &Installation{Files: store}, into: c.into}
		if c.there != "" {
			err = store.Put(t.Context(), name, "text/plain", strings.NewReader(c.there))
		}
		if err == nil {
			err = p.file(t.Context(), name, int64(len("archived")), strings.NewReader("archived"))
		}
		if err != nil {
			t.Fatal(name, err)
		}
		in, err := store.Get(t.Context(), name)
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := io.ReadAll(in)
		_ = in.Close()
		if err != nil || string(got) != c.want || p.out.Files != c.files {
			t.Errorf("%s: got %q, %d files, %v", name, got, p.out.Files, err)
		}
	}
}
