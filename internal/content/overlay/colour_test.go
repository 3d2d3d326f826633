// SPDX-License-Identifier: Apache-2.0

package overlay_test

import (
	"image/color"
	"testing"

	"golang.org/x/image/colornames"

	"github.com/reelops/reelops/internal/content/overlay"
)

func TestParseColor_Names(t *testing.T) {
	for s, want := range map[string]color.NRGBA{
		"red":                  {255, 0, 0, 255},
		" Tomato ":             {255, 99, 71, 255},
		"LIGHTGOLDENRODYELLOW": {250, 250, 210, 255},
		"rebeccapurple":        {102, 51, 153, 255},
	} {
		if c, ok := overlay.ParseColor(s); !ok || c != want {
			t.Errorf("%q: got %v, %v, want %v", s, c, ok, want)
		}
	}
	for _, s := range []string{"#red", "reddish", "transparent", "currentcolor", "rebecca purple"} {
		if c, ok := overlay.ParseColor(s); ok {
			t.Errorf("%q: got %v", s, c)
		}
	}
	names := append([]string{"rebeccapurple"}, colornames.Names...)
	for _, s := range names {
		if _, ok := overlay.ParseColor(s); !ok {
			t.Errorf("%q is not accepted", s)
		}
	}
	if len(names) != 148 {
		t.Errorf("got %d names, CSS has 148", len(names))
	}
}
