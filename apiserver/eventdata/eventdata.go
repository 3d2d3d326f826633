// SPDX-License-Identifier: Apache-2.0

// Package eventdata returns the records of the REST API that webhook events contain. The manager uses it, so that an
// event has the fields that the API returns. The records have no signed URLs: an event may be delivered after a URL has
// expired.
package eventdata

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/social/posting"
)

// Reader reads the objects of records.
type Reader struct {
	indexRenders string
	missing      func(v1beta1.Platform) []string
	clock        clock.PassiveClock
}

// New returns a Reader. indexRenders is the cache index of RenderJobs by the name of their slideshow. missing returns
// the settings that the installation lacks for a platform.
func New(indexRenders string, missing func(v1beta1.Platform) []string, c clock.PassiveClock) *Reader {
	return &Reader{indexRenders: indexRenders, missing: missing, clock: c}
}

// Of returns the record of an object: a post, the job of a short, a connected account, a run of
// an automation, or the plan of an account.
func (r *Reader) Of(ctx context.Context, c client.Reader, o client.Object) (any, error) {
	now := r.clock.Now()
	switch o := o.(type) {
	case *v1beta1.Post:
		return r.post(ctx, c, o, now)
	case *v1beta1.Slideshow:
		return r.slideshow(ctx, c, o, now)
	case *v1beta1.Video:
		return job(&view.Short{ID: read.ID(o), Video: o}, now)
	case *v1beta1.RenderJob:
		s := &v1beta1.Slideshow{}
		if found, err := get(ctx, c, o.Namespace, o.Spec.Source.Name, s); err != nil || !found {
			return struct {
				JobID string `json:"job_id"`
			}{o.Labels[v1beta1.LabelShort]}, err
		}
		return r.slideshow(ctx, c, s, now)
	case *v1beta1.SocialAccount:
		record := view.ConnectedAccountOf(read.ID(o), o, posting.Headroom(o, nil, now), r.missing)
		return without(record, "avatar_url", "creator")
	case *v1beta1.AutomationRun:
		return run(ctx, c, o)
	case *v1beta1.Account:
		var automations v1beta1.AutomationList
		if err := c.List(ctx, &automations, client.InNamespace(o.Namespace)); err != nil {
			return nil, fmt.Errorf("listing automations: %w", err)
		}
		return view.AccountOf(read.ID(o), o, []view.BrandRef{}, len(automations.Items), view.Key{}, now).Plan, nil
	}
	return nil, fmt.Errorf("a %T has no events", o)
}

func (r *Reader) post(ctx context.Context, c client.Reader, p *v1beta1.Post, now time.Time) (any, error) {
	brand, account := &v1beta1.Brand{}, &v1beta1.SocialAccount{}
	if _, err := get(ctx, c, p.Namespace, p.Spec.BrandRef.Name, brand); err != nil {
		return nil, err
	}
	if found, err := get(ctx, c, p.Namespace, p.Spec.Account, account); err != nil {
		return nil, err
	} else if !found {
		account = nil
	}
	id := int64(0)
	if account != nil {
		id = read.ID(account)
	}
	return view.PostOf(read.ID(p), p, brand, id, account, now), nil
}

func (r *Reader) slideshow(ctx context.Context, c client.Reader, s *v1beta1.Slideshow, now time.Time) (any, error) {
	var list v1beta1.RenderJobList
	err := c.List(ctx, &list, client.InNamespace(s.Namespace), client.MatchingFields{r.indexRenders: s.Name})
	if err != nil {
		return nil, fmt.Errorf("listing RenderJobs: %w", err)
	}
	renders.Sort(list.Items)
	return job(&view.Short{ID: read.ID(s), Show: s, Renders: list.Items}, now)
}

func run(ctx context.Context, c client.Reader, r *v1beta1.AutomationRun) (any, error) {
	record := struct {
		view.AutomationRun
		AutomationID *int64 `json:"automation_id"`
	}{AutomationRun: view.AutomationRunOf(r)}
	a := &v1beta1.Automation{}
	found, err := get(ctx, c, r.Namespace, r.Spec.AutomationRef.Name, a)
	if found {
		record.AutomationID = ptr.To(read.ID(a))
	}
	return record, err
}

// job returns the job of a short without URLs.
func job(s *view.Short, now time.Time) (any, error) {
	s.Sign = func(string, time.Duration) (string, error) { return "", nil }
	if !s.HasJob() {
		return struct {
			JobID int64 `json:"job_id"`
		}{s.ID}, nil
	}
	j, err := s.Job(now)
	if err != nil {
		return nil, err
	}
	out, err := without(j, "poll_after_seconds")
	if result, ok := out["result"].(map[string]any); ok {
		for _, name := range []string{"preview_url", "video_url", "captions_url"} {
			delete(result, name)
		}
	}
	return out, err
}

// without returns a record without some of its fields.
func without(record any, names ...string) (map[string]any, error) {
	text, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("encoding a record: %w", err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, fmt.Errorf("encoding a record: %w", err)
	}
	for _, n := range names {
		delete(out, n)
	}
	return out, nil
}

// get reads an object, and reports whether it exists.
func get(ctx context.Context, c client.Reader, namespace, name string, o client.Object) (bool, error) {
	err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, o)
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("reading %s: %w", name, err)
	}
	return err == nil, nil
}
