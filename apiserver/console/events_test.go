// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// event is a server-sent event.
type event struct {
	name string
	data map[string]any
}

// subscription is an open event stream.
type subscription struct {
	resp *http.Response
	// events has the events of the stream, and is closed when the stream ends.
	events chan event
}

// subscribe opens a stream of a short.
func (b *browser) subscribe(id string) *subscription {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.url+"/console/events?short_id="+id, nil)
	must(b.t, err)
	resp, err := b.http.Do(r) //nolint:bodyclose // close does so
	must(b.t, err)
	s := &subscription{resp: resp, events: make(chan event, 100)}
	b.t.Cleanup(s.close)
	go func() {
		defer close(s.events)
		e := event{}
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			line := lines.Text()
			if name, ok := strings.CutPrefix(line, "event: "); ok {
				e.name = name
			}
			if doc, ok := strings.CutPrefix(line, "data: "); ok {
				_ = json.Unmarshal([]byte(doc), &e.data)
			}
			if line == "" && e.name != "" {
				s.events <- e
				e = event{}
			}
		}
	}()
	return s
}

func (s *subscription) close() { _ = s.resp.Body.Close() }

// newShort creates a slideshow and returns it with its id.
func newShort(t *testing.T, account string) (*v1beta1.Slideshow, string) {
	t.Helper()
	id := nextID()
	s := testkit.Slideshow(account, "slideshow-"+id, "acme", "Sleep well.")
	s.Labels = map[string]string{v1beta1.LabelID: id, v1beta1.LabelBrand: "acme"}
	must(t, cluster.Client.Create(t.Context(), s))
	eventually(t, "the slideshow in the index", func() (bool, error) {
		_, _, ok := access.Index.Get(account, mustID(t, s))
		return ok, nil
	})
	return s, id
}

func mustID(t *testing.T, o client.Object) (id int64) {
	t.Helper()
	must(t, json.Unmarshal([]byte(o.GetLabels()[v1beta1.LabelID]), &id))
	return id
}

func TestEvents_SendTheShortAtOnceAndAfterChanges(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	b := signedIn(t, r, newUser(t, account, "reelops-viewer"), account)
	show, id := newShort(t, account)
	s := b.subscribe(id)
	if kind := s.resp.Header.Get("Content-Type"); kind != "text/event-stream; charset=utf-8" {
		t.Errorf("got %s", kind)
	}
	first := <-s.events
	if first.name != "short" || first.data["id"] != float64(mustID(t, show)) || first.data["status"] == nil {
		t.Fatalf("got %+v", first)
	}
	failure := &v1beta1.WorkError{Code: "generation_failed", Message: "No."}
	at := metav1.Now()
	show.Status.Work = &v1beta1.Work{
		State: v1beta1.WorkFailed, Attempt: 1, StartedAt: &at, FinishedAt: &at, Error: failure,
	}
	must(t, cluster.Client.Status().Update(t.Context(), show))
	for e := range s.events { // changes may be combined
		if e.data["status"] == "failed" {
			break
		}
	}

	b.call("DELETE", "/console/session?everywhere=true", nil).want(t, "sign out", http.StatusNoContent, "")
	for range s.events { // ends with the session
	}
}

func TestEvents_AreBoundedAndEndWhenTheServerDrains(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	user := newUser(t, account, "reelops-viewer")
	b := signedIn(t, r, user, account)
	_, id := newShort(t, account)
	var open []*subscription
	for range 8 {
		s := b.subscribe(id)
		<-s.events
		open = append(open, s)
	}
	b.get("/console/events?short_id="+id).want(t, "a ninth stream", http.StatusTooManyRequests, "rate_limited")
	other := signedIn(t, r, newUser(t, account, "reelops-viewer"), account).subscribe(id)
	<-other.events
	open[0].close()
	eventually(t, "room for a stream", func() (bool, error) {
		s := b.subscribe(id)
		return s.resp.StatusCode == http.StatusOK, nil
	})
	r.server.Drain()
	for range other.events {
	}
	for _, s := range open[1:] {
		for range s.events {
		}
	}
}

func TestEvents_RefuseWhatTheUserMayNotRead(t *testing.T) {
	r := newReplica(t, nil)
	mine, foreign := newAccount(t, "acme"), newAccount(t, "acme")
	b := signedIn(t, r, newUser(t, mine, "reelops-viewer"), mine)
	_, id := newShort(t, foreign)
	b.get("/console/events?short_id="+id).want(t, "a short of another account", http.StatusNotFound, "not_found")
	for _, query := range []string{"", "?short_id=", "?short_id=x", "?short_id=-1"} {
		b.get("/console/events"+query).want(t, query, http.StatusBadRequest, "bad_request")
	}
}
