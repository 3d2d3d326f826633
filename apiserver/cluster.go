// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"fmt"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/archived"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/pressure"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/kube/fieldowner"
	"github.com/reelops/reelops/internal/kube/resume"
)

// Access holds the front end's clients, caches and indexes of the cluster.
type Access struct {
	// Client reads the cache and writes to the cluster. Its reads wait until the cache holds this client's own writes.
	// The cached Slideshow, Video, RenderJob, MediaAsset and Post objects are trimmed and must not be written back.
	Client client.Client
	// Plain reads and writes the cluster directly. Use it for kinds that are not cached, such as ConfigMaps: the cached
	// client would start a watch for them.
	Plain client.Client
	// Index holds slideshows and videos. The cache feeds it.
	Index *index.Shorts
	// Media holds media assets and packs. The cache feeds it.
	Media *index.Media
	// Posts holds posts. The cache feeds it.
	Posts *index.Posts
	// Archives holds the Archive of each namespace. The cache feeds it.
	Archives *archived.Objects
	// Gate sees every response of the cluster.
	Gate *pressure.Gate

	cache  cache.Cache
	kept   *resume.Store
	fed    []toolscache.InformerSynced
	synced atomic.Bool
}

// Connect creates the cache, its clients and the indexes. The custom resource definitions must exist in the cluster.
//
// library is the namespace whose media, packs and music every account can read. gate observes the cluster's responses;
// nil disables it. kept stores the informer snapshots for a warm restart; nil disables them.
func Connect(ctx context.Context, config *rest.Config, library string, gate *pressure.Gate, kept *resume.Store) (*Access, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if err := v1beta1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if config.UserAgent == "" { // identifies the front end in audit logs and metrics of the cluster
		config = rest.CopyConfig(config)
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	if gate != nil {
		config = rest.CopyConfig(config)
		config.Wrap(gate.Transport)
	}
	web, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	mapper, err := apiutil.NewDynamicRESTMapper(config, web)
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	if kept == nil {
		kept = resume.Open(resume.Config{Kinds: resume.Kinds(), Clock: clock.RealClock{}})
	}
	a := &Access{
		kept: kept, Index: index.New(clock.RealClock{}), Media: index.NewMedia(clock.RealClock{}, library), Posts: index.NewPosts(clock.RealClock{}),
		Archives: archived.NewObjects(), Gate: gate,
	}
	newInformer, err := kept.Informers(config, scheme, v1beta1.Whole())
	if err != nil {
		return nil, fmt.Errorf("creating the clients of informers: %w", err)
	}
	a.cache, err = cache.New(config, cache.Options{
		NewInformer: newInformer,
		HTTPClient:  web, Scheme: scheme, Mapper: mapper, DefaultTransform: read.Trim, DefaultLabelSelector: v1beta1.Whole(),
		// Reading a kind that is not cached is a bug. It must not start a cluster-wide watch.
		ReaderFailOnMissingInformer: true,
	})
	if err != nil {
		return nil, fmt.Errorf("creating the cache: %w", err)
	}
	if err := read.Index(ctx, a.cache); err != nil {
		return nil, err
	}
	for _, kind := range read.Kinds() {
		informer, err := a.cache.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
		if err != nil {
			return nil, fmt.Errorf("watching %T: %w", kind, err)
		}
		if err := a.feed(kind, informer); err != nil {
			return nil, fmt.Errorf("watching %T: %w", kind, err)
		}
	}
	options := client.Options{HTTPClient: web, Scheme: scheme, Mapper: mapper, FieldOwner: fieldowner.Frontend}
	plain, err := client.New(config, options)
	if err != nil {
		return nil, fmt.Errorf("creating a client: %w", err)
	}
	options.Cache = &client.CacheOptions{Reader: a.cache, EnableReadYourWritesConsistency: ptr.To(true)}
	cached, err := client.New(config, options)
	if err != nil {
		return nil, fmt.Errorf("creating a client: %w", err)
	}
	a.Plain, a.Client = read.Client(plain, a.Index, a.Media, a.Posts), read.Client(cached, a.Index, a.Media, a.Posts)
	return a, nil
}

// feed registers the event handler of the index, or of the archives, that holds the kind, if there is one.
func (a *Access) feed(kind client.Object, informer cache.Informer) error {
	var handler toolscache.ResourceEventHandler
	switch kind.(type) {
	case *v1beta1.Slideshow:
		handler = a.Index.Slideshows()
	case *v1beta1.Video:
		handler = a.Index.Videos()
	case *v1beta1.RenderJob:
		handler = a.Index.RenderJobs()
	case *v1beta1.MediaAsset:
		handler = a.Media.Assets()
	case *v1beta1.MediaPack:
		handler = a.Media.PackObjects()
	case *v1beta1.Post:
		handler = a.Posts.Events()
	case *v1beta1.Archive:
		handler = a.Archives.Events()
	default:
		return nil
	}
	r, err := informer.AddEventHandler(handler)
	if err != nil {
		return err
	}
	a.fed = append(a.fed, r.HasSynced)
	return nil
}

// Start runs the cache and the indexes until the context ends.
func (a *Access) Start(ctx context.Context) error {
	go func() {
		if a.cache.WaitForCacheSync(ctx) && toolscache.WaitForCacheSync(ctx.Done(), a.fed...) {
			a.synced.Store(true)
			_ = a.kept.Start(ctx) // blocks until the context ends
		}
	}()
	return a.cache.Start(ctx)
}

// Synced reports whether the cache and the indexes have been filled.
func (a *Access) Synced() bool { return a.synced.Load() }
