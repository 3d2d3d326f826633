// SPDX-License-Identifier: Apache-2.0

package blob_test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/blob/clouds"
	"github.com/reelops/reelops/internal/testkit/s3server"
)

// stores runs f with both kinds of store that tests can run.
func stores(t *testing.T, f func(t *testing.T, s *blob.Store)) {
	t.Helper()
	t.Run("folder", func(t *testing.T) {
		s, _ := served(t)
		f(t, s)
	})
	t.Run("S3", func(t *testing.T) {
		f(t, onS3(t, s3server.Start(t)))
	})
}

func onS3(t *testing.T, server *s3server.Server) *blob.Store {
	t.Helper()
	return onCloud(t, server.URL())
}

func onCloud(t *testing.T, url string) *blob.Store {
	t.Helper()
	s, err := blob.Open(t.Context(), blob.Config{URL: url, Cloud: clouds.Stores{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// send sends a PUT. A length of -1 omits the length.
func send(t *testing.T, url string, headers map[string]string, body io.Reader, length int64) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, body)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = length
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(b)
}

func declared(text string, with string) blob.Upload {
	u := blob.Upload{ContentType: "image/png", Bytes: int64(len(text)), Valid: time.Minute}
	m, s := md5.Sum([]byte(text)), sha256.Sum256([]byte(text))
	switch with {
	case "MD5":
		u.MD5 = m[:]
	case "SHA-256":
		u.SHA256 = s[:]
	}
	return u
}

func TestUpload_AsDeclared(t *testing.T) {
	stores(t, func(t *testing.T, s *blob.Store) {
		for _, with := range []string{"MD5", "SHA-256"} {
			u := declared("the picture", with)
			key := "uploads/acme/" + with
			url, headers, err := s.SignedUpload(t.Context(), key, u)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string][]string{"MD5": {"Content-MD5", "Content-Type"}, "SHA-256": {"Content-Type", "x-amz-checksum-sha256"}}[with]
			if got := sorted(headers); !cmp.Equal(got, want) {
				t.Errorf("%s: headers %v, want %v", with, got, want)
			}
			if code, said := send(t, url, headers, strings.NewReader("the picture"), u.Bytes); code != 200 && code != 204 {
				t.Fatalf("%s: got %d %s", with, code, said)
			}
			if err := s.CheckUpload(t.Context(), key, u); err != nil {
				t.Errorf("%s: got %v", with, err)
			}
			if head, err := s.Head(t.Context(), key, 3); err != nil || string(head) != "the" {
				t.Errorf("%s: got head %q, %v", with, head, err)
			}
			// A client that lost the response sends the same bytes again.
			if code, said := send(t, url, headers, strings.NewReader("the picture"), u.Bytes); code != 200 && code != 204 {
				t.Errorf("%s again: got %d %s", with, code, said)
			}
		}
	})
}

func sorted(m map[string]string) []string {
	var out []string
	for _, name := range []string{"Content-MD5", "Content-Type", "x-amz-checksum-sha256"} {
		if _, ok := m[name]; ok {
			out = append(out, name)
		}
	}
	if len(out) != len(m) {
		out = append(out, fmt.Sprint(m))
	}
	return out
}

func TestUpload_NotAsDeclared(t *testing.T) {
	const text = "the picture"
	without := func(name string) func(map[string]string) { return func(h map[string]string) { delete(h, name) } }
	set := func(name, value string) func(map[string]string) { return func(h map[string]string) { h[name] = value } }
	cases := []struct {
		why    string
		with   string
		body   string
		change func(map[string]string)
	}{
		{"one byte too many", "MD5", text + "s", nil},
		{"one byte too many", "SHA-256", text + "s", nil},
		{"one byte too few", "MD5", text[:10], nil},
		{"nothing", "SHA-256", "", nil},
		{"other bytes", "MD5", "the pictore", nil},
		{"other bytes", "SHA-256", "the pictore", nil},
		{"no checksum", "MD5", text, without("Content-MD5")},
		{"no checksum", "SHA-256", text, without("x-amz-checksum-sha256")},
		{"other bytes with their own checksum", "MD5", "the pictore", set("Content-MD5", declaredHeader("the pictore", "MD5"))},
		{"other bytes with their own checksum", "SHA-256", "the pictore", set("x-amz-checksum-sha256", declaredHeader("the pictore", "SHA-256"))},
		{"another type", "MD5", text, set("Content-Type", "text/html")},
		{"no type", "SHA-256", text, without("Content-Type")},
	}
	stores(t, func(t *testing.T, s *blob.Store) {
		for i, c := range cases {
			t.Run(c.why+" "+c.with, func(t *testing.T) {
				u, key := declared(text, c.with), fmt.Sprintf("uploads/acme/%d", i)
				url, headers, err := s.SignedUpload(t.Context(), key, u)
				if err != nil {
					t.Fatal(err)
				}
				headers = maps.Clone(headers)
				if c.change != nil {
					c.change(headers)
				}
				if code, said := send(t, url, headers, strings.NewReader(c.body), int64(len(c.body))); code < 400 || code > 499 {
					t.Errorf("got %d %s", code, said)
				}
				if err := s.CheckUpload(t.Context(), key, u); !errors.Is(err, blob.ErrNotFound) {
					t.Errorf("an object exists: %v", err)
				}
			})
		}
		t.Run("without a length", func(t *testing.T) {
			u := declared(text, "MD5")
			url, headers, err := s.SignedUpload(t.Context(), "uploads/acme/chunked", u)
			if err != nil {
				t.Fatal(err)
			}
			if code, said := send(t, url, headers, struct{ io.Reader }{strings.NewReader(text)}, -1); code < 400 || code > 499 {
				t.Errorf("got %d %s", code, said)
			}
			if err := s.CheckUpload(t.Context(), "uploads/acme/chunked", u); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("an object exists: %v", err)
			}
		})
		t.Run("at another URL", func(t *testing.T) {
			u := declared(text, "MD5")
			url, headers, err := s.SignedUpload(t.Context(), "uploads/acme/mine", u)
			if err != nil {
				t.Fatal(err)
			}
			if code, _ := send(t, strings.Replace(url, "/mine", "/yours", 1), headers, strings.NewReader(text), u.Bytes); code != http.StatusForbidden {
				t.Errorf("got %d", code)
			}
		})
	})
}

