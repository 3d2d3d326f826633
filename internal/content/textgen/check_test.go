// SPDX-License-Identifier: Apache-2.0

package textgen

import (
	"strings"
	"testing"
)

func good() Draft {
	return Draft{Language: "en", Title: "Title", Caption: "A caption.", Tags: []string{"one", "two", "three"}, Slides: []Slide{
		{Role: RoleHook, Heading: "First", AltText: "First"},
		{Role: RolePoint, Heading: "Second", Body: "It supports", AltText: "Second"},
		{Role: RoleCallToAction, Heading: "Third", AltText: "Third"},
	}}
}

func TestCheck(t *testing.T) {
	cases := map[string]struct {
		change func(*Draft)
		want   string // part of the complaint, empty for none
	}{
		"good":             {func(*Draft) {}, ""},
		"too few":          {func(d *Draft) { d.Slides = d.Slides[:2] }, "3 to 12 slides"},
		"wrong role":       {func(d *Draft) { d.Slides[2].Role = RolePoint }, "role call_to_action"},
		"no heading":       {func(d *Draft) { d.Slides[1].Heading = " " }, "has no heading"},
		"heading too long": {func(d *Draft) { d.Slides[1].Heading = strings.Repeat("ж", MaxHeading+1) }, "91 characters"},
		"heading at limit": {func(d *Draft) { d.Slides[1].Heading = strings.Repeat("ж", MaxHeading) }, ""},
		"repeated text":    {func(d *Draft) { d.Slides[2].Body = "it supports!" }, "says the same as slide 2"},
		"tag with hash":    {func(d *Draft) { d.Tags[0] = "#one" }, "without '#'"},
		"too many tags":    {func(d *Draft) { d.Tags = strings.Fields("a b c d e f g h i") }, "at most 8 tags"},
		"shortfall":        {func(d *Draft) { d.Slides, d.Shortfall = d.Slides[:1], &Shortfall{Wanted: 3, FromText: 1} }, ""},
		"no shortfall":     {func(d *Draft) { d.Shortfall = &Shortfall{Wanted: 3, FromText: 3} }, "no shortfall of 3"},
		"no title":         {func(d *Draft) { d.Title = "" }, "title is missing"},
		"long caption":     {func(d *Draft) { d.Caption = strings.Repeat("a", MaxCaption+1) }, "The caption has"},
	}
	for name, c := range cases {
		d := good()
		c.change(&d)
		bad := strings.Join(Check(Request{Context: "x"}, d), "; ")
		if (c.want == "") != (bad == "") || !strings.Contains(bad, c.want) {
			t.Errorf("%s: got %q, want %q", name, bad, c.want)
		}
	}
	if bad := Check(Request{Context: "x", SlideCount: 4}, good()); len(bad) != 1 || !strings.Contains(bad[0], "exactly 4") {
		t.Errorf("a wrong count: got %q", bad)
	}
}

func TestBanned(t *testing.T) {
	cases := []struct {
		text, word string
		found      bool
		why        string
	}{
		{"The art of bread", "art", true, "a whole word"},
		{"A fresh start", "art", false, "not inside another word"},
		{"CHEAP!", "cheap", true, "neither case nor punctuation count"},
		{"no pain, no gain", "no pain", true, "two words"},
		{"最便宜的咖啡", "便宜", true, "no spaces between words"},
		{"anything", " ", false, "an empty word bans nothing"},
	}
	for _, c := range cases {
		if got := Banned(c.text, []string{c.word}) != ""; got != c.found {
			t.Errorf("%q in %q: got %v, want %v (%s)", c.word, c.text, got, c.found, c.why)
		}
	}
}
