// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

const (
	// mostStreams is the maximum number of open event streams of a user in one process. A browser opens at most six
	// connections to a server over HTTP/1.1.
	mostStreams = 8
	// leastPause is the time between two events of a stream, at least.
	leastPause = time.Second
	// commentEvery is the time between two comment lines, which keep idle connections open. sessionEvery is the time
	// between two checks of the session.
	commentEvery = 15 * time.Second
	sessionEvery = 5 * time.Second
)

// streams counts the open event streams by user.
type streams struct {
	mu   sync.Mutex
	open map[string]int
}

// enter reports whether the user may open another stream. The caller must call release when it ends.
func (s *streams) enter(user string) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[user] >= mostStreams {
		return nil, false
	}
	s.open[user]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[user]--; s.open[user] == 0 {
			delete(s.open, user)
		}
	}, true
}

// events sends a short at once and after each change, as server-sent events. The stream ends with the session, when the
// server drains, or when the short can no longer be read.
func (h *Handler) events(w http.ResponseWriter, r *http.Request, s *session) error {
	if err := s.actsIn(r.URL.Query().Get(accountQuery)); err != nil {
		return err
	}
	id, err := strconv.ParseInt(r.URL.Query().Get("short_id"), 10, 64)
	if err != nil || id < 1 {
		return problem.New(catalog.BadRequest, problem.Details{"parameter": "short_id"}).
			Saying("short_id must be the id of a short.")
	}
	release, ok := h.streams.enter(s.User)
	if !ok {
		p := problem.New(catalog.RateLimited, problem.Details{"limit": mostStreams, "retry_after_seconds": 5})
		p.Message = fmt.Sprintf("You have %d open event streams, which is the maximum.", mostStreams)
		p.RetryAfter = 5 * time.Second
		return p
	}
	defer release()
	changed, stop := h.Reader.Index.Watch(s.Account, id) // before the first read, so that no change is missed
	defer stop()

	short := h.shortReader(r, s, id)
	first := short(r.Context())
	if first.Status != http.StatusOK {
		first.Write(w)
		return nil
	}
	head := w.Header()
	head.Set("Content-Type", "text/event-stream; charset=utf-8")
	head.Set("X-Accel-Buffering", "no") // nginx would collect events
	w.WriteHeader(http.StatusOK)
	stream := &stream{w: w, control: http.NewResponseController(w)}
	if stream.event("short", first.Body) != nil {
		return nil
	}
	h.follow(r.Context(), stream, s, changed, short)
	return nil
}

// follow sends the short after each change.
func (h *Handler) follow(
	ctx context.Context, to *stream, s *session, changed <-chan struct{}, short func(context.Context) *operation.Result,
) {
	comments, checks := time.NewTicker(commentEvery), time.NewTicker(sessionEvery)
	defer comments.Stop()
	defer checks.Stop()
	// paused is set for leastPause after an event. Meanwhile changes wait in their channel, where they are combined.
	paused := time.NewTimer(leastPause)
	defer paused.Stop()
	var waiting <-chan struct{}
	again := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.Draining:
			return
		case <-checks.C:
			if h.check(ctx, s) != nil {
				return
			}
			continue
		case <-comments.C:
			if to.comment() != nil {
				return
			}
			continue
		case <-paused.C:
			if waiting = changed; !again {
				continue
			}
		case <-waiting:
		}
		waiting, again = nil, false
		paused.Reset(leastPause)
		if h.check(ctx, s) != nil {
			return
		}
		switch out := short(ctx); {
		case out.Status == http.StatusOK:
			if to.event("short", out.Body) != nil {
				return
			}
		case out.Status == http.StatusTooManyRequests || out.Status >= http.StatusInternalServerError:
			again = true
			if seconds, err := strconv.Atoi(out.Header.Get("Retry-After")); err == nil {
				paused.Reset(max(leastPause, time.Duration(seconds)*time.Second))
			}
		default: // the short is deleted, or the user may no longer read it
			return
		}
	}
}

// shortReader returns a function that reads the short by its operation, as the user of the session. The brand is named
// by the query, because a browser sends no other headers for a stream.
func (h *Handler) shortReader(r *http.Request, s *session, id int64) func(context.Context) *operation.Result {
	sender := operation.Sender{
		BrandID: r.Header.Get("X-Brand-Id"), Address: limit.ClientAddress(r, h.TrustedProxies),
		Identify: h.identify(s, forEvents),
	}
	query := ""
	if brand := r.URL.Query().Get("brand_id"); brand != "" {
		query = url.Values{"brand_id": {brand}}.Encode()
	}
	request := operation.RequestID(r)
	return func(ctx context.Context) *operation.Result {
		out, done := h.API.Run(ctx, &operation.Call{
			Sender: sender, RequestID: request, Transport: Transport, Method: http.MethodGet,
			Path: "/api/v1/shorts/" + strconv.FormatInt(id, 10), Query: query,
		})
		done()
		return out
	}
}

// stream writes server-sent events.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// event sends the data of a response of the API as an event.
func (s *stream) event(name string, response []byte) error {
	var body struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(response, &body); err != nil {
		return err
	}
	var data bytes.Buffer // on one line
	if err := json.Compact(&data, body.Data); err != nil {
		return err
	}
	return s.send("event: " + name + "\ndata: " + data.String() + "\n\n")
}

func (s *stream) comment() error { return s.send(":\n\n") }

func (s *stream) send(text string) error {
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
