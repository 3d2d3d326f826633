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
	// Statistics are in quotes, and missing where they are not told.
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
	// Status is kept as it came: what a person set goes back unchanged.
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
	// Statistics are in quotes, and missing where they are hidden.
	Statistics struct {
		ViewCount    *string `json:"viewCount"`
		LikeCount    *string `json:"likeCount"`
		CommentCount *string `json:"commentCount"`
	} `json:"statistics"`
}

// said is a word of the video's status.
func (v *video) said(field string) string {
	var s string
	_ = json.Unmarshal(v.Status[field], &s) // what is no word says nothing
	return s
}

// metadata begins an upload.
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

// category of an upload without a chosen one: "People & Blogs", which every country has and which YouTube gives by itself.
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
		// VideoPublishedAt is when it became public; missing before.
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

// get reads a path of the API.
func (p *Platform) get(ctx context.Context, a publish.Account, path string, q url.Values, into any) error {
	return p.getAt(ctx, a, p.c.APIURL+path, q, into)
}

// getAt reads at an address.
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

// videos reads parts of videos by their ids: at most 50. Those that nobody may see are not in the answer.
func (p *Platform) videos(ctx context.Context, a publish.Account, ids, parts string) ([]video, error) {
	list, err := p.videoList(ctx, a, ids, parts)
	if e := (*publish.Error)(nil); errors.As(err, &e) && e.Kind == publish.Expired {
		return nil, nil // the documentation does not say whether an unknown id is an empty list or a 404
	}
	return list, err
}

// videoList is the same, and an Expired error where YouTube refuses the ids instead of leaving videos out.
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

// uploads reads a page of the channel's list of uploads, newest first. A channel that never had an upload has no list of them.
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

// playlist reads a page of a list of videos.
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

// note is the state that is needed to resume an upload.
type note struct {
	// Session is the address of the upload: whoever has it may send the video.
	Session  string    `json:"session,omitempty"`
	Total    int64     `json:"total"`
	OpenedAt time.Time `json:"opened_at,omitzero"`
	// VideoID since the last byte was taken.
	VideoID    string    `json:"video_id,omitempty"`
	UploadedAt time.Time `json:"uploaded_at,omitzero"`
	// CoverTries counts the calls that set the cover, CoverDone ends them: it was set, or given up with CoverWarning.
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
		return nil, gone("note", "What was prepared for YouTube cannot be read any more.")
	}
	return n, nil
}

func (n *note) bytes() []byte {
	b, _ := json.Marshal(n) // a value of plain fields
	return b
}
