// SPDX-License-Identifier: Apache-2.0

package blob_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/store/blob"
)

func BenchmarkSignedGet(b *testing.B) {
	s, err := blob.Open(b.Context(), blob.Config{URL: "file://" + b.TempDir(), SigningKey: bytes.Repeat([]byte("k"), blob.MinSigningKey), BaseURL: "https://media.example.com"})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.SignedGet(b.Context(), "shorts/acme/0b1c2d3e-0000-4000-8000-000000000001/preview.jpg", 7*24*time.Hour); err != nil {
			b.Fatal(err)
		}
	}
}
