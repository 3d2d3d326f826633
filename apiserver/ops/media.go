// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/content/textsearch"
)

// StockLibrary finds stock images and clips.
type StockLibrary interface {
	Search(context.Context, stock.Query) (stock.Page, error)
	// ByID returns an item that was listed before or is always available.
	ByID(context.Context, int64) (stock.Item, bool, error)
}

var listMediaSpec = operation.Spec{
	Name: "list_media", Method: http.MethodGet, Path: "/api/v1/media", Tag: "Media",
	Summary: "List media",
	Description: "`own` lists media of the brand, and media that its account shares among all brands. " +
		"Images that were fetched by URL for a single slideshow are not listed. " +
		"`packs` lists the contents of the packs of `GET /media_packs`. " +
		"`stock` lists media that need no upload: generated backgrounds, avatar clips, media that the installation shares with all accounts, and the configured stock providers. " +
		"Without `query` the newest items are first. " +
		"With `query`, `own` and `packs` are searched by words in title, tags, description and pack. " +
		"Items that match all words precede those that match some, and the last word may be a prefix. " +
		"Stock is searched by meaning. Ids of stock are stable and valid immediately as media ids.",
	Scope: v1beta1.ScopeMediaRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleMedia(),
}

type listMediaInput struct {
	operation.Paging
	Source    mediaSource `query:"source" default:"own" doc:"Source of the media."`
	Query     searchText  `query:"query" doc:"Search text."`
	MediaType mediaType   `query:"media_type" doc:"Items of one type. Avatars: source=stock&media_type=avatar_video."`
}

type mediaSource string

// Schema lists the sources.
func (mediaSource) Schema(r huma.Registry) *huma.Schema { return view.MediaSourceName("").Schema(r) }

type mediaType string

// Schema lists the types.
func (mediaType) Schema(r huma.Registry) *huma.Schema { return view.MediaTypeName("").Schema(r) }

type searchText string

// Schema limits the length of a query.
func (searchText) Schema(huma.Registry) *huma.Schema {
	most := catalog.MaxQueryCharacters
	return &huma.Schema{Type: huma.TypeString, MaxLength: &most, Examples: []any{"calm evening by the sea"}}
}

func (s *Service) listMedia(ctx context.Context, c *operation.Call, in listMediaInput) (*operation.Reply[[]view.MediaItem], error) {
	reply := &operation.Reply[[]view.MediaItem]{Data: []view.MediaItem{}}
	reply.Meta.Source = string(in.Source)
	if in.Source == catalog.LibraryStock {
		return reply, s.listStock(ctx, c, in, reply)
	}
	filter := index.MediaFilter{Type: string(in.MediaType)}
	reply.Meta.SearchMethod = stock.MethodRecent
	if text := strings.TrimSpace(string(in.Query)); text != "" {
		query := textsearch.Parse(text)
		filter.Query, reply.Meta.SearchMethod = &query, stock.MethodText
	}
	list := s.Reader.OwnMedia
	if in.Source == catalog.LibraryPacks {
		list = s.Reader.PackedMedia
	}
	page, err := list(ctx, c.Namespace(), c.Brand.Name, filter, func(total int) (from, to int) {
		from, to, reply.Meta.Pagination = in.Of(total)
		return from, to
	})
	if err != nil {
		return nil, err
	}
	sign := s.signer(ctx, c)
	for _, one := range page {
		item, err := s.mediaItem(one, string(in.Source), sign)
		if err != nil {
			return nil, err
		}
		reply.Data = append(reply.Data, *item)
	}
	return reply, nil
}

// mediaItem returns the view of a listed item.
func (s *Service) mediaItem(i index.MediaItem, source string, sign view.Signer) (*view.MediaItem, error) {
	if i.Drawn != nil {
		return view.StarterPictureOf(s.BaseURL, *i.Drawn, i.PackID), nil
	}
	return view.MediaOf(i.ID, i.Asset, source, i.PackID, sign)
}

var mediaSpec = operation.Spec{
	Name: "get_media", Method: http.MethodGet, Path: "/api/v1/media/{id}", Tag: "Media",
	Summary: "Get a media item", Description: "Returns an item of any source in the form of `GET /media`. Use it to poll until `status` is `ready`.",
	Scope: v1beta1.ScopeMediaRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleMediaItem(),
}

type byMediaID struct {
	ID operation.ID `path:"id" doc:"The media item's id."`
}

// media returns an item of the brand, its account, the library or the stock.
func (s *Service) media(ctx context.Context, c *operation.Call, in byMediaID) (*operation.Reply[view.MediaItem], error) {
	id := int64(in.ID)
	asset, err := s.Reader.MediaByID(ctx, c.Namespace(), c.Brand.Name, id)
	var item *view.MediaItem
	switch {
	case errors.Is(err, read.ErrNotFound):
		var one stock.Item
		var found bool
		if one, found, err = s.Stock.ByID(ctx, id); err == nil && !found {
			err = problem.New(catalog.NotFound, nil)
		}
		if err == nil {
			item, err = view.StockOf(one, s.signer(ctx, c))
		}
	case err != nil:
		return nil, err
	case asset.Spec.PackRef == nil && asset.Namespace == s.Library && c.Namespace() != s.Library:
		item, err = view.StockOf(view.StockItem(id, asset), s.signer(ctx, c))
	default:
		source, pack := catalog.LibraryOwn, int64(0)
		if asset.Spec.PackRef != nil {
			in, _ := s.Reader.Media.NamedPack(asset.Namespace, asset.Spec.PackRef.Name)
			pack = in.ID
			if asset.Spec.BrandRef == nil {
				source = catalog.LibraryPacks
			}
		}
		item, err = view.MediaOf(id, asset, source, pack, s.signer(ctx, c))
	}
	if err != nil {
		return nil, err
	}
	return &operation.Reply[view.MediaItem]{Data: *item}, nil
}

// listStock adds a page of stock items to the reply.
func (s *Service) listStock(ctx context.Context, c *operation.Call, in listMediaInput, reply *operation.Reply[[]view.MediaItem]) error {
	query := stock.Query{Text: strings.TrimSpace(string(in.Query)), MediaType: string(in.MediaType), Page: in.Page, PerPage: in.PerPage}
	var page stock.Page
	switch in.MediaType {
	case "", stock.TypeImage, stock.TypeVideo, stock.TypeAvatar:
		var err error
		if page, err = s.Stock.Search(ctx, query); err != nil {
			return err
		}
	default: // no stock item has that type
		page.Method = stock.MethodRecent
		if query.Text != "" {
			page.Method = stock.MethodSemantic
		}
	}
	reply.Meta.SearchMethod = page.Method
	_, _, reply.Meta.Pagination = in.Of(page.Total)
	sign := s.signer(ctx, c)
	for _, i := range page.Items {
		item, err := view.StockOf(i, sign)
		if err != nil {
			return err
		}
		reply.Data = append(reply.Data, *item)
	}
	return nil
}

// SharedStock returns the library items that every account has, as stock items.
func SharedStock(media *index.Media) func() []stock.Item {
	return func() []stock.Item {
		all := media.Library()
		out := make([]stock.Item, len(all))
		for i, one := range all {
			out[i] = view.StockItem(one.ID, one.Asset)
		}
		return out
	}
}
