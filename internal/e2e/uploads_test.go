// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/internal/testkit/s3server"
)

// TestUploads uploads large files with each kind of store.
//
// REELOPS_UPLOAD_MB sets the size of the clips in mebibytes. The API allows at most 200.
func TestUploads(t *testing.T) {
	size := 24
	if text := os.Getenv("REELOPS_UPLOAD_MB"); text != "" {
		var err error
		if size, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, on := range bothStores {
		t.Run(on.name, func(t *testing.T) {
			t.Setenv("REELOPS_CEILINGS", "global=1000000/5m") // the test polls often until the files are ingested
			on.use(t)
			s := newStack(t)
			a := &api{s.url, s.newKey(t)}
			clip := newClip(t, int64(size)<<20)
			t.Run("ingests a clip and an image of maximum size", func(t *testing.T) { s.largeFiles(t, a, clip) })
			t.Run("rejects an extra byte and changed bytes", func(t *testing.T) { s.refusedBytes(t, a, clip) })
			t.Run("twenty uploads in parallel need little memory", func(t *testing.T) { s.manyAtOnce(t, a, clip) })
			t.Run("changes and deletes what the API created", func(t *testing.T) { s.manage(t, a) })
		})
	}
}

// bothStores are the stores that a test can run.
var bothStores = []struct {
	name string
	// use selects the store for all programs started later.
	use func(t *testing.T)
}{
	{"folder", func(*testing.T) {}},
	{"S3", func(t *testing.T) { t.Setenv("REELOPS_BLOB_URL", s3server.Start(t).URL()) }},
}

// file is a file to upload.
type file struct {
	path, contentType string
	bytes             int64
	md5, sha256       string // base64
}

func newFile(t *testing.T, path, contentType string) *file {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	m, h := md5.New(), sha256.New()
	n, err := io.Copy(io.MultiWriter(m, h), f)
	if err != nil {
		t.Fatal(err)
	}
	code := base64.StdEncoding.EncodeToString
	return &file{path: path, contentType: contentType, bytes: n, md5: code(m.Sum(nil)), sha256: code(h.Sum(nil))}
}

// newClip creates a video of one second and pads it to a size with a box that players skip.
func newClip(t *testing.T, size int64) *file {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clip.mp4")
	if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x568:r=30:d=1", "-c:v", "libx264", "-pix_fmt", "yuv420p", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	box := binary.BigEndian.AppendUint32(nil, uint32(size-info.Size()))
	_, err = f.Write(append(box, "free"...))
	if err = errors.Join(err, f.Close(), os.Truncate(path, size)); err != nil {
		t.Fatal(err)
	}
	return newFile(t, path, "video/mp4")
}

// newImage creates a PNG of a size; each number gives another one. It is padded with EXIF data behind an empty
// directory, which ingestion keeps.
func newImage(t *testing.T, number, size int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 400, 600))
	for i := range img.Pix {
		img.Pix[i] = uint8(i*7+number) | 0x80
	}
	out := &bytes.Buffer{}
	if err := png.Encode(out, img); err != nil {
		t.Fatal(err)
	}
	const end = 12 // length of the IEND chunk
	doc := bytes.Clone(out.Bytes())
	fill := size - len(doc) - end
	exif := []byte("II*\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	exif = append(exif, bytes.Repeat([]byte{byte(number), byte(number >> 8)}, fill/2+1)...)
	chunk := append([]byte("eXIf"), exif[:fill]...)
	grown := binary.BigEndian.AppendUint32(bytes.Clone(doc[:len(doc)-end]), uint32(fill))
	grown = append(grown, chunk...)
	grown = binary.BigEndian.AppendUint32(grown, crc32.ChecksumIEEE(chunk))
	return append(grown, doc[len(doc)-end:]...)
}

// declared is a declared upload.
type declared struct {
	SignedID     string `json:"signed_id"`
	DirectUpload struct {
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	} `json:"direct_upload"`
}

