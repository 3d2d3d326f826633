// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/sandbox"
)

// judgement compares a snapshot with the model.
type judgement struct {
	*history
	snap *snapshot
	// problems are differences that may be temporary, breach is a permanent one.
	problems []string
	breach   error
	promises map[string]promise
	states   []state
	tally    tally
}

// judge compares everything in a snapshot with the model. Events are compared if the snapshot has them.
func (h *history) judge(ctx context.Context, s *snapshot) *judgement {
	j := &judgement{history: h, snap: s, promises: map[string]promise{}}
	j.observeOutcomes()
	j.brand()
	j.assets()
	for name, want := range h.world.shows {
		j.show(name, want)
	}
	j.accounts()
	for name, want := range h.world.batches {
		j.batch(ctx, name, want)
	}
	j.checkPromises()
	return j
}

func (j *judgement) problem(format string, args ...any) {
	j.problems = append(j.problems, fmt.Sprintf(format, args...))
}

func (j *judgement) broken(format string, args ...any) {
	if j.breach == nil {
		j.breach = fmt.Errorf(format, args...)
	}
}

// is compares the conditions of an object with a verdict, and records the state.
func (j *judgement) is(o client.Object, observed int64, conditions []metav1.Condition, v verdict) {
	ready := meta.FindStatusCondition(conditions, string(v1beta1.ConditionReady))
	stalled := meta.IsStatusConditionTrue(conditions, string(v1beta1.ConditionStalled))
	switch {
	case o.GetDeletionTimestamp() != nil:
		j.problem("%s is being deleted", named(o))
	case ready == nil:
		j.problem("%s has no condition Ready, want %s", named(o), v)
	case observed != o.GetGeneration() || ready.ObservedGeneration != o.GetGeneration():
		j.problem("%s has generation %d; %d is observed, and Ready is of %d", named(o), o.GetGeneration(), observed, ready.ObservedGeneration)
	case (ready.Status == metav1.ConditionTrue) != v.ready(o) || stalled != (v == failed):
		j.problem("%s is %s, but Ready is %s (%s: %s), Stalled %t", named(o), v, ready.Status, ready.Reason, ready.Message, stalled)
	case v == planned && isPost(o) && ready.Reason == string(v1beta1.ReasonProgressing):
		j.problem("%s is being prepared: %s", named(o), ready.Message)
	}
	j.states = append(j.states, state{Verdict: v, History: j.seed, object: o})
}

// ready reports whether an object with the verdict has the condition Ready.
func (v verdict) ready(o client.Object) bool { return v == good || v == planned && !isPost(o) }

func isPost(o client.Object) bool { _, ok := o.(*v1beta1.Post); return ok }

func (j *judgement) brand() {
	for i := range j.snap.brands.Items {
		b := &j.snap.brands.Items[i]
		j.is(b, b.Status.ObservedGeneration, b.Status.Conditions, good)
	}
	if n := len(j.snap.brands.Items); (n == 1) != j.world.brand {
		j.problem("there are %d brands", n)
	}
}

func (j *judgement) assets() {
	v := waiting
	if j.world.assetFile {
		v = good
	}
	for i := range j.snap.assets.Items {
		m := &j.snap.assets.Items[i]
		j.is(m, m.Status.ObservedGeneration, m.Status.Conditions, v)
	}
}

// show compares a Slideshow.
func (j *judgement) show(name string, want show) {
	s := j.slideshow(name)
	if s == nil {
		j.problem("there is no Slideshow %s", name)
		return
	}
	v := j.world.film(want)
	j.is(s, s.Status.ObservedGeneration, s.Status.Conditions, v)
	if v == good && (s.Status.Render == nil || s.Status.Render.State != v1beta1.WorkSucceeded || s.Status.Render.Revision != s.Status.Revision) {
		j.problem("the video of %s revision %d is not rendered: %+v", name, s.Status.Revision, s.Status.Render)
	}
}

func (j *judgement) slideshow(name string) *v1beta1.Slideshow {
	for i := range j.snap.shows.Items {
		if s := &j.snap.shows.Items[i]; s.Name == name {
			return s
		}
	}
	return nil
}

