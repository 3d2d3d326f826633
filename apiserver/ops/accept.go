// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
)

// need returns what a slideshow consumes of the plan. With AI images it includes the credits for all images to
// generate.
func (s *Service) need(c *operation.Call, spec *v1beta1.SlideshowSpec) quota.Need {
	n := quota.Need{Slideshows: 1}
	if sourceOf(c, spec.ImageSource) != v1beta1.ImageSourceAI {
		return n
	}
	pictures := 0
	for _, sl := range spec.Slides {
		if sl.Image == nil {
			pictures++
		}
	}
	if len(spec.Slides) == 0 {
		pictures = catalog.AISlides(int(spec.SlideCount), int(c.Brand.Spec.SlideshowDefaults.SlideCount))
	}
	n.Credits = s.AIImages.Cost(pictures)
	return n
}

// sourceOf returns the image source of a new slideshow: the requested one, or the brand's default.
func sourceOf(c *operation.Call, requested *v1beta1.ImageSource) v1beta1.ImageSourceType {
	source := requested
	if source == nil {
		source = c.Brand.Spec.SlideshowDefaults.ImageSource
	}
	if source == nil || source.Type == "" {
		return v1beta1.ImageSourceStock
	}
	return source.Type
}

func noAccount() error {
	return problem.New(catalog.NotFound, nil).Saying("The account of this API key was deleted.")
}

// refused converts a quota error to the problem for the caller. Other errors are returned unchanged.
func refused(err error) error {
	var exhausted *quota.ExhaustedError
	var credits *quota.CreditsError
	var limit *quota.LimitError
	switch {
	case errors.As(err, &limit):
		return full(limit)
	case errors.As(err, &exhausted):
		return problem.New(catalog.QuotaExceeded, problem.Details{
			"slideshow_limit_exceeded": true, "limit": exhausted.Limit, "used": exhausted.Used, "remaining": 0,
			"resets_at": exhausted.PeriodEnd.UTC().Format(time.RFC3339),
		})
	case errors.As(err, &credits):
		return problem.New(catalog.InsufficientCredits, problem.Details{
			"credits_required": credits.Required, "current_credits": credits.Current,
		})
	case errors.Is(err, ledger.ErrNoAccount):
		return noAccount()
	case errors.Is(err, quota.ErrTooManyHolds):
		p := problem.New(catalog.InternalError, nil).Saying("The account has too many quota reservations; retry the request.")
		p.Status, p.RetryAfter, p.Cause = http.StatusServiceUnavailable, problem.RetryAwayAfter, err
		return p
	}
	return err
}

// wanted describes a requested short of one kind.
type wanted[O client.Object] struct {
	// object with its spec, and the finalizer to create it with.
	object    O
	finalizer string
	// need is what it consumes of the plan.
	need quota.Need
	// urls is the number of URLs from which its files are fetched.
	urls int64
	// named returns the object's name for an id. brand returns the name of an object's brand.
	named func(id int64) string
	brand func(O) string
}

// accept runs the last checks: the plan, then the rate limit. Then it reserves the quota and creates the object. A
// request that was accepted before gets the object created then, and reserves nothing again.
func accept[O client.Object](ctx context.Context, s *Service, c *operation.Call, w wanted[O]) (short O, found bool, err error) {
	var none O
	place, resumed := c.Resumed()
	if resumed {
		if short, ok, err := earlierShort(ctx, s, c, w, place); ok || err != nil {
			return short, true, err
		}
	}
	account, err := s.Reader.Account(ctx, c.Namespace())
	if errors.Is(err, read.ErrNotFound) {
		return none, false, noAccount()
	}
	if err != nil {
		return none, false, err
	}
	if !resumed {
		if err := refused(s.Meter.Admit(ctx, account, quota.Stored{Objects: 1, PendingURLs: w.urls})); err != nil {
			return none, false, err
		}
	}
	// The cached account decides most refusals; the ledger checks the account itself afterwards. An earlier run of the
	// request may have reserved the last of the quota, which only the account shows.
	w.need = w.need.Applies(account)
	if err := quota.Check(account, w.need, s.Clock.Now()); err != nil && !resumed {
		return none, false, refused(err)
	}
	for range takenNames {
		// The object's name contains its id, so that any replica can find it by name at once.
		place, err = c.Accept(ctx, func(ctx context.Context) (int64, string, error) {
			id, err := s.NextShort(ctx)
			if err != nil {
				return 0, "", fmt.Errorf("reserving a short id: %w", err)
			}
			return id, w.named(id), nil
		})
		if err != nil {
			return none, false, err
		}
		if short, found, err = create(ctx, s, c, w, place); !apierrors.IsAlreadyExists(err) {
			break
		}
	}
	return short, found, err
}

// takenNames limits how many ids are skipped because an object created by hand has their name.
const takenNames = 5

// earlierShort returns the object that an earlier run of the same request created. ok is false if that run created none.
func earlierShort[O client.Object](ctx context.Context, s *Service, c *operation.Call, w wanted[O], place operation.Reserved) (short O, ok bool, err error) {
	short = empty(w.object)
	err = s.Reader.Live.Get(ctx, client.ObjectKey{Namespace: c.Namespace(), Name: place.Name}, short)
	switch {
	case apierrors.IsNotFound(err):
		return short, false, nil
	case err != nil:
		return short, false, fmt.Errorf("looking for a short: %w", err)
	case read.ID(short) != place.ID || w.brand(short) != c.Brand.Name:
		return short, false, nil // an unrelated object
	}
	return short, true, nil
}

// create reserves the quota for the short and creates it. If the object certainly was not created, the reservation is
// released. If the outcome is unknown, the reservation expires by age.
//
// found reports that an earlier run of the same request had created the object. The error is AlreadyExists if an
// unrelated object has the name.
func create[O client.Object](ctx context.Context, s *Service, c *operation.Call, w wanted[O], place operation.Reserved) (short O, found bool, err error) {
	var hold ledger.Hold
	if w.need != (quota.Need{}) {
		if hold, err = s.Ledger.Hold(ctx, c.Namespace(), place.Name, w.need); err != nil {
			return short, false, refused(err)
		}
	}
	short = w.object.DeepCopyObject().(O)
	short.SetNamespace(c.Namespace())
	short.SetName(place.Name)
	short.SetFinalizers([]string{w.finalizer})
	short.SetLabels(map[string]string{v1beta1.LabelID: strconv.FormatInt(place.ID, 10), v1beta1.LabelBrand: c.Brand.Name})
	if err = s.Client.Create(ctx, short); err == nil {
		return short, false, nil
	}
	if place.Resumed && apierrors.IsAlreadyExists(err) {
		earlier, ok, err := earlierShort(ctx, s, c, w, place)
		if ok || err != nil {
			return earlier, true, err // the reservation belongs to it
		}
	}
	if answered(err) {
		err = errors.Join(err, hold.Release(ctx))
	}
	return short, false, fmt.Errorf("creating a short: %w", err)
}

// accepted returns the job of a short that was just created or found.
func (s *Service) accepted(ctx context.Context, c *operation.Call, o client.Object, found bool, warnings []operation.Warning) (*operation.Reply[view.Job], error) {
	short, err := s.about(ctx, c, index.Of(read.ID(o), o, nil))
	if err != nil {
		return nil, err
	}
	reply, err := s.jobReply(short)
	if err != nil {
		return nil, err
	}
	reply.Meta.Warnings, reply.Found = warnings, found
	return reply, nil
}

// answered reports whether the cluster itself refused a write, so that the write had no effect.
func answered(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Code >= 400 && status.Status().Code < 500
}
