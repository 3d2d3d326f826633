// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/process/modelapi"
)

const secret = "sk-of-the-user"

// ollama simulates Ollama, and fails the test if it receives the user's key.
func ollama(t *testing.T, answer string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range r.Header {
			if strings.Contains(strings.Join(values, " "), secret) {
				t.Errorf("%s contains the key", name)
			}
		}
		if r.URL.Path != "/api/tags" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestFindWriter(t *testing.T) {
	none := httptest.NewServer(http.NotFoundHandler())
	none.Close()
	two := ollama(t, `{"models":[{"name":"nomic-embed-text:latest"},{"name":"llama3.2:latest"},{"name":"qwen3:4b"}]}`)
	for name, c := range map[string]struct {
		env    map[string]string
		ollama string
		want   writer
		says   string
	}{
		"nothing":                              {nil, none.URL, writer{}, "without a model"},
		"an Ollama without models":             {nil, ollama(t, `{"models":[]}`), writer{}, "without a model"},
		"an Ollama with embedding models only": {nil, ollama(t, `{"models":[{"name":"mxbai-embed-large"}]}`), writer{}, "without a model"},
		"another program at the port":          {nil, ollama(t, `<html>`), writer{}, "without a model"},
		"an Ollama":                            {nil, two, writer{url: two + "/v1", model: "llama3.2:latest"}, "llama3.2:latest of the Ollama"},
		"an Ollama, with the model set":        {map[string]string{envModel: "qwen3:4b"}, two, writer{url: two + "/v1", model: "qwen3:4b"}, "qwen3:4b"},
		"an Ollama without that model":         {map[string]string{envModel: "other"}, two, writer{url: two + "/v1", model: "llama3.2:latest"}, "llama3.2"},
		"a key of OpenAI":                      {map[string]string{envOpenAIKey: secret}, two, writer{url: modelapi.DefaultBaseURL, model: openAIModel, key: secret}, "OpenAI"},
		"a key of OpenAI and its URL":          {map[string]string{envOpenAIKey: secret, envOpenAIURL: modelapi.DefaultBaseURL + "/"}, two, writer{url: modelapi.DefaultBaseURL, model: openAIModel, key: secret}, "OpenAI"},
		"a key of another service":             {map[string]string{envOpenAIKey: secret, envOpenAIURL: "https://proxy.example/v1"}, none.URL, writer{}, envOpenAIURL},
		"the same next to an Ollama":           {map[string]string{envOpenAIKey: secret, envOpenAIURL: "https://proxy.example/v1"}, two, writer{url: two + "/v1", model: "llama3.2:latest"}, envOpenAIURL},
		"a URL":                                {map[string]string{envURL: "http://127.0.0.1:1/v1/", envModel: "m"}, two, writer{url: "http://127.0.0.1:1/v1", model: "m"}, envURL},
		"a URL and a key":                      {map[string]string{envURL: "http://127.0.0.1:1/v1", envModel: "m", envOpenAIKey: secret}, two, writer{url: "http://127.0.0.1:1/v1", model: "m", key: secret}, envURL},
		"a URL and a key file":                 {map[string]string{envURL: "http://127.0.0.1:1/v1", envModel: "m", envKeyFile: "/k"}, two, writer{url: "http://127.0.0.1:1/v1", model: "m", keyFile: "/k"}, envURL},
	} {
		got, err := findWriter(t.Context(), func(n string) string { return c.env[n] }, c.ollama)
		if err != nil {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		if !strings.Contains(got.description, c.says) || strings.Contains(got.description, secret) {
			t.Errorf("%s: got output %q", name, got.description)
		}
		got.description, got.timeout = "", 0
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
	if _, err := findWriter(t.Context(), func(n string) string { return map[string]string{envURL: "http://127.0.0.1:1/v1"}[n] }, two); err == nil {
		t.Error("a URL without a model is accepted")
	}
}

func TestWriterArgs_KeyIsInAFileOfItsOwner(t *testing.T) {
	file := filepath.Join(t.TempDir(), "llm.key")
	args, err := writer{url: "https://x.example/v1", model: "m", key: secret}.managerArgs(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.Join(args, " "), secret) || !slices.Contains(args, file) {
		t.Errorf("got arguments %q", args)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info, err)
	}
	if args, err = (writer{}).managerArgs(file); err != nil || !slices.Equal(args, []string{"--llm-url", "", "--llm-model", "", "--llm-key-file", ""}) {
		t.Errorf("without a model: got %q, %v", args, err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the previous key is left: %v", err)
	}
	t.Setenv(envOpenAIKey, secret)
	if slices.ContainsFunc(childEnv(), func(v string) bool { return strings.Contains(v, secret) }) {
		t.Error("children inherit the key")
	}
}
