// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

var (
	recordAs = flag.String("record", "", "name of the folder in testdata that TestRecord writes")
	configOf = flag.String("config", "", "folder config/local of the release that TestRecord records")
)

// TestRecord populates an installation of a release, stops it in the middle of its work, and records what it leaves
// behind.
func TestRecord(t *testing.T) {
	if *recordAs == "" {
		t.Skip("it writes testdata: name the folder with -record")
	}
	w := newWorld(t)
	w.config = *configOf
	w.startKubernetes(t)
	w.startSandbox(t)
	w.startFrontEnd(t)
	w.startManager(t)
	p := &population{world: w, t: t, g: NewWithT(t)}
	p.populate()
	p.interrupt()
	for name := range w.running {
		w.kill(name)
	}
	r := &recording{Taken: time.Now().UTC(), Key: w.key, objects: w.dump(t), files: w.describe(t)}
	journal, err := os.ReadFile(w.path("sandbox", "journal.jsonl"))
	must(t, err)
	r.journal = string(journal)

	// The release's own front end answers for exactly these objects, while nothing works on them.
	still := newWorld(t)
	still.config, still.key = w.config, w.key
	for _, host := range [][2]*string{{&still.api, &w.api}, {&still.internal, &w.internal}, {&still.sandbox, &w.sandbox}} {
		*host[0] = *host[1]
	}
	must(t, os.CopyFS(still.path("blobs"), os.DirFS(w.path("blobs"))))
	still.load(t, r.objects)
	still.startKubernetes(t)
	still.startSandbox(t)
	still.startFrontEnd(t)
	r.answers = still.ask(t, p.repeated)
	w.write(t, filepath.Join("testdata", *recordAs), r)
}

// population fills an installation.
type population struct {
	*world
	t *testing.T
	g *WithT
	// repeated are creates with an idempotency key that were answered.
	repeated []exchange
}

// ask reads everything over the interface.
func (w *world) ask(t *testing.T, repeated []exchange) []exchange {
	t.Helper()
	var out []exchange
	get := func(path string) any {
		answer, err := w.call(http.MethodGet, path, "", "")
		must(t, err)
		out = append(out, exchange{Method: http.MethodGet, Path: path, Answer: answer})
		var doc struct{ Data any }
		must(t, json.Unmarshal(answer.Body, &doc))
		return doc.Data
	}
	ids := func(data any, key string) (out []string) {
		all, _ := data.([]any)
		for _, one := range all {
			if id, ok := one.(map[string]any)[key].(float64); ok {
				out = append(out, strconv.FormatInt(int64(id), 10))
			}
		}
		return out
	}
	for _, path := range []string{
		"/account", "/brand", "/brands", "/media_packs?per_page=50", "/background_music?per_page=50", "/analytics",
		"/shorts?type=SLIDESHOW&per_page=50",
		"/shorts?type=UGC", "/posts?per_page=5&page=2",
	} {
		get(path)
	}
	for _, state := range []string{"draft", "pending", "success", "failed", "scheduled", "cancelled", "retrying"} {
		get("/posts?per_page=50&status=" + state)
	}
	shorts := ids(get("/shorts?per_page=50"), "id")
	for _, id := range shorts {
		for _, kind := range []string{"shorts", "jobs", "slideshows", "videos"} {
			get("/" + kind + "/" + id)
		}
		body := fmt.Sprintf(`{"short_id":%s,"platforms":["tiktok","youtube","instagram","linkedin"]}`, id)
		answer, err := w.call(http.MethodPost, "/posts/validate", body, "")
		must(t, err)
		out = append(out, exchange{Method: http.MethodPost, Path: "/posts/validate", Request: body, Answer: answer})
	}
	for _, id := range ids(get("/posts?per_page=50"), "id") {
		get("/posts/" + id)
	}
	for _, id := range ids(get("/media?per_page=50"), "id") {
		get("/media/" + id)
	}
	connections, _ := get("/connections").(map[string]any)
	for _, id := range ids(connections["accounts"], "social_data_id") {
		get("/analytics/accounts/" + id)
	}
	for _, e := range repeated {
		answer, err := w.call(e.Method, e.Path, e.Request, e.IdempotencyKey)
		must(t, err)
		e.Answer = answer
		out = append(out, e)
	}
	if len(shorts) < 8 {
		t.Fatalf("there are only %d shorts", len(shorts))
	}
	return out
}

