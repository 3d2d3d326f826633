// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/reelops/reelops/internal/publish"
)

// channel is what is read of a channel.
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
}

// video is what is read of a video.
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
}

// said is a word of the video's status.
func (v *video) said(field string) string {
	var s string
	_ = json.Unmarshal(v.Status[field], &s) // what is no word says nothing
	return s
}

// metadata begins an upload.
type metadata struct {
	Snippet snippet           `json:"snippet"`
	Status  map[string]string `json:"status"`
}

type snippet struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Tags        []string `json:"tags,omitempty"`
	CategoryID  string   `json:"categoryId"`
}

// category of every upload: "People & Blogs", which every country has and which YouTube gives by itself.
const category = "22"

// item is one upload of the channel.
type item struct {
	Snippet struct {
		PublishedAt time.Time `json:"publishedAt"`
	} `json:"snippet"`
	ContentDetails struct {
		VideoID string `json:"videoId"`
	} `json:"contentDetails"`
}

// request builds a call for an account.
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

// get reads.
func (p *Platform) get(ctx context.Context, a publish.Account, path string, q url.Values, into any) error {
	req, err := request(ctx, a, http.MethodGet, p.c.APIURL+path+"?"+q.Encode(), nil)
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
	var list struct {
		Items *[]video `json:"items"`
	}
	err := p.get(ctx, a, "/youtube/v3/videos", url.Values{"part": {parts}, "id": {ids}}, &list)
	if e := (*publish.Error)(nil); errors.As(err, &e) && e.Kind == publish.Expired {
		return nil, nil // the documentation does not say whether an unknown id is an empty list or a 404
	}
	if err != nil {
		return nil, err
	}
	if list.Items == nil {
		return nil, unreadable(errors.New("a list of videos without items"))
	}
	return *list.Items, nil
}

// note is what has to be known to go on with an upload.
type note struct {
	// Session is the address of the upload: whoever has it may send the video.
	Session  string    `json:"session,omitempty"`
	Total    int64     `json:"total"`
	OpenedAt time.Time `json:"opened_at,omitzero"`
	// VideoID since the last byte was taken.
	VideoID    string    `json:"video_id,omitempty"`
	UploadedAt time.Time `json:"uploaded_at,omitzero"`
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
