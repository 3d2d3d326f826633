// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/pressure"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/tracing"
)

// Config of a Handler.
type Config struct {
	// Operations to serve.
	Operations []*Operation
	Auth       *auth.Authenticator
	// Limits are the ceilings on calls.
	Limits *limit.Limiter
	// TrustedProxies may say for whom they call.
	TrustedProxies []netip.Prefix
	// Idempotency remembers answers.
	Idempotency *idempotency.Store
	// Ready says why calls cannot be served now, or nil.
	Ready func() error
	// Gate lets calls in; nil lets in all.
	Gate *pressure.Gate
	// Draining is closed when the server begins to shut down: calls that wait are answered then. nil is never.
	Draining <-chan struct{}
	// Audit is told of what an earlier run of a request made; changes themselves are told by the client that makes them.
	Audit   *audit.Log
	Log     *slog.Logger
	Metrics *Metrics
	Clock   clock.PassiveClock
	// BaseURL is the public address, for the description.
	BaseURL string
	// Pages are paths that others answer, by GET only; what else is asked of them ends here. Doors are such by POST only.
	Pages, Doors []string
	// CallTime bounds the work for one call, reading its body included; 0 means 20 seconds.
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

// prepare makes the schemas of what an operation takes.
func (h *Handler) prepare(o *Operation) {
	for i := range o.query {
		o.query[i].schema = huma.SchemaFromField(h.schemas.Registry, o.query[i].field, o.Name)
	}
	if o.body != nil {
		h.schemas.of(o.body)
	}
}

// Description is the OpenAPI document.
func (h *Handler) Description() []byte { return h.description }

// call is one request on its way through the steps.
type call struct {
	w       http.ResponseWriter
	r       *http.Request
	id      string
	began   time.Time
	op      *Operation
	caller  *auth.Caller
	values  url.Values
	raw     map[string]any
	args    arguments
	ignored []string
	// unknown are the refusals that a strict operation has for the members in ignored.
	unknown refusals
	short   int64
	// ceiling is what the answer's headers tell of; nil until a ceiling was asked.
	ceiling *limit.State
	// spent is what the call took of its specific ceiling.
	spent limit.Ticket
	// once is the run of a request with an idempotency key, nil without one; remembered is the answer to an earlier run.
	once       *idempotency.Tx
	remembered *idempotency.Answer
	span       trace.Span
	// door is the name of the one that the call came through; empty for a call that came by itself.
	door string
	// waited is how long the call waited for a change, which is no measure of how long its work took.
	waited time.Duration
}

// steps every call goes through before its handler. The order is part of the interface: it decides which of several
// faults a caller is told of. The handler goes on with it: the record, its state, the quota, the credits; then Accept.
var steps = []func(*Handler, context.Context, *call) error{
	(*Handler).ready,
	(*Handler).authenticate,
	(*Handler).spendGlobal,
	(*Handler).authorize,
	(*Handler).path,
	(*Handler).remember,
	(*Handler).query,
	(*Handler).body,
}

func (h *Handler) ready(context.Context, *call) error {
	if err := h.Ready(); err != nil {
		return problem.Unavailable(err)
	}
	return nil
}

// authenticate finds the caller. Failing costs the address that the call comes from; good keys from there go on.
func (h *Handler) authenticate(ctx context.Context, c *call) (err error) {
	changes := c.op != nil && c.op.Method != http.MethodGet
	if c.caller = errand(ctx).known(changes); c.caller != nil {
		return nil
	}
	c.caller, err = h.Auth.Authenticate(ctx, c.r.Header, changes)
	if p := (*problem.Problem)(nil); !errors.As(err, &p) || p.Status != http.StatusUnauthorized {
		return err
	}
	if refused := h.spend(ctx, c, limit.Unauthenticated); refused != nil {
		return refused
	}
	return err
}

func (h *Handler) authorize(ctx context.Context, c *call) error {
	values, err := parseQuery(c.r.URL.RawQuery)
	if err != nil {
		return err
	}
	c.values = values
	named := values.Get("brand_id")
	if named == "" {
		named = c.r.Header.Get("X-Brand-Id")
	}
	return h.Auth.Authorize(ctx, c.caller, c.op.Scope, c.op.ForBrand, named)
}

func (h *Handler) path(ctx context.Context, c *call) error {
	if e := errand(ctx); e != nil && e.Fault != nil {
		return e.Fault
	}
	for _, p := range c.op.params {
		if p.isID {
			if _, err := ParseID(c.args.path[p.name]); err != nil {
				return problem.New(c.op.NoSuch, nil)
			}
		}
	}
	return nil
}

func (h *Handler) query(ctx context.Context, c *call) (err error) {
	if e := errand(ctx); e != nil {
		c.ignored = e.Ignored
	}
	c.args.query, err = c.op.checkQuery(h.schemas, c.values)
	return err
}

func (h *Handler) body(_ context.Context, c *call) error {
	if c.op.body == nil {
		return nil
	}
	if err := c.read(); err != nil {
		return err
	}
	check := checker{schemas: h.schemas, ignored: c.ignored}
	for _, name := range c.ignored {
		check.unknown = append(check.unknown, UnknownMember(name))
	}
	out, refused := check.object(h.schemas.of(c.op.body), "", c.raw)
	if c.op.Strict {
		refused = append(refused, check.unknown...)
	}
	if p := problem.All(refused[:min(len(refused), maxRefusals)]); p != nil {
		return p
	}
	c.args.body, c.ignored, c.unknown = out, check.ignored, check.unknown
	return nil
}

// read reads the body, once.
func (c *call) read() (err error) {
	if c.raw == nil {
		c.raw, err = readBody(c.w, c.r)
	}
	return err
}

// usualCallTime bounds the work for one call.
const usualCallTime = 20 * time.Second

// ServeHTTP answers one call.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, c, done := h.begin(w, r)
	defer done()
	if e := errand(ctx); e != nil {
		c.door = e.visit.c.door
	}
	leave, err := h.enter(ctx, r)
	if err != nil {
		h.observe(c, h.turnAway(c, err), err)
		return
	}
	defer leave()
	// Whatever happens, a key that the call holds is let go; after an answer or a refusal there is nothing to let go.
	defer func() { c.once.Abort(ctx, false) }()
	var res *result
	res, err = h.run(ctx, c)
	status := 0
	if err == nil {
		status, err = h.succeed(ctx, c, res)
	}
	if err != nil {
		h.giveBack(context.WithoutCancel(ctx), c, err)
		status = h.fail(ctx, c, err)
	}
	h.observe(c, status, err)
}

