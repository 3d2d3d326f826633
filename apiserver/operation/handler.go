// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/pressure"
)

// Config of a Handler.
type Config struct {
	// Operations to serve.
	Operations []*Operation
	Auth       *auth.Authenticator
	// Limits are the rate limits of calls.
	Limits *limit.Limiter
	// TrustedProxies are the networks whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix
	// Idempotency stores the responses to requests with an idempotency key.
	Idempotency *idempotency.Store
	// Ready returns the reason why calls cannot be served now, or nil.
	Ready func() error
	// Gate limits the calls that run at the same time; nil for no limit.
	Gate *pressure.Gate
	// Draining is closed when the server begins to shut down: waiting calls then return at once. nil means never.
	Draining <-chan struct{}
	// Audit records objects that an earlier run of a request created. The audited client records all other changes.
	Audit   *audit.Log
	Log     *slog.Logger
	Metrics *Metrics
	Clock   clock.PassiveClock
	// BaseURL is the public address, for the description.
	BaseURL string
	// Pages are paths that other handlers serve, by GET only. Doors are the entry points of other transports, by POST
	// only. Handler responds to requests with another method.
	Pages, Doors []string
	// CallTime is the timeout of one call, including reading its body; 0 means 20 seconds.
	CallTime time.Duration
}

// Handler serves operations.
type Handler struct {
	Config
	routes      routes
	schemas     schemas
	description []byte
}

// NewHandler prepares the routes, schemas and description of the operations.
func NewHandler(c Config) (*Handler, error) {
	h := &Handler{Config: c, schemas: newSchemas()}
	h.CallTime = cmp.Or(h.CallTime, usualCallTime)
	for _, o := range c.Operations {
		h.routes.add(o)
		h.prepare(o)
	}
	for _, p := range c.Pages {
		h.routes.addPage(http.MethodGet, p)
	}
	for _, p := range c.Doors {
		h.routes.addPage(http.MethodPost, p)
	}
	var err error
	h.description, err = describe(h.schemas, c.Operations, c.BaseURL)
	return h, err
}

// prepare creates the schemas of an operation's parameters and body.
func (h *Handler) prepare(o *Operation) {
	for i := range o.query {
		o.query[i].schema = huma.SchemaFromField(h.schemas.Registry, o.query[i].field, o.Name)
	}
	if o.body != nil {
		h.schemas.of(o.body)
	}
}

// Description returns the OpenAPI document.
func (h *Handler) Description() []byte { return h.description }

// observe logs, counts and traces a finished call.
func (h *Handler) observe(c *Call, status int, err error) {
	name := "none"
	if c.Operation != nil {
		name = c.Operation.Name
	} else if c.Transport != "" {
		name = c.Transport
	}
	took := h.Clock.Since(c.began) - c.waited
	h.Metrics.observe(name, c.Method, status, took)
	c.trace(name, status)
	// The path holds ids only. Queries and headers are not logged, because they may hold secrets.
	attrs := []any{"request_id", c.RequestID, "operation", name, "method", c.Method, "path", c.path(), "status", status, "duration_ms", took.Milliseconds()}
	if c.Transport != "" {
		attrs = append(attrs, "door", c.Transport)
	}
	if c.Caller != nil {
		attrs = append(attrs, "account", c.Namespace())
		if c.User != "" {
			attrs = append(attrs, "user", c.User)
		} else {
			attrs = append(attrs, "key_id", c.Key.Labels[v1beta1.LabelID])
		}
		if c.Brand != nil {
			attrs = append(attrs, "brand", c.Brand.Name)
		}
	}
	if c.short != 0 {
		attrs = append(attrs, "short_id", c.short)
	}
	if err != nil && status >= 500 {
		h.Log.Error("request failed", append(attrs, "error", err.Error())...)
		return
	}
	h.Log.Info("request", attrs...)
}

// trace adds attributes to the call's span. It adds no paths, queries and bodies.
func (c *Call) trace(name string, status int) {
	if !c.span.IsRecording() {
		return
	}
	c.span.SetName(name)
	c.span.SetAttributes(attribute.String("reelops.operation", name), attribute.Int("http.response.status_code", status), attribute.String("reelops.request_id", c.RequestID))
	if c.Caller != nil {
		c.span.SetAttributes(attribute.String("k8s.namespace.name", c.Namespace()), attribute.String("reelops.key_id", c.Key.Labels[v1beta1.LabelID]))
	}
	if c.short != 0 {
		c.span.SetAttributes(attribute.Int64("reelops.short_id", c.short))
	}
	if status >= http.StatusInternalServerError {
		c.span.SetStatus(codes.Error, http.StatusText(status))
	}
}

// usualCallTime is the default of Config.CallTime.
const usualCallTime = 20 * time.Second

func status(o *Operation) int {
	if o.Status == 0 {
		return http.StatusOK
	}
	return o.Status
}

func statusText(n int) string { return strconv.Itoa(n) }
