// SPDX-License-Identifier: Apache-2.0

package service

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// Job holds the used fields of a job.
type Job struct {
	ID        int64  `json:"job_id"`
	Status    string `json:"status"`
	Message   string `json:"status_message"`
	PollAfter int    `json:"poll_after_seconds"`
	Result    struct {
		PreviewURL string `json:"preview_url"`
		VideoURL   string `json:"video_url"`
		Slides     struct {
			Count int `json:"count"`
		} `json:"slides"`
	} `json:"result"`
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// Short holds the used fields of a short.
type Short struct {
	Title       string  `json:"title"`
	AspectRatio string  `json:"aspect_ratio"`
	Duration    float64 `json:"duration_seconds"`
	Text        struct {
		Source string `json:"source"`
		Model  string `json:"model"`
	} `json:"text"`
	TypeData struct {
		DesignStyle string `json:"design_style"`
		Slides      []struct {
			RenderedImageURL string `json:"rendered_image_url"`
			AltText          string `json:"alt_text"`
			Width, Height    int
		} `json:"slides"`
	} `json:"type_data"`
}

// API is a client that uses only net/http.
type API struct{ URL, Key string }

// Call sends a request and decodes the data of the response envelope.
func (a *API) Call(ctx context.Context, method, path string, body, into any) error {
	var r io.Reader
	if body != nil {
		doc, err := json.Marshal(body)
		if err != nil {
			return err
		}
		r = bytes.NewReader(doc)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.URL+"/api/v1"+path, r)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+a.Key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	var envelope struct {
		Success bool
		Data    json.RawMessage
		Errors  []struct{ Code, Message string }
	}
	if err := json.NewDecoder(res.Body).Decode(&envelope); err != nil {
		return fmt.Errorf("%s %s: %d: %w", method, path, res.StatusCode, err)
	}
	if !envelope.Success {
		return fmt.Errorf("%s %s: %d %v", method, path, res.StatusCode, envelope.Errors)
	}
	return json.Unmarshal(envelope.Data, into)
}

// often is how many polls of a job use the requested interval. After that the interval grows up to seldom, because
// polling every half second for a minute would use up the rate limit of a key.
const often, seldom = 40, 2 * time.Second

// Wait polls a job at an interval until it has ended, and calls changed for every change. A failed job is an error.
func (a *API) Wait(ctx context.Context, id int64, every time.Duration, changed func(string)) (*Job, error) {
	last := ""
	for polls := 0; ; polls++ {
		if polls > often {
			every = min(every*5/4, max(every, seldom))
		}
		j := &Job{}
		if err := a.Call(ctx, "GET", fmt.Sprintf("/jobs/%d", id), nil, j); err != nil {
			return nil, err
		}
		if now := j.Status + ": " + j.Message; now != last {
			changed(now)
			last = now
		}
		switch j.Status {
		case "succeeded":
			return j, nil
		case "failed":
			return nil, fmt.Errorf("the job failed: %s: %s", j.Error.Code, j.Error.Message)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(every):
		}
	}
}

// Download downloads a signed URL to a file. No API key is needed.
func (a *API) Download(ctx context.Context, url, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("downloading %s: %d", path, res.StatusCode)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, res.Body); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
