// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestVerified_ReadsTheVerifiedBytesOnly(t *testing.T) {
	const key = "renders/a.mp4"
	s, err := Open(t.Context(), Config{URL: "file://" + t.TempDir(), BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{1}, MinSigningKey)})
	if err != nil {
		t.Fatal(err)
	}
	put := func(b []byte) {
		t.Helper()
		if err := s.Put(t.Context(), key, "video/mp4", bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
	}
	for _, size := range []int{0, 1, verifiedBlock - 1, verifiedBlock, verifiedBlock + 1, 3*verifiedBlock + 7} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			doc := bytes.Repeat([]byte("0123456789abcdef!"), size/17+1)[:size]
			put(doc)
			v, err := s.Verify(t.Context(), key, fmt.Sprintf("%x", sha256.Sum256(doc)))
			if err != nil {
				t.Fatal(err)
			}
			read := func(offset int) ([]byte, error) {
				t.Helper()
				r, err := v.OpenAt(t.Context(), int64(offset))
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = r.Close() }()
				return io.ReadAll(r)
			}
			for _, offset := range []int{0, size / 2, max(size-1, 0), size} {
				if got, err := read(offset); err != nil || !bytes.Equal(got, doc[offset:]) {
					t.Errorf("from %d: got %d bytes, %v", offset, len(got), err)
				}
			}
			if _, err := v.OpenAt(t.Context(), int64(size)+1); err == nil {
				t.Error("reading beyond the end succeeds")
			}
			if size == 0 {
				return
			}
			changed := bytes.Clone(doc)
			changed[size-1]++
			for name, other := range map[string][]byte{"changed": changed, "cut": doc[:size-1]} {
				put(other)
				got, err := read(0)
				if !errors.Is(err, ErrDigest) || !bytes.HasPrefix(doc, got) {
					t.Errorf("%s: got %d bytes, %v", name, len(got), err)
				}
				if _, err := s.Verify(t.Context(), key, fmt.Sprintf("%x", sha256.Sum256(doc))); !errors.Is(err, ErrDigest) {
					t.Errorf("%s: got %v", name, err)
				}
			}
			put(append(bytes.Clone(doc), 'x'))
			if got, err := read(0); err != nil || !bytes.Equal(got, doc) {
				t.Errorf("longer: got %d bytes, %v", len(got), err)
			}
		})
	}
	if _, err := s.Verify(t.Context(), "renders/none", ""); !errors.Is(err, ErrNotFound) {
		t.Errorf("a missing object: got %v", err)
	}
}
