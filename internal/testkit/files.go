// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/store/blob"
)

// Files returns a blob store in a new folder with a file at each key. Its clock is c. It is closed when the test ends.
func Files(t testing.TB, c clock.PassiveClock, keys ...string) *blob.Store {
	t.Helper()
	s, err := blob.Open(t.Context(), blob.Config{
		URL: "file://" + t.TempDir(), BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{1}, 32), Clock: c,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for _, k := range keys {
		if err := s.Put(t.Context(), k, "image/png", strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Keys returns the sorted keys of the files of a blob store.
func Keys(t testing.TB, s *blob.Store) []string {
	t.Helper()
	out := []string{}
	if err := s.Walk(t.Context(), "", func(o blob.Object) error {
		out = append(out, o.Key)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}