const tenants = `apiVersion: v1
kind: Namespace
metadata:
  name: acme
  labels: {reelops.dev/account: acme, pod-security.kubernetes.io/enforce: restricted}
---
apiVersion: reelops.dev/v1beta1
kind: Account
metadata: {name: account, namespace: acme}
spec: {email: owner@example.com, plan: {name: team, slideshowLimit: 200, automationLimit: 3}}
---
apiVersion: reelops.dev/v1beta1
kind: Brand
metadata: {name: bikes, namespace: acme}
spec:
  displayName: Acme Bikes
  website: https://acme.example
  language: en
  timezone: Europe/Berlin
  profile: {audience: commuters, tone: brief, callToAction: Ride today}
  postingDefaults: {tiktok: {privacyLevel: PUBLIC_TO_EVERYONE}}
---
apiVersion: reelops.dev/v1beta1
kind: Brand
metadata: {name: coffee, namespace: acme}
spec: {displayName: Acme Coffee}
`

// populate makes what has settled when the installation is stopped.
func (p *population) populate() {
	p.t.Helper()
	p.kubectl(p.t, tenants, "apply", "-f", "-")
	p.keys()
	for _, platform := range []string{"tiktok", "youtube", "instagram", "linkedin"} {
		p.connect(platform)
	}
	p.media()
	p.slideshows()
	p.posts()
}

// keys makes one that may do everything, one that may read, and a revoked one.
func (p *population) keys() {
	var made struct {
		ID     json.Number
		Secret string
	}
	for _, args := range [][]string{{"--name", "gone"}, {"--name", "reader"}, {"--name", "main", "--scopes", "admin"}} {
		out := p.run(p.t, "", "reelops", append([]string{
			"key", "create", "--account", tenant, "--brand", brand, "-o",
			"json",
		}, args...)...)
		must(p.t, json.Unmarshal([]byte(out), &made))
		if args[1] == "gone" {
			p.run(p.t, "", "reelops", "key", "revoke", made.ID.String())
		}
	}
	p.key = made.Secret
	p.eventually(func(g Gomega) { p.read(g, "/account", &struct{}{}) })
}

func (p *population) eventually(holds func(g Gomega)) {
	p.t.Helper()
	p.g.Eventually(holds).WithTimeout(2 * patience).WithPolling(seldom).Should(Succeed())
}

// onward is where a page continues: at an address, or at its own once more.
var onward = regexp.MustCompile(`http-equiv="refresh" content="\d+(?:; *url=([^"]+))?"`)

// connect connects the accounts of a person on a platform, as a browser does.
func (p *population) connect(platform string) {
	p.t.Helper()
	made := struct {
		URL string `json:"authorize_url"`
	}{}
	out := p.post("/connections/link", map[string]any{"platform": platform}, http.StatusOK)
	must(p.t, json.Unmarshal(out, &made))
	at := made.URL + "&approve=maya"
	p.eventually(func(g Gomega) {
		res, err := http.Get(at)
		g.Expect(err).NotTo(HaveOccurred())
		defer func() { _ = res.Body.Close() }()
		doc, err := io.ReadAll(res.Body)
		g.Expect(err).NotTo(HaveOccurred())
		at = res.Request.URL.String()
		if next := onward.FindSubmatch(doc); next != nil && len(next[1]) > 0 {
			to, err := res.Request.URL.Parse(html.UnescapeString(string(next[1])))
			g.Expect(err).NotTo(HaveOccurred())
			at = to.String()
		}
		g.Expect(string(doc)).To(ContainSubstring("is connected"))
	})
}

// post sends a request that must be answered with a status, and returns the data.
func (p *population) post(path string, body map[string]any, status int) json.RawMessage {
	p.t.Helper()
	return p.request(http.MethodPost, path, body, "", status)
}

func (p *population) request(method, path string, body map[string]any, key string, status int) json.RawMessage {
	p.t.Helper()
	doc := []byte{}
	if body != nil {
		var err error
		doc, err = json.Marshal(body)
		must(p.t, err)
	}
	out, err := p.call(method, path, string(doc), key)
	must(p.t, err)
	if out.Status != status {
		p.t.Fatalf("%s %s: %d, want %d: %s", method, path, out.Status, status, out.Body)
	}
	if key != "" {
		p.repeated = append(p.repeated, exchange{Method: method, Path: path, IdempotencyKey: key, Request: string(doc)})
	}
	var envelope struct{ Data json.RawMessage }
	must(p.t, json.Unmarshal(out.Body, &envelope))
	return envelope.Data
}

