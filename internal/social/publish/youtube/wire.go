// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

// channel holds the fields of a channel that the package reads.
type channel struct {
	ID      string `json:"id"`
	Snippet struct {
		Title      string `json:"title"`
		CustomURL  string `json:"customUrl"`
		Thumbnails struct {
			Default struct {
				URL string `json:"url"`
			} `json:"default"`
		} `json:"thumbnails"`
	} `json:"snippet"`
	ContentDetails struct {
		RelatedPlaylists struct {
			Uploads string `json:"uploads"`
		} `json:"relatedPlaylists"`
	} `json:"contentDetails"`
	// Statistics are strings, and missing when YouTube does not report them.
	Statistics struct {
		ViewCount             *string `json:"viewCount"`
		VideoCount            *string `json:"videoCount"`
		SubscriberCount       *string `json:"subscriberCount"`
		HiddenSubscriberCount bool    `json:"hiddenSubscriberCount"`
	} `json:"statistics"`
}

// video holds the fields of a video that the package reads.
type video struct {
	ID      string `json:"id"`
	Snippet struct {
		Title       string    `json:"title"`
		PublishedAt time.Time `json:"publishedAt"`
	} `json:"snippet"`
	// Status is raw JSON, so that an update sends back unchanged what a user has set.
	Status            map[string]json.RawMessage `json:"status"`
	ProcessingDetails struct {
		ProcessingStatus        string `json:"processingStatus"`
		ProcessingFailureReason string `json:"processingFailureReason"`
	} `json:"processingDetails"`
	FileDetails struct {
		FileName string `json:"fileName"`
		FileSize string `json:"fileSize"`
	} `json:"fileDetails"`
	ContentDetails struct {
		Duration string `json:"duration"`
	} `json:"contentDetails"`
	// Statistics are strings, and missing when they are hidden.
	Statistics struct {
		ViewCount    *string `json:"viewCount"`
		LikeCount    *string `json:"likeCount"`
		CommentCount *string `json:"commentCount"`
	} `json:"statistics"`
}

// statusField returns a string field of the video's status; empty when it is missing or not a string.
func (v *video) statusField(field string) string {
	var s string
	_ = json.Unmarshal(v.Status[field], &s) // a value that is not a string counts as missing
	return s
}

// metadata is the body of the request that opens an upload session.
type metadata struct {
	Snippet snippet        `json:"snippet"`
	Status  map[string]any `json:"status"`
}

type snippet struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Tags        []string `json:"tags,omitempty"`
	CategoryID  string   `json:"categoryId"`
}

// category is the default category of an upload, "People & Blogs". It exists in every country, and YouTube uses it by
// default.
const category = "22"

// item is one upload of the channel.
type item struct {
	Snippet struct {
		Title       string    `json:"title"`
		Description string    `json:"description"`
		PublishedAt time.Time `json:"publishedAt"`
		Thumbnails  struct {
			Default, Medium, High struct {
				URL string `json:"url"`
			}
		} `json:"thumbnails"`
	} `json:"snippet"`
	ContentDetails struct {
		VideoID string `json:"videoId"`
		// VideoPublishedAt is the time at which the video became public; missing before.
		VideoPublishedAt time.Time `json:"videoPublishedAt"`
	} `json:"contentDetails"`
	Status struct {
		PrivacyStatus string `json:"privacyStatus"`
	} `json:"status"`
}

// Visibilities of videos.
const (
	public  = "public"
	private = "private"
)

// request returns a request for an account.
func request(ctx context.Context, a publish.Account, method, address string, body []byte) (*http.Request, error) {
	req, err := publish.Once(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+a.AccessToken)
	req.Header.Set("Accept", "application/json")
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json; charset=UTF-8")
	}
	return req, nil
}

// get sends a GET request to a path of the API and decodes the response.
func (p *Platform) get(ctx context.Context, a publish.Account, path string, q url.Values, into any) error {
	return p.getAt(ctx, a, p.c.APIURL+path, q, into)
}

