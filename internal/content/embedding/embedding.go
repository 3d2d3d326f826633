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
	// DefaultQueryTime is the default limit on how long a search waits for the server.
	DefaultQueryTime = 1500 * time.Millisecond
	// learnTime is the timeout of a request for one batch of catalog texts.
	learnTime = time.Minute
	// rest is the time after a failure during which searches send no query to the server.
	rest = 30 * time.Second
	// firstWait and longestWait are the shortest and the longest delay between attempts to fetch catalog vectors.
	firstWait, longestWait = 2 * time.Second, 5 * time.Minute
	// maxQueries and maxKnown are the maximum numbers of cached query and catalog vectors, about 6 kB each. Beyond
	// maxQueries, the least recently used query is dropped. Beyond maxKnown, all catalog vectors are dropped.
	maxQueries, maxKnown = 500, 10_000
)

// Config configures a Model.
type Config struct {
	BaseURL string // the API address without "/embeddings"; empty for OpenAI's own
	APIKey  string // may be empty
	Name    string // model name
	// QueryTime limits how long a search waits for the server; 0 means DefaultQueryTime.
	QueryTime time.Duration
	HTTP      http.RoundTripper // nil for http.DefaultTransport
	Store     Store
	Clock     clock.Clock
	Log       *slog.Logger
}

// Model is an embedding model. It is safe for concurrent use. It fetches the vectors of catalog texts only while Run is
// running.
type Model struct {
	client    *client
	store     Store
	folder    string // key prefix in the store
	clock     clock.Clock
	log       *slog.Logger
	queryTime time.Duration
	wake      chan struct{}

	mu      sync.Mutex
	known   map[string]vector // vectors of catalog texts
	wanted  []string          // texts without a vector yet, in the order requested
	pending map[string]bool   // the texts in wanted
	resume  time.Time         // no query is sent before this time
	queries map[string]*list.Element
	recent  *list.List // least-recently-used list of *query, the most recent at the front
}

type query struct {
	text string
	is   vector
}

// New returns a model without making any request. It returns an error if the name is missing or the address is not
// usable.
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
		// Different servers may have different models under one name.
		folder: Vectors + hash(server.Host+"\x00"+c.Name) + "/",
		wake:   make(chan struct{}, 1), known: map[string]vector{}, pending: map[string]bool{},
		queries: map[string]*list.Element{}, recent: list.New(),
	}, nil
}

// Near returns the cosine of each text with the query, from -1 to 1. It returns false if there are no texts, and if the
// server does not return a matching vector of the query in time. It also returns false if texts have no vector yet, and
// schedules them for Run.
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
			m.log.Warn("size of embeddings changed: searching offline", "catalog", len(v), "query", len(q))
			return nil, false
		}
		out[i] = dot(q, v)
	}
	return out, true
}

// Want schedules texts for Run, so that their vectors are available to later searches.
func (m *Model) Want(texts []string) { m.Learn(texts) }

// Learn returns the vectors of the texts and true if all are available. Otherwise it schedules the missing ones for Run
// and returns false.
func (m *Model) Learn(texts []string) ([]vector, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]vector, len(texts))
	all := true
	for i, t := range texts {
		if out[i] = m.known[t]; out[i] == nil {
			all = false
			if !m.pending[t] {
				m.pending[t], m.wanted = true, append(m.wanted, t)
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

// query returns the vector of a query, from the cache or the server. It returns false if the server fails or failed
// recently.
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
		if ctx.Err() == nil { // do not pause if the caller's context ended
			m.mu.Lock()
			m.resume = m.clock.Now().Add(rest)
			m.mu.Unlock()
			m.log.Warn("requesting embeddings of a query failed: searching offline for a while", "for", rest.String(), "error", err.Error())
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

// Run fetches the vectors of scheduled texts until the context ends. After a failure it retries with exponential
// backoff.
func (m *Model) Run(ctx context.Context) {
	wait := firstWait
	for {
		did, err := m.learnSome(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			m.log.Warn("requesting embeddings of the catalog failed: retrying later", "in", wait.String(), "error", err.Error())
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

// learnSome loads or fetches the vectors of one batch of scheduled texts. It returns false if none are scheduled.
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
			m.log.Warn("reading stored embedding failed: requesting it again", "error", err.Error())
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
				m.log.Warn("storing embedding failed: it is requested again after a restart", "error", err.Error())
			}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wanted = m.wanted[len(texts):]
	if len(m.known) > maxKnown { // the catalog changed many times: bound the memory
		clear(m.known)
	}
	for t, v := range learned {
		m.known[t] = v
		delete(m.pending, t)
	}
	return true, nil
}
