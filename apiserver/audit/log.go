// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"context"
	"io"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/metric"
)

// Outcomes of a change, as recorded in the lines.
const (
	// Changed means that the change succeeded.
	Changed = "changed"
	// Unknown means that the change may or may not have happened: the cluster did not respond.
	Unknown = "unknown"
	// Found means that an earlier run of the same request created the object. That run may have ended before it
	// recorded the change.
	Found = "found"
)

// Verbs, as recorded in the lines.
const (
	create = "create"
	update = "update"
	remove = "delete"
)

// Config of a Log.
type Config struct {
	// Out receives the lines. If nil, they are written to Log.
	Out io.Writer
	// Log receives the lines that cannot be written to Out.
	Log *slog.Logger
	// Cluster writes the Events; nil disables them.
	Cluster client.Client
	// Replica is the reporting instance of the Events.
	Replica string
	Clock   clock.PassiveClock
}

// Log records changes. The method Found does nothing on a nil Log.
type Log struct {
	config Config
	events chan event
	burst  bucket

	lines, eventsTotal *prometheus.CounterVec
}

// New returns a log and registers its metrics.
func New(c Config, registry prometheus.Registerer) (*Log, error) {
	l := &Log{
		config: c, events: make(chan event, queueSize), burst: bucket{clock: c.Clock},
		lines: metric.AuditLines.New(), eventsTotal: metric.AuditEvents.New(),
	}
	if err := metric.Register(registry, l.lines, l.eventsTotal); err != nil {
		return nil, err
	}
	return l, nil
}

// change is a change that happened or may have happened.
type change struct {
	verb, outcome string
	kind          string
	object        client.Object
	was, is       brief
}

// write records a change, and queues an Event if it succeeded. Events are written for the kinds of Reelops only.
func (l *Log) write(ctx context.Context, c *change) {
	who := From(ctx)
	object := []any{slog.String("kind", c.kind)}
	object = append(object, given("namespace", c.object.GetNamespace(), "name", c.object.GetName(), "id", c.object.GetLabels()[v1beta1.LabelID], "uid", string(c.object.GetUID()))...)
	attrs := append(given("operation", who.Operation, "request_id", who.RequestID), who.attr(), slog.String("verb", c.verb), slog.Group("object", object...))
	if len(c.was) > 0 {
		attrs = append(attrs, slog.Any("before", c.was))
	}
	if len(c.is) > 0 {
		attrs = append(attrs, slog.Any("after", c.is))
	}
	l.put(c.outcome, attrs)
	if c.outcome == Changed && c.kind != roleBinding {
		l.announce(who, c)
	}
}

// Found records that a request found the object which an earlier run of it had created under the name.
func (l *Log) Found(ctx context.Context, namespace, name string) {
	if l == nil {
		return
	}
	who := From(ctx)
	l.put(Found, append(given("operation", who.Operation, "request_id", who.RequestID), who.attr(),
		slog.String("verb", create), slog.Group("object", given("namespace", namespace, "name", name)...)))
}

// put writes one line to Out. It writes to the ordinary log if Out is nil or fails.
func (l *Log) put(outcome string, attrs []any) {
	attrs = append([]any{slog.String("logger", "audit"), slog.String("outcome", outcome)}, attrs...)
	if l.config.Out != nil {
		var doc bytes.Buffer
		slog.New(slog.NewJSONHandler(&doc, nil)).Info("audit", attrs...)
		_, err := l.config.Out.Write(doc.Bytes())
		if err == nil {
			l.lines.WithLabelValues(outcome).Inc()
			return
		}
		l.lines.WithLabelValues("not_written").Inc()
		l.config.Log.Error("writing audit log failed", "error", err.Error())
	} else {
		l.lines.WithLabelValues(outcome).Inc()
	}
	l.config.Log.Info("audit", attrs...)
}
