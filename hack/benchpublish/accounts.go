// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/e2e/approval"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/platforms"
)

// connect connects accounts as users do on the pages of the platforms: each account is approved, and the manager
// exchanges its code.
func (s *stage) connect(ctx context.Context) error {
	sealer, err := consent.NewSealer(s.key, clock.RealClock{})
	if err != nil {
		return err
	}
	set, err := (&platforms.Settings{Sandbox: s.sandbox}).Open(clock.RealClock{})
	if err != nil {
		return err
	}
	began := time.Now()
	work, ctx2 := errgroup.WithContext(ctx)
	work.SetLimit(8)
	count := 0
	for _, p := range s.o.platforms {
		names, err := s.accountNames(ctx, p)
		if err != nil {
			return err
		}
		page := approval.Page{Platform: set[v1beta1.Platform(p)], Sealer: sealer, BaseURL: s.blobs}
		for _, name := range names {
			count++
			work.Go(func() error { return s.approve(ctx2, page, name) })
		}
	}
	if err := work.Wait(); err != nil {
		return err
	}
	var list v1beta1.SocialAccountList
	err = until(ctx, 15*time.Minute, 2*time.Second, func() bool {
		if err := s.kube.List(ctx, &list, client.InNamespace(tenant)); err != nil {
			return false
		}
		ready := 0
		for _, a := range list.Items {
			if a.Status.TokenStatus == v1beta1.TokenActive {
				ready++
			}
		}
		return ready >= count
	})
	if err != nil {
		return fmt.Errorf("%d of %d accounts were connected: %w", len(list.Items), count, err)
	}
	for _, a := range list.Items {
		s.names = append(s.names, target{a.Spec.Platform, a.Name})
		s.who[a.Name] = a.Spec.PlatformAccountID
	}
	logf("%d accounts connected in %s", len(s.names), time.Since(began).Round(time.Second/10))
	return nil
}

// accountNames returns the accounts of a platform that belong to a person. Pages are left out, because connecting their
// owner connects them.
func (s *stage) accountNames(ctx context.Context, platform string) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.sandbox+"/accounts", nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	var all map[string][]struct{ Name, Owner string }
	if err := json.NewDecoder(res.Body).Decode(&all); err != nil {
		return nil, fmt.Errorf("reading the sandbox's accounts: %w", err)
	}
	var out []string
	for _, a := range all[platform] {
		if a.Owner == "" && a.Name != "acme" {
			out = append(out, a.Name)
		}
	}
	if len(out) > s.o.accounts {
		out = out[:s.o.accounts]
	}
	return out, nil
}

func (s *stage) approve(ctx context.Context, page approval.Page, account string) error {
	request, err := page.Request(ctx, tenant, brand, account)
	if err != nil {
		return err
	}
	return s.kube.Create(ctx, request)
}
