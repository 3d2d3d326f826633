// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// recording records spans for the duration of a test.
func recording(t *testing.T) *tracetest.InMemoryExporter {
	t.Helper()
	out := tracetest.NewInMemoryExporter()
	stop := Use(sdktrace.NewTracerProvider(sdktrace.WithSyncer(out)))
	t.Cleanup(func() { stop(context.Background()) })
	return out
}

func TestWanted_NeedsAReceiver(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, true},
		{map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}, true},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_SDK_DISABLED": "true"}, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_TRACES_EXPORTER": "none"}, false},
	} {
		if got := Wanted(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%v: got %v", c.env, got)
		}
	}
}

func TestTrace_FollowsObjects(t *testing.T) {
	out := recording(t)
	ctx, request := Request(t.Context(), parent, http.MethodPost)

	c := Stamping(fake.NewClientBuilder().WithScheme(testkit.Scheme()).Build())
	batch := &v1beta1.PostBatch{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "b"}}
	record := &v1beta1.IdempotencyRecord{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "r"}}
	for _, o := range []client.Object{batch, record} {
		if err := c.Create(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	request.End()
	if len(record.Annotations) != 0 {
		t.Errorf("a record without spans reports %v", record.Annotations)
	}

	// The manager's pass over the batch creates a post, and a pass over that calls a platform.
	post := &v1beta1.Post{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "p", Annotations: map[string]string{"own": "kept"}}}
	passed := Passes[*v1beta1.PostBatch](step[*v1beta1.PostBatch](func(ctx context.Context) error { return c.Create(ctx, post) }))
	if _, err := passed.Reconcile(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if post.Annotations["own"] != "kept" {
		t.Errorf("got annotations %v", post.Annotations)
	}
	called := Passes[*v1beta1.Post](step[*v1beta1.Post](func(ctx context.Context) error {
		_, span := Start(ctx, "platform commit", Client)
		span.End()
		return errors.New("secret address")
	}))
	if _, err := called.Reconcile(t.Context(), post); err == nil {
		t.Fatal("the error text is recorded")
	}
	var names []string
	for _, s := range out.GetSpans() {
		names = append(names, s.Name)
		if id := s.SpanContext.TraceID().String(); id != "4bf92f3577b34da6a3ce929d0e0e4736" {
			t.Errorf("%s is of the trace %s", s.Name, id)
		}
		if s.Status.Description == "secret address" || len(s.Events) > 0 {
			t.Errorf("%s contains the error's text", s.Name)
		}
	}
	if len(names) != 4 {
		t.Errorf("got spans %v", names)
	}
}

// step is a reconciler with one action.
type step[T client.Object] func(context.Context) error

func (s step[T]) Reconcile(ctx context.Context, _ T) (ctrl.Result, error) {
	return ctrl.Result{}, s(ctx)
}

func TestTrace_ObjectsWithoutATrace(t *testing.T) {
	out := recording(t)
	Past(t.Context(), "media work", time.Unix(0, 0), time.Unix(1, 0))
	for _, value := range []string{"", "nonsense", "00-00000000000000000000000000000000-00f067aa0ba902b7-01"} {
		p := &v1beta1.Post{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{v1beta1.AnnotationTraceParent: value}}}
		_, span := Pass(t.Context(), p)
		span.End()
	}
	if n := len(out.GetSpans()); n != 0 {
		t.Errorf("got %d spans", n)
	}
}

func TestTrace_Off(t *testing.T) {
	c := Stamping(fake.NewClientBuilder().WithScheme(testkit.Scheme()).Build())
	p := &v1beta1.Post{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "p"}}
	ctx, span := Start(t.Context(), "x", Internal)
	if err := c.Create(ctx, p); err != nil {
		t.Fatal(err)
	}
	if ctx != t.Context() || span.IsRecording() || len(p.Annotations) != 0 || Parent(ctx) != "" {
		t.Error("a span was recorded")
	}
	p.Annotations = map[string]string{v1beta1.AnnotationTraceParent: parent}
	if n := testing.AllocsPerRun(100, func() {
		ctx, span := Pass(ctx, p)
		ctx, inner := Start(ctx, "platform commit", Client, attribute.String("reelops.platform", "tiktok"))
		_ = With(ctx, parent)
		inner.End()
		span.End()
	}); n > 1 {
		t.Errorf("got %v allocations", n)
	}
}

func BenchmarkOff(b *testing.B) {
	p := &v1beta1.Post{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{v1beta1.AnnotationTraceParent: parent}}}
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		ctx, span := Pass(ctx, p)
		_, inner := Start(ctx, "platform commit", Client, attribute.String("reelops.platform", "tiktok"))
		inner.End()
		span.End()
	}
}
