// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"net/http"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/stock"
)

var listPacksSpec = operation.Spec{
	Name: "list_media_packs", Method: http.MethodGet, Path: "/api/v1/media_packs", Tag: "Media",
	Summary: "List media packs",
	Description: "Lists the packs of the brand and its account, newest first, then those that all accounts share, by name; at most 500. " +
		"With `image_source` `{\"type\": \"pack\", \"media_pack_id\": id}` a slideshow takes every background from a pack.",
	Scope: v1beta1.ScopeMediaRead, ForBrand: true, Bucket: operation.Global, DataExample: examplePacks(),
}

func (s *Service) listPacks(ctx context.Context, c *operation.Call, _ struct{}) (*operation.Reply[[]view.Pack], error) {
	packs, err := s.Reader.Packs(ctx, c.Namespace(), c.Brand.Name)
	if err != nil {
		return nil, err
	}
	packs = packs[:min(len(packs), catalog.MaxListedPacks)]
	reply := &operation.Reply[[]view.Pack]{Data: make([]view.Pack, 0, len(packs))}
	sign := s.signer(ctx, c)
	for _, p := range packs {
		previews, err := s.previews(p, sign)
		if err != nil {
			return nil, err
		}
		if p.Drawn != nil {
			reply.Data = append(reply.Data, *view.StarterPackOf(p.Drawn, previews))
			continue
		}
		reply.Data = append(reply.Data, *view.PackOf(p.ID, p.Object, p.Common, previews))
	}
	return reply, nil
}

// previews returns the URLs of small images of a pack's items.
func (s *Service) previews(p index.Pack, sign view.Signer) (out []string, err error) {
	for _, i := range s.Reader.Media.Previews(p, catalog.MaxPackPreviews) {
		if i.Drawn != nil {
			out = append(out, stock.StarterURL(s.BaseURL, *i.Drawn, true))
			continue
		}
		key := i.Asset.Status.ThumbnailKey
		if key == "" {
			key = i.Asset.Status.BlobKey
		}
		address, err := sign(key, catalog.LibraryURLValidity)
		if err != nil {
			return nil, err
		}
		out = append(out, address)
	}
	return out, nil
}