func declaredHeader(text, with string) string {
	h := declared(text, with).MD5
	if with == "SHA-256" {
		h = declared(text, with).SHA256
	}
	return base64Of(h)
}

func TestUpload_RejectedBodyIsNotRead(t *testing.T) {
	s, dir := served(t)
	u := declared("the picture", "MD5")
	url, headers, err := s.SignedUpload(t.Context(), "uploads/acme/1", u)
	if err != nil {
		t.Fatal(err)
	}
	headers = maps.Clone(headers)
	headers["Expect"] = "100-continue" // the body is sent only when the server requests it
	body := &countingBody{r: strings.NewReader("the pictures")}
	if code, said := send(t, url, headers, body, 12); code != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d %s", code, said)
	}
	if body.n != 0 {
		t.Errorf("got %d bytes of the body", body.n)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

type countingBody struct {
	r io.Reader
	n int
}

func (c *countingBody) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

func TestUpload_ChangedURLs(t *testing.T) {
	s, _, clk := servedWithClock(t)
	u := declared("the picture", "MD5")
	url, headers, err := s.SignedUpload(t.Context(), "uploads/acme/1", u)
	if err != nil {
		t.Fatal(err)
	}
	get, _ := s.SignedGet(t.Context(), "uploads/acme/1", time.Minute)
	put, _, _ := s.SignedPut(t.Context(), "uploads/acme/1", "image/png", time.Minute)
	for why, changed := range map[string]string{
		"more bytes":                       strings.Replace(url, "bytes=11", "bytes=12", 1),
		"no declared length":               strings.Replace(url, "bytes=11", "bytes=-1", 1),
		"another digest":                   strings.Replace(url, "md5=", "md5=00", 1),
		"another kind of digest":           strings.Replace(url, "md5=", "sha256=", 1),
		"later":                            strings.Replace(url, "expires=1", "expires=2", 1),
		"another type":                     strings.Replace(url, "png", "gif", 1),
		"a read URL changed to an upload":  get + "&method=PUT&bytes=11",
		"a write URL changed to an upload": put + "&bytes=11",
	} {
		if changed == url {
			t.Fatalf("%s: nothing was changed in %s", why, url)
		}
		if code, _ := send(t, changed, headers, strings.NewReader("the picture"), 11); code != http.StatusForbidden {
			t.Errorf("%s: got %d", why, code)
		}
	}
	if code, _ := do(t, http.MethodGet, url, "", ""); code != http.StatusForbidden {
		t.Errorf("read through the upload URL: got %d", code)
	}
	clk.SetTime(clk.Now().Add(2 * time.Minute))
	if code, _ := send(t, url, headers, strings.NewReader("the picture"), 11); code != http.StatusForbidden {
		t.Errorf("after the expiry: got %d", code)
	}
}

func TestUpload_Interrupted(t *testing.T) {
	s, dir := served(t)
	text := strings.Repeat("x", 1<<20)
	u := declared(text, "SHA-256")
	url, headers, err := s.SignedUpload(t.Context(), "uploads/acme/1", u)
	if err != nil {
		t.Fatal(err)
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPut, url, io.MultiReader(strings.NewReader(text[:1000]), errReader{}))
	req.ContentLength = u.Bytes
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	if res, err := http.DefaultClient.Do(req); err == nil {
		t.Errorf("the upload was accepted: %s", res.Status)
		_ = res.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	// The server detects the stall by itself. A later request to the same server shows that it still serves.
	if code, said := send(t, url, headers, strings.NewReader(text), u.Bytes); code != http.StatusNoContent {
		t.Errorf("the second attempt: got %d %s", code, said)
	}
	// The server may still be writing the interrupted upload.
	var left []string
	for range 100 {
		if err := s.SweepUnfinished(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		if left, err = filepath.Glob(filepath.Join(dir, "uploads", "acme", "*")); err != nil || len(left) == 1 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil || len(left) != 1 {
		t.Errorf("got %v, %v", left, err)
	}
}

func TestCopyStatWalk(t *testing.T) {
	stores(t, func(t *testing.T, s *blob.Store) {
		ctx := t.Context()
		for _, key := range []string{"uploads/acme/1", "uploads/acme/2", "uploads/beta/1", "media/acme/1", "uploadsx"} {
			if err := s.Put(ctx, key, "image/png", strings.NewReader("a "+key)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Copy(ctx, "media/acme/2", "uploads/acme/2"); err != nil {
			t.Fatal(err)
		}
		if err := s.Copy(ctx, "media/acme/2", "uploads/acme/2"); err != nil {
			t.Errorf("copying again: %v", err)
		}
		o, err := s.Stat(ctx, "media/acme/2")
		if err != nil || o.Bytes != 16 || time.Since(o.Modified) > time.Hour {
			t.Errorf("the copy: got %+v, %v", o, err)
		}
		for name, call := range map[string]func() error{
			"copy":  func() error { return s.Copy(ctx, "x", "uploads/none") },
			"stat":  func() error { _, err := s.Stat(ctx, "uploads/none"); return err },
			"head":  func() error { _, err := s.Head(ctx, "uploads/none", 3); return err },
			"check": func() error { return s.CheckUpload(ctx, "uploads/none", declared("x", "MD5")) },
		} {
			if err := call(); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("%s of a missing object: got %v", name, err)
			}
		}
		if head, err := s.Head(ctx, "uploads/acme/1", 4096); err != nil || string(head) != "a uploads/acme/1" {
			t.Errorf("the head of a short object: got %q, %v", head, err)
		}
		seen := map[string]int64{}
		if err := s.Walk(ctx, "uploads/", func(o blob.Object) error {
			seen[o.Key] = o.Bytes
			return s.Delete(ctx, o.Key)
		}); err != nil {
			t.Fatal(err)
		}
		if want := map[string]int64{"uploads/acme/1": 16, "uploads/acme/2": 16, "uploads/beta/1": 16}; !cmp.Equal(seen, want) {
			t.Error(cmp.Diff(want, seen))
		}
		if err := s.Walk(ctx, "uploads/", func(o blob.Object) error { return fmt.Errorf("still exists: %s", o.Key) }); err != nil {
			t.Error(err)
		}
		if err := s.Walk(ctx, "nothing/here/", func(blob.Object) error { return nil }); err != nil {
			t.Errorf("a missing folder: got %v", err)
		}
	})
}

func TestCheckUpload_DetectsOtherBytes(t *testing.T) {
	s := onS3(t, s3server.Start(t))
	ctx := t.Context()
	if err := s.Put(ctx, "a", "image/png", strings.NewReader("the pictore")); err != nil {
		t.Fatal(err)
	}
	for _, with := range []string{"MD5", "SHA-256"} { // one from its attributes, one by reading it
		if err := s.CheckUpload(ctx, "a", declared("the picture", with)); !errors.Is(err, blob.ErrDigest) {
			t.Errorf("%s of other bytes: got %v", with, err)
		}
		if err := s.CheckUpload(ctx, "a", declared("the pictore", with)); err != nil {
			t.Errorf("%s: got %v", with, err)
		}
		if err := s.CheckUpload(ctx, "a", declared("the pictures", with)); !errors.Is(err, blob.ErrSize) {
			t.Errorf("%s of more bytes: got %v", with, err)
		}
	}
}

func TestSignedPut_OnS3(t *testing.T) {
	s := onS3(t, s3server.Start(t))
	put, _, err := s.SignedPut(t.Context(), "shorts/a b/film ü.mp4", "video/mp4", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if code, said := send(t, put, map[string]string{"Content-Type": "text/html"}, strings.NewReader("film"), 4); code != http.StatusForbidden {
		t.Errorf("another type: got %d %s", code, said)
	}
	if code, said := send(t, put, map[string]string{"Content-Type": "video/mp4"}, strings.NewReader("film"), 4); code != http.StatusOK {
		t.Fatalf("got %d %s", code, said)
	}
	get, err := s.SignedGet(t.Context(), "shorts/a b/film ü.mp4", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if code, said := do(t, http.MethodGet, get, "", ""); code != http.StatusOK || said != "film" {
		t.Errorf("got %d %q", code, said)
	}
}

func TestSweep_UnfinishedWrites(t *testing.T) {
	t.Run("folder", func(t *testing.T) {
		s, dir, clk := servedWithClock(t)
		if err := s.Put(t.Context(), "a/b.tmp", "", bytes.NewReader(nil)); err != nil { // a similar name
			t.Fatal(err)
		}
		part := filepath.Join(dir, "a", "c.png.17f0.tmp")
		if err := os.WriteFile(part, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		sweep := func() {
			if err := s.SweepUnfinished(t.Context(), time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		sweep()
		if _, err := os.Stat(part); err != nil {
			t.Error("an upload that may still be written was deleted")
		}
		clk.SetTime(clk.Now().Add(2 * time.Hour))
		sweep()
		if _, err := os.Stat(part); !os.IsNotExist(err) {
			t.Error("an old upload is left")
		}
		if ok, _ := s.Exists(t.Context(), "a/b.tmp"); !ok {
			t.Error("an object was deleted")
		}
	})
	t.Run("S3", func(t *testing.T) {
		server := s3server.Start(t)
		begin(t, server, "films/1.mp4")
		s := onS3(t, server)
		for _, c := range []struct {
			age  time.Duration
			want int
		}{{time.Hour, 1}, {-time.Hour, 0}} {
			if err := s.SweepUnfinished(t.Context(), c.age); err != nil {
				t.Fatal(err)
			}
			if n := unfinished(t, server, "films/1.mp4"); n != c.want {
				t.Errorf("swept uploads older than %s: got %d left, want %d", c.age, n, c.want)
			}
		}
	})
}
