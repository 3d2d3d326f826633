// SPDX-License-Identifier: Apache-2.0

package outbox

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
)

const (
	// Retention is how long events are kept.
	Retention = 30 * 24 * time.Hour
	// Latest is the age up to which a transition is recorded. It is below Retention, so that the deletion of a segment
	// never makes its transitions count as new.
	Latest = Retention - 24*time.Hour
	// MaxBody is the maximum size of the body of an event in bytes.
	MaxBody = 20_000
	// maxEvents and maxBytes limit a segment, so that reading one needs a bounded amount of memory. maxBytes counts
	// bodies. A call with larger events has a segment of its own, of at most maxSegment bytes.
	maxEvents, maxBytes = 500, 256 << 10
	maxSegment          = 1 << 20
)

// Event is a recorded event.
type Event struct {
	// ID identifies the transition. It is sent as webhook-id.
	ID string `json:"id"`
	// UID is the uid of the object.
	UID types.UID `json:"uid"`
	// Transition has the type, the sequence and the time.
	v1beta1.Transition `json:",inline"`
	// Brand is the name of the brand; empty for events of the account.
	Brand string `json:"brand,omitempty"`
	// Body is the body of the request, at most MaxBody bytes.
	Body json.RawMessage `json:"body"`
}

// ID returns the id of a transition of an object.
func ID(uid types.UID, t v1beta1.Transition) string {
	sum := sha256.Sum256([]byte(string(uid) + "\n" + string(t.Event) + "\n" + strconv.FormatInt(t.Sequence, 10)))
	return "evt_" + hex.EncodeToString(sum[:16])
}

// Outbox records and reads events. It is safe for concurrent use.
type Outbox struct {
	store *blob.Store
	clock clock.PassiveClock

	mu   sync.Mutex
	logs map[string]*log
}

// New returns an Outbox on a store.
func New(s *blob.Store, c clock.PassiveClock) *Outbox {
	return &Outbox{store: s, clock: c, logs: map[string]*log{}}
}

// log is the outbox of one namespace.
type log struct {
	mu     sync.Mutex
	loaded bool
	// segments are the known segments, oldest first.
	segments []segment
	// recorded is the sequence of the newest recorded transition of an object.
	recorded map[types.UID]mark

	queue sync.Mutex // guards batch
	batch *batch
}

type mark struct {
	sequence int64
	at       time.Time
}

// segment is the metadata of a segment.
type segment struct {
	number int64
	// newest is the time of its newest event.
	newest time.Time
}

// batch collects the events of concurrent calls of Record.
type batch struct {
	events []Event
	bytes  int
	done   chan struct{}
	err    error
}

func (o *Outbox) log(namespace string) *log {
	o.mu.Lock()
	defer o.mu.Unlock()
	l := o.logs[namespace]
	if l == nil {
		l = &log{recorded: map[types.UID]mark{}}
		o.logs[namespace] = l
	}
	return l
}

// root is the prefix of the outboxes of all namespaces.
const root = "webhooks/"

func prefix(namespace string) string { return root + namespace + "/" }

func key(namespace string, number int64) string {
	return fmt.Sprintf("%s%016d", prefix(namespace), number)
}

// Unrecorded returns the transitions of an object that are not recorded, except those older than Latest.
func (o *Outbox) Unrecorded(
	ctx context.Context, namespace string, uid types.UID, all []v1beta1.Transition,
) ([]v1beta1.Transition, error) {
	if len(all) == 0 {
		return nil, nil
	}
	l := o.log(namespace)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := o.load(ctx, namespace, l); err != nil {
		return nil, err
	}
	oldest := o.clock.Now().Add(-Latest)
	return slices.DeleteFunc(slices.Clone(all), func(t v1beta1.Transition) bool {
		return t.Sequence <= l.recorded[uid].sequence || t.At.Time.Before(oldest)
	}), nil
}

