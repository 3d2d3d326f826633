// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// permitted are fields of answers that may differ from the recorded ones, with the reason.
type permitted struct {
	path, reason string
	// sentence permits another text, but not that there is none.
	sentence bool
	// added permits a field that the release did not have, and no change of one that it had.
	added bool
}

// varying may always differ.
var varying = []permitted{
	{path: `\.estimated_completion_at$`, reason: "it is counted from the time of the request"},
	{path: `\.last_used_at$`, reason: "the requests of the test are uses of the key"},
	{
		path:   `^POST /posts/validate\.body\.data\.scheduled_at$`,
		reason: "a post without a schedule is for the time of the request",
	},
	{
		path:   `^GET /analytics/accounts/\d+\.body\.data\.summary\.(since|until)$`,
		reason: "the period ends at the time of the request",
	},
	{path: `\.api_key\.scopes`, reason: "the scope admin includes the scopes of later releases"},
	{
		path:   `^GET /brand\.body\.data\.(posting_suspended|time_zone)$`,
		reason: "the contract permits to add members to answers", added: true,
	},
	{
		path: `(^[A-Z]+ /posts[^.]*\.body\.data(\[\])?|\.posts\[\])` +
			`\.(approval|edits|revision|media|settings|tags|first_comment\.text)$`,
		reason: "the contract permits to add members to answers", added: true,
	},
	{
		path:   `(^[A-Z]+ /(shorts|slideshows|videos|posts)[^.]*\.body\.data(\[\])?|\.posts\[\])\.archived_at$`,
		reason: "the contract permits to add members to answers", added: true,
	},
	{path: `\.(status_)?message$`, reason: "the contract permits to reword sentences for people", sentence: true},
}

// among reports whether a difference is permitted. The path begins with the method and the path of the request.
func (d difference) among(all []permitted) bool {
	for _, v := range all {
		if !regexp.MustCompile(v.path).MatchString(d.path) {
			continue
		}
		if v.added && d.was != absent {
			continue
		}
		was, _ := d.was.(string)
		now, _ := d.now.(string)
		if !v.sentence || was != "" && was != absent && now != "" && now != absent {
			return true
		}
	}
	return false
}

// TestUpgrade starts the programs of this tree on every recorded installation: the front end first, on objects that
// only the release has written, and then the manager.
func TestUpgrade(t *testing.T) {
	ctrl.SetLogger(logr.Discard())
	for _, folder := range recordings(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			w := newWorld(t)
			r := w.recording(t, folder)
			must(t, os.MkdirAll(w.path("sandbox"), 0o755))
			must(t, os.WriteFile(w.path("sandbox", "journal.jsonl"), []byte(r.journal), 0o600))
			w.load(t, r.objects)
			w.startKubernetes(t)
			w.startSandbox(t)
			u := &upgraded{world: w, recording: r, landed: w.ledger(NewWithT(t))}
			w.startFrontEnd(t)
			t.Run("the front end returns what the release returned", func(t *testing.T) { u.same(t, nil) })
			w.startManager(t)
			t.Run("interrupted renders end once", u.rendersEnd)
			t.Run("no finished render is repeated", u.noRenderRepeated)
			t.Run("reservations settle", u.reservationsSettle)
			t.Run("what is scheduled is published once", u.published)
			t.Run("what had settled reads the same", func(t *testing.T) { u.same(t, u.inFlight(t)) })
		})
	}
}

// upgraded is a recorded installation with the programs of this tree.
type upgraded struct {
	*world
	*recording
	// landed is what was published before the upgrade.
	landed []landing
}

// same compares the answers with the recorded ones, except for the shorts and posts that a caller names by id.
func (u *upgraded) same(t *testing.T, except map[int64]bool) {
	for _, e := range u.answers {
		// A second page begins elsewhere when the number of posts before it changes.
		if ofAny(e, except) || len(except) > 0 && strings.Contains(e.Path, "page=2") {
			continue
		}
		now, err := u.call(e.Method, e.Path, e.Request, e.IdempotencyKey)
		must(t, err)
		for _, d := range compare(e.Method+" "+e.Path, without(e.Answer.parsed(t), except), without(now.parsed(t), except)) {
			if !d.among(varying) && (len(except) == 0 || !d.among(afterwards)) {
				was, _ := json.Marshal(d.was)
				is, _ := json.Marshal(d.now)
				t.Errorf("%s: %s was %s, is %s", d.path, e.Request, was, is)
			}
		}
	}
}

