// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/process/modelapi"
)

// Settings of the text model that a user may set in the environment.
const (
	envURL       = "REELOPS_LLM_URL"
	envModel     = "REELOPS_LLM_MODEL"
	envKeyFile   = "REELOPS_LLM_KEY_FILE"
	envOpenAIKey = "OPENAI_API_KEY"
	envOpenAIURL = "OPENAI_BASE_URL"

	// ollamaAddress is the default address of Ollama.
	ollamaAddress = "http://127.0.0.1:11434"
	// openAIModel is used with OPENAI_API_KEY when REELOPS_LLM_MODEL is not set.
	openAIModel = "gpt-4o-mini"
	// ollamaTime limits one request to a model that may run on the CPU alone.
	ollamaTime = 4 * time.Minute
)

// Values of --writer.
const (
	writerAuto    = "auto"
	writerOffline = "offline"
)

// writer is the configuration of the text model. The zero value is the offline writer.
type writer struct {
	url, model  string
	key         string // API key of the server; empty when it needs none
	keyFile     string // key file of the user; takes precedence over key
	timeout     time.Duration
	description string // one line that describes the writer, without the key
}

// findWriter returns the available text model: REELOPS_LLM_URL, else OpenAI if there is a key for it, else an Ollama
// with at least one model, else none. OPENAI_API_KEY is only used with the official address and with REELOPS_LLM_URL.
func findWriter(ctx context.Context, env func(string) string, ollama string) (writer, error) {
	model := env(envModel)
	if url := strings.TrimRight(env(envURL), "/"); url != "" {
		if model == "" {
			return writer{}, fmt.Errorf("%s is set: also set %s to the name of the text model", envURL, envModel)
		}
		return writer{
			url: url, model: model, key: env(envOpenAIKey), keyFile: env(envKeyFile), timeout: ollamaTime,
			description: fmt.Sprintf("texts are written by the model %s at the URL in %s", model, envURL),
		}, nil
	}
	hint := ""
	if key := env(envOpenAIKey); key != "" {
		// The key belongs to the address in OPENAI_BASE_URL.
		if other := strings.TrimRight(env(envOpenAIURL), "/"); other == "" || other == modelapi.DefaultBaseURL {
			if model == "" {
				model = openAIModel
			}
			return writer{
				url: modelapi.DefaultBaseURL, model: model, key: key, timeout: time.Minute,
				description: fmt.Sprintf("texts are written by the OpenAI model %s, with %s", model, envOpenAIKey),
			}, nil
		}
		hint = fmt.Sprintf("; %s is not used, because %s has another URL: set %s for it", envOpenAIKey, envOpenAIURL, envURL)
	}
	if names := ollamaModels(ctx, ollama); len(names) > 0 {
		if !slices.Contains(names, model) {
			model = names[0]
		}
		return writer{
			url: ollama + "/v1", model: model, timeout: ollamaTime, description: fmt.Sprintf("texts are written by the model %s of the Ollama at %s%s", model, ollama, hint),
		}, nil
	}
	return writer{description: "texts are written without a model: slides show only words of the context. " +
		"Start Ollama with a model, or set " + envOpenAIKey + " or " + envURL + hint}, nil
}

// ollamaModels returns the names of an Ollama's text models; none if it does not answer.
func ollamaModels(ctx context.Context, address string) []string {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second) // a local server answers at once or does not run
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/api/tags", nil)
	if err != nil {
		return nil
	}
	c := &http.Client{Transport: &http.Transport{Proxy: nil}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer c.CloseIdleConnections()
	res, err := c.Do(req)
	if err != nil {
		return nil
	}
	defer func() { _ = res.Body.Close() }()
	var tags struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&tags) != nil {
		return nil
	}
	var names []string
	for _, m := range tags.Models {
		if m.Name != "" && !strings.Contains(m.Name, "embed") {
			names = append(names, m.Name)
		}
	}
	return names
}

// managerArgs returns the flags of the manager. They are always set, so that the environment that the manager inherits
// cannot override them. The key is in a file that only its owner can read.
func (w writer) managerArgs(keyFile string) ([]string, error) {
	if err := os.Remove(keyFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("removing the previous key of the text model: %w", err)
	}
	args := []string{"--llm-url", w.url, "--llm-model", w.model}
	if w.url == "" {
		return append(args, "--llm-key-file", ""), nil
	}
	from := w.keyFile
	if from == "" && w.key != "" {
		if err := os.WriteFile(keyFile, []byte(w.key), 0o600); err != nil {
			return nil, fmt.Errorf("storing the key of the text model: %w", err)
		}
		from = keyFile
	}
	return append(args, "--llm-key-file", from, "--llm-timeout", w.timeout.String()), nil
}

// frontEndArgs returns the flags of the front end.
func (w writer) frontEndArgs() []string {
	if w.url == "" {
		return []string{"--llm-model", ""}
	}
	return []string{"--llm-model", w.model}
}

// childEnv returns the environment of the child processes. It has no API key: the key reaches the manager only through
// its file.
func childEnv() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, envOpenAIKey+"=") })
}
