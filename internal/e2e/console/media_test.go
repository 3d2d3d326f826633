// SPDX-License-Identifier: Apache-2.0

package console

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// image writes a picture of noise, so that it does not compress, and returns its path.
func (c *consoleTest) image(t *testing.T, name string, side int) string {
	t.Helper()
	noise := image.NewRGBA(image.Rect(0, 0, side, side))
	random := rand.New(rand.NewPCG(1, uint64(side)))
	for i := range noise.Pix {
		noise.Pix[i] = byte(random.Uint32())
		if i%4 == 3 {
			noise.Pix[i] = 255
		}
	}
	path := filepath.Join(t.TempDir(), name)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(file, noise), file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// chooseFiles chooses files in the dialog that the button of the upload area opens.
func (w *window) chooseFiles(files ...string) {
	w.t.Helper()
	call(w, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true})
	opened := make(chan page.EventFileChooserOpened, 1)
	if err := chromedp.Listen(w.ctx, func(event any) {
		if e, ok := event.(*page.EventFileChooserOpened); ok {
			select {
			case opened <- *e:
			default:
			}
		}
	}); err != nil {
		w.t.Fatal(err)
	}
	w.click("button", "Choose files")
	select {
	case e := <-opened:
		call(w, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: files, BackendNodeID: e.BackendNodeID})
	case <-time.After(waitTimeout):
		w.t.Fatal("the button opens no dialog for files")
	}
}

// upload uploads a file over a slow connection.
func (c *consoleTest) upload(t *testing.T) {
	w := c.signedIn(t)
	w.visit("/console/media")
	// The page replaces the progress quickly, so a script records what it shows.
	run[bool](w, `window.progress = []; new MutationObserver(() => {
		const text = document.querySelector('[aria-label=Uploads]')?.innerText ?? '';
		if (text !== window.progress.at(-1)) window.progress.push(text);
	}).observe(document.body, {subtree: true, childList: true, characterData: true}); true`)
	call(w, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{DownloadThroughput: -1, UploadThroughput: 1 << 20}},
	})
	w.chooseFiles(c.image(t, "autumn leaves.png", 1000))
	w.sees("progressbar", "Upload of autumn leaves.png")
	w.reads("Uploaded")
	var shares []int
	for _, text := range run[[]string](w, "window.progress") {
		if m := regexp.MustCompile(`(\d+) %`).FindStringSubmatch(text); m != nil {
			share, _ := strconv.Atoi(m[1])
			shares = append(shares, share)
		}
	}
	between, last := 0, 0
	for _, share := range shares {
		if share > 0 && share < 100 {
			between++
		}
		if share < last {
			t.Errorf("the progress goes back: %v", shares)
		}
		last = share
	}
	if between == 0 {
		t.Errorf("the page shows no progress between start and end: %v", shares)
	}
	w.click("button", "Remove autumn leaves.png") // from the list of uploads
	w.sees("list", "Media")
	w.click("button", "autumn leaves")
	w.sees("dialog", "autumn leaves")
	w.reads("1000 × 1000")
	c.picture(w, "uploaded")
}

// musicPlays plays the tracks before one is chosen. They play after a click only, and one at a time.
func (c *consoleTest) musicPlays(t *testing.T) {
	var tracks []struct {
		ID    int64
		Title string
	}
	waitUntil(t, workTimeout, func() bool {
		api{c: c}.call(t, http.MethodGet, "/background_music", nil, &tracks)
		return len(tracks) > 1
	}, "there are tracks")
	w := c.signedIn(t)
	w.visit("/console/create")
	w.clickOn("form details summary")
	w.click("button", "Listen to the tracks")
	w.sees("dialog", "Music")
	w.settle()
	const players = `[...document.querySelectorAll('audio')].map((a) => a.currentSrc)`
	if got := run[[]string](w, players); len(got) != 1 || got[0] != "" {
		t.Errorf("before a click the players have the sources %q, want one player without a source", got)
	}
	for i, track := range tracks[:2] {
		w.click("button", "Play "+track.Title)
		w.sees("button", "Pause "+track.Title)
		w.eventually(waitTimeout, func() error {
			playing, err := tryRun[bool](w, "(() => { const a = document.querySelector('audio'); "+
				"return !a.paused && a.currentTime > 0; })()")
			if err == nil && !playing {
				err = errors.New("the player does not play")
			}
			return err
		})
		if n := run[int](w, `document.querySelectorAll('[aria-label^="Pause "]').length`); n != 1 {
			t.Errorf("after click %d, %d tracks play, want 1", i+1, n)
		}
	}
	for _, width := range widths {
		w.size(width)
		for _, scheme := range schemes {
			name := fmt.Sprintf("music-%d-%s", width, scheme)
			w.scheme(scheme)
			w.settle()
			c.picture(w, name)
			w.fits(name)
			w.accessible(name)
		}
	}
	w.click("button", "Use "+tracks[1].Title)
	w.gone("dialog", "Music")
	chosen := run[string](w, `[...document.querySelectorAll('select')]
		.find((s) => s.labels[0].textContent === 'Music').value`)
	if want := fmt.Sprint(tracks[1].ID); chosen != want {
		t.Errorf("the form has the track %s, want %s", chosen, want)
	}
	w.check("music")
}

// cancel cancels a scheduled post in the calendar.
func (c *consoleTest) cancel(t *testing.T) {
	a := api{c: c}
	short, tiktok := a.anyVideo(t), a.connected(t, "tiktok", "maya")
	at := time.Now().Add(26 * time.Hour)
	body := tiktokPost(short, tiktok, at)
	body["caption"] = "This post will be cancelled"
	post := a.schedule(t, body)
	w := c.signedIn(t)
	w.visit("/console/calendar?view=month&day=" + at.UTC().Format(time.DateOnly))
	w.click("button", "This post will be cancelled")
	w.sees("dialog", "TikTok")
	w.click("button", "Cancel post")
	w.sees("dialog", "Cancel this post")
	c.picture(w, "cancel")
	w.press("\x1b") // Escape keeps the post
	w.eventually(waitTimeout, func() error {
		if _, err := w.find("dialog", "Cancel this post"); err == nil {
			return errors.New("Escape does not close the question")
		}
		return nil
	})
	w.click("button", "Cancel post")
	w.sees("dialog", "Cancel this post")
	w.click("button", "Cancel post")
	w.reads("The post is cancelled")
	w.reads("Cancelled")
	var is struct{ Status string }
	a.call(t, "GET", fmt.Sprintf("/posts/%d", post), nil, &is)
	if is.Status != "cancelled" {
		t.Errorf("the post is %s, want cancelled", is.Status)
	}
}
