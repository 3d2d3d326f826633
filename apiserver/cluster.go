// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"fmt"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/apiserver/read"
)

// Access is how the front end reaches the cluster.
type Access struct {
	// Client reads a cache that sees this client's own writes, and writes the cluster.
	Client client.Client
	// Plain reads and writes the cluster itself. What is not in the cache, such as ConfigMaps, goes through it: a write
	// through Client would start to watch them.
	Plain client.Client

	cache  cache.Cache
	synced atomic.Bool
}

// Connect prepares the cache and its clients. The kinds must exist in the cluster.
func Connect(ctx context.Context, config *rest.Config) (*Access, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	web, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("preparing to reach the cluster: %w", err)
	}
	mapper, err := apiutil.NewDynamicRESTMapper(config, web)
	if err != nil {
		return nil, fmt.Errorf("preparing to reach the cluster: %w", err)
	}
	a := &Access{}
	a.cache, err = cache.New(config, cache.Options{
		HTTPClient: web, Scheme: scheme, Mapper: mapper, DefaultTransform: read.Trim,
		// A read of a kind that is not meant to be here is a mistake, not a reason to watch the whole cluster.
		ReaderFailOnMissingInformer: true,
	})
	if err != nil {
		return nil, fmt.Errorf("making the cache: %w", err)
	}
	if err := read.Index(ctx, a.cache); err != nil {
		return nil, err
	}
	for _, kind := range read.Kinds() {
		if _, err := a.cache.GetInformer(ctx, kind, cache.BlockUntilSynced(false)); err != nil {
			return nil, fmt.Errorf("watching %T: %w", kind, err)
		}
	}
	options := client.Options{HTTPClient: web, Scheme: scheme, Mapper: mapper}
	if a.Plain, err = client.New(config, options); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	options.Cache = &client.CacheOptions{Reader: a.cache, EnableReadYourWritesConsistency: ptr.To(true)}
	if a.Client, err = client.New(config, options); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return a, nil
}

// Start fills the cache and keeps it fresh until the context ends.
func (a *Access) Start(ctx context.Context) error {
	go func() {
		if a.cache.WaitForCacheSync(ctx) {
			a.synced.Store(true)
		}
	}()
	return a.cache.Start(ctx)
}

// Synced says whether the cache has been filled.
func (a *Access) Synced() bool { return a.synced.Load() }
