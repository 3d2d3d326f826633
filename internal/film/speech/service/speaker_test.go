// SPDX-License-Identifier: Apache-2.0

package service_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/film/speech/service"
	"github.com/reelops/reelops/internal/film/speech/voices"
)

const key = "sk-very-secret"

// wav returns a file of n bytes of sound whose header declares the given length.
func wav(n int, promised uint32) []byte {
	b := append([]byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\x3e\x00\x00\x00\x7d\x00\x00\x02\x00\x10\x00data\x00\x00\x00\x00"), make([]byte, n)...)
	binary.LittleEndian.PutUint32(b[4:], promised)
	binary.LittleEndian.PutUint32(b[40:], promised)
	return b
}

func speaker(t *testing.T, change func(*service.Config), answer http.HandlerFunc) *service.Speaker {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	c := service.Config{BaseURL: server.URL + "/v1", APIKey: key, Model: "m"}
	if change != nil {
		change(&c)
	}
	s, err := service.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSpeak_SendsRequestsOfOpenAI(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*service.Config)
		request speech.Request
		want    map[string]any
	}{
		"as configured": {nil, speech.Request{Text: "Hi there!"}, map[string]any{"model": "m", "input": "Hi there!", "voice": "alloy", "response_format": "wav"}},
		"another voice": {
			func(c *service.Config) { c.Voice, c.Format = "nova", "flac" },
			speech.Request{Text: "Hallo <b>", Language: "de", Voice: "onyx"},
			map[string]any{"model": "m", "input": "Hallo <b>", "voice": "onyx", "response_format": "flac"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got map[string]any
			s := speaker(t, c.change, func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost || r.URL.Path != "/v1/audio/speech" || r.Header.Get("Authorization") != "Bearer "+key {
					t.Errorf("got %s %s %s", r.Method, r.URL, r.Header)
				}
				if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
					t.Error(err)
				}
				_, _ = w.Write(wav(100, 100))
			})
			a, err := s.Speak(t.Context(), c.request)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if a.ContentType != "audio/wav" || len(a.Data) != 144 {
				t.Errorf("got %s of %d bytes", a.ContentType, len(a.Data))
			}
		})
	}
}

func TestSpeak_RejectsAnUnknownVoice(t *testing.T) {
	named := func(c *service.Config) { c.Voices = []voices.Voice{{Name: "alloy"}, {Name: "nova"}} }
	s := speaker(t, named, func(http.ResponseWriter, *http.Request) { t.Error("the service is called") })
	_, err := s.Speak(t.Context(), speech.Request{Text: "Hi", Voice: "onyx"})
	var e *speech.Error
	if !errors.As(err, &e) || e.Code != string(catalog.ValidationFailed) || e.Retryable || !strings.Contains(e.Message, "onyx") {
		t.Errorf("got %v", err)
	}
}

// A server that streams declares the maximum length. The result is a complete file.
func TestSpeak_FixesEndlessHeaders(t *testing.T) {
	for _, promised := range []uint32{0xffffffff, 0, 0x7ffff000} {
		s := speaker(t, nil, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(wav(100, promised)) })
		a, err := s.Speak(t.Context(), speech.Request{Text: "Hi"})
		if err != nil {
			t.Fatal(err)
		}
		if riff, data := binary.LittleEndian.Uint32(a.Data[4:]), binary.LittleEndian.Uint32(a.Data[40:]); riff != 136 || data != 100 {
			t.Errorf("%#x: the header declares %d and %d bytes", promised, riff, data)
		}
	}
}

func TestSpeak_DetectsTheType(t *testing.T) {
	for head, want := range map[string]string{"ID3\x04\x00\x00\x00\x00\x00\x00\xff\xfb\x90\x64\x00\x00\x00": "audio/mpeg", "fLaC\x00\x00\x00\x22": "audio/flac"} {
		s := speaker(t, nil, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(head))
		})
		if a, err := s.Speak(t.Context(), speech.Request{Text: "Hi"}); err != nil || a.ContentType != want {
			t.Errorf("%+v: got %v, want %s", a, err, want)
		}
	}
}

func TestSpeak_Errors(t *testing.T) {
	status := func(n int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(n)
			_, _ = w.Write([]byte(`{"error": {"message": "you said: Hi, with ` + key + `", "type": "t", "code": "c"}}`))
		}
	}
	for name, c := range map[string]struct {
		answer    http.HandlerFunc
		text      string
		retryable bool
	}{
		"busy":        {status(429), "Hi", true},
		"away":        {status(503), "Hi", true},
		"a wrong key": {status(401), "Hi", false},
		"refused":     {status(400), "Hi", false},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}, "Hi", false},
		"not a sound": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, "Hi", true},
		"nothing":     {func(http.ResponseWriter, *http.Request) {}, "Hi", true},
		"too much":    {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(wav(service.MaxBytes, 1)) }, "Hi", true},
		"truncated": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = w.Write([]byte("RIFF"))
		}, "Hi", true},
		"an empty text":           {status(500), "🔥", false},
		"a text that is too long": {status(500), strings.Repeat("a ", speech.MaxCharacters), false},
		"no text":                 {status(500), "\xff", false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := speaker(t, nil, c.answer).Speak(t.Context(), speech.Request{Text: c.text})
			var e *speech.Error
			if !errors.As(err, &e) || e.Retryable != c.retryable || e.Code != string(catalog.GenerationFailed) {
				t.Fatalf("got %v", err)
			}
			if s := err.Error(); strings.Contains(s, key) || strings.Contains(s, "you said") || strings.Contains(e.Message, "127.0.0.1") || strings.HasSuffix(e.Message, ".") {
				t.Errorf("the error contains too much, or ends with a full stop: %s", s)
			}
		})
	}
}

func TestSpeak_Timeouts(t *testing.T) {
	for name, give := range map[string]func(context.Context, *service.Config) context.Context{
		"its own time": func(ctx context.Context, c *service.Config) context.Context {
			c.Timeout = 50 * time.Millisecond
			return ctx
		},
		"its caller's": func(ctx context.Context, _ *service.Config) context.Context {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx
		},
	} {
		t.Run(name, func(t *testing.T) {
			over := make(chan struct{})
			ctx := t.Context()
			s := speaker(t, func(c *service.Config) { ctx = give(ctx, c) }, func(_ http.ResponseWriter, r *http.Request) {
				select {
				case <-r.Context().Done():
				case <-over:
				}
			})
			_, err := s.Speak(ctx, speech.Request{Text: "Hi"})
			close(over)
			var e *speech.Error
			if !errors.As(err, &e) || !e.Retryable {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestNew_InvalidConfigurations(t *testing.T) {
	for name, c := range map[string]service.Config{
		"no model":           {BaseURL: "http://x"},
		"no URL":             {BaseURL: "file:///x", Model: "m"},
		"an unknown format":  {Model: "m", Format: "pcm"},
		"an invalid timeout": {Model: "m", Timeout: -1},
		"an unknown voice":   {Model: "m", Voice: "onyx", Voices: []voices.Voice{{Name: "nova"}}},
	} {
		if _, err := service.New(c); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
