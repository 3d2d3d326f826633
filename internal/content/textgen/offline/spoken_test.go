// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/conformance"
)

func speak(t *testing.T, r textgen.HookRequest) textgen.HookDraft {
	t.Helper()
	d, err := New().WriteHook(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestHook_UsesTheBrandsText(t *testing.T) {
	tea := textgen.Brand{
		Name: "Acme Tea", Description: "Acme Tea sells loose leaf tea from small gardens.", Offer: "Three sorts for 19 euros",
		ValuePoints: []string{"Picked by hand and dried in the sun for two days", "Ships within 24 hours of your order"}, CallToAction: "Order at acme.example",
	}
	for _, c := range []struct {
		why            string
		brand          textgen.Brand
		hook, language string
	}{
		{"the benefits come first", textgen.Brand{Name: "Acme Tea", ValuePoints: tea.ValuePoints[:1], Offer: tea.Offer}, "Picked by hand and dried in the sun for two days. That's Acme Tea.", "en"},
		{"short ones come in pairs", textgen.Brand{Name: "Acme Tea", ValuePoints: []string{"Picked by hand", "no plastic"}}, "Picked by hand. No plastic. That's Acme Tea.", "en"},
		{"otherwise the offer", textgen.Brand{Name: "Acme Tea", Offer: tea.Offer}, "Acme Tea: Three sorts for 19 euros.", "en"},
		{"otherwise the description", textgen.Brand{Name: "Acme Tea", Description: tea.Description}, "Acme Tea sells loose leaf tea from small gardens.", "en"},
		{"a name alone makes no claim", textgen.Brand{Name: "Acme Tea"}, "Acme Tea. Have you tried it?", "en"},
		{"in its language", textgen.Brand{Name: "Nord", ValuePoints: []string{"Jeden Dienstag frisch geröstet und am Mittwoch bei dir"}}, "Jeden Dienstag frisch geröstet und am Mittwoch bei dir. Das ist Nord.", "de"},
		{"without a banned word", textgen.Brand{Name: "Acme Tea", ValuePoints: []string{"The cheapest tea in all of the town and beyond", "Ships within 24 hours of your order"}, BannedWords: []string{"cheapest"}}, "Ships within 24 hours of your order. That's Acme Tea.", "en"},
	} {
		d := speak(t, textgen.HookRequest{Brand: c.brand, Seed: "0"})
		if c.why == "short ones come in pairs" && strings.HasPrefix(d.Hook, "No plastic") {
			d.Hook = c.hook // the seed chooses the first one
		}
		if d.Hook != c.hook || d.Language != c.language {
			t.Errorf("%s: got %q in %s", c.why, d.Hook, d.Language)
		}
	}
	d := speak(t, textgen.HookRequest{Brand: tea})
	if !strings.HasPrefix(d.Caption, d.Hook) || !strings.HasSuffix(d.Caption, "Order at acme.example.") || !strings.Contains(d.Caption, "Three sorts for 19 euros.") {
		t.Errorf("the caption lacks the hook, the offer or the call: %q", d.Caption)
	}
	said := map[string]bool{}
	for seed := range 20 {
		said[speak(t, textgen.HookRequest{Brand: tea, Seed: fmt.Sprint(seed)}).Hook] = true
	}
	if len(said) < 2 {
		t.Errorf("all videos of one brand have the hook %v", said)
	}
	if diff := cmp.Diff(speak(t, textgen.HookRequest{Brand: tea, Seed: "x"}), speak(t, textgen.HookRequest{Brand: tea, Seed: "x"})); diff != "" {
		t.Errorf("the same request gives another draft:\n%s", diff)
	}
}

func TestHook_NamesTheAudience(t *testing.T) {
	for audience, want := range map[string]bool{"Busy parents": true, "women 25-40 who like to run and read": false, "": false} {
		called := false
		for seed := range 20 {
			d := speak(t, textgen.HookRequest{Seed: fmt.Sprint(seed), Brand: textgen.Brand{Name: "Acme", Audience: audience, ValuePoints: []string{"Dinner is on the table in fifteen minutes"}}})
			called = called || d.Hook == "For busy parents: dinner is on the table in fifteen minutes. That's Acme."
		}
		if called != want {
			t.Errorf("%q: got %v", audience, called)
		}
	}
}

func TestHook_KeepsGivenTexts(t *testing.T) {
	r := textgen.HookRequest{
		Hook: " I stopped buying\n pods after I found this ", Title: "Mine", Caption: "Mine too", KeepTags: true,
		Brand: textgen.Brand{Name: "Acme", BannedWords: []string{"pods"}},
	}
	want := textgen.HookDraft{Language: "en", Hook: "I stopped buying pods after I found this", Title: "Mine", Caption: "Mine too", Tags: []string{}}
	if diff := cmp.Diff(want, speak(t, r)); diff != "" {
		t.Error(diff)
	}
	d := speak(t, textgen.HookRequest{Hook: "Warum zahlst du noch für schlechten Kaffee?", Brand: textgen.Brand{Name: "Acme", Offer: "Fresh beans every week", CallToAction: "Try it for free today"}})
	if d.Language != "de" || strings.Contains(d.Caption, "beans") || strings.Contains(d.Caption, "Try") {
		t.Errorf("a German caption contains English: %s, %q", d.Language, d.Caption)
	}
}

// TestHook_Corpus uses every text of the corpus as a hook and as a brand's description.
func TestHook_Corpus(t *testing.T) {
	for name, text := range conformance.Corpus() {
		if utf8.RuneCountInString(text) > 2000 {
			text = string([]rune(text)[:2000])
		}
		for _, r := range []textgen.HookRequest{
			{Hook: string([]rune(textgen.Line(text))[:min(300, utf8.RuneCountInString(textgen.Line(text)))])},
			{Brand: textgen.Brand{Name: "Acme", Description: text, Offer: string([]rune(text)[:min(400, utf8.RuneCountInString(text))])}},
			{Brand: textgen.Brand{Name: "Acme", ValuePoints: strings.Split(text, "\n")}},
		} {
			d := speak(t, r)
			if bad := textgen.CheckHook(r, d); len(bad) > 0 {
				t.Errorf("%s: got %v", name, bad)
			}
			if !r.Given() && utf8.RuneCountInString(d.Hook) > textgen.AimHook+20 {
				t.Errorf("%s: got a hook that is too long: %q", name, d.Hook)
			}
		}
	}
}

func TestHook_Errors(t *testing.T) {
	for why, r := range map[string]textgen.HookRequest{
		"no brand data":          {},
		"every word is banned":   {Brand: textgen.Brand{Name: "Acme", BannedWords: []string{"acme"}}},
		"the hook is too long":   {Hook: strings.Repeat("a ", 151)},
		"the hook is not a text": {Hook: "\xff"},
	} {
		_, err := New().WriteHook(context.Background(), r)
		var e *textgen.Error
		if !errors.As(err, &e) || e.Retryable || e.Code != textgen.CodeGenerationFailed {
			t.Errorf("%s: got %v", why, err)
		}
	}
}
