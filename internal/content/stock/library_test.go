// SPDX-License-Identifier: Apache-2.0

package stock_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit/stockapi"
)

// memory is a store whose calls can fail.
type memory struct {
	mu     sync.Mutex
	blobs  map[string][]byte
	times  map[string]time.Time
	clock  clock.PassiveClock
	broken bool
	puts   int
}

func (m *memory) Stat(_ context.Context, key string) (blob.Object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.blobs[key]; !ok {
		return blob.Object{}, fmt.Errorf("%s: %w", key, blob.ErrNotFound)
	}
	return blob.Object{Key: key, Modified: m.times[key]}, nil
}

func (m *memory) Get(_ context.Context, key string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.blobs[key]
	if !ok {
		return nil, fmt.Errorf("%s: %w", key, blob.ErrNotFound)
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

func (m *memory) Put(_ context.Context, key, _ string, r io.Reader) error {
	b, err := io.ReadAll(r)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken || err != nil {
		return errors.New("the disk is full")
	}
	m.puts++
	m.blobs[key], m.times[key] = b, m.clock.Now()
	return nil
}

type world struct {
	*stock.Library
	api   *stockapi.Server
	store *memory
	clock *clocktesting.FakePassiveClock
	log   *bytes.Buffer
}

// open returns a library with the named providers and the shared files of the installation.
func open(t *testing.T, providers string, shared ...stock.Item) *world {
	t.Helper()
	w := &world{
		api: stockapi.New(t), log: &bytes.Buffer{},
		clock: clocktesting.NewFakePassiveClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)),
	}
	w.store = &memory{blobs: map[string][]byte{}, times: map[string]time.Time{}, clock: w.clock}
	w.Library = w.replica(t, providers, shared...)
	return w
}

// replica returns another process with the same store and providers.
func (w *world) replica(t *testing.T, providers string, shared ...stock.Item) *stock.Library {
	t.Helper()
	c := stock.Config{
		BaseURL: "https://reels.example", Shared: func() []stock.Item { return shared }, Store: w.store, Clock: w.clock,
		Log: slog.New(slog.NewTextHandler(w.log, nil)),
	}
	for _, name := range strings.Fields(providers) {
		make := map[string]func(stock.Endpoint) (stock.Provider, error){
			"pexels": stock.NewPexels, "unsplash": stock.NewUnsplash, "pixabay": stock.NewPixabay,
		}[name]
		p, err := make(stock.Endpoint{BaseURL: w.api.URL + "/", Key: stockapi.Key, Clock: w.clock})
		if err != nil {
			t.Fatal(err)
		}
		c.Providers = append(c.Providers, p)
	}
	return stock.New(c)
}

