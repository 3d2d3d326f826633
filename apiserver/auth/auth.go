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

// Realm identifies the service in WWW-Authenticate.
const Realm = "reelops"

// challengeHeader is the header of refusals that names the scheme of credentials.
const challengeHeader = "WWW-Authenticate"

// Caller is the authenticated caller of a request.
type Caller struct {
	// Key of the request. For a user of the console it is an object in memory only, with the account, the brand and a
	// stable UID that identifies the user.
	Key *v1beta1.APIKey
	// User is the name of the user who is signed in to the console; empty for a caller with an API key.
	User string
	// Scopes of the key, with implied scopes expanded.
	Scopes []v1beta1.Scope
	// Brand that the request is for; nil if the operation is not for a brand.
	Brand *v1beta1.Brand
	// BrandNamed reports whether the request names the brand explicitly, even if it is the key's own.
	BrandNamed bool
	// LastUsedAt is the previous use of the key; nil if there was none.
	LastUsedAt *time.Time
	// RequestCount is the key's number of requests, including this one.
	RequestCount int64
	// Metadata is the URL of the metadata of the protected resource, for a caller with an access token; empty for others.
	Metadata string
	// Remembered reports that the cluster did not respond and the key comes from the cache.
	Remembered bool
}

// Namespace returns the account of the key.
func (c *Caller) Namespace() string { return c.Key.Namespace }

// Has reports whether the key has a scope.
func (c *Caller) Has(s v1beta1.Scope) bool { return slices.Contains(c.Scopes, s) }

// Authenticator authenticates and authorizes callers by API key or by the access token of an OAuth client.
type Authenticator struct {
	// Prefix of the installation's keys.
	Prefix string
	Reader *read.Reader
	Usage  *Usage
	Clock  clock.PassiveClock
	// Away reports whether the cluster does not respond. Then reading calls use the cached key at once. Nil means
	// never.
	Away func() bool
	// Tokens are the access tokens; nil for none.
	Tokens *AccessTokens

	fresh  freshKeys
	missed missedKeys
}

// Authenticate returns the caller that a credential such as "Bearer KEY" belongs to, for a call over a transport. Its
// error is one of the four 401 codes, or that of a read.
//
// The key is read from the cluster itself. So a revocation applies to the next call on every replica, although the
// cache receives it some milliseconds later. If the cluster does not respond, calls that change nothing use the cached
// key.
func (a *Authenticator) Authenticate(ctx context.Context, authorization, transport string, changes bool) (*Caller, error) {
	c, err := a.authenticate(ctx, authorization, transport, changes)
	return c, a.challenge(err, transport)
}

func (a *Authenticator) authenticate(ctx context.Context, authorization, transport string, changes bool) (*Caller, error) {
	scheme, secret, _ := strings.Cut(strings.TrimSpace(authorization), " ")
	secret = strings.TrimSpace(secret)
	switch {
	case scheme == "" || (strings.EqualFold(scheme, "Bearer") && secret == ""):
		return nil, unauthorized(catalog.MissingToken)
	case !strings.EqualFold(scheme, "Bearer"):
		return nil, unauthorizedAs(catalog.InvalidToken,
			"The Authorization header must have the scheme Bearer: send `Authorization: Bearer KEY`.")
	}
	var token *AccessToken
	var hash string
	var cached *v1beta1.APIKey
	var err error
	if a.Tokens != nil && strings.HasPrefix(secret, accessTokenPrefix) {
		token, cached, err = a.grant(ctx, secret, transport)
	} else {
		hash = apikey.Hash(secret)
		cached, err = a.key(ctx, secret, hash)
	}
	if err != nil {
		return nil, err
	}
	key, remembered, err := a.current(ctx, cached, changes)
	if err != nil {
		return nil, err
	}
	now := a.Clock.Now()
	switch {
	case token != nil && (key.UID != token.UID || key.Spec.OAuth == nil),
		token == nil && subtle.ConstantTimeCompare([]byte(key.Spec.SecretSHA256), []byte(hash)) != 1:
		return nil, unauthorized(catalog.InvalidToken)
	case key.Spec.Revoked:
		return nil, unauthorized(catalog.KeyRevoked)
	case key.Spec.ExpiresAt != nil && !now.Before(key.Spec.ExpiresAt.Time):
		return nil, unauthorized(catalog.KeyExpired)
	case tooMany(key):
		return nil, unauthorized(catalog.InvalidToken)
	}
	c := &Caller{Key: key, Scopes: apikey.Expand(key.Spec.Scopes), Remembered: remembered}
	if token != nil {
		c.Scopes, c.Metadata = both(c.Scopes, token.Scopes), a.Tokens.Metadata
	}
	c.LastUsedAt, c.RequestCount = a.Usage.Touch(key, now)
	return c, nil
}