// afterwards are the fields that may also differ once the manager has worked.
var afterwards = []permitted{
	{
		path:   `\.pagination\.total_(count|pages)$|\.capabilities\.slideshows_(used|remaining)$|\.stats\.total_shorts$`,
		reason: "the manager accepts what it had not seen",
	},
	{path: `\.post_counts\.|\.rate_limit\.(used|remaining)$`, reason: "scheduled posts are published"},
	{path: `\.poll_after_seconds$|\.retry_after$`, reason: "the interval follows the measured durations of renders"},
	{path: `\.api_key\.request_count$`, reason: "the requests of the test are uses of the key"},
	{path: `^GET /posts/\d+\.body\.data\.updated_at$`, reason: "the manager writes fields that the release did not have"},
	{path: `^GET /(connections|analytics)`, reason: "the manager reads the accounts and their numbers from the platform"},
}

// ofAny reports whether a request is for one of the shorts or posts.
func ofAny(e exchange, ids map[int64]bool) bool {
	for id := range ids {
		if strings.HasSuffix(e.Path, fmt.Sprintf("/%d", id)) || strings.Contains(e.Request, fmt.Sprintf(`"short_id":%d,`,
			id)) {
			return true
		}
	}
	return false
}

// without returns a document whose lists have no members with one of the ids.
func without(doc any, ids map[int64]bool) any {
	switch doc := doc.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, v := range doc {
			out[k] = without(v, ids)
		}
		return out
	case []any:
		out := []any{}
		for _, v := range doc {
			if m, ok := v.(map[string]any); ok {
				if id, ok := m["id"].(float64); ok && ids[int64(id)] {
					continue
				}
			}
			out = append(out, without(v, ids))
		}
		return out
	}
	return doc
}

// interrupted are the RenderJobs that had not settled, with the attempt whose video they keep: that of drawn-r1 was
// ready when nobody looked, the renderer of long-r1 was killed, and nobody had begun the others.
var interrupted = map[string]int32{"drawn-r1": 1, "long-r1": 2, "later-r1": 1, "tuned-r2": 1, "owed-r1": 1}

// unsettled are the shorts and captions of posts that were not as they stay.
var (
	unsettledShorts = []string{"drawn", "long", "later", "tuned", "owed"}
	unsettledPosts  = []string{
		"By batch soon", "Tried again", "By batch unseen", "Perhaps sent", "Accepted while nobody worked",
	}
)

// recordedAs returns the recorded objects of a kind, by name.
func recordedAs[T any](t *testing.T, r *recording, resource string) map[string]*T {
	t.Helper()
	out := map[string]*T{}
	for _, o := range r.objects {
		if kind, name := o.kindOf(); kind == resource {
			one := new(T)
			must(t, json.Unmarshal(o.Value, one))
			out[name] = one
		}
	}
	if len(out) == 0 {
		t.Fatalf("the recording has no %s", resource)
	}
	return out
}

// inFlight returns the ids of the shorts and posts that the manager changes or creates.
func (u *upgraded) inFlight(t *testing.T) map[int64]bool {
	t.Helper()
	out := map[int64]bool{}
	for name, s := range recordedAs[v1beta1.Slideshow](t, u.recording, "slideshows") {
		if slices.Contains(unsettledShorts, name) || strings.HasPrefix(s.Spec.Context, unseen) {
			out[idOf(t, s)] = true
		}
	}
	var posts v1beta1.PostList
	must(t, u.kube.List(t.Context(), &posts, client.InNamespace(tenant)))
	for _, p := range posts.Items {
		if slices.Contains(unsettledPosts, p.Spec.Caption) {
			out[idOf(t, &p)] = true
		}
	}
	owed := &v1beta1.Slideshow{}
	must(t, u.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: "owed"}, owed))
	out[idOf(t, owed)] = true
	delete(out, 0)
	return out
}

func idOf(t *testing.T, o client.Object) int64 {
	t.Helper()
	var id int64
	if s := o.GetLabels()[v1beta1.LabelID]; s != "" {
		_, err := fmt.Sscan(s, &id)
		must(t, err)
	}
	return id
}

// rendersEnd shows that each interrupted render has one video, of the attempt that was to be expected.
func (u *upgraded) rendersEnd(t *testing.T) {
	NewWithT(t).Eventually(func(g Gomega) {
		for name, attempt := range interrupted {
			r := &v1beta1.RenderJob{}
			g.Expect(u.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, r)).To(Succeed())
			g.Expect(r.Status.Work).To(HaveValue(HaveField("State", v1beta1.WorkSucceeded)), "%s: %+v", name, r.Status.Work)
			g.Expect(r.Status.Work.Attempt).To(Equal(attempt), name)
			g.Expect(r.Status.Output).NotTo(BeNil(), name)
			_, err := os.Stat(u.path("blobs", filepath.FromSlash(r.Status.Output.BlobKey)))
			g.Expect(err).NotTo(HaveOccurred(), name)
		}
	}).WithTimeout(3 * patience).WithPolling(seldom).Should(Succeed())
}