func (w *world) search(t *testing.T, q stock.Query) stock.Page {
	t.Helper()
	if q.Page == 0 {
		q.Page = 1
	}
	if q.PerPage == 0 {
		q.PerPage = 20
	}
	p, err := w.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func refs(items []stock.Item) []string {
	var out []string
	for _, i := range items {
		out = append(out, i.Ref())
	}
	return out
}

func TestSearch_FindsStarterImages(t *testing.T) {
	w := open(t, "")
	p := w.search(t, stock.Query{Text: "Calm evening by the SEA", PerPage: 5})
	if p.Method != stock.MethodSemantic || len(p.Items) != 5 || p.Items[0].World != "ocean_waves" {
		t.Errorf("got %v by %s", refs(p.Items), p.Method)
	}
	first, _ := starter.ByID(p.Items[0].ExternalID)
	want := stock.Item{
		ID: first.Number, Provider: "starter", ExternalID: first.ID, Kind: "image", MediaType: "stock_image",
		Title: first.Title, Description: first.Description, Tags: first.Tags, World: first.World, Width: 1080, Height: 1920,
		ContentType: "image/jpeg", Status: "ready",
		URL:          "https://reels.example/stock/starter/" + first.ID + "-1080x1920.jpg",
		ThumbnailURL: "https://reels.example/stock/starter/" + first.ID + "-360x640.jpg",
	}
	if diff := cmp.Diff(want, p.Items[0]); diff != "" {
		t.Error(diff)
	}
	all := w.search(t, stock.Query{})
	if all.Method != stock.MethodRecent || all.Total != len(starter.All()) {
		t.Errorf("without words: got %d items by %s", all.Total, all.Method)
	}
}

func TestSearch_FindsSharedImports(t *testing.T) {
	avatar := stock.Item{
		ID: 41, Provider: stock.ProviderLibrary, ExternalID: "mia", Kind: stock.KindVideo, MediaType: stock.TypeAvatar,
		Title: "Mia", Tags: []string{"woman", "talking", "avatar"}, BlobKey: "media/reelops-system/u/file.mp4", Status: stock.StatusReady,
	}
	w := open(t, "pexels", avatar)
	for _, q := range []stock.Query{{MediaType: stock.TypeAvatar}, {MediaType: stock.TypeAvatar, Text: "talking lady"}} {
		if p := w.search(t, q); p.Total != 1 || len(p.Items) != 1 || p.Items[0].ID != 41 {
			t.Errorf("%+v: got %v", q, refs(p.Items))
		}
	}
	if i, ok, err := w.ByID(t.Context(), 41); err != nil || !ok || i.Ref() != "library:mia" {
		t.Errorf("item 41: got %v, %v, %v", i, ok, err)
	}
	if p := w.search(t, stock.Query{MediaType: "user_upload"}); p.Total != 0 || p.Items == nil && len(p.Items) != 0 {
		t.Errorf("user uploads: got %v", refs(p.Items))
	}
	if calls := w.api.Calls("pexels"); len(calls) != 0 {
		t.Errorf("Pexels, which has no avatars, got the requests %v", calls)
	}
}

func TestSearch_AlternatesProviders(t *testing.T) {
	w := open(t, "pexels unsplash pixabay")
	p := w.search(t, stock.Query{Text: "sea", MediaType: stock.TypeImage, PerPage: 6})
	want := []string{p.Items[0].Ref(), "pexels:1001", "unsplash:Un_1-x", "pixabay:9001", p.Items[4].Ref(), "pexels:1002"}
	if got := refs(p.Items); !slices.Equal(got, want) || !strings.HasPrefix(got[0], "starter-") || !strings.HasPrefix(got[4], "starter-") {
		t.Errorf("got the page %v", got)
	}
}

// The pages form the same list for any page size: without duplicates or gaps, and with the right total.
func TestSearch_Pages(t *testing.T) {
	w := open(t, "pexels unsplash pixabay")
	w.api.Has("pixabay", 7)
	w.api.Has("pexels/videos", 0)
	walk := func(per int) []string {
		var out []string
		for page := 1; ; page++ {
			p := w.search(t, stock.Query{Text: "sea", Page: page, PerPage: per})
			if len(p.Items) == 0 {
				if p.Total != len(out) {
					t.Errorf("got %d items by %d, the total is %d", len(out), per, p.Total)
				}
				return out
			}
			out = append(out, refs(p.Items)...)
		}
	}
	whole := walk(100)
	if sorted := slices.Compact(slices.Sorted(slices.Values(whole))); len(sorted) != len(whole) {
		t.Errorf("got %d items, %d of them distinct", len(whole), len(sorted))
	}
	for _, per := range []int{7, 33} {
		if diff := cmp.Diff(whole, walk(per)); diff != "" {
			t.Errorf("pages of %d: %s", per, diff)
		}
	}
	if n := len(w.api.Calls("pexels")); n > 6 {
		t.Errorf("Pexels got %d requests for 250 photos", n)
	}
	if far := w.search(t, stock.Query{Text: "sea", Page: 1 << 40, PerPage: 100}); len(far.Items) != 0 {
		t.Errorf("a page beyond the end: got %v", refs(far.Items))
	}
}

func TestGet_AtAnyReplica(t *testing.T) {
	w := open(t, "pexels unsplash pixabay")
	other := w.replica(t, "") // not even keys
	for _, i := range w.search(t, stock.Query{Text: "sea", PerPage: 30}).Items {
		got, ok, err := other.ByID(t.Context(), i.ID)
		if err != nil || !ok {
			t.Fatalf("%s: got %v, %v", i.Ref(), ok, err)
		}
		if diff := cmp.Diff(i, got); diff != "" {
			t.Error(diff)
		}
		if byRef, ok, err := other.ByRef(t.Context(), i.Ref()); err != nil || !ok || byRef.ID != i.ID {
			t.Errorf("%s: got %v, %v, %v", i.Ref(), byRef.ID, ok, err)
		}
	}
	puts := w.store.puts
	w.search(t, stock.Query{Text: "sea", PerPage: 30})
	if w.store.puts != puts {
		t.Errorf("the same items were recorded again")
	}
	if _, ok, err := other.ByID(t.Context(), 12345); ok || err != nil {
		t.Errorf("an unknown id: got %v, %v", ok, err)
	}
}

// A record in use stays younger than RecordTime, and a deleted one is written again.
func TestRecords_AreKeptWhileTheirItemsAreUsed(t *testing.T) {
	const day = 24 * time.Hour
	id := stock.IDOf("pexels", "1001")
	key := stock.RecordKey(id)
	for _, c := range []struct {
		why   string
		after time.Duration
		use   func(*world)
		fresh bool
	}{
		{"listed within half of the time", stock.RecordTime/2 - day, func(w *world) { w.search(t, stock.Query{Text: "sea"}) }, false},
		{"listed later", stock.RecordTime/2 + day, func(w *world) { w.search(t, stock.Query{Text: "sea"}) }, true},
		{"read later", stock.RecordTime/2 + day, func(w *world) { _, _, _ = w.ByID(t.Context(), id) }, true},
		{"another item read later", stock.RecordTime/2 + day, func(w *world) {
			_, _, _ = w.ByID(t.Context(), stock.IDOf("pexels", "1002"))
		}, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			w := open(t, "pexels")
			w.search(t, stock.Query{Text: "sea"})
			written := w.store.times[key]
			w.clock.SetTime(w.clock.Now().Add(c.after))
			c.use(w)
			want := written
			if c.fresh {
				want = w.clock.Now()
			}
			if got := w.store.times[key]; !got.Equal(want) {
				t.Errorf("the record is of %v, want %v", got, want)
			}
		})
	}
}

