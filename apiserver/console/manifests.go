// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/catalog"
)

const (
	// mostExported is the maximum number of posts in one export, and readsAtOnce the number of posts that are read from
	// the cluster at the same time.
	mostExported = 300
	readsAtOnce  = 8
)

// batchManifest is a PostBatch without the fields that the cluster sets.
type batchManifest struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
	Spec v1beta1.PostBatchSpec `json:"spec"`
}

// exportNote begins each exported manifest. The posts of an export still exist: the batches of the export would publish
// them a second time, because a post that was moved is in a batch of another name than its own.
const exportNote = "# A copy of posts that are not published yet. Cancel those posts before you set suspend to false.\n"

// exportPosts sends the posts of a period that are not published yet, as PostBatch manifests in YAML. They have the
// text and the time of the posts, not those of the original request. They are suspended: they publish nothing as they
// are.
func (h *Handler) exportPosts(w http.ResponseWriter, r *http.Request, s *session) error {
	if s.Account == "" {
		return errNoAccount()
	}
	allowed, err := h.reviews.allowed(r.Context(), s.subject(), s.Account, scopeAccess[v1beta1.ScopePostsRead])
	if err != nil {
		return err
	}
	if !allowed {
		return problem.New(catalog.MissingScope, problem.Details{"required_scope": v1beta1.ScopePostsRead})
	}
	brand, err := h.brandOf(r, s)
	if err != nil {
		return err
	}
	after, err := timeOf(r, "scheduled_after")
	if err != nil {
		return err
	}
	before, err := timeOf(r, "scheduled_before")
	if err != nil {
		return err
	}
	filter := index.PostFilter{After: &after, Before: &before, Order: index.DueAsc, Live: true}
	posts, err := h.openPosts(r.Context(), brand, filter)
	if err != nil {
		return err
	}
	var doc bytes.Buffer
	for _, m := range manifestsOf(posts) {
		one, err := yaml.Marshal(m)
		if err != nil {
			return err
		}
		doc.WriteString("---\n" + exportNote)
		doc.Write(one)
	}
	w.Header().Set("Content-Type", "application/yaml; charset=utf-8")
	_, _ = w.Write(doc.Bytes()) // the client may have disconnected
	return nil
}

// brandOf returns the brand of the parameter brand_id.
func (h *Handler) brandOf(r *http.Request, s *session) (*v1beta1.Brand, error) {
	id, err := strconv.ParseInt(r.URL.Query().Get("brand_id"), 10, 64)
	if err == nil && id != 0 {
		brand, err := h.findBrand(r.Context(), s, id)
		if brand != nil || err != nil {
			return brand, err
		}
	}
	return nil, problem.New(catalog.BadRequest, problem.Details{"parameter": "brand_id"}).
		Saying("brand_id must be the id of a brand of the account.")
}

// timeOf returns a time from the query.
func timeOf(r *http.Request, name string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, r.URL.Query().Get(name))
	if err != nil {
		return t, problem.New(catalog.BadRequest, problem.Details{"parameter": name}).
			Saying(name + " must be a time as in RFC 3339.")
	}
	return t, nil
}

// openPosts returns the complete posts of a filter that are scheduled or held, in its order.
func (h *Handler) openPosts(
	ctx context.Context, brand *v1beta1.Brand, f index.PostFilter,
) ([]*v1beta1.Post, error) {
	listed, err := h.Reader.Published(ctx, brand.Namespace, brand.Name, f, func(n int) (from, to int) { return 0, n })
	if err != nil {
		return nil, err
	}
	var open []int64
	for _, p := range listed {
		if state := p.Object.Status.State; state == v1beta1.PostScheduled || state == v1beta1.PostHeld {
			open = append(open, read.ID(p.Object))
		}
	}
	if len(open) > mostExported {
		return nil, problem.New(catalog.BadRequest, problem.Details{"parameter": "scheduled_before"}).
			Saying(fmt.Sprintf("The period has %d posts. An export has at most %d: choose a week.", len(open), mostExported))
	}
	posts := make([]*v1beta1.Post, len(open))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(readsAtOnce)
	for i, id := range open {
		g.Go(func() error {
			p, err := h.Reader.WholePost(ctx, brand.Namespace, brand.Name, id)
			if errors.Is(err, read.ErrNotFound) { // deleted in the meantime
				return nil
			}
			posts[i] = p.Object
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(posts, func(p *v1beta1.Post) bool { return p == nil }), nil
}

// manifestsOf returns one manifest for the posts of a batch that have the same time. A post that was moved has another
// time than the rest of its batch, and so a manifest of its own.
func manifestsOf(posts []*v1beta1.Post) []*batchManifest {
	type group struct {
		batch string
		short int64
		at    time.Time
		mode  string
		kind  string
	}
	var out []*batchManifest
	groups, named := map[group]*batchManifest{}, map[string]int{}
	for _, p := range posts {
		of := group{p.Spec.Batch, p.Spec.ShortID, p.Spec.ScheduledAt.UTC(), p.Spec.PostingMode, p.Spec.Media.Kind}
		m := groups[of]
		if m == nil {
			m = manifestOf(p)
			if named[p.Spec.Batch]++; named[p.Spec.Batch] > 1 {
				m.Metadata.Name += "-" + strconv.Itoa(named[p.Spec.Batch])
			}
			groups[of] = m
			out = append(out, m)
		}
		target := v1beta1.PostTarget{Name: p.Spec.Account}
		target.Title, target.Caption = &p.Spec.Title, &p.Spec.Caption
		if p.Spec.Settings != nil {
			target.PostSettings = *p.Spec.Settings
		}
		m.Spec.Accounts = append(m.Spec.Accounts, target)
	}
	return out
}

// manifestOf returns a suspended manifest without accounts for a post.
func manifestOf(p *v1beta1.Post) *batchManifest {
	at := metav1.NewTime(p.Spec.ScheduledAt.UTC())
	m := &batchManifest{TypeMeta: metav1.TypeMeta{APIVersion: v1beta1.GroupVersion.String(), Kind: "PostBatch"}}
	m.Metadata.Name, m.Metadata.Namespace = p.Spec.Batch, p.Namespace
	m.Spec = v1beta1.PostBatchSpec{
		BrandRef: p.Spec.BrandRef, ShortRef: v1beta1.ShortRef{ID: p.Spec.ShortID}, ScheduledAt: &at,
		PostingMode: p.Spec.PostingMode, Media: p.Spec.Media.Kind, AutoAddMusic: p.Spec.AutoAddMusic, Suspend: true,
	}
	return m
}
