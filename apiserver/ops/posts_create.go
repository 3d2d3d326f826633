// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

var postSpec = operation.Spec{
	Name: "create_post", Method: http.MethodPost, Path: "/api/v1/posts", Tag: "Posting",
	Summary: "Publish or schedule a short",
	Description: "Creates one post for each account, published at once or at the scheduled time. " +
		"Accounts are independent: if at least one is accepted, the response is 202. " +
		"Read `overall_status`, then each entry of `results`. " +
		"If none is accepted, the response is 422 with one error for each account, in the order of the targets, and `details.results` on the first. " +
		"`media` selects what is published. By default this is the video of the current slides. " +
		"For a short that was never rendered it is the slides, if the platform accepts photos. " +
		"If the slides were edited after the render, the result is a `conflict` with `details.reason` `video_stale`: render again, or send `media` `photo_set`. " +
		"Each result shows the content of the post; later edits do not change accepted posts. " +
		"An unknown member is a 422 with `details.field`, and nothing is posted. " +
		"Send an Idempotency-Key, and after a timeout the same request with the same key, so that nothing is posted twice.",
	Scope: v1beta1.ScopePostsWrite, ForBrand: true, Bucket: operation.Posting, Idempotent: true, Strict: true,
	Status: http.StatusAccepted,
	Errors: []catalog.Code{catalog.ApprovalRequired, catalog.UnsupportedPlatform, catalog.ScheduleTooSoon, catalog.QuotaExceeded},
	Unprocessable: []catalog.Code{
		catalog.ValidationFailed, catalog.JobInProgress, catalog.ShortNotPostable, catalog.PlatformNotConnected, catalog.TokenExpired,
		catalog.PlatformRateLimited, catalog.PlatformNotConfigured, catalog.CaptionTooLong, catalog.TitleTooLong, catalog.Conflict,
	},
	BodyExample: examplePostBody, DataExample: exampleBatch(),
}

func (s *Service) createPosts(ctx context.Context, c *operation.Call, in struct{ Body PostRequest }) (*operation.Reply[view.BatchResult], error) {
	w, err := s.resolvePosts(ctx, c, &in.Body)
	if err != nil {
		return nil, err
	}
	var batch *v1beta1.PostBatch
	if place, resumed := c.Resumed(); resumed {
		if batch, err = s.existingBatch(ctx, c, place); err != nil {
			return nil, err
		}
	}
	found := batch != nil
	if !found && w.tooSoon != nil {
		return nil, asProblem(w.tooSoon)
	}
	content, verdicts, err := s.verdicts(ctx, c, w, in.Body.ShortID)
	if err != nil {
		return nil, err
	}
	if !found {
		if i := policyIssue(c); i != nil && !i.Warning {
			return nil, asProblem(i)
		}
		if p := allRefused(content, verdicts); p != nil {
			return nil, p
		}
		if batch, found, err = s.acceptBatch(ctx, c, w, content, verdicts, in.Body.ShortID); err != nil {
			return nil, err
		}
		if gone := s.deletedMeanwhile(ctx, c, content.ShortID, w.ask.Images); gone != nil {
			if err := s.withdraw(ctx, c, batch, content.ShortID); err != nil {
				return nil, err
			}
			return nil, gone
		}
	}
	posts, collided, err := s.createBatchPosts(ctx, c, batch, content, verdicts)
	if err != nil {
		return nil, err
	}
	if len(collided) > 0 && len(collided) == len(batch.Spec.Accounts) {
		if p := allRefused(content, verdicts); p != nil {
			return nil, p
		}
	}
	reply := &operation.Reply[view.BatchResult]{
		Data: batchResult(batch, content, verdicts, posts, collided, s.Clock.Now()), Found: found,
	}
	reply.Meta.Warnings = warnings(c, content, verdicts)
	return reply, nil
}

// allRefused is the answer when no account can be taken: one error for each, or nil.
func allRefused(content *posting.Content, verdicts []posting.Verdict) *problem.Problem {
	var out *problem.Problem
	results := []view.PostResult{}
	for i := range verdicts {
		v := &verdicts[i]
		issue := declined(content, v)
		if issue == nil {
			return nil
		}
		p := asProblem(issue)
		p.Details["platform"] = string(v.Platform)
		if v.Account != nil {
			p.Details["social_data_id"] = v.ID()
		}
		results = append(results, refusedResult(v, issue))
		if out == nil {
			out = p
		} else {
			out.Also = append(out.Also, p)
		}
	}
	out.Status = http.StatusUnprocessableEntity
	out.Details["results"] = results
	return out
}

