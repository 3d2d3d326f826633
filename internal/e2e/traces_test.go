// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// traces has the spans that the programs of a stack sent.
type traces struct {
	mu    sync.Mutex
	spans []span
	text  strings.Builder
}

type span struct{ trace, program, name string }

// receiveTraces starts a receiver of spans. With the returned option, a stack sends its spans to it.
func receiveTraces(t *testing.T) (*traces, option) {
	t.Helper()
	r := &traces{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err == nil {
			err = r.take(body)
		}
		if err != nil || req.URL.Path != "/v1/traces" {
			http.Error(w, "no spans were received", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(server.Close)
	return r, withEnv("OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL, "OTEL_BSP_SCHEDULE_DELAY=200")
}

func (r *traces) take(body []byte) error {
	var sent collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &sent); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.WriteString(sent.String())
	for _, from := range sent.ResourceSpans {
		program := ""
		for _, a := range from.Resource.Attributes {
			if a.Key == "service.name" {
				program = a.Value.GetStringValue()
			}
		}
		for _, scope := range from.ScopeSpans {
			for _, s := range scope.Spans {
				r.spans = append(r.spans, span{hex.EncodeToString(s.TraceId), program, s.Name})
			}
		}
	}
	return nil
}

// all returns the text of all received spans.
func (r *traces) all() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// checkTrace checks that one trace has a request to the front end and the spans of the manager that result from it.
func (r *traces) checkTrace(t *testing.T, request string, manager ...string) {
	t.Helper()
	NewWithT(t).Eventually(func(g Gomega) {
		r.mu.Lock()
		defer r.mu.Unlock()
		begun := map[string]bool{}
		for _, s := range r.spans {
			if s.program == "reelops-apiserver" && s.name == request {
				begun[s.trace] = true
			}
		}
		g.Expect(begun).NotTo(BeEmpty(), "no trace has the request %s", request)
		missing := map[string][]string{}
		for trace := range begun {
			for _, name := range manager {
				if !slices.Contains(r.spans, span{trace, "reelops-manager", name}) {
					missing[trace] = append(missing[trace], name)
				}
			}
			if len(missing[trace]) == 0 {
				return
			}
		}
		g.Expect(missing).To(BeEmpty(), "no trace of %s contains all spans", request)
	}).WithTimeout(waitTimeout).WithPolling(slowPoll).Should(Succeed())
}
