// SPDX-License-Identifier: Apache-2.0

// Package stockapi simulates Pexels, Unsplash and Pixabay on loopback, for tests: their paths, field names, page
// limits, rate limits and errors, as far as Reelops uses them. The photos are generated and can be downloaded.
package stockapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Key is the API key that every provider accepts.
const Key = "stock-key-for-tests"

// Server serves all three providers at one address.
type Server struct {
	URL string

	mu     sync.Mutex
	counts map[string]int      // number of results of each provider and kind
	calls  map[string][]string // by provider: path and query, without the key
	faults map[string]fault
	broken bool
}

type fault struct {
	status int
	header map[string]string
}

// New starts the server, which stops with the test. Each provider has 250 photos and 90 clips for any query.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		calls: map[string][]string{}, faults: map[string]fault{},
		counts: map[string]int{"pexels": 250, "unsplash": 250, "pixabay": 250, "pexels/videos": 90, "pixabay/videos": 90},
	}
	m := http.NewServeMux()
	for path, h := range map[string]http.HandlerFunc{
		"GET /v1/search": s.pexelsPhotos, "GET /v1/curated": s.pexelsPhotos, "GET /v1/photos/{id}": s.pexelsPhoto,
		"GET /videos/search": s.pexelsVideos, "GET /videos/popular": s.pexelsVideos, "GET /videos/videos/{id}": s.pexelsVideo,
		"GET /search/photos": s.unsplashSearch, "GET /photos": s.unsplashList, "GET /photos/{id}": s.unsplashPhoto,
		"GET /photos/{id}/download": s.unsplashDownload,
		"GET /api/{$}":              s.pixabay, "GET /api/videos/{$}": s.pixabay,
		"GET /pictures/{name}": s.picture,
	} {
		m.HandleFunc(path, h)
	}
	h := httptest.NewServer(m)
	t.Cleanup(h.Close)
	s.URL = h.URL
	return s
}

// Has sets the number of results of "pexels", "unsplash", "pixabay", "pexels/videos" or "pixabay/videos".
func (s *Server) Has(what string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[what] = n
}

// Fail makes a provider respond with a status, and with headers in pairs, until Fail is called with 0.
func (s *Server) Fail(provider string, status int, header ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := map[string]string{}
	for i := 0; i+1 < len(header); i += 2 {
		h[header[i]] = header[i+1]
	}
	s.faults[provider] = fault{status, h}
}

// BreakPictures truncates every image in the middle.
func (s *Server) BreakPictures(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = on
}

// Calls returns the calls of a provider so far, or of "pictures".
func (s *Server) Calls(provider string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.calls[provider]...)
}

// begin records a call and reports whether to continue. It writes the error if not.
func (s *Server) begin(w http.ResponseWriter, r *http.Request, provider string, known bool) bool {
	q := r.URL.Query()
	q.Del("key")
	s.mu.Lock()
	s.calls[provider] = append(s.calls[provider], r.URL.Path+"?"+q.Encode())
	f := s.faults[provider]
	s.mu.Unlock()
	for k, v := range f.header {
		w.Header().Set(k, v)
	}
	if f.status != 0 {
		http.Error(w, "refused", f.status)
		return false
	}
	if !known {
		http.Error(w, "the key is not known", http.StatusUnauthorized)
	}
	return known
}

// window returns the numbers, counted from 1, of the results on the requested page.
func (s *Server) window(r *http.Request, what string, most int) (ids []int, total int) {
	s.mu.Lock()
	total = s.counts[what]
	s.mu.Unlock()
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	per, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
	per = min(per, most)
	for n := (page-1)*per + 1; n <= min(total, page*per); n++ {
		ids = append(ids, n)
	}
	return ids, total
}

func (s *Server) count(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[what]
}

type object = map[string]any

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func query(r *http.Request) string {
	q := r.URL.Query()
	if q.Has("q") {
		return q.Get("q")
	}
	return q.Get("query")
}

func (s *Server) pexelsKnows(r *http.Request) bool { return r.Header.Get("Authorization") == Key }

func (s *Server) pexelsOne(id int, about string) object {
	return object{
		"id": 1000 + id, "width": 4000, "height": 6000, "url": fmt.Sprintf("https://www.pexels.com/photo/%d/", 1000+id),
		"photographer": fmt.Sprintf("Ana %d", id), "photographer_url": fmt.Sprintf("https://www.pexels.com/@ana-%d", id), "photographer_id": id,
		"avg_color": "#6E633A", "liked": false, "alt": strings.TrimSpace(fmt.Sprintf("Photo %d of %s", id, about)),
		"src": object{
			"original": fmt.Sprintf("%s/pictures/pexels-%d.jpeg", s.URL, id), "medium": fmt.Sprintf("%s/pictures/pexels-%d.jpeg?h=350", s.URL, id),
		},
	}
}

