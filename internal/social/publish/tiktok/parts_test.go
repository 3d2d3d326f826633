// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/reelops/reelops/internal/social/publish"
)

func film(t *testing.T, doc string) *publish.Media {
	t.Helper()
	return &publish.Media{
		ContentType: "video/mp4", Bytes: int64(len(doc)),
		Open: func(_ context.Context, offset int64) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(doc[offset:])), nil
		},
	}
}

// A part whose bytes could not all be read did not reach TikTok completely, so it was provably not accepted.
func TestPart_SourceFails(t *testing.T) {
	received := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		received <- err
	}))
	defer server.Close()
	p, err := New(Config{}.At(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	n := &note{UploadURL: server.URL + "/video/", Plan: plan{Total: 1 << 20, Size: 1 << 20, Count: 1}}
	half := strings.Repeat("x", 1<<19)
	for name, source := range map[string]io.Reader{
		"the store fails":     io.MultiReader(strings.NewReader(half), iotest.ErrReader(errors.New("the store is gone"))),
		"the file is shorter": strings.NewReader(half),
	} {
		d := publish.Draft{Video: film(t, "")}
		d.Video.Open = func(context.Context, int64) (io.ReadCloser, error) { return io.NopCloser(source), nil }
		if err := p.part(t.Context(), d, n, 0, 1<<20); err == nil || publish.KindOf(err) != publish.Transient {
			t.Errorf("%s: got %v, want the kind transient", name, err)
		}
		if err := <-received; err == nil {
			t.Errorf("%s: the server received a complete request", name)
		}
	}
	d := publish.Draft{Video: film(t, "")}
	d.Video.Open = func(context.Context, int64) (io.ReadCloser, error) { return nil, errors.New("no such file") }
	if err := p.part(t.Context(), d, n, 0, 1<<20); err == nil || publish.KindOf(err) != publish.Transient {
		t.Errorf("a missing file: got %v", err)
	}
}

// Bytes that are read after the end of the request are not sent.
func TestPart_ReadsNothingAfterTheEnd(t *testing.T) {
	c := &partReader{ReadCloser: io.NopCloser(strings.NewReader("abcdef")), left: 6}
	b := make([]byte, 4)
	if n, err := c.Read(b); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	if c.stop() != 4 {
		t.Error("four bytes were read")
	}
	if n, err := c.Read(b); n != 0 || err == nil {
		t.Errorf("got %d bytes after the end, %v", n, err)
	}
}
