// SPDX-License-Identifier: Apache-2.0

package read

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/slides"
)

// Names of the indexes. The cost of a look-up depends on the size of its result only.
const (
	indexID     = "reelops.id"
	indexSecret = "reelops.secret"
)

// Index adds the indexes that Reader needs. Call it before the cache starts.
func Index(ctx context.Context, indexer client.FieldIndexer) error {
	byLabel := func(label string) client.IndexerFunc {
		return func(o client.Object) []string {
			if v := o.GetLabels()[label]; v != "" {
				return []string{v}
			}
			return nil
		}
	}
	for _, ix := range []struct {
		kind  client.Object
		name  string
		value client.IndexerFunc
	}{
		{&v1beta1.Brand{}, indexID, byLabel(v1beta1.LabelID)},
		{&v1beta1.Automation{}, indexID, byLabel(v1beta1.LabelID)},
		{&v1beta1.MusicTrack{}, indexID, byLabel(v1beta1.LabelID)},
		{&v1beta1.WebhookEndpoint{}, indexID, byLabel(v1beta1.LabelID)},
		{&v1beta1.MusicTrack{}, indexTracks, tracksOf},
		{&v1beta1.MediaAsset{}, slides.IndexPack, slides.PackIndex},
		{&v1beta1.APIKey{}, indexSecret, func(o client.Object) []string {
			return []string{o.(*v1beta1.APIKey).Spec.SecretSHA256}
		}},
	} {
		if err := indexer.IndexField(ctx, ix.kind, ix.name, ix.value); err != nil {
			return fmt.Errorf("adding the index %s of %T: %w", ix.name, ix.kind, err)
		}
	}
	return nil
}

// Kinds returns the kinds that Reader reads. A cache must have them all.
func Kinds() []client.Object {
	return []client.Object{
		&v1beta1.Account{}, &v1beta1.Brand{}, &v1beta1.APIKey{}, &v1beta1.MediaPack{}, &v1beta1.MediaAsset{}, &v1beta1.MusicTrack{}, &v1beta1.Slideshow{}, &v1beta1.Video{}, &v1beta1.RenderJob{},
		&v1beta1.SocialAccount{}, &v1beta1.AccountAnalytics{}, &v1beta1.Post{}, &v1beta1.Automation{},
		&v1beta1.WebhookEndpoint{}, &v1beta1.Archive{},
	}
}
