// SPDX-License-Identifier: Apache-2.0

package stock_test

import (
	"bytes"
	"context"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/content/stock"
)

func settings(t *testing.T, args ...string) *stock.Settings {
	t.Helper()
	s := &stock.Settings{}
	f := flag.NewFlagSet("x", flag.ContinueOnError)
	s.ProviderFlags(f)
	s.SearchFlags(f)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOpen_ProvidersWithAKey(t *testing.T) {
	dir := t.TempDir()
	key, empty := filepath.Join(dir, "key"), filepath.Join(dir, "empty")
	for file, text := range map[string]string{key: "abc\n", empty: " \n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := settings(t, "--unsplash-key-file", key, "--pixabay-key-file", key).OpenProviders(clock.RealClock{})
	if err != nil || len(got) != 2 || got[0].Name() != "unsplash" || got[1].Name() != "pixabay" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, args := range [][]string{
		{"--pexels-key-file", filepath.Join(dir, "none")}, {"--pexels-key-file", empty}, {"--pexels-key-file", key, "--pexels-url", "nowhere"},
	} {
		if got, err := settings(t, args...).OpenProviders(clock.RealClock{}); err == nil {
			t.Errorf("%v is accepted: %v", args, got)
		}
	}
}

func TestOpen_MissingDictionary(t *testing.T) {
	var log bytes.Buffer
	words := settings(t, "--wordnet-dir", t.TempDir()).OpenWords(slog.New(slog.NewTextHandler(&log, nil)))
	l := stock.New(stock.Config{Words: words, Clock: clock.RealClock{}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	for range 3 {
		p, err := l.Search(t.Context(), stock.Query{Text: "sunset at the beach", Page: 1, PerPage: 5})
		if err != nil || len(p.Items) != 5 || p.Method != stock.MethodSemantic {
			t.Errorf("got %v by %s, %v", refs(p.Items), p.Method, err)
		}
	}
	if n := strings.Count(log.String(), "WordNet"); n != 1 {
		t.Errorf("the log mentions the dictionary %d times: %s", n, &log)
	}
}

func TestOpen_EmbeddingsNeedAModel(t *testing.T) {
	if err := settings(t, "--embeddings-url", "http://localhost:1/v1").Check(); err == nil {
		t.Error("an address without a model is accepted")
	}
	s := settings(t)
	if m, err := s.OpenModel(nil, clock.RealClock{}, slog.Default()); m != nil || err != nil || s.Check() != nil {
		t.Errorf("without an address: got %v, %v", m, err)
	}
	s = settings(t, "--embeddings-url", "http://localhost:1/v1", "--embeddings-model", "small")
	if m, err := s.OpenModel(nil, clock.RealClock{}, slog.Default()); m == nil || err != nil || s.Check() != nil {
		t.Errorf("with an address and a model: got %v, %v", m, err)
	}
}

// model matches a query with one title only, if it responds.
type model struct {
	title  string
	away   bool
	wanted int
}

func (m *model) Near(_ context.Context, _ string, texts []string) ([]float64, bool) {
	out := make([]float64, len(texts))
	for i, t := range texts {
		if strings.HasPrefix(t, m.title+".") {
			out[i] = 1
		}
	}
	return out, !m.away
}

func (m *model) Want(texts []string) { m.wanted = len(texts) }
func (m *model) Run(context.Context) {}

func TestSearch_UsesTheModel(t *testing.T) {
	m := &model{title: "Ember network"}
	l := stock.New(stock.Config{Vectors: m, Clock: clock.RealClock{}, Log: slog.New(slog.DiscardHandler)})
	l.Run(t.Context())
	first := func() string {
		p, err := l.Search(t.Context(), stock.Query{Text: "ocean waves", Page: 1, PerPage: 1})
		if err != nil || p.Method != stock.MethodSemantic || len(p.Items) != 1 {
			t.Fatalf("got %v by %s, %v", refs(p.Items), p.Method, err)
		}
		return p.Items[0].Title
	}
	if got := first(); got != m.title || m.wanted < 80 {
		t.Errorf("got %q first; %d texts were learned before", got, m.wanted)
	}
	m.away = true
	if got := first(); got == m.title {
		t.Errorf("got %q first, although the model does not respond", got)
	}
}
