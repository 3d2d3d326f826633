// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/store/blobkey"
)

var validateSpec = operation.Spec{
	Name: "validate_post", Method: http.MethodPost, Path: "/api/v1/posts/validate", Tag: "Posting",
	Summary: "Validate a post",
	Description: "This is a dry run: nothing is created. " +
		"The rules are those of `POST /posts`: the short is ready, each connection is healthy, title and caption are within the platform's limits, the rate limit allows a post, and the time is far enough ahead. " +
		"Problems of the short and the accounts are reported in a 200; an invalid body or an unknown id is rejected. " +
		"Each verdict shows the content of the post: " +
		"`media_kind`, `title`, `caption` with as many of the short's tags as hashtags as fit, and `cover`. " +
		"An unknown member, which `POST /posts` rejects, is an issue.",
	Scope: v1beta1.ScopePostsRead, ForBrand: true, Bucket: operation.Global, Errors: []catalog.Code{catalog.UnsupportedPlatform},
	BodyExample: exampleValidateBody,
	DataExample: exampleValidation(),
}

func (s *Service) validatePosts(ctx context.Context, c *operation.Call, in struct{ Body PostRequest }) (*operation.Reply[view.Validation], error) {
	w, err := s.resolvePosts(ctx, c, &in.Body)
	if err != nil {
		return nil, err
	}
	content, verdicts, err := s.verdicts(ctx, c, w, in.Body.ShortID)
	if err != nil {
		return nil, err
	}
	issues := content.Problems()
	if w.tooSoon != nil {
		issues = append(issues, *w.tooSoon)
	}
	if i := policyIssue(c); i != nil {
		issues = append(issues, *i)
	}
	if i := suspendedIssue(c); i != nil {
		issues = append(issues, *i)
	}
	for _, p := range c.UnknownMembers() {
		issues = append(issues, posting.Issue{Code: p.Code, Message: p.Message, Retryable: p.Retryable, Details: p.Details})
	}
	out := view.Validation{OK: true, ShortID: int64(in.Body.ShortID), Verdicts: []view.Verdict{}, PlatformRules: map[string]view.PlatformRule{}}
	if w.scheduledAt != nil {
		out.ScheduledAt = &view.Time{Time: *w.scheduledAt}
	}
	for i := range verdicts {
		v := &verdicts[i]
		rule, _ := catalog.RuleOf(string(v.Platform))
		out.PlatformRules[rule.Platform] = view.PlatformRuleOf(rule, s.Missing == nil || len(s.Missing(v.Platform)) == 0)
		if v.Account == nil {
			issues = append(issues, v.Issues...)
			continue
		}
		out.Verdicts = append(out.Verdicts, view.VerdictOf(v))
		out.OK = out.OK && v.OK()
	}
	out.OK = out.OK && posting.FirstError(issues) == nil
	out.Issues = view.PostIssues(issues)
	return &operation.Reply[view.Validation]{Data: out}, nil
}

var listPostsSpec = operation.Spec{
	Name: "list_posts", Method: http.MethodGet, Path: "/api/v1/posts", Tag: "Posting",
	Summary: "List posts",
	Description: "The newest posts are first, unless `order` is given. Filters may be combined. " +
		"`media`, `settings`, `tags` and the text of `first_comment` are null: `GET /posts/{id}` returns them. " +
		"A post for immediate publication has no `scheduled_at` and matches neither `scheduled_after` nor `scheduled_before`. " +
		"By `scheduled_asc` and `scheduled_desc`, such a post is listed by the time at which it was accepted.",
	Scope: v1beta1.ScopePostsRead, ForBrand: true, Bucket: operation.Global, DataExample: []view.Post{examplePost},
}

