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

// Media types of stock items, as used in the API.
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

// StatusReady is the status of a usable item.
const StatusReady = "ready"

// Item is one image or clip.
type Item struct {
	ID         int64  // ID in the API; never changes
	Provider   string // one of the Provider constants
	ExternalID string // the provider's ID; the object's name for ProviderLibrary
	Kind       string // KindImage or KindVideo
	MediaType  string // one of the Type constants

	Title       string // empty if unknown
	Description string // empty if unknown
	Tags        []string
	World       string // image world of a rendered background, else empty

	Width, Height int     // in pixels; 0 if unknown
	Duration      float64 // in seconds; 0 for an image
	ContentType   string
	Bytes         int64 // 0 if unknown

	// URL and ThumbnailURL are public addresses. If they are empty, BlobKey and ThumbnailKey name objects in the
	// installation's store, for which the reader signs URLs.
	URL, ThumbnailURL     string
	BlobKey, ThumbnailKey string

	Attribution *v1beta1.Attribution
	Status      string // StatusReady, or the status of the MediaAsset of a library item

	// Report is the address for usage reports to the provider; see Provider.Used.
	Report string
}

// Ref returns the reference to the item in a slide (its image.stock): the ID of a rendered background, else
// PROVIDER:ID.
func (i Item) Ref() string {
	if i.Provider == ProviderStarter {
		return i.ExternalID
	}
	return i.Provider + ":" + i.ExternalID
}

// ParseRef parses a reference in the format of Ref. It does not check whether the item exists.
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
	numbers = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)                 // IDs of providers
	names   = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`) // names of objects
)

// IDOf returns the numeric ID of a provider's item. The numeric ID of a library item is stored on its object.
func IDOf(provider, externalID string) int64 { return imagery.StableID(provider, externalID) }

// Query is a request for a page of items.
type Query struct {
	Text      string // search words; empty lists all items
	MediaType string // one of the Type constants, or empty for all
	Page      int    // counted from 1
	PerPage   int    // 1 to MaxPerPage
}

// MaxPerPage is the maximum size of a page.
const MaxPerPage = 100

// Page is one page of results. A page after the last is empty.
type Page struct {
	Items  []Item
	Total  int    // across all pages
	Method string // one of the Method constants
}