func asProblem(i *posting.Issue) *problem.Problem {
	p := problem.New(i.Code, view.IssueDetails(i)).Saying(i.Message)
	p.Retryable = i.Retryable
	return p
}

// existingBatch finds what an earlier run of the same request created; nil when it did not come so far.
func (s *Service) existingBatch(ctx context.Context, c *operation.Call, place operation.Reserved) (*v1beta1.PostBatch, error) {
	b := &v1beta1.PostBatch{}
	err := s.Reader.Live.Get(ctx, client.ObjectKey{Namespace: c.Namespace(), Name: place.Name}, b)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("looking for a batch: %w", err)
	case read.ID(b) != place.ID || b.Spec.BrandRef.Name != c.Brand.Name:
		return nil, nil // the batch of another request or brand
	}
	return b, nil
}

// acceptBatch spends the rate limit and creates the batch. The batch records the content and the id of every accepted
// post. From then on the posts are created, by this request or by the batch's controller.
func (s *Service) acceptBatch(ctx context.Context, c *operation.Call, w *resolvedPosts, content *posting.Content, verdicts []posting.Verdict, short operation.ID) (b *v1beta1.PostBatch, found bool, err error) {
	spec := v1beta1.PostBatchSpec{
		BrandRef: v1beta1.LocalRef{Name: c.Brand.Name}, ShortRef: v1beta1.ShortRef{ID: int64(short)},
		ScheduledAt: &metav1.Time{Time: w.ask.Now.Truncate(time.Second)}, Immediate: w.scheduledAt == nil,
		PostingMode: w.ask.Mode, Media: w.media, AutoAddMusic: w.ask.AutoAddMusic, RevisionPolicy: v1beta1.RevisionPinned,
	}
	if w.scheduledAt != nil {
		spec.ScheduledAt = &metav1.Time{Time: *w.scheduledAt}
	}
	for range takenNames {
		var place operation.Reserved
		place, err = c.Accept(ctx, func(ctx context.Context) (int64, string, error) {
			id, err := s.NextBatch(ctx)
			if err != nil {
				return 0, "", fmt.Errorf("reserving a batch id: %w", err)
			}
			return id, posting.BatchName(id), nil
		})
		if err != nil {
			return nil, false, err
		}
		if len(spec.Accounts) == 0 {
			if spec.Accounts, err = s.takenTargets(ctx, content, verdicts); err != nil {
				return nil, false, err
			}
		}
		b = &v1beta1.PostBatch{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: c.Namespace(), Name: place.Name, Finalizers: []string{v1beta1.FinalizerPostBatch},
				Labels: map[string]string{
					v1beta1.LabelID: idText(place.ID), v1beta1.LabelBrand: c.Brand.Name, v1beta1.LabelShort: idText(int64(short)),
				},
			},
			Spec: spec,
		}
		err = s.Live.Create(ctx, b)
		if place.Resumed && apierrors.IsAlreadyExists(err) {
			if made, err := s.existingBatch(ctx, c, place); made != nil || err != nil {
				return made, true, err
			}
		}
		if !apierrors.IsAlreadyExists(err) {
			break
		}
	}
	if err != nil {
		return nil, false, fmt.Errorf("creating a batch: %w", err)
	}
	return b, false, nil
}

// deletedMeanwhile returns a problem if the short or a cover of a new batch was deleted since the request read it; nil
// otherwise. The finalizers of shorts and media items keep the files that batches name when they list them. A batch
// that is created after that list has no files. In that case the deletion began before the batch was created, so this
// read shows it. A short that was archived since is restored, because the archive does not have the batch. Without this
// read, finalizers would have to wait longer than the time limit of a request before they remove files, which would
// delay every deletion.
//
// If an object cannot be read, the batch stays accepted. A post without its files reports them as missing.
func (s *Service) deletedMeanwhile(ctx context.Context, c *operation.Call, short int64, covers map[int64]*v1beta1.MediaAsset) *problem.Problem {
	if _, err := s.liveShort(ctx, c, short); errors.Is(err, read.ErrNotFound) {
		return problem.New(catalog.NotFound, nil)
	}
	for id, m := range covers {
		if now, err := s.presentMedia(ctx, m); err == nil && now == nil {
			p := problem.New(catalog.Conflict, problem.Details{"media_id": id}).
				Saying("The media item of the cover was deleted at the same time. Nothing is posted; choose another cover.")
			p.Status = http.StatusUnprocessableEntity
			return p
		}
	}
	return nil
}