// Record stores events of one object, in the order of their sequence. It returns after they are stored. Events that are
// already recorded are omitted.
func (o *Outbox) Record(ctx context.Context, namespace string, events []Event) error {
	if len(events) == 0 {
		return nil
	}
	l := o.log(namespace)
	n := 0
	for i := range events {
		n += len(events[i].Body)
	}
	l.queue.Lock()
	b := l.batch
	first := b == nil || len(b.events)+len(events) > maxEvents || b.bytes+n > maxBytes
	if first {
		b = &batch{done: make(chan struct{})}
		l.batch = b
	}
	b.events, b.bytes = append(b.events, events...), b.bytes+n
	l.queue.Unlock()
	if !first {
		select {
		case <-b.done:
			return b.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	// Calls that arrive while the previous segment is being written join this batch.
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue.Lock()
	if l.batch == b {
		l.batch = nil
	}
	l.queue.Unlock()
	b.err = o.write(context.WithoutCancel(ctx), namespace, l, b.events)
	close(b.done)
	return b.err
}

// write stores a segment. The caller holds l.mu.
func (o *Outbox) write(ctx context.Context, namespace string, l *log, events []Event) error {
	if err := o.load(ctx, namespace, l); err != nil {
		return err
	}
	seen := map[string]bool{}
	events = slices.DeleteFunc(events, func(e Event) bool {
		again := seen[e.ID] || e.Sequence <= l.recorded[e.UID].sequence
		seen[e.ID] = true
		return again
	})
	if len(events) == 0 {
		return nil
	}
	text, err := json.Marshal(events)
	if err != nil {
		return fmt.Errorf("encoding events: %w", err)
	}
	number := o.clock.Now().UnixMicro()
	if n := len(l.segments); n > 0 {
		number = max(number, l.segments[n-1].number+1)
	}
	if err := o.store.Put(ctx, key(namespace, number), "application/json", bytes.NewReader(text)); err != nil {
		// The segment may be stored although the response was lost. Reading the segments again finds out.
		l.loaded = false
		return err
	}
	l.add(number, events)
	return o.expire(ctx, namespace, l)
}

func (l *log) add(number int64, events []Event) {
	s := segment{number: number}
	for i := range events {
		e := &events[i]
		l.recorded[e.UID] = mark{max(l.recorded[e.UID].sequence, e.Sequence), e.At.Time}
		if e.At.After(s.newest) {
			s.newest = e.At.Time
		}
	}
	l.segments = append(l.segments, s)
}

// load reads the segments of a namespace once. The caller holds l.mu.
func (o *Outbox) load(ctx context.Context, namespace string, l *log) error {
	if l.loaded {
		return nil
	}
	l.segments, l.recorded = nil, map[types.UID]mark{}
	var numbers []int64
	if err := o.store.Walk(ctx, prefix(namespace), func(b blob.Object) error {
		if n, err := strconv.ParseInt(strings.TrimPrefix(b.Key, prefix(namespace)), 10, 64); err == nil {
			numbers = append(numbers, n)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("listing the outbox: %w", err)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		events, err := o.segment(ctx, namespace, n)
		if err != nil {
			return err
		}
		l.add(n, events)
	}
	l.loaded = true
	return nil
}

// expire deletes segments older than Retention, except the newest. The caller holds l.mu.
func (o *Outbox) expire(ctx context.Context, namespace string, l *log) error {
	oldest := o.clock.Now().Add(-Retention)
	expired := 0
	for len(l.segments) > 1 && l.segments[0].newest.Before(oldest) {
		if err := o.store.Delete(ctx, key(namespace, l.segments[0].number)); err != nil {
			return fmt.Errorf("deleting an expired segment: %w", err)
		}
		l.segments, expired = l.segments[1:], expired+1
	}
	if expired > 0 {
		for uid, m := range l.recorded {
			if m.at.Before(oldest) {
				delete(l.recorded, uid)
			}
		}
	}
	return nil
}

// Sweep deletes the segments that were written before Retention, also of namespaces in which nothing is recorded any
// more, and all segments of the namespaces that keep rejects. It returns the number of deleted segments.
func (o *Outbox) Sweep(ctx context.Context, keep func(namespace string) (bool, error)) (deleted int, err error) {
	all := map[string][]blob.Object{}
	if err := o.store.Walk(ctx, root, func(b blob.Object) error {
		if namespace, _, ok := strings.Cut(strings.TrimPrefix(b.Key, root), "/"); ok {
			all[namespace] = append(all[namespace], b)
		}
		return nil
	}); err != nil {
		return 0, fmt.Errorf("listing the outboxes: %w", err)
	}
	var failed []error
	for namespace, segments := range all {
		n, err := o.sweep(ctx, namespace, segments, keep)
		deleted += n
		failed = append(failed, err)
	}
	return deleted, errors.Join(failed...)
}

func (o *Outbox) sweep(
	ctx context.Context, namespace string, segments []blob.Object, keep func(string) (bool, error),
) (deleted int, err error) {
	l := o.log(namespace)
	l.mu.Lock()
	defer l.mu.Unlock()
	kept, err := keep(namespace)
	if err != nil {
		return 0, err
	}
	// No event is newer than its segment.
	oldest := o.clock.Now().Add(-Retention)
	for _, s := range segments {
		if kept && !s.Modified.Before(oldest) {
			continue
		}
		if err := o.store.Delete(ctx, s.Key); err != nil {
			return deleted, fmt.Errorf("deleting %s: %w", s.Key, err)
		}
		l.loaded, deleted = false, deleted+1
	}
	if !kept {
		l.segments, l.recorded = nil, nil
	}
	return deleted, nil
}

func (o *Outbox) segment(ctx context.Context, namespace string, number int64) ([]Event, error) {
	r, err := o.store.Get(ctx, key(namespace, number))
	if err != nil {
		return nil, fmt.Errorf("reading events: %w", err)
	}
	defer r.Close()
	var out []Event
	if err := json.NewDecoder(io.LimitReader(r, maxSegment)).Decode(&out); err != nil {
		return nil, fmt.Errorf("decoding segment %d: %w", number, err)
	}
	return out, nil
}

// Recorded is an event with its position.
type Recorded struct {
	Event
	Position v1beta1.WebhookCursor
}

// End returns the position after the newest event.
func (o *Outbox) End(ctx context.Context, namespace string) (v1beta1.WebhookCursor, error) {
	l := o.log(namespace)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := o.load(ctx, namespace, l); err != nil {
		return v1beta1.WebhookCursor{}, err
	}
	if len(l.segments) == 0 {
		return v1beta1.WebhookCursor{Segment: 1}, nil
	}
	return v1beta1.WebhookCursor{Segment: l.segments[len(l.segments)-1].number + 1}, nil
}

// Since returns the position of the first segment with an event at or after a time.
func (o *Outbox) Since(ctx context.Context, namespace string, t time.Time) (v1beta1.WebhookCursor, error) {
	end, err := o.End(ctx, namespace)
	if err != nil {
		return end, err
	}
	l := o.log(namespace)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.segments {
		if !s.newest.Before(t) {
			return v1beta1.WebhookCursor{Segment: s.number}, nil
		}
	}
	return end, nil
}

// At returns the events at positions, without those whose segments are deleted. It reads the segments from the store,
// so that another process than the writer can call it. Positions may be nil.
func (o *Outbox) At(
	ctx context.Context, namespace string, positions []*v1beta1.WebhookCursor,
) (map[v1beta1.WebhookCursor]Event, error) {
	want := map[int64][]*v1beta1.WebhookCursor{}
	for _, p := range positions {
		if p != nil {
			want[p.Segment] = append(want[p.Segment], p)
		}
	}
	out := map[v1beta1.WebhookCursor]Event{}
	for number, some := range want {
		events, err := o.segment(ctx, namespace, number)
		if errors.Is(err, blob.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, p := range some {
			if p.Index >= 0 && int(p.Index) < len(events) {
				out[*p] = events[p.Index]
			}
		}
	}
	return out, nil
}

// Next returns the events of the segment at a position, from the position on, and the position after them. Without
// further events it returns none and the same position. Deleted segments are skipped.
func (o *Outbox) Next(
	ctx context.Context, namespace string, at v1beta1.WebhookCursor,
) ([]Recorded, v1beta1.WebhookCursor, error) {
	l := o.log(namespace)
	l.mu.Lock()
	if err := o.load(ctx, namespace, l); err != nil {
		l.mu.Unlock()
		return nil, at, err
	}
	i, _ := slices.BinarySearchFunc(l.segments, at.Segment, func(s segment, n int64) int {
		return cmp.Compare(s.number, n)
	})
	if i == len(l.segments) {
		l.mu.Unlock()
		return nil, at, nil
	}
	number := l.segments[i].number
	l.mu.Unlock()
	if number != at.Segment {
		at = v1beta1.WebhookCursor{Segment: number}
	}
	events, err := o.segment(ctx, namespace, number)
	if err != nil {
		return nil, at, err
	}
	var out []Recorded
	for n := int(at.Index); n < len(events); n++ {
		out = append(out, Recorded{Event: events[n], Position: v1beta1.WebhookCursor{Segment: number, Index: int32(n)}})
	}
	return out, v1beta1.WebhookCursor{Segment: number + 1}, nil
}