func TestRecords_DeletedOneIsWrittenWhenItIsListedAgain(t *testing.T) {
	id := stock.IDOf("pexels", "1001")
	listed := func(w *world) bool {
		w.search(t, stock.Query{Text: "sea"})
		_, ok := w.store.blobs[stock.RecordKey(id)]
		return ok
	}
	w := open(t, "pexels")
	listed(w)
	delete(w.store.blobs, stock.RecordKey(id))
	if _, ok, err := w.ByID(t.Context(), id); ok || err != nil {
		t.Errorf("got %t, %v for a deleted record", ok, err)
	}
	if !listed(w) {
		t.Error("the record of an item that was found to be unknown was not written")
	}
	delete(w.store.blobs, stock.RecordKey(id))
	w.clock.SetTime(w.clock.Now().Add(24 * time.Hour))
	if !listed(w) {
		t.Error("the record was not written after a day")
	}
}

func TestSearch_FullStore(t *testing.T) {
	w := open(t, "pexels")
	w.store.broken = true
	p := w.search(t, stock.Query{Text: "sea"})
	if len(p.Items) != 20 {
		t.Errorf("got %d items on the page", len(p.Items))
	}
	if !strings.Contains(w.log.String(), "ids are unknown until they are listed again") {
		t.Errorf("got the log %q", w.log)
	}
	w.store.broken = false
	w.search(t, stock.Query{Text: "sea"})
	if _, ok, _ := w.ByID(t.Context(), stock.IDOf("pexels", "1001")); !ok {
		t.Error("an item that was listed again is unknown")
	}
}

