// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
)

// Extent of the test. By default it runs for a few seconds. REELOPS_RANDOM_REQUESTS sets the number of requests,
// REELOPS_RANDOM_SEED the seed of an earlier run, and REELOPS_RANDOM_FROM the first request.
//
// Each request depends only on the seed and its number, and on the ids of what earlier requests created.
const usualRandomTime = 8 * time.Second

// slowRandomTime is how much longer the test runs on a machine that has not yet returned every kind of response.
const slowRandomTime = 3 * time.Minute

// randomEpoch is how many requests use the same tenant. Then its shorts and media are deleted, so that a long run does
// not fill anything up.
const randomEpoch = 4000

type randomRun struct {
	seed, from, requests uint64 // no requests: for a time
	sent                 atomic.Uint64
	failed               atomic.Bool
	mu                   sync.Mutex
	statuses             map[int]int
	operations           map[string]int
}

func newRandomRun() *randomRun {
	GinkgoHelper()
	r := &randomRun{seed: uint64(GinkgoRandomSeed()), statuses: map[int]int{}, operations: map[string]int{}}
	for name, to := range map[string]*uint64{"REELOPS_RANDOM_SEED": &r.seed, "REELOPS_RANDOM_REQUESTS": &r.requests, "REELOPS_RANDOM_FROM": &r.from} {
		if v := os.Getenv(name); v != "" {
			n, err := strconv.ParseUint(v, 10, 64)
			Expect(err).NotTo(HaveOccurred(), name)
			*to = n
		}
	}
	return r
}

// randomAnswers are the statuses that a run must have seen to count as a sufficient test.
var randomAnswers = []int{200, 201, 202, 400, 401, 403, 404, 405, 409, 422}

func (r *randomRun) counted(g *guess, status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statuses[status]++
	r.operations[g.operation]++
}

// tooLittle returns the statuses that have not been seen.
func (r *randomRun) tooLittle() (missing []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, status := range randomAnswers {
		if r.statuses[status] == 0 {
			missing = append(missing, strconv.Itoa(status))
		}
	}
	return missing
}

// try sends the requests with the numbers from one to another, on the given number of goroutines.
func (r *randomRun) try(w *randomWorld, from, to uint64, lines int, done func() bool) {
	GinkgoHelper()
	var at atomic.Uint64
	at.Store(from)
	together(lines, func(int) {
		for !done() && !r.failed.Load() {
			n := at.Add(1) - 1
			if n >= to {
				return
			}
			r.one(w, n)
		}
	})
}

func (r *randomRun) one(w *randomWorld, n uint64) {
	g := &guess{maker: &maker{Rand: rand.New(rand.NewPCG(r.seed, n)), randomWorld: w}}
	g.make()
	about := fmt.Sprintf("REELOPS_RANDOM_SEED=%d REELOPS_RANDOM_FROM=%d REELOPS_RANDOM_REQUESTS=1\n%s %s %v\n%.3000s", r.seed, n, g.method, g.path, g.header, g.body)
	fine := false
	defer func() {
		if !fine {
			r.failed.Store(true)
			AddReportEntry("request", about)
		}
	}()
	a := g.send()
	Expect(a.status).To(BeNumerically("<", 500), "%s\n%.3000s", about, a.raw)
	if g.tool != "" {
		g.keepsToolRules(a)
	}
	fine = true
	r.counted(g, a.status)
	w.learn(g, a)
	if sent := r.sent.Add(1); r.requests > 0 && sent%2000 == 0 {
		fmt.Fprintf(os.Stderr, "%s %d of %d requests\n", time.Now().Format(time.TimeOnly), sent, r.requests)
	}
}

var _ = Describe("Requests made up from the description", func() {
	It("get described responses, whether they are valid or not, and never a 5xx", func() {
		r := newRandomRun()
		AddReportEntry("seed", r.seed)
		if r.requests == 0 {
			w, end := newRandomWorld(), time.Now().Add(usualRandomTime)
			r.try(w, r.from, r.from+1e9, 1, func() bool { // a slow machine needs longer
				return time.Now().After(end) && (len(r.tooLittle()) == 0 || time.Now().After(end.Add(slowRandomTime)))
			})
		} else {
			fmt.Fprintf(os.Stderr, "seed %d\n", r.seed)
			end := r.from + r.requests
			for from := r.from; from < end && !r.failed.Load(); from += randomEpoch {
				w := newRandomWorld()
				r.try(w, from, min(from+randomEpoch, end), 2*runtime.GOMAXPROCS(0), func() bool { return false })
				w.clear()
			}
			fmt.Fprintf(os.Stderr, "%d requests, answered %v\n%v\n", r.sent.Load(), r.statuses, r.operations)
		}
		GinkgoWriter.Println(r.sent.Load(), "requests, answered", r.statuses, r.operations)
		if r.requests == 0 || r.requests > 2000 {
			Expect(r.tooLittle()).To(BeEmpty(), "too few kinds of responses: %d requests, answered %v",
				r.sent.Load(), r.statuses)
		}
		if r.requests > 10000 {
			paths := describedPaths()
			for _, path := range sorted(paths) {
				for _, method := range sorted(paths[path].(object)) {
					Expect(r.operations).To(HaveKey(method+" "+path), "the operation was never called")
				}
			}
			for _, tool := range toolNames() {
				Expect(r.operations).To(HaveKey(tool), "the tool was never called")
			}
		}
	})
})

