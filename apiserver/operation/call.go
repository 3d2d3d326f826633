// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/problem"
)

// Call is one call of an operation, whatever transport it came by. A transport fills in the fields up to Signed and
// passes the call to Handler.Run, which sets Operation and Caller before it runs the operation's handler.
type Call struct {
	Sender
	// RequestID names the call in its answer and in the log.
	RequestID string
	// Transport is the name of the transport; empty for REST.
	Transport string
	// Method and Path address an operation, as in a REST request. Path and Query are escaped.
	Method, Path, Query string
	// Body reads the body: JSON in UTF-8, nil for none. It runs at most once, and only after the checks that need no
	// body. A nil Body is an empty one.
	Body func() ([]byte, error)
	// IdempotencyKeys are the idempotency keys as sent: usually none or one. More than one is an error of the caller.
	IdempotencyKeys []string
	// IfNoneMatch are the entity tags that the sender has, as in the header of that name.
	IfNoneMatch []string
	// TraceParent is the trace that the call belongs to, in W3C's form; empty for the trace of the context, or a new
	// one.
	TraceParent string
	// Fault is a mistake that the transport found in the arguments. Run reports it where it reports faults of the path:
	// after those of the key, the rate limit, the brand and the scope.
	Fault *problem.Problem
	// Ignored names arguments that nothing used.
	Ignored []string
	// Signed, if it is not nil, is called for each signed URL in the answer, with the key of the blob.
	Signed func(url, key string)

	// Operation is the addressed operation; nil if there is none.
	Operation *Operation
	// Caller is the authenticated caller, with the brand that the call is for; nil until then.
	*auth.Caller

	handler *Handler
	session *Session // nil for a call that is its own request
	// extend allows the connection that much time to deliver the body of the request; nil without a connection.
	extend func(time.Duration)

	began  time.Time
	waited time.Duration // in Wait; no part of the duration that metrics show
	span   trace.Span
	// params are the path parameters by name; allowed are the methods of a path that has no operation for Method.
	params  map[string]string
	allowed []string
	query   url.Values
	body    map[string]any
	input   any                // what the operation's handler takes, decoded and validated
	unknown []*problem.Problem // one for each unknown member of the body
	header  http.Header
	// limit is the state of the rate limit that the answer reports; nil until one was consulted.
	limit *limit.State
	// ticket is what the call took of its operation's own rate limit.
	ticket limit.Ticket
	// tx is the run of a request with an idempotency key, nil without one; replay is the stored answer of an earlier
	// run.
	tx     *idempotency.Tx
	replay *idempotency.Answer
	short  int64 // the short that the answer is about, for the log; 0 for none
}

// Sender is who sent a call, as the transport received it.
type Sender struct {
	// Authorization is the credential, such as "Bearer KEY".
	Authorization string
	// BrandID names the brand that the call is for, unless its query has brand_id.
	BrandID string
	// Address is the address of the client, as limit.ClientAddress returns it.
	Address string
}

// Result is the answer to a call. Body is JSON without a line feed at its end; nil for none.
type Result struct {
	Status int
	Header http.Header
	Body   []byte
}

// Reserved is the id and the name under which an accepted call creates its object.
type Reserved struct {
	ID   int64
	Name string
	// Resumed reports whether an earlier run of the same request reserved them. It may have created the object
	// already, and charged for it.
	Resumed bool
}

// Accept is the last check before a handler creates the object. It counts the call against the operation's own rate
// limit and reserves the object's id and name. A request with an idempotency key gets what its first run reserved, so
// that a retry creates the same object; without a key, Accept just calls reserve. If the name turns out to be taken
// by an unrelated object, call Accept again for another name: the rate limit is charged once. A call that fails after
// Accept returns what it took from the rate limit.
func (c *Call) Accept(ctx context.Context, reserve func(context.Context) (id int64, name string, err error)) (Reserved, error) {
	if b := c.Operation.Bucket; b != limit.Global && c.ticket == (limit.Ticket{}) {
		if err := c.handler.count(ctx, c, b); err != nil {
			return Reserved{}, err
		}
	}
	var out Reserved
	var err error
	out.ID, out.Name, out.Resumed, err = c.tx.Reserve(ctx, reserve)
	return out, err
}

// Resumed returns what an earlier, interrupted run of this request reserved. The object may or may not exist; if it
// does, the request was accepted then, and neither its state nor any limit may be checked again.
func (c *Call) Resumed() (Reserved, bool) {
	id, name, ok := c.tx.Resumed()
	return Reserved{ID: id, Name: name, Resumed: ok}, ok
}

// UnknownMembers returns a problem for each unknown member of the body. A strict operation rejects them itself.
func (c *Call) UnknownMembers() []*problem.Problem { return c.unknown }