// mediaItem is a media item of the API.
type mediaItem struct {
	ID       int64    `json:"id"`
	Status   string   `json:"status"`
	Title    string   `json:"title"`
	URL      *string  `json:"url"`
	ByteSize *int64   `json:"byte_size"`
	Width    *int     `json:"width"`
	Duration *float64 `json:"duration_seconds"`
	Error    any      `json:"error"`
}

// created sends a request that must return 201, and decodes the data into out.
func (a *api) created(path string, body, out any) error {
	res, err := a.do(http.MethodPost, path, body)
	if err != nil {
		return err
	}
	if res.status != http.StatusCreated {
		return &unexpectedStatus{res}
	}
	return json.Unmarshal(res.data, out)
}

// unexpectedStatus is the error for an answer with another status.
type unexpectedStatus struct{ *answer }

func (u *unexpectedStatus) Error() string { return fmt.Sprintf("%d %+v", u.status, u.errors) }

func (a *api) declare(f *file, name, checksum string) (*declared, error) {
	out := &declared{}
	body := map[string]any{"filename": name, "byte_size": f.bytes, "checksum": checksum, "content_type": f.contentType}
	return out, a.created("/direct_uploads", body, out)
}

// put uploads bytes to the declared address and returns the status.
func (d *declared) put(body io.Reader, length int64) (int, error) {
	req, err := http.NewRequest(http.MethodPut, d.DirectUpload.URL, body)
	if err != nil {
		return 0, err
	}
	req.ContentLength = length
	for name, value := range d.DirectUpload.Headers {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode, res.Body.Close()
}

// send declares and uploads a file.
func (a *api) send(f *file, name, checksum string) (*declared, error) {
	d, err := a.declare(f, name, checksum)
	if err != nil {
		return nil, err
	}
	body, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	status, err := d.put(body, f.bytes)
	if err == nil && status != http.StatusOK && status != http.StatusNoContent {
		err = fmt.Errorf("the store returned %d", status)
	}
	return d, err
}

// known waits until the front end accepts the new key.
func (a *api) known(t *testing.T) {
	t.Helper()
	NewWithT(t).Eventually(func(g Gomega) {
		out, err := a.do(http.MethodGet, "/media", nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(out.status).To(Equal(http.StatusOK))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
}

// media returns the brand's media by id.
func (a *api) media(g Gomega) map[int64]mediaItem {
	out := map[int64]mediaItem{}
	for page := 1; ; page++ {
		res, err := a.do(http.MethodGet, fmt.Sprintf("/media?per_page=50&page=%d", page), nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(res.status).To(Equal(http.StatusOK), "%+v", res.errors)
		var items []mediaItem
		g.Expect(json.Unmarshal(res.data, &items)).To(Succeed())
		for _, i := range items {
			out[i.ID] = i
		}
		if len(items) < 50 {
			return out
		}
	}
}

// largeFiles uploads a clip and an image of the maximum size, claims them and downloads them.
func (s *stack) largeFiles(t *testing.T, a *api, clip *file) {
	a.known(t)
	path := filepath.Join(t.TempDir(), "large.png")
	if err := os.WriteFile(path, newImage(t, 1, 10<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	picture := newFile(t, path, "image/png")
	for _, f := range []*file{clip, picture} {
		d, err := a.send(f, filepath.Base(f.path), f.md5)
		if err != nil {
			t.Fatal(err)
		}
		var item, again mediaItem
		if err := a.created("/media", map[string]any{"file": d.SignedID}, &item); err != nil {
			t.Fatal(err)
		}
		NewWithT(t).Eventually(func(g Gomega) {
			now := a.media(g)[item.ID]
			g.Expect(now.Status).To(Equal("ready"), "%+v", now.Error)
			item = now
		}).WithTimeout(2 * waitTimeout).WithPolling(slowPoll).Should(Succeed())
		if *item.ByteSize != f.bytes || item.Width == nil || (item.Duration != nil) != (f == clip) {
			t.Errorf("got item %+v of another size or kind", item)
		}
		// The upload is deleted, but a claim still finds the item.
		if err := a.created("/media", map[string]any{"file": d.SignedID}, &again); err != nil || again.ID != item.ID {
			t.Errorf("claimed again: got item %+v, error %v", again, err)
		}
		res, err := http.Get(*item.URL)
		if err != nil {
			t.Fatal(err)
		}
		sum := md5.New()
		n, err := io.Copy(sum, res.Body)
		_ = res.Body.Close()
		if err != nil || n != f.bytes || base64.StdEncoding.EncodeToString(sum.Sum(nil)) != f.md5 {
			t.Errorf("the download differs from the upload: got %d bytes, error %v", n, err)
		}
	}
}

// refusedBytes uploads bytes that differ from the declaration, and checks that none are kept.
func (s *stack) refusedBytes(t *testing.T, a *api, clip *file) {
	for _, c := range []struct {
		why      string
		checksum string
		length   int64
		change   func(io.Reader) io.Reader
	}{
		{"one byte more", clip.md5, clip.bytes + 1, func(r io.Reader) io.Reader { return io.MultiReader(r, strings.NewReader("x")) }},
		{"one byte more", clip.sha256, clip.bytes + 1, func(r io.Reader) io.Reader { return io.MultiReader(r, strings.NewReader("x")) }},
		{"other bytes", clip.md5, clip.bytes, func(r io.Reader) io.Reader { return io.MultiReader(strings.NewReader("x"), skip(r)) }},
		{"other bytes", clip.sha256, clip.bytes, func(r io.Reader) io.Reader { return io.MultiReader(strings.NewReader("x"), skip(r)) }},
	} {
		d, err := a.declare(clip, "wrong.mp4", c.checksum)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(clip.path)
		if err != nil {
			t.Fatal(err)
		}
		status, err := d.put(c.change(f), c.length)
		_ = f.Close()
		if err == nil && (status < 400 || status > 499) { // a connection closed during the upload is also a rejection
			t.Errorf("%s: %d", c.why, status)
		}
		var item mediaItem
		var refused *unexpectedStatus
		if err := a.created("/media", map[string]any{"file": d.SignedID}, &item); !errors.As(err, &refused) || refused.errors[0].Details["reason"] != "upload_incomplete" {
			t.Errorf("claim after %s: got %v, want upload_incomplete", c.why, err)
		}
	}
}

// skip drops the first byte.
func skip(r io.Reader) io.Reader {
	_, _ = io.ReadFull(r, make([]byte, 1))
	return r
}

const (
	// atOnce is the number of parallel uploads.
	atOnce = 20
	// maxGrowth is the limit for the growth of the front end's memory meanwhile, in bytes.
	maxGrowth = 64 << 20
)

// manyAtOnce uploads many clips in parallel and measures the front end's peak memory.
func (s *stack) manyAtOnce(t *testing.T, a *api, clip *file) {
	front := s.find("apiserver")
	if len(front) != 1 {
		t.Fatalf("got %d front ends, want 1", len(front))
	}
	before := front[0].memory(t, "VmRSS")
	// reset the peak
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", front[0].pid), []byte("5"), 0); err != nil {
		t.Skipf("measuring the peak memory of a process: %v", err)
	}
	failed := make([]error, atOnce)
	var all sync.WaitGroup
	for i := range failed {
		all.Go(func() {
			_, failed[i] = a.send(clip, fmt.Sprintf("clip %d.mp4", i), []string{clip.md5, clip.sha256}[i%2])
		})
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		t.Fatal(err)
	}
	peak := front[0].memory(t, "VmHWM")
	t.Logf("%d parallel uploads of %d MiB: the memory of the front end grew from %d to at most %d MiB",
		atOnce, clip.bytes>>20, before>>20, peak>>20)
	if peak-before > maxGrowth {
		t.Errorf("the memory of the front end grew by %d MiB", (peak-before)>>20)
	}
	if !front[0].isRunning() {
		t.Error("the front end was restarted")
	}
}

// memory returns a value of the process's status in bytes.
func (p process) memory(t *testing.T, figure string) int64 {
	t.Helper()
	doc, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(doc)) {
		if rest, ok := strings.CutPrefix(line, figure+":"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatalf("no %s in %s", figure, doc)
	return 0
}
