// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/identity"
)

// Short is a row of a segment: a short with its renders and batches. Times have milliseconds, in UTC.
type Short struct {
	// ID is the short id.
	ID int64 `parquet:"id,delta"`
	// Kind is Slideshow or Video; empty if the short was deleted and only its posts remain.
	Kind string `parquet:"kind,dict"`
	// Brand is the name of the Brand.
	Brand string `parquet:"brand,dict"`
	// State is the v1beta1.WorkState of the short: succeeded or failed. Empty without a kind.
	State string `parquet:"state,dict"`
	// CreatedAt is when the short was first created; for posts without a short, when the oldest batch was.
	CreatedAt  time.Time `parquet:"created_at,timestamp(millisecond),delta"`
	ArchivedAt time.Time `parquet:"archived_at,timestamp(millisecond),delta"`
	// FilmBytes is the size of its rendered videos and of the media items that belong to it.
	FilmBytes int64 `parquet:"film_bytes,delta"`
	// Title, Caption and Text are the texts by which the short is found. Text are those of the slides or the video, a
	// line each.
	Title   string `parquet:"title,zstd"`
	Caption string `parquet:"caption,zstd"`
	Text    string `parquet:"text,zstd"`
	// Objects are the objects of the short as a JSON array, in the order in which they are created again: the Slideshow
	// or Video first, then MediaAssets that belong to it, RenderJobs and PostBatches.
	Objects []byte `parquet:"objects,json,zstd"`
}

// Post is a row of a segment: a post of one of its shorts.
type Post struct {
	// ID is the post id, ShortID the id of its short, which is in the same segment.
	ID      int64 `parquet:"id,delta"`
	ShortID int64 `parquet:"short_id,delta"`
	// Brand and Account are the names of the Brand and the SocialAccount.
	Brand   string `parquet:"brand,dict"`
	Account string `parquet:"account,dict"`
	// Platform is a v1beta1.Platform, State a v1beta1.PostState.
	Platform string `parquet:"platform,dict"`
	State    string `parquet:"state,dict"`
	// Immediate reports whether the post was for immediate publication. ScheduledAt is its scheduled time, or else the
	// time at which it was accepted.
	Immediate   bool      `parquet:"immediate"`
	CreatedAt   time.Time `parquet:"created_at,timestamp(millisecond),delta"`
	ScheduledAt time.Time `parquet:"scheduled_at,timestamp(millisecond),delta"`
	// PublishedAt is when the post was published; the zero time, which is null in the file, if it was not.
	PublishedAt time.Time `parquet:"published_at,optional,timestamp(millisecond),delta"`
	// ArchivedAt is when its short was archived.
	ArchivedAt time.Time `parquet:"archived_at,timestamp(millisecond),delta"`
	// Batch is the name of the PostBatch.
	Batch string `parquet:"batch,zstd"`
	// PlatformPostID and URL identify the post on the platform; empty if unknown.
	PlatformPostID string `parquet:"platform_post_id,zstd"`
	URL            string `parquet:"url,zstd"`
	Title          string `parquet:"title,zstd"`
	Caption        string `parquet:"caption,zstd"`
	// Object is the Post as JSON.
	Object []byte `parquet:"object,json,zstd"`
}

// PostOf returns the row of a post, without its object and ArchivedAt.
func PostOf(p *v1beta1.Post) Post {
	id, _ := identity.Of(p)
	out := Post{
		ID: id, ShortID: p.Spec.ShortID, Brand: p.Spec.BrandRef.Name, Account: p.Spec.Account, Batch: p.Spec.Batch,
		Platform: string(p.Spec.Platform), State: string(p.Status.State), Immediate: p.Spec.Immediate,
		CreatedAt: v1beta1.CreatedAt(p).UTC(), ScheduledAt: p.Spec.ScheduledAt.UTC(),
		PlatformPostID: p.Status.PlatformPostID, URL: p.Status.PostURL, Title: p.Spec.Title, Caption: p.Spec.Caption,
	}
	if at := p.Status.PublishedAt; at != nil {
		out.PublishedAt = at.UTC()
	}
	return out
}

// ShortKey is what lists need of the row of a short. Rows are numbered from 0 in the order of the file.
type ShortKey struct {
	ID        int64     `parquet:"id"`
	CreatedAt time.Time `parquet:"created_at,timestamp(millisecond)"`
	// Kind, Brand and State share their memory among all rows.
	Kind  string `parquet:"kind"`
	Brand string `parquet:"brand"`
	State string `parquet:"state"`
}

// Age is what retention needs of the row of a short.
type Age struct {
	ID         int64     `parquet:"id"`
	ArchivedAt time.Time `parquet:"archived_at,timestamp(millisecond)"`
}

// PostKey is what lists need of the row of a post.
type PostKey struct {
	ID          int64     `parquet:"id"`
	ShortID     int64     `parquet:"short_id"`
	CreatedAt   time.Time `parquet:"created_at,timestamp(millisecond)"`
	ScheduledAt time.Time `parquet:"scheduled_at,timestamp(millisecond)"`
	Immediate   bool      `parquet:"immediate"`
	// These share their memory among all rows.
	Brand    string `parquet:"brand"`
	Account  string `parquet:"account"`
	Platform string `parquet:"platform"`
	State    string `parquet:"state"`
}

// Text is what a search needs of the row of a short.
type Text struct {
	Title   string `parquet:"title"`
	Caption string `parquet:"caption"`
	Text    string `parquet:"text"`
}
