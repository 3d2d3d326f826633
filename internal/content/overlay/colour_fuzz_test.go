// SPDX-License-Identifier: Apache-2.0

package overlay_test

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/image/colornames"

	"github.com/reelops/reelops/internal/content/overlay"
)

func FuzzParseColor(f *testing.F) {
	for _, s := range []string{"#fff", "#FFFF", "#112233", "#11223344", "112233", " #abc ", "", "#", "red", "RebeccaPurple", "#red", "#12345", "#+12345", "##123", "#0x1234", "#1_2_3_", "#ééé", "#١٢٣"} {
		f.Add(s)
	}
	written := regexp.MustCompile(`^#[0-9A-F]{6}([0-9A-F]{2})?$`)
	read := regexp.MustCompile(`^#?([0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$`)
	f.Fuzz(func(t *testing.T, s string) {
		c, ok := overlay.ParseColor(s)
		name := strings.ToLower(strings.TrimSpace(s))
		_, named := colornames.Map[name]
		if ok != (named || name == "rebeccapurple" || read.MatchString(strings.TrimSpace(s))) {
			t.Fatalf("%q: got %v, %v", s, c, ok)
		}
		if !ok {
			return
		}
		text := overlay.FormatColor(c)
		if back, ok := overlay.ParseColor(text); !ok || back != c || !written.MatchString(text) {
			t.Errorf("%q is %v, written as %s, read again as %v", s, c, text, back)
		}
	})
}
