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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/ledger"
	"github.com/reelops/reelops/internal/quota"
)

// need is what a slideshow takes from the plan. It is the price of the whole set where AI makes the pictures.
func (s *Service) need(c *auth.Caller, spec *v1alpha1.SlideshowSpec) quota.Need {
	n := quota.Need{Slideshows: 1}
	if sourceOf(c, spec.ImageSource) == v1alpha1.ImageSourceAI {
		n.Credits = s.AIImages.Cost(catalog.AISlides(int(spec.SlideCount), int(c.Brand.Spec.SlideshowDefaults.SlideCount)))
	}
	return n
}

// sourceOf is where a new slideshow's pictures will come from: what was asked for, else the brand's default.
func sourceOf(c *auth.Caller, asked *v1alpha1.ImageSource) v1alpha1.ImageSourceType {
	source := asked
	if source == nil {
		source = c.Brand.Spec.SlideshowDefaults.ImageSource
	}
	if source == nil || source.Type == "" {
		return v1alpha1.ImageSourceStock
	}
	return source.Type
}

func noAccount() error {
	return problem.New(catalog.NotFound, nil).Saying("The account of this key is gone.")
}

// refused words what the plan does not give. Other errors stay what they are.
func refused(err error) error {
	var exhausted *quota.ExhaustedError
	var credits *quota.CreditsError
	switch {
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
		p := problem.New(catalog.InternalError, nil).Saying("Too much of this account is waiting to be taken up.")
		p.Status, p.RetryAfter, p.Cause = http.StatusServiceUnavailable, problem.RetryAwayAfter, err
		return p
	}
	return err
}

// accept is the end of all checks: the plan, then the ceiling; then the plan is held and the object created. A request
// that was accepted before finds what was made then, and nothing is held against it again.
func (s *Service) accept(ctx context.Context, c *auth.Caller, spec *v1alpha1.SlideshowSpec) (show *v1alpha1.Slideshow, found bool, err error) {
	place, resumed := operation.Resumed(ctx)
	if resumed {
		if show, err := s.made(ctx, c, place); show != nil || err != nil {
			return show, true, err
		}
	}
	account, err := s.Reader.Account(ctx, c.Namespace())
	if errors.Is(err, read.ErrNotFound) {
		return nil, false, noAccount()
	}
	if err != nil {
		return nil, false, err
	}
	// The cache answers most refusals; what it lets pass is decided upon the account itself. An earlier run of the request
	// may have held the last of the plan for it: only the account knows.
	need := s.need(c, spec).Applies(account)
	if err := quota.Check(account, need, s.Clock.Now()); err != nil && !resumed {
		return nil, false, refused(err)
	}
	for range takenNames {
		if place, err = operation.Accept(ctx, s.reserveShort); err != nil {
			return nil, false, err
		}
		if show, found, err = s.create(ctx, c, spec, need, place); !apierrors.IsAlreadyExists(err) {
			break
		}
	}
	return show, found, err
}

// takenNames bounds how many ids are passed over because somebody gave their name to another object by hand.
const takenNames = 5

// reserveShort takes a short id. The object is named after it, so that any replica can find it by name at once.
func (s *Service) reserveShort(ctx context.Context) (int64, string, error) {
	id, err := s.NextShort(ctx)
	if err != nil {
		return 0, "", fmt.Errorf("reserving a short id: %w", err)
	}
	return id, read.SlideshowName(id), nil
}

// made finds what an earlier run of the same request created; nil when it did not come so far.
func (s *Service) made(ctx context.Context, c *auth.Caller, place operation.Reserved) (*v1alpha1.Slideshow, error) {
	show := &v1alpha1.Slideshow{}
	err := s.Reader.Live.Get(ctx, client.ObjectKey{Namespace: c.Namespace(), Name: place.Name}, show)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("looking for a slideshow: %w", err)
	case read.ID(show) != place.ID || show.Spec.BrandRef.Name != c.Brand.Name:
		return nil, nil // somebody else's
	}
	return show, nil
}

// create holds what the slideshow needs and creates it. What was held for an object that certainly was not created is
// given back; where nobody can tell, its age will. found says that an earlier run of the same request had created it. The
// error is AlreadyExists when the name is taken by somebody else's.
func (s *Service) create(ctx context.Context, c *auth.Caller, spec *v1alpha1.SlideshowSpec, need quota.Need, place operation.Reserved) (show *v1alpha1.Slideshow, found bool, err error) {
	var hold ledger.Hold
	if need != (quota.Need{}) {
		if hold, err = s.Ledger.Hold(ctx, c.Namespace(), place.Name, need); err != nil {
			return nil, false, refused(err)
		}
	}
	show = &v1alpha1.Slideshow{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: c.Namespace(), Name: place.Name, Finalizers: []string{v1alpha1.FinalizerSlideshow},
			Labels: map[string]string{v1alpha1.LabelID: strconv.FormatInt(place.ID, 10), v1alpha1.LabelBrand: c.Brand.Name},
		},
		Spec: *spec,
	}
	if err = s.Client.Create(ctx, show); err == nil {
		return show, false, nil
	}
	if place.Resumed && apierrors.IsAlreadyExists(err) {
		made, err := s.made(ctx, c, place)
		if made != nil || err != nil {
			return made, true, err // the hold is its
		}
	}
	if answered(err) {
		err = errors.Join(err, hold.Release(ctx))
	}
	return nil, false, fmt.Errorf("creating a slideshow: %w", err)
}

// answered says that the cluster itself refused a write: it was not made.
func answered(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Code >= 400 && status.Status().Code < 500
}
