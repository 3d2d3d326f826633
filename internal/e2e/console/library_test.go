// SPDX-License-Identifier: Apache-2.0

package console

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"
)

// grid returns the titles of the shorts that the library shows, in their order.
const grid = `[...document.querySelectorAll('[aria-label=Shorts] a')].map((a) => a.lastElementChild.textContent)`

// showsShorts waits until the library shows exactly these shorts.
func (w *window) showsShorts(want ...string) {
	w.t.Helper()
	w.eventually(waitTimeout, func() error {
		got, err := tryRun[[]string](w, grid)
		if err == nil && !slices.Equal(got, want) {
			err = fmt.Errorf("the library shows %q, want %q", got, want)
		}
		return err
	})
}

// clickOn clicks on the element that a selector finds. It is for elements whose role differs between browsers.
func (w *window) clickOn(selector string) {
	w.t.Helper()
	w.drag(selector, 0, 0)
}

// library searches titles, captions and slides, and orders the shorts.
func (c *consoleTest) library(t *testing.T) {
	a := api{c: c}
	for _, s := range []struct{ title, caption, heading string }{
		{"Zugspitze at dawn", "A walk.", "Start at five"},
		{"A lake in May", "Zugspitze is behind it.", "Bring bread"},
		{"Ten cafes", "Each with cake.", "View of the Zugspitze"},
	} {
		a.create(t, map[string]any{
			"title": s.title, "caption": s.caption, "slides": []map[string]any{{"heading": s.heading}},
		})
	}
	w := c.signedIn(t)
	w.search("Search", "Zugspitze")
	w.sees("list", "Shorts")
	// The title counts more than the slides and the caption.
	w.eventually(waitTimeout, func() error {
		got, err := tryRun[[]string](w, grid)
		if err == nil && (len(got) != 3 || got[0] != "Zugspitze at dawn") {
			err = fmt.Errorf("the library shows %q", got)
		}
		return err
	})
	w.choose("Order", "Newest first")
	w.showsShorts("Ten cafes", "A lake in May", "Zugspitze at dawn")
	w.choose("Order", "Oldest first")
	w.showsShorts("Zugspitze at dawn", "A lake in May", "Ten cafes")
	c.picture(w, "library-search")
	// Search and order are in the address.
	w.visit(run[string](w, "location.pathname + location.search"))
	w.showsShorts("Zugspitze at dawn", "A lake in May", "Ten cafes")
	w.search("Search", "bread Zugspitze")
	w.showsShorts("A lake in May")
	w.search("Search", "Matterhorn")
	w.reads("No short matches")
	w.click("link", "Show all shorts")
	w.eventually(waitTimeout, func() error {
		got, err := tryRun[[]string](w, grid)
		if err == nil && len(got) < 3 {
			err = fmt.Errorf("without a search the library shows %q", got)
		}
		return err
	})
}

// history opens the history of a short.
func (c *consoleTest) history(t *testing.T) {
	a := api{c: c}
	short := a.create(t, map[string]any{"slides": []map[string]any{{"heading": "One"}, {"heading": "Two"}}})
	w := c.signedIn(t)
	w.visit(fmt.Sprintf("/console/shorts/%d", short))
	path := fmt.Sprintf("GET /console/api/v1/shorts/%d/history", short)
	if n := w.sent(path); n > 0 {
		t.Errorf("the history was loaded %d times before it was opened", n)
	}
	w.clickOn("summary:has(h2)")
	w.sees("list", "Events, newest first")
	w.reads("Short requested")
	w.reads("Creation finished")
	first := run[string](w, `document.querySelector('[aria-label="Events, newest first"] li').innerText`)
	c.picture(w, "history")
	if first == "" {
		t.Error("the newest event has no text")
	}
	a.call(t, "PATCH", fmt.Sprintf("/slideshows/%d", short), map[string]any{"title": "Renamed"}, nil)
	w.visit(fmt.Sprintf("/console/shorts/%d", short))
	w.clickOn("summary:has(h2)")
	w.reads("Short changed")
}

// slidesDownload saves the slides of a short as one ZIP file.
func (c *consoleTest) slidesDownload(t *testing.T) {
	a := api{c: c}
	short := a.create(t, map[string]any{"slides": []map[string]any{{"heading": "One"}, {"heading": "Two"}}})
	w := c.signedIn(t)
	w.visit(fmt.Sprintf("/console/shorts/%d", short))
	// The browser stores no file in this test, so a script records what the page saves.
	run[bool](w, `(() => {
		const create = URL.createObjectURL;
		URL.createObjectURL = (blob) => {
			const reader = new FileReader();
			reader.onload = () => { window.saved = reader.result; };
			reader.readAsDataURL(blob);
			return create(blob);
		};
		return true;
	})()`)
	w.click("button", "Slides")
	var saved string
	w.eventually(waitTimeout, func() (err error) {
		if saved, err = tryRun[string](w, "window.saved ?? ''"); err == nil && saved == "" {
			err = errors.New("the page saved no file")
		}
		return err
	})
	file, err := base64.StdEncoding.DecodeString(after(saved, ","))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.File) != 2 {
		t.Fatalf("the ZIP file has %d files, want 2", len(archive.File))
	}
	for i, f := range archive.File {
		if want := fmt.Sprintf("slide-%02d.", i+1); !strings.HasPrefix(f.Name, want) {
			t.Errorf("file %d has the name %s, want %s*", i, f.Name, want)
		}
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		decode := jpeg.Decode
		if strings.HasSuffix(f.Name, ".png") {
			decode = png.Decode
		}
		if _, err := decode(content); err != nil {
			t.Errorf("%s is no image: %v", f.Name, err)
		}
	}
	w.check("download of the slides")
}