type listPostsInput struct {
	operation.Paging
	ShortID  operation.ID      `query:"short_id" doc:"Posts of one short."`
	Status   view.PostStatus   `query:"status" doc:"Posts with one status."`
	Platform view.PlatformName `query:"platform" doc:"Posts on one platform."`
	Account  operation.ID      `query:"account" doc:"A social_data_id."`
	After    *time.Time        `query:"scheduled_after" doc:"Scheduled at or after."`
	Before   *time.Time        `query:"scheduled_before" doc:"Scheduled at or before."`
	Order    postOrder         `query:"order" default:"created_desc" doc:"desc begins with the latest."`
}

type postOrder string

// Schema lists the orders.
func (postOrder) Schema(huma.Registry) *huma.Schema {
	return words(index.CreatedDesc, index.CreatedAsc, index.DueDesc, index.DueAsc)
}

func (s *Service) listPosts(ctx context.Context, c *operation.Call, in listPostsInput) (*operation.Reply[[]view.Post], error) {
	reply := &operation.Reply[[]view.Post]{}
	f := index.PostFilter{
		Short: int64(in.ShortID), Status: v1beta1.PostState(in.Status), Platform: v1beta1.Platform(in.Platform), After: in.After, Before: in.Before,
		Order: index.Order(in.Order),
	}
	if in.Account != 0 {
		name, err := s.Reader.AccountName(ctx, c.Namespace(), c.Brand.Name, int64(in.Account))
		if errors.Is(err, read.ErrNotFound) {
			reply.Data = []view.Post{}
			_, _, reply.Meta.Pagination = in.Of(0)
			return reply, nil
		}
		if err != nil {
			return nil, err
		}
		f.Account = name
	}
	page, err := s.Reader.Published(ctx, c.Namespace(), c.Brand.Name, f, func(total int) (from, to int) {
		from, to, reply.Meta.Pagination = in.Of(total)
		return from, to
	})
	if err != nil {
		return nil, err
	}
	reply.Data, err = s.viewPosts(ctx, c, page)
	return reply, err
}

// shownPosts is the maximum number of posts in the detail of a short.
const shownPosts = 100

// postsOf returns the newest posts of a short.
func (s *Service) postsOf(ctx context.Context, c *operation.Call, short int64) ([]view.Post, error) {
	page, err := s.Reader.Published(ctx, c.Namespace(), c.Brand.Name, index.PostFilter{Short: short}, func(total int) (int, int) {
		return 0, min(total, shownPosts)
	})
	if err != nil {
		return nil, err
	}
	return s.viewPosts(ctx, c, page)
}

// countPosts sets the post counts of a short.
func (s *Service) countPosts(ctx context.Context, c *operation.Call, short *view.Short) error {
	all, of, err := s.Reader.PostCounts(ctx, c.Namespace(), short.Brand.Name, short.ID, v1beta1.PostScheduled, v1beta1.PostSuccess, v1beta1.PostFailed)
	if err == nil {
		short.PostCounts = view.PostCounts{Total: all, Scheduled: of[0], Success: of[1], Failed: of[2]}
	}
	return err
}

// wholePost returns the response with a complete post.
func (s *Service) wholePost(ctx context.Context, c *operation.Call, p index.Post) (*operation.Reply[view.Post], error) {
	data, err := s.viewPosts(ctx, c, []index.Post{p})
	if err != nil {
		return nil, err
	}
	if err := data[0].Complete(p.Object, signsOwn(p.Object.Namespace, s.signer(ctx, c))); err != nil {
		return nil, err
	}
	return &operation.Reply[view.Post]{Data: data[0]}, nil
}

// signsOwn returns a function that signs the files of a namespace and those for every namespace. It returns an empty
// URL for others: a manifest of a Post can name any key, and must not show the files of another account.
func signsOwn(namespace string, sign view.Signer) view.Signer {
	return func(key string, valid time.Duration) (string, error) {
		if of := blobkey.Namespace(key); path.Clean(key) != key || of != namespace && of != blobkey.Shared {
			return "", nil
		}
		return sign(key, valid)
	}
}

