// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/content/embedding"
	"github.com/reelops/reelops/internal/content/meaning"
	"github.com/reelops/reelops/internal/content/wordnet"
)

// Settings are the operator's settings for stock. The front end and the manager take the same.
type Settings struct {
	Pexels, Unsplash, Pixabay ProviderSettings

	WordnetDir string

	EmbeddingsURL, EmbeddingsModel, EmbeddingsKeyFile string
}

// ProviderSettings are the address and the key file of a provider. A provider without a key is disabled.
type ProviderSettings struct{ URL, KeyFile string }

// ProviderFlags defines the flags of the providers.
func (s *Settings) ProviderFlags(f *flag.FlagSet) {
	for _, p := range []struct {
		name, title, usual string
		into               *ProviderSettings
	}{
		{ProviderPexels, "Pexels", PexelsURL, &s.Pexels},
		{ProviderUnsplash, "Unsplash", UnsplashURL, &s.Unsplash},
		{ProviderPixabay, "Pixabay", PixabayURL, &s.Pixabay},
	} {
		f.StringVar(&p.into.KeyFile, p.name+"-key-file", "",
			"file with the API key of "+p.title+", which enables its images as stock media; set it on the manager and the reelops-apiserver")
		f.StringVar(&p.into.URL, p.name+"-url", p.usual, "URL of the API of "+p.title)
	}
}

// SearchFlags defines the flags of the search by meaning.
func (s *Settings) SearchFlags(f *flag.FlagSet) {
	f.StringVar(&s.WordnetDir, "wordnet-dir", wordnet.Dir, "directory of the WordNet database (Debian: wordnet-base), with which stock media is searched by meaning")
	f.StringVar(&s.EmbeddingsURL, "embeddings-url", "", "base URL of an OpenAI-compatible embeddings API, with which stock media is searched instead of WordNet")
	f.StringVar(&s.EmbeddingsModel, "embeddings-model", "", "embeddings model")
	f.StringVar(&s.EmbeddingsKeyFile, "embeddings-key-file", "", "file with the API key of the embeddings API")
}

// Check returns an error if settings contradict each other.
func (s *Settings) Check() error {
	if s.EmbeddingsURL != "" && s.EmbeddingsModel == "" {
		return errors.New("--embeddings-url needs --embeddings-model")
	}
	return nil
}

// OpenProviders returns the providers with a configured key. It sends no request.
func (s *Settings) OpenProviders(c clock.PassiveClock) ([]Provider, error) {
	var out []Provider
	for _, p := range []struct {
		name string
		of   ProviderSettings
		open func(Endpoint) (Provider, error)
	}{
		{ProviderPexels, s.Pexels, NewPexels}, {ProviderUnsplash, s.Unsplash, NewUnsplash}, {ProviderPixabay, s.Pixabay, NewPixabay},
	} {
		if p.of.KeyFile == "" {
			continue
		}
		key, err := readKey(p.of.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("--%s-key-file: %w", p.name, err)
		}
		opened, err := p.open(Endpoint{BaseURL: p.of.URL, Key: key, Clock: c})
		if err != nil {
			return nil, err
		}
		out = append(out, opened)
	}
	return out, nil
}

// OpenWords opens the dictionary. If there is none, it logs a warning and the search uses only the built-in relations.
func (s *Settings) OpenWords(log *slog.Logger) *meaning.Words {
	d, err := wordnet.Open(s.WordnetDir)
	if err != nil {
		log.Warn("no WordNet database: stock search uses fewer words; install wordnet-base or set --wordnet-dir", "error", err.Error())
		d = nil
	}
	return meaning.NewWords(d, func(err error) { log.Warn("reading WordNet database failed", "error", err.Error()) })
}

// OpenModel returns the embedding model, or nil if none is configured. It sends no request.
func (s *Settings) OpenModel(store embedding.Store, c clock.Clock, log *slog.Logger) (*embedding.Model, error) {
	if s.EmbeddingsURL == "" {
		return nil, nil
	}
	var key string
	if s.EmbeddingsKeyFile != "" {
		var err error
		if key, err = readKey(s.EmbeddingsKeyFile); err != nil {
			return nil, fmt.Errorf("--embeddings-key-file: %w", err)
		}
	}
	return embedding.New(embedding.Config{
		BaseURL: s.EmbeddingsURL, APIKey: key, Name: s.EmbeddingsModel, Store: store, Clock: c, Log: log,
	})
}

func readKey(file string) (string, error) {
	b, err := os.ReadFile(file)
	key := strings.TrimSpace(string(b))
	if err == nil && key == "" {
		err = errors.New("the file is empty")
	}
	return key, err
}
