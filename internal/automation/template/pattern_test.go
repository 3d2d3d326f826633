// SPDX-License-Identifier: Apache-2.0

package template_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/automation/template"
)

// TestPattern_MatchesWhatCheckAccepts compares both on random texts of braces, names and spaces.
func TestPattern_MatchesWhatCheckAccepts(t *testing.T) {
	pattern := regexp.MustCompile(template.Pattern())
	parts := []string{
		"{", "}", "{{", "}}", "{{item.title}}", "item.title", "item", "run.number", ".", " ", "\n", "\u00a0", "é", "x",
	}
	random := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 200_000 {
		var b strings.Builder
		for range random.IntN(9) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		text := b.String()
		err := template.Check(text)
		if err == nil {
			accepted++
		}
		if got := pattern.MatchString(text); got != (err == nil) {
			t.Fatalf("%q: the pattern matches: %t, Check: %v", text, got, err)
		}
	}
	if accepted < 1000 || accepted > 199_000 {
		t.Errorf("%d texts are accepted: the test compares too little", accepted)
	}
}
