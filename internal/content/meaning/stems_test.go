// SPDX-License-Identifier: Apache-2.0

package meaning

import "testing"

func TestStem(t *testing.T) {
	for in, want := range map[string]string{
		"stories": "story", "planning": "plan", "planned": "plan", "leaves": "leav", "leaving": "leav", "wave": "wave",
		"calm": "calm", "business": "business", "focus": "focus", "stress": "stress", "ring": "ring", "beaches": "beach", "日本": "日本",
	} {
		if got := stem(in); got != want {
			t.Errorf("stem(%q) = %q, want %q", in, got, want)
		}
	}
	for _, pair := range [][2]string{{"wave", "waves"}, {"leaf", "leafs"}, {"sunrise", "sunrises"}, {"investing", "invest"}, {"running", "run"}, {"habits", "habit"}} {
		if stem(pair[0]) != stem(pair[1]) {
			t.Errorf("%q and %q have different stems: %q, %q", pair[0], pair[1], stem(pair[0]), stem(pair[1]))
		}
	}
}
