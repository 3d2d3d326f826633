// SPDX-License-Identifier: Apache-2.0

// Package tracing follows one request through all of Reelops with OpenTelemetry: from the front end into the objects that it makes,
// to the manager's passes over them, to render Jobs and the calls of platforms.
//
// Objects carry the trace in the annotation reelops.dev/traceparent, in the form of the W3C. What is made for an object carries it
// on. Render pods hold no credentials and reach nothing but the store and the callback, so they send no spans: the manager derives
// theirs from the times in the RenderJob's record.
//
// It is off unless OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, and costs next to nothing then. All
// further settings are OpenTelemetry's own environment variables: protocol, headers, certificates, sampler, resource attributes.
//
// Spans never hold tokens, keys, signed addresses, texts of users or the texts of errors: an error is its code.
package tracing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Kinds of spans.
const (
	Internal = trace.SpanKindInternal
	Server   = trace.SpanKindServer
	Client   = trace.SpanKindClient
)

// name of the instrumentation.
const name = "github.com/reelops/reelops"

// on says that spans are made. It is one read of memory where tracing is off.
var on atomic.Bool

// Wanted says whether the environment names a receiver of spans.
func Wanted(env func(string) string) bool {
	if strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") || strings.EqualFold(env("OTEL_TRACES_EXPORTER"), "none") {
		return false
	}
	return env("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// Begin sends spans of a program to where the environment says, until the function that it gives is called, which sends what is
// left. It does nothing where the environment names no receiver. A receiver that is away costs spans and nothing else: failures go to
// failed, which may be called often.
func Begin(ctx context.Context, service string, failed func(error)) (end func(), err error) {
	if !Wanted(os.Getenv) {
		return func() {}, nil
	}
	var client otlptrace.Client
	switch p := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"), "http/protobuf"); p {
	case "http/protobuf":
		client = otlptracehttp.NewClient()
	case "grpc":
		client = otlptracegrpc.NewClient()
	default:
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf or grpc, not %q", p)
	}
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, errors.New("the receiver of spans cannot be used: see the OTEL_EXPORTER_OTLP_ variables") // the error may hold an address
	}
	from, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", service), attribute.String("service.namespace", "reelops")),
		resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { failed(bare(err)) }))
	stop := Use(sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(from)))
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		stop(ctx)
	}, nil
}

// bare takes the address off an error: it may hold a password.
func bare(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}

var tracer atomic.Pointer[trace.Tracer]

// Use makes spans by a provider until the function that it gives is called.
func Use(p *sdktrace.TracerProvider) (stop func(context.Context)) {
	t := p.Tracer(name)
	tracer.Store(&t)
	on.Store(true)
	return func(ctx context.Context) {
		on.Store(false)
		_ = p.Shutdown(ctx)
	}
}

var none = trace.SpanFromContext(context.Background())

// Start begins a span. Where tracing is off it gives the context as it is and a span that does nothing.
func Start(ctx context.Context, name string, kind trace.SpanKind, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	if !on.Load() {
		return ctx, none
	}
	return (*tracer.Load()).Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(attributes...))
}

// Past makes a span of something that is over, in the trace of the context. Without one there is nothing that it would be a part of.
func Past(ctx context.Context, name string, from, to time.Time, attributes ...attribute.KeyValue) {
	if !on.Load() || !trace.SpanContextFromContext(ctx).IsValid() {
		return
	}
	_, span := (*tracer.Load()).Start(ctx, name, trace.WithTimestamp(from), trace.WithAttributes(attributes...))
	span.End(trace.WithTimestamp(to))
}
