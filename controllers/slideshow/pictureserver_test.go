// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/imagery/ai"
)

// TestImages_OfAnHTTPServer creates a slideshow with an HTTP image server that is busy, fails, and returns invalid
// data. It returns one image as a URL and the others as data.
func TestImages_OfAnHTTPServer(t *testing.T) {
	st := newStage(t)
	orange := color.RGBA{R: 230, G: 120, B: 20, A: 255}
	plain := func() []byte {
		img := image.NewRGBA(image.Rect(0, 0, 108, 136))
		draw.Draw(img, img.Bounds(), image.NewUniform(orange), image.Point{}, draw.Src)
		var b bytes.Buffer
		_ = png.Encode(&b, img)
		return b.Bytes()
	}()
	var mu sync.Mutex
	var prompts []string
	good := 0
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/made/1.png" {
			_, _ = w.Write(plain)
			return
		}
		var in struct{ Prompt string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		mu.Lock()
		defer mu.Unlock()
		prompts = append(prompts, in.Prompt)
		w.Header().Set("Content-Type", "application/json")
		answer := func(data map[string]any) {
			good++
			_ = json.NewEncoder(w).Encode(map[string]any{"created": 1, "data": []any{data}})
		}
		switch len(prompts) {
		case 1:
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(http.StatusTooManyRequests)
		case 4:
			w.WriteHeader(http.StatusInternalServerError)
		case 5:
			_, _ = w.Write([]byte(`{"created":1,"data":[{"b64_json":"bm90IGEgcGljdHVyZQ=="}]}`))
		case 6:
			answer(map[string]any{"url": server.URL + "/made/1.png"})
		default:
			answer(map[string]any{"b64_json": base64.StdEncoding.EncodeToString(plain)})
		}
	}))
	defer server.Close()
	maker, err := ai.New(ai.Config{BaseURL: server.URL + "/v1", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	u := st.run(t, "server", &writer{}, 0, "", withAI(&imageModel{}, 20, true), func(u *run, _ *v1beta1.Account, s *v1beta1.Slideshow) {
		u.r.Pictures = maker
		s.Spec.ImageWorld = "cozy_interiors"
	})
	s := u.live()
	if s.Status.Work.State != v1beta1.WorkSucceeded || len(s.Status.Slides) != 3 {
		t.Fatalf("got work %+v", s.Status.Work)
	}
	u.hasUsed(1, 6)
	if good != 3 {
		t.Errorf("got %d images for three slides", good)
	}
	for i, p := range prompts {
		if !strings.Contains(p, "Cozy interiors") {
			t.Errorf("prompt %d lacks the image world:\n%s", i+1, p)
		}
	}
	for _, sl := range s.Status.Slides {
		img := st.picture(t, sl.Background.BlobKey)
		if b := img.Bounds(); b.Dx() != 1080 || b.Dy() != 1350 {
			t.Errorf("got a background of %v", b)
		}
		if r, g, b, _ := img.At(540, 675).RGBA(); r>>8 < 220 || g>>8 > 130 || b>>8 > 40 {
			t.Errorf("the background of slide %d is not the created image: %d %d %d", sl.ID, r>>8, g>>8, b>>8)
		}
	}
}