// noRenderRepeated shows that no Job was created but for the interrupted renders, and that the others are as they were.
func (u *upgraded) noRenderRepeated(t *testing.T) {
	want := NewWithT(t)
	var jobs batchv1.JobList
	want.Expect(u.kube.List(t.Context(), &jobs, client.InNamespace(tenant))).To(Succeed())
	were := recordedAs[batchv1.Job](t, u.recording, "jobs")
	expected := []string{"long-r1-a2", "later-r1-a1", "tuned-r2-a1", "owed-r1-a1"}
	for _, j := range jobs.Items {
		attempt := j.Name[:strings.LastIndex(j.Name, "-")] // without the hash of the RenderJob's UID
		if were[j.Name] == nil && !slices.Contains(expected, attempt) {
			t.Errorf("the Job %s was created", j.Name)
		}
	}
	for name, was := range recordedAs[v1beta1.RenderJob](t, u.recording, "renderjobs") {
		if _, ok := interrupted[name]; ok {
			continue
		}
		now := &v1beta1.RenderJob{}
		want.Expect(u.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, now)).To(Succeed())
		if d := cmp.Diff([]any{was.Status.Work, was.Status.Output}, []any{now.Status.Work, now.Status.Output}); d != "" {
			t.Errorf("%s is another (-, +):\n%s", name, d)
		}
	}
	var renders v1beta1.RenderJobList
	want.Expect(u.kube.List(t.Context(), &renders, client.InNamespace(tenant))).To(Succeed())
	known := recordedAs[v1beta1.RenderJob](t, u.recording, "renderjobs")
	for _, r := range renders.Items {
		if _, ok := interrupted[r.Name]; !ok && known[r.Name] == nil {
			t.Errorf("the RenderJob %s was created", r.Name)
		}
	}
}

// reservationsSettle shows that what was reserved is charged, once: the account has used as much as before.
func (u *upgraded) reservationsSettle(t *testing.T) {
	was := recordedAs[v1beta1.Account](t, u.recording, "accounts")[v1beta1.AccountName]
	if len(was.Status.Holds) == 0 {
		t.Fatal("the recording has no reservation")
	}
	// The manifest owed was not seen: it is charged on top of what was accepted.
	used := was.Status.SlideshowsUsed + 1
	NewWithT(t).Eventually(func(g Gomega) {
		now := &v1beta1.Account{}
		g.Expect(u.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: v1beta1.AccountName}, now)).To(Succeed())
		g.Expect(now.Status.Holds).To(BeEmpty())
		g.Expect(now.Status.Usage.SlideshowsUsed).To(Equal(used))
		g.Expect(now.Status.SlideshowsUsed).To(Equal(used))
	}).WithTimeout(patience).WithPolling(seldom).Should(Succeed())
}

// published shows that what was due after the upgrade was published once at its time, and nothing else again.
func (u *upgraded) published(t *testing.T) {
	due := recordedAs[v1beta1.PostBatch](t, u.recording, "postbatches")["soon"].Spec.ScheduledAt.Time
	if time.Now().After(due) {
		t.Log("the batch was due before the manager had started: lateness is not shown")
	}
	news := map[string]int{"By batch soon": 3}
	for _, p := range recordedAs[v1beta1.Post](t, u.recording, "posts") {
		if p.Spec.Caption == "Tried again" && len(p.Status.Attempts) == 0 {
			news[p.Spec.Caption] = 1
		}
	}
	fresh := func(g Gomega) map[string]int {
		got := map[string]int{}
		all := u.ledger(g)
		g.Expect(len(all)).To(BeNumerically(">=", len(u.landed)))
		g.Expect(all[:len(u.landed)]).To(Equal(u.landed))
		for _, l := range all[len(u.landed):] {
			got[l.Caption]++
			if l.Caption == "By batch soon" {
				g.Expect(l.Time).NotTo(BeTemporally("<", due), "before its time")
			}
		}
		return got
	}
	want := NewWithT(t)
	want.Eventually(fresh).WithTimeout(time.Until(due) + 2*patience).WithPolling(seldom).Should(Equal(news))
	for name, was := range recordedAs[v1beta1.Post](t, u.recording, "posts") {
		if slices.Contains(unsettledPosts, was.Spec.Caption) && was.Spec.Caption != "Perhaps sent" {
			continue
		}
		now := &v1beta1.Post{}
		want.Expect(u.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, now)).To(Succeed())
		if d := cmp.Diff([]any{was.Status.State, was.Status.Attempts, was.Status.PlatformPostID}, []any{
			now.Status.State,
			now.Status.Attempts, now.Status.PlatformPostID,
		}); d != "" {
			t.Errorf("the post %s is another (-, +):\n%s", name, d)
		}
	}
}