// brings makes a file among the tenant's imports.
func (p *population) brings(name string, args ...string) {
	p.t.Helper()
	dir := p.path("blobs", "imports", tenant)
	must(p.t, os.MkdirAll(dir, 0o755))
	args = append(append([]string{"-hide_banner", "-loglevel", "error", "-nostdin"}, args...), filepath.Join(dir, name))
	if out, err := exec.CommandContext(p.t.Context(), "ffmpeg", args...).CombinedOutput(); err != nil {
		p.t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
}

const media = `apiVersion: reelops.dev/v1beta1
kind: MediaPack
metadata: {name: seaside, namespace: acme}
spec: {displayName: Seaside, tags: [sea]}
---
apiVersion: reelops.dev/v1beta1
kind: MediaAsset
metadata: {name: beach, namespace: acme}
spec:
  mediaType: pack_image
  title: The beach
  tags: [beach]
  packRef: {name: seaside}
  source: {blobKey: imports/acme/beach.png}
---
apiVersion: reelops.dev/v1beta1
kind: MediaAsset
metadata: {name: speaker, namespace: acme}
spec: {mediaType: avatar_video, title: Somebody speaks, source: {blobKey: imports/acme/clip.mp4}}
---
apiVersion: reelops.dev/v1beta1
kind: MediaAsset
metadata: {name: screen, namespace: acme}
spec: {mediaType: product_demo, title: The product, source: {blobKey: imports/acme/clip.mp4}}
---
apiVersion: reelops.dev/v1beta1
kind: MediaAsset
metadata: {name: broken, namespace: acme}
spec: {mediaType: user_upload, title: No picture, source: {blobKey: imports/acme/broken.png}}
---
apiVersion: reelops.dev/v1beta1
kind: MediaAsset
metadata: {name: missing, namespace: acme}
spec: {mediaType: user_upload, title: Not there, source: {blobKey: imports/acme/missing.png}}
---
apiVersion: reelops.dev/v1beta1
kind: MusicTrack
metadata: {name: tone, namespace: acme}
spec: {title: A tone, artist: Nobody, source: {blobKey: imports/acme/tone.mp3}}
`

// media brings files: ready, failed and missing ones.
func (p *population) media() {
	p.brings("clip.mp4", "-f", "lavfi", "-i", "color=c=blue:s=540x960:r=30:d=2", "-f", "lavfi", "-i",
		"sine=d=2:sample_rate=48000", "-c:v", "libx264",
		"-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac")
	p.brings("tone.mp3", "-f", "lavfi", "-i", "sine=f=440:d=3")
	p.brings("beach.png", "-f", "lavfi", "-i", "color=c=yellow:s=720x1280", "-frames:v", "1")
	must(p.t, os.WriteFile(p.path("blobs", "imports", tenant, "broken.png"), bytes.Repeat([]byte("no picture "), 100),
		0o644))
	p.kubectl(p.t, media, "apply", "-f", "-")
	p.eventually(func(g Gomega) {
		for name, state := range map[string]v1beta1.WorkState{
			"beach":   v1beta1.WorkSucceeded,
			"speaker": v1beta1.WorkSucceeded, "screen": v1beta1.WorkSucceeded, "broken": v1beta1.WorkFailed,
		} {
			m := &v1beta1.MediaAsset{}
			p.get(g, name, m)
			g.Expect(m.Status.Work).To(HaveValue(HaveField("State", state)), name)
		}
		track := &v1beta1.MusicTrack{}
		p.get(g, "tone", track)
		g.Expect(track.Status.Work).To(HaveValue(HaveField("State", v1beta1.WorkSucceeded)))
	})
}

func (p *population) get(g Gomega, name string, into client.Object) {
	g.Expect(p.kube.Get(p.t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, into)).To(Succeed())
}

// slideshow is a manifest of one with three slides, whose video is quickly made.
func slideshow(name, more string) string {
	return fmt.Sprintf(`---
apiVersion: reelops.dev/v1beta1
kind: Slideshow
metadata: {name: %[1]s, namespace: acme}
spec:
  brandRef: {name: bikes}
  title: %[1]s
  caption: The caption of %[1]s
  hashtags: [bikes]
  film: {motion: still, transition: cut}
  slides:
  - {heading: First of %[1]s, durationMilliseconds: 1000}
  - {heading: Second, durationMilliseconds: 1000}
  - {heading: Third, durationMilliseconds: 1000}
%[2]s`, name, more)
}

const (
	suspended = "  suspend: true\n"
	rendered  = "  autoRender: true\n"
	tuned     = rendered + "  music: {trackRef: {name: tone}}\n"
	// long makes a video that is not ready within seconds.
	long = `---
apiVersion: reelops.dev/v1beta1
kind: Slideshow
metadata: {name: long, namespace: acme}
spec:
  brandRef: {name: bikes}
  title: long
  film: {motion: slow_zoom, transition: crossfade}
  slides:
  - {heading: One, durationMilliseconds: 15000}
  - {heading: Two, durationMilliseconds: 15000}
  - {heading: Three, durationMilliseconds: 15000}
  - {heading: Four, durationMilliseconds: 15000}
  - {heading: Five, durationMilliseconds: 15000}
  - {heading: Six, durationMilliseconds: 15000}
  - {heading: Seven, durationMilliseconds: 15000}
  - {heading: Eight, durationMilliseconds: 15000}
  - {heading: Nine, durationMilliseconds: 15000}
  - {heading: Ten, durationMilliseconds: 15000}
`
	failing = `---
apiVersion: reelops.dev/v1beta1
kind: Slideshow
metadata: {name: failing, namespace: acme}
spec:
  brandRef: {name: bikes}
  title: failing
  slides:
  - {heading: One, image: {mediaRef: {name: broken}}}
  - {heading: Two}
  - {heading: Three}
`
	waiting = `---
apiVersion: reelops.dev/v1beta1
kind: Slideshow
metadata: {name: waiting, namespace: acme}
spec:
  brandRef: {name: bikes}
  title: waiting
  slides:
  - {heading: One, image: {mediaRef: {name: missing}}}
  - {heading: Two}
  - {heading: Three}
`
	videos = `---
apiVersion: reelops.dev/v1beta1
kind: Video
metadata: {name: demo, namespace: acme}
spec:
  brandRef: {name: bikes}
  hookText: Try this bike.
  avatar: {mediaRef: {name: speaker}}
  demos: [{mediaRef: {name: screen}, text: Look, callToAction: Ride}]
  music: {trackRef: {name: tone}}
---
apiVersion: reelops.dev/v1beta1
kind: Video
metadata: {name: draft-video, namespace: acme}
spec:
  brandRef: {name: bikes}
  hookText: Not yet.
  avatar: {mediaRef: {name: speaker}}
  suspend: true
---
apiVersion: reelops.dev/v1beta1
kind: Video
metadata: {name: failing-video, namespace: acme}
spec:
  brandRef: {name: bikes}
  hookText: Never.
  avatar: {mediaRef: {name: broken}}
`
)

func (p *population) slideshows() {
	p.t.Helper()
	p.kubectl(p.t, slideshow("draft", suspended)+slideshow("tidy", rendered)+slideshow("twice", rendered)+
		slideshow("stale", "")+slideshow("drawn", "")+
		slideshow("photos", "")+slideshow("unrendered", "")+slideshow("later", "")+slideshow("renamed", rendered)+
		slideshow("voiced", rendered+"  voice: {mode: speak}\n")+
		slideshow("tuned", tuned)+long+failing+waiting+videos, "apply", "-f", "-")
	made := p.shortOf(p.request(http.MethodPost, "/slideshows", map[string]any{
		"context": "Three ways to ride more. Leave the car at home. Pump the tyres. Ride with friends.", "slide_count": 3,
	}, "rest-1", http.StatusAccepted))
	p.eventually(func(g Gomega) {
		for _, name := range []string{"tidy", "twice", "renamed", "voiced", "tuned"} {
			p.hasVideo(g, name, 1)
		}
		for _, name := range []string{"slideshow-" + made, "stale", "drawn", "photos", "unrendered", "later", "long"} {
			p.isDrawn(g, name)
		}
		v := &v1beta1.Video{}
		p.get(g, "demo", v)
		g.Expect(v.Status.Output).NotTo(BeNil())
	})
	// A render that fails: a layer of its slides is no picture any more.
	s := &v1beta1.Slideshow{}
	p.get(p.g, "unrendered", s)
	must(p.t, os.WriteFile(p.path("blobs", filepath.FromSlash(s.Status.Slides[1].LayerKey)), []byte("no picture"), 0o600))
	p.post("/slideshows/"+s.Labels[v1beta1.LabelID]+"/render", nil, http.StatusAccepted)
	p.post("/slideshows/"+p.id("stale")+"/render", nil, http.StatusAccepted)
	p.eventually(func(g Gomega) { p.hasVideo(g, "stale", 1) })
	p.kubectl(p.t, edited(slideshow("stale", ""))+edited(slideshow("twice", rendered))+
		strings.Replace(slideshow("renamed", rendered), "title: renamed", "title: Another title", 1), "apply", "-f", "-")
	p.post("/slideshows/"+made+"/render", nil, http.StatusAccepted)
	p.eventually(func(g Gomega) {
		p.hasVideo(g, "slideshow-"+made, 1)
		p.hasVideo(g, "twice", 2)
		r := &v1beta1.RenderJob{}
		p.get(g, "unrendered-r1", r)
		g.Expect(r.Status.Work).To(HaveValue(HaveField("State", v1beta1.WorkFailed)))
	})
	p.request(http.MethodPatch, "/slideshows/"+made, map[string]any{"slides": []any{
		map[string]any{"id": 2, "textOverlays": []any{map[string]any{"text": "Edited over REST"}}},
	}}, "", http.StatusOK)
	p.eventually(func(g Gomega) {
		for name, revision := range map[string]int64{"slideshow-" + made: 2, "stale": 2, "renamed": 1} {
			s := &v1beta1.Slideshow{}
			p.get(g, name, s)
			g.Expect(s.Status.ObservedGeneration).To(Equal(s.Generation), name)
			g.Expect(s.Status.Revision).To(Equal(revision), name)
			g.Expect(s.Status.Work).To(HaveValue(HaveField("State", v1beta1.WorkSucceeded)), name)
		}
	})
}

// edited returns the manifest with another text on its second slide.
func edited(manifest string) string {
	return strings.Replace(manifest, "heading: Second", "heading: Edited", 1)
}

func (p *population) id(name string) string {
	p.t.Helper()
	s := &v1beta1.Slideshow{}
	p.get(p.g, name, s)
	return s.Labels[v1beta1.LabelID]
}

// shortOf returns the id of the short that an accepted job makes.
func (p *population) shortOf(data json.RawMessage) string {
	p.t.Helper()
	var job struct {
		ID json.Number `json:"job_id"`
	}
	must(p.t, json.Unmarshal(data, &job))
	return job.ID.String()
}

func (p *population) isDrawn(g Gomega, name string) {
	s := &v1beta1.Slideshow{}
	p.get(g, name, s)
	g.Expect(s.Status.Work).To(HaveValue(HaveField("State", v1beta1.WorkSucceeded)), name)
}

func (p *population) hasVideo(g Gomega, name string, revision int64) {
	s := &v1beta1.Slideshow{}
	p.get(g, name, s)
	g.Expect(s.Status.Render).To(HaveValue(And(HaveField("State", v1beta1.WorkSucceeded), HaveField("Revision",
		revision))), name)
}

// batch is a manifest that publishes a short on all accounts of TikTok and LinkedIn.
func batch(name, short string, at time.Time, more string) string {
	return fmt.Sprintf(`---
apiVersion: reelops.dev/v1beta1
kind: PostBatch
metadata: {name: %[1]s, namespace: acme}
spec:
  brandRef: {name: bikes}
  shortRef: {name: %[2]s}
  platforms: [tiktok, linkedin]
  scheduledAt: %[3]q
  caption: By batch %[1]s
%[4]s`, name, short, at.UTC().Format(time.RFC3339), more)
}

// posts publishes, schedules, cancels, and fails.
func (p *population) posts() {
	p.t.Helper()
	everywhere := []string{"tiktok", "youtube", "instagram", "linkedin"}
	short, _ := strconv.Atoi(p.id("tidy"))
	p.request(http.MethodPost, "/posts", map[string]any{
		"short_id": short, "platforms": everywhere,
		"caption": "Published over REST",
	}, "post-1", http.StatusAccepted)
	set, _ := strconv.Atoi(p.id("photos"))
	p.post("/posts", map[string]any{
		"short_id": set, "platforms": []string{"tiktok"}, "media": "photo_set",
		"caption": "Photos over REST",
	}, http.StatusAccepted)
	p.post("/posts", map[string]any{
		"short_id": short, "platforms": []string{"tiktok"}, "posting_mode": "draft",
		"caption": "Into the inbox",
	}, http.StatusAccepted)
	p.settled("Published over REST", 5)
	p.settled("Photos over REST", 1)
	p.settled("Into the inbox", 1)

	p.fault(`{"platform":"youtube","call":"processing","do":"reject","code":"trademark"}`)
	p.post("/posts", map[string]any{
		"short_id": short, "platforms": []string{"youtube"},
		"caption": "Refused by YouTube",
	}, http.StatusAccepted)
	p.settled("Refused by YouTube", 1)
	p.request(http.MethodPost, "/posts", map[string]any{
		"short_id": short, "platforms": everywhere, "caption": "Scheduled over REST", "scheduled_at": in(6 * time.Hour),
	}, "post-2", http.StatusAccepted)
	p.post("/posts", map[string]any{
		"short_id": short, "platforms": []string{"tiktok"}, "caption": "Cancelled",
		"scheduled_at": in(7 * time.Hour),
	}, http.StatusAccepted)
	for _, post := range p.byCaption("Cancelled") {
		p.request(http.MethodDelete, "/posts/"+post.Labels[v1beta1.LabelID], nil, "", http.StatusOK)
	}
	p.kubectl(p.t, batch("now", "tidy", time.Now().Add(5*time.Second), "")+
		batch("held", "tidy", time.Now().Add(24*time.Hour), "  suspend: true\n")+
		batch("stale-one", "stale", time.Now().Add(24*time.Hour), "  media: photo_set\n")+
		batch("not-ready", "waiting", time.Now().Add(24*time.Hour), "")+
		batch("no-short", "nothing", time.Now().Add(24*time.Hour), "")+
		batch("missed", "tidy", time.Now().Add(-time.Hour), "")+
		batch("far", "tidy", time.Now().Add(400*24*time.Hour), "")+
		batch("pinned", "twice", time.Now().Add(24*time.Hour), "  revisionPolicy: pinned\n"), "apply", "-f", "-")
	p.settled("By batch now", 3)
	p.eventually(func(g Gomega) {
		for name, open := range map[string]int32{"held": 3, "stale-one": 3, "pinned": 3} {
			b := &v1beta1.PostBatch{}
			p.get(g, name, b)
			g.Expect(b.Status.Open).To(Equal(open), name)
		}
	})
}

func in(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }

// fault adds a line to the script of the sandbox.
func (p *population) fault(line string) {
	p.t.Helper()
	res, err := http.Post("http://"+p.sandbox+"/faults", "application/json", strings.NewReader(line))
	must(p.t, err)
	must(p.t, res.Body.Close())
	p.g.Expect(res.StatusCode).To(BeNumerically("<", 300))
}

func (p *population) byCaption(caption string) (out []v1beta1.Post) {
	var list v1beta1.PostList
	must(p.t, p.kube.List(p.t.Context(), &list, client.InNamespace(tenant)))
	for _, post := range list.Items {
		if post.Spec.Caption == caption {
			out = append(out, post)
		}
	}
	return out
}

// settled waits until the posts with a caption are final.
func (p *population) settled(caption string, n int) {
	p.t.Helper()
	p.eventually(func(g Gomega) {
		all := p.byCaption(caption)
		g.Expect(all).To(HaveLen(n), caption)
		for _, post := range all {
			g.Expect(post.Status.State.Final()).To(BeTrue(), "%s %s: %+v", caption, post.Name, post.Status.Error)
		}
	})
}

// unseen begins the context of a slideshow that the manager of the release never saw.
const unseen = "Nobody has seen this yet."

// dueSoon is how long after the recording a batch is due. The test publishes it.
const dueSoon = 6 * time.Minute

// interrupt stops the manager in the middle of its work, and requests more that it does not see.
func (p *population) interrupt() {
	p.t.Helper()
	p.kubectl(p.t, batch("soon", "tidy", time.Now().Add(dueSoon), ""), "apply", "-f", "-")
	p.eventually(func(g Gomega) { g.Expect(p.byCaption("By batch soon")).To(HaveLen(3)) })
	// TikTok's answer to one post does not show whether it was accepted. It refuses another one for five minutes.
	p.fault(`{"platform":"tiktok","call":"content.init","do":"status","status":503}`)
	p.fault(`{"platform":"tiktok","call":"video.init","do":"status","status":429,"retry_after":300}`)
	set, _ := strconv.Atoi(p.id("photos"))
	tidy, _ := strconv.Atoi(p.id("tidy"))
	p.post("/posts", map[string]any{
		"short_id": set, "platforms": []string{"tiktok"}, "media": "photo_set",
		"caption": "Perhaps sent",
	}, http.StatusAccepted)
	p.post("/posts", map[string]any{"short_id": tidy, "platforms": []string{"tiktok"}, "caption": "Tried again"},
		http.StatusAccepted)
	p.eventually(func(g Gomega) {
		for _, caption := range []string{"Perhaps sent", "Tried again"} {
			all := p.byCaption(caption)
			g.Expect(all).To(HaveLen(1))
			g.Expect(all[0].Status.State).To(Equal(v1beta1.PostPending), caption)
			g.Expect(all[0].Status.NextAttemptAt != nil || len(all[0].Status.Attempts) > 0).To(BeTrue(), caption)
		}
	})
	p.post("/slideshows/"+p.id("long")+"/render", nil, http.StatusAccepted)
	p.post("/slideshows/"+p.id("drawn")+"/render", nil, http.StatusAccepted)
	p.g.Eventually(func(g Gomega) {
		for _, name := range []string{"long-r1", "drawn-r1"} {
			g.Expect(p.pod(g, name).Status.Phase).To(BeElementOf(corev1.PodRunning, corev1.PodSucceeded), name)
		}
	}).WithTimeout(patience).WithPolling(often).Should(Succeed())
	p.kill("manager")
	r := &v1beta1.RenderJob{}
	p.get(p.g, "drawn-r1", r)
	if r.Status.Work.State.Settled() {
		p.t.Fatal("the manager saw the end of the render: it was killed too late")
	}
	// The renderer outlives the manager, and reports to the front end.
	p.eventually(func(g Gomega) {
		g.Expect(p.pod(g, "drawn-r1").Status.Phase).To(Equal(corev1.PodSucceeded))
	})
	p.suspendRenderer() // else the long render could end before the installation is stopped
	p.request(http.MethodPost, "/slideshows", map[string]any{
		"context":     unseen + " It waits. It is reserved.",
		"slide_count": 3,
	}, "rest-2", http.StatusAccepted)
	p.post("/slideshows/"+p.id("later")+"/render", nil, http.StatusAccepted)
	p.request(http.MethodPost, "/posts", map[string]any{
		"short_id": tidy, "platforms": []string{"youtube"}, "caption": "Accepted while nobody worked",
		"scheduled_at": in(8 * time.Hour),
	}, "post-3", http.StatusAccepted)
	p.kubectl(p.t, slideshow("owed", rendered)+edited(slideshow("tuned", tuned))+batch("unseen", "owed",
		time.Now().Add(24*time.Hour), ""), "apply", "-f", "-")
	if phase := p.pod(p.g, "long-r1").Status.Phase; phase != corev1.PodRunning {
		p.t.Fatalf("the long render is %s: it has to be interrupted", phase)
	}
}

// suspendRenderer stops the renderer that still runs, without ending it.
func (p *population) suspendRenderer() {
	p.t.Helper()
	stopped := 0
	names, err := filepath.Glob("/proc/[0-9]*/comm")
	must(p.t, err)
	for _, name := range names {
		comm, _ := os.ReadFile(name) // the process may have ended
		environ, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "environ"))
		if strings.TrimSpace(string(comm)) != "renderer" || !bytes.Contains(environ, []byte(p.api)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		must(p.t, err)
		must(p.t, syscall.Kill(pid, syscall.SIGSTOP))
		stopped++
	}
	if stopped != 1 {
		p.t.Fatalf("%d renderers run, want that of the long render", stopped)
	}
}

// pod returns the only pod of a RenderJob.
func (p *population) pod(g Gomega, renderJob string) *corev1.Pod {
	r := &v1beta1.RenderJob{}
	p.get(g, renderJob, r)
	g.Expect(r.Status.JobName).NotTo(BeEmpty(), renderJob)
	var pods corev1.PodList
	g.Expect(p.kube.List(p.t.Context(), &pods, client.InNamespace(tenant),
		client.MatchingLabels{"batch.kubernetes.io/job-name": r.Status.JobName})).To(Succeed())
	g.Expect(pods.Items).To(HaveLen(1), r.Status.JobName)
	return &pods.Items[0]
}
