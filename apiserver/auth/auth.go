// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/catalog"
)

// Realm names the service in WWW-Authenticate.
const Realm = "reelops"

// Caller is who calls.
type Caller struct {
	// Key that was shown.
	Key *v1beta1.APIKey
	// Scopes in force.
	Scopes []v1beta1.Scope
	// Brand that the call is for; nil for operations that are for no brand.
	Brand *v1beta1.Brand
	// BrandNamed says that the call names the brand, be it the key's own.
	BrandNamed bool
	// LastUsedAt is the use of the key before this one, or nil.
	LastUsedAt *time.Time
	// RequestCount of the key, this request included.
	RequestCount int64
	// Remembered says that the cluster did not answer: the key is as the cache holds it.
	Remembered bool
}

// Namespace is the account the key belongs to.
func (c *Caller) Namespace() string { return c.Key.Namespace }

// Has says whether the key holds a scope.
func (c *Caller) Has(s v1beta1.Scope) bool { return slices.Contains(c.Scopes, s) }

// Authenticator checks keys.
type Authenticator struct {
	// Prefix of the installation's keys.
	Prefix string
	Reader *read.Reader
	Usage  *Usage
	Clock  clock.PassiveClock
	// Away says that the cluster does not answer: then nothing that is only read waits for it. Nil for never.
	Away func() bool

	fresh  freshKeys
	missed missedKeys
}

// Authenticate returns the caller that a credential such as "Bearer KEY" belongs to. Its error is one of the four 401 codes,
// or that of a read. The key is read from the cluster itself, so that a revocation applies to the next call on every
// replica: the cache receives it some milliseconds later. Only if the cluster does not answer, a call that changes nothing
// uses the key as cached.
func (a *Authenticator) Authenticate(ctx context.Context, authorization string, changes bool) (*Caller, error) {
	scheme, secret, _ := strings.Cut(strings.TrimSpace(authorization), " ")
	secret = strings.TrimSpace(secret)
	switch {
	case scheme == "" || (strings.EqualFold(scheme, "Bearer") && secret == ""):
		return nil, unauthorized(catalog.MissingToken)
	case !strings.EqualFold(scheme, "Bearer"):
		return nil, unauthorizedAs(catalog.InvalidToken,
			"The Authorization header must have the scheme Bearer: send `Authorization: Bearer KEY`.")
	}
	if apikey.CheckShape(a.Prefix, secret) != nil {
		return nil, unauthorized(catalog.InvalidToken)
	}
	hash := apikey.Hash(secret)
	key, err := a.Reader.KeyByHash(ctx, hash)
	if errors.Is(err, read.ErrNotFound) && (a.Away == nil || !a.Away()) {
		key, err = a.missed.find(ctx, a.Reader, hash)
	}
	if errors.Is(err, read.ErrNotFound) {
		return nil, unauthorized(catalog.InvalidToken)
	}
	remembered := false
	if err == nil {
		key, remembered, err = a.current(ctx, key, changes)
	}
	if err != nil {
		return nil, err
	}
	now := a.Clock.Now()
	switch {
	case subtle.ConstantTimeCompare([]byte(key.Spec.SecretSHA256), []byte(hash)) != 1:
		return nil, unauthorized(catalog.InvalidToken)
	case key.Spec.Revoked:
		return nil, unauthorized(catalog.KeyRevoked)
	case key.Spec.ExpiresAt != nil && !now.Before(key.Spec.ExpiresAt.Time):
		return nil, unauthorized(catalog.KeyExpired)
	case tooMany(key):
		return nil, unauthorized(catalog.InvalidToken)
	}
	c := &Caller{Key: key, Scopes: apikey.Expand(key.Spec.Scopes), Remembered: remembered}
	c.LastUsedAt, c.RequestCount = a.Usage.Touch(key, now)
	return c, nil
}

// readPatience is how long a call that changes nothing waits for the cluster to tell of its key.
const readPatience = time.Second

// current reads a key anew, or tells that it is as it was remembered. The object may have made way for another of its name.
func (a *Authenticator) current(ctx context.Context, cached *v1beta1.APIKey, changes bool) (key *v1beta1.APIKey, remembered bool, err error) {
	asking := ctx
	if !changes && a.Away != nil && a.Away() {
		return cached, true, nil
	}
	if !changes {
		var stop context.CancelFunc
		asking, stop = context.WithTimeout(ctx, readPatience)
		defer stop()
	}
	key, err = a.fresh.get(asking, a.Reader.Live, client.ObjectKeyFromObject(cached))
	switch {
	case apierrors.IsNotFound(err):
		return nil, false, unauthorized(catalog.InvalidToken)
	case err != nil && !changes && problem.Away(err) && ctx.Err() == nil:
		return cached, true, nil
	case err != nil:
		return nil, false, fmt.Errorf("reading a key: %w", err)
	}
	return key, false, nil
}

// tooMany says that the brand held its full number of keys before this one was made.
func tooMany(key *v1beta1.APIKey) bool {
	ready := meta.FindStatusCondition(key.Status.Conditions, string(v1beta1.ConditionReady))
	return ready != nil && ready.Status == metav1.ConditionFalse && ready.Reason == string(v1beta1.ReasonTooManyKeys)
}

func unauthorized(code catalog.Code) *problem.Problem {
	e, _ := catalog.LookupError(code)
	return unauthorizedAs(code, e.Message)
}

// unauthorizedAs returns a 401 with a message of its own, which must hold no quotation marks and no backslashes.
func unauthorizedAs(code catalog.Code, message string) *problem.Problem {
	p := problem.New(code, nil).Saying(message)
	p.Header = http.Header{}
	p.Header.Set("WWW-Authenticate", `Bearer realm="`+Realm+`", error="invalid_token", error_description="`+p.Message+`"`)
	return p
}

// Authorize checks what the key allows. An operation for a brand gets it: the one named, else the key's own. The order is
// part of the interface: a brand that the account does not own is not found whatever the scopes; then the operation's
// scope; then, for another brand than the key's, brands:all.
func (a *Authenticator) Authorize(ctx context.Context, c *Caller, scope v1beta1.Scope, forBrand bool, named string) error {
	var brand *v1beta1.Brand
	if forBrand {
		var err error
		if brand, err = a.brand(ctx, c, named); err != nil {
			return err
		}
	}
	if scope != "" && !c.Has(scope) {
		return missingScope(c, scope)
	}
	if brand != nil && brand.Name != c.Key.Spec.BrandRef.Name && !c.Has(v1beta1.ScopeBrandsAll) {
		return missingScope(c, v1beta1.ScopeBrandsAll)
	}
	c.Brand, c.BrandNamed = brand, brand != nil && named != ""
	return nil
}

func (a *Authenticator) brand(ctx context.Context, c *Caller, named string) (*v1beta1.Brand, error) {
	var b *v1beta1.Brand
	var err error
	if named == "" {
		b, err = a.Reader.Brand(ctx, c.Namespace(), c.Key.Spec.BrandRef.Name)
	} else {
		id, perr := strconv.ParseInt(named, 10, 64)
		if perr != nil || id < 1 {
			return nil, problem.New(catalog.NotFound, nil).Saying("No such brand.")
		}
		b, err = a.Reader.BrandByID(ctx, c.Namespace(), id)
	}
	if errors.Is(err, read.ErrNotFound) {
		return nil, problem.New(catalog.NotFound, nil).Saying("No such brand.")
	}
	return b, err
}

func missingScope(c *Caller, s v1beta1.Scope) *problem.Problem {
	return problem.New(catalog.MissingScope, problem.Details{"required_scope": s, "key_scopes": c.Scopes})
}
