// SPDX-License-Identifier: Apache-2.0

package console

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// overlayState is a block of text of a stored slide.
type overlayState struct {
	ID         int64
	Text       string
	Color      string
	FontFamily string `json:"fontFamily"`
	Position   spot
}

// slideshow is a stored slideshow.
type slideshow struct {
	Revision int64
	Status   string
	Data     struct {
		Slides []struct {
			ID           int64
			TextOverlays []overlayState `json:"textOverlays"`
		}
	} `json:"type_data"`
}

// slides returns a slideshow when its slides are drawn.
func (a api) slides(t *testing.T, id int64) (s slideshow) {
	t.Helper()
	waitUntil(t, workTimeout, func() bool {
		s = slideshow{}
		a.call(t, http.MethodGet, fmt.Sprintf("/slideshows/%d", id), nil, &s)
		return s.Status == "success_slideshow" && len(s.Data.Slides) > 0
	}, "the slides are drawn")
	return s
}

// newSlides creates a slideshow of three slides.
func (a api) newSlides(t *testing.T) int64 {
	t.Helper()
	return a.create(t, map[string]any{"title": "Three streets", "design_style": "bold_center", "slides": []map[string]any{
		{"heading": "Three streets", "body": "Each in ten minutes"}, {"heading": "Harbour Lane"}, {"heading": "Mill Street"},
	}})
}

// editor opens the editor of a short, and waits until the preview of the first slide is drawn.
func (c *consoleTest) editor(t *testing.T, short int64) *window {
	t.Helper()
	w := c.signedIn(t)
	w.visit(fmt.Sprintf("/console/shorts/%d/edit", short))
	w.drawn()
	return w
}

// canvasPixels returns a number that depends on the pixels of the preview.
const canvasPixels = `(() => {
	const canvas = document.querySelector('section canvas[role=img]');
	if (!canvas) return 0;
	const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
	let sum = 1;
	for (let i = 0; i < data.length; i += 4) {
		sum = (sum * 31 + data[i] + 256 * data[i + 1] + 65536 * data[i + 2]) % 2147483647;
	}
	return sum;
})()`

// drawn waits until the preview has all changes, and returns canvasPixels.
func (w *window) drawn() (pixels float64) {
	w.t.Helper()
	w.settle()
	w.eventually(waitTimeout, func() error {
		var err error
		if pixels, err = tryRun[float64](w, canvasPixels); err == nil && pixels == 0 {
			err = errors.New("there is no preview")
		}
		return err
	})
	return pixels
}

// shows waits until the preview has these pixels.
func (w *window) shows(pixels float64, what string) {
	w.t.Helper()
	w.eventually(waitTimeout, func() error {
		if w.drawn() != pixels {
			return fmt.Errorf("%s shows another picture", what)
		}
		return nil
	})
}

// clickUntilDisabled clicks on a button with an icon until it is disabled. A text that is typed slowly, and a choice
// that passes others, are several changes.
func (w *window) clickUntilDisabled(label string) {
	w.t.Helper()
	const most = 50
	for range most {
		w.click("button", label)
		if run[bool](w, "document.querySelector('button[aria-label="+label+"]').disabled") {
			return
		}
	}
	w.t.Fatalf("%s is still possible after %d times", label, most)
}

// box is the selector of the first block of text on the stage.
func box(overlay int64) string { return fmt.Sprintf("[data-block='%d']", overlay) }