// tiktokRules checks what TikTok's content sharing guidelines require of the composer.
func (c *consoleTest) tiktokRules(t *testing.T) {
	a := api{c: c}
	c.sandboxApp(t, "/tiktok/app/accounts/acme/private", "/tiktok/app/accounts/acme/disable?interactions=duet")
	const brandName = "guidelines"
	c.program(t, "reelops", "brand", "create", brandName, "--account", account, "--display-name", "Guidelines")
	waitFor(t, func() bool {
		var brands []struct {
			ID   int64
			Name string
		}
		a.call(t, "GET", "/brands", nil, &brands)
		for _, b := range brands {
			if b.Name == "Guidelines" {
				a.brand = b.ID
			}
		}
		return a.brand != 0
	}, "the brand is listed")
	short := a.create(t, map[string]any{"slides": []map[string]any{{"heading": "One"}, {"heading": "Two"}}})
	a.connected(t, "tiktok", "acme")

	w := c.signedIn(t)
	run[bool](w, fmt.Sprintf(`localStorage.setItem('reelops.brand.%s', '%d'); true`, account, a.brand))
	w.visit(fmt.Sprintf("/console/shorts/%d/publish", short))
	w.sees("combobox", "Who can view this post")
	w.sees("region", "Acme Bikes") // the card has the nickname of the account as its name
	w.eventually(waitTimeout, func() error {
		if !run[bool](w, `[...document.querySelectorAll('section[aria-labelledby] img')].some((i) => i.naturalWidth > 0)`) {
			return fmt.Errorf("the picture of the account is not shown")
		}
		return nil
	})
	const audiences = `(() => {
		const list = [...document.querySelectorAll('select')]
			.find((s) => s.labels[0].textContent === 'Who can view this post');
		return {value: list.value, options: [...list.options].filter((o) => !o.disabled).map((o) => o.textContent)};
	})()`
	type offered struct {
		Value   string
		Options []string
	}
	want := []string{"Followers", "Friends (followers you follow back)", "Only you"}
	if got := run[offered](w, audiences); got.Value != "" || !slices.Equal(got.Options, want) {
		t.Errorf("the audiences are %+v, want none preselected of %q", got, want)
	}
	const checked = `[...document.querySelectorAll('fieldset input[type=checkbox]')].filter((i) => i.checked)
		.map((i) => i.labels[0].textContent)`
	// The short has no video, so its slides are posted: only comments can be allowed, and the photos are shown.
	w.sees("button", "Slide 1")
	if got := run[[]string](w, checked); len(got) > 0 {
		t.Errorf("%q are on by default", got)
	}
	disabled := func(label string) bool {
		t.Helper()
		return run[bool](w, `[...document.querySelectorAll('input[type=checkbox]')]
			.find((i) => i.labels[0].textContent.trim() === `+quote(label)+`).disabled`)
	}
	submit := func() bool { return run[bool](w, `!document.querySelector('main button[type=submit]').disabled`) }
	if got := run[int](w, `[...document.querySelectorAll('fieldset input[type=checkbox]')].length`); got != 1 {
		t.Errorf("a photo set has %d interactions, want comments only", got)
	}
	if submit() {
		t.Error("the post can be sent before an audience is chosen")
	}
	w.reads("By posting, you agree to TikTok's Music Usage Confirmation")
	w.click("checkbox", "Disclose commercial content")
	w.choose("Who can view this post", "Only you")
	w.reads("Choose whether the content promotes your brand, a third party, or both.")
	if submit() {
		t.Error("the post can be sent with a disclosure of nothing")
	}
	if !disabled("Branded content") {
		t.Error("branded content can be private")
	}
	w.click("checkbox", "Your brand")
	w.reads("Promotional content")
	w.choose("Who can view this post", "Followers")
	w.click("checkbox", "Branded content")
	w.reads("Paid partnership")
	w.reads("By posting, you agree to TikTok's Branded Content Policy and Music Usage Confirmation")
	if got := run[offered](w, audiences); slices.Contains(got.Options, "Only you") {
		t.Errorf("branded content can be private: %+v", got)
	}
	c.picture(w, "tiktok-rules")
	w.click("checkbox", "Disclose commercial content") // off
	w.choose("Who can view this post", "Only you")
	w.click("checkbox", "Disclose commercial content")
	w.reads("Choose whether the content promotes your brand, a third party, or both.")
	w.click("checkbox", "Disclose commercial content")
	w.eventually(waitTimeout, func() error {
		if !submit() {
			return fmt.Errorf("the post cannot be sent")
		}
		return nil
	})

	// Of a video, duets and stitches can be allowed too, except those that the account disabled.
	a.call(t, "POST", fmt.Sprintf("/slideshows/%d/render", short), map[string]any{"format": "video"}, nil)
	waitUntil(t, workTimeout, func() bool {
		var s struct {
			RenderStatus string `json:"render_status"`
		}
		a.call(t, "GET", fmt.Sprintf("/shorts/%d", short), nil, &s)
		return s.RenderStatus == "succeeded"
	}, "the video is rendered")
	w.visit(fmt.Sprintf("/console/shorts/%d/publish", short))
	w.sees("Video", "Video: ")
	w.sees("checkbox", "Stitch")
	if disabled("Comment") || !disabled("Duet") || disabled("Stitch") {
		t.Error("the interactions do not follow the settings of the account")
	}
	w.reads("The account has disabled it.")
	w.choose("Content", "Slides as photos")
	w.sees("button", "Slide 2")
}
