// SPDX-License-Identifier: Apache-2.0

// Package approval approves accounts on the consent pages of the sandbox, for tests and benchmarks that run no front end.
package approval

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/publish"
)

// Page is the consent page of one platform.
type Page struct {
	Platform publish.Platform
	Sealer   *consent.Sealer
	// BaseURL is the public address of the installation, to which the page redirects.
	BaseURL string
}

// Request approves account for a brand and returns the ConnectionRequest that the front end creates after the redirect.
func (p Page) Request(ctx context.Context, namespace, brand, account string) (*v1beta1.ConnectionRequest, error) {
	name := p.Platform.Name()
	state, link, err := p.Sealer.Link(consent.Link{Namespace: namespace, Brand: brand, Platform: name})
	if err != nil {
		return nil, err
	}
	redirect := consent.CallbackURL(p.BaseURL, name)
	page := p.Platform.AuthorizeURL(publish.Authorization{State: state, Verifier: p.Sealer.Verifier(link.Nonce), RedirectURI: redirect})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page+"&approve="+url.QueryEscape(account), nil)
	if err != nil {
		return nil, err
	}
	plain := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := plain.Do(req)
	if err != nil {
		return nil, err
	}
	_ = res.Body.Close()
	back, err := res.Location()
	if err != nil || back.Query().Get("code") == "" {
		return nil, fmt.Errorf("%s did not approve %s: %s", name, account, res.Status)
	}
	request := link.RequestName()
	sealed, err := p.Sealer.SealCode(consent.Code{Code: back.Query().Get("code"), RedirectURI: redirect}, namespace, request)
	if err != nil {
		return nil, err
	}
	return &v1beta1.ConnectionRequest{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: request},
		Spec:       v1beta1.ConnectionRequestSpec{BrandRef: v1beta1.LocalRef{Name: brand}, Platform: name, SealedCode: sealed, Nonce: link.Nonce},
	}, nil
}
