// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/pressure"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/tracing"
)

// steps run before the handler of an operation, in this order. The order is part of the API, because it decides which
// of several errors the caller gets. The handler continues with the record, its state, the quota and the credits, and
// ends with Call.Accept. A step that sets Call.replay ends the call with the stored response.
var steps = []func(*Handler, context.Context, *Call) error{
	(*Handler).ready,
	(*Handler).authenticate,
	(*Handler).admit,
	(*Handler).authorize, // resolves the brand, then checks the scopes
	(*Handler).checkPath,
	(*Handler).checkIdempotency,
	(*Handler).decodeQuery,
	(*Handler).decodeBody,
}

// busyWait is the Retry-After of a call that is rejected because too many calls are in flight.
const busyWait = time.Second

// Run takes a call through all steps, runs the handler of its operation and returns the result. Every error and every
// panic becomes a result. The caller must call done once the result is sent: until then the call counts as in flight.
func (h *Handler) Run(ctx context.Context, c *Call) (out *Result, done func()) {
	ctx, end := h.begin(ctx, c)
	release, err := h.enter(c)
	if err != nil {
		c.Operation = nil // rejected calls are not counted by operation
		out = c.reject(err)
		return out, func() { h.observe(c, out.Status, err); end() }
	}
	// Release the idempotency key if the handler panics or returns early. Completed calls have already released it.
	defer func() { c.tx.Abort(ctx, false) }()
	if out, err = h.process(ctx, c); err != nil {
		h.undo(context.WithoutCancel(ctx), c, err)
		out = h.fail(ctx, c, err)
	}
	return out, func() { h.observe(c, out.Status, err); release(); end() }
}

