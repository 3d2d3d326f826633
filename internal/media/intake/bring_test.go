// SPDX-License-Identifier: Apache-2.0

package intake

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/store/blob"
)

func TestPermit_OwnKeysOnly(t *testing.T) {
	for key, want := range map[string]bool{
		"imports/acme/a.mp4":            true,
		"imports/acme/deep/down/a.mp4":  true,
		"imports/acme/name with ü.mp4":  true,
		"imports/shared/a.mp4":          true,
		"uploads/acme/7":                true,
		"imports/acme/":                 false,
		"imports/acme":                  false,
		"imports/acmeother/a.mp4":       false,
		"imports/other/a.mp4":           false,
		"uploads/other/7":               false,
		"media/acme/uid/file.mp4":       false,
		"renders/acme/uid/a1/film.mp4":  false,
		"imports/acme/../other/a.mp4":   false,
		"imports/acme/./a.mp4":          false,
		"imports/acme//a.mp4":           false,
		"imports/shared/../other/a.mp4": false,
		"imports/acme/a\\b":             false,
		"imports/acme/a\nb":             false,
		"imports/acme/a\x00b":           false,
		"/imports/acme/a.mp4":           false,
		"":                              false,
	} {
		if got := MayRead("acme", key); got != want {
			t.Errorf("%q: got %v", key, got)
		}
	}
	// A namespace may have the name of the shared folder.
	if MayRead("shared", "imports/other/a.mp4") || !MayRead("shared", "imports/shared/a.mp4") {
		t.Error("a namespace named shared")
	}
}

func TestRemove_UploadsOfTheNamespaceOnly(t *testing.T) {
	for key, want := range map[string]string{
		"uploads/acme/7":     "uploads/acme/7",
		"uploads/other/7":    "",
		"imports/acme/7":     "",
		"uploads/acme/../x":  "",
		"imports/shared/a":   "",
		"media/acme/uid/x":   "",
		"uploads/acme/":      "",
		"uploads/acmeother/": "",
	} {
		if got := SourceUpload("acme", v1beta1.MediaSource{BlobKey: ptr.To(key)}); got != want {
			t.Errorf("%q: got %q", key, got)
		}
	}
	if got := SourceUpload("acme", v1beta1.MediaSource{URL: ptr.To("https://example.com/uploads/acme/7")}); got != "" {
		t.Errorf("a URL: got %q", got)
	}
}

func TestAttempts_RestartWithARetry(t *testing.T) {
	for before, want := range map[int32]int32{1: 4, 2: 4, 3: 4, 4: 7, 6: 7} {
		w := &v1beta1.Work{State: v1beta1.WorkFailed, Attempt: before}
		e, job, retried := &v1beta1.WorkError{}, "job", ""
		m := &v1beta1.MediaAsset{}
		m.Annotations = map[string]string{v1beta1.AnnotationRetry: "x"}
		f := &File{Object: m, Work: &w, Error: &e, JobName: &job, RetriedFor: &retried}
		f.begin(w)
		if w.Attempt != want || round(w) != 0 || w.State != v1beta1.WorkQueued || e != nil || job != "" || retried != "x" {
			t.Errorf("after attempt %d: got %+v, %q, %q", before, w, job, retried)
		}
	}
}

func TestFetch_EndsASlowImageSoonerThanAVideo(t *testing.T) {
	for _, c := range []struct {
		why   string
		time  time.Duration // time limit of the file
		takes time.Duration
		slow  bool
	}{
		{"an image in time", ImageFetchTime, ImageFetchTime, false},
		{"a slow image", ImageFetchTime, ImageFetchTime + time.Second, true},
		{"a video that takes longer than an image may", 0, DefaultFetchTime, false},
		{"a slow video", 0, DefaultFetchTime + time.Second, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			clock := clocktesting.NewFakeClock(time.Now())
			judged := make(chan struct{})
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = w.Write(make([]byte, 4<<10))
				w.(http.Flusher).Flush()
				<-judged
				clock.Step(c.takes)
				_, _ = w.Write(make([]byte, 4<<10))
				w.(http.Flusher).Flush()
				if c.slow {
					<-r.Context().Done() // the file is incomplete
				}
			}))
			defer s.Close()
			store, err := blob.Open(t.Context(), blob.Config{URL: "file://" + t.TempDir(), BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{1}, 32)})
			if err != nil {
				t.Fatal(err)
			}
			b := &Intake{Clock: clock, Store: store, Fetch: fetch.New(time.Minute, "127.0.0.1")}
			key, err := b.fetch(t.Context(), s.URL, "media/a/b/", func([]byte) (Kept, *Refusal) {
				close(judged)
				return Kept{ContentType: "image/png", Limit: catalog.MaxImageBytes, FetchTime: c.time}, nil
			})
			if !c.slow {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			refused, ok := errors.AsType[*Refusal](err)
			if !ok || !refused.Retryable || refused.Message != "The server is too slow" || key != "" {
				t.Fatalf("got key %q, error %v", key, err)
			}
		})
	}
}
