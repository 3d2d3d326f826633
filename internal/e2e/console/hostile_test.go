// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

const (
	// attack runs in a page that does not escape it, in a text or in an attribute.
	attack = `"'><script>window.attacked=1</script><img src=x onerror=window.attacked=1><svg onload=window.attacked=1>`
	// shown is the part of the attack that every screen with the text shows.
	shown = "<script>window.attacked=1"
	// fileShown is the part that names a file, which has no slash, but not the brand.
	fileShown = "1<script><img"
	// rtl is Hebrew and Arabic, and family an emoji of several code points.
	rtl, family = "עברית العربية", "👩‍👩‍👧‍👦"
	maxTitle    = 200
	maxCaption  = 5000
)

// hostileText returns a text of a number of UTF-16 code units without any place to break the line.
func hostileText(units int) string {
	text := attack + rtl + family
	return text + strings.Repeat("W", units-len(utf16.Encode([]rune(text))))
}

// hostile shows hostile texts on every screen.
func (c *consoleTest) hostile(t *testing.T) {
	const brandName = "hostile"
	c.program(t, "reelops", "brand", "create", brandName, "--account", account, "--display-name", attack)
	a := api{c: c}
	waitFor(t, func() bool {
		var brands []struct {
			ID   int64
			Name string
		}
		a.call(t, http.MethodGet, "/brands", nil, &brands)
		for _, brand := range brands {
			if brand.Name == attack {
				a.brand = brand.ID
			}
		}
		return a.brand != 0
	}, "the brand is listed")
	tiktok := a.connected(t, "tiktok", "studio")
	short := a.create(t, map[string]any{
		"title": hostileText(maxTitle), "caption": hostileText(maxCaption), "tags": attack[:60],
		"slides": []map[string]any{{"heading": attack, "body": rtl + family}},
	})
	post := func(at time.Duration) map[string]any {
		body := tiktokPost(short, tiktok, time.Now().Add(at))
		body["media"], body["title"], body["caption"] = "photo_set", attack[:80], hostileText(2000)
		return body
	}
	a.schedule(t, post(15*time.Minute))
	a.hold(t, brandName, true)
	draft := a.schedule(t, post(20*time.Minute))

	automation := a.automation(t, weekdayTips(hostileText(maxTitle), hostileText(2000), attack+rtl))

	w := c.signedIn(t)
	run[bool](w, fmt.Sprintf(`localStorage.setItem('reelops.brand.%s', '%d'); true`, account, a.brand))
	w.visit("/console/settings?tab=keys")
	status := run[int](w, `fetch('/console/keys', {method: 'POST', headers: {'Content-Type': 'application/json'},
		body: JSON.stringify({display_name: `+quote(attack[:100])+`, scopes: ['brand:read'], brand_id: `+
		fmt.Sprint(a.brand)+`, expires_at: null})}).then((r) => r.status)`)
	if status >= 300 {
		t.Fatalf("creating a key: status %d", status)
	}
	w.visit("/console/media")
	file := c.image(t, strings.ReplaceAll(attack, "/", "")+rtl+family+strings.Repeat("W", 30)+".png", 64)
	w.chooseFiles(file)
	w.reads("Uploaded")
	w.settle()
	c.picture(w, "hostile-upload")

	slide := screen{"slide", fmt.Sprintf("/console/shorts/%d", short), func(w *window) {
		w.click("button", "Slide 1")
		w.sees("dialog", "Slide 1")
	}}
	mediaFile := screen{"file", "/console/media", func(w *window) {
		w.click("button", fileShown)
		w.sees("dialog", fileShown)
	}}
	_, authorize := c.authorizePage(t, attack[:60]+rtl+family, "http://127.0.0.1:51234/callback", "verifier")
	for _, s := range append(all(short, draft, automation, "Studio North", authorize), slide, mediaFile) {
		t.Run(s.name, func(t *testing.T) {
			defer func(before *testing.T) { w.t = before }(w.t)
			w.t = t
			for _, width := range widths {
				name := fmt.Sprintf("hostile-%s-%d", s.name, width)
				w.size(width)
				w.visit(s.path)
				if s.prepare != nil {
					s.prepare(w)
				}
				w.unfold()
				c.picture(w, name)
				w.fits(name)
				// The brand is in the navigation of every page, which is hidden on a phone.
				if width > widths[0] {
					w.reads(shown)
				}
				if run[bool](w, "'attacked' in window") {
					t.Errorf("%s: a text ran as a script", name)
				}
				w.check(name)
			}
		})
	}
}