// begin starts the time of a call.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request) (context.Context, *call, context.CancelFunc) {
	base := r.Context()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		base = context.WithoutCancel(base) // what was begun is finished, also for a caller who has gone
	}
	limit := h.callTime(r)
	ctx, cancel := context.WithTimeout(base, limit)
	c := &call{w: w, r: r, id: requestID(r), began: h.Clock.Now()}
	ctx, c.span = tracing.Request(ctx, r)
	w.Header().Set("X-Request-Id", c.id)
	// A body that trickles in must not hold a connection for longer than the call may take, nor a caller who does not read
	// the answer for much longer; the server sets both back.
	connection, now := w, time.Now()
	if e := errand(ctx); e != nil {
		connection = e.visit.c.w
	}
	control := http.NewResponseController(connection)
	_ = control.SetReadDeadline(now.Add(limit))
	_ = control.SetWriteDeadline(now.Add(limit + h.CallTime))
	return ctx, c, func() { c.span.End(); cancel() }
}

// callTime returns the limit of the time for a request: CallTime, and MaxWait more if its operation waits.
func (h *Handler) callTime(r *http.Request) time.Duration {
	if op, _, _ := h.routes.find(r.Method, r.URL.EscapedPath()); op != nil && op.Waits {
		return h.CallTime + MaxWait
	}
	return h.CallTime
}

