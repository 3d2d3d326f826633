// SPDX-License-Identifier: Apache-2.0

package postbatch

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/social/posting"
)

// seen is what a pass observed.
type seen struct {
	// brand is nil when there is none of the name.
	brand *v1beta1.Brand
	// posts of the batch's name, also those of an earlier batch of the name.
	posts []v1beta1.Post
	// lines are the targets: those of the status, else what the spec means now. Each knows its post when that is there.
	lines []line
	// content is what the short has to publish; nil when there is no such short. It is read while a post is to be made or can be moved.
	content *posting.Content
	// twice says that a Slideshow and a Video have the short's name, and nobody says which is meant.
	twice bool
}

// line is a target on its way.
type line struct {
	v1beta1.TargetStatus
	// account is nil when there is none, or none of the name any more.
	account *v1beta1.SocialAccount
	// post is nil when it is not there.
	post *v1beta1.Post
	// behind is why the post does not publish the newest revision of the short; empty if it does.
	behind behind
	// waits is the reason that the post of an open line cannot be created yet; nil if it can.
	waits *posting.Issue
}

// open says that a post is still to be made.
func (l *line) open() bool { return l.post == nil && posting.Unmade(&l.TargetStatus) }

// takenUp says that the targets of a batch were resolved and written down.
func takenUp(b *v1beta1.PostBatch) bool { return len(b.Status.Targets) > 0 }

// begun reports whether the targets were recorded, or a post of the batch exists: the pass that created it may have been lost before it
// recorded the targets.
func (o *seen) begun(b *v1beta1.PostBatch) bool {
	return takenUp(b) || slices.ContainsFunc(o.lines, func(l line) bool { return l.post != nil && ours(b, l.post) })
}

func (r *Reconciler) observe(ctx context.Context, b *v1beta1.PostBatch) (*seen, error) {
	o := &seen{brand: &v1beta1.Brand{}}
	err := r.Client.Get(ctx, client.ObjectKey{Namespace: b.Namespace, Name: b.Spec.BrandRef.Name}, o.brand)
	if apierrors.IsNotFound(err) {
		o.brand, err = nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the brand: %w", err)
	}
	var posts v1beta1.PostList
	if err := r.Client.List(ctx, &posts, client.InNamespace(b.Namespace), client.MatchingFields{IndexBatch: b.Name}); err != nil {
		return nil, fmt.Errorf("listing posts: %w", err)
	}
	o.posts = posts.Items
	accounts, err := r.accounts(ctx, b)
	if err != nil {
		return nil, err
	}
	o.lines = linesOf(b, accounts)
	for i := range o.lines {
		l := &o.lines[i]
		l.find(b, o.posts)
		if l.open() {
			l.waits = posting.Hindrance(l.Platform, l.Account, l.account, r.Missing)
		}
	}
	if b.DeletionTimestamp.IsZero() && !posting.Missed(b) && slices.ContainsFunc(o.lines, func(l line) bool { return l.open() || l.movable() }) {
		o.content, o.twice, err = r.short(ctx, b)
	}
	return o, err
}

// accounts returns the accounts of the brand that have an id. They are the cache's own and must not be changed.
func (r *Reconciler) accounts(ctx context.Context, b *v1beta1.PostBatch) ([]v1beta1.SocialAccount, error) {
	var list v1beta1.SocialAccountList
	if err := r.Client.List(ctx, &list, client.InNamespace(b.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing social accounts: %w", err)
	}
	return slices.DeleteFunc(list.Items, func(a v1beta1.SocialAccount) bool {
		_, ok := identity.Of(&a)
		return !ok || a.Spec.BrandRef.Name != b.Spec.BrandRef.Name || !a.DeletionTimestamp.IsZero()
	}), nil
}

// linesOf are the targets of a batch: as they were resolved once, else as they are now.
func linesOf(b *v1beta1.PostBatch, accounts []v1beta1.SocialAccount) []line {
	var out []line
	named := func(name string) *v1beta1.SocialAccount {
		if i := slices.IndexFunc(accounts, func(a v1beta1.SocialAccount) bool { return a.Name == name }); i >= 0 {
			return &accounts[i]
		}
		return nil
	}
	if takenUp(b) {
		for _, t := range b.Status.Targets {
			l := line{TargetStatus: t, account: named(t.Account)}
			if l.Account == "" && l.open() {
				out = append(out, connected(b, l, accounts)...)
				continue
			}
			if l.Platform == "" && l.account != nil {
				l.Platform = l.account.Spec.Platform
			}
			out = append(out, l)
		}
		return out
	}
	// Accounts that are not there keep their place; what the platforms mean is added to those that are.
	there := []*v1beta1.SocialAccount{}
	for _, t := range b.Spec.Accounts {
		l := line{TargetStatus: v1beta1.TargetStatus{Account: t.Name}, account: named(t.Name)}
		if l.account != nil {
			l.Platform = l.account.Spec.Platform
			there = append(there, l.account)
		}
		out = append(out, l)
	}
	for _, t := range posting.Targets(there, b.Spec.Platforms, accounts)[len(there):] {
		l := line{TargetStatus: v1beta1.TargetStatus{Platform: t.Platform}, account: t.Account}
		if t.Account != nil {
			l.Account = t.Account.Name
		}
		out = append(out, l)
	}
	return out
}

// connected returns the lines of the accounts that were connected since on the platform of a line without one; the line itself while there
// are none.
func connected(b *v1beta1.PostBatch, l line, accounts []v1beta1.SocialAccount) []line {
	var out []line
	for _, t := range posting.Targets(nil, []v1beta1.Platform{l.Platform}, accounts) {
		if t.Account == nil || slices.ContainsFunc(b.Status.Targets, func(o v1beta1.TargetStatus) bool { return o.Account == t.Account.Name }) {
			continue
		}
		one := l
		one.Account, one.account = t.Account.Name, t.Account
		out = append(out, one)
	}
	if len(out) == 0 {
		return []line{l}
	}
	return out
}

// find looks the line's post up by the name it must have.
func (l *line) find(b *v1beta1.PostBatch, posts []v1beta1.Post) {
	for i := range posts {
		p := &posts[i]
		if !p.DeletionTimestamp.IsZero() && !ours(b, p) && !sent(p) {
			continue // of a batch that is gone: its name is free in a moment
		}
		if l.Account != "" && p.Spec.Account == l.Account && p.Name == posting.PostName(b, p.Spec.Platform, l.Account, posting.Reserved(b, l.Account)) {
			l.post, l.Platform = p, p.Spec.Platform
		}
	}
}

// sent says that a post came out, or may have.
func sent(p *v1beta1.Post) bool {
	if len(p.Status.Attempts) == 0 {
		return false
	}
	last := p.Status.Attempts[len(p.Status.Attempts)-1].State
	return last == v1beta1.AttemptAccepted || last.Open()
}

// usesOf is the key of IndexAccount under which the posts stand that count together.
func usesOf(platform v1beta1.Platform, namespace, account string) string {
	if r, ok := catalog.RuleOf(string(platform)); ok && r.Cap.AppWide {
		return string(platform)
	}
	return namespace + "/" + account
}

func digits(id int64) string { return strconv.FormatInt(id, 10) }
