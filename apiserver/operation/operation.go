// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

// Bucket is the most specific rate limit that an operation counts against.
type Bucket = limit.Bucket

// Buckets are the rate limits that operations count against.
const (
	Global     = limit.Global
	Generation = limit.Generation
	Posting    = limit.Posting
)

// Spec declares an operation.
type Spec struct {
	// Name in snake_case, unique. It is the OpenAPI operation id and the label in metrics.
	Name string
	// Method and Path of its route; a path parameter is a whole segment such as {id}.
	Method, Path string
	// Summary is a short phrase, Description an optional longer text. Tag groups operations.
	Summary, Description, Tag string
	// Scope that the key needs; empty means any valid key.
	Scope v1beta1.Scope
	// AlsoScope is a second scope that the key needs; empty means none.
	AlsoScope v1beta1.Scope
	// ForBrand means that the operation acts on one brand: the key's own or the one named in the request.
	ForBrand bool
	// Reads means that the operation changes nothing although its method is not GET. Its calls end when the caller
	// disconnects, and do not count as changing calls.
	Reads bool
	// Bucket is the operation's own rate limit, in addition to the one on all calls of a key. The handler counts the
	// call with Call.Accept.
	Bucket Bucket
	// Idempotent means that the operation stores its response under an Idempotency-Key.
	Idempotent bool
	// Strict rejects bodies with unknown members. It is meant for operations that cannot be undone.
	Strict bool
	// Status of a success; 0 means 200.
	Status int
	// NoSuch is the code for an unknown path id.
	NoSuch catalog.Code
	// Errors lists its error codes besides those of every operation.
	Errors []catalog.Code
	// Unprocessable lists its error codes that have status 422 instead of their usual status.
	Unprocessable []catalog.Code
	// Polls means that responses carry Retry-After.
	Polls bool
	// Waits extends the timeout of a call by MaxWait, for Call.Wait.
	Waits bool
	// Tagged means that responses carry an ETag and that If-None-Match is supported.
	Tagged bool
	// BodyExample and DataExample are shown in the description.
	BodyExample, DataExample any
	// DataExamples are shown instead if there are several kinds of data, by their names.
	DataExamples map[string]any
}

// Reply is the successful result of a handler.
type Reply[Out any] struct {
	Data Out
	Meta Meta
	// RetryAfter is sent as a header unless it is 0.
	RetryAfter time.Duration
	// ETag identifies this state of the data, without quotes. A caller that already has it gets 304 and no body.
	ETag string
	// Found reports whether an earlier run of the same request created the record; see Call.Resumed.
	Found bool
}

// Meta accompanies every success.
type Meta struct {
	IgnoredFields  []string        `json:"ignored_fields,omitempty" doc:"Unknown members of the body, which were ignored: the first 100."`
	Warnings       []Warning       `json:"warnings,omitempty" doc:"Notes about accepted requests whose result may differ from what the caller expects."`
	Normalizations []Normalization `json:"normalizations,omitempty" doc:"Changes that keep slides readable and within the limits of the renderer."`
	Pagination     *Pagination     `json:"pagination,omitempty" doc:"Present on lists."`
	Source         string          `json:"source,omitempty" doc:"Source of listed media: own, packs or stock."`
	SearchMethod   string          `json:"search_method,omitempty" doc:"How listed media were found. recent: without a query. text: by the words of the query. semantic: by its meaning."`
	// IdempotentReplay must stay last, so that a replay differs from the first response only in this last member.
	IdempotentReplay bool `json:"idempotent_replay,omitempty" doc:"True if this is the stored response to an earlier request with the same Idempotency-Key."`
}

// Warning describes a request that was accepted but has an effect the caller may not expect.
type Warning struct {
	Code    string `json:"code" doc:"Stable code for programs."`
	Message string `json:"message" doc:"Description for users; its wording may change."`
}

// Normalization is one change to a slide.
type Normalization struct {
	SlideID      int64  `json:"slide_id" doc:"The slide that was changed."`
	OverlayIndex int32  `json:"overlay_index" doc:"Index of the overlay; -1 for the gradient and for the duration of a slide."`
	Field        string `json:"field" doc:"The member that was changed."`
	From         string `json:"from" doc:"Value before the change."`
	To           string `json:"to" doc:"Value after the change."`
	Reason       string `json:"reason" doc:"Reason as a code for programs."`
}

// Operation is a declared operation.
type Operation struct {
	Spec
	in, body, out reflect.Type
	params        []param
	query         []queryParam
	// newInput returns a pointer to a new In, which decodePath, decodeQuery and decodeBody fill in for invoke.
	newInput func() any
	invoke   func(ctx context.Context, c *Call, in any) (*reply, error)
}

