// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// watched is the page's report of one moment: the image as red, green, blue and alpha, or an error.
type watched struct {
	Frame  int    `json:"frame"`
	Pixels []int  `json:"pixels"`
	Error  string `json:"error"`
	Ended  bool   `json:"ended"`
	// Seconds and Width are the browser's values for the video.
	Seconds float64 `json:"seconds"`
	Width   int     `json:"width"`
}

// page seeks to one frame after the other, forward and back, reports each image, and plays the video to its end.
const page = `<!doctype html><video id=v muted src=/film.mp4 preload=auto></video><script>
const say = o => fetch('/said', {method: 'POST', body: JSON.stringify(o)});
const until = (v, e) => new Promise((yes, no) => { v.addEventListener(e, yes, {once: true}); v.addEventListener('error', () => no(v.error.message), {once: true}); });
// A seek is over before its picture is on the screen: only the picture's own time says which one is.
const shown = (v, n) => new Promise(yes => {
  const look = (_, m) => Math.abs(m.mediaTime * 30 - n) < 0.5 ? yes() : v.requestVideoFrameCallback(look);
  v.requestVideoFrameCallback(look);
});
(async () => {
  const v = document.getElementById('v');
  try {
    if (v.readyState < 3) await until(v, 'canplay');
    const c = document.createElement('canvas');
    c.width = %[1]d; c.height = %[2]d;
    const g = c.getContext('2d', {willReadFrequently: true});
    for (const n of %[3]s) {
      const there = shown(v, n);
      v.currentTime = (n + 0.5) / 30;
      await there;
      g.drawImage(v, 0, 0, c.width, c.height);
      await say({frame: n, pixels: Array.from(g.getImageData(0, 0, c.width, c.height).data), seconds: v.duration, width: v.videoWidth});
    }
    v.currentTime = Math.max(v.duration - 3, 0);
    const ended = until(v, 'ended');
    await v.play();
    await ended;
    await say({ended: true});
  } catch (e) { await say({error: String(e)}); }
})();
</script>`

// TestFilm_PlaysInABrowser seeks to held images, captions, moving images and cross-fades in headless Chromium, and
// compares the displayed images with ffmpeg's.
func TestFilm_PlaysInABrowser(t *testing.T) {
	needFFmpeg(t)
	browser, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Skip("run the tests with `make test`, which installs chromium-headless-shell")
	}
	tl, paths := captioned(t)
	tl.Clips[0].Frames = 200 // longer than a group of pictures
	tl.Clips[2].Background.Input = "c"
	dark := photo(180, 320, 7)
	for i := range dark.Pix {
		if i%4 != 3 {
			dark.Pix[i] /= 3
		}
	}
	paths["c"] = writePNG(t, dark)
	film := filepath.Join(t.TempDir(), "film.mp4")
	if _, err := Film(t.Context(), tl, paths, film, Options{CRF: 12}); err != nil {
		t.Fatal(err)
	}
	seen := look(t, browser, film, []int{0, 150, 3, 12, 30, 199, 198, 240, 277, 210, 282, tl.Frames() - 1, 100, 290, 60})
	var before []byte
	for _, s := range seen {
		want := pictureAt(t, film, s.Frame)
		if d := apart(s.Pixels, want); d > 5 {
			t.Errorf("frame %d: the browser shows another image than ffmpeg, %.1f levels apart", s.Frame, d)
		}
		if s.Width != 180 || s.Seconds < float64(tl.Frames())/30-0.04 || s.Seconds > float64(tl.Frames())/30+0.1 {
			t.Errorf("the browser reports %d pixels of width and %.3f s", s.Width, s.Seconds)
		}
		if s.Frame == 290 || s.Frame == 100 { // the compared images must differ
			if before != nil && apart(s.Pixels, before) < 15 {
				t.Error("the slides of this video look the same: the test proves nothing")
			}
			before = want
		}
	}
}

// look displays frames of a video in a browser and returns the reports.
func look(t *testing.T, browser, film string, frames []int) []watched {
	t.Helper()
	list, err := json.Marshal(frames)
	if err != nil {
		t.Fatal(err)
	}
	speechLike := make(chan watched, len(frames)+1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, page, lookW, lookH, list)
	})
	mux.HandleFunc("GET /film.mp4", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, film) })
	mux.HandleFunc("POST /said", func(_ http.ResponseWriter, r *http.Request) {
		var one watched
		if err := json.NewDecoder(r.Body).Decode(&one); err != nil {
			one.Error = err.Error()
		}
		speechLike <- one
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	ctx, stop := context.WithTimeout(t.Context(), 4*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--autoplay-policy=no-user-gesture-required", "--user-data-dir="+t.TempDir(), server.URL)
	// The program is a script that starts the browser: a group ends whole.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		stop()
		_ = cmd.Wait()
	}()
	var all []watched
	for {
		select {
		case one := <-speechLike:
			switch {
			case one.Error != "":
				t.Fatalf("the browser cannot play it: %s", one.Error)
			case one.Ended:
				if len(all) != len(frames) {
					t.Fatalf("got %d of %d images", len(all), len(frames))
				}
				return all
			}
			all = append(all, one)
		case <-ctx.Done():
			t.Fatalf("the browser reported nothing more after %d of %d images", len(all), len(frames))
		}
	}
}

// lookW and lookH are the size at which images are compared.
const lookW, lookH = 45, 80

// pictureAt returns a frame of a video as decoded by ffmpeg.
func pictureAt(t *testing.T, film string, n int) []byte {
	t.Helper()
	out, err := exec.Command("ffmpeg", "-v", "error", "-i", film, "-vf",
		"select=eq(n\\,"+strconv.Itoa(n)+"),scale="+strconv.Itoa(lookW)+":"+strconv.Itoa(lookH)+":flags=area+accurate_rnd:in_color_matrix=bt709:in_range=tv,format=rgba",
		"-frames:v", "1", "-f", "rawvideo", "-").Output()
	if err != nil || len(out) != 4*lookW*lookH {
		t.Fatalf("frame %d: %d bytes, %v", n, len(out), err)
	}
	return out
}

// apart returns the mean difference of two images, in levels of 256.
func apart(a []int, b []byte) float64 {
	sum := 0
	for i := range min(len(a), len(b)) {
		sum += max(a[i]-int(b[i]), int(b[i])-a[i])
	}
	return float64(sum) / float64(min(len(a), len(b))) * 4 / 3 // the fourth level is coverage, the same everywhere
}
