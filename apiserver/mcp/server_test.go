// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/ops"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/account/apikey"
)

// cluster is a fake that holds one key and its brand.
type cluster struct {
	client.Reader
	key   *v1beta1.APIKey
	brand *v1beta1.Brand
}

func (c *cluster) List(_ context.Context, l client.ObjectList, _ ...client.ListOption) error {
	if keys, ok := l.(*v1beta1.APIKeyList); ok {
		keys.Items = []v1beta1.APIKey{*c.key}
	}
	return nil
}

func (c *cluster) Get(_ context.Context, name client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	switch o := o.(type) {
	case *v1beta1.APIKey:
		*o = *c.key
	case *v1beta1.Brand:
		*o = *c.brand
	default:
		return apierrors.NewNotFound(schema.GroupResource{}, name.Name)
	}
	return nil
}

// world is an MCP server with a fake cluster, for a key that may call operations without a scope.
type world struct {
	*Server
	key    string
	limits *limit.Limiter
	log    bytes.Buffer
}

func newWorld(t testing.TB) *world {
	t.Helper()
	secret, hash, _ := apikey.New(apikey.DefaultPrefix)
	c := &cluster{
		brand: &v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Name: "acme", Namespace: "a", Labels: map[string]string{v1beta1.LabelID: "7"}}},
		key: &v1beta1.APIKey{
			ObjectMeta: metav1.ObjectMeta{Name: "k", Namespace: "a", UID: "u", Labels: map[string]string{v1beta1.LabelID: "3"}},
			Spec:       v1beta1.APIKeySpec{BrandRef: v1beta1.LocalRef{Name: "acme"}, SecretSHA256: hash, Scopes: []v1beta1.Scope{v1beta1.ScopeBrandsAll}},
		},
	}
	metrics, err := operation.NewMetrics(prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	clock := &clocktesting.FakePassiveClock{}
	w := &world{key: secret, limits: limit.New(limit.Ceilings{limit.Global: {Limit: 1_000_000, Window: limit.Default()[limit.Global].Window}}, clock)}
	reader := &read.Reader{Cached: c, Live: c}
	log := slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelError}))
	h, err := operation.NewHandler(operation.Config{
		Operations: (&ops.Service{Reader: reader, Clock: clock}).Operations(), Metrics: metrics, BaseURL: "http://127.0.0.1:8080", Clock: clock, Log: log,
		Auth: &auth.Authenticator{Prefix: apikey.DefaultPrefix, Reader: reader, Usage: auth.NewUsage(), Clock: clock}, Limits: w.limits,
		Ready: func() error { return nil }, Doors: []string{Path},
	})
	if err != nil {
		t.Fatal(err)
	}
	if w.Server, err = New(Config{API: h, BaseURL: "http://127.0.0.1:8080", Log: log}); err != nil {
		t.Fatal(err)
	}
	return w
}

// post sends a message.
func (w *world) post(body []byte, version string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, Path, bytes.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+w.key)
	r.Header.Set("Content-Type", "application/json")
	if version != "" {
		r.Header.Set("MCP-Protocol-Version", version)
	}
	out := httptest.NewRecorder()
	w.ServeHTTP(out, r)
	return out
}

func (w *world) remaining() int {
	return w.limits.Peek(context.Background(), limit.Global, "u").Remaining
}

// sound checks that a response is valid for any message.
func (w *world) sound(t *testing.T, a *httptest.ResponseRecorder) {
	t.Helper()
	switch {
	case a.Code == http.StatusAccepted:
		if a.Body.Len() > 0 {
			t.Errorf("got 202 with %s", a.Body)
		}
	case a.Code != http.StatusOK && a.Code != http.StatusBadRequest:
		t.Errorf("%d %s", a.Code, a.Body)
	case !json.Valid(a.Body.Bytes()) || a.Header().Get("Content-Type") != "application/json; charset=utf-8":
		t.Errorf("%d, %s: %s", a.Code, a.Header().Get("Content-Type"), a.Body)
	}
	if a.Header().Get("X-Request-Id") == "" || a.Header().Get("X-RateLimit-Limit") == "" {
		t.Errorf("got headers %v", a.Header())
	}
	if w.log.Len() > 0 {
		t.Errorf("the log contains %s", w.log.String())
		w.log.Reset()
	}
}

