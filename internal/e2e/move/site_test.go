// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/e2e/atrest"
	"github.com/reelops/reelops/internal/install/backup"
	"github.com/reelops/reelops/internal/process/loopback"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/platforms"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
)

const (
	tenant = "acme"
	brand  = "bikes"
	system = "reelops-system"
	// patience is the timeout of every wait. It is long, because a busy machine is slow.
	patience = time.Minute
	seldom   = 100 * time.Millisecond
)

// world has what both clusters share: the platforms, the store and the keys.
type world struct {
	bin, dir, sandbox, blobs string
	key                      []byte
	store                    *blob.Store
}

// site is one cluster.
type site struct {
	*world
	kube    client.WithWatch
	config  string
	manager *exec.Cmd
	ended   chan struct{}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	bin := os.Getenv("REELOPS_BIN")
	if bin == "" {
		t.Skip("REELOPS_BIN does not name the folder with the built programs: run the tests with `make test-stack`")
	}
	w := &world{bin: bin, dir: t.TempDir(), key: bytes.Repeat([]byte{7}, 32)}
	must(t, os.WriteFile(w.path("signing.key"), w.key, 0o600))
	must(t, os.WriteFile(w.path("token.key"), []byte("BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n"), 0o600))
	files, err := loopback.Address()
	must(t, err)
	w.blobs = "http://" + files
	w.store, err = blob.Open(t.Context(), blob.Config{URL: "file://" + w.path("blobs"), SigningKey: w.key, BaseURL: w.blobs})
	must(t, err)
	server := &http.Server{Addr: files, Handler: w.store.Handler(0), ReadHeaderTimeout: patience}
	go func() { _ = server.ListenAndServe() }()
	t.Cleanup(func() { _ = server.Close() })
	sandbox, err := loopback.Address()
	must(t, err)
	w.sandbox = "http://" + sandbox
	w.launch(t, "sandbox", "--listen", sandbox, "--dir", w.path("sandbox"), "--processing", "100ms")
	NewWithT(t).Eventually(func() error {
		res, err := http.Get(w.sandbox + "/healthz")
		if err == nil {
			err = res.Body.Close()
		}
		return err
	}).WithTimeout(patience).WithPolling(seldom).Should(Succeed())
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

// launch starts a program and returns a channel that is closed when it has ended. The program ends with the test,
// before its folder is removed.
func (w *world) launch(t *testing.T, name string, args ...string) (*exec.Cmd, chan struct{}) {
	t.Helper()
	log, err := os.OpenFile(w.path(name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(t, err)
	cmd := exec.Command(filepath.Join(w.bin, name), args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		_ = log.Close()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	return cmd, ended
}

// newSite returns an empty cluster in which Reelops is installed.
func (w *world) newSite(t *testing.T, name string) *site {
	t.Helper()
	must(t, os.Mkdir(w.path(name), 0o700))
	plane, err := atrest.StartControlPlane(atrest.Options{Bin: w.bin, Folder: w.path(name)})
	must(t, err)
	t.Cleanup(func() { _ = plane.Stop() })
	s := &site{world: w, config: plane.Kubeconfig}
	s.kube, err = client.NewWithWatch(plane.Config, client.Options{Scheme: testkit.Scheme()})
	must(t, err)
	must(t, s.kube.Create(t.Context(), testkit.Namespace(system)))
	return s
}

func (s *site) start(t *testing.T) {
	t.Helper()
	s.manager, s.ended = s.launch(t, "manager", "--kubeconfig", s.config, "--blob-url", "file://"+s.path("blobs"), "--blob-base-url", s.blobs,
		"--signing-key-file", s.path("signing.key"), "--token-key-file", s.path("token.key"), "--callback-url", s.blobs, "--renderer-image", "renderer",
		"--sandbox", s.sandbox, "--starter-set=false", "--leader-elect")
}

func (s *site) kill() {
	_ = s.manager.Process.Kill()
	<-s.ended
}

// reelops runs the CLI and returns its output.
func (s *site) reelops(args ...string) (string, error) {
	out, err := exec.Command(filepath.Join(s.bin, "reelops"), args...).CombinedOutput()
	return string(out), err
}

func (s *site) installation() *backup.Installation {
	return &backup.Installation{Client: s.kube, SystemNamespace: system, Files: s.store, Clock: clock.RealClock{}}
}

// connect connects an account as the page of the platform does.
func (s *site) connect(t *testing.T, platform v1beta1.Platform) {
	t.Helper()
	sealer, err := consent.NewSealer(s.key, clock.RealClock{})
	must(t, err)
	set, err := (&platforms.Settings{Sandbox: s.sandbox}).Open(clock.RealClock{})
	must(t, err)
	state, link, err := sealer.Link(consent.Link{Namespace: tenant, Brand: brand, Platform: platform})
	must(t, err)
	redirect := consent.CallbackURL(s.blobs, platform)
	page := set[platform].AuthorizeURL(publish.Authorization{State: state, Verifier: sealer.Verifier(link.Nonce), RedirectURI: redirect})
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := browser.Get(page + "&approve=" + url.QueryEscape("maya"))
	must(t, err)
	_ = res.Body.Close()
	back, err := res.Location()
	must(t, err)
	sealed, err := sealer.SealCode(consent.Code{Code: back.Query().Get("code"), RedirectURI: redirect}, tenant, link.RequestName())
	must(t, err)
	must(t, s.kube.Create(t.Context(), &v1beta1.ConnectionRequest{
		ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: link.RequestName()},
		Spec:       v1beta1.ConnectionRequestSpec{BrandRef: v1beta1.LocalRef{Name: brand}, Platform: platform, SealedCode: sealed, Nonce: link.Nonce},
	}))
}

// accounts waits until n accounts are ready for posts.
func (s *site) accounts(t *testing.T, n int) []v1beta1.SocialAccount {
	t.Helper()
	var list v1beta1.SocialAccountList
	NewWithT(t).Eventually(func(g Gomega) {
		g.Expect(s.kube.List(t.Context(), &list, client.InNamespace(tenant))).To(Succeed())
		g.Expect(list.Items).To(HaveLen(n))
		for i := range list.Items {
			g.Expect(list.Items[i].Status.TokenStatus).To(Equal(v1beta1.TokenActive))
		}
	}).WithTimeout(patience).WithPolling(seldom).Should(Succeed())
	return list.Items
}

// post creates a batch with a post for every account, as the front end does. The caption is the name of the batch.
func (s *site) post(t *testing.T, id int64, at time.Time, film v1beta1.PostMedia, accounts []v1beta1.SocialAccount) *v1beta1.PostBatch {
	t.Helper()
	when := metav1.NewTime(at.Truncate(time.Second))
	b := &v1beta1.PostBatch{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: tenant, Name: posting.BatchName(id), Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10), v1beta1.LabelBrand: brand},
		},
		Spec: v1beta1.PostBatchSpec{
			BrandRef: v1beta1.LocalRef{Name: brand}, ShortRef: v1beta1.ShortRef{ID: 1}, ScheduledAt: &when, PostingMode: catalog.PostDirect,
		},
	}
	for i := range accounts {
		b.Spec.Accounts = append(b.Spec.Accounts, v1beta1.PostTarget{Name: accounts[i].Name, PostID: id + int64(i)})
	}
	must(t, s.kube.Create(t.Context(), b))
	for i := range accounts {
		a, id := &accounts[i], id+int64(i)
		must(t, s.kube.Create(t.Context(), &v1beta1.Post{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: tenant, Name: posting.PostName(b, a.Spec.Platform, a.Name, id), Finalizers: []string{v1beta1.FinalizerPost},
				OwnerReferences: []metav1.OwnerReference{posting.OwnerOf(b)},
				Labels:          map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10), v1beta1.LabelBrand: brand, v1beta1.LabelShort: "1"},
			},
			Spec: v1beta1.PostSpec{
				BrandRef: b.Spec.BrandRef, Batch: b.Name, Account: a.Name, Platform: a.Spec.Platform, ShortID: 1, Revision: 1, Media: film,
				Caption: b.Name, PostingMode: catalog.PostDirect, ScheduledAt: metav1.NewMicroTime(when.Time),
			},
		}))
	}
	return b
}

