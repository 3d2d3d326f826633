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

// Bucket names the most specific rate limit that an operation counts against.
type Bucket = limit.Bucket

// Buckets are the rate limits that operations count against.
const (
	Global     = limit.Global
	Generation = limit.Generation
	Posting    = limit.Posting
)

// Spec declares an operation.
type Spec struct {
	// Name in snake_case, unique: the OpenAPI operation id, the label of its metrics.
	Name string
	// Method and Path of its route; a path parameter is a whole segment such as {id}.
	Method, Path string
	// Summary is a short phrase, Description may say more; Tag groups operations.
	Summary, Description, Tag string
	// Scope that the key needs; empty means any valid key.
	Scope v1beta1.Scope
	// ForBrand says that the operation acts on one brand, the key's own or the one named.
	ForBrand bool
	// Bucket is its own rate limit, besides the one on all calls of a key; the handler counts the call with Call.Accept.
	Bucket Bucket
	// Idempotent says that the operation remembers its answer under an Idempotency-Key.
	Idempotent bool
	// Strict refuses bodies with members that are not known: for what cannot be undone.
	Strict bool
	// Status of a success.
	Status int
	// NoSuch is the code for a path id that names nothing.
	NoSuch catalog.Code
	// Errors it can answer with beyond those that every operation has.
	Errors []catalog.Code
	// Unprocessable are codes that it answers with under status 422, whatever their usual status.
	Unprocessable []catalog.Code
	// Polls says that answers carry Retry-After.
	Polls bool
	// Waits gives a call MaxWait more than the usual time, for Wait.
	Waits bool
	// Tagged says that answers carry an ETag and that If-None-Match is heeded.
	Tagged bool
	// BodyExample and DataExample are shown in the description.
	BodyExample, DataExample any
	// DataExamples are shown instead where the data is of several sorts, by their names.
	DataExamples map[string]any
}

// Reply is a handler's success.
type Reply[Out any] struct {
	Data Out
	Meta Meta
	// RetryAfter is sent as a header when it is not 0.
	RetryAfter time.Duration
	// ETag names this state of the data, without quotes; a caller that has it already gets 304 and no body.
	ETag string
	// Found reports whether an earlier run of the same request had created the record already; see Call.Resumed.
	Found bool
}

// Meta accompanies every success.
type Meta struct {
	IgnoredFields  []string        `json:"ignored_fields,omitempty" doc:"Members of the body that were not known and not used: the first 100."`
	Warnings       []Warning       `json:"warnings,omitempty" doc:"What was accepted but not as may be expected."`
	Normalizations []Normalization `json:"normalizations,omitempty" doc:"What was changed so that slides stay readable and inside what the renderer supports."`
	Pagination     *Pagination     `json:"pagination,omitempty" doc:"On lists."`
	Source         string          `json:"source,omitempty" doc:"Where listed media come from: own, packs or stock."`
	SearchMethod   string          `json:"search_method,omitempty" doc:"How listed media were found: recent without a query, text by the words of it, semantic by its meaning."`
	// IdempotentReplay stands last, so that a replay differs from the first answer by what follows it alone.
	IdempotentReplay bool `json:"idempotent_replay,omitempty" doc:"True when this is the remembered answer to an earlier request with the same Idempotency-Key."`
}

// Warning tells of something that was accepted but not as a caller may expect.
type Warning struct {
	Code    string `json:"code" doc:"For programs."`
	Message string `json:"message" doc:"For people; may be reworded."`
}

// Normalization is one change made to a slide.
type Normalization struct {
	SlideID      int64  `json:"slide_id" doc:"The slide that was changed."`
	OverlayIndex int32  `json:"overlay_index" doc:"-1 for the gradient and for the time of a slide."`
	Field        string `json:"field" doc:"The member that was changed."`
	From         string `json:"from" doc:"What it was."`
	To           string `json:"to" doc:"What it is."`
	Reason       string `json:"reason" doc:"Why, for programs."`
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

// reply is a handler's success whatever its type.
type reply struct {
	data       any
	meta       Meta
	retryAfter time.Duration
	etag       string
	found      bool
}

// Define declares an operation. In is a struct: fields tagged path:"name" of type ID or string take path parameters,
// those tagged query:"name" query parameters, checked by the same tags as members of a body, and a field Body, if
// there is one, the body. A list embeds Paging. The handler's error is a *problem.Problem or an unexpected failure. A
// mistake in the declaration panics: it is made once, at start.
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

// decodePath sets the path parameters of an input. An id that is none names nothing.
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

// decodeBody sets the body of an input. Its error has all problems of the body, up to maxRefusals.
func (o *Operation) decodeBody(d *decoder, body map[string]any, input any) error {
	refused := d.object(d.of(o.body), "", body, reflect.ValueOf(input).Elem().FieldByName("Body"))
	if o.Strict {
		refused = append(refused, d.unknown...)
	}
	if p := problem.All(refused[:min(len(refused), maxRefusals)]); p != nil {
		return p
	}
	return d.failed(o)
}

// MaxID is the largest id: every JSON reader keeps integers up to here exact.
const MaxID = 1<<53 - 1

// ID is a positive integer. On input a string of digits is accepted as well.
type ID int64

// idPattern is the shape of an id in digits. It also matches numbers that are too large: a pattern for the exact bound
// would be unreadable.
const idPattern = `^0*[1-9][0-9]{0,15}$`

// ParseID reads an id in digits.
func ParseID(s string) (ID, error) {
	n, err := strconv.ParseUint(s, 10, 53)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q is not an id", s)
	}
	return ID(n), nil
}

// UnmarshalJSON reads an integer or a string of digits.
func (i *ID) UnmarshalJSON(b []byte) error {
	s := string(b)
	if len(s) > 1 && s[0] == '"' {
		s = s[1 : len(s)-1]
	}
	id, err := ParseID(s)
	*i = id
	return err
}

// Schema describes an id as it is accepted.
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
