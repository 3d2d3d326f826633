// SPDX-License-Identifier: Apache-2.0

package embedding

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/store/blob"
)

// server responds like an OpenAI-compatible one: texts with the same words are similar.
type server struct {
	mu     sync.Mutex
	inputs [][]string
	fail   func(w http.ResponseWriter) bool
	url    string
}

func serve(t *testing.T) *server {
	t.Helper()
	s := &server{}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Input          []string `json:"input"`
			Model          string   `json:"model"`
			EncodingFormat string   `json:"encoding_format"`
		}
		err := json.NewDecoder(r.Body).Decode(&body)
		if err != nil || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer sk-secret" || body.EncodingFormat != "float" {
			http.Error(w, `{"error": {"message": "bad request", "type": "invalid_request_error"}}`, http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		s.inputs = append(s.inputs, body.Input)
		fail := s.fail
		s.mu.Unlock()
		if fail != nil && fail(w) {
			return
		}
		var data []map[string]any
		for i := len(body.Input) - 1; i >= 0; i-- { // the index gives the order
			v := make([]float64, 8)
			v[7] = 0.1
			for k, word := range []string{"sea", "forest", "night", "gold", "city"} {
				v[k] = float64(strings.Count(body.Input[i], word))
			}
			data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": v})
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"object": "list", "data": data, "model": body.Model, "usage": map[string]any{"prompt_tokens": 1, "total_tokens": 1},
		})
	}))
	t.Cleanup(h.Close)
	s.url = h.URL + "/v1"
	return s
}

func (s *server) set(fail func(http.ResponseWriter) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = fail
}

func (s *server) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.inputs)
}

func refuse(w http.ResponseWriter) bool {
	http.Error(w, `{"error": {"message": "sk-secret is over quota", "type": "insufficient_quota", "code": "sk-secret"}}`, http.StatusTooManyRequests)
	return true
}

type store struct {
	mu    sync.Mutex
	blobs map[string][]byte
	full  bool
}

