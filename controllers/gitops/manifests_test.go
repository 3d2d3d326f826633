// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/controllers/connectionrequest"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/testkit"
)

const (
	brandName = "acme"
	assetName = "photo"
	// captionTime is the form of times in captions.
	captionTime = "2006-01-02T15:04:05Z"
)

// assetKey is the file of the MediaAsset of a namespace.
func assetKey(namespace string) string { return "imports/" + namespace + "/photo.png" }

// manifests are the files of the repository, in random order.
func (h *history) manifests(r *rand.Rand) []client.Object {
	var out []client.Object
	w := h.world
	if w.brand {
		b := testkit.Brand(h.namespace, brandName)
		b.Spec.Approval = "none"
		if w.approval {
			b.Spec.Approval = posting.ApprovalHold
		}
		out = append(out, b)
	}
	if w.asset {
		out = append(out, &v1beta1.MediaAsset{
			ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace, Name: assetName},
			Spec:       v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{BlobKey: ptr.To(assetKey(h.namespace))}},
		})
	}
	for _, name := range slices.Sorted(maps.Keys(w.shows)) {
		out = append(out, h.showManifest(name, w.shows[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(w.batches)) {
		out = append(out, h.batchManifest(name, w.batches[name]))
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func (h *history) showManifest(name string, s show) *v1beta1.Slideshow {
	o := testkit.HandWritten(h.namespace, name, brandName, fmt.Sprintf("Edit %d", s.edit))
	o.Spec.AutoRender, o.Spec.Suspend, o.Spec.DesignStyle = true, s.draft, "bold_center"
	o.Spec.Film = v1beta1.FilmSpec{Motion: "still", Transition: "cut"}
	if s.badStyle {
		o.Spec.DesignStyle = "no_such_style"
	}
	if s.asset {
		o.Spec.Slides[0].Image = &v1beta1.SlideImage{MediaRef: &v1beta1.LocalRef{Name: assetName}}
	}
	if s.track {
		o.Spec.Music = &v1beta1.MusicSource{TrackRef: &v1beta1.LocalRef{Name: "no-such-track"}}
	}
	return o
}

func (h *history) batchManifest(name string, b batch) *v1beta1.PostBatch {
	o := &v1beta1.PostBatch{
		ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace, Name: name},
		Spec: v1beta1.PostBatchSpec{
			BrandRef: v1beta1.LocalRef{Name: brandName}, ShortRef: v1beta1.ShortRef{Name: b.show}, ScheduledAt: ptr.To(metav1.NewTime(b.due)),
			PostingMode: catalog.PostDirect, Media: catalog.MediaVideo, PostText: v1beta1.PostText{Caption: ptr.To(h.caption(name, b))},
			Suspend: b.suspend, Approved: b.approved,
		},
	}
	if b.pinned {
		o.Spec.RevisionPolicy = v1beta1.RevisionPinned
	}
	for _, p := range b.platforms {
		if b.byPlatform {
			o.Spec.Platforms = append(o.Spec.Platforms, v1beta1.Platform(p))
		} else {
			o.Spec.Accounts = append(o.Spec.Accounts, v1beta1.PostTarget{Name: h.socialAccount(p)})
		}
	}
	return o
}

// caption identifies the publication of a batch by its name and time: the same manifest deleted and applied again has
// the same caption.
func (h *history) caption(name string, b batch) string {
	return fmt.Sprintf("%s %s at %s", h.namespace, name, b.due.UTC().Format(captionTime))
}

// socialAccount is the name of the SocialAccount that the history has on a platform while it is connected.
func (h *history) socialAccount(platform string) string {
	a, _ := h.stage.sandbox.AccountByName(platform, accountName(h.number))
	return connectionrequest.Name(brandName, v1beta1.Platform(platform), a.ID)
}