func TestGet_ForgedRecord(t *testing.T) {
	w := open(t, "")
	id := stock.IDOf("pexels", "1")
	for name, record := range map[string]string{
		"another item": `{"Provider":"pexels","ExternalID":"2","URL":"https://x.example/a.jpg","Width":1,"Height":1}`,
		"no URL":       `{"Provider":"pexels","ExternalID":"1","URL":"javascript:alert(1)","Width":1,"Height":1}`,
		"not a record": `[]`,
	} {
		w.store.blobs[fmt.Sprintf("stock/records/%d.json", id)] = []byte(record)
		if i, ok, err := w.ByID(t.Context(), id); ok || err == nil {
			t.Errorf("%s: got %v, %v, %v", name, i, ok, err)
		}
	}
}

func TestSearch_OmitsAFailingProvider(t *testing.T) {
	w := open(t, "pexels unsplash")
	w.api.Fail("pexels", http.StatusInternalServerError)
	p := w.search(t, stock.Query{Text: "sea", MediaType: stock.TypeImage})
	if p.Total < 250 || p.Total >= 500 || slices.ContainsFunc(p.Items, func(i stock.Item) bool { return i.Provider == "pexels" }) {
		t.Errorf("got %d items: %v", p.Total, refs(p.Items))
	}
	w.search(t, stock.Query{Text: "mountains", MediaType: stock.TypeImage})
	if n := len(w.api.Calls("pexels")); n != 1 {
		t.Errorf("got %d concurrent requests", n)
	}
	if n := strings.Count(w.log.String(), "pausing requests"); n != 1 || strings.Contains(w.log.String(), stockapi.Key) {
		t.Errorf("got the log %s", w.log)
	}
	w.api.Fail("pexels", 0)
	w.clock.SetTime(w.clock.Now().Add(31 * time.Second))
	if p := w.search(t, stock.Query{Text: "sea", MediaType: stock.TypeImage}); p.Total < 500 {
		t.Errorf("after the pause: got %d items", p.Total)
	}
}

func TestSearch_RespectsRateLimits(t *testing.T) {
	for provider, c := range map[string]struct {
		status int
		header []string
		wait   time.Duration
	}{
		"pexels":   {http.StatusTooManyRequests, []string{"Retry-After", "90"}, 90 * time.Second},
		"unsplash": {http.StatusForbidden, []string{"X-Ratelimit-Remaining", "0"}, time.Minute},
		"pixabay":  {http.StatusTooManyRequests, []string{"X-RateLimit-Reset", "45"}, 45 * time.Second},
	} {
		t.Run(provider, func(t *testing.T) {
			w := open(t, provider)
			w.api.Fail(provider, c.status, c.header...)
			q := stock.Query{Text: "sea", MediaType: stock.TypeImage}
			w.search(t, q)
			w.api.Fail(provider, 0)
			w.clock.SetTime(w.clock.Now().Add(c.wait - time.Second))
			w.search(t, q)
			if n := len(w.api.Calls(provider)); n != 1 {
				t.Errorf("got %d requests during the pause", n)
			}
			w.clock.SetTime(w.clock.Now().Add(2 * time.Second))
			w.search(t, q)
			if n := len(w.api.Calls(provider)); n != 2 {
				t.Errorf("got %d requests after the pause", n)
			}
		})
	}
}

func TestSearch_LastResponseOfAWindow(t *testing.T) {
	w := open(t, "pixabay")
	w.api.Fail("pixabay", 0, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "50")
	w.search(t, stock.Query{Text: "sea", MediaType: stock.TypeImage})
	if p := w.search(t, stock.Query{Text: "hills", MediaType: stock.TypeImage}); p.Total > 83 {
		t.Errorf("got %d items", p.Total)
	}
	if n := len(w.api.Calls("pixabay")); n != 1 {
		t.Errorf("got %d requests", n)
	}
}

