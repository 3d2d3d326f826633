// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/callback"
)

func TestInterface(t *testing.T) {
	testkit.NeedCluster(t)
	RegisterFailHandler(Fail)
	RunSpecs(t, "The interface")
}

var (
	access   *apiserver.Access
	server   *apiserver.Server
	store    *blob.Store
	signer   *callback.Signer
	public   *httptest.Server
	internal *httptest.Server
	logged   logBuffer
	now      *clocktesting.FakePassiveClock
)

const systemNamespace = "reelops-system"

var _ = BeforeSuite(func() {
	ctx, stop := context.WithCancel(context.Background())
	cluster, err := testkit.StartCluster()
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { stop(); Expect(cluster.Stop()).To(Succeed()) })

	access, err = apiserver.Connect(ctx, cluster.Config, systemNamespace, nil, nil)
	Expect(err).NotTo(HaveOccurred())
	go func() { _ = access.Start(ctx) }()
	Eventually(access.Synced, time.Minute).Should(BeTrue())
	Expect(access.Plain.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: systemNamespace}})).To(Succeed())

	// Creation times come from the cluster, so the clock starts at the cluster's time.
	now = clocktesting.NewFakePassiveClock(time.Now().Truncate(time.Second))
	secret := bytes.Repeat([]byte("k"), 32)
	signer, err = callback.NewSigner(secret)
	Expect(err).NotTo(HaveOccurred())
	public = httptest.NewUnstartedServer(nil)
	store, err = blob.Open(ctx, blob.Config{URL: "file://" + GinkgoT().TempDir(), SigningKey: secret, BaseURL: "http://" + public.Listener.Addr().String()})
	Expect(err).NotTo(HaveOccurred())
	allocator := ids.New(access.Plain, systemNamespace)
	server, err = apiserver.New(apiserver.Config{
		Client: access.Client, Live: access.Plain, Index: access.Index, Media: access.Media, Posts: access.Posts, Synced: access.Synced, Archives: access.Archives, Store: store, Signer: signer,
		NextShort: func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Shorts) },
		KeyPrefix: apikey.DefaultPrefix, BaseURL: "http://" + public.Listener.Addr().String(), Clock: now, TextModel: true,
		Log: slog.New(slog.NewJSONHandler(&logged, nil)),
	})
	Expect(err).NotTo(HaveOccurred())
	public.Config.Handler = server.Public()
	public.Start()
	internal = httptest.NewServer(server.Internal())
	DeferCleanup(func() { public.Close(); internal.Close() })
})

// tenant is one account with a brand and methods to call the API for it.
type tenant struct {
	namespace string
	account   *v1beta1.Account
	brand     *v1beta1.Brand
	// admin, writer and reader are secrets of keys with these legacy scopes.
	admin, writer, reader string
}

var counter atomic.Int64

func nextID() string { return strconv.FormatInt(1000+counter.Add(1), 10) }

// Objects are written through the front end's own client, so that its next read sees them and no spec has to wait.
func create(o client.Object) {
	GinkgoHelper()
	Expect(access.Client.Create(context.Background(), o)).To(Succeed())
}

func setStatus(o client.Object) {
	GinkgoHelper()
	Expect(access.Client.Status().Update(context.Background(), o)).To(Succeed())
}

func newTenant(limit *int32) *tenant {
	GinkgoHelper()
	t := &tenant{namespace: "acct-" + nextID()}
	Expect(access.Plain.Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: t.namespace}})).To(Succeed())
	t.account = &v1beta1.Account{
		ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: v1beta1.AccountName, Labels: map[string]string{v1beta1.LabelID: nextID()}},
		Spec:       v1beta1.AccountSpec{Email: "anna@example.com", Plan: v1beta1.Plan{Name: "self-hosted", SlideshowLimit: limit}},
	}
	create(t.account)
	t.brand = t.newBrand("acme", "Acme Sleep")
	t.admin, t.writer, t.reader = t.newKey("admin"), t.newKey("write"), t.newKey("read")
	return t
}

func (t *tenant) newBrand(name, title string) *v1beta1.Brand {
	GinkgoHelper()
	b := &v1beta1.Brand{
		ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: name, Labels: map[string]string{v1beta1.LabelID: nextID()}},
		Spec:       v1beta1.BrandSpec{DisplayName: title},
	}
	create(b)
	return b
}

func (t *tenant) newKey(scopes ...v1beta1.Scope) string {
	GinkgoHelper()
	secret, _ := t.newKeyWith(v1beta1.APIKeySpec{Scopes: scopes})
	return secret
}

func (t *tenant) newKeyWith(spec v1beta1.APIKeySpec) (string, *v1beta1.APIKey) {
	GinkgoHelper()
	secret, hash, hint := apikey.New(apikey.DefaultPrefix)
	spec.BrandRef, spec.DisplayName, spec.SecretSHA256, spec.Hint = v1beta1.LocalRef{Name: "acme"}, "a key", hash, hint
	id := nextID()
	k := &v1beta1.APIKey{ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "key-" + id, Labels: map[string]string{v1beta1.LabelID: id}}, Spec: spec}
	create(k)
	return secret, k
}

// reply is a response of the API.
type reply struct {
	status int
	header http.Header
	data   map[string]any
	meta   map[string]any
	errors []map[string]any
	raw    string
}

