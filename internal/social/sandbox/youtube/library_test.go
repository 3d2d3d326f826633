// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"bytes"
	"errors"
	"net/http"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	google "google.golang.org/api/youtube/v3"
	"google.golang.org/api/youtubeanalytics/v2"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// bearer adds the token to the requests of Google's client library.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// Google's own client library works with the sandbox: small videos in one request, larger ones in chunks of a session.
func TestGoogleLibrary_Uploads(t *testing.T) {
	r := newRig(t)
	s, err := google.NewService(t.Context(), option.WithHTTPClient(&http.Client{Transport: bearer{r.token}}), option.WithEndpoint(r.base+"/"))
	if err != nil {
		t.Fatal(err)
	}
	for what, size := range map[string]int{"one request": 100 << 10, "pieces": 700 << 10, "pieces, ending at a boundary": 512 << 10} {
		t.Run(what, func(t *testing.T) {
			if err := r.core.Reset(); err != nil {
				t.Fatal(err)
			}
			doc := padded(t, size)
			v, err := s.Videos.Insert([]string{"snippet", "status"}, &google.Video{
				Snippet: &google.VideoSnippet{Title: "Bread", Description: "Five steps", Tags: []string{"bread"}, CategoryId: "22"},
				Status:  &google.VideoStatus{PrivacyStatus: "private", ForceSendFields: []string{"SelfDeclaredMadeForKids"}},
			}).NotifySubscribers(false).Media(bytes.NewReader(doc), googleapi.ChunkSize(256<<10)).Do()
			if err != nil {
				t.Fatal(err)
			}
			all := r.Videos()
			if len(all) != 1 || all[0].ID != v.Id || all[0].Bytes != int64(size) || !all[0].NotifiedAt.IsZero() || all[0].Privacy != "private" {
				t.Fatalf("got %s, channel %+v", v.Id, all)
			}
			r.clock.Step(time.Minute)
			list, err := s.Videos.List([]string{"snippet", "status", "processingDetails", "fileDetails", "contentDetails", "statistics"}).Id(v.Id).Do()
			if err != nil || len(list.Items) != 1 {
				t.Fatal(list, err)
			}
			got := list.Items[0]
			if got.Status.UploadStatus != "processed" || got.ProcessingDetails.ProcessingStatus != "succeeded" || got.FileDetails.FileSize != uint64(size) || got.ContentDetails.Duration != "PT1S" {
				t.Errorf("got %+v %+v %+v %+v", got.Status, got.ProcessingDetails, got.FileDetails, got.ContentDetails)
			}
			got.Status.PrivacyStatus = "public"
			if _, err := s.Videos.Update([]string{"status"}, &google.Video{Id: v.Id, Status: got.Status}).Do(); err != nil {
				t.Fatal(err)
			}
			landed := r.core.Landed(name)
			if len(landed) != 1 || landed[0].Visibility != sandbox.Public || landed[0].Title != "Bread" || landed[0].Caption != "Five steps" {
				t.Errorf("got %+v", landed)
			}
			if err := s.Videos.Delete(v.Id).Do(); err != nil || len(r.Videos()) != 0 {
				t.Errorf("deleting: got %v, %d videos left", err, len(r.Videos()))
			}
		})
	}
	c, err := s.Channels.List([]string{"snippet", "statistics", "contentDetails", "status"}).Mine(true).Do()
	if err != nil || len(c.Items) != 1 || c.Items[0].Snippet.Title != "Maya's Kitchen" || c.Items[0].Statistics.SubscriberCount == 0 {
		t.Fatal(c, err)
	}
	if _, err := s.PlaylistItems.List([]string{"contentDetails", "snippet", "status"}).PlaylistId(c.Items[0].ContentDetails.RelatedPlaylists.Uploads).MaxResults(50).Do(); err != nil {
		t.Error(err)
	}
	var e *googleapi.Error
	_, err = s.Videos.Update([]string{"status"}, &google.Video{Id: "none", Status: &google.VideoStatus{}}).Do()
	if !errors.As(err, &e) || e.Code != 404 || e.Errors[0].Reason != "videoNotFound" {
		t.Errorf("an unknown video: got %v", err)
	}
}

