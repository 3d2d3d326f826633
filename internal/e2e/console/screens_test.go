// SPDX-License-Identifier: Apache-2.0

package console

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
)

// widths are those of a phone and of a desktop, in CSS pixels.
var widths = []int64{390, 1400}

var schemes = []string{"light", "dark"}

// screen is a page of the console, with what a user does on it before it is checked.
type screen struct {
	name, path string
	prepare    func(w *window)
}

// all returns every screen. The short is scheduled on an account for the current month, and draft is a post that waits
// for approval. authorize is the page to which an OAuth client sends its user.
func all(short, draft, automation int64, account, authorize string) []screen {
	postPage := fmt.Sprintf("/console/posts/%d", draft)
	automationPage := fmt.Sprintf("/console/automations/%d", automation)
	return []screen{
		{"library", "/console", nil},
		{"create-slideshow", "/console/create", nil},
		{"create-video", "/console/create?kind=video", nil},
		{"short", fmt.Sprintf("/console/shorts/%d", short), nil},
		{"edit", fmt.Sprintf("/console/shorts/%d/edit", short), nil},
		{"publish", fmt.Sprintf("/console/shorts/%d/publish", short), chooseAccount},
		{"calendar-month", "/console/calendar?view=month", nil},
		{"calendar-week", "/console/calendar?view=week", nil},
		{"calendar-list", "/console/calendar?view=list", nil},
		{"calendar-export", "/console/calendar?view=month", opens("Export")},
		{"approvals", "/console/approvals", nil},
		{"post-page", postPage, nil},
		{"post-edit", postPage, opens("Edit")},
		{"post-approve", postPage, opens("Approve")},
		{"post-return", postPage, opens("Return")},
		{"automations", "/console/automations", nil},
		{"automation", automationPage, nil},
		{"automation-delete", automationPage, opens("Delete")},
		{"automation-edit", automationPage + "/edit", nil},
		{"automation-options", "/console/automations/new", showsOptions},
		{"media", "/console/media", nil},
		{"media-stock", "/console/media", func(w *window) { w.click("radio", "Stock"); w.settle() }},
		{"media-packs", "/console/media", func(w *window) { w.click("radio", "Packs"); w.settle() }},
		{"connections", "/console/connections", nil},
		{"connect", "/console/connections", opens("Connect")},
		{"activity", "/console/activity", nil},
		{"analytics", "/console/analytics", nil},
		{"settings-brand", "/console/settings?tab=brand", nil},
		{"settings-posting", "/console/settings?tab=posting", nil},
		{"settings-members", "/console/settings?tab=members", nil},
		{"settings-add-member", "/console/settings?tab=members", opens("Add member")},
		{"settings-keys", "/console/settings?tab=keys", nil},
		{"settings-create-key", "/console/settings?tab=keys", opens("Create key")},
		{"settings-webhooks", "/console/settings?tab=webhooks", nil},
		{"settings-add-webhook", "/console/settings?tab=webhooks", opens("Add webhook")},
		{"authorize", authorize, nil},
		{"settings-plan", "/console/settings?tab=plan", nil},
		{"post", "/console/calendar?view=list", func(w *window) {
			w.click("button", account)
			w.sees("dialog", "TikTok")
		}},
		{"no-such-page", "/console/nothing", nil},
	}
}

// opens returns a function that clicks a button which opens a dialog.
func opens(button string) func(*window) {
	return func(w *window) {
		w.t.Helper()
		w.click("button", button)
		w.sees("dialog", "")
		w.settle()
	}
}

// chooseAccount chooses the first account, unless it is chosen, and opens all fields of TikTok.
func chooseAccount(w *window) {
	w.t.Helper()
	w.sees("checkbox", "")
	if !run[bool](w, `document.querySelector('main input[type=checkbox]').checked`) {
		w.click("checkbox", "")
	}
	w.click("checkbox", "Disclose commercial content")
	w.click("checkbox", "Your brand")
	w.settle()
}

