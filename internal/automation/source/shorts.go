// SPDX-License-Identifier: Apache-2.0

package source

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/build"
	"github.com/reelops/reelops/internal/kube/identity"
)

// short is a Slideshow or Video of the brand.
type short struct {
	object  client.Object
	id      string
	title   string
	work    *v1beta1.Work
	suspend bool
}

// shorts returns the shorts of the brand that match a selector and are not being deleted; all if it is nil.
func (c *Chooser) shorts(ctx context.Context, a *v1beta1.Automation, s *metav1.LabelSelector) ([]short, error) {
	match := labels.Everything()
	if s != nil {
		var err error
		if match, err = metav1.LabelSelectorAsSelector(s); err != nil {
			return nil, fmt.Errorf("spec.source: %w", err)
		}
	}
	options := []client.ListOption{
		client.InNamespace(a.Namespace), client.MatchingLabelsSelector{Selector: match}, client.UnsafeDisableDeepCopy,
	}
	var shows v1beta1.SlideshowList
	if err := c.Client.List(ctx, &shows, options...); err != nil {
		return nil, fmt.Errorf("listing slideshows: %w", err)
	}
	var videos v1beta1.VideoList
	if err := c.Client.List(ctx, &videos, options...); err != nil {
		return nil, fmt.Errorf("listing videos: %w", err)
	}
	var out []short
	add := func(o client.Object, brand v1beta1.LocalRef, s short) {
		if brand == a.Spec.BrandRef && o.GetDeletionTimestamp().IsZero() {
			s.object = o
			out = append(out, s)
		}
	}
	for i := range shows.Items {
		s := &shows.Items[i]
		generated := ""
		if t := s.Status.Text; t != nil {
			generated = t.Title
		}
		add(s, s.Spec.BrandRef, short{
			id: build.ShortID(v1beta1.KindSlideshow, s.Name), title: ptr.Deref(s.Spec.Title, generated),
			work: s.Status.Work, suspend: s.Spec.Suspend,
		})
	}
	for i := range videos.Items {
		v := &videos.Items[i]
		generated := ""
		if t := v.Status.Text; t != nil {
			generated = t.Title
		}
		add(v, v.Spec.BrandRef, short{
			id: build.ShortID(v1beta1.KindVideo, v.Name), title: ptr.Deref(v.Spec.Title, generated),
			work: v.Status.Work, suspend: v.Spec.Suspend,
		})
	}
	return out, nil
}

// queue returns the shorts that no run took, the oldest first. Drafts, and shorts whose work failed, are passed over.
// why is a sentence without a full stop with the reason why there are none.
func (c *Chooser) queue(
	ctx context.Context, a *v1beta1.Automation, used Used,
) (next []v1beta1.AutomationItem, why string, err error) {
	all, err := c.shorts(ctx, a, &a.Spec.Source.Queue.Selector)
	if err != nil {
		return nil, "", err
	}
	taken, unready := 0, 0
	all = slices.DeleteFunc(all, func(s short) bool {
		switch {
		case s.object.GetLabels()[v1beta1.LabelAutomationRun] != "" || uses(used, s.id):
			taken++
		case s.suspend || s.work != nil && s.work.State == v1beta1.WorkFailed:
			unready++
		default:
			return false
		}
		return true
	})
	if len(all) == 0 {
		return nil, fmt.Sprintf("The queue is empty: %d matching shorts were used, %d are drafts or failed",
			taken, unready), nil
	}
	slices.SortFunc(all, func(a, b short) int {
		at, other := v1beta1.CreatedAt(a.object), v1beta1.CreatedAt(b.object)
		return cmp.Or(at.Compare(other.Time), cmp.Compare(a.id, b.id))
	})
	for _, s := range all {
		next = append(next, v1beta1.AutomationItem{ID: s.id, Title: s.title})
	}
	return next, "", nil
}

func uses(u Used, id string) bool {
	return slices.ContainsFunc(u.Items, func(i v1beta1.UsedItem) bool { return i.ID == id })
}

// published is the publications of a short.
type published struct {
	last    time.Time
	batches map[string]bool
	views   int64
	open    bool // posts of the short wait for their time
}

// nextEvergreen returns the published short that is due again.
func (c *Chooser) nextEvergreen(ctx context.Context, a *v1beta1.Automation, used Used, slot time.Time) (Choice, error) {
	e := a.Spec.Source.Evergreen
	all, err := c.shorts(ctx, a, e.Selector)
	if err != nil {
		return Choice{}, err
	}
	history, err := c.publications(ctx, a)
	if err != nil {
		return Choice{}, err
	}
	cooldown := time.Duration(e.CooldownHours) * time.Hour
	taken := map[string]time.Time{} // posts of earlier runs may not exist yet
	for _, u := range used.Items {
		if u.At.After(taken[u.ID]) {
			taken[u.ID] = u.At.Time
		}
	}
	type candidate struct {
		short
		*published
	}
	var due []candidate
	cooling, spent := 0, 0
	for _, s := range all {
		id, _ := identity.Of(s.object)
		h := history[id]
		if h != nil && taken[s.id].After(h.last) {
			h.last = taken[s.id]
		}
		switch {
		case h == nil || len(h.batches) == 0:
		case e.MaxRepeats != nil && len(h.batches) > int(*e.MaxRepeats):
			spent++
		case h.open || h.last.Add(cooldown).After(slot):
			cooling++
		default:
			due = append(due, candidate{s, h})
		}
	}
	if len(due) == 0 {
		return Choice{Why: fmt.Sprintf("No short can be published again: %d were published less than %d hours ago, "+
			"%d as often as maxRepeats allows",
			cooling, e.CooldownHours, spent)}, nil
	}
	first := slices.MinFunc(due, func(a, b candidate) int {
		views := 0
		if e.Order == "Views" {
			views = cmp.Compare(b.views, a.views)
		}
		return cmp.Or(views, a.last.Compare(b.last), cmp.Compare(a.id, b.id))
	})
	at := metav1.NewTime(first.last)
	return Choice{Item: &v1beta1.AutomationItem{ID: first.id, Title: first.title, Published: &at}}, nil
}

// publications returns the publications of the brand's shorts by the ids of the shorts.
func (c *Chooser) publications(ctx context.Context, a *v1beta1.Automation) (map[int64]*published, error) {
	var posts v1beta1.PostList
	if err := c.Client.List(ctx, &posts, client.InNamespace(a.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing posts: %w", err)
	}
	out := map[int64]*published{}
	for i := range posts.Items {
		p := &posts.Items[i]
		if p.Spec.BrandRef != a.Spec.BrandRef {
			continue
		}
		h := out[p.Spec.ShortID]
		if h == nil {
			h = &published{batches: map[string]bool{}}
			out[p.Spec.ShortID] = h
		}
		if p.Status.State != v1beta1.PostSuccess {
			h.open = h.open || !p.Status.State.Final()
			continue
		}
		h.batches[p.Spec.Batch] = true
		at := p.Spec.ScheduledAt.Time
		if p.Status.PublishedAt != nil {
			at = p.Status.PublishedAt.Time
		}
		if at.After(h.last) {
			h.last = at
		}
		if m := p.Status.Metrics; m != nil && m.Views != nil {
			h.views += *m.Views
		}
	}
	return out, nil
}