// Google's libraries complete the whole workflow: consent with PKCE, a video, its thumbnail, its publication, a
// comment, its statistics, and the reasons of errors.
func TestGoogleLibrary_Publishes(t *testing.T) {
	r := newRig(t)
	app := oauth2.Config{
		ClientID: sandbox.ClientID, ClientSecret: sandbox.ClientSecret, RedirectURL: "http://127.0.0.1:9/callback",
		Endpoint: oauth2.Endpoint{AuthURL: r.base + "/o/oauth2/auth", TokenURL: r.base + "/token", AuthStyle: oauth2.AuthStyleInParams},
		Scopes:   []string{google.YoutubeScope, google.YoutubeForceSslScope, google.YoutubepartnerScope, "https://www.googleapis.com/auth/userinfo.email"},
	}
	verifier := oauth2.GenerateVerifier()
	page := app.AuthCodeURL("a state", oauth2.AccessTypeOffline, oauth2.ApprovalForce, oauth2.S256ChallengeOption(verifier)) + "&approve=maya"
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := browser.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	back, err := res.Location()
	if err != nil || back.Query().Get("state") != "a state" {
		t.Fatalf("the page returned %d and redirects to %v", res.StatusCode, back)
	}
	if _, err := app.Exchange(t.Context(), "none", oauth2.VerifierOption(verifier)); err == nil {
		t.Error("an invalid code is accepted")
	}
	token, err := app.Exchange(t.Context(), back.Query().Get("code"), oauth2.VerifierOption(verifier))
	if err != nil || token.RefreshToken == "" {
		t.Fatalf("got %+v, %v", token, err)
	}
	token.Expiry = time.Unix(1, 0) // the library refreshes it before its first call
	client := option.WithHTTPClient(app.Client(t.Context(), token))
	s, err := google.NewService(t.Context(), client, option.WithEndpoint(r.base+"/"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Videos.Insert([]string{"snippet", "status"}, &google.Video{
		Snippet: &google.VideoSnippet{Title: "Bread", CategoryId: "27"},
		Status:  &google.VideoStatus{PrivacyStatus: "private", ContainsSyntheticMedia: true, ForceSendFields: []string{"SelfDeclaredMadeForKids"}},
	}).Media(bytes.NewReader(padded(t, 700<<10)), googleapi.ChunkSize(256<<10)).Do()
	if err != nil {
		t.Fatal(err)
	}
	picture := []byte("\xff\xd8\xff\xe0\x00\x10JFIF")
	refused := func(what string, err error, status int, reason string) {
		t.Helper()
		var e *googleapi.Error
		if !errors.As(err, &e) || e.Code != status || len(e.Errors) == 0 || e.Errors[0].Reason != reason {
			t.Errorf("%s: got %v, want %d %s", what, err, status, reason)
		}
	}
	_, err = s.Thumbnails.Set(v.Id).Media(bytes.NewReader(picture)).Do()
	refused("the thumbnail of a Short in processing", err, 403, "forbidden")
	r.clock.Step(time.Minute)
	_, err = s.Thumbnails.Set(v.Id).Media(bytes.NewReader([]byte("no picture"))).Do()
	refused("a thumbnail that is not an image", err, 400, "invalidImage")
	if _, err := s.Thumbnails.Set(v.Id).Media(bytes.NewReader(picture)).Do(); err != nil {
		t.Error("setting the thumbnail:", err)
	}
	comment := &google.CommentThread{Snippet: &google.CommentThreadSnippet{
		VideoId: v.Id, TopLevelComment: &google.Comment{Snippet: &google.CommentSnippet{TextOriginal: "First 🥖"}},
	}}
	_, err = s.CommentThreads.Insert([]string{"snippet"}, comment).Do()
	refused("a comment on a private video", err, 403, "commentsDisabled")
	if _, err := s.Videos.Update([]string{"status"}, &google.Video{Id: v.Id, Status: &google.VideoStatus{PrivacyStatus: "public"}}).Do(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CommentThreads.Insert([]string{"snippet"}, comment).Do(); err != nil {
		t.Error("commenting:", err)
	}
	list, err := s.CommentThreads.List([]string{"snippet"}).VideoId(v.Id).TextFormat("plainText").Order("time").MaxResults(100).Do()
	if err != nil || len(list.Items) != 1 || list.Items[0].Snippet.TopLevelComment.Snippet.TextOriginal != "First 🥖" {
		t.Errorf("comments: got %+v, %v", list, err)
	}
	_, err = s.Videos.Insert([]string{"snippet"}, &google.Video{Snippet: &google.VideoSnippet{Title: "<>"}}).Media(bytes.NewReader(aFilm(t))).Do()
	refused("an invalid title", err, 400, "invalidTitle")
	got := r.Videos()
	if len(got) != 1 || got[0].Thumbnail == "" || got[0].NotifiedAt.IsZero() || got[0].Category != "27" || got[0].Privacy != "public" || len(got[0].Comments) != 1 {
		t.Errorf("got %+v in the channel", got)
	}
	r.clock.Step(9 * 24 * time.Hour)
	if token, err = app.TokenSource(t.Context(), token).Token(); err != nil {
		t.Fatal(err)
	}
	token.Expiry = time.Now().Add(time.Hour)
	reports, err := youtubeanalytics.NewService(t.Context(), option.WithHTTPClient(app.Client(t.Context(), token)), option.WithEndpoint(r.base+"/"))
	if err != nil {
		t.Fatal(err)
	}
	table, err := reports.Reports.Query().Ids("channel==MINE").StartDate("2026-11-01").EndDate("2026-11-30").Metrics("views,averageViewPercentage").Do()
	if err != nil || len(table.Rows) != 1 || table.ColumnHeaders[1].DataType != "FLOAT" {
		t.Fatalf("got %+v, %v", table, err)
	}
	if share, ok := table.Rows[0][1].(float64); !ok || share <= 0 || share > 100 {
		t.Errorf("got %v percent viewed", table.Rows[0][1])
	}
	_, err = reports.Reports.Query().Ids("channel==MINE").StartDate("2026-11-01").EndDate("2026-11-30").Metrics("happiness").Do()
	refused("an unknown metric", err, 400, "badRequest")
}

// Google's libraries read the sandbox's analytics: of videos in a list, of many at once, and in reports.
func TestGoogleLibrary_ReadsAnalytics(t *testing.T) {
	r := newRig(t)
	made, err := r.core.PostElsewhere(sandbox.Elsewhere{Platform: name, Account: "maya", Title: "Rye", At: r.clock.Now().Add(-9 * 24 * time.Hour), Count: 60})
	if err != nil {
		t.Fatal(err)
	}
	newest := made[59]
	client := option.WithHTTPClient(&http.Client{Transport: bearer{r.token}})
	s, err := google.NewService(t.Context(), client, option.WithEndpoint(r.base+"/"))
	if err != nil {
		t.Fatal(err)
	}
	reports, err := youtubeanalytics.NewService(t.Context(), client, option.WithEndpoint(r.base+"/"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Channels.List([]string{"contentDetails"}).Mine(true).Do()
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	err = s.PlaylistItems.List([]string{"contentDetails", "snippet", "status"}).PlaylistId(c.Items[0].ContentDetails.RelatedPlaylists.Uploads).MaxResults(50).Pages(t.Context(), func(p *google.PlaylistItemListResponse) error {
		for _, i := range p.Items {
			listed = append(listed, i.ContentDetails.VideoId)
			if i.Status.PrivacyStatus != "public" || i.Snippet.Thumbnails.High.Url == "" || i.ContentDetails.VideoPublishedAt == "" {
				t.Errorf("got %+v %+v %+v in the list", i.Snippet, i.ContentDetails, i.Status)
			}
		}
		return nil
	})
	if err != nil || len(listed) != 60 || listed[0] != newest.ID {
		t.Fatalf("got %d in the list, %v", len(listed), err)
	}
	want := newest.Numbers(r.core.Now())
	v, err := s.Videos.List([]string{"statistics", "contentDetails"}).Id(newest.ID, "none").Do()
	if err != nil || len(v.Items) != 1 || v.Items[0].Statistics.ViewCount != uint64(want.Views) || v.Items[0].Statistics.LikeCount != uint64(want.Likes) || v.Items[0].ContentDetails.Duration == "" {
		t.Errorf("got %+v, %v", v, err)
	}
	b, err := s.Videos.BatchGetStats().Part("statistics", "snippet", "contentDetails").Id(newest.ID).Do()
	if err != nil || len(b.Items) != 1 || b.Items[0].Statistics.ViewCount != want.Views {
		t.Errorf("got %+v, %v", b, err)
	}
	table, err := reports.Reports.Query().Ids("channel==MINE").StartDate("2026-11-01").EndDate("2026-11-21").Metrics("views,shares").Dimensions("video").
		Filters("video==" + newest.ID + ",none").Sort("-views").MaxResults(200).Do()
	if err != nil || len(table.Rows) != 1 || table.Rows[0][0] != newest.ID || table.ColumnHeaders[2].Name != "shares" {
		t.Fatalf("got %+v, %v", table, err)
	}
	// Reports cover whole days, with a delay of two days.
	y, m, d := r.core.Now().Add(-48 * time.Hour).In(california).Date()
	then := newest.Numbers(time.Date(y, m, d, 0, 0, 0, 0, california))
	if table.Rows[0][2] != float64(then.Shares) || then.Shares == 0 {
		t.Errorf("got %v shares, want %d", table.Rows[0][2], then.Shares)
	}
}
