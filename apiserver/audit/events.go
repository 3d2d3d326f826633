// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/api/v1beta1"
)

// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create

// Events are informational; the audit lines are the record. So no request waits for an Event, and excess Events are
// dropped.
const (
	queueSize  = 256 // capacity of the queue
	mostAtOnce = 100
	perSecond  = 20
	writeTime  = 5 * time.Second
	lastTime   = 2 * time.Second // time for the queued Events after the process is stopped
	writers    = 2
)

const (
	// reporter is the reporting controller of the Events.
	reporter = "reelops-apiserver"
	// maxNote is the API's limit, in bytes.
	maxNote = 1024
)

// reasons are the reasons of Events by verb.
var reasons = map[string]string{create: "Requested", update: "Changed", remove: "Removed"}

type event struct {
	who    Actor
	kind   string
	object corev1.ObjectReference
	verb   string
	fields []string
	at     time.Time
}

// announce queues an Event. It drops the Event if the rate limit or the queue is exhausted.
func (l *Log) announce(who Actor, c *change) {
	if l.config.Cluster == nil {
		return
	}
	e := event{
		who: who, kind: c.kind, verb: c.verb, at: l.config.Clock.Now(),
		object: corev1.ObjectReference{
			APIVersion: v1beta1.GroupVersion.String(), Kind: c.kind, Namespace: c.object.GetNamespace(), Name: c.object.GetName(),
			UID: c.object.GetUID(), ResourceVersion: c.object.GetResourceVersion(),
		},
	}
	if c.verb == update {
		e.fields = slices.Sorted(maps.Keys(merged(c.was, c.is)))
	}
	if l.burst.take() {
		select {
		case l.events <- e:
			return
		default:
		}
	}
	l.eventsTotal.WithLabelValues("dropped").Inc()
}

// Run writes Events until the context ends, and then the queued ones for at most lastTime.
func (l *Log) Run(ctx context.Context) {
	last, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var running sync.WaitGroup
	for range writers {
		running.Add(1)
		go func() {
			defer running.Done()
			for {
				select {
				case e := <-l.events:
					l.writeEvent(last, &e)
				case <-ctx.Done():
					l.drain(last)
					return
				}
			}
		}()
	}
	context.AfterFunc(ctx, func() { time.AfterFunc(lastTime, stop) })
	running.Wait()
}

// drain writes the queued Events.
func (l *Log) drain(ctx context.Context) {
	for {
		select {
		case e := <-l.events:
			l.writeEvent(ctx, &e)
		default:
			return
		}
	}
}

func (l *Log) writeEvent(ctx context.Context, e *event) {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	result := "written"
	if err := l.config.Cluster.Create(ctx, e.render(l.config.Replica)); err != nil {
		result = "failed"
		l.config.Log.Debug("recording event failed", "kind", e.kind, "name", e.object.Name, "error", err.Error())
	}
	l.eventsTotal.WithLabelValues(result).Inc()
}

// render returns the Event object. Each change has its own Event: similar ones are not aggregated, because each has its
// own request id.
func (e *event) render(replica string) *eventsv1.Event {
	note := e.who.Operation
	if note == "" {
		note = e.verb
	}
	note += " " + e.who.who()
	if e.who.RequestID != "" {
		note += ", request " + e.who.RequestID
	}
	if len(e.fields) > 0 {
		note += ": " + strings.Join(e.fields, ", ")
	}
	action := e.who.Operation
	if action == "" {
		action = e.verb
	}
	return &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: e.object.Namespace, Name: cut(e.object.Name, 200) + "." + strings.ToLower(rand.Text())},
		EventTime:  metav1.NewMicroTime(e.at), ReportingController: reporter, ReportingInstance: cut(replica, 128), Action: cut(action, 128),
		Reason: reasons[e.verb], Regarding: e.object, Note: cut(note, maxNote), Type: corev1.EventTypeNormal,
	}
}

// cut limits a text to a number of bytes, without splitting a character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	const ellipsis = "…"
	for most -= len(ellipsis); most > 0 && s[most]&0xC0 == 0x80; most-- {
	}
	return s[:most] + ellipsis
}

// bucket is a rate limiter for Events: a burst of mostAtOnce, then perSecond.
type bucket struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	spent float64
	at    time.Time
}

func (b *bucket) take() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now()
	if b.at.IsZero() {
		b.at = now
	}
	b.spent = max(0, b.spent-now.Sub(b.at).Seconds()*perSecond)
	b.at = now
	if b.spent+1 > mostAtOnce {
		return false
	}
	b.spent++
	return true
}