// begin finds the operation and starts the timeout of a call. The caller must call end when the call is over.
func (h *Handler) begin(ctx context.Context, c *Call) (_ context.Context, end func()) {
	c.handler, c.header, c.began = h, http.Header{}, h.Clock.Now()
	c.header.Set(requestIDHeader, c.RequestID)
	c.Operation, c.params, c.allowed = h.routes.find(c.Method, c.Path)
	most := h.CallTime
	if c.Operation != nil && c.Operation.Waits {
		most += MaxWait
	}
	if !c.reads() {
		ctx = context.WithoutCancel(ctx) // changes run to completion even if the caller disconnects
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	ctx, c.span = tracing.Request(ctx, c.TraceParent, c.Method)
	if c.extend != nil {
		c.extend(most)
	}
	return ctx, func() { c.span.End(); cancel() }
}

// reads reports whether the call changes nothing.
func (c *Call) reads() bool {
	return c.Method == http.MethodGet || c.Method == http.MethodHead || c.Operation != nil && c.Operation.Reads
}

// enter admits a call, or returns the reason why the server cannot take it. The calls of a session were admitted with
// the session: for them only the possibility of changes is checked.
func (h *Handler) enter(c *Call) (release func(), err error) {
	switch {
	case c.session == nil:
		release, err = h.Gate.Enter(!c.reads())
	case !c.reads():
		err = h.Gate.Changes()
	}
	if err != nil {
		return nil, shed(err)
	}
	if release == nil {
		release = func() {}
	}
	return release, nil
}

func shed(err error) error {
	if errors.Is(err, pressure.ErrAway) {
		return problem.Shed(err, problem.RetryAwayAfter)
	}
	return problem.Shed(err, busyWait)
}

// process runs the steps and the handler and returns the success. A panic becomes an error.
func (h *Handler) process(ctx context.Context, c *Call) (out *Result, err error) {
	defer h.recovered(c, &err)
	if c.Operation == nil {
		return nil, h.notFound(ctx, c)
	}
	for _, step := range steps {
		if err := step(h, ctx, c); err != nil {
			return nil, err
		}
		if c.replay != nil {
			return h.respond(ctx, c, nil)
		}
	}
	reply, err := h.invoke(ctx, c)
	if err != nil {
		return nil, err
	}
	return h.respond(ctx, c, reply)
}

// recovered turns a panic into an error. Details are logged only.
func (h *Handler) recovered(c *Call, err *error) {
	if p := recover(); p != nil {
		h.Log.Error("panic", "request_id", c.RequestID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*err = errors.New("panic")
	}
}

func (h *Handler) ready(context.Context, *Call) error {
	if err := h.Ready(); err != nil {
		return problem.Unavailable(err)
	}
	return nil
}

// authenticate sets the caller. Failures count against the client's address; calls with valid keys from there do not.
func (h *Handler) authenticate(ctx context.Context, c *Call) (err error) {
	changes := c.Operation != nil && !c.reads()
	if c.Caller = c.session.takeCaller(changes); c.Caller != nil {
		return nil
	}
	c.Caller, err = h.identify(ctx, c, changes)
	if p := (*problem.Problem)(nil); !errors.As(err, &p) || p.Status != http.StatusUnauthorized {
		return err
	}
	if limited := h.count(ctx, c, limit.Unauthenticated); limited != nil {
		return limited
	}
	return err
}

// identify returns the caller that the transport authenticated, or else the one with the API key of the call.
func (h *Handler) identify(ctx context.Context, c *Call, changes bool) (*auth.Caller, error) {
	if c.Identify != nil {
		return c.Identify(ctx, c.Operation)
	}
	return h.Auth.Authenticate(ctx, c.Authorization, c.Transport, changes)
}

// admit counts the call against the rate limit on all calls of its caller.
func (h *Handler) admit(ctx context.Context, c *Call) error { return h.count(ctx, c, c.callBucket()) }

// callBucket returns the bucket that counts all calls of the caller: a key, or a user that the transport identifies.
func (c *Call) callBucket() limit.Bucket {
	if c.Identify != nil {
		return limit.Console
	}
	return limit.Global
}

// count counts the call against a rate limit. Its error is the refusal if the limit is reached.
func (h *Handler) count(ctx context.Context, c *Call, b limit.Bucket) error {
	state, ticket := h.Limits.Take(ctx, b, c.subject(b))
	c.limit = &state
	if state.Refused {
		return limit.Refusal(state)
	}
	if c.Operation != nil && b == c.Operation.Bucket && b != limit.Global {
		c.ticket = ticket
	}
	return nil
}

// subject returns the subject of a rate limit: the UID of the key, or the client's address without a valid key.
func (c *Call) subject(b limit.Bucket) string {
	if b == limit.Unauthenticated {
		return c.Address
	}
	return string(c.Key.UID)
}

// authorize resolves the brand that the call is for and checks the scopes.
func (h *Handler) authorize(ctx context.Context, c *Call) (err error) {
	if c.query, err = parseQuery(c.Query); err != nil {
		return err
	}
	named := c.query.Get("brand_id")
	if named == "" {
		named = c.BrandID
	}
	if err := h.Auth.Authorize(ctx, c.Caller, c.Operation.Scope, c.Operation.ForBrand, named); err != nil {
		return err
	}
	if also := c.Operation.AlsoScope; also != "" && !c.Has(also) {
		return auth.MissingScope(c.Caller, also)
	}
	return nil
}

// checkPath decodes the path parameters, and reports the transport's Fault.
func (h *Handler) checkPath(_ context.Context, c *Call) error {
	if c.Fault != nil {
		return c.Fault
	}
	c.input = c.Operation.newInput()
	return c.Operation.decodePath(c.input, c.params)
}

// checkIdempotency looks up the call's idempotency key. It sets replay if the request has a stored response. Otherwise
// it sets tx: this call then holds the key.
func (h *Handler) checkIdempotency(ctx context.Context, c *Call) error {
	if !c.Operation.Idempotent {
		return nil
	}
	key, given, invalid := idempotency.CheckKey(c.IdempotencyKeys)
	if invalid != nil {
		return invalid
	}
	if !given {
		return nil
	}
	if err := c.readBody(); err != nil {
		return err
	}
	scope := idempotency.Scope{
		Namespace: c.Namespace(), KeyUID: string(v1beta1.Origin(c.Key)), Method: c.Method, Path: c.Path, Key: key,
	}
	var brand int64
	if c.Brand != nil {
		scope.Brand, brand = c.Brand.Name, read.ID(c.Brand)
	}
	var err error
	c.tx, c.replay, err = h.Idempotency.Begin(ctx, scope, idempotency.Fingerprint(brand, c.body))
	return err
}

func (h *Handler) decodeQuery(_ context.Context, c *Call) error {
	return c.Operation.decodeQuery(h.schemas, c.query, c.input)
}

func (h *Handler) decodeBody(_ context.Context, c *Call) error {
	if c.Operation.body == nil {
		return nil
	}
	if err := c.readBody(); err != nil {
		return err
	}
	d := decoder{schemas: h.schemas, ignored: c.Ignored}
	for _, name := range c.Ignored {
		d.unknown = append(d.unknown, UnknownMember(name))
	}
	err := c.Operation.decodeBody(&d, c.body, c.input)
	c.Ignored, c.unknown = d.ignored, d.unknown
	return err
}

// readBody reads the body as a JSON object, once. An absent body is an empty object.
func (c *Call) readBody() (err error) {
	if c.body != nil {
		return nil
	}
	var doc []byte
	if c.Body != nil {
		if doc, err = c.Body(); err != nil {
			return err
		}
	}
	c.body, err = parseObject(doc)
	return err
}

// invoke runs the handler of the operation. Its changes are audited as the caller's.
func (h *Handler) invoke(ctx context.Context, c *Call) (*reply, error) {
	ctx = audit.With(ctx, c.actor())
	out, err := c.Operation.invoke(ctx, c, c.input)
	if err != nil {
		return nil, err
	}
	if out.found {
		// The earlier run that created the object may have ended before it wrote the audit record.
		if _, name, ok := c.tx.Resumed(); ok {
			h.Audit.Found(ctx, c.Namespace(), name)
		}
	}
	if d, ok := out.data.(interface{ LogShort() int64 }); ok {
		c.short = d.LogShort()
	}
	return out, nil
}

// actor returns the caller for the audit log.
func (c *Call) actor() audit.Actor {
	a := audit.Actor{
		Kind: audit.ByKey, KeyID: c.Key.Labels[v1beta1.LabelID], KeyName: c.Key.Spec.DisplayName, Account: c.Namespace(),
		Address: c.Address, RequestID: c.RequestID, Operation: c.Operation.Name, Door: c.Transport,
	}
	if c.User != "" {
		a.Kind, a.KeyID, a.KeyName, a.User = audit.ByUser, "", "", c.User
	}
	if c.Brand != nil {
		a.Brand = c.Brand.Name
	}
	return a
}

// undo releases a failed call's rate limit charge and ends its run under the idempotency key. If the outcome is
// unknown, the record stays: a retry finds the object that this run created.
func (h *Handler) undo(ctx context.Context, c *Call, err error) {
	if c.ticket != (limit.Ticket{}) {
		c.ticket.Return(ctx)
		c.ticket, c.limit = limit.Ticket{}, nil
	}
	var p *problem.Problem
	c.tx.Abort(ctx, errors.As(err, &p) && p.Status < http.StatusInternalServerError)
}

// notFound returns the error of a call that addresses no operation. A valid key is charged as for any other call.
// Without one the error is the same.
func (h *Handler) notFound(ctx context.Context, c *Call) error {
	if h.Ready() == nil {
		if c.Caller, _ = h.identify(ctx, c, false); c.Caller != nil {
			if err := h.admit(ctx, c); err != nil {
				return err
			}
		}
	}
	if c.allowed == nil {
		return problem.New(catalog.NotFound, nil).Saying("There is nothing at this path.")
	}
	allowed := strings.Join(c.allowed, ", ")
	p := problem.New(catalog.BadRequest, problem.Details{"parameter": "method", "allowed": c.allowed}).
		Saying("The method must be one of " + allowed + ".")
	p.Status = http.StatusMethodNotAllowed
	p.Header = http.Header{"Allow": {allowed}}
	return p
}

// path returns the path for the log. It holds ids only.
func (c *Call) path() string {
	path, err := url.PathUnescape(c.Path)
	if err != nil {
		return c.Path
	}
	return path
}
