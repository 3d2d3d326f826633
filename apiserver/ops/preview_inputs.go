// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/store/blob"
)

// DefaultPreviews is the default number of previews that are drawn at once. Each keeps one processor busy and needs
// memory for three images of the canvas and for the encoded response.
const DefaultPreviews = 2

// backgroundBytes bounds the memory of the backgrounds that are kept decoded. A background of 1080 x 1920 pixels has 3 MB.
const backgroundBytes = 64 << 20

// slotWait is how long a preview waits for a slot. It is also the Retry-After when it gets none.
const slotWait = time.Second

// Painter draws previews, a limited number at once. It is safe for concurrent use.
type Painter struct {
	drawer *slides.Drawer
	slots  chan struct{}
	wait   time.Duration
}

// NewPainter returns a painter that draws at most the given number of previews at once; 0 means DefaultPreviews. It
// returns nil without an engine: previews are then not available.
func NewPainter(store *blob.Store, engine *overlay.Engine, most int) *Painter {
	if engine == nil {
		return nil
	}
	if most <= 0 {
		most = DefaultPreviews
	}
	drawer := &slides.Drawer{Store: store, Engine: engine, Backgrounds: slides.NewBackgrounds(backgroundBytes)}
	return &Painter{drawer: drawer, slots: make(chan struct{}, most), wait: slotWait}
}

// noFontsWait is the Retry-After of a front end without fonts.
const noFontsWait = time.Minute

var (
	errNoFonts = errors.New("this front end has no fonts to draw previews")
	errAllBusy = errors.New("all slots for previews are busy")
)

// enter reserves a slot. Its error is a 503 if none becomes free in time, or if previews are not available. The caller
// must call leave.
func (p *Painter) enter(ctx context.Context) (leave func(), err error) {
	if p == nil {
		return nil, problem.Shed(errNoFonts, noFontsWait)
	}
	leave = func() { <-p.slots }
	select {
	case p.slots <- struct{}{}:
		return leave, nil
	default:
	}
	timer := time.NewTimer(p.wait)
	defer timer.Stop()
	select {
	case p.slots <- struct{}{}:
		return leave, nil
	case <-timer.C:
		return nil, problem.Shed(errAllBusy, slotWait)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// freshMedia reads from the cache. It reads from the cluster what the cache does not have or has without its file, for
// example because another replica has just created it.
type freshMedia struct {
	client.Reader
	live client.Reader
}

// Get reads an object.
func (f freshMedia) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	err := f.Reader.Get(ctx, key, o, opts...)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	a, media := o.(*v1beta1.MediaAsset)
	if apierrors.IsNotFound(err) || media && a.Status.Probe == nil && a.Status.Error == nil {
		if media {
			*a = v1beta1.MediaAsset{} // the cached object is partial
		}
		return f.live.Get(ctx, key, o, opts...)
	}
	return nil
}

// recentUses returns the latest uses of images by the brand, as the controller has them. The cache has no images, so
// the slideshows are read from the cluster.
func (s *Service) recentUses(ctx context.Context, c *operation.Call, show *v1beta1.Slideshow) ([]slides.Use, error) {
	newest, err := s.Reader.Shorts(ctx, c.Namespace(), c.Brand.Name, index.Filter{Type: catalog.ShortSlideshow, Live: true},
		func(total int) (from, to int) { return 0, min(total, slides.RecentShorts+1) })
	if err != nil {
		return nil, err
	}
	recent := slides.NewRecent()
	for _, short := range newest {
		if short.Show == nil || short.Show.Name == show.Name {
			continue
		}
		whole := &v1beta1.Slideshow{}
		err := s.Reader.Live.Get(ctx, client.ObjectKeyFromObject(short.Show), whole)
		if client.IgnoreNotFound(err) != nil {
			return nil, err
		}
		if err == nil {
			recent.Saw(whole)
		}
	}
	return recent.Of(show), nil
}
