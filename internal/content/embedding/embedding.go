// SPDX-License-Identifier: Apache-2.0

package embedding

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/process/modelapi"
)

const (
	// DefaultQueryTime bounds how long a search waits for the server.
	DefaultQueryTime = 1500 * time.Millisecond
	// learnTime bounds one batch.
	learnTime = time.Minute
	// rest is how long searches do without the server after it failed.
	rest = 30 * time.Second
	// firstWait and longestWait are between attempts to learn.
	firstWait, longestWait = 2 * time.Second, 5 * time.Minute
	// maxQueries and maxKnown are remembered, of some 6 kB each.
	maxQueries, maxKnown = 500, 10_000
)

// Config of a Model.
type Config struct {
	BaseURL string // ends before "/embeddings"; "" for OpenAI's own
	APIKey  string // may be empty
	Name    string // of the model
	// QueryTime bounds how long a search waits; 0 for DefaultQueryTime.
	QueryTime time.Duration
	HTTP      http.RoundTripper // nil for http.DefaultTransport
	Store     Store
	Clock     clock.Clock
	Log       *slog.Logger
}

// Model is one model; it is safe for concurrent use. Run has to run for it to learn texts.
type Model struct {
	client    *client
	store     Store
	folder    string // of the store
	clock     clock.Clock
	log       *slog.Logger
	queryTime time.Duration
	wake      chan struct{}

	mu      sync.Mutex
	known   map[string]vector // of catalog texts
	wanted  []string          // texts to learn, the first asked for first
	asked   map[string]bool   // those in wanted
	resume  time.Time         // queries are not asked before
	queries map[string]*list.Element
	recent  *list.List // of *query, the one used last at the front
}

type query struct {
	text string
	is   vector
}

// New makes a model; it makes no call. A missing name or an unusable address is an error.
func New(c Config) (*Model, error) {
	server, err := modelapi.Open(modelapi.Config{
		BaseURL: c.BaseURL, APIKey: c.APIKey, Model: c.Name, Timeout: learnTime, MaxAnswer: maxAnswer, HTTP: c.HTTP,
	})
	if err != nil {
		return nil, fmt.Errorf("embeddings: %w", err)
	}
	return &Model{
		client: &client{server: server, api: sdk.NewEmbeddingService(server.Options...), model: c.Name},
		store:  c.Store, clock: c.Clock, log: c.Log, queryTime: cmp.Or(c.QueryTime, DefaultQueryTime),
		// Servers may have different models under one name.
		folder: "stock/embeddings/" + hash(server.Host+"\x00"+c.Name) + "/",
		wake:   make(chan struct{}, 1), known: map[string]vector{}, asked: map[string]bool{},
		queries: map[string]*list.Element{}, recent: list.New(),
	}, nil
}

// Near gives the cosine of each text with the query, -1 to 1. It gives false when it does not know all texts yet, which it
// then learns, or when the server does not answer in time.
func (m *Model) Near(ctx context.Context, text string, texts []string) ([]float64, bool) {
	of, ok := m.Learn(texts)
	if !ok || len(texts) == 0 {
		return nil, false
	}
	q, ok := m.query(ctx, text)
	if !ok {
		return nil, false
	}
	out := make([]float64, len(texts))
	for i, v := range of {
		if len(v) != len(q) {
			m.log.Warn("embeddings have changed their size under the same name: searching offline", "catalog", len(v), "query", len(q))
			return nil, false
		}
		out[i] = dot(q, v)
	}
	return out, true
}

// Want has texts learned before anybody asks about them.
func (m *Model) Want(texts []string) { m.Learn(texts) }

// Learn gives the vectors of the texts when all are known; else it has them learned.
func (m *Model) Learn(texts []string) ([]vector, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]vector, len(texts))
	all := true
	for i, t := range texts {
		if out[i] = m.known[t]; out[i] == nil {
			all = false
			if !m.asked[t] {
				m.asked[t], m.wanted = true, append(m.wanted, t)
			}
		}
	}
	if !all {
		select {
		case m.wake <- struct{}{}:
		default:
		}
	}
	return out, all
}

// query gives the vector of a query.
func (m *Model) query(ctx context.Context, text string) (vector, bool) {
	m.mu.Lock()
	if e, ok := m.queries[text]; ok {
		m.recent.MoveToFront(e)
		m.mu.Unlock()
		return e.Value.(*query).is, true
	}
	resting := m.clock.Now().Before(m.resume)
	m.mu.Unlock()
	if resting {
		return nil, false
	}
	limited, cancel := context.WithTimeout(ctx, m.queryTime)
	defer cancel()
	v, err := m.client.embed(limited, []string{text})
	if err != nil {
		if ctx.Err() == nil { // not because the caller left
			m.mu.Lock()
			m.resume = m.clock.Now().Add(rest)
			m.mu.Unlock()
			m.log.Warn("embeddings of a query: searching offline for a while", "for", rest.String(), "error", err.Error())
		}
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.queries[text] == nil {
		m.queries[text] = m.recent.PushFront(&query{text, v[0]})
	}
	for m.recent.Len() > maxQueries {
		delete(m.queries, m.recent.Remove(m.recent.Back()).(*query).text)
	}
	return v[0], true
}

// Run learns the texts that are asked for until the context ends. After a failure it waits, longer each time.
func (m *Model) Run(ctx context.Context) {
	wait := firstWait
	for {
		did, err := m.learnSome(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			m.log.Warn("embeddings of the catalog: trying again later", "in", wait.String(), "error", err.Error())
			select {
			case <-m.clock.After(wait):
			case <-ctx.Done():
				return
			}
			wait = min(2*wait, longestWait)
		case did:
			wait = firstWait
		default:
			select {
			case <-m.wake:
			case <-ctx.Done():
				return
			}
		}
	}
}

// learnSome learns a batch of what is wanted; false when nothing is.
func (m *Model) learnSome(ctx context.Context) (bool, error) {
	m.mu.Lock()
	texts := append([]string(nil), m.wanted[:min(batch, len(m.wanted))]...)
	m.mu.Unlock()
	if len(texts) == 0 {
		return false, nil
	}
	learned := map[string]vector{}
	var ask []string
	for _, t := range texts {
		v, err := m.load(ctx, t)
		if err != nil && !errors.Is(err, errUnknown) {
			m.log.Warn("a stored embedding cannot be read and is asked for again", "error", err.Error())
		}
		if err != nil {
			ask = append(ask, t)
			continue
		}
		learned[t] = v
	}
	if len(ask) > 0 {
		ctx, cancel := context.WithTimeout(ctx, learnTime)
		defer cancel()
		vectors, err := m.client.embed(ctx, ask)
		if err != nil {
			return false, err
		}
		for i, t := range ask {
			learned[t] = vectors[i]
			if err := m.save(ctx, t, vectors[i]); err != nil {
				m.log.Warn("an embedding could not be stored: it is asked for again after a restart", "error", err.Error())
			}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wanted = m.wanted[len(texts):]
	if len(m.known) > maxKnown { // the catalog has changed over and over
		clear(m.known)
	}
	for t, v := range learned {
		m.known[t] = v
		delete(m.asked, t)
	}
	return true, nil
}