type param struct {
	name  string
	index int
	isID  bool
}

// reply is the successful result of a handler of any type.
type reply struct {
	data       any
	meta       Meta
	retryAfter time.Duration
	etag       string
	found      bool
}

// Define declares an operation. In is a struct. Fields of type ID or string tagged path:"name" hold path parameters.
// Fields tagged query:"name" hold query parameters, validated by the same tags as members of a body. A field Body, if
// there is one, holds the body. A list embeds Paging. The handler's error is a *problem.Problem or an unexpected
// failure.
//
// Define panics on a mistake in the declaration, because declarations are evaluated once, at start.
func Define[In, Out any](s Spec, handle func(ctx context.Context, c *Call, in In) (*Reply[Out], error)) *Operation {
	o := &Operation{Spec: s, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out]()}
	if o.NoSuch == "" {
		o.NoSuch = catalog.NotFound
	}
	if o.Bucket == "" {
		o.Bucket = limit.Global
	}
	for i := range o.in.NumField() {
		f := o.in.Field(i)
		if name := f.Tag.Get("path"); name != "" {
			o.params = append(o.params, param{name: name, index: i, isID: f.Type == reflect.TypeFor[ID]()})
		} else if f.Name == "Body" {
			o.body = f.Type
		} else if f.Tag.Get("query") == "" && !f.Anonymous {
			panic(fmt.Sprintf("operation %s: field %s is neither a parameter nor the body", s.Name, f.Name))
		}
	}
	o.query = queryParams(o.in)
	o.newInput = func() any { return new(In) }
	o.invoke = func(ctx context.Context, c *Call, in any) (*reply, error) {
		r, err := handle(ctx, c, *in.(*In))
		if err != nil {
			return nil, err
		}
		return &reply{data: r.Data, meta: r.Meta, retryAfter: r.RetryAfter, etag: r.ETag, found: r.Found}, nil
	}
	return o
}

// decodePath sets the path parameters of an input. A malformed id is the NoSuch error.
func (o *Operation) decodePath(input any, params map[string]string) error {
	to := reflect.ValueOf(input).Elem()
	for _, p := range o.params {
		text := params[p.name]
		if !p.isID {
			to.Field(p.index).SetString(text)
			continue
		}
		id, err := ParseID(text)
		if err != nil {
			return problem.New(o.NoSuch, nil)
		}
		to.Field(p.index).SetInt(int64(id))
	}
	return nil
}

// decodeBody sets the body of an input. Its error lists the problems of the body, up to maxRefusals.
func (o *Operation) decodeBody(d *decoder, body map[string]any, input any) error {
	to := reflect.ValueOf(input).Elem().FieldByName("Body")
	decode := d.object
	if unmarshals(o.body) { // such as a patch of a whole record
		decode = func(s *huma.Schema, path string, in map[string]any, to reflect.Value) refusals {
			return d.value(s, path, in, to)
		}
	}
	refused := decode(d.of(o.body), "", body, to)
	if o.Strict {
		refused = append(refused, d.unknown...)
	}
	if p := problem.All(refused[:min(len(refused), maxRefusals)]); p != nil {
		return p
	}
	return d.failed(o)
}

// MaxID is the largest id. JSON parsers represent integers up to this value exactly.
const MaxID = 1<<53 - 1

// ID is a positive integer. On input a string of digits is accepted as well.
type ID int64

// idPattern is the pattern of an id in digits. It also matches numbers that are too large: an exact pattern would be
// unreadable.
const idPattern = `^0*[1-9][0-9]{0,15}$`

// ParseID parses an id in digits.
func ParseID(s string) (ID, error) {
	n, err := strconv.ParseUint(s, 10, 53)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q is not an id", s)
	}
	return ID(n), nil
}

// UnmarshalJSON parses an integer or a string of digits.
func (i *ID) UnmarshalJSON(b []byte) error {
	s := string(b)
	if len(s) > 1 && s[0] == '"' {
		s = s[1 : len(s)-1]
	}
	id, err := ParseID(s)
	*i = id
	return err
}

// Schema returns the schema of an id as it is accepted.
func (ID) Schema(huma.Registry) *huma.Schema {
	least, most := 1.0, float64(MaxID)
	return &huma.Schema{
		Description: "A positive integer; a string of digits is accepted as well.",
		AnyOf: []*huma.Schema{
			{Type: huma.TypeInteger, Minimum: &least, Maximum: &most},
			{Type: huma.TypeString, Pattern: idPattern},
		},
	}
}
