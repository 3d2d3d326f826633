// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"regexp"
	"strings"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/imagery/starter"
)

// Providers of stock items.
const (
	ProviderStarter  = starter.Provider
	ProviderLibrary  = "library" // MediaAssets of the library's namespace
	ProviderPexels   = "pexels"
	ProviderUnsplash = "unsplash"
	ProviderPixabay  = "pixabay"
)

// Media types of stock items, as they stand on the wire.
const (
	TypeImage  = "stock_image"
	TypeVideo  = "stock_video"
	TypeAvatar = "avatar_video"
)

// Kinds of stock items.
const (
	KindImage = "image"
	KindVideo = "video"
)

// Methods by which a page was found.
const (
	MethodRecent   = "recent"   // no words were given
	MethodSemantic = "semantic" // by meaning
	MethodText     = "text"     // by the words themselves
)

// StatusReady is the status of an item that can be used.
const StatusReady = "ready"

// Item is one picture or clip.
type Item struct {
	ID         int64  // on the wire; stable for ever
	Provider   string // one of the Provider constants
	ExternalID string // the provider's own id; the object's name for ProviderLibrary
	Kind       string // KindImage or KindVideo
	MediaType  string // one of the Type constants

	Title       string // "" when it has none
	Description string // "" when it has none
	Tags        []string
	World       string // image world of a drawn background, else ""

	Width, Height int     // in pixels; 0 when nobody said
	Duration      float64 // in seconds; 0 for a picture
	ContentType   string
	Bytes         int64 // 0 when nobody said

	// URL and ThumbnailURL can be opened by anybody. Where they are empty BlobKey and ThumbnailKey name objects of the
	// installation's store, whose addresses the reader has to sign.
	URL, ThumbnailURL     string
	BlobKey, ThumbnailKey string

	Attribution *v1beta1.Attribution
	Status      string // StatusReady, or as the MediaAsset of a library item says

	// Report is where the provider wants to be told that the item is used; see Provider.Used.
	Report string
}

// Ref is how a slide names the item (its image.stock): the id of a drawn background, else PROVIDER:ID.
func (i Item) Ref() string {
	if i.Provider == ProviderStarter {
		return i.ExternalID
	}
	return i.Provider + ":" + i.ExternalID
}

// ParseRef reads what Ref makes. It does not say whether there is such an item.
func ParseRef(ref string) (provider, externalID string, ok bool) {
	if strings.HasPrefix(ref, ProviderStarter+"-") {
		return ProviderStarter, ref, true
	}
	provider, externalID, _ = strings.Cut(ref, ":")
	shape := numbers
	switch provider {
	case ProviderLibrary:
		shape = names
	case ProviderPexels, ProviderUnsplash, ProviderPixabay:
	default:
		return "", "", false
	}
	if !shape.MatchString(externalID) {
		return "", "", false
	}
	return provider, externalID, true
}

var (
	numbers = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)                 // ids of providers
	names   = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`) // of objects
)

// IDOf is the number of a provider's item. Library items have a number of their own, on their object.
func IDOf(provider, externalID string) int64 { return imagery.StableID(provider, externalID) }

// Query asks for a page of items.
type Query struct {
	Text      string // what to look for, in words; "" lists what there is
	MediaType string // one of the Type constants, or "" for all
	Page      int    // counted from 1
	PerPage   int    // 1 to MaxPerPage
}

// MaxPerPage bounds a page.
const MaxPerPage = 100

// Page is one page of what was found. A page beyond the last is empty.
type Page struct {
	Items  []Item
	Total  int    // over all pages
	Method string // one of the Method constants
}
