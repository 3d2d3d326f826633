// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/testkit/hostile"
)

const (
	// managerMemory and frontMemory are the limits of the peak memory of the two programs, in megabytes.
	managerMemory, frontMemory = 1000, 300
	// settling is the timeout for the processing of all uploaded files.
	settling = 8 * time.Minute
)

// TestHostileFiles uploads hostile files over REST and checks the outcome of each. The tests of
// internal/content/imagery and internal/media/probe cover the whole corpus. This test covers the files that pass the
// first checks.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	bait, seeds := hostile.NewBait(t), hostile.NewSeeds(t)
	s := newStack(t, withEnv("REELOPS_CEILINGS=global=1000000/5m"))
	before := s.programs(t)
	up := &uploader{api: api{s.url, s.newKey(t)}, t: t}
	NewWithT(t).Eventually(func(g Gomega) { // the front end accepts a new key after a moment
		out, err := up.do(http.MethodGet, "/media", nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(out.status).To(Equal(http.StatusOK))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())

	t.Run("files", func(t *testing.T) { up.files(t, chosen(seeds, bait)) })
	t.Run("names", func(t *testing.T) { up.names(t, seeds.JPEG) })
	t.Run("stored names", func(t *testing.T) { safeKeys(t, s.path("blobs")) })
	t.Run("the programs", func(t *testing.T) {
		after := s.programs(t)
		for name, p := range before {
			if after[name] != p {
				t.Errorf("the %s restarted: got pid %d, then %d", name, p.pid, after[name].pid)
			}
		}
		for name, most := range map[string]int{"manager": managerMemory, "apiserver": frontMemory} {
			peak := peakMemory(t, after[name].pid)
			t.Logf("peak memory of the %s: %d MB", name, peak)
			if peak > most {
				t.Errorf("the %s used %d MB, limit %d", name, peak, most)
			}
		}
	})
}

// chosen returns the files that get far enough to be opened, and one of each kind of the others.
func chosen(seeds *hostile.Seeds, bait *hostile.Bait) (out []hostile.File) {
	for i, f := range slices.Concat(seeds.Pictures(bait), seeds.Films(bait), seeds.Mistaken()) {
		video := strings.HasPrefix(f.Type, "video/")
		switch {
		case strings.Contains(f.Name, "49 megapixels in"), strings.Contains(f.Name, "300 times"):
			continue // decoding these takes long
		case strings.Contains(f.Name, "1,000 tracks"), strings.Contains(f.Name, "alias of"), f.Want == hostile.Taken:
		case strings.Contains(f.Name, " cut at "):
			if !strings.HasSuffix(f.Name, " 50%") && (video || !strings.HasSuffix(f.Name, " 95%")) {
				continue
			}
		case strings.Contains(f.Name, " declared as "), strings.Contains(f.Name, " behind the beginning of "):
			if i%5 != 0 {
				continue
			}
		case video && i%4 != 0:
			continue
		}
		out = append(out, f)
	}
	return out
}

// programs returns the two programs that must survive hostile files.
func (s *stack) programs(t *testing.T) map[string]process {
	t.Helper()
	out := map[string]process{}
	for _, name := range []string{"manager", "apiserver"} {
		found := s.find(name)
		if len(found) != 1 {
			t.Fatalf("got %d processes named %s, want 1", len(found), name)
		}
		found[0].parent = 0
		out[name] = found[0]
	}
	return out
}

// peakMemory returns the peak resident memory of a process in megabytes.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	doc, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "VmHWM:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n >> 10
}

// uploader uploads files.
type uploader struct {
	api
	t *testing.T
}

// item has the fields of a media item that this test reads.
type item struct {
	ID      int64    `json:"id"`
	Title   string   `json:"title"`
	Status  string   `json:"status"`
	URL     string   `json:"url"`
	Content string   `json:"content_type"`
	Error   *problem `json:"error"`
}

// uploadFile declares a file, uploads it and creates the media item. If the API rejects a step, uploadFile returns that
// answer. If the store rejects the upload, it returns an error.
func (b *uploader) uploadFile(name, contentType string, data []byte) (*item, *answer, error) {
	sum := md5.Sum(data)
	out, err := b.do(http.MethodPost, "/direct_uploads", map[string]any{
		"filename": name, "byte_size": len(data), "checksum": base64.StdEncoding.EncodeToString(sum[:]), "content_type": contentType,
	})
	if err != nil || out.status != http.StatusCreated {
		return nil, out, err
	}
	var upload struct {
		SignedID string `json:"signed_id"`
		Direct   struct {
			URL     string            `json:"url"`
			Headers map[string]string `json:"headers"`
		} `json:"direct_upload"`
	}
	if err := json.Unmarshal(out.data, &upload); err != nil {
		return nil, out, err
	}
	req, err := http.NewRequest(http.MethodPut, upload.Direct.URL, bytes.NewReader(data))
	if err != nil {
		return nil, out, err
	}
	for k, v := range upload.Direct.Headers {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, out, err
	}
	_, _ = io.Copy(io.Discard, res.Body)
	if _ = res.Body.Close(); res.StatusCode != http.StatusNoContent && res.StatusCode != http.StatusOK {
		return nil, out, fmt.Errorf("the store returned %d for a declared upload", res.StatusCode)
	}
	out, err = b.do(http.MethodPost, "/media", map[string]any{"file": upload.SignedID})
	if err != nil || out.status != http.StatusCreated {
		return nil, out, err
	}
	it := &item{}
	return it, out, json.Unmarshal(out.data, it)
}