// withdraw cancels the posts of a new batch. The batch's controller finds the canceled posts and creates no others.
func (s *Service) withdraw(ctx context.Context, c *operation.Call, b *v1beta1.PostBatch, short int64) error {
	for i := range b.Spec.Accounts {
		t := &b.Spec.Accounts[i]
		p := posting.Post(b, t.Name, t.PostID, short, t.Accepted, posting.Holds(b, c.Brand))
		p.Spec.Cancel = true
		err := s.Client.Create(ctx, p)
		if apierrors.IsAlreadyExists(err) {
			err = s.cancelCreated(ctx, b, t.Name, client.ObjectKeyFromObject(p))
		}
		if err != nil {
			return fmt.Errorf("canceling a post of a deleted short: %w", err)
		}
	}
	return nil
}

// cancelCreated cancels a post of a batch that the batch's controller has created. A post that is being sent has its
// files, and is finished.
func (s *Service) cancelCreated(ctx context.Context, b *v1beta1.PostBatch, account string, key client.ObjectKey) (err error) {
	for range changeTries {
		p := &v1beta1.Post{}
		if err := s.Reader.Live.Get(ctx, key, p); err != nil {
			return client.IgnoreNotFound(err)
		}
		if !posting.Made(b, account, p) || p.InFlight() || p.Status.State.Final() || p.Spec.Cancel {
			return nil
		}
		before := p.DeepCopy()
		p.Spec.Cancel = true
		if err = s.Client.Patch(ctx, p, audit.Guarded(before)); !apierrors.IsConflict(err) {
			return client.IgnoreNotFound(err)
		}
	}
	return err
}

// takenTargets are the accounts that are taken, each with an id for its post.
func (s *Service) takenTargets(ctx context.Context, content *posting.Content, verdicts []posting.Verdict) ([]v1beta1.PostTarget, error) {
	var out []v1beta1.PostTarget
	for i := range verdicts {
		v := &verdicts[i]
		if declined(content, v) != nil {
			continue
		}
		id, err := s.freePostID(ctx, v.Account.Namespace)
		if err != nil {
			return nil, err
		}
		t := v1beta1.PostTarget{Name: v.Account.Name, PostID: id, PostText: v.Own, Accepted: posting.Accept(content, v)}
		if v.Effective != nil { // as they are now: the brand's defaults may change before the posts are created
			t.PostSettings = *v.Effective.DeepCopy()
		}
		if rule, _ := catalog.RuleOf(string(v.Platform)); rule.TitleMaxFor(v.Media.Kind) == 0 {
			t.Title = nil // it is ignored there, and may be of any length
		}
		out = append(out, t)
	}
	return out, nil
}

// freePostID reserves an id that no post of the account has. A batch that an administrator restores or applies can
// have ids that the allocator has not reached yet.
func (s *Service) freePostID(ctx context.Context, namespace string) (int64, error) {
	for range takenNames {
		id, err := s.NextPost(ctx)
		if err != nil {
			return 0, fmt.Errorf("reserving a post id: %w", err)
		}
		taken, err := s.Reader.HasPost(ctx, namespace, id)
		if err != nil {
			return 0, fmt.Errorf("reserving a post id: %w", err)
		}
		if !taken {
			return id, nil
		}
	}
	return 0, fmt.Errorf("reserving a post id: %d ids in a row are in use", takenNames)
}

