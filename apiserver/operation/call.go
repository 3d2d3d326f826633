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

// Call is one call of an operation, over any transport. A transport sets the fields up to Signed and passes the call to
// Handler.Run. Run sets Operation and Caller before it runs the operation's handler.
type Call struct {
	Sender
	// RequestID identifies the call in its response and in the log.
	RequestID string
	// Transport is the name of the transport; empty for REST.
	Transport string
	// Method and Path address an operation, as in a REST request. Path and Query are escaped.
	Method, Path, Query string
	// Body returns the body: JSON in UTF-8, nil for none. It is called at most once, and only after the checks that
	// need no body. A nil Body means an empty one.
	Body func() ([]byte, error)
	// IdempotencyKeys are the idempotency keys as sent: usually none or one. More than one is an error of the caller.
	IdempotencyKeys []string
	// IfNoneMatch lists the entity tags that the sender has, as in the header of that name.
	IfNoneMatch []string
	// TraceParent is the trace of the call in the W3C format. If empty, the call belongs to the trace of the context,
	// or to a new one.
	TraceParent string
	// Fault is a mistake that the transport found in the arguments. Run reports it where it reports faults of the path:
	// after those of the key, the rate limit, the brand and the scope.
	Fault *problem.Problem
	// Ignored lists the arguments that were not used.
	Ignored []string
	// Signed, unless nil, is called for each signed URL in the response, with the key of the blob.
	Signed func(url, key string)

	// Operation is the addressed operation; nil if there is none.
	Operation *Operation
	// Caller is the authenticated caller, with the brand that the call is for; nil until then.
	*auth.Caller

	handler *Handler
	session *Session // nil for a call that is its own request
	// extend extends the connection's deadlines by that much time for the body of the request; nil without a
	// connection.
	extend func(time.Duration)

	began  time.Time
	waited time.Duration // time in Wait; excluded from the duration in metrics
	span   trace.Span
	// params are the path parameters by name; allowed are the methods of a path that has no operation for Method.
	params  map[string]string
	allowed []string
	query   url.Values
	body    map[string]any
	input   any                // argument of the operation's handler, decoded and validated
	unknown []*problem.Problem // one for each unknown member of the body
	header  http.Header
	// limit is the state of the rate limit for the response headers; nil until a rate limit was consulted.
	limit *limit.State
	// ticket is the charge against the operation's own rate limit.
	ticket limit.Ticket
	// tx is the run of a request with an idempotency key; nil without one. replay is the stored response of an earlier
	// run.
	tx     *idempotency.Tx
	replay *idempotency.Answer
	short  int64 // the short that the response is about, for the log; 0 for none
}

// Sender is the sender of a call, as the transport received it.
type Sender struct {
	// Authorization is the credential, such as "Bearer KEY".
	Authorization string
	// BrandID is the brand that the call is for, unless its query has brand_id.
	BrandID string
	// Address is the address of the client, as limit.ClientAddress returns it.
	Address string
	// Identify returns the caller that the transport has authenticated itself, with the scopes for the operation, which
	// is nil if the call addresses none. Authorization is then not used. Nil for callers with an API key.
	Identify func(ctx context.Context, o *Operation) (*auth.Caller, error)
}

// Result is the response to a call. Body is JSON without a line feed at its end; nil for none.
type Result struct {
	Status int
	Header http.Header
	Body   []byte
}

// Reserved is the id and the name under which an accepted call creates its object.
type Reserved struct {
	ID   int64
	Name string
	// Resumed reports whether an earlier run of the same request reserved them. That run may already have created the
	// object and charged for it.
	Resumed bool
}

// Accept is the last check before a handler creates the object. It counts the call against the operation's own rate
// limit and reserves the object's id and name.
//
// A request with an idempotency key gets what its first run reserved, so that a retry creates the same object. Without
// a key, Accept just calls reserve. If an unrelated object has the name, call Accept again for another name: the rate
// limit is charged once. A call that fails after Accept releases its rate limit charge.
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

// Resumed returns what an earlier, interrupted run of this request reserved. The object may or may not exist. If it
// exists, the request was accepted: do not check its state or any limit again.
func (c *Call) Resumed() (Reserved, bool) {
	id, name, ok := c.tx.Resumed()
	return Reserved{ID: id, Name: name, Resumed: ok}, ok
}

// UnknownMembers returns a problem for each unknown member of the body. A strict operation rejects them itself.
func (c *Call) UnknownMembers() []*problem.Problem { return c.unknown }
