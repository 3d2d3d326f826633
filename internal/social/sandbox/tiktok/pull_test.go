// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

func jpg(width, height int) []byte {
	var out bytes.Buffer
	_ = jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, width, height)), nil)
	return out.Bytes()
}

// tinyWebP is an image of one pixel.
const tinyWebP = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"

// shelf serves files by name.
func shelf(t *testing.T, files map[string][]byte) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		doc, ok := files[r.URL.Path]
		switch {
		case r.URL.Path == "/moved.jpg":
			http.Redirect(w, r, "/good.jpg", http.StatusFound)
		case r.URL.Path == "/cut.jpg":
			w.Header().Set("Content-Length", "1000000")
			_, _ = w.Write(files["/good.jpg"])
		case !ok:
			http.NotFound(w, r)
		default:
			_, _ = w.Write(doc)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func set(mode, privacy string, images ...string) string {
	return fmt.Sprintf(`{"media_type":"PHOTO","post_mode":%q,"post_info":{"title":"T","description":"D","privacy_level":%q},"source_info":{"source":"PULL_FROM_URL","photo_cover_index":0,"photo_images":["%s"]}}`,
		mode, privacy, strings.Join(images, `","`))
}

func TestPull_ValidatesImages(t *testing.T) {
	var pngs bytes.Buffer
	_ = png.Encode(&pngs, image.NewGray(image.Rect(0, 0, 100, 100)))
	webp, err := base64.StdEncoding.DecodeString(tinyWebP)
	if err != nil {
		t.Fatal(err)
	}
	whole := jpg(1080, 1350)
	at := shelf(t, map[string][]byte{
		"/good.jpg": whole, "/tall.jpg": jpg(1080, 1920), "/wide.jpg": jpg(1920, 1080), "/large.jpg": jpg(1200, 1200), "/long.jpg": jpg(1080, 1921),
		"/x.png": pngs.Bytes(), "/x.webp": webp, "/half.jpg": whole[:len(whole)/2], "/text.jpg": []byte("no picture"), "/empty.jpg": {},
		"/heavy.jpg": append(whole[:len(whole):len(whole)], make([]byte, maxPhoto)...),
	})
	for path, want := range map[string]string{
		"/good.jpg": "", "/tall.jpg": "", "/wide.jpg": "", "/x.webp": "",
		"/large.jpg": "picture_size_check_failed", "/long.jpg": "picture_size_check_failed",
		"/x.png": "file_format_check_failed", "/half.jpg": "file_format_check_failed", "/text.jpg": "file_format_check_failed", "/empty.jpg": "file_format_check_failed",
		"/moved.jpg": "photo_pull_failed", "/cut.jpg": "photo_pull_failed", "/gone.jpg": "photo_pull_failed", "/heavy.jpg": "photo_pull_failed",
	} {
		t.Run(path, func(t *testing.T) {
			r := newRig(t)
			a := r.post("/v2/post/publish/content/init/", set("DIRECT_POST", public, at+"/good.jpg", at+path))
			if a.status != 200 || a.Data.UploadURL != "" || !strings.HasPrefix(a.Data.PublishID, "p_pub_url~") {
				t.Fatalf("got %d %s %+v", a.status, a.code(), a.Data)
			}
			if s := r.status(a.Data.PublishID); s.Data.Status != processingDownload || *s.Data.Downloaded == 0 || s.Data.Uploaded != nil {
				t.Errorf("got %+v", s.Data)
			}
			r.clock.Step(5 * time.Second)
			if s := r.status(a.Data.PublishID); s.Data.FailReason != want || (s.Data.Status == complete) != (want == "") {
				t.Errorf("got %s %s, want %q", s.Data.Status, s.Data.FailReason, want)
			}
			landed := r.core.Landed(name)
			if (len(landed) == 1) != (want == "") {
				t.Fatalf("published %d times", len(landed))
			}
			if want == "" && (landed[0].Title != "T" || landed[0].Caption != "D" || len(landed[0].Files) != 2 || landed[0].Kind != photos) {
				t.Errorf("got %+v", landed[0])
			}
		})
	}
}

func TestPull_URLs(t *testing.T) {
	r := newRig(t)
	l := Default()
	l.Prefixes = []string{"https://media.example.com/posts/"}
	r.SetLimits(l)
	at := shelf(t, map[string][]byte{"/good.jpg": jpg(100, 100)})
	for address, want := range map[string]string{
		at + "/good.jpg":                        "ok",
		"http://localhost:1/x.jpg":              "ok",
		"https://elsewhere.invalid/x.jpg":       "url_ownership_unverified",
		"https://media.example.com/other/x.jpg": "url_ownership_unverified",
		"http://elsewhere.invalid/x.jpg":        "invalid_params",
		"https://192.0.2.1/x.jpg":               "invalid_params",
		"ftp://127.0.0.1/x.jpg":                 "invalid_params",
		"https://user@127.0.0.1/x.jpg":          "invalid_params",
		"":                                      "invalid_params",
	} {
		if a := r.post("/v2/post/publish/content/init/", set("DIRECT_POST", "SELF_ONLY", address)); a.code() != want {
			t.Errorf("%q: got %s, want %s", address, a.code(), want)
		}
	}
}

func TestPull_Video(t *testing.T) {
	r := newRig(t)
	at := shelf(t, map[string][]byte{"/film.mp4": good(t)})
	for path, want := range map[string]string{"/film.mp4": complete, "/gone.mp4": failed} {
		a := r.post("/v2/post/publish/video/init/", `{"post_info":`+nobody+`,"source_info":{"source":"PULL_FROM_URL","video_url":"`+at+path+`"}}`)
		r.clock.Step(5 * time.Second)
		if s := r.status(a.Data.PublishID); s.Data.Status != want || !strings.HasPrefix(a.Data.PublishID, "v_pub_url~") {
			t.Errorf("%s: got %s %+v", path, a.Data.PublishID, s.Data)
		}
	}
}

func TestCancel(t *testing.T) {
	r := newRig(t)
	at := shelf(t, map[string][]byte{"/good.jpg": jpg(100, 100)})
	cancel := func(id string) string { return r.post("/v2/post/publish/cancel/", `{"publish_id":"`+id+`"}`).code() }
	a := r.post("/v2/post/publish/content/init/", set("DIRECT_POST", public, at+"/good.jpg"))
	if got := cancel(a.Data.PublishID); got != "ok" {
		t.Errorf("while it is fetched: got %s", got)
	}
	if s := r.status(a.Data.PublishID); s.Data.Status != failed || s.Data.FailReason != "publish_cancelled" || len(r.core.Landed(name)) > 0 {
		t.Errorf("got %+v", s.Data)
	}
	b := r.post("/v2/post/publish/content/init/", set("DIRECT_POST", public, at+"/good.jpg"))
	r.clock.Step(5 * time.Second)
	for id, want := range map[string]string{
		a.Data.PublishID: "publish_not_cancellable", b.Data.PublishID: "publish_not_cancellable", r.published(nobody, good(t)): "publish_not_cancellable", "p": "invalid_publish_id",
	} {
		if got := cancel(id); got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
	if l := r.core.Landed(name); len(l) != 2 || l[0].Visibility != sandbox.Public {
		t.Errorf("got %+v", l)
	}
}