// edit changes a slide in every way, undoes and redoes, and saves.
func (c *consoleTest) edit(t *testing.T) {
	a := api{c: c}
	short := a.newSlides(t)
	before := a.slides(t, short)
	heading := before.Data.Slides[0].TextOverlays[0]
	w := c.editor(t, short)
	w.reads("All changes are saved")
	pictures := []float64{w.drawn()}
	changed := func(what string) {
		t.Helper()
		w.reads("Unsaved changes")
		next := w.drawn()
		if next == pictures[len(pictures)-1] {
			t.Errorf("the preview does not show the change of %s", what)
		}
		pictures = append(pictures, next)
	}
	w.drag(box(heading.ID), 0, -60)
	changed("the position")
	w.enter("Text", "Four quiet streets")
	changed("the text")
	w.choose("Font", "EB Garamond")
	changed("the font")
	w.enter("Color", "#FFE066")
	changed("the colour")
	c.picture(w, "editor")
	name := run[string](w, "document.querySelector("+quote(box(heading.ID))+").ariaLabel")
	if !strings.Contains(name, "Four quiet streets") {
		t.Errorf("the block on the stage is named %q", name)
	}

	w.click("button", "Undo")
	w.shows(pictures[len(pictures)-2], "undoing the colour")
	w.clickUntilDisabled("Undo")
	w.shows(pictures[0], "undoing everything")
	w.reads("All changes are saved")
	w.clickUntilDisabled("Redo")
	w.shows(pictures[len(pictures)-1], "redoing everything")

	// Below the safe zone the apps draw their own buttons.
	w.drag(box(heading.ID), 0, 350)
	w.reads("The server corrects this slide")
	w.reads("because the apps draw their buttons there")
	c.picture(w, "editor-corrections")
	w.eventually(waitTimeout, func() error {
		if w.drawn() != pictures[len(pictures)-1] {
			w.click("button", "Undo")
			return errors.New("undoing the drag shows another picture")
		}
		return nil
	})

	patch := fmt.Sprintf("PATCH /console/api/v1/slideshows/%d", short)
	if n := w.sent(patch); n != 0 {
		t.Errorf("%d requests changed the slideshow before it was saved", n)
	}
	w.click("button", "Save")
	w.reads("All changes are saved")
	after := a.slides(t, short)
	if n := w.sent(patch); n != 1 {
		t.Errorf("saving sent %d requests, want 1", n)
	}
	got := after.Data.Slides[0].TextOverlays[0]
	want := overlayState{heading.ID, "Four quiet streets", "#FFE066", "EB Garamond", got.Position}
	if got != want || got.Position.Y >= heading.Position.Y || math.Abs(got.Position.X-heading.Position.X) > 1 {
		t.Errorf("stored: %+v, before: %+v", got, heading)
	}
	if other := after.Data.Slides[1].TextOverlays[0]; other != before.Data.Slides[1].TextOverlays[0] {
		t.Errorf("another slide changed: %+v", other)
	}
	if after.Revision != before.Revision+1 {
		t.Errorf("saving made %d revisions, want 1", after.Revision-before.Revision)
	}
}

// editTogether edits one short in two windows.
func (c *consoleTest) editTogether(t *testing.T) {
	a := api{c: c}
	short := a.newSlides(t)
	before := a.slides(t, short)
	heading, body := before.Data.Slides[0].TextOverlays[0], before.Data.Slides[0].TextOverlays[1]
	first, second := c.editor(t, short), c.editor(t, short)
	first.clickOn(box(heading.ID))
	first.enter("Text", "The first user's heading")
	first.drawn()

	second.clickOn(box(body.ID))
	second.enter("Text", "The second user's text")
	second.drawn()
	second.click("button", "Save")
	second.reads("All changes are saved")

	first.reads("The slideshow was changed elsewhere while you edited it. Your changes are kept.")
	c.picture(first, "editor-conflict")
	if !run[bool](first, `[...document.querySelectorAll('button')].find((b) => b.textContent === 'Save').disabled`) {
		t.Error("the first user can overwrite the version of the second without seeing it")
	}
	a.slides(t, short)
	first.click("button", "Continue with the new version")
	first.drawn()
	first.reads("The second user's text")
	first.reads("Unsaved changes")
	first.click("button", "Save")
	first.reads("All changes are saved")
	after := a.slides(t, short).Data.Slides[0].TextOverlays
	if after[0].Text != "The first user's heading" || after[1].Text != "The second user's text" {
		t.Errorf("a change is lost: %+v", after)
	}
}

