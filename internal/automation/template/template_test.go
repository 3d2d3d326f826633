// SPDX-License-Identifier: Apache-2.0

package template_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/automation/template"
)

func values() template.Values {
	zone := time.FixedZone("", 2*60*60)
	return template.Values{
		ItemTitle: "Five teas", ItemSummary: "How to brew", ItemLink: "https://example.com/a?b={{run.number}}",
		ItemPublished: time.Date(2026, 3, 1, 23, 30, 0, 0, zone), Slot: time.Date(2026, 3, 2, 9, 5, 0, 0, zone),
		BrandName: "Tea & Co", RunNumber: 12,
	}
}

func TestRender(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"no placeholder { }", "no placeholder { }"},
		{"{{item.title}}: {{ item.summary }}", "Five teas: How to brew"},
		{"{{slot.date}} {{slot.time}}, {{item.published}}", "2026-03-02 09:05, 2026-03-01"},
		{"{{brand.name}} no. {{run.number}}", "Tea & Co no. 12"},
		{
			"a value is not interpreted again: {{item.link}}",
			"a value is not interpreted again: https://example.com/a?b={{run.number}}",
		},
		{"{{item.titel}}", "{{item.titel}}"},
		{"{{{item.title}}}", "{Five teas}"},
	} {
		if got := template.Render(c.text, values(), 0); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
	unset := "[{{item.published}}{{slot.date}}{{slot.time}}{{item.title}}]"
	if got := template.Render(unset, template.Values{}, 0); got != "[]" {
		t.Errorf("no values: got %q", got)
	}
	broken := template.Values{ItemTitle: "a\xffb {{item.title}"}
	if got := template.Render("{{item.title}}", broken, 0); got != "a\uFFFDb {{item.title}" {
		t.Errorf("broken text: got %q", got)
	}
	// A value that completes a placeholder of the text.
	half := template.Values{ItemTitle: "{{", ItemLink: "x"}
	if got := template.Render("{{item.title}}item.link}}", half, 0); got != "{{item.link}}" {
		t.Errorf("a completed placeholder: got %q", got)
	}
}

func TestRender_Limit(t *testing.T) {
	for _, c := range []struct {
		value string
		limit int
		want  string
	}{
		{"a short text", 12, "a short text"},
		{"a short text", 11, "a short…"},
		{"a short text", 8, "a short…"},
		{"a short, long text", 10, "a short…"},
		{"onelongwordwithoutspaces", 10, "onelongwo…"},
		{"a onelongwordwithoutspaces", 12, "a onelongwo…"},
		{"äöü ßßß äöü", 8, "äöü ßßß…"},
		{"日本語のとても長い文章です", 5, "日本語の…"},
		{"abce\u0301fgh", 5, "abc…"},
		{"ab👍🏽cd", 4, "ab…"},
		{"abc", 1, "…"},
	} {
		got := template.Render("{{item.title}}", template.Values{ItemTitle: c.value}, c.limit)
		if got != c.want {
			t.Errorf("%q to %d: got %q, want %q", c.value, c.limit, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	const valid = ": use one of {{brand.name}}, {{item.link}}, {{item.published}}, {{item.summary}}, {{item.title}}, " +
		"{{run.number}}, {{slot.date}}, {{slot.time}}"
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"{ } }{", ""},
		{"{{" + strings.Join(template.Placeholders(), "}} {{ ") + "}}", ""},
		{"{{item.titel}}", `the placeholder "{{item.titel}}" is unknown` + valid},
		{"{{ITEM.TITLE}}", `the placeholder "{{ITEM.TITLE}}" is unknown` + valid},
		{"{{}}", `the placeholder "{{}}" is unknown` + valid},
		{"{{item.title | upper}}", `the placeholder "{{item.title | upper}}" is unknown` + valid},
		{"{{item.title}", `a placeholder is not complete at "{{item.title}"` + valid},
		{"{{item.title", `a placeholder is not complete at "{{item.title"` + valid},
		{"item.title}}", `a placeholder is not complete at "}}"` + valid},
		{"{{" + strings.Repeat("x", 99) + "}}", `the placeholder "{{` + strings.Repeat("x", 58) + `…" is unknown` + valid},
	} {
		got := ""
		if err := template.Check(c.text); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestUses(t *testing.T) {
	if !template.Uses("a {{ item.title }}", "item.") || template.Uses("a {{slot.date}} {{item.x}} item.title", "item.") {
		t.Error("got the wrong answer")
	}
}

func FuzzRender(f *testing.F) {
	f.Add("{{item.title}} {{run.number}}", "{{item.link}}", 10)
	f.Add("{{{{item.title}}}}", "}}", 3)
	f.Fuzz(func(t *testing.T, text, value string, limit int) {
		got := template.Render(text, template.Values{ItemTitle: value}, limit)
		if limit > 0 && utf8.RuneCountInString(got) > limit {
			t.Errorf("%d characters, limit %d", utf8.RuneCountInString(got), limit)
		}
		if template.Check(text) == nil && utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Error("the result is not valid UTF-8")
		}
		whole := template.Render(text, template.Values{ItemTitle: value}, 0)
		if template.Check(text) == nil && !strings.ContainsAny(value, "{}") && strings.Contains(whole, "{{") {
			t.Error("a placeholder is left")
		}
	})
}