// createBatchPosts creates the posts of a batch that are missing, with the content that the batch records. The batch's
// controller creates the same posts from the same record; it creates those that this request could not, for example
// because the API server is unavailable. An account is in collided, and its verdict has the error, if another batch's
// post has the name of its post: the controller fails that target too, and the caller must not receive the id of the
// other post. posts has the other posts by account.
func (s *Service) createBatchPosts(ctx context.Context, c *operation.Call, b *v1beta1.PostBatch, content *posting.Content,
	verdicts []posting.Verdict,
) (posts map[string]*v1beta1.Post, collided map[string]bool, err error) {
	hold := posting.Holds(b, c.Brand)
	posts, collided = map[string]*v1beta1.Post{}, map[string]bool{}
	for i := range verdicts {
		v := &verdicts[i]
		if v.Account == nil {
			continue
		}
		id := posting.Reserved(b, v.Account.Name)
		if id == 0 {
			continue
		}
		accepted := posting.Accepted(b, v.Account.Name)
		recorded := accepted != nil
		if !recorded { // an earlier release created the batch for an earlier run of the request
			accepted = posting.Accept(content, v)
		}
		p := posting.Post(b, v.Account.Name, id, content.ShortID, accepted, hold)
		posts[v.Account.Name] = p
		if !recorded { // the controller decides about the content
			continue
		}
		err := s.Client.Create(ctx, p)
		if apierrors.IsAlreadyExists(err) {
			other := &v1beta1.Post{}
			err := s.Reader.Live.Get(ctx, client.ObjectKeyFromObject(p), other)
			if client.IgnoreNotFound(err) != nil {
				return nil, nil, fmt.Errorf("reading post %s: %w", p.Name, err)
			}
			// If it was deleted meanwhile, the controller decides.
			if err == nil && !posting.Made(b, v.Account.Name, other) {
				collided[v.Account.Name] = true
				v.Issues = append(v.Issues, posting.NameTaken(p.Name))
			} else if err == nil {
				posts[v.Account.Name] = other
			}
			continue
		}
		if err != nil && !problem.Away(err) {
			return nil, nil, fmt.Errorf("creating a post: %w", err)
		}
	}
	return posts, collided, nil
}

// batchResult has a result for every target. The accounts of the batch were accepted, except those that collided.
func batchResult(b *v1beta1.PostBatch, content *posting.Content, verdicts []posting.Verdict,
	posts map[string]*v1beta1.Post, collided map[string]bool, now time.Time,
) view.BatchResult {
	out := view.BatchResult{ShortID: content.ShortID, BatchID: b.Name, Results: []view.PostResult{}}
	taken := 0
	for i := range verdicts {
		v := &verdicts[i]
		var id int64
		if v.Account != nil && !collided[v.Account.Name] {
			id = posting.Reserved(b, v.Account.Name)
		}
		if id == 0 {
			issue := declined(content, v)
			if issue == nil { // it was rejected when the batch was created, and would be accepted now
				issue = &posting.Issue{Code: catalog.InternalError, Message: "The post for this account was not accepted; post to the account again.", Retryable: true}
			}
			out.Results = append(out.Results, refusedResult(v, issue))
			continue
		}
		taken++
		r := resultOf(v)
		p := posts[v.Account.Name]
		r.ShareID, r.Status, r.Outgoing = &id, view.PostStatus(posting.State(p, now)), view.OutgoingOf(&p.Spec)
		if !b.Spec.Immediate {
			r.ScheduledAt = &view.Time{Time: b.Spec.ScheduledAt.Time}
		}
		out.Results = append(out.Results, r)
	}
	out.OverallStatus = posting.Overall(taken, len(verdicts))
	return out
}

func resultOf(v *posting.Verdict) view.PostResult {
	r := view.PostResult{
		SocialDataID: socialID(v), Platform: view.PlatformName(v.Platform), Outgoing: view.OutgoingOfVerdict(v),
	}
	if v.Account != nil && v.Account.Status.AccountName != "" {
		r.AccountName = &v.Account.Status.AccountName
	}
	return r
}

func refusedResult(v *posting.Verdict, i *posting.Issue) view.PostResult {
	r := resultOf(v)
	r.Status = view.PostStatus(v1beta1.PostFailed)
	r.Error = &view.PostError{Code: view.ErrorCode(i.Code), Message: i.Message, Retryable: i.Retryable, Details: view.IssueDetails(i)}
	return r
}

// warnings returns the problems that do not prevent publishing, each once.
func warnings(c *operation.Call, content *posting.Content, verdicts []posting.Verdict) []operation.Warning {
	all := content.Problems()
	if i := policyIssue(c); i != nil {
		all = append(all, *i)
	}
	if i := suspendedIssue(c); i != nil {
		all = append(all, *i)
	}
	for i := range verdicts {
		all = append(all, verdicts[i].Issues...)
	}
	return warningsOf(all)
}

// warningsOf returns the issues that are warnings, each once.
func warningsOf(all []posting.Issue) []operation.Warning {
	var out []operation.Warning
	for _, i := range all {
		w := operation.Warning{Code: string(i.Code), Message: i.Message}
		if i.Warning && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