// observeOutcomes tracks in the model which work has ended. That depends on the timing of the commits, which the
// model does not know.
func (j *judgement) observeOutcomes() {
	for name, want := range j.world.shows {
		want.outcome = ""
		if s := j.slideshow(name); s != nil && s.Status.Work != nil && s.Status.WorkedOn == s.Generation {
			want.outcome = s.Status.Work.State
		}
		j.world.shows[name] = want
	}
}

func (j *judgement) accounts() {
	v := good
	if !j.world.brand {
		v = waiting
	}
	found := 0
	for i := range j.snap.accounts.Items {
		a := &j.snap.accounts.Items[i]
		j.is(a, a.Status.ObservedGeneration, a.Status.Conditions, v)
		found++
	}
	for _, p := range platformNames {
		if j.world.connected[p] {
			found--
		}
	}
	if found != 0 {
		j.problem("there are %d SocialAccounts too many", found)
	}
}

// batch compares a PostBatch and its posts.
func (j *judgement) batch(ctx context.Context, name string, want batch) {
	var b *v1beta1.PostBatch
	for i := range j.snap.batches.Items {
		if j.snap.batches.Items[i].Name == name {
			b = &j.snap.batches.Items[i]
		}
	}
	if b == nil {
		j.problem("there is no PostBatch %s", name)
		return
	}
	var lines []line
	uids := []types.UID{b.UID}
	for _, p := range want.platforms {
		post := j.snap.post(b, j.socialAccount(p))
		if post != nil {
			uids = append(uids, post.UID)
		}
		lines = append(lines, j.line(ctx, b, want, p, post))
	}
	v, why := j.world.batchVerdict(want, lines, b.CreationTimestamp.Time, j.snap.at)
	if why != "" {
		j.problem("PostBatch %s: %s", name, why)
		return
	}
	j.is(b, b.Status.ObservedGeneration, b.Status.Conditions, v)
	j.content(b, want, lines)
	for i, p := range want.platforms {
		if post := j.snap.post(b, j.socialAccount(p)); post != nil {
			pv, _ := j.world.lineVerdict(want, p, lines[i], j.snap.at)
			j.is(post, post.Status.ObservedGeneration, post.Status.Conditions, pv)
		}
		j.promise(name, want, p, lines[i])
	}
	if j.snap.events != nil && (v == waiting || v == failed) {
		j.announced(b, v, uids)
	}
}

// line observes one post of a batch.
func (j *judgement) line(ctx context.Context, b *v1beta1.PostBatch, want batch, platform string, post *v1beta1.Post) line {
	name := b.Name
	published := j.landed(name, want, platform)
	l := line{published: len(published), made: post != nil}
	if l.published > 1 {
		j.broken("PUBLISHED TWICE on %s: PostBatch %s, %+v", platform, name, published)
	}
	for _, p := range published {
		if of := j.stage.films.of(p.SHA256); of.show != j.namespace+"/"+want.show {
			j.broken("PostBatch %s published on %s a video of %q, want the short %s", name, platform, of.show, want.show)
		}
		if p.At.Before(want.due) {
			j.broken("PostBatch %s published on %s at %s, before its time %s", name, platform, p.At, want.due)
		}
	}
	if post == nil {
		for _, t := range b.Status.Targets {
			if string(t.Platform) == platform || t.Account == j.socialAccount(platform) {
				l.ended = l.ended || t.State == v1beta1.PostFailed
				l.succeeded = l.succeeded || t.State == v1beta1.PostSuccess
			}
		}
		if l.succeeded && l.published == 0 {
			j.broken("PostBatch %s reports a post as published on %s, and the platform has none", name, platform)
		}
		return l
	}
	l.held, l.ended, l.shows = post.Spec.Hold, post.Status.State.Final(), j.stage.films.of(post.Spec.Media.SHA256)
	there, err := j.stage.store.Exists(ctx, post.Spec.Media.VideoKey)
	if err != nil {
		j.problem("reading the blob store: %v", err)
	}
	l.media = there
	if l.ended && (post.Status.State == v1beta1.PostSuccess) != (l.published == 1) {
		j.problem("Post %s is %s and was published %d times", post.Name, post.Status.State, l.published)
	}
	return l
}

