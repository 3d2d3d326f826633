// SPDX-License-Identifier: Apache-2.0

package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/internal/account/apikey"
)

// Permissions of the server in the cluster. It creates a grant when a client exchanges its code, counts refreshes in
// its status, and revokes it.
//
// +kubebuilder:rbac:groups=reelops.dev,resources=apikeys,verbs=get;list;create;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=apikeys/status,verbs=patch

const (
	// accessTime is how long an access token is valid.
	accessTime = time.Hour
	// refreshGrace is how long a replaced refresh token still works. A client whose response was lost, or which refreshes
	// twice at once, would otherwise lose its grant.
	refreshGrace = 30 * time.Second
	// refreshTries is how often a refresh is counted again after the status changed meanwhile.
	refreshTries = 5
	// refreshPrefix begins refresh tokens, so that scanners for leaked secrets can find them.
	refreshPrefix = "reelops_rt_"
	// maxRefresh is the maximum length of a refresh token after the prefix, in bytes.
	maxRefresh = 1024
)

// refresh is the content of a refresh token.
type refresh struct {
	// Namespace, Name and UID of the grant.
	Namespace string    `json:"n"`
	Name      string    `json:"k"`
	UID       types.UID `json:"u"`
	// Number of earlier refreshes of the grant.
	Number int64 `json:"r"`
}

// tokens is a token response (RFC 6749, section 5.1).
type tokens struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
}

// token is the token endpoint.
func (s *Server) token(r *http.Request) (int, any, error) {
	if err := r.ParseForm(); err != nil {
		return 0, nil, oidc.ErrInvalidRequest().WithDescription("The body must be a form.")
	}
	form := r.PostForm // parameters in the URL would be in logs
	if err := s.checkResource(form["resource"]); err != nil {
		return 0, nil, err
	}
	grant, err := only(form, "grant_type")
	if err != nil {
		return 0, nil, err
	}
	var out *tokens
	switch grant {
	case grantCode:
		out, err = s.exchange(r, form)
	case grantRefresh:
		out, err = s.refresh(r, form)
	default:
		err = oidc.ErrUnsupportedGrantType().WithDescription("grant_type must be %s or %s.", grantCode, grantRefresh)
	}
	return http.StatusOK, out, err
}

func badGrant(text string) error { return oidc.ErrInvalidGrant().WithDescription("%s", text) }

// exchange exchanges an authorization code for tokens.
func (s *Server) exchange(r *http.Request, form url.Values) (*tokens, error) {
	values := map[string]string{}
	for _, name := range []string{"code", "client_id", "redirect_uri", "code_verifier"} {
		var err error
		if values[name], err = only(form, name); err != nil {
			return nil, err
		}
	}
	c := &code{}
	switch err := s.codes.Open(values["code"], c); {
	case err != nil:
		return nil, badGrant("The code is not valid.")
	case hashOf(values["client_id"]) != c.Client:
		return nil, badGrant("The code belongs to another client.")
	case values["redirect_uri"] != "" && values["redirect_uri"] != c.Redirect:
		return nil, badGrant("redirect_uri differs from that of the request.")
	case !oidc.VerifyCodeChallenge(
		&oidc.CodeChallenge{Challenge: c.Challenge, Method: oidc.CodeChallengeMethodS256}, values["code_verifier"]):
		return nil, badGrant("code_verifier does not belong to the request.")
	}
	ctx := s.acting(r, audit.Actor{
		Kind: audit.ByUser, User: c.User, Account: c.Account, Brand: c.Brand, Operation: "connect_client",
	})
	name := "oauth-" + c.ID
	if s.expired(c.Expires) {
		return nil, s.used(ctx, c, name, badGrant("The code has expired."))
	}
	until := metav1.NewTime(time.Unix(c.Until, 0).UTC())
	g, err := apikey.CreateGrant(ctx, s.Live, s.NextKey, s.Clock.Now(), name, apikey.Request{
		Account: c.Account, Brand: c.Brand, DisplayName: displayName(c.Name), Scopes: c.Scopes, ExpiresAt: &until,
		Prefix: s.KeyPrefix,
	}, v1beta1.OAuthGrant{ClientID: values["client_id"], ClientName: c.Name, User: c.User})
	switch {
	case apierrors.IsAlreadyExists(err):
		return nil, s.used(ctx, c, name, badGrant("The code was used before."))
	case errors.Is(err, apikey.ErrTooManyGrants):
		return nil, badGrant(err.Error() + ".")
	case err != nil:
		return nil, err
	}
	return s.issue(g, g.Spec.Scopes, 0)
}