// files uploads all files, four at a time, and checks the outcome of each.
func (b *uploader) files(t *testing.T, files []hostile.File) {
	kept := make([]*item, len(files))
	var all sync.WaitGroup
	turn := make(chan struct{}, 4)
	for i, f := range files {
		all.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			it, out, err := b.uploadFile("file", f.Type, f.Data)
			switch {
			case err != nil:
				t.Errorf("%s: %.500v", f.Name, err)
			case it != nil:
				kept[i] = it
			case f.Want == hostile.Taken:
				t.Errorf("%s: a valid file was rejected: %d %+v", f.Name, out.status, out.errors)
			default:
				clean(t, f.Name, out)
			}
		})
	}
	all.Wait()
	settled := b.settle(t)
	refused, failed, ready := 0, 0, 0
	for i, f := range files {
		if kept[i] == nil {
			refused++
			continue
		}
		switch now := settled[kept[i].ID]; now.Status {
		case "ready":
			if ready++; f.Want == hostile.Refused {
				t.Errorf("%s: a hostile file is ready as %s", f.Name, now.Content)
			}
			harmless(t, f, now)
		case "failed":
			failed++
			switch {
			case f.Want == hostile.Taken:
				t.Errorf("%s: a valid file failed: %+v", f.Name, now.Error)
			case now.Error == nil || now.Error.Code == "" || now.Error.Message == "":
				t.Errorf("%s: failed without a code or message", f.Name)
			case now.Error.Retryable:
				t.Errorf("%s: the error is retryable: %+v", f.Name, now.Error)
			case strings.Contains(fmt.Sprint(now.Error), hostile.Marker), strings.Contains(now.Error.Message, "/"):
				t.Errorf("%s: the error repeats content of the file: %+v", f.Name, now.Error)
			}
		default:
			t.Errorf("%s: got status %q", f.Name, now.Status)
		}
	}
	t.Logf("of %d files %d were rejected on upload, %d failed, %d are ready", len(files), refused, failed, ready)
	if failed < 20 || ready < 10 {
		t.Error("too few files were processed: the corpus does not match this test")
	}
}

// clean checks that an answer is a well-formed client error.
func clean(t *testing.T, name string, out *answer) {
	t.Helper()
	if out.status < 400 || out.status > 499 || len(out.errors) != 1 || out.errors[0].Code == "" || out.errors[0].Message == "" {
		t.Errorf("%s: %d %+v", name, out.status, out.errors)
	}
}

// settle waits until no item is in progress, and returns all items by id.
func (b *uploader) settle(t *testing.T) map[int64]item {
	t.Helper()
	all := map[int64]item{}
	NewWithT(t).Eventually(func(g Gomega) {
		clear(all)
		working := 0
		for page := 1; ; page++ {
			out, err := b.do(http.MethodGet, fmt.Sprintf("/media?per_page=%d&page=%d", catalog.MaxPerPage, page), nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(out.status).To(Equal(http.StatusOK))
			var items []item
			g.Expect(json.Unmarshal(out.data, &items)).To(Succeed())
			for _, it := range items {
				if all[it.ID] = it; it.Status == "processing" {
					working++
				}
			}
			if len(items) < catalog.MaxPerPage {
				break
			}
		}
		g.Expect(working).To(BeZero(), "items in progress")
	}).WithTimeout(settling).WithPolling(slowPoll).Should(Succeed())
	return all
}

// harmless checks how an accepted file is served: a browser must treat it as an image or a video only.
func harmless(t *testing.T, f hostile.File, it item) {
	t.Helper()
	res, err := http.Get(it.URL)
	if err != nil {
		t.Errorf("%s: %v", f.Name, err)
		return
	}
	_ = res.Body.Close()
	h := res.Header
	if res.StatusCode != http.StatusOK || h.Get("Content-Type") != it.Content || !strings.HasPrefix(it.Content, f.Type[:5]) {
		t.Errorf("%s: got %d with type %q, want %q", f.Name, res.StatusCode, h.Get("Content-Type"), it.Content)
	}
	if h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%s: a browser may treat the file as a page: %v", f.Name, h)
	}
}

// names uploads a valid image under hostile file names.
func (b *uploader) names(t *testing.T, picture []byte) {
	for _, name := range hostile.FileNames {
		it, out, err := b.uploadFile(name, "image/jpeg", picture)
		switch {
		case err != nil:
			t.Errorf("%.60q: %.500v", name, err)
		case it == nil:
			clean(t, fmt.Sprintf("%.60q", name), out)
		default:
			odd := func(r rune) bool {
				return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
			}
			if n := utf8.RuneCountInString(it.Title); n == 0 || n > catalog.MaxTitleCharacters || strings.ContainsFunc(it.Title, odd) || strings.ContainsAny(it.Title, `/\`) {
				t.Errorf("%.60q: got title %q", name, it.Title)
			}
		}
	}
	for id, it := range b.settle(t) {
		if it.Status == "failed" && it.Title != "file" {
			t.Errorf("the valid image %d, %q: %+v", id, it.Title, it.Error)
		}
	}
}

// safeKeys checks that no file name from a client became a path in the store.
func safeKeys(t *testing.T, folder string) {
	plain := regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
	files := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			files++
		}
		if path != folder && (!plain.MatchString(d.Name()) || d.Type()&fs.ModeSymlink != 0) {
			t.Errorf("the store contains %q", path)
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}