// content compares what the open posts of a batch publish with its short: the newest revision if they follow it, and the condition
// ContentCurrent is true only if all of them have it.
func (j *judgement) content(b *v1beta1.PostBatch, want batch, lines []line) {
	open, current, newest := false, true, j.newest(want.show)
	for i, l := range lines {
		if !l.made || l.ended || l.published > 0 || !j.snap.at.Before(want.due) {
			continue
		}
		open = true
		current = current && l.shows == newest
		if l.shows != newest && j.world.follows(want, want.platforms[i]) {
			j.problem("PostBatch %s has %+v on %s, and the newest revision is %+v", b.Name, l.shows, want.platforms[i], newest)
		}
	}
	if open && meta.IsStatusConditionTrue(b.Status.Conditions, string(v1beta1.ConditionContentCurrent)) != current {
		j.problem("PostBatch %s: the posts have the newest revision %t, and ContentCurrent is %+v", b.Name, current,
			meta.FindStatusCondition(b.Status.Conditions, string(v1beta1.ConditionContentCurrent)))
	}
}

// newest is the current revision of a short; zero if there is none.
func (j *judgement) newest(name string) videoSource {
	s := j.slideshow(name)
	if s == nil || !s.DeletionTimestamp.IsZero() {
		return videoSource{}
	}
	return videoSource{show: j.namespace + "/" + name, uid: string(s.UID), revision: s.Status.Revision}
}

func (j *judgement) landed(name string, want batch, platform string) (out []sandbox.Landing) {
	for _, p := range j.stage.ledger.published(j.caption(name, want)) {
		if p.Platform == platform {
			out = append(out, p)
		}
	}
	return out
}

// announced checks that an event reports why a batch waits or has failed: a warning, or an event with the reason of
// its condition Ready.
func (j *judgement) announced(b *v1beta1.PostBatch, v verdict, uids []types.UID) {
	ready := meta.FindStatusCondition(b.Status.Conditions, string(v1beta1.ConditionReady))
	for i := range j.snap.events {
		e := &j.snap.events[i]
		if slices.Contains(uids, e.Regarding.UID) && (e.Type == corev1.EventTypeWarning || e.Reason == ready.Reason) {
			return
		}
	}
	j.problem("PostBatch %s is %s (%s) without an event for it", b.Name, v, ready.Reason)
}

// promise records the outcome of a post that is not due yet.
func (j *judgement) promise(name string, want batch, platform string, l line) {
	if !j.snap.at.Before(want.due) || l.published > 0 {
		return
	}
	v, _ := j.world.lineVerdict(want, platform, l, j.snap.at)
	j.promises[j.caption(name, want)+" "+platform] = promise{due: want.due, publish: l.made && v == planned, shows: l.shows}
}

// checkPromises compares the certain outcomes of the last rest with the published posts that are due since.
func (j *judgement) checkPromises() {
	for name, want := range j.world.batches {
		for _, platform := range want.platforms {
			p, ok := j.history.promises[j.caption(name, want)+" "+platform]
			if !ok || j.snap.at.Before(p.due) {
				continue
			}
			landed := j.landed(name, want, platform)
			n := len(landed)
			switch {
			case p.publish && n == 0:
				j.problem("PostBatch %s was scheduled on %s, nothing changed, and it was not published at %s", name, platform, p.due.UTC().Format(captionTime))
			case p.publish:
				if sent := j.stage.films.of(landed[0].SHA256); sent != p.shows {
					j.broken("PostBatch %s published %+v on %s, nothing changed since it had %+v", name, sent, platform, p.shows)
				}
				j.tally.promisedSent++
			case n > 0:
				j.problem("PostBatch %s could not be published on %s, nothing changed, and it was published", name, platform)
			default:
				j.tally.promisedUnsent++
			}
		}
	}
}