// editWithoutSession ends the session between the changes and the save.
func (c *consoleTest) editWithoutSession(t *testing.T) {
	a := api{c: c}
	short := a.newSlides(t)
	heading := a.slides(t, short).Data.Slides[0].TextOverlays[0]
	w := c.editor(t, short)
	w.clickOn(box(heading.ID))
	w.enter("Text", "Written before the session ended")
	w.drawn()

	other := c.signedIn(t)
	other.click("button", "appearance and sign-out")
	other.click("button", "Sign out everywhere")
	other.sees("dialog", "Sign out everywhere")
	other.expects("401 GET /console/session")
	// The page notices the end at any of its requests.
	w.tolerates = func(problem string) bool { return strings.HasPrefix(problem, "401 ") }
	other.click("button", "Sign out everywhere")
	other.sees("heading", "Sign in")

	w.eventually(waitTimeout, func() error {
		if _, err := w.find("dialog", "Your session ended"); err == nil {
			return nil
		}
		_, err := tryRun[bool](w, `[...document.querySelectorAll('button')].find((b) => b.textContent === 'Save')?.click();
			true`)
		return errors.Join(err, errors.New("the page does not notice the end of the session"))
	})
	tab := c.attach(t, w.ctx, func(*chromedp.Context) {})
	tab.visit(c.newLink(t))
	tab.sees("heading", "")
	w.click("button", "Continue")
	w.eventually(waitTimeout, func() error {
		if _, err := w.find("dialog", "Your session ended"); err == nil {
			return errors.New("the dialog is still open")
		}
		return nil
	})
	w.reads("Unsaved changes")
	w.click("button", "Save")
	w.reads("All changes are saved")
	if got := a.slides(t, short).Data.Slides[0].TextOverlays[0].Text; got != "Written before the session ended" {
		t.Errorf("stored: %q", got)
	}
	w.press(kb.Escape) // the question whether to render
}

// uploadResumes kills the front end while a file is uploaded.
func (c *consoleTest) uploadResumes(t *testing.T) {
	const side = 1700 // 8.7 MB, which take 17 seconds
	w := c.signedIn(t)
	w.visit("/console/media")
	call(w, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{DownloadThroughput: -1, UploadThroughput: 1 << 19}},
	})
	w.chooseFiles(c.image(t, "harbour at night.png", side))
	w.eventually(waitTimeout, func() error {
		text, err := tryRun[string](w, `document.querySelector('[aria-label=Uploads]')?.innerText ?? ''`)
		share, _ := strconv.Atoi(strings.TrimSpace(strings.Split(after(text, "\n"), "%")[0]))
		if err == nil && share < 20 {
			err = fmt.Errorf("the upload has not reached 20 %%: %q", text)
		}
		return err
	})
	// Requests fail while there is no front end.
	w.tolerates = func(problem string) bool {
		return strings.HasPrefix(problem, "net::ERR_") || strings.HasPrefix(problem, "50")
	}
	c.kill(t, "apiserver")
	w.readsWithin(workTimeout, "Uploaded")
	c.picture(w, "upload-resumed")
	w.click("button", "Remove harbour at night.png")
	w.visit("/console/media")
	w.click("button", "harbour at night")
	w.sees("dialog", "harbour at night")
	w.reads(fmt.Sprintf("%d × %d", side, side))
	if n := w.sent("POST /console/api/v1/media"); n == 0 {
		t.Error("the upload was not confirmed")
	}
}

// after returns the text after the first separator, or the whole text.
func after(text, separator string) string {
	if _, rest, ok := strings.Cut(text, separator); ok {
		return rest
	}
	return text
}

// kill kills a program of the stack. The program run starts everything again.
func (c *consoleTest) kill(t *testing.T, program string) {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		line, err := os.ReadFile(file)
		if err != nil {
			continue // the process has ended
		}
		args := strings.Split(string(line), "\x00")
		if filepath.Base(args[0]) != program || !strings.Contains(string(line), c.dir) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("the stack has no process %s", program)
}

// sandboxApp sends requests to endpoints of the sandbox that stand for actions in a platform's app.
func (c *consoleTest) sandboxApp(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		res, err := http.Post(strings.TrimRight(c.sandbox, "/")+path, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusNoContent {
			t.Fatalf("%s: %s", path, res.Status)
		}
	}
}
