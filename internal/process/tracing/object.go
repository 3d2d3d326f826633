// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// Variable is the environment variable of a render pod that contains the trace context.
const Variable = "TRACEPARENT"

// Header is the HTTP header that contains the trace context of a request.
const Header = "traceparent"

var w3c propagation.TraceContext

// Parent returns the context's span in W3C format; empty if there is none.
func Parent(ctx context.Context) string {
	if !on.Load() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	w3c.Inject(ctx, carrier)
	return carrier[Header]
}

// With returns a context that continues the trace of a parent in W3C format. It returns ctx for any other value.
func With(ctx context.Context, parent string) context.Context {
	if parent == "" || !on.Load() {
		return ctx
	}
	return w3c.Extract(ctx, propagation.MapCarrier{Header: parent})
}

// TraceID returns the trace ID of a parent in W3C format, for logs; empty if there is none.
func TraceID(parent string) string {
	c := trace.SpanContextFromContext(w3c.Extract(context.Background(), propagation.MapCarrier{Header: parent}))
	if !c.IsValid() {
		return ""
	}
	return c.TraceID().String()
}

// Request starts the span of an API request, in the trace that the client sent, if any.
func Request(ctx context.Context, parent, method string) (context.Context, trace.Span) {
	if !on.Load() {
		return ctx, none
	}
	return Start(With(ctx, parent), "request", Server, attribute.String("http.request.method", method))
}

// Pass starts the span of a reconcile of an object, in the object's trace. Objects without a trace get no span.
func Pass(ctx context.Context, o client.Object) (context.Context, trace.Span) {
	if !on.Load() {
		return ctx, none
	}
	parent := o.GetAnnotations()[v1beta1.AnnotationTraceParent]
	if TraceID(parent) == "" {
		return ctx, none
	}
	kind := kindOf(o)
	return Start(With(ctx, parent), strings.ToLower(kind)+" pass", Internal, attribute.String("k8s.namespace.name", o.GetNamespace()),
		attribute.String("reelops.kind", kind), attribute.String("reelops.name", o.GetName()), attribute.String("reelops.id", o.GetLabels()[v1beta1.LabelID]))
}

// Passes wraps a reconciler so that every reconcile is a span in the trace of its object.
func Passes[T client.Object](r reconcile.ObjectReconciler[T]) reconcile.ObjectReconciler[T] {
	return &passes[T]{r}
}

type passes[T client.Object] struct{ next reconcile.ObjectReconciler[T] }

func (p *passes[T]) Reconcile(ctx context.Context, o T) (ctrl.Result, error) {
	if !on.Load() {
		return p.next.Reconcile(ctx, o)
	}
	ctx, span := Pass(ctx, o)
	defer span.End()
	res, err := p.next.Reconcile(ctx, o)
	if err != nil {
		span.SetStatus(codes.Error, "the reconcile is retried") // the error's text may contain addresses
	}
	return res, err
}

// kindOf returns the kind of objects that carry a trace; empty for all others.
func kindOf(o client.Object) string {
	switch o.(type) {
	case *v1beta1.Slideshow:
		return "Slideshow"
	case *v1beta1.Video:
		return "Video"
	case *v1beta1.RenderJob:
		return "RenderJob"
	case *v1beta1.PostBatch:
		return "PostBatch"
	case *v1beta1.Post:
		return "Post"
	case *v1beta1.MediaAsset:
		return "MediaAsset"
	case *v1beta1.MusicTrack:
		return "MusicTrack"
	}
	return ""
}

// Stamping returns a client that annotates the objects that it creates with the trace of the context.
func Stamping(c client.Client) client.Client { return &stamping{c} }

type stamping struct{ client.Client }

func (s *stamping) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	if on.Load() && kindOf(o) != "" && o.GetAnnotations()[v1beta1.AnnotationTraceParent] == "" {
		if parent := Parent(ctx); parent != "" {
			marked := map[string]string{v1beta1.AnnotationTraceParent: parent}
			for k, v := range o.GetAnnotations() {
				marked[k] = v
			}
			o.SetAnnotations(marked)
		}
	}
	return s.Client.Create(ctx, o, opts...)
}