// displayName returns the display name of the grant of a client.
func displayName(client string) string {
	if client == "" {
		return "OAuth client"
	}
	return client
}

// used revokes the grant of a code that is presented again: it was stolen before or after its use (RFC 6749, section
// 4.1.2). The error is refusal, or that of the cluster.
func (s *Server) used(ctx context.Context, c *code, name string, refusal error) error {
	g := &v1beta1.APIKey{}
	err := s.Live.Get(ctx, client.ObjectKey{Namespace: c.Account, Name: name}, g)
	if apierrors.IsNotFound(err) {
		return refusal
	}
	if err == nil {
		err = s.end(ctx, g)
	}
	if err != nil {
		return err
	}
	return refusal
}

// refresh exchanges a refresh token for new tokens.
func (s *Server) refresh(r *http.Request, form url.Values) (*tokens, error) {
	text, err := only(form, "refresh_token")
	if err != nil {
		return nil, err
	}
	id, err := only(form, "client_id")
	if err != nil {
		return nil, err
	}
	asked, err := only(form, "scope")
	if err != nil {
		return nil, err
	}
	old, ok := s.openRefresh(text)
	if !ok {
		return nil, badGrant("The refresh token is not valid.")
	}
	for range refreshTries {
		g, err := s.grantOf(r.Context(), old.Namespace, old.Name, old.UID)
		if err != nil {
			return nil, err
		}
		if g == nil || g.Spec.Revoked || !s.Clock.Now().Before(g.Spec.ExpiresAt.Time) {
			return nil, badGrant("The access was revoked or has expired.")
		}
		if id != g.Spec.OAuth.ClientID {
			return nil, badGrant("The refresh token belongs to another client.")
		}
		scopes, err := narrowed(g, asked)
		if err != nil {
			return nil, err
		}
		number, err := s.advance(r, g, old.Number)
		if apierrors.IsConflict(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return s.issue(g, scopes, number)
	}
	return nil, errors.New("counting a refresh: the grant changes all the time")
}

// advance counts a refresh with a token of the given number, and returns the number of the next token. The error is a
// conflict if the grant changed meanwhile, and invalid_grant for a used token, whose grant is revoked.
func (s *Server) advance(r *http.Request, g *v1beta1.APIKey, number int64) (int64, error) {
	state := v1beta1.OAuthStatus{}
	if g.Status.OAuth != nil {
		state = *g.Status.OAuth
	}
	now := s.Clock.Now()
	switch {
	case number == state.Refreshes:
		before := g.DeepCopy()
		at := metav1.NewTime(now)
		g.Status.OAuth = &v1beta1.OAuthStatus{Refreshes: number + 1, RefreshedAt: &at}
		return number + 1, s.Live.Status().Patch(context.WithoutCancel(r.Context()), g,
			client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	case number == state.Refreshes-1 && state.RefreshedAt != nil && now.Sub(state.RefreshedAt.Time) < refreshGrace:
		return state.Refreshes, nil
	case number > state.Refreshes: // the cluster was restored from an older backup
		return 0, badGrant("The refresh token is not valid.")
	}
	s.Log.Warn("revoked the grant of a client whose refresh token was used twice",
		"account", g.Namespace, "grant", g.Name, "request_id", operation.RequestID(r))
	if err := s.end(s.acting(r, actorOf(g, "refresh_token")), g); err != nil {
		return 0, err
	}
	return 0, badGrant("The refresh token was used before. The access is revoked: sign in again.")
}

// narrowed returns the scopes of new tokens: those of the grant, or the requested part of them (RFC 6749, section 6).
func narrowed(g *v1beta1.APIKey, asked string) ([]v1beta1.Scope, error) {
	if strings.TrimSpace(asked) == "" {
		return g.Spec.Scopes, nil
	}
	var out []v1beta1.Scope
	for _, scope := range strings.Fields(asked) {
		switch known := v1beta1.Scope(scope); {
		case slices.Contains(g.Spec.Scopes, known):
			out = append(out, known)
		case slices.Contains(apikey.Scopes, known):
			return nil, oidc.ErrInvalidScope().WithDescription("The user did not grant the scope %s.", known)
		}
	}
	if len(out) == 0 {
		return g.Spec.Scopes, nil
	}
	return out, nil
}

// issue returns tokens of a grant.
func (s *Server) issue(g *v1beta1.APIKey, scopes []v1beta1.Scope, number int64) (*tokens, error) {
	until := min(s.in(accessTime), g.Spec.ExpiresAt.Unix())
	access, err := s.access.Seal(auth.AccessToken{
		Namespace: g.Namespace, Name: g.Name, UID: g.UID, Scopes: scopes, Expires: until,
	})
	if err != nil {
		return nil, err
	}
	sealed, err := s.refreshes.Seal(refresh{Namespace: g.Namespace, Name: g.Name, UID: g.UID, Number: number})
	if err != nil {
		return nil, err
	}
	return &tokens{
		AccessToken: access, TokenType: oidc.BearerToken, ExpiresIn: until - s.Clock.Now().Unix(),
		RefreshToken: refreshPrefix + sealed, Scope: strings.Join(texts(scopes), " "),
	}, nil
}

// revoke is the revocation endpoint. The revocation of any token of a grant ends the grant. An unknown token is revoked
// already (RFC 7009, section 2.2).
func (s *Server) revoke(r *http.Request) (int, any, error) {
	if err := r.ParseForm(); err != nil {
		return 0, nil, oidc.ErrInvalidRequest().WithDescription("The body must be a form.")
	}
	text, err := only(r.PostForm, "token")
	if err == nil && text == "" {
		err = oidc.ErrInvalidRequest().WithDescription("token is missing.")
	}
	if err != nil {
		return 0, nil, err
	}
	var g *v1beta1.APIKey
	if access, ok := s.access.Open(text); ok {
		g, err = s.grantOf(r.Context(), access.Namespace, access.Name, access.UID)
	} else if old, ok := s.openRefresh(text); ok {
		g, err = s.grantOf(r.Context(), old.Namespace, old.Name, old.UID)
	}
	if err == nil && g != nil {
		err = s.end(s.acting(r, actorOf(g, "revoke_token")), g)
	}
	return http.StatusOK, nil, err
}

func (s *Server) openRefresh(text string) (*refresh, bool) {
	sealed, ok := strings.CutPrefix(text, refreshPrefix)
	out := &refresh{}
	return out, ok && s.refreshes.Open(sealed, out) == nil
}

// grantOf returns a grant; nil if it does not exist any more.
func (s *Server) grantOf(ctx context.Context, namespace, name string, uid types.UID) (*v1beta1.APIKey, error) {
	g := &v1beta1.APIKey{}
	err := s.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, g)
	if apierrors.IsNotFound(err) || err == nil && (g.UID != uid || g.Spec.OAuth == nil || g.Spec.ExpiresAt == nil) {
		return nil, nil
	}
	return g, err
}

// end revokes a grant.
func (s *Server) end(ctx context.Context, g *v1beta1.APIKey) error {
	if g.Spec.Revoked {
		return nil
	}
	before := g.DeepCopy()
	g.Spec.Revoked = true
	return client.IgnoreNotFound(s.Live.Patch(ctx, g, client.MergeFrom(before)))
}

// actorOf returns the client of a grant as the actor of an operation.
func actorOf(g *v1beta1.APIKey, name string) audit.Actor {
	return audit.Actor{
		Kind: audit.ByKey, KeyID: g.Labels[v1beta1.LabelID], KeyName: g.Spec.DisplayName, Account: g.Namespace,
		Brand: g.Spec.BrandRef.Name, Operation: name,
	}
}

// acting returns a context whose changes are attributed to an actor. The changes complete even if the client
// disconnects.
func (s *Server) acting(r *http.Request, a audit.Actor) context.Context {
	a.Address, a.RequestID, a.Door = limit.ClientAddress(r, s.TrustedProxies), operation.RequestID(r), "oauth"
	return audit.With(context.WithoutCancel(r.Context()), a)
}
