// SPDX-License-Identifier: Apache-2.0

package ai

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/catalog"
)

const key = "sk-test-secret"

var (
	tall, _ = catalog.AspectRatioByValue("9:16")
	wide, _ = catalog.AspectRatioByValue("4:5")
)

// call is a request as received by the server.
type call struct {
	Prompt string `json:"prompt"`
	Model  string `json:"model"`
	Size   string `json:"size"`
	N      int    `json:"n"`
	auth   string
	path   string
}

type answer func(w http.ResponseWriter, c call)

// server returns the responses in order, the last one repeatedly, and records the requests. It serves an image at
// /picture.
func server(t *testing.T, answers ...answer) (*Maker, *httptest.Server, func() []call) {
	t.Helper()
	var mu sync.Mutex
	var calls []call
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.Path == "/picture" {
			_, _ = w.Write(picture(64, 128))
			return
		}
		c := call{auth: r.Header.Get("Authorization"), path: r.Method + " " + r.URL.Path}
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			t.Errorf("the request is not JSON: %v", err)
		}
		mu.Lock()
		calls = append(calls, c)
		turn := min(len(calls), len(answers)) - 1
		mu.Unlock()
		answers[turn](w, c)
	}))
	t.Cleanup(s.Close)
	m, err := New(Config{BaseURL: s.URL + "/v1", APIKey: key, Model: "test-model"})
	if err != nil {
		t.Fatal(err)
	}
	return m, s, func() []call {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(calls)
	}
}

func picture(w, h int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = uint8(i)
	}
	img.Set(0, 0, color.White)
	var b bytes.Buffer
	_ = png.Encode(&b, img)
	return b.Bytes()
}

func respondWith(data map[string]any) answer {
	return func(w http.ResponseWriter, _ call) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"created": 1760000000, "data": []any{data}})
	}
}

func b64(b []byte) answer {
	return respondWith(map[string]any{"b64_json": base64.StdEncoding.EncodeToString(b)})
}

func refuses(status int, code, message, param string, headers ...string) answer {
	return func(w http.ResponseWriter, _ call) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
			"message": message, "type": "invalid_request_error", "code": code, "param": param,
		}})
	}
}

func TestMake(t *testing.T) {
	m, _, calls := server(t, b64(picture(64, 128)))
	img, err := m.Make(t.Context(), "a quiet street", tall)
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds().Dx() != 64 || img.Bounds().Dy() != 128 {
		t.Errorf("got an image of %v", img.Bounds())
	}
	want := []call{{Prompt: "a quiet street", Model: "test-model", Size: "1152x2048", N: 1, auth: "Bearer " + key, path: "POST /v1/images/generations"}}
	if diff := cmp.Diff(want, calls(), cmp.AllowUnexported(call{})); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestMake_ImageAsURL(t *testing.T) {
	var at string
	m, s, _ := server(t, func(w http.ResponseWriter, c call) { respondWith(map[string]any{"url": at})(w, c) })
	at = s.URL + "/picture"
	if img, err := m.Make(t.Context(), "a street", wide); err != nil || img.Bounds().Dx() != 64 {
		t.Errorf("got %v, %v", img, err)
	}
	// The server itself may have any address. Other hosts need a setting of the installation.
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(picture(8, 8)) }))
	defer other.Close()
	at = other.URL + "/picture?signature=secret"
	_, err := m.Make(t.Context(), "a street", wide)
	var e *Error
	if !errors.As(err, &e) || e.Reason != ReasonUnavailable || strings.Contains(err.Error(), "secret") {
		t.Errorf("an image in the network of another host: got %v", err)
	}
	m, _ = New(Config{BaseURL: s.URL + "/v1", Model: "m", AllowHosts: []string{strings.TrimPrefix(other.URL, "http://")}})
	if _, err = m.Make(t.Context(), "a street", wide); err != nil {
		t.Errorf("an allowed host: got %v", err)
	}
}