// key returns the cached key with a secret. Its error is a 401, or that of a read.
func (a *Authenticator) key(ctx context.Context, secret, hash string) (*v1beta1.APIKey, error) {
	if apikey.CheckShape(a.Prefix, secret) != nil {
		return nil, unauthorized(catalog.InvalidToken)
	}
	key, err := a.Reader.KeyByHash(ctx, hash)
	if errors.Is(err, read.ErrNotFound) && (a.Away == nil || !a.Away()) {
		key, err = a.missed.find(ctx, a.Reader, hash)
	}
	if errors.Is(err, read.ErrNotFound) {
		return nil, unauthorized(catalog.InvalidToken)
	}
	return key, err
}

// readTimeout is how long a call that changes nothing waits for the cluster to return its key.
const readTimeout = time.Second

// current returns the key as the cluster has it. If remembered is true, the cluster did not respond and key is the
// cached object. The error is a 401 if the key has been deleted; the result may also be a new object of the same name.
func (a *Authenticator) current(ctx context.Context, cached *v1beta1.APIKey, changes bool) (key *v1beta1.APIKey, remembered bool, err error) {
	readCtx := ctx
	if !changes && a.Away != nil && a.Away() {
		return cached, true, nil
	}
	if !changes {
		var stop context.CancelFunc
		readCtx, stop = context.WithTimeout(ctx, readTimeout)
		defer stop()
	}
	key, err = a.fresh.get(readCtx, a.Reader.Live, client.ObjectKeyFromObject(cached))
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

// tooMany reports whether the brand already had its maximum number of keys when this one was created.
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
	p.Header.Set(challengeHeader, `Bearer realm="`+Realm+`", error="invalid_token", error_description="`+p.Message+`"`)
	return p
}

// Authorize checks what the key allows, and sets the caller's brand if the operation is for one: the named brand, or
// the key's own by default.
//
// The order of the checks is part of the API. A brand that the account does not own is not found, regardless of the
// scopes. Next is the operation's scope. Last, a brand other than the key's requires brands:all.
func (a *Authenticator) Authorize(ctx context.Context, c *Caller, scope v1beta1.Scope, forBrand bool, named string) error {
	var brand *v1beta1.Brand
	if forBrand {
		var err error
		if brand, err = a.brand(ctx, c, named); err != nil {
			return err
		}
	}
	if scope != "" && !c.Has(scope) {
		return MissingScope(c, scope)
	}
	if brand != nil && brand.Name != c.Key.Spec.BrandRef.Name && !c.Has(v1beta1.ScopeBrandsAll) {
		return MissingScope(c, v1beta1.ScopeBrandsAll)
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

// MissingScope returns the problem of a caller without a scope. An OAuth client learns from its header how to ask the
// user for the scope (RFC 6750, section 3.1).
func MissingScope(c *Caller, s v1beta1.Scope) *problem.Problem {
	p := problem.New(catalog.MissingScope, problem.Details{"required_scope": s, "key_scopes": c.Scopes})
	if c.User != "" {
		p.Message = "Your roles in the namespace of the account do not allow this."
	}
	if c.Metadata != "" {
		p.Header = http.Header{}
		p.Header.Set(challengeHeader, fmt.Sprintf(
			`Bearer realm="%s", error="insufficient_scope", scope="%s", resource_metadata="%s"`, Realm, s, c.Metadata))
	}
	return p
}