// viewPosts returns the views of posts of the caller's brand with their accounts, in the form of lists.
func (s *Service) viewPosts(ctx context.Context, c *operation.Call, page []index.Post) ([]view.Post, error) {
	now, accounts := s.Clock.Now(), map[string]*v1beta1.SocialAccount{}
	out := make([]view.Post, 0, len(page))
	for i := range page {
		p := page[i].Object
		a, known := accounts[p.Spec.Account]
		if !known {
			a = &v1beta1.SocialAccount{}
			err := s.Reader.Cached.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: p.Spec.Account}, a)
			if apierrors.IsNotFound(err) {
				a, err = nil, nil
			}
			if err != nil {
				return nil, fmt.Errorf("reading a social account: %w", err)
			}
			accounts[p.Spec.Account] = a
		}
		var id int64
		if a != nil {
			id = read.ID(a)
		}
		post := view.PostOf(read.ID(p), p, c.Brand, id, a, now)
		if row := page[i].Archived; row != nil {
			post.ArchivedAt = &view.Time{Time: row.ArchivedAt}
		}
		out = append(out, post)
	}
	return out, nil
}

var cancelSpec = operation.Spec{
	Name: "cancel_post", Method: http.MethodDelete, Path: "/api/v1/posts/{id}", Tag: "Posting",
	Summary: "Cancel a post",
	Description: "Draft, pending and scheduled posts can be cancelled until their publication starts. " +
		"After this response the post is not published. " +
		"A published post cannot be withdrawn with this API: delete it on the platform.",
	Scope: v1beta1.ScopePostsWrite, ForBrand: true, Bucket: operation.Global, Errors: []catalog.Code{catalog.NotCancellable}, DataExample: exampleCancelled(),
}

type byPostID struct {
	ID operation.ID `path:"id" doc:"The post id: id in the list of posts, or share_id of POST /posts."`
}

// changeTries limits how often a change of a post is retried after a conflicting write. Each attempt checks the post
// again.
const changeTries = 10

func (s *Service) cancelPost(ctx context.Context, c *operation.Call, in byPostID) (*operation.Reply[view.Post], error) {
	return s.changePost(ctx, c, in.ID, func(_ context.Context, p *v1beta1.Post) (bool, error) {
		if state := posting.State(p, s.Clock.Now()); p.InFlight() || !slices.Contains(posting.Cancellable, state) {
			return false, problem.New(catalog.NotCancellable, problem.Details{
				"post_id": int64(in.ID), "status": string(state), "cancellable_statuses": posting.Cancellable,
			})
		}
		p.Spec.Cancel = true
		return true, nil
	})
}

// changePost applies a change to a post and returns the post. change is called again with the present post if another
// process wrote it meanwhile. It reports whether there is anything to write.
//
// The write has the precondition that the post is the one that change saw. The controller uses the same precondition
// when it starts to send the post, so only one of the two writes succeeds.
//
// An archived post is restored only if there is anything to write.
func (s *Service) changePost(ctx context.Context, c *operation.Call, id operation.ID, change func(context.Context, *v1beta1.Post) (bool, error)) (*operation.Reply[view.Post], error) {
	var err error
	for range changeTries {
		var found index.Post
		found, err = s.Reader.WholePost(ctx, c.Namespace(), c.Brand.Name, int64(id))
		if errors.Is(err, read.ErrNotFound) {
			return nil, problem.New(catalog.NotFound, nil)
		}
		if err != nil {
			return nil, err
		}
		p := found.Object
		before := p.DeepCopy()
		changed, refused := change(ctx, p)
		if refused != nil {
			return nil, refused
		}
		if changed && found.Archived != nil {
			if err := s.restorePost(ctx, c.Namespace(), int64(id), before.Spec.ShortID); err != nil {
				return nil, err
			}
			continue
		}
		if changed {
			err = s.Client.Patch(ctx, p, audit.Guarded(before))
		}
		if err == nil {
			return s.wholePost(ctx, c, found)
		}
		if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("changing a post: %w", err)
		}
	}
	return nil, contended("post", err)
}