func TestSearch_CachesByTheTerms(t *testing.T) {
	for provider, keep := range map[string]time.Duration{"pexels": time.Hour, "unsplash": time.Hour, "pixabay": 24 * time.Hour} {
		w := open(t, provider)
		q := stock.Query{Text: "sea", MediaType: stock.TypeImage, PerPage: 10}
		for range 3 {
			w.search(t, q)
		}
		w.clock.SetTime(w.clock.Now().Add(keep - time.Minute))
		w.search(t, q)
		if n := len(w.api.Calls(provider)); n != 1 {
			t.Errorf("%s: got %d requests within %s", provider, n, keep)
		}
		w.clock.SetTime(w.clock.Now().Add(2 * time.Minute))
		w.search(t, q)
		if n := len(w.api.Calls(provider)); n != 2 {
			t.Errorf("%s: got %d requests after %s", provider, n, keep)
		}
		w.api.Fail(provider, http.StatusBadGateway)
		w.clock.SetTime(w.clock.Now().Add(25 * time.Hour))
		if p := w.search(t, q); p.Total < 250 {
			t.Errorf("%s fails, and its cached response is not used: got %d items", provider, p.Total)
		}
	}
}

func TestSearch_CanceledCallerDoesNotAffectOthers(t *testing.T) {
	w := open(t, "pexels")
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := w.Search(gone, stock.Query{Text: "sea", Page: 1, PerPage: 10}); err == nil {
		t.Error("a canceled caller gets a page")
	}
	if p := w.search(t, stock.Query{Text: "sea"}); p.Total < 250 {
		t.Errorf("the next caller got %d items", p.Total)
	}
}

