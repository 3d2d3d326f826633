// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	. "github.com/onsi/gomega"
)

// api is an API client with one key.
type api struct{ url, key string }

// answer is a response.
type answer struct {
	status int
	header http.Header
	job    job // the data, if it is a job
	errors []problem
	data   json.RawMessage
}

type problem struct {
	Code, Message string
	Retryable     bool
	Details       map[string]any
}

type job struct {
	ID        int64  `json:"job_id"`
	Kind      string `json:"kind"`
	Status    string `json:"status"`
	PollAfter int    `json:"poll_after_seconds"`
	Progress  int    `json:"progress"`
	Attempt   int    `json:"attempt"`
	Result    *struct {
		PreviewURL string  `json:"preview_url"`
		VideoURL   *string `json:"video_url"`
		Slides     struct {
			Count int `json:"count"`
		} `json:"slides"`
	} `json:"result"`
	Error *problem `json:"error"`
}

type short struct {
	Status       string  `json:"status"`
	RenderStatus string  `json:"render_status"`
	AspectRatio  string  `json:"aspect_ratio"`
	Duration     float64 `json:"duration_seconds"`
	TypeData     struct {
		Slides []struct {
			Rendered     string `json:"rendered_image_url"`
			TextOverlays []struct {
				Text string `json:"text"`
			} `json:"textOverlays"`
		} `json:"slides"`
	} `json:"type_data"`
}

// do sends one request.
func (a *api) do(method, path string, body any) (*answer, error) {
	var doc []byte
	if body != nil {
		var err error
		if doc, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequest(method, a.url+"/api/v1"+path, bytes.NewReader(doc))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+a.key)
	req.Header.Set("Content-Type", "application/json")
	res, err := judged().Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	out := &answer{status: res.StatusCode, header: res.Header}
	var envelope struct {
		Data   json.RawMessage
		Errors []problem
	}
	if err := json.NewDecoder(res.Body).Decode(&envelope); err != nil {
		return nil, fmt.Errorf("%s %s: %d: %w", method, path, res.StatusCode, err)
	}
	out.errors, out.data = envelope.Errors, envelope.Data
	_ = json.Unmarshal(envelope.Data, &out.job) // the caller decodes other data
	return out, nil
}

// accepted sends a request, requires a 202 response and returns its job.
func (a *api) accepted(t *testing.T, method, path string, body any) job {
	t.Helper()
	var out *answer
	NewWithT(t).Eventually(func(g Gomega) {
		var err error
		out, err = a.do(method, path, body) // the front end accepts a new key after a moment
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(out.status).NotTo(Equal(http.StatusUnauthorized))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
	if out.status != http.StatusAccepted {
		t.Fatalf("%s %s: %d %+v", method, path, out.status, out.errors)
	}
	if out.header.Get("Retry-After") != fmt.Sprint(out.job.PollAfter) {
		t.Errorf("Retry-After is %q, poll_after_seconds %d", out.header.Get("Retry-After"), out.job.PollAfter)
	}
	return out.job
}

// settled polls a job until it has succeeded or failed. Errors of the front end are retried.
func (a *api) settled(t *testing.T, id int64, kind string) job {
	t.Helper()
	var j job
	NewWithT(t).Eventually(func(g Gomega) {
		out, err := a.do(http.MethodGet, fmt.Sprintf("/jobs/%d", id), nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(out.status).To(Equal(http.StatusOK), "%+v", out.errors)
		j = out.job
		g.Expect(j.Kind).To(Equal(kind))
		g.Expect([]string{"succeeded", "failed"}).To(ContainElement(j.Status))
	}).WithTimeout(waitTimeout).WithPolling(slowPoll).Should(Succeed())
	return j
}

// succeeded is like settled, but requires that the job has succeeded.
func (a *api) succeeded(t *testing.T, id int64, kind string) job {
	t.Helper()
	j := a.settled(t, id, kind)
	if j.Status != "succeeded" {
		t.Fatalf("job %d failed: %+v", id, j.Error)
	}
	return j
}

func (a *api) short(t *testing.T, id int64) short {
	t.Helper()
	out, err := a.do(http.MethodGet, fmt.Sprintf("/shorts/%d", id), nil)
	if err != nil || out.status != http.StatusOK {
		t.Fatalf("reading short %d: %v %+v", id, err, out)
	}
	var s short
	if err := json.Unmarshal(out.data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// download reads a signed URL without a key.
func download(t *testing.T, url string) []byte {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	doc, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("downloading: %d %v", res.StatusCode, err)
	}
	return doc
}
