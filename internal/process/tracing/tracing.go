// SPDX-License-Identifier: Apache-2.0

// Package tracing traces a request through all of Reelops with OpenTelemetry: from the front end to the objects that it
// creates, the manager's reconciles of them, render Jobs and the calls of platforms.
//
// Objects carry the trace in the annotation reelops.dev/traceparent, in W3C format. Objects created for another object
// inherit its trace. Render pods have no credentials and reach only the store and the callback, so they send no spans:
// the manager derives theirs from the times in the RenderJob's record.
//
// Tracing is off unless OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, and then costs almost
// nothing. All other settings are OpenTelemetry's own environment variables: protocol, headers, certificates, sampler,
// resource attributes.
//
// Spans never contain tokens, keys, signed URLs, texts of users or error messages: errors are recorded by their code.
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

// on reports whether spans are created. Reading it is the only cost when tracing is off.
var on atomic.Bool

// Wanted reports whether the environment configures a receiver of spans.
func Wanted(env func(string) string) bool {
	if strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") || strings.EqualFold(env("OTEL_TRACES_EXPORTER"), "none") {
		return false
	}
	return env("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// Begin exports a program's spans to the receiver that the environment configures. It returns a function that exports
// the remaining spans and stops. It does nothing without a receiver. An unavailable receiver only loses spans: errors
// are passed to failed, which may be called often.
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
		return nil, errors.New("the OTLP endpoint cannot be used: check the OTEL_EXPORTER_OTLP_ variables") // the error may contain an address
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

// bare removes the URL from an error, because the URL may contain a password.
func bare(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}

var tracer atomic.Pointer[trace.Tracer]

// Use creates spans with a provider until the returned function is called.
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

// Start starts a span. When tracing is off it returns ctx and a span that does nothing.
func Start(ctx context.Context, name string, kind trace.SpanKind, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	if !on.Load() {
		return ctx, none
	}
	return (*tracer.Load()).Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(attributes...))
}

// Past records a span of an operation that has ended, in the trace of the context. It does nothing if the context has
// no trace.
func Past(ctx context.Context, name string, from, to time.Time, attributes ...attribute.KeyValue) {
	if !on.Load() || !trace.SpanContextFromContext(ctx).IsValid() {
		return
	}
	_, span := (*tracer.Load()).Start(ctx, name, trace.WithTimestamp(from), trace.WithAttributes(attributes...))
	span.End(trace.WithTimestamp(to))
}
