// SPDX-License-Identifier: Apache-2.0

package operation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/operation"
)

type record struct {
	Word string `json:"word"`
}

// serve handles a request, by default one for the only operation.
func serve(t *testing.T, ready func() error, other ...*http.Request) (*httptest.ResponseRecorder, string, *prometheus.Registry) {
	t.Helper()
	op := operation.Define(operation.Spec{Name: "get_word", Method: "GET", Path: "/api/v1/words", Tag: "Words"},
		func(context.Context, *operation.Call, struct{}) (*operation.Reply[record], error) {
			return &operation.Reply[record]{Data: record{"hello"}}, nil
		})
	registry := prometheus.NewRegistry()
	metrics, err := operation.NewMetrics(registry)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	h, err := operation.NewHandler(operation.Config{
		Limits:     limit.New(limit.Default(), &clocktesting.FakePassiveClock{}),
		Operations: []*operation.Operation{op}, Ready: ready, Metrics: metrics, Log: slog.New(slog.NewJSONHandler(&log, nil)),
		Clock: &clocktesting.FakePassiveClock{}, BaseURL: "http://localhost", Auth: &auth.Authenticator{Prefix: "rlo_"},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/api/v1/words", nil)
	if len(other) > 0 {
		r = other[0]
	}
	r.Header.Set("X-Request-Id", "r-1")
	h.ServeHTTP(w, r)
	return w, log.String(), registry
}

func first(t *testing.T, w *httptest.ResponseRecorder) operation.APIError {
	t.Helper()
	var e operation.ErrorEnvelope
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || len(e.Errors) == 0 {
		t.Fatalf("%s is not a failure: %v", w.Body, err)
	}
	return e.Errors[0]
}

func TestPanic_IsAnInternalErrorExplainedInTheLog(t *testing.T) {
	w, log, registry := serve(t, func() error { panic("the reason") })
	e := first(t, w)
	if w.Code != 500 || e.Code != "internal_error" || !e.Retryable || e.Details["request_id"] != "r-1" {
		t.Errorf("%d %+v", w.Code, e)
	}
	if strings.Contains(w.Body.String(), "the reason") {
		t.Error("the response contains the panic")
	}
	if !strings.Contains(log, "the reason") || !strings.Contains(log, "goroutine") {
		t.Errorf("the log lacks the panic and its stack: %s", log)
	}
	want := `# HELP reelops_api_requests_total Answered requests, by operation, method and HTTP status.
# TYPE reelops_api_requests_total counter
reelops_api_requests_total{method="GET",operation="get_word",status="500"} 1
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "reelops_api_requests_total"); err != nil {
		t.Error(err)
	}
}

func TestCall_IsUnavailableUntilTheCacheIsFilled(t *testing.T) {
	w, _, _ := serve(t, func() error { return errors.New("the cache is not filled yet") })
	e := first(t, w)
	if w.Code != 503 || e.Code != "internal_error" || !e.Retryable || w.Header().Get("Retry-After") != "1" {
		t.Errorf("%d %+v, Retry-After %q", w.Code, e, w.Header().Get("Retry-After"))
	}
}

func TestHandler_PanicsOnAnInvalidDeclaration(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a field that is neither path nor body was accepted")
		}
	}()
	operation.Define(operation.Spec{Name: "bad"}, func(context.Context, *operation.Call, struct{ Other string }) (*operation.Reply[record], error) {
		return nil, nil
	})
}

func TestParseID(t *testing.T) {
	for text, want := range map[string]operation.ID{
		"1": 1, "007": 7, "9007199254740991": operation.MaxID,
		"": 0, "0": 0, "-1": 0, "+1": 0, "1.0": 0, "9007199254740992": 0, "1e3": 0, " 1": 0, "٣": 0,
	} {
		if got, err := operation.ParseID(text); got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}