func (s *Server) pexelsPhotos(w http.ResponseWriter, r *http.Request) {
	if !s.begin(w, r, "pexels", s.pexelsKnows(r)) {
		return
	}
	ids, total := s.window(r, "pexels", 80)
	photos := []object{}
	for _, id := range ids {
		photos = append(photos, s.pexelsOne(id, query(r)))
	}
	answer(w, object{"total_results": total, "page": 1, "per_page": len(ids), "photos": photos})
}

func (s *Server) pexelsPhoto(w http.ResponseWriter, r *http.Request) {
	if !s.begin(w, r, "pexels", s.pexelsKnows(r)) {
		return
	}
	id, _ := strconv.Atoi(r.PathValue("id"))
	if id -= 1000; id < 1 || id > s.count("pexels") {
		http.NotFound(w, r)
		return
	}
	answer(w, s.pexelsOne(id, "it"))
}

func (s *Server) pexelsClip(id int) object {
	file := func(quality, kind string, width, height any) object {
		return object{
			"id": id, "quality": quality, "file_type": kind, "width": width, "height": height, "size": 123456,
			"link": fmt.Sprintf("%s/pictures/pexels-clip-%d-%v.mp4", s.URL, id, height),
		}
	}
	return object{
		"id": 5000 + id, "width": 2160, "height": 3840, "duration": 12, "url": fmt.Sprintf("https://www.pexels.com/video/waves-on-a-beach-%d/", 5000+id),
		"image": fmt.Sprintf("%s/pictures/pexels-clip-%d.jpeg", s.URL, id), "user": object{"id": 1, "name": "Ben", "url": "https://www.pexels.com/@ben"},
		"video_files": []object{
			file("sd", "video/mp4", 540, 960), file("hd", "video/mp4", 1080, 1920), file("uhd", "video/mp4", 2160, 3840),
			file("hls", "application/x-mpegURL", nil, nil),
		},
	}
}

func (s *Server) pexelsVideos(w http.ResponseWriter, r *http.Request) {
	if !s.begin(w, r, "pexels", s.pexelsKnows(r)) {
		return
	}
	ids, total := s.window(r, "pexels/videos", 80)
	videos := []object{}
	for _, id := range ids {
		videos = append(videos, s.pexelsClip(id))
	}
	answer(w, object{"total_results": total, "page": 1, "per_page": len(ids), "videos": videos})
}

func (s *Server) pexelsVideo(w http.ResponseWriter, r *http.Request) {
	if !s.begin(w, r, "pexels", s.pexelsKnows(r)) {
		return
	}
	id, _ := strconv.Atoi(r.PathValue("id"))
	if id -= 5000; id < 1 || id > s.count("pexels/videos") {
		http.NotFound(w, r)
		return
	}
	answer(w, s.pexelsClip(id))
}

func (s *Server) unsplashKnows(r *http.Request) bool {
	return r.Header.Get("Authorization") == "Client-ID "+Key
}

func (s *Server) unsplashOne(id int, about string) object {
	name := fmt.Sprintf("Un_%d-x", id)
	return object{
		"id": name, "width": 3000, "height": 4500, "color": "#c0c0c0", "description": nil,
		"alt_description": strings.TrimSpace(fmt.Sprintf("picture %d of %s", id, about)),
		"urls": object{
			"raw": fmt.Sprintf("%s/pictures/unsplash-%d.jpg?ixid=M3w&ixlib=rb-4.0.3", s.URL, id), "small": fmt.Sprintf("%s/pictures/unsplash-%d.jpg?w=400", s.URL, id),
		},
		"links": object{"html": "https://unsplash.com/photos/" + name, "download_location": fmt.Sprintf("%s/photos/%s/download?ixid=M3w", s.URL, name)},
		"user":  object{"name": fmt.Sprintf("Cleo %d", id), "links": object{"html": fmt.Sprintf("https://unsplash.com/@cleo%d", id)}},
		"tags":  []object{{"type": "search", "title": "sea"}, {"type": "search", "title": "Evening"}},
	}
}

func (s *Server) unsplashSearch(w http.ResponseWriter, r *http.Request) {
	if !s.begin(w, r, "unsplash", s.unsplashKnows(r)) {
		return
	}
	ids, total := s.window(r, "unsplash", 30)
	results := []object{}
	for _, id := range ids {
		results = append(results, s.unsplashOne(id, query(r)))
	}
	answer(w, object{"total": total, "total_pages": (total + 29) / 30, "results": results})
}

func (s *Server) unsplashList(w http.ResponseWriter, r *http.Request) {
	if !s.begin(w, r, "unsplash", s.unsplashKnows(r)) {
		return
	}
	ids, _ := s.window(r, "unsplash", 30)
	photos := []object{}
	for _, id := range ids {
		photos = append(photos, s.unsplashOne(id, ""))
	}
	answer(w, photos)
}