// screens checks every screen in both widths and colour schemes.
func (c *consoleTest) screens(t *testing.T) {
	a := api{c: c}
	short := a.anyVideo(t)
	tiktok := a.connected(t, "tiktok", "maya")
	a.connected(t, "youtube", "studio")
	// Both posts are in the current month, unless it ends soon.
	a.schedule(t, tiktokPost(short, tiktok, time.Now().Add(15*time.Minute)))
	a.hold(t, account, true)
	t.Cleanup(func() { a.hold(t, account, false) })
	draft := a.schedule(t, tiktokPost(short, tiktok, time.Now().Add(72*time.Hour)))

	t.Run("sign-in", func(t *testing.T) {
		w := c.open(t)
		c.inspect(t, w, screen{"sign-in", "/console", func(w *window) { w.expects("401 GET /console/session") }})
	})
	automation := a.automation(t, weekdayTips("Weekday tips", "Three habits for a calm morning", "A quiet evening"))
	_, authorize := c.authorizePage(t, "Helpful agent", "http://127.0.0.1:51234/callback", "verifier")
	w := c.signedIn(t)
	for _, s := range all(short, draft, automation, "Maya's Kitchen", authorize) {
		t.Run(s.name, func(t *testing.T) { c.inspect(t, w, s) })
	}
}

// inspect checks a screen in both widths and colour schemes.
func (c *consoleTest) inspect(t *testing.T, w *window, s screen) {
	t.Helper()
	defer func(before *testing.T) { w.t = before }(w.t)
	w.t = t
	for _, width := range widths {
		w.size(width)
		w.scheme(schemes[0])
		w.visit(s.path)
		if s.prepare != nil {
			s.prepare(w)
		}
		for _, scheme := range schemes {
			name := fmt.Sprintf("%s-%d-%s", s.name, width, scheme)
			w.scheme(scheme)
			w.unfold()
			c.picture(w, name)
			w.fits(name)
			w.accessible(name)
		}
		w.check(fmt.Sprintf("%s at %d px", s.name, width))
	}
}

// fits fails the test if the page is wider than the window.
func (w *window) fits(where string) {
	w.t.Helper()
	wide := run[[]string](w, `(() => {
		const root = document.scrollingElement, width = innerWidth;
		if (root.scrollWidth <= width) return [];
		const scrolls = (e) => e && e !== document.body &&
			(getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement));
		return ['the page is ' + root.scrollWidth + ' px wide', ...[...document.body.querySelectorAll('*')]
			.filter((e) => e.getBoundingClientRect().right > width + 1 && !scrolls(e.parentElement))
			.map((e) => e.outerHTML.slice(0, 120)).slice(0, 5)];
	})()`)
	if len(wide) > 0 {
		w.t.Errorf("%s: %q", where, wide)
	}
}

// accessible fails the test for everything that axe finds against WCAG 2.2 AA.
func (w *window) accessible(where string) {
	w.t.Helper()
	if !run[bool](w, "typeof axe !== 'undefined'") {
		run[bool](w, axe(w)+"; true")
	}
	found := run[[]struct {
		ID, Help string
		Nodes    []struct{ Target, Summary string }
	}](w, `axe.run(document, {
		runOnly: {type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']},
		resultTypes: ['violations'],
	}).then((r) => r.violations.map((v) => ({id: v.id, help: v.help,
		nodes: v.nodes.slice(0, 5).map((n) => ({target: n.target.join(' '), summary: n.failureSummary}))})))`)
	for _, v := range found {
		doc, err := json.MarshalIndent(v.Nodes, "", "  ")
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Errorf("%s: %s: %s\n%s", where, v.ID, v.Help, doc)
	}
}

// axe returns the script of axe-core, which `make build` installs with the other packages of the console.
func axe(w *window) string {
	w.t.Helper()
	_, file, _, _ := runtime.Caller(0)
	path := filepath.Join(filepath.Dir(file), "..", "..", "..", "apiserver", "console", "web", "node_modules",
		"axe-core", "axe.min.js")
	script, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatalf("%v: `make build` installs it", err)
	}
	return string(script)
}

// unfold makes the window as high as the page, so that bars at its edges cover nothing.
func (w *window) unfold() {
	w.t.Helper()
	size := run[[]int64](w, "[innerWidth, Math.max(innerHeight, document.documentElement.scrollHeight)]")
	call(w, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: size[0], Height: size[1], DeviceScaleFactor: 1})
	w.settle()
}

// picture writes a picture of the window.
func (c *consoleTest) picture(w *window, name string) {
	w.t.Helper()
	shot, err := try(w, page.CaptureScreenshot, page.CaptureScreenshotParams{})
	if err == nil {
		err = os.WriteFile(filepath.Join(c.pictures, name+".png"), shot.Data, 0o644)
	}
	if err != nil {
		w.t.Logf("picture %s: %v", name, err)
	}
}
