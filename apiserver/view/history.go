// SPDX-License-Identifier: Apache-2.0

package view

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/kube/fieldowner"
)

// HistoryEntry is one event in the history of a short.
type HistoryEntry struct {
	At       Time   `json:"at" doc:"Time of the event."`
	Subject  string `json:"subject" enum:"short,generation,edit,render,post" doc:"What the event is about. generation: the work that created the content. edit: the work of laying out edited slides."`
	Event    string `json:"event" enum:"created,changed,started,succeeded,failed,cancelled,released,accepted,rejected,not_sent,unknown" doc:"What happened. released: a held post was approved. accepted, rejected, not_sent, unknown: the outcome of an attempt to publish."`
	PostID   *int64 `json:"post_id" example:"512" doc:"The post; null for other subjects."`
	Revision *int64 `json:"revision" example:"1" doc:"The revision that a render shows; null for other subjects."`
	// Attempt is nil for events that belong to no attempt.
	Attempt   *int32             `json:"attempt" example:"1" doc:"Number of the attempt, from 1; null if the event belongs to no attempt."`
	ChangedBy *string            `json:"changed_by" example:"api" doc:"Author of a change of the short: api for a call of this API, else the field manager in Kubernetes, such as kubectl-edit. null for other events."`
	Error     Nullable[JobError] `json:"error" doc:"Reason of a failure; null for other events."`
}

// Subjects of the history.
const (
	subjectShort      = "short"
	subjectGeneration = "generation"
	subjectEdit       = "edit"
	subjectRender     = "render"
	subjectPost       = "post"
)

// Events of the history that are not states of work or of posts.
const (
	eventCreated  = "created"
	eventChanged  = "changed"
	eventStarted  = "started"
	eventReleased = "released"
)

// changedByAPI is the author of changes through the API.
const changedByAPI = "api"

// outcomes are the events for settled attempts to publish.
var outcomes = map[v1beta1.AttemptState]string{
	v1beta1.AttemptAccepted: "accepted", v1beta1.AttemptRejected: "rejected", v1beta1.AttemptNotSent: "not_sent", v1beta1.AttemptUnknown: "unknown",
}

// IdentifiedPost is a post with its id.
type IdentifiedPost struct {
	ID   int64
	Post *v1beta1.Post
}

// History returns the events that the objects of a short and of its posts record, newest first. The short must be a
// whole object. Events of one second are in the order in which the service causes them.
func (s *Short) History(posts []IdentifiedPost) []HistoryEntry {
	h := &history{}
	h.short(s)
	for i := range slices.Backward(s.Renders) {
		h.render(&s.Renders[i])
	}
	for _, p := range slices.Backward(posts) {
		h.post(p)
	}
	slices.SortStableFunc(h.entries, func(a, b HistoryEntry) int { return cmp.Compare(a.At.Unix(), b.At.Unix()) })
	slices.Reverse(h.entries)
	return h.entries
}

// history collects events, the earlier of two in one second first.
type history struct{ entries []HistoryEntry }

// add adds an event, unless its time is unknown.
func (h *history) add(at time.Time, e HistoryEntry) {
	if !at.IsZero() {
		e.At = Time{at}
		h.entries = append(h.entries, e)
	}
}

func (h *history) short(s *Short) {
	var object metav1.Object = s.Show
	if s.Video != nil {
		object = s.Video
	}
	created := v1beta1.CreatedAt(object).Time
	h.add(created, HistoryEntry{Subject: subjectShort, Event: eventCreated})
	stored := object.GetCreationTimestamp()
	for _, w := range fieldowner.Writers(object.GetManagedFields()) {
		// The write that created the object is no change. It may have a later time than the object.
		if object.GetGeneration() <= 1 || w.At.Unix() <= stored.Unix() {
			continue
		}
		by := w.Manager
		if by == fieldowner.Frontend {
			by = changedByAPI
		}
		h.add(w.At, HistoryEntry{Subject: subjectShort, Event: eventChanged, ChangedBy: &by})
	}
	switch {
	case s.Video != nil:
		h.work(s.Video.Status.Work, HistoryEntry{Subject: subjectGeneration})
	case s.Show.Status.Generated != nil:
		h.work(s.Show.Status.Generated, HistoryEntry{Subject: subjectGeneration})
		h.work(s.Show.Status.Work, HistoryEntry{Subject: subjectEdit})
	default:
		h.work(s.Show.Status.Work, HistoryEntry{Subject: subjectGeneration})
	}
}

func (h *history) render(r *v1beta1.RenderJob) {
	e := HistoryEntry{Subject: subjectRender}
	if revision := renders.Revision(r); revision != 0 {
		e.Revision = &revision
	}
	created := e
	created.Event = eventCreated
	h.add(v1beta1.CreatedAt(r).Time, created)
	h.work(r.Status.Work, e)
}

// work adds the start and the end of work. e has the other fields of its events.
func (h *history) work(w *v1beta1.Work, e HistoryEntry) {
	if w == nil {
		return
	}
	e.Attempt = &w.Attempt
	if w.StartedAt != nil {
		e.Event = eventStarted
		h.add(w.StartedAt.Time, e)
	}
	if w.FinishedAt == nil || !w.State.Settled() {
		return
	}
	e.Event = string(w.State)
	if w.State == v1beta1.WorkFailed {
		e.Error.Value = jobError(w.Error)
	}
	h.add(w.FinishedAt.Time, e)
}

func (h *history) post(p IdentifiedPost) {
	e := HistoryEntry{Subject: subjectPost, PostID: &p.ID}
	event := func(at time.Time, name string, attempt *int32, err *v1beta1.WorkError) {
		one := e
		one.Event, one.Attempt = name, attempt
		if err != nil {
			one.Error.Value = jobError(err)
		}
		h.add(at, one)
	}
	event(v1beta1.CreatedAt(p.Post).Time, eventCreated, nil, nil)
	st := &p.Post.Status
	if st.HeldUntil != nil {
		event(st.HeldUntil.Time, eventReleased, nil, nil)
	}
	for i := range st.Attempts {
		a := &st.Attempts[i]
		event(a.StartedAt.Time, eventStarted, &a.Number, nil)
		if name := outcomes[a.State]; name != "" && a.SettledAt != nil {
			event(a.SettledAt.Time, name, &a.Number, a.Error)
		}
	}
	if st.FinishedAt == nil {
		return
	}
	switch st.State {
	case v1beta1.PostSuccess:
		event(st.FinishedAt.Time, string(v1beta1.WorkSucceeded), nil, nil)
	case v1beta1.PostFailed:
		event(st.FinishedAt.Time, string(v1beta1.WorkFailed), nil, st.Error)
	case v1beta1.PostCancelled:
		event(st.FinishedAt.Time, string(v1beta1.PostCancelled), nil, nil)
	}
}