func (s *Server) unsplashPhoto(w http.ResponseWriter, r *http.Request) {
	if !s.begin(w, r, "unsplash", s.unsplashKnows(r)) {
		return
	}
	var id int
	if _, err := fmt.Sscanf(r.PathValue("id"), "Un_%d-x", &id); err != nil || id > s.count("unsplash") {
		http.NotFound(w, r)
		return
	}
	answer(w, s.unsplashOne(id, "it"))
}

func (s *Server) unsplashDownload(w http.ResponseWriter, r *http.Request) {
	if s.begin(w, r, "unsplash", s.unsplashKnows(r)) {
		answer(w, object{"url": s.URL + "/pictures/unsplash.jpg"})
	}
}

func (s *Server) pixabay(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if !s.begin(w, r, "pixabay", q.Get("key") == Key) {
		return
	}
	what, one := "pixabay", s.pixabayOne
	if strings.HasPrefix(r.URL.Path, "/api/videos") {
		what, one = "pixabay/videos", s.pixabayClip
	}
	if q.Has("id") {
		id, _ := strconv.Atoi(q.Get("id"))
		if id -= 9000; id < 1 || id > s.count(what) {
			http.Error(w, "[ERROR 400] \"id\" is out of valid range.", http.StatusBadRequest)
			return
		}
		answer(w, object{"total": 1, "totalHits": 1, "hits": []object{one(id)}})
		return
	}
	if len([]rune(q.Get("q"))) > 100 {
		http.Error(w, "[ERROR 400] \"q\" is too long.", http.StatusBadRequest)
		return
	}
	ids, total := s.window(r, what, 200)
	if page, _ := strconv.Atoi(q.Get("page")); len(ids) == 0 && page > 1 {
		http.Error(w, "[ERROR 400] \"page\" is out of valid range.", http.StatusBadRequest)
		return
	}
	hits := []object{}
	for _, id := range ids {
		hits = append(hits, one(id))
	}
	answer(w, object{"total": 40 * total, "totalHits": total, "hits": hits})
}

func (s *Server) pixabayOne(id int) object {
	return object{
		"id": 9000 + id, "pageURL": fmt.Sprintf("https://pixabay.com/photos/sea-%d/", 9000+id), "type": "photo", "tags": "sea, Evening, calm water",
		"previewURL": s.URL + "/pictures/preview.jpg", "webformatURL": fmt.Sprintf("%s/pictures/pixabay-%d_640.jpg", s.URL, id), "webformatWidth": 640, "webformatHeight": 960,
		"largeImageURL": fmt.Sprintf("%s/pictures/pixabay-%d_1280.jpg", s.URL, id), "imageWidth": 3600, "imageHeight": 5400, "imageSize": 999999,
		"views": 1, "downloads": 1, "likes": 1, "comments": 1, "user_id": 77, "user": "Dora", "userImageURL": "",
	}
}

func (s *Server) pixabayClip(id int) object {
	size := func(name string, width, height int) object {
		return object{
			"url": fmt.Sprintf("%s/pictures/pixabay-clip-%d-%s.mp4", s.URL, id, name), "width": width, "height": height, "size": 777777,
			"thumbnail": fmt.Sprintf("%s/pictures/pixabay-clip-%d-%s.jpg", s.URL, id, name),
		}
	}
	return object{
		"id": 9000 + id, "pageURL": "https://pixabay.com/videos/id-1/", "type": "film", "tags": "sea, waves", "duration": 20, "user_id": 77, "user": "Dora",
		"videos": object{
			"large": size("large", 3840, 2160), "medium": size("medium", 1920, 1080), "small": size("small", 960, 540), "tiny": size("tiny", 640, 360),
		},
	}
}

// picture writes a portrait JPEG whose color depends on its name.
func (s *Server) picture(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.calls["pictures"] = append(s.calls["pictures"], r.URL.RequestURI())
	broken := s.broken
	s.mu.Unlock()
	name := r.PathValue("name")
	img := image.NewRGBA(image.Rect(0, 0, 300, 450))
	var h uint32 = 2166136261
	for _, c := range []byte(name) {
		h = (h ^ uint32(c)) * 16777619
	}
	for y := range 450 {
		for x := range 300 {
			img.Set(x, y, color.RGBA{uint8(h) &^ 7, uint8(h>>8) | uint8(y/4), uint8(h >> 16), 255})
		}
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, img, nil)
	body := b.Bytes()
	if broken {
		body = body[:len(body)/2]
	}
	w.Header().Set("Content-Type", "image/jpeg")
	_, _ = w.Write(body)
}
