// SPDX-License-Identifier: Apache-2.0

package operation_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/ops"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/account/apikey"
)

// oneKey is a fake cluster with one API key.
type oneKey struct {
	client.Reader
	key *v1beta1.APIKey
}

func (c *oneKey) List(_ context.Context, l client.ObjectList, _ ...client.ListOption) error {
	l.(*v1beta1.APIKeyList).Items = []v1beta1.APIKey{*c.key}
	return nil
}

func (c *oneKey) Get(_ context.Context, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	*o.(*v1beta1.APIKey) = *c.key
	return nil
}

// pipeline returns a handler with two operations that do nothing, a list and the body of a large edit, and a key for
// them.
func pipeline(b *testing.B) (h *operation.Handler, key string) {
	b.Helper()
	secret, hash, _ := apikey.New(apikey.DefaultPrefix)
	reader := &oneKey{key: &v1beta1.APIKey{
		ObjectMeta: metav1.ObjectMeta{Name: "k", Namespace: "a", UID: "u", Labels: map[string]string{v1beta1.LabelID: "3"}},
		Spec:       v1beta1.APIKeySpec{SecretSHA256: hash, Scopes: []v1beta1.Scope{v1beta1.ScopeBrandsAll}},
	}}
	metrics, err := operation.NewMetrics(prometheus.NewRegistry())
	if err != nil {
		b.Fatal(err)
	}
	keys := &read.Reader{Cached: reader, Live: reader}
	h, err = operation.NewHandler(operation.Config{
		Operations: []*operation.Operation{
			operation.Define(operation.Spec{Name: "list_words", Method: http.MethodGet, Path: "/api/v1/words", Tag: "Words"}, list),
			operation.Define(operation.Spec{Name: "edit_words", Method: http.MethodPost, Path: "/api/v1/words/{id}", Tag: "Words"}, edit),
		},
		Auth:   &auth.Authenticator{Prefix: apikey.DefaultPrefix, Reader: keys, Usage: auth.NewUsage(), Clock: clock.RealClock{}},
		Limits: limit.New(limit.Ceilings{limit.Global: {Limit: 10_000_000, Window: limit.Default()[limit.Global].Window}}, clock.RealClock{}),
		Ready:  func() error { return nil }, Metrics: metrics, Clock: clock.RealClock{}, BaseURL: "http://localhost",
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	return h, secret
}

func list(_ context.Context, _ *operation.Call, in filters) (*operation.Reply[[]record], error) {
	return &operation.Reply[[]record]{Data: []record{{in.Status}}}, nil
}

type edited struct {
	ID   operation.ID `path:"id"`
	Body ops.EditSlideshow
}

func edit(_ context.Context, _ *operation.Call, in edited) (*operation.Reply[record], error) {
	return &operation.Reply[record]{Data: record{*in.Body.AspectRatio}}, nil
}

// BenchmarkCall measures a call from request to response, without the work of its operation: a GET with a query, and a
// POST whose body changes eight slides.
func BenchmarkCall(b *testing.B) {
	h, key := pipeline(b)
	slide := []byte(`{"id":1,"textOverlays":[{"text":"Sleep well","fontSize":84,"color":"#FFFFFF","position":{"x":50,"y":40},"align":"center"}],"alt_text":"A bed"},`)
	body := append([]byte(`{"title":"Calmer mornings","aspect_ratio":"4:5","tags":["sleep","habits"],"slides":[`), bytes.Repeat(slide, 8)...)
	body = append(bytes.TrimSuffix(body, []byte(",")), []byte(`]}`)...)
	for _, c := range []struct {
		name, method, target string
		body                 []byte
	}{
		{"GET", http.MethodGet, "/api/v1/words?page=2&status=draft&after=2026-11-21T12:00:00Z", nil},
		{"POST", http.MethodPost, "/api/v1/words/12", body},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(c.method, c.target, bytes.NewReader(c.body))
				r.Header.Set("Authorization", "Bearer "+key)
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatalf("%d %s", w.Code, w.Body)
				}
			}
		})
	}
}
