// SPDX-License-Identifier: Apache-2.0

package post

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/store/blob"
)

// files gives the world a store, with or without the file of the first post, and returns the store.
func (w *world) files(there bool) *blob.Store {
	w.t.Helper()
	s, err := blob.Open(w.t.Context(), blob.Config{URL: "file://" + w.t.TempDir(), BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		w.t.Fatal(err)
	}
	w.r.Store = s
	w.film(there)
	return s
}

func (w *world) film(there bool) {
	w.t.Helper()
	var err error
	if there {
		err = w.r.Store.Put(w.t.Context(), "shorts/tea.mp4", "video/mp4", strings.NewReader("film"))
	} else {
		err = w.r.Store.Delete(w.t.Context(), "shorts/tea.mp4")
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// reason returns the reason of the first post's condition Ready.
func (w *world) reason() v1beta1.Reason {
	c := meta.FindStatusCondition(w.post("post-1").Status.Conditions, string(v1beta1.ConditionReady))
	if c == nil {
		return ""
	}
	return v1beta1.Reason(c.Reason)
}

func (w *world) announced() (out []string) {
	for {
		select {
		case e := <-w.events.Events:
			out = append(out, e)
		default:
			return out
		}
	}
}

// inADay returns the objects of a post with a video that is due a day later. The preparation compares the file with a
// digest.
func inADay() []client.Object {
	at := noon.Add(24 * time.Hour)
	p := aPost("1", at)
	p.Spec.Media.SHA256 = strings.Repeat("0", 64)
	return []client.Object{socialAccount(), postBatch(at), p}
}

func TestMissingFile_IsReportedBeforeTheTimeAndHeals(t *testing.T) {
	w := newWorld(t, 0, none, inADay()...)
	w.files(false)
	after := func(d time.Duration) { w.until(d, func() bool { return false }) }
	after(time.Minute)
	if w.reason() != v1beta1.ReasonFileNotFound || w.post("post-1").Status.State != v1beta1.PostScheduled {
		t.Fatalf("%s: got status %+v", w.reason(), w.post("post-1").Status)
	}
	if got := w.announced(); len(got) != 1 || !strings.HasPrefix(got[0], "Warning FileNotFound ") {
		t.Errorf("got events %q", got)
	}
	w.film(true)
	after(2 * time.Minute)
	if w.reason() != v1beta1.ReasonScheduled || w.post("post-1").Status.Error != nil {
		t.Errorf("after the file was restored: got reason %s", w.reason())
	}
	w.film(false)
	after(fileCheckInterval + time.Minute)
	if w.reason() != v1beta1.ReasonFileNotFound {
		t.Errorf("after the file was lost again: got reason %s", w.reason())
	}
	writes := w.writes
	after(2 * time.Hour)
	if w.writes != writes {
		t.Errorf("got %d writes without changes", w.writes-writes)
	}
}

func TestMissingFile_FailsThePostWhenItIsDue(t *testing.T) {
	w := newWorld(t, 0, none, inADay()...)
	w.files(true)
	due := noon.Add(24 * time.Hour)
	w.until(due.Sub(noon)-prepareAhead-time.Minute, func() bool { return false })
	if w.reason() != v1beta1.ReasonScheduled {
		t.Fatalf("with the file: got reason %s", w.reason())
	}
	w.film(false) // after the last check and before the preparation
	w.until(20*time.Minute, func() bool { return false })
	if w.reason() != v1beta1.ReasonFileNotFound || w.ended() {
		t.Errorf("before its due time: %s, %+v", w.reason(), w.post("post-1").Status)
	}
	w.settle()
	p := w.post("post-1")
	if e := p.Status.Error; p.Status.State != v1beta1.PostFailed || e == nil || e.Code != string(catalog.ShortNotPostable) || w.clock.Now().Before(due) || w.landed("1") > 0 {
		t.Errorf("got status %+v", p.Status)
	}
}

// A store that does not respond proves nothing: the preparation reports it, if it persists.
func TestMissingFile_StoreThatDoesNotAnswer(t *testing.T) {
	w := newWorld(t, 0, none, inADay()...)
	s := w.files(false)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	w.until(time.Minute, func() bool { return false })
	if w.reason() != v1beta1.ReasonScheduled {
		t.Errorf("got reason %s", w.reason())
	}
}

// An account that is removed days before the post is due is reported at once. The post is published if it is connected
// again.
func TestRemovedAccount_IsReportedAtOnceAndHeals(t *testing.T) {
	objects := inADay()
	objects[2].(*v1beta1.Post).Spec.Media.SHA256 = ""
	w := newWorld(t, 0, none, objects...)
	after := func(d time.Duration) { w.until(d, func() bool { return false }) }
	after(time.Minute)
	w.announced()
	a := socialAccount()
	if err := w.live.Delete(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	w.r.wakeAccount(a) // the watch on accounts
	after(time.Second)
	if w.reason() != v1beta1.ReasonSocialAccountNotFound || w.ended() {
		t.Fatalf("%s: got status %+v", w.reason(), w.post("post-1").Status)
	}
	if got := w.announced(); len(got) != 1 || !strings.HasPrefix(got[0], "Warning SocialAccountNotFound ") {
		t.Errorf("got events %q", got)
	}
	a = socialAccount()
	if err := w.live.Create(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	w.r.wakeAccount(a)
	after(time.Second)
	if w.reason() != v1beta1.ReasonScheduled || w.post("post-1").Status.Error != nil {
		t.Errorf("after the account was reconnected: got reason %s", w.reason())
	}
	w.settle()
	w.once(t)
}
