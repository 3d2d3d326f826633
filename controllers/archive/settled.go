// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/kube/fieldowner"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/store/archive"
)

// needs is what else a namespace still needs of its shorts.
type needs struct {
	now time.Time
	// queues and evergreens are the brands whose automations choose among shorts that exist.
	queues, evergreens map[string]bool
	// runs are the names of the AutomationRuns that have not ended.
	runs map[string]bool
	// windows are the times, by SocialAccount, for which the platform counts a post.
	windows map[string]time.Duration
}

// needsOf reads the needs of a namespace from the cache.
func needsOf(ctx context.Context, c client.Reader, namespace string, now time.Time) (*needs, error) {
	out := &needs{
		now: now, queues: map[string]bool{}, evergreens: map[string]bool{}, runs: map[string]bool{},
		windows: map[string]time.Duration{},
	}
	err := each(ctx, c, namespace, &v1beta1.AutomationList{}, func(o client.Object) {
		a := o.(*v1beta1.Automation)
		out.queues[a.Spec.BrandRef.Name] = out.queues[a.Spec.BrandRef.Name] || a.Spec.Source.Queue != nil
		out.evergreens[a.Spec.BrandRef.Name] = out.evergreens[a.Spec.BrandRef.Name] || a.Spec.Source.Evergreen != nil
	})
	if err == nil {
		err = each(ctx, c, namespace, &v1beta1.AutomationRunList{}, func(o client.Object) {
			out.runs[o.GetName()] = !o.(*v1beta1.AutomationRun).Status.State.Final()
		})
	}
	if err == nil {
		err = each(ctx, c, namespace, &v1beta1.SocialAccountList{}, func(o client.Object) {
			if h := o.(*v1beta1.SocialAccount).Status.Headroom; h != nil {
				out.windows[o.GetName()] = time.Duration(h.WindowSeconds) * time.Second
			}
		})
	}
	if err != nil {
		return nil, fmt.Errorf("reading what %s needs: %w", namespace, err)
	}
	return out, nil
}

// maxPosts is the greatest number of posts of a unit: maxUnits of them fit into a segment.
const maxPosts = archive.MaxPosts / maxUnits

// settled returns why a unit has to stay in the cluster; empty if nothing about it is open and nothing chooses it. It
// does not know managed fields, which the cache omits.
func settled(u *unit, n *needs) string {
	switch {
	case u.copies > 0:
		return "several shorts have its id"
	case u.short == nil && len(u.renders)+len(u.media) > 0:
		return "its short is not in view"
	case len(u.posts) > maxPosts:
		return "it has too many posts"
	}
	for _, o := range u.objects() {
		if !o.GetDeletionTimestamp().IsZero() {
			return "an object is being deleted"
		}
		if n.runs[o.GetLabels()[v1beta1.LabelAutomationRun]] {
			return "an automation run has not ended"
		}
	}
	if why := shortSettled(u, n); why != "" {
		return why
	}
	for _, m := range u.media {
		if !shortwork.Settled(m.Status.Work) || len(m.OwnerReferences) > 1 {
			return "a media item is not ready, or belongs to several shorts"
		}
	}
	for _, r := range u.renders {
		if !renders.State(r).Settled() {
			return "a render has not ended"
		}
	}
	for _, b := range u.batches {
		if !batchSettled(b) {
			return "a batch has not ended"
		}
	}
	for _, p := range u.posts {
		if !postSettled(p, n) {
			return "a post has not ended, or still counts towards a limit"
		}
	}
	return ""
}

func shortSettled(u *unit, n *needs) string {
	var done, suspended bool
	var brand string
	switch s := u.short.(type) {
	case nil:
		return ""
	case *v1beta1.Slideshow:
		brand, suspended = s.Spec.BrandRef.Name, s.Spec.Suspend
		done = shortwork.Settled(s.Status.Work) && s.Status.ObservedGeneration == s.Generation && !deck.Outdated(s) &&
			(s.Status.Job == nil || s.Status.Job.State.Settled())
	case *v1beta1.Video:
		brand, suspended = s.Spec.BrandRef.Name, s.Spec.Suspend
		done = shortwork.Settled(s.Status.Work) && s.Status.ObservedGeneration == s.Generation &&
			(s.Status.Render == nil || s.Status.Render.State.Settled())
	}
	switch {
	case suspended:
		return "it is suspended"
	case !done:
		return "its work has not ended"
	case n.evergreens[brand]:
		return "an automation may publish it again"
	case n.queues[brand] && u.short.GetLabels()[v1beta1.LabelAutomationRun] == "":
		return "an automation may take it from its queue"
	}
	return ""
}

// batchSettled reports whether all posts of a batch exist in the unit, or never will, and have ended.
func batchSettled(b *v1beta1.PostBatch) bool {
	if posting.Missed(b) && len(b.Status.Targets) == 0 {
		return true
	}
	return b.Status.ObservedGeneration == b.Generation && len(b.Status.Targets) > 0 && b.Status.Open == 0 &&
		!slices.ContainsFunc(b.Status.Targets, func(t v1beta1.TargetStatus) bool { return !t.State.Final() })
}

// postSettled reports whether the controllers have nothing more to do for a post, and do not need to know when it was
// sent. A post whose outcome is unknown stays in the cluster.
func postSettled(p *v1beta1.Post, n *needs) bool {
	_, known := identity.Of(p)
	open := slices.ContainsFunc(p.Status.Attempts, func(a v1beta1.PostAttempt) bool { return a.State.Open() })
	if !known || !p.Status.State.Final() || p.Status.ObservedGeneration != p.Generation || open ||
		p.Status.RecheckAt != nil || posting.Commenting(p) {
		return false
	}
	at, counts := posting.Use(p)
	return !counts || at.Add(max(posting.Window(p.Spec.Platform), n.windows[p.Spec.Account])).Before(n.now)
}

// declared reports whether a tool applies an object of a unit from a manifest: it would create the object again. The
// objects must be those of the API server.
func declared(u *unit) bool {
	return slices.ContainsFunc(u.objects(), func(o client.Object) bool {
		return fieldowner.Declarer(o.GetManagedFields()) != ""
	})
}
