// SPDX-License-Identifier: Apache-2.0

package kill

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// dropEvery is how many posts the platform publishes before it drops a response.
const dropEvery = 25

// platform records what leaders publish. It outlives them.
type platform struct {
	mu sync.Mutex
	// published counts the publications of each caption, and drafts those of each draft.
	published, drafts map[string]int
	total             int
}

// call is the body of a request to the platform.
type call struct{ Key, Caption string }

// ServeHTTP publishes a draft with POST, and looks one up with GET.
func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var c call
	if r.Method == http.MethodGet {
		c.Key = r.URL.Query().Get("key")
	} else if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case r.Method == http.MethodPost:
		p.published[c.Caption]++
		p.drafts[c.Key]++
		if p.total++; p.total%dropEvery == 0 {
			panic(http.ErrAbortHandler) // the connection breaks
		}
	case p.drafts[c.Key] == 0:
		http.NotFound(w, r)
	}
}

// remote is the adapter of a leader for the platform.
type remote struct {
	publish.OAuth
	url   string
	clock *clocktesting.FakeClock
}

func (*remote) Name() v1beta1.Platform { return catalog.TikTok }
func (*remote) Missing() []string      { return nil }

func (*remote) Headroom(context.Context, publish.Account) (*publish.Headroom, error) { return nil, nil }

// Prepare needs no call.
func (p *remote) Prepare(
	_ context.Context, _ publish.Account, d publish.Draft, _ []byte, _ func([]byte) error,
) (publish.Step, error) {
	return publish.Step{Note: []byte(d.Key), Ready: true, ExpiresAt: p.clock.Now().Add(24 * time.Hour)}, nil
}

func (p *remote) Commit(ctx context.Context, _ publish.Account, d publish.Draft, _ []byte) (*publish.Receipt, error) {
	body, err := json.Marshal(call{d.Key, d.Caption})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, &publish.Error{Kind: publish.Ambiguous, Safe: "No response"}
	}
	return &publish.Receipt{Handle: d.Key}, res.Body.Close()
}

func (p *remote) Find(
	ctx context.Context, _ publish.Account, d publish.Draft, _ []byte, _ time.Time,
) (*publish.Receipt, error) {
	if err := p.find(ctx, d.Key); err != nil {
		return nil, err
	}
	return &publish.Receipt{Handle: d.Key}, nil
}

func (p *remote) Look(ctx context.Context, _ publish.Account, _ publish.Draft, handle string) (*publish.View, error) {
	if err := p.find(ctx, handle); err != nil {
		return nil, err
	}
	return &publish.View{
		State: v1beta1.DeliveryPublished, PostID: handle, URL: "https://social.example/" + handle,
		PublishedAt: p.clock.Now(), Settled: true,
	}, nil
}

func (p *remote) find(ctx context.Context, key string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"?key="+key, http.NoBody)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return publish.ErrCannotTell
	}
	if res.StatusCode == http.StatusNotFound {
		err = publish.ErrNotFound
	}
	return errors.Join(err, res.Body.Close())
}

// accounts has a token for every account.
type accounts struct{}

func (accounts) Account(_ context.Context, a *v1beta1.SocialAccount) (publish.Account, error) {
	return publish.Account{ID: a.Spec.PlatformAccountID, AccessToken: "token"}, nil
}

func (a accounts) Renew(ctx context.Context, s *v1beta1.SocialAccount, _ string) (publish.Account, error) {
	return a.Account(ctx, s)
}

func (accounts) Refused(context.Context, *v1beta1.SocialAccount, string, error) error { return nil }

// plain does not encrypt.
type plain struct{}

func (plain) Seal(plain, _ []byte) ([]byte, error)  { return plain, nil }
func (plain) Open(sealed, _ []byte) ([]byte, error) { return sealed, nil }
