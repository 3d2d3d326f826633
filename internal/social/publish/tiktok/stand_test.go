// SPDX-License-Identifier: Apache-2.0

package tiktok_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/tiktok"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/tiktok"
)

// partSize is larger than the parts of these tests.
const partSize = tiktok.PartSize

// rig holds the adapter and the fake platform, with maya connected.
type rig struct {
	*tiktok.Platform
	core    *sandbox.Sandbox
	stand   *stand.Platform
	clock   *testclock.FakeClock
	maya    publish.Account
	pulls   string
	config  tiktok.Config
	saved   []byte
	t       *testing.T
	picture []byte
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, clock: testclock.NewFakeClock(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))}
	var err error
	if r.core, err = sandbox.New(sandbox.Config{Dir: t.TempDir(), Clock: r.clock, Processing: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.core.Close() })
	r.stand = stand.New(r.core)
	r.core.Mount("tiktok", r.stand)
	server := httptest.NewServer(r.core)
	t.Cleanup(server.Close)
	r.core.SetBaseURL(server.URL)
	r.config = tiktok.Config{ClientID: sandbox.ClientID, ClientSecret: sandbox.ClientSecret, Clock: r.clock}.At(server.URL + "/tiktok")
	r.open(r.config)
	tokens := r.core.Tokens("tiktok", sandbox.TokenRules{Access: 24 * time.Hour, Refresh: 365 * 24 * time.Hour})
	k := tokens.Issue(sandbox.Grant{Account: "maya", Scopes: []string{"user.info.basic", "user.info.profile", "video.list", "video.publish", "video.upload"}})
	a, _ := r.core.AccountByName("tiktok", "maya")
	r.maya = publish.Account{ID: a.ID, Username: a.Username, AccessToken: k.Access, Scopes: k.Grant.Scopes}
	var jpg bytes.Buffer
	if err := jpeg.Encode(&jpg, image.NewGray(image.Rect(0, 0, 1080, 1350)), nil); err != nil {
		t.Fatal(err)
	}
	r.picture = jpg.Bytes()
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(r.picture) }))
	t.Cleanup(pictures.Close)
	r.pulls = pictures.URL
	return r
}

func (r *rig) open(c tiktok.Config) {
	r.t.Helper()
	p, err := tiktok.New(c)
	if err != nil {
		r.t.Fatal(err)
	}
	p.CutAbove(partSize)
	r.Platform = p
}

// short returns a video of three seconds, created once.
var short = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "film")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "film.mp4")
	out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=540x960:rate=30:duration=3", "-c:v", "libx264",
		"-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart", path).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(path)
})

// film returns a draft of a video with the given size.
func (r *rig) film(mode string, size int64) publish.Draft {
	r.t.Helper()
	doc, err := short()
	if err != nil {
		r.t.Fatal(err)
	}
	if free := size - int64(len(doc)); free >= 8 { // a box that players skip
		box := make([]byte, free)
		binary.BigEndian.PutUint32(box, uint32(free))
		copy(box[4:], "free")
		doc = append(doc[:len(doc):len(doc)], box...)
	}
	return publish.Draft{Key: "k", Kind: catalog.MediaVideo, Mode: mode, Caption: "Bread 🥖 <1> & \"2\"\n#bread", Video: &publish.Media{
		ContentType: "video/mp4", Bytes: int64(len(doc)), Duration: 3 * time.Second,
		Open: func(_ context.Context, offset int64) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(doc[offset:])), nil
		},
	}}
}

// photos returns a draft of a set of two photos.
func (r *rig) photos(mode string) publish.Draft {
	picture := publish.Media{ContentType: "image/jpeg", Bytes: int64(len(r.picture)), URL: func(context.Context) (string, error) {
		return r.pulls + "/1.jpg?a=1&b=2", nil
	}}
	return publish.Draft{Key: "k", Kind: catalog.MediaPhotoSet, Mode: mode, Title: "Bread", Caption: "Slow 🥖", Photos: []publish.Media{picture, picture}}
}

func (r *rig) save(note []byte) error {
	r.saved = note
	return nil
}

// prepared returns the note of a draft that is ready to commit.
func (r *rig) prepared(d publish.Draft) []byte {
	r.t.Helper()
	s, err := r.Prepare(r.t.Context(), r.maya, d, nil, r.save)
	if err != nil || !s.Ready {
		r.t.Fatalf("preparing: %+v, %v", s, err)
	}
	return s.Note
}

// accepted returns the receipt of a draft that was committed.
func (r *rig) accepted(d publish.Draft) *publish.Receipt {
	r.t.Helper()
	receipt, err := r.Commit(r.t.Context(), r.maya, d, r.prepared(d))
	if err != nil {
		r.t.Fatal("committing:", err)
	}
	return receipt
}

func (r *rig) look(d publish.Draft, handle string) *publish.View {
	r.t.Helper()
	v, err := r.Look(r.t.Context(), r.maya, d, handle)
	if err != nil {
		r.t.Fatal("polling:", err)
	}
	return v
}

func (r *rig) fault(f sandbox.Fault) {
	r.t.Helper()
	f.Platform = "tiktok"
	if err := r.core.SetFaults(f); err != nil {
		r.t.Fatal(err)
	}
}

// calls returns the number of calls with the name.
func (r *rig) calls(name string) int {
	n := 0
	for _, c := range r.core.Calls() {
		if c.Call == name {
			n++
		}
	}
	return n
}

// one returns the only post that was published.
func (r *rig) one() sandbox.Landing {
	r.t.Helper()
	all := r.core.Landed("tiktok")
	if len(all) != 1 {
		r.t.Fatalf("published %d times: %+v", len(all), all)
	}
	return all[0]
}

func kind(t *testing.T, err error, want publish.Kind) {
	t.Helper()
	if err == nil || publish.KindOf(err) != want {
		t.Errorf("got %v, want the kind %s", err, want)
	}
}