func TestSizes(t *testing.T) {
	only := func(sizes ...string) answer {
		return func(w http.ResponseWriter, c call) {
			if !slices.Contains(sizes, c.Size) {
				refuses(400, "invalid_value", "Invalid value for size", "size")(w, c)
				return
			}
			b64(picture(8, 8))(w, c)
		}
	}
	for name, c := range map[string]struct {
		takes []string
		want  []string
	}{
		"any size":          {[]string{"1152x2048", "1088x1360"}, []string{"1152x2048", "1152x2048", "1088x1360"}},
		"portrait sizes":    {[]string{"1024x1536"}, []string{"1152x2048", "1024x1536", "1024x1536", "1088x1360", "1024x1536"}},
		"its own size only": {[]string{""}, []string{"1152x2048", "1024x1536", "1024x1792", "1024x1024", "", "", "1088x1360", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			m, _, calls := server(t, only(c.takes...))
			for _, r := range []catalog.AspectRatio{tall, tall, wide} {
				if _, err := m.Make(t.Context(), "a street", r); err != nil {
					t.Fatal(err)
				}
			}
			var asked []string
			for _, c := range calls() {
				asked = append(asked, c.Size)
			}
			if diff := cmp.Diff(c.want, asked); diff != "" {
				t.Errorf("requested sizes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	plain := func(status int, body string) answer {
		return func(w http.ResponseWriter, _ call) { w.WriteHeader(status); _, _ = io.WriteString(w, body) }
	}
	for name, c := range map[string]struct {
		answer answer
		want   Error
	}{
		"rejected prompt": {refuses(400, "content_policy_violation", "Your prompt "+key+" was refused", ""), Error{Reason: ReasonContentPolicy, Message: "The image model rejects the text of the slide"}},
		"moderation":      {refuses(400, "moderation_blocked", "Blocked because of the size of it", ""), Error{Reason: ReasonContentPolicy, Message: "The image model rejects the text of the slide"}},
		"busy":            {refuses(429, "rate_limit_exceeded", "slow down", "", "Retry-After", "7"), Error{Reason: ReasonBusy, Message: "The image model is busy", Retryable: true, After: 7 * time.Second}},
		"busy, no time":   {refuses(429, "rate_limit_exceeded", "slow down", ""), Error{Reason: ReasonBusy, Message: "The image model is busy", Retryable: true, After: 10 * time.Second}},
		"quota exhausted": {refuses(429, "rate_limit_exceeded", "slow down", "", "Retry-After", "3600"), Error{Reason: ReasonBusy, Message: "The image model is busy", Retryable: true, After: time.Minute}},
		"nothing left":    {refuses(429, "insufficient_quota", "pay first", ""), Error{Reason: ReasonUnavailable, Message: "The quota of the image model is used up", Retryable: true}},
		"bad key":         {refuses(401, "invalid_api_key", "Incorrect API key "+key, ""), Error{Reason: ReasonNotAccepted, Message: "The image model does not accept the configured key"}},
		"unknown model":   {refuses(404, "model_not_found", "no such model", ""), Error{Reason: ReasonNotAccepted, Message: "The image model does not accept the request"}},
		"broken":          {plain(500, "oh no "+key), Error{Reason: ReasonUnavailable, Message: "The image model is not available", Retryable: true}},
		"away":            {plain(503, ""), Error{Reason: ReasonUnavailable, Message: "The image model is not available", Retryable: true}},
		"not JSON":        {plain(200, "<html>hello</html>"), Error{Reason: ReasonUnavailable, Message: "The image model could not be reached or returned an invalid response", Retryable: true}},
		"no image":        {respondWith(map[string]any{}), Error{Reason: ReasonUnavailable, Message: "The image model returned no readable image", Retryable: true}},
		"empty list":      {plainJSON(`{"created":1,"data":[]}`), Error{Reason: ReasonUnavailable, Message: "The image model returned no readable image", Retryable: true}},
		"garbage bytes":   {b64([]byte("this is no picture")), Error{Reason: ReasonUnavailable, Message: "The image model returned no readable image", Retryable: true}},
		"truncated image": {b64(picture(64, 64)[:200]), Error{Reason: ReasonUnavailable, Message: "The image model returned no readable image", Retryable: true}},
		"garbage base64":  {respondWith(map[string]any{"b64_json": "!!!"}), Error{Reason: ReasonUnavailable, Message: "The image model returned no readable image", Retryable: true}},
		"redirect": {func(w http.ResponseWriter, _ call) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, Error{Reason: ReasonNotAccepted, Message: "The URL of the image model redirects"}},
		"forbidden address":  {respondWith(map[string]any{"url": "http://169.254.169.254/latest"}), Error{Reason: ReasonUnavailable, Message: "The image model could not be reached or returned an invalid response", Retryable: true}},
		"too large a header": {b64(claims(60000, 60000)), Error{Reason: ReasonUnavailable, Message: "The image model returned no readable image", Retryable: true}},
	} {
		t.Run(name, func(t *testing.T) {
			m, _, calls := server(t, c.answer)
			_, err := m.Make(t.Context(), "a street", tall)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			got := *e
			got.Err = nil
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(err.Error(), key) {
				t.Errorf("the error contains the key: %v", err)
			}
			if len(calls()) != 1 {
				t.Errorf("got %d requests", len(calls()))
			}
		})
	}
}

func plainJSON(body string) answer {
	return func(w http.ResponseWriter, _ call) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

// claims is a PNG with a wrong size in its header.
func claims(w, h uint32) []byte {
	b := picture(2, 2)
	for i, v := range []uint32{w, h} {
		for k := range 4 {
			b[16+4*i+k] = byte(v >> (24 - 8*k))
		}
	}
	return b
}

func TestMake_SlowServer(t *testing.T) {
	release := make(chan struct{})
	m, _, _ := server(t, func(w http.ResponseWriter, c call) {
		<-release
		b64(picture(8, 8))(w, c)
	})
	defer close(release)
	m.timeout = 50 * time.Millisecond
	_, err := m.Make(t.Context(), "a street", tall)
	var e *Error
	if !errors.As(err, &e) || e.Message != "The image model took too long" || !e.Retryable {
		t.Errorf("a server that does not respond: got %v", err)
	}
	m.timeout = time.Minute
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := m.Make(gone, "a street", tall); !errors.As(err, &e) || !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: got %v", err)
	}
}

func TestConfig(t *testing.T) {
	for name, c := range map[string]Config{
		"no model":         {BaseURL: "http://localhost/v1"},
		"no URL":           {BaseURL: "localhost", Model: "m"},
		"another scheme":   {BaseURL: "ftp://localhost/v1", Model: "m"},
		"negative timeout": {Model: "m", Timeout: -1},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := New(Config{Model: "m"}); err != nil {
		t.Errorf("without a base URL: got %v", err)
	}
}

func TestPrompt(t *testing.T) {
	p := Prompt(Scene{
		Heading: `Say "no" more often`, Body: "It\nhelps.", Keywords: []string{"calm", "desk"}, World: "cozy_interiors", Niche: "Work", Audience: "Parents",
	})
	for _, want := range []string{`"Say 'no' more often"`, `"It helps."`, "calm, desk", "Cozy interiors", "Quiet rooms", "Field: Work.", "For: Parents.", "No text"} {
		if !strings.Contains(p, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, p)
		}
	}
	if long := Prompt(Scene{Heading: strings.Repeat("word ", 5000)}); len(long) > 2000 {
		t.Errorf("got a prompt of %d bytes", len(long))
	}
}