// randomWorld holds what requests may name: existing ids, by the names of their parameters, and keys.
type randomWorld struct {
	t    *tenant
	f    *front
	keys []string
	tool []object

	mu  sync.Mutex
	ids map[string][]int64
	// files are signed ids of uploads.
	files []string
}

// Kinds of ids.
const (
	ofShorts, ofPosts, ofAccounts, ofMedia, ofPacks, ofTracks, ofBrands = "shorts", "posts", "accounts", "media", "packs", "tracks", "brands"
)

// unknownID is an id without an object.
const unknownID = 999999999

// tableOf is how many ids of a kind are remembered. The table has a fixed length, so that a request does not depend on
// the number of created objects.
const tableOf = 12

func newRandomWorld() *randomWorld {
	GinkgoHelper()
	t := newTenant(planned(60), credited(500))
	_, other := t.brand("other")
	w := &randomWorld{t: t, ids: map[string][]int64{}, files: []string{"", "nothing"}}
	w.f = newFront(frontOptions{change: func(c *apiserver.Config) {
		plenty(c)
		c.EditWait = 20 * time.Millisecond
	}})
	w.keys = append(slices.Repeat([]string{t.everything()}, 12), t.key("read"), t.key("content:write"), "rlo_nothing", "")
	_, draft := t.manifest("draft", func(s *v1beta1.Slideshow) { s.Spec.Suspend = true })
	w.ids[ofShorts] = []int64{t.laidOut(), t.laidOut(), draft, unknownID}
	w.ids[ofBrands] = []int64{t.acmeID, other, unknownID}
	expired := func(s *v1beta1.SocialAccountStatus) { s.TokenStatus = v1beta1.TokenExpired }
	w.ids[ofAccounts] = []int64{t.social("tiktok"), t.social("instagram"), t.social("youtube", expired), t.social("linkedin"), unknownID}
	w.ids[ofMedia] = []int64{t.avatar(), t.clip("product_demo"), unknownID}
	w.ids[ofPosts] = []int64{t.applied(w.ids[ofShorts][0], w.ids[ofAccounts][0], "tiktok"), unknownID}
	w.ids[ofPacks], w.ids[ofTracks] = []int64{1, unknownID}, []int64{1, unknownID}
	w.tool = tools()
	return w
}

// id returns an id of a kind. It depends on the turn alone.
func (w *randomWorld) id(sort string, turn int) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.ids[sort]
	return all[turn%len(all)]
}

func (w *randomWorld) file(turn int) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.files[turn%len(w.files)]
}

// learn remembers what a response created.
func (w *randomWorld) learn(g *guess, a *answer) {
	body := a.envelope
	if g.tool != "" {
		body, _ = member(a.envelope, "result.structuredContent").(object)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for path, sort := range map[string]string{"data.job_id": ofShorts, "data.results.0.share_id": ofPosts} {
		if id, ok := lookup(body, path); ok && id != nil && len(w.ids[sort]) < tableOf {
			w.ids[sort] = append(w.ids[sort], int64(id.(float64)))
		}
	}
	if file, ok := lookup(body, "data.signed_id"); ok && len(w.files) < tableOf {
		w.files = append(w.files, file.(string))
	}
}

// clear deletes what takes space.
func (w *randomWorld) clear() {
	GinkgoHelper()
	for _, kind := range []client.Object{&v1beta1.RenderJob{}, &v1beta1.Slideshow{}, &v1beta1.Video{}, &v1beta1.MediaAsset{}, &v1beta1.PostBatch{}, &v1beta1.IdempotencyRecord{}} {
		Expect(access.Plain.DeleteAllOf(ctx, kind, client.InNamespace(w.t.namespace))).To(Succeed())
	}
}

// toolNames returns the names of the tools.
func toolNames() (out []string) {
	for _, t := range tools() {
		out = append(out, t["name"].(string))
	}
	return out
}

// tools returns the tools that the service lists.
var tools = sync.OnceValue(func() (out []object) {
	a := spoken(rpc("tools/list", object{}).with(newTenant().key()))
	Expect(a.status).To(Equal(http.StatusOK), a.raw)
	for _, t := range a.at("result.tools").([]any) {
		out = append(out, t.(object))
	}
	return out
})