// messages of every kind, valid and invalid.
var messages = []string{
	``, `{}`, `[]`, `null`, `7`, `"x"`, `[{}]`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","method":"ping"}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_capabilities","arguments":{"error_code":"conflict"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_capabilities","arguments":{"error_code":"%00\u0000/..?#"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_capabilities","arguments":"x"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_slideshow","arguments":{"context":"x","idempotency_key":"\u0000\n"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing","arguments":{},"_meta":{"progressToken":1}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_job","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"reelops://errors/conflict"}}`, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"reelops://errors/%zz"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"reelops://shorts/1"}}`, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"\x7f\"}}",
	`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"reelops://capabilities"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"publish_short","arguments":{"short_id":"{platforms}"}}}`, `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}`,
	`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}`,
	`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","METHOD":"ping","params":{"notifications":{"toolsListChanged":true}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","method":"notifications/nonsense"}`,
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`,
	`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"}]`,
	`[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}},{"jsonrpc":"2.0","id":2,"method":"ping"}]`,
	strings.Repeat("[", 20000), strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000),
}

func TestServer_RespondsToAnyMessage(t *testing.T) {
	w := newWorld(t)
	for _, version := range []string{"", "2025-03-26", "2025-11-25", "2026-07-28", "x"} {
		for _, m := range messages {
			before := w.remaining()
			a := w.post([]byte(m), version)
			w.sound(t, a)
			if used := before - w.remaining(); used < 1 || used > 1 && !strings.HasPrefix(m, "[{") {
				t.Errorf("%q counted %d times: %s", m, used, a.Body)
			}
			if t.Failed() {
				t.Fatalf("version %q, message %.300q", version, m)
			}
		}
	}
}

func FuzzMessages(f *testing.F) {
	for _, m := range messages {
		f.Add([]byte(m), "2025-03-26")
	}
	w := newWorld(f)
	f.Fuzz(func(t *testing.T, body []byte, version string) {
		if strings.ContainsFunc(version, func(r rune) bool { return r < ' ' || r > '~' }) {
			return // no header has such a value
		}
		before := w.remaining()
		w.sound(t, w.post(body, version))
		if w.remaining() >= before {
			t.Error("the message did not count")
		}
	})
}

func TestServer_RecoversFromAPanic(t *testing.T) {
	w := newWorld(t)
	broken := &tool{name: "get_job", variants: only("get_job", "job_id"), next: func(any, arguments) string { panic("the reason") }}
	broken.variants[0].operation = "get_capabilities"
	broken.variants[0].id = ""
	old := tools
	tools = []*tool{broken}
	defer func() { tools = old }()
	var err error
	if w.Server, err = New(w.Config); err != nil {
		t.Fatal(err)
	}
	a := w.post([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_job"}}`), "")
	if a.Code != http.StatusOK || !strings.Contains(a.Body.String(), fmt.Sprint(errInternal.Code)) || strings.Contains(a.Body.String(), "the reason") {
		t.Errorf("%d %s", a.Code, a.Body)
	}
	if !strings.Contains(w.log.String(), "the reason") {
		t.Error("the log lacks the panic")
	}
}

func TestNew_RejectsAToolOfAnUnknownOperation(t *testing.T) {
	old := tools
	tools = []*tool{{name: "x", variants: only("no_such_operation")}}
	defer func() { tools = old }()
	if _, err := New(Config{API: api(t)}); err == nil {
		t.Error("it is")
	}
}

func TestResponses_HaveTheRateLimitOfTheirOperation(t *testing.T) {
	w := newWorld(t)
	a := w.post([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_slideshow","arguments":{"context":"x"}}}`), "")
	if got, want := a.Header().Get("X-RateLimit-Limit"), strconv.Itoa(limit.Default()[limit.Generation].Limit); got != want {
		t.Errorf("got X-RateLimit-Limit %s, want %s: %s", got, want, a.Body)
	}
}