// getAt sends a GET request to a URL and decodes the response.
func (p *Platform) getAt(ctx context.Context, a publish.Account, address string, q url.Values, into any) error {
	req, err := request(ctx, a, http.MethodGet, address+"?"+q.Encode(), nil)
	if err != nil {
		return err
	}
	ans, err := publish.Do(p.c.HTTP, req)
	if err != nil {
		return unreachable(err)
	}
	if ans.Status != http.StatusOK {
		return refused(ans, p.c.Clock.Now())
	}
	if err := json.Unmarshal(ans.Body, into); err != nil {
		return unreadable(err)
	}
	return nil
}

// videos returns parts of at most 50 videos by ID. Videos that the account cannot see are missing from the result.
func (p *Platform) videos(ctx context.Context, a publish.Account, ids, parts string) ([]video, error) {
	list, err := p.videoList(ctx, a, ids, parts)
	if e := (*publish.Error)(nil); errors.As(err, &e) && e.Kind == publish.Expired {
		return nil, nil // for an unknown ID, the documentation does not specify an empty list or a 404
	}
	return list, err
}

// videoList is like videos, but returns an Expired error when YouTube refuses the IDs instead of omitting videos.
func (p *Platform) videoList(ctx context.Context, a publish.Account, ids, parts string) ([]video, error) {
	var list struct {
		Items *[]video `json:"items"`
	}
	if err := p.get(ctx, a, "/youtube/v3/videos", url.Values{"part": {parts}, "id": {ids}}, &list); err != nil {
		return nil, err
	}
	if list.Items == nil {
		return nil, unreadable(errors.New("a list of videos without items"))
	}
	return *list.Items, nil
}

// uploads returns a page of the channel's uploads, newest first. A channel without uploads has no such playlist, so the
// result is empty.
func (p *Platform) uploads(ctx context.Context, a publish.Account, list, token, parts string) (items []item, next string, err error) {
	items, next, err = p.playlist(ctx, a, list, token, parts)
	if noPlaylist(err) {
		return nil, "", nil
	}
	return items, next, err
}

// noPlaylist reports whether an error means that the playlist does not exist.
func noPlaylist(err error) bool {
	var e *publish.Error
	return errors.As(err, &e) && e.Code == "playlistNotFound"
}

// playlist returns a page of the items of a playlist.
func (p *Platform) playlist(ctx context.Context, a publish.Account, list, token, parts string) (items []item, next string, err error) {
	q := url.Values{"part": {parts}, "playlistId": {list}, "maxResults": {strconv.Itoa(perPage)}}
	if token != "" {
		q.Set("pageToken", token)
	}
	var page struct {
		Items         []item `json:"items"`
		NextPageToken string `json:"nextPageToken"`
	}
	err = p.get(ctx, a, "/youtube/v3/playlistItems", q, &page)
	return page.Items, page.NextPageToken, err
}

// note is the state needed to resume an upload.
type note struct {
	// Session is the URL of the upload session. It is a secret: anyone who has it can send the video.
	Session  string    `json:"session,omitempty"`
	Total    int64     `json:"total"`
	OpenedAt time.Time `json:"opened_at,omitzero"`
	// VideoID is set once YouTube has accepted the last byte.
	VideoID    string    `json:"video_id,omitempty"`
	UploadedAt time.Time `json:"uploaded_at,omitzero"`
	// CoverTries counts the calls that set the cover. CoverDone means that no further call is needed: the cover was
	// set, or abandoned with CoverWarning.
	CoverTries   int    `json:"cover_tries,omitempty"`
	CoverDone    bool   `json:"cover_done,omitempty"`
	CoverWarning string `json:"cover_warning,omitempty"`
}

func readNote(raw []byte) (*note, error) {
	n := &note{}
	if len(raw) == 0 {
		return n, nil
	}
	if err := json.Unmarshal(raw, n); err != nil {
		return nil, gone("note", "The preparation for YouTube can no longer be read.")
	}
	return n, nil
}

func (n *note) bytes() []byte {
	b, _ := json.Marshal(n) // plain fields cannot fail to marshal
	return b
}