func (s *store) Get(_ context.Context, key string) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.blobs[key]
	if !ok {
		return nil, fmt.Errorf("%s: %w", key, blob.ErrNotFound)
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

func (s *store) Put(_ context.Context, key, _ string, r io.Reader) error {
	b, err := io.ReadAll(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full {
		return errors.New("the disk is full")
	}
	s.blobs[key] = b
	return err
}

type lab struct {
	*Model
	clock *clocktesting.FakeClock
	log   *bytes.Buffer
}

func model(t *testing.T, s *server, kept *store) *lab {
	t.Helper()
	l := &lab{clock: clocktesting.NewFakeClock(time.Unix(1_800_000_000, 0)), log: &bytes.Buffer{}}
	var err error
	l.Model, err = New(Config{
		BaseURL: s.url, APIKey: "sk-secret", Name: "small", QueryTime: 300 * time.Millisecond, Store: kept, Clock: l.clock,
		Log: slog.New(slog.NewTextHandler(l.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var texts = []string{"the sea at night", "a forest", "gold in the city"}

// learn does the work of Run until nothing is left.
func (l *lab) learn(t *testing.T) {
	t.Helper()
	for {
		more, err := l.learnSome(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return
		}
	}
}

func TestNear_SimilarTexts(t *testing.T) {
	s := serve(t)
	l := model(t, s, &store{blobs: map[string][]byte{}})
	if _, ok := l.Near(t.Context(), "night sea", texts); ok {
		t.Fatal("texts that were not requested are known")
	}
	l.learn(t)
	near, ok := l.Near(t.Context(), "night sea", texts)
	if !ok || near[0] < 0.98 || near[1] > 0.1 || near[2] > 0.1 {
		t.Errorf("got %v, %v", near, ok)
	}
	before := s.calls()
	if _, ok := l.Near(t.Context(), "night sea", texts); !ok || s.calls() != before {
		t.Error("the same query is sent again")
	}
}

func TestLearn_OnceForAllReplicas(t *testing.T) {
	s, kept := serve(t), &store{blobs: map[string][]byte{}}
	first := model(t, s, kept)
	first.Learn(texts)
	first.learn(t)
	again := model(t, s, kept)
	again.Learn(texts)
	again.learn(t)
	if _, ok := again.Learn(texts); !ok || s.calls() != 1 {
		t.Errorf("got %v after %d calls", ok, s.calls())
	}
	for key := range kept.blobs {
		kept.blobs[key] = []byte("spoilt")
	}
	spoilt := model(t, s, kept)
	spoilt.Learn(texts)
	spoilt.learn(t)
	if _, ok := spoilt.Learn(texts); !ok || s.calls() != 2 || !strings.Contains(spoilt.log.String(), "requesting it again") {
		t.Errorf("got %v after %d calls: %s", ok, s.calls(), spoilt.log)
	}
}

func TestNear_PausesAfterAFailure(t *testing.T) {
	s := serve(t)
	l := model(t, s, &store{blobs: map[string][]byte{}, full: true})
	l.Learn(texts)
	l.learn(t)
	for name, fail := range map[string]func(http.ResponseWriter) bool{
		"refused":      refuse,
		"an HTML page": func(w http.ResponseWriter) bool { _, _ = w.Write([]byte("<html>")); return true },
		"no vectors": func(w http.ResponseWriter) bool {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"data": []}`))
			return true
		},
		"no direction": func(w http.ResponseWriter) bool {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"data": [{"index": 0, "embedding": [0, 0]}]}`))
			return true
		},
		"another number of vectors": func(w http.ResponseWriter) bool {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"data": [{"index": 7, "embedding": [1, 0]}]}`))
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			l.clock.Step(time.Hour)
			s.set(fail)
			before := s.calls()
			for range 5 {
				if _, ok := l.Near(t.Context(), "city "+name, texts); ok {
					t.Fatal("got a result")
				}
			}
			if n := s.calls() - before; n != 1 {
				t.Errorf("got %d calls of the server", n)
			}
			s.set(nil)
			l.clock.Step(rest + time.Second)
			if _, ok := l.Near(t.Context(), "city "+name, texts); !ok {
				t.Error("the server is not called again after the pause")
			}
		})
	}
	if strings.Contains(l.log.String(), "sk-secret") {
		t.Errorf("the log contains the key: %s", l.log)
	}
}

func TestNear_DoesNotWaitForASlowServer(t *testing.T) {
	s := serve(t)
	l := model(t, s, &store{blobs: map[string][]byte{}})
	l.Learn(texts)
	l.learn(t)
	release := make(chan struct{})
	defer close(release)
	s.set(func(http.ResponseWriter) bool { <-release; return true })
	if _, ok := l.Near(t.Context(), "sea", texts); ok { // blocks forever if it waits
		t.Error("got a result")
	}
}

func TestLearn_ContinuesAfterAFailure(t *testing.T) {
	s := serve(t)
	l := model(t, s, &store{blobs: map[string][]byte{}})
	failures := make(chan struct{}, 10)
	s.set(func(w http.ResponseWriter) bool { failures <- struct{}{}; return refuse(w) })
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { l.Run(ctx); close(ended) }()
	l.Learn(texts)
	<-failures
	until(t, l.clock.HasWaiters)
	l.clock.Step(firstWait)
	<-failures
	s.set(nil)
	until(t, l.clock.HasWaiters)
	l.clock.Step(2 * firstWait)
	until(t, func() bool { _, ok := l.Learn(texts); return ok })
	stop()
	<-ended
}

// until polls for an action of another goroutine.
func until(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); !done(); {
		if time.Now().After(end) {
			t.Fatal("the condition is not met")
		}
		runtime.Gosched()
	}
}

func TestNew_Errors(t *testing.T) {
	for _, c := range []Config{{}, {Name: "m", BaseURL: "nowhere"}} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