// landed counts the published posts by caption.
func (w *world) landed(g Gomega) map[string]int {
	res, err := http.Get(w.sandbox + "/ledger")
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = res.Body.Close() }()
	var all []struct{ Caption string }
	g.Expect(json.NewDecoder(res.Body).Decode(&all)).To(Succeed())
	out := map[string]int{}
	for _, l := range all {
		out[l.Caption]++
	}
	return out
}

// posts returns all posts by caption and platform.
func (s *site) posts(g Gomega, t *testing.T) map[string]*v1beta1.Post {
	var list v1beta1.PostList
	g.Expect(s.kube.List(t.Context(), &list, client.InNamespace(tenant))).To(Succeed())
	out := map[string]*v1beta1.Post{}
	for i := range list.Items {
		p := &list.Items[i]
		out[fmt.Sprintf("%s %s", p.Spec.Caption, p.Spec.Platform)] = p
	}
	return out
}

// film creates a video and stores it.
func (w *world) film(t *testing.T, key string) v1beta1.PostMedia {
	t.Helper()
	file := w.path("film.mp4")
	if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=540x960:rate=30:duration=4", "-f", "lavfi", "-i",
		"sine=frequency=330:duration=4:sample_rate=48000", "-shortest", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac",
		"-movflags", "+faststart", file).CombinedOutput(); err != nil {
		t.Fatalf("creating a video: %v: %s", err, out)
	}
	doc, err := os.ReadFile(file)
	must(t, err)
	must(t, w.store.Put(t.Context(), key, "video/mp4", bytes.NewReader(doc)))
	return v1beta1.PostMedia{Kind: catalog.MediaVideo, VideoKey: key, Bytes: int64(len(doc)), DurationMillis: 4000, Width: 540, Height: 960}
}