func TestProviders_Items(t *testing.T) {
	w := open(t, "pexels unsplash pixabay")
	at := w.api.URL + "/pictures/"
	for ref, want := range map[string]stock.Item{
		"pexels:1003": {
			Kind: "image", MediaType: "stock_image", Title: "Photo 3 of it", Tags: []string{}, Width: 4000, Height: 6000, ContentType: "image/jpeg",
			URL: at + "pexels-3.jpeg?auto=compress&cs=tinysrgb&dpr=2&h=1200&w=1080", ThumbnailURL: at + "pexels-3.jpeg?h=350",
			Attribution: &v1beta1.Attribution{Provider: "Pexels", Author: "Ana 3", AuthorURL: "https://www.pexels.com/@ana-3", License: "Pexels License"},
		},
		"pexels:video-5002": {
			Kind: "video", MediaType: "stock_video", Title: "Waves on a beach", Tags: []string{}, Width: 1080, Height: 1920, Duration: 12,
			ContentType: "video/mp4", Bytes: 123456, URL: at + "pexels-clip-2-1920.mp4", ThumbnailURL: at + "pexels-clip-2.jpeg",
			Attribution: &v1beta1.Attribution{Provider: "Pexels", Author: "Ben", AuthorURL: "https://www.pexels.com/@ben", License: "Pexels License"},
		},
		"unsplash:Un_4-x": {
			Kind: "image", MediaType: "stock_image", Title: "picture 4 of it", Tags: []string{"sea", "evening"}, Width: 3000, Height: 4500, ContentType: "image/jpeg",
			URL: at + "unsplash-4.jpg?fit=max&fm=jpg&h=2400&ixid=M3w&ixlib=rb-4.0.3&q=85&w=2160", ThumbnailURL: at + "unsplash-4.jpg?w=400",
			Attribution: &v1beta1.Attribution{
				Provider: "Unsplash", Author: "Cleo 4", AuthorURL: "https://unsplash.com/@cleo4?utm_medium=referral&utm_source=reelops", License: "Unsplash License",
			},
			Report: w.api.URL + "/photos/Un_4-x/download?ixid=M3w",
		},
		"pixabay:9005": {
			Kind: "image", MediaType: "stock_image", Title: "Sea, evening, calm water", Tags: []string{"sea", "evening", "calm water"}, Width: 3600, Height: 5400,
			ContentType: "image/jpeg", URL: at + "pixabay-5_1280.jpg", ThumbnailURL: at + "pixabay-5_640.jpg",
			Attribution: &v1beta1.Attribution{Provider: "Pixabay", Author: "Dora", AuthorURL: "https://pixabay.com/users/Dora-77/", License: "Pixabay Content License"},
		},
		"pixabay:video-9006": {
			Kind: "video", MediaType: "stock_video", Title: "Sea, waves", Tags: []string{"sea", "waves"}, Width: 1920, Height: 1080, Duration: 20, Bytes: 777777,
			ContentType: "video/mp4", URL: at + "pixabay-clip-6-medium.mp4", ThumbnailURL: at + "pixabay-clip-6-large.jpg",
			Attribution: &v1beta1.Attribution{Provider: "Pixabay", Author: "Dora", AuthorURL: "https://pixabay.com/users/Dora-77/", License: "Pixabay Content License"},
		},
	} {
		want.Provider, want.ExternalID, _ = strings.Cut(ref, ":")
		want.ID, want.Status = stock.IDOf(want.Provider, want.ExternalID), "ready"
		got, ok, err := w.ByRef(t.Context(), ref)
		if err != nil || !ok {
			t.Fatalf("%s: got %v, %v", ref, ok, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: got %s", ref, diff)
		}
	}
	for _, ref := range []string{"pexels:77", "pexels:video-1", "unsplash:nothing", "pixabay:3", "pixabay:video-3", "pexels:../curated", "other:1", "starter-x-01", ""} {
		if i, ok, err := w.ByRef(t.Context(), ref); ok || err != nil {
			t.Errorf("%q: got %v, %v", ref, i, err)
		}
	}
}

func TestUnsplash_ReportsDownloads(t *testing.T) {
	w := open(t, "unsplash pexels")
	i, _, err := w.ByRef(t.Context(), "unsplash:Un_4-x")
	if err != nil {
		t.Fatal(err)
	}
	w.Used(t.Context(), i)
	if calls := w.api.Calls("unsplash"); !slices.Contains(calls, "/photos/Un_4-x/download?ixid=M3w") {
		t.Errorf("Unsplash got the calls %v", calls)
	}
	i.Report = "https://elsewhere.example/steal"
	w.Used(t.Context(), i)
	if !strings.Contains(w.log.String(), "reporting the use") {
		t.Error("the key was sent to a host that is not Unsplash's")
	}
}

func TestSearch_InvalidResponses(t *testing.T) {
	for name, body := range map[string]string{
		"endless":      `{"total_results": 3, "photos": [` + strings.Repeat(`{"id": 1, "alt": "long"},`, 300_000),
		"an HTML page": `<html>`,
		"empty":        ``,
	} {
		p, err := stock.NewPexels(stock.Endpoint{Key: "k", HTTP: answers(body)})
		if err != nil {
			t.Fatal(err)
		}
		if f, err := p.Search(t.Context(), stock.KindImage, "sea", 1); err == nil {
			t.Errorf("%s: got %v", name, f)
		}
	}
	p, _ := stock.NewPexels(stock.Endpoint{Key: "k", HTTP: answers(`{"total_results": -4, "photos": [{"id": 1, "width": 5, "height": 5,
		"alt": "two\nlines\u0000", "src": {"original": "file:///etc/passwd"}}, {"id": 2, "width": 5, "height": 5, "photographer": "x",
		"src": {"original": "https://i.example/2.jpg", "medium": "javascript:alert(1)"}}]}`)})
	f, err := p.Search(t.Context(), stock.KindImage, "sea", 1)
	if err != nil || f.Total != 0 || len(f.Items) != 1 || f.Items[0].ExternalID != "2" || f.Items[0].ThumbnailURL != "" {
		t.Errorf("hostile items: got %+v, %v", f, err)
	}
}

type answers string

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(a))), Request: r}, nil
}

func TestProvider_NeedsAKeyAndAURL(t *testing.T) {
	for _, e := range []stock.Endpoint{{}, {Key: "k", BaseURL: "ftp://x"}, {Key: "k", BaseURL: "nowhere"}} {
		if _, err := stock.NewPixabay(e); err == nil {
			t.Errorf("%+v is accepted", e)
		}
	}
}