func (r reply) code() string {
	if len(r.errors) == 0 {
		return ""
	}
	return r.errors[0]["code"].(string)
}

func (r reply) details() map[string]any {
	if len(r.errors) == 0 {
		return nil
	}
	d, _ := r.errors[0]["details"].(map[string]any)
	return d
}

type header struct{ name, value string }

// call sends a request. A body that is not a string is sent as JSON.
func call(method, path, key string, body any, headers ...header) reply {
	GinkgoHelper()
	var in io.Reader
	if text, ok := body.(string); ok {
		in = strings.NewReader(text)
	} else if body != nil {
		doc, err := json.Marshal(body)
		Expect(err).NotTo(HaveOccurred())
		in = bytes.NewReader(doc)
	}
	req, err := http.NewRequest(method, public.URL+path, in)
	Expect(err).NotTo(HaveOccurred())
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for _, h := range headers {
		req.Header.Set(h.name, h.value)
	}
	return send(req)
}

func send(req *http.Request) reply {
	GinkgoHelper()
	resp, err := judged().Do(req)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = resp.Body.Close() }()
	return read(resp)
}

func read(resp *http.Response) reply {
	GinkgoHelper()
	defer func() { _ = resp.Body.Close() }()
	doc, err := io.ReadAll(resp.Body)
	Expect(err).NotTo(HaveOccurred())
	out := reply{status: resp.StatusCode, header: resp.Header, raw: string(doc)}
	var envelope struct {
		Data, Meta map[string]any
		Errors     []map[string]any
	}
	if json.Unmarshal(doc, &envelope) == nil {
		out.data, out.meta, out.errors = envelope.Data, envelope.Meta, envelope.Errors
	}
	return out
}

// newShow creates a slideshow as a manifest would, with a unique name.
func (t *tenant) newShow(change func(*v1beta1.Slideshow)) (*v1beta1.Slideshow, string) {
	GinkgoHelper()
	id := nextID()
	s := &v1beta1.Slideshow{
		ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "show-" + id, Labels: map[string]string{v1beta1.LabelID: id, v1beta1.LabelBrand: "acme"}},
		Spec:       v1beta1.SlideshowSpec{BrandRef: v1beta1.LocalRef{Name: "acme"}, Context: "Five habits of people who sleep well."},
	}
	if change != nil {
		change(s)
	}
	status := s.Status
	create(s)
	if status.Work != nil {
		s.Status = status
		setStatus(s)
	}
	return s, id
}

// laidOut sets a slideshow's status as the controller does when the slides are laid out.
func laidOut(s *v1beta1.Slideshow) {
	at := metav1.NewTime(now.Now())
	s.Status = v1beta1.SlideshowStatus{
		Work:     &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: &at, FinishedAt: &at},
		Revision: 1, PreviewKey: "shorts/preview.jpg", ThumbnailKey: "shorts/thumbnail.jpg",
		Design: &v1beta1.Design{AspectRatio: "4:5", Style: "bold_center", ImageSource: v1beta1.ImageSource{Type: "stock"}, ImageWorld: "night_sky"},
		Text: &v1beta1.Text{
			SourceHash: "h", Language: "en", Title: "Sleep well", Caption: "Five habits.", Tags: []string{"sleep", "habits"},
			Slides: []v1beta1.SlideText{{Role: "hook", Heading: "Sleep well"}},
		},
	}
	for i := range int64(3) {
		s.Status.Slides = append(s.Status.Slides, v1beta1.Slide{
			ID: i + 1, LayerKey: "l", PictureKey: fmt.Sprintf("shorts/slide-%d.png", i+1), DurationMilliseconds: 3000, AltText: "a slide",
			Background:   v1beta1.SlideBackground{Source: "stock", ID: "starter-night_sky-01", MediaID: 77, BlobKey: "shorts/bg.jpg", Attribution: &v1beta1.Attribution{Provider: "starter"}},
			TextOverlays: []v1beta1.TextOverlay{{Text: "Sleep well", FontFamily: "Inter", FontSize: 84, Color: "#FFFFFF", Position: &v1beta1.Position{X: 50, Y: 50}}},
		})
	}
}

func (t *tenant) render(name string) *v1beta1.RenderJob {
	GinkgoHelper()
	j := &v1beta1.RenderJob{}
	Expect(access.Plain.Get(context.Background(), client.ObjectKey{Namespace: t.namespace, Name: name}, j)).To(Succeed())
	return j
}

// settle ends a render as the controller does.
func settle(j *v1beta1.RenderJob, state v1beta1.WorkState) {
	GinkgoHelper()
	at := metav1.NewTime(now.Now())
	j.Status.Work = &v1beta1.Work{State: state, Attempt: 1, StartedAt: &at, FinishedAt: &at}
	if state == v1beta1.WorkSucceeded {
		j.Status.Output = &v1beta1.RenderOutput{BlobKey: "shorts/film.mp4", Bytes: 9, SHA256: strings.Repeat("a", 64), DurationMilliseconds: 9500, Width: 1080, Height: 1350, Frames: 285}
	} else {
		j.Status.Work.Error = &v1beta1.WorkError{Code: "generation_failed", Message: "The encoder stopped.", Retryable: true, Details: map[string]string{"reason": "encoder_killed"}}
	}
	setStatus(j)
}
