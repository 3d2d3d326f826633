// SPDX-License-Identifier: Apache-2.0

package idempotency_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/reelops/reelops/apiserver/idempotency"
)

func FuzzCheckKey(f *testing.F) {
	for _, s := range []string{"", "k", strings.Repeat("k", 255), strings.Repeat("k", 256), strings.Repeat("ä", 255), strings.Repeat("眠", 256), "a\tb", "a\x7f", "a\u0085", "a\xff", "\u200b", " "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, given, refused := idempotency.CheckKey([]string{s})
		good := s != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= 255 && !strings.ContainsFunc(s, unicode.IsControl)
		if !given || (refused == nil) != good || (good && key != s) {
			t.Fatalf("%q: %q, %v, %v", s, key, given, refused)
		}
		if refused != nil && (refused.Code != "bad_request" || refused.Details["parameter"] != "Idempotency-Key") {
			t.Errorf("got error %+v", refused)
		}
	})
}