// run finds the operation, takes the steps and calls the handler. A panic becomes an error.
func (h *Handler) run(ctx context.Context, c *call) (res *result, err error) {
	defer func() {
		if p := recover(); p != nil {
			h.Log.Error("panic", "request_id", c.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			res, err = nil, errors.New("panic")
		}
	}()
	op, params, allowed := h.routes.find(c.r.Method, c.r.URL.EscapedPath())
	if op == nil {
		return nil, h.lost(ctx, c, allowed)
	}
	c.op, c.args.path = op, params
	for _, step := range steps {
		if err := step(h, ctx, c); err != nil {
			return nil, err
		}
		if c.remembered != nil {
			return nil, nil
		}
	}
	res, err = op.invoke(context.WithValue(h.signed(ctx, c), inCall{}, &handling{h, c}), c.caller, c.args)
	if err == nil {
		if res.found {
			h.tellFound(ctx, c)
		}
		if d, ok := res.data.(interface{ LogShort() int64 }); ok {
			c.short = d.LogShort()
		}
	}
	return res, err
}

// lost answers a call that leads to no operation: allowed names the methods of a path that exists. A good key pays for it
// as for any other call; without one nothing is lost but the way.
func (h *Handler) lost(ctx context.Context, c *call, allowed []string) error {
	if h.Ready() == nil {
		if c.caller, _ = h.Auth.Authenticate(ctx, c.r.Header, false); c.caller != nil {
			if err := h.spendGlobal(ctx, c); err != nil {
				return err
			}
		}
	}
	if allowed == nil {
		return problem.New(catalog.NotFound, nil).Saying("There is nothing at this path.")
	}
	p := problem.New(catalog.BadRequest, problem.Details{"parameter": "method", "allowed": allowed}).
		Saying("The method must be one of " + strings.Join(allowed, ", ") + ".")
	p.Status = http.StatusMethodNotAllowed
	p.Header = http.Header{"Allow": {strings.Join(allowed, ", ")}}
	return p
}

func (h *Handler) observe(c *call, status int, err error) {
	name := "none"
	if c.op != nil {
		name = c.op.Name
	} else if c.door != "" {
		name = c.door
	}
	took := h.Clock.Since(c.began) - c.waited
	h.Metrics.observe(name, c.r.Method, status, took)
	c.trace(name, status)
	// The path holds ids only; queries and headers are not logged, they may hold secrets.
	attrs := []any{"request_id", c.id, "operation", name, "method", c.r.Method, "path", c.r.URL.Path, "status", status, "duration_ms", took.Milliseconds()}
	if c.door != "" {
		attrs = append(attrs, "door", c.door)
	}
	if c.caller != nil {
		attrs = append(attrs, "account", c.caller.Namespace(), "key_id", c.caller.Key.Labels[v1beta1.LabelID])
		if c.caller.Brand != nil {
			attrs = append(attrs, "brand", c.caller.Brand.Name)
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

// trace says in the call's span what it was. Paths, queries and bodies are not in it.
func (c *call) trace(name string, status int) {
	if !c.span.IsRecording() {
		return
	}
	c.span.SetName(name)
	c.span.SetAttributes(attribute.String("reelops.operation", name), attribute.Int("http.response.status_code", status), attribute.String("reelops.request_id", c.id))
	if c.caller != nil {
		c.span.SetAttributes(attribute.String("k8s.namespace.name", c.caller.Namespace()), attribute.String("reelops.key_id", c.caller.Key.Labels[v1beta1.LabelID]))
	}
	if c.short != 0 {
		c.span.SetAttributes(attribute.Int64("reelops.short_id", c.short))
	}
	if status >= http.StatusInternalServerError {
		c.span.SetStatus(codes.Error, http.StatusText(status))
	}
}

// requestID echoes an incoming id that is safe to echo, else makes one.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if pattern(`^[A-Za-z0-9._-]{1,128}$`).MatchString(id) {
		return id
	}
	return newRequestID()
}

func status(o *Operation) int {
	if o.Status == 0 {
		return http.StatusOK
	}
	return o.Status
}

func statusText(n int) string { return strconv.Itoa(n) }
