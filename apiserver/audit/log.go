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

// What became of a change, as lines say it.
const (
	// Changed is made.
	Changed = "changed"
	// Unknown may be made or not: the cluster went away before it said so.
	Unknown = "unknown"
	// Found was made by an earlier run of the same request, which may have ended before it could tell.
	Found = "found"
)

// Verbs, as lines say them.
const (
	create = "create"
	update = "update"
	remove = "delete"
)

// Config of a Log.
type Config struct {
	// Out gets the lines; nil lets Log have them.
	Out io.Writer
	// Log gets what cannot be written to Out.
	Log *slog.Logger
	// Cluster is where Events are written; nil for none.
	Cluster client.Client
	// Replica is the instance that Events are reported by.
	Replica string
	Clock   clock.PassiveClock
}

// Log writes changes down. A nil Log finds nothing worth a line.
type Log struct {
	config Config
	events chan event
	burst  bucket

	lines, told *prometheus.CounterVec
}

// New makes a log and counts in the registry what it writes.
func New(c Config, registry prometheus.Registerer) (*Log, error) {
	l := &Log{
		config: c, events: make(chan event, queued), burst: bucket{clock: c.Clock},
		lines: metric.AuditLines.New(), told: metric.AuditEvents.New(),
	}
	if err := metric.Register(registry, l.lines, l.told); err != nil {
		return nil, err
	}
	return l, nil
}

// change is one that was made, or may have been.
type change struct {
	verb, outcome string
	kind          string
	object        client.Object
	was, is       brief
}

// write tells of a change.
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
	if c.outcome == Changed {
		l.announce(who, c)
	}
}

// Found tells that a request found what an earlier run of it had made under the name.
func (l *Log) Found(ctx context.Context, namespace, name string) {
	if l == nil {
		return
	}
	who := From(ctx)
	l.put(Found, append(given("operation", who.Operation, "request_id", who.RequestID), who.attr(),
		slog.String("verb", create), slog.Group("object", given("namespace", namespace, "name", name)...)))
}

// put writes one line, to the ordinary log when there is no other place, or when that one does not take it.
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
		l.config.Log.Error("audit lines cannot be written where they belong", "error", err.Error())
	} else {
		l.lines.WithLabelValues(outcome).Inc()
	}
	l.config.Log.Info("audit", attrs...)
}
