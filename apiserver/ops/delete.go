// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

// reasonInUse is the value of details.reason in a conflict with a record that needs the one to delete.
const reasonInUse = "in_use"

var deleteShortSpec = operation.Spec{
	Name: "delete_short", Method: http.MethodDelete, Path: "/api/v1/shorts/{id}", Tag: "Content",
	Summary: "Delete a short",
	Description: "Deletes a slideshow or a hook-and-demo video with its renders and files. Work in progress is stopped. " +
		"Posts that are on a platform stay there, and their records stay. " +
		"While a post is a draft, scheduled, due or being published, the short is a 409 `conflict` with `details.reason` `in_use`, the posts in `details.post_ids`, and in `details.batch_ids` the batches that will create posts: cancel them first. " +
		"A post that is accepted during the deletion keeps its files. " +
		"A short that Argo CD, Flux, Helm or `kubectl apply` manages is a 409 `conflict` with `details.reason` `declared_elsewhere` and the tool in `details.managed_by`. " +
		"A deleted short is a 404.",
	Scope: v1beta1.ScopeContentWrite, ForBrand: true, Bucket: operation.Global,
	Errors: []catalog.Code{catalog.Conflict}, DataExample: view.Deleted{ID: 123, Deleted: true},
}

func (s *Service) deleteShort(ctx context.Context, c *operation.Call, in byID) (*operation.Reply[view.Deleted], error) {
	var last error
	for range writeTries {
		reply, err := s.deleteShortOnce(ctx, c, int64(in.ID))
		if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return reply, err
		}
		last = err
	}
	return nil, contended("short", last)
}

// deleteShortOnce deletes a short if it did not change since it was read. Otherwise the error is that of the cluster, a
// conflict or not found. In particular, a short that left for the archive meanwhile is not deleted: its row would remain.
func (s *Service) deleteShortOnce(ctx context.Context, c *operation.Call, id int64) (*operation.Reply[view.Deleted], error) {
	short, err := s.liveShort(ctx, c, id)
	if errors.Is(err, read.ErrNotFound) {
		return nil, problem.New(catalog.NotFound, nil)
	}
	if err != nil {
		return nil, err
	}
	o := short.Object()
	details := problem.Details{"short_id": id}
	if err := undeclaredObject(o, "short", details); err != nil {
		return nil, err
	}
	used, err := s.posting(ctx, c, shortUse{id, o.GetName()})
	if err != nil {
		return nil, err
	}
	if p := used.problem(details, "The short"); p != nil {
		return nil, p
	}
	// The finalizer keeps the files of posts that were created since the check.
	uid, version := o.GetUID(), o.GetResourceVersion()
	err = s.Client.Delete(ctx, o, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if err != nil {
		return nil, fmt.Errorf("deleting %T: %w", o, err)
	}
	return &operation.Reply[view.Deleted]{Data: view.Deleted{ID: id, Deleted: true}}, nil
}

// remove deletes an object. Its finalizer keeps the files that posts name which were created since the check.
func (s *Service) remove(ctx context.Context, o client.Object, id int64) (*operation.Reply[view.Deleted], error) {
	uid := o.GetUID()
	// An object that was created again under the same name is another one.
	err := s.Client.Delete(ctx, o, client.Preconditions{UID: &uid})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil, problem.New(catalog.NotFound, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("deleting %T: %w", o, err)
	}
	return &operation.Reply[view.Deleted]{Data: view.Deleted{ID: id, Deleted: true}}, nil
}

// users are the records that need a record which is to be deleted.
type users struct {
	posts, shorts, brands []int64
	batches               []string
}

// problem returns a conflict that names the users, or nil if there are none. what is the subject of the message.
func (u *users) problem(details problem.Details, what string) *problem.Problem {
	if len(u.posts)+len(u.shorts)+len(u.brands)+len(u.batches) == 0 {
		return nil
	}
	details["reason"] = reasonInUse
	for _, l := range []struct {
		name string
		ids  []int64
	}{{"post_ids", u.posts}, {"short_ids", u.shorts}, {"brand_ids", u.brands}} {
		if len(l.ids) > 0 {
			slices.Sort(l.ids)
			details[l.name] = slices.Compact(l.ids)
		}
	}
	if len(u.batches) > 0 {
		details["batch_ids"] = u.batches
	}
	return problem.New(catalog.Conflict, details).Saying(what + " is still needed; `details` names what needs it.")
}

// use selects the open posts, and the batches without their posts, that need a record.
type use interface {
	// options limit the posts that are read.
	options() []client.ListOption
	post(*v1beta1.Post) bool
	batch(*v1beta1.PostBatch) bool
}

// posting returns the posts that are not published yet and the batches that will create posts, as the API server has
// them: another replica may have accepted a post a moment ago.
func (s *Service) posting(ctx context.Context, c *operation.Call, of use) (*users, error) {
	out := &users{}
	// Batches come first: the controller creates the posts of a batch and then records them in its status. With
	// posts first, neither list would show a batch that is between the two.
	var batches v1beta1.PostBatchList
	if err := s.Reader.Live.List(ctx, &batches, client.InNamespace(c.Namespace())); err != nil {
		return nil, fmt.Errorf("listing batches: %w", err)
	}
	var posts v1beta1.PostList
	if err := s.Reader.Live.List(ctx, &posts, append(of.options(), client.InNamespace(c.Namespace()))...); err != nil {
		return nil, fmt.Errorf("listing posts: %w", err)
	}
	there := map[string]bool{}
	for i := range posts.Items {
		p := &posts.Items[i]
		there[p.Spec.Batch] = true
		if p.DeletionTimestamp.IsZero() && !posting.State(p, s.Clock.Now()).Final() && of.post(p) {
			out.posts = append(out.posts, read.ID(p))
		}
	}
	for i := range batches.Items {
		b := &batches.Items[i]
		unmade := len(b.Status.Targets) == 0 && !there[b.Name] ||
			slices.ContainsFunc(b.Status.Targets, func(t v1beta1.TargetStatus) bool { return posting.Unmade(&t) })
		if b.DeletionTimestamp.IsZero() && unmade && !posting.Missed(b) && of.batch(b) {
			out.batches = append(out.batches, b.Name)
		}
	}
	return out, nil
}

// shortUse selects what publishes a short.
type shortUse struct {
	id   int64
	name string
}

func (u shortUse) options() []client.ListOption {
	return []client.ListOption{client.MatchingLabels{v1beta1.LabelShort: idText(u.id)}}
}

func (u shortUse) post(p *v1beta1.Post) bool { return p.Spec.ShortID == u.id }

func (u shortUse) batch(b *v1beta1.PostBatch) bool {
	return b.Spec.ShortRef.ID == u.id || b.Spec.ShortRef.Name != "" && b.Spec.ShortRef.Name == u.name
}
