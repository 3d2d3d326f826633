// SPDX-License-Identifier: Apache-2.0

package kill

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// Sizes of the test, and the seed of its choices. make chaos-automations runs the full size.
const (
	envAutomations = "REELOPS_AUTOMATIONS" // number of automations, default 20
	envDays        = "REELOPS_DAYS"        // simulated days, default 3
	envKills       = "REELOPS_KILLS"       // number of kills, default 15
	envSeed        = "SEED"                // default: random
)

const (
	// grid is the distance of the times to which the clock is set. offset keeps them off the minutes of slots.
	grid   = 30 * time.Minute
	offset = 30 * time.Second
	// tick is by how much the clock moves every ten pauses while the test waits, at most maxTicks times.
	tick     = time.Second
	pause    = time.Millisecond
	maxTicks = 29
	// settleTime is the time limit for a leader to decide about all slots at a time.
	settleTime = 2 * time.Minute
	// killTime is the time limit of the wait before a kill: sometimes fewer writes follow than the wait expects.
	killTime = 5 * time.Second
)

func TestMain(m *testing.M) {
	if os.Getenv(envLeader) == "" {
		os.Exit(m.Run())
	}
	if err := lead(); err != nil {
		fmt.Fprintln(os.Stderr, "the leader ends:", err)
		os.Exit(1)
	}
}

// TestKilledLeaders_StartEachSlotOnce kills leaders at random moments.
func TestKilledLeaders_StartEachSlotOnce(t *testing.T) {
	testkit.NeedCluster(t)
	ctrl.SetLogger(logr.Discard()) // the cache of the test requires a logger
	automations, days := testkit.Number(t, envAutomations, 20), testkit.Number(t, envDays, 3)
	kills := testkit.Number(t, envKills, 15)
	seed := testkit.Number(t, envSeed, 1+rand.IntN(1_000_000)) //nolint:gosec // a seed for a repeatable sequence
	t.Logf("%d automations, %d days, %d kills, %s=%d", automations, days, kills, envSeed, seed)
	rnd := rand.New(rand.NewPCG(uint64(seed), 11)) //nolint:gosec // a repeatable sequence
	c := testkit.Start(t)
	w := begin(t, c, rnd, automations, days)
	r := newRace(t, w, c)
	began := time.Now()
	r.resume()
	r.run(kills)
	r.finish()
	n := w.check(r.looks)
	t.Logf("%d kills (%d of leaders that were starting, %d followed by an outage) in %v", r.kills, r.early, r.outages,
		time.Since(began).Round(time.Second))
	t.Logf("%d slots: %d started (%d with posts due in long outages), %d missed and %d skipped by the policy, %d decided "+
		"before or after an outage",
		n.slots, n.started, n.late, n.missed, n.skipped, n.unclear)
	t.Logf("%d runs, %d posts", n.runs, n.posts)
	t.Logf("slots twice %d, slots lost %d, posts twice %d, posts lost %d, items twice %d, other faults %d",
		n.slotsTwice, n.slotsLost, n.postsTwice, n.postsLost, n.itemsTwice, n.others)
	if r.kills < kills || n.posts == 0 {
		t.Errorf("got %d kills and %d posts: the test shows nothing", r.kills, n.posts)
	}
}

// race runs leaders through the simulated time.
type race struct {
	*world
	kubeconfig, url, store string
	log                    *os.File
	leader                 *leader
	// now is the time of the last step, and ticks how often the clock has moved since.
	now   time.Time
	ticks int
	looks []look
	// cleaned is when contents were deleted last.
	cleaned time.Time

	kills, early, outages int
}

func newRace(t *testing.T, w *world, c *testkit.Cluster) *race {
	t.Helper()
	server := httptest.NewServer(w.platform)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	r := &race{
		world: w, kubeconfig: filepath.Join(dir, "kubeconfig"), url: server.URL, store: store(t), now: w.start,
		cleaned: w.start,
	}
	w.must(os.WriteFile(r.kubeconfig, c.Kubeconfig(), 0o600))
	var err error
	r.log, err = os.Create(filepath.Join(dir, "leader.log"))
	w.must(err)
	t.Cleanup(func() {
		if r.leader != nil {
			r.leader.kill()
		}
		if text, err := os.ReadFile(r.log.Name()); err == nil && t.Failed() {
			t.Logf("the log of the leaders ends with:\n%s", text[max(0, len(text)-4000):])
		}
		_ = r.log.Close()
	})
	r.launch()
	return r
}

// clock returns the simulated time.
func (r *race) clock() time.Time { return r.now.Add(time.Duration(r.ticks) * tick) }

// launch starts the next leader.
func (r *race) launch() {
	r.t.Helper()
	l, err := startLeader(context.WithoutCancel(r.t.Context()), r.kubeconfig, r.url, r.store, r.log, r.clock())
	r.must(err)
	r.leader = l
}

func (r *race) kill() {
	r.leader.kill()
	r.leader = nil
	r.kills++
}

// wait waits for a condition while the clock moves a little, and reports whether it held within the limit.
func (r *race) wait(limit time.Duration, done func() bool) bool {
	r.t.Helper()
	return r.waitOr(limit, func() bool { return false }, done)
}

// waitOr is wait, and ends also when another condition holds, which is checked more often.
func (r *race) waitOr(limit time.Duration, stop, done func() bool) bool {
	r.t.Helper()
	end := time.Now().Add(limit)
	for i := 0; !stop() && (i%10 > 0 || !done()); i++ {
		if time.Now().After(end) {
			return false
		}
		if i%10 == 0 && r.ticks < maxTicks {
			r.ticks++
			r.must(r.leader.set(r.clock()))
		}
		time.Sleep(pause)
	}
	return true
}

// suspend sets spec.suspend of all automations, and waits until the leader has seen it.
func (r *race) suspend(value bool) {
	r.t.Helper()
	ctx := r.t.Context()
	seen := func() bool {
		for _, s := range r.subjects {
			a := &v1beta1.Automation{}
			r.must(r.kube.Get(ctx, s.ObjectKey, a))
			if a.Status.ObservedGeneration != a.Generation || a.Status.ObservedSchedule == "" != value {
				return false
			}
		}
		return true
	}
	for _, s := range r.subjects {
		a := &v1beta1.Automation{}
		a.Namespace, a.Name = s.Namespace, s.Name
		patch := fmt.Sprintf(`{"spec":{"suspend":%t}}`, value)
		r.must(r.kube.Patch(ctx, a, client.RawPatch(types.MergePatchType, []byte(patch))))
	}
	if !r.wait(settleTime, seen) {
		r.t.Fatal("the leader does not see the change of the automations")
	}
}

// resume resumes the automations at the start, so that the slots after it count.
func (r *race) resume() {
	r.t.Helper()
	if !r.wait(settleTime, func() bool {
		var list v1beta1.AutomationList
		r.must(r.kube.List(r.t.Context(), &list))
		return !slices.ContainsFunc(list.Items, func(a v1beta1.Automation) bool { return a.Status.HandledUntil == nil })
	}) {
		r.t.Fatal("the leader does not start")
	}
	r.suspend(false)
}

// times returns the times to which the clock is set: those after which a slot may start, or posts are due.
func (r *race) times() []time.Time {
	var out []time.Time
	add := func(t time.Time) {
		t = t.Add(grid - 1).Truncate(grid).Add(offset)
		if t.After(r.start) {
			out = append(out, t)
		}
	}
	for _, s := range r.subjects {
		for _, slot := range s.slots[:len(s.slots)-1] {
			add(slot.Add(-s.policy.Lead))
			if slot.Before(r.end) {
				add(slot)
			}
		}
	}
	slices.SortFunc(out, time.Time.Compare)
	return slices.CompactFunc(out, time.Time.Equal)
}

// run advances the time to the end, with a number of kills at random steps.
func (r *race) run(kills int) {
	r.t.Helper()
	times := r.times()
	planned := make([]int, len(times))
	for range kills {
		planned[r.rnd.IntN(len(times))]++
	}
	left := 0
	for i, at := range times {
		left += planned[i]
		if !at.After(r.now) {
			continue // in an outage
		}
		most := 2
		if i == len(times)-1 {
			most = left
		}
		n := min(left, most)
		left -= n
		r.step(at, n, i < len(times)-1)
		if i%50 == 49 {
			n, _ := r.waiting(r.now)
			r.t.Logf("%v: %d kills, %d runs to end", r.now.UTC(), r.kills, n)
		}
	}
}

// step sets the clock, kills leaders, and waits until the last of them has decided about all slots. An outage may move
// the clock on before that.
func (r *race) step(at time.Time, kills int, outage bool) {
	r.t.Helper()
	open, _ := r.waiting(at)
	r.now, r.ticks = at, 0
	r.looks = append(r.looks, look{at: at})
	r.must(r.leader.set(at))
	r.must(r.wake(r.t.Context()))
	for range kills {
		// Half of the kills follow one of the first writes, which start slots. The others are at any of the about 20 writes
		// that a slot takes.
		target, delay := r.changes.Load()+1+int64(r.rnd.IntN(3)), time.Duration(0)
		if r.rnd.IntN(2) == 0 {
			target, delay = r.changes.Load()+int64(r.rnd.IntN(20+8*open)), time.Duration(r.rnd.IntN(15))*time.Millisecond
		}
		r.waitOr(killTime, func() bool { return r.changes.Load() >= target }, func() bool {
			n, _ := r.waiting(at)
			return n == 0 && r.opened(at)
		})
		time.Sleep(delay)
		r.kill()
		if r.rnd.IntN(10) == 0 {
			r.launch()
			time.Sleep(time.Duration(r.rnd.IntN(1500)) * time.Millisecond)
			r.kill()
			r.early++
		}
		if outage && r.rnd.IntN(25) == 0 {
			r.outages++
			n, _ := r.waiting(at)
			last := &r.looks[len(r.looks)-1]
			last.settled, last.sent = r.opened(at), n == 0
			r.now, r.ticks = at.Add(time.Duration(2+r.rnd.IntN(18))*grid), 0
			r.looks = append(r.looks, look{at: r.now})
			at = r.now
		}
		r.launch()
	}
	r.settle()
	if r.now.Sub(r.cleaned) > 12*time.Hour {
		r.cleaned = r.now
		r.clean(r.now)
	}
}

// settle waits until all slots that may start have posts, until a leader has begun to send the posts that are due, and
// for a while until they are sent.
func (r *race) settle() {
	r.t.Helper()
	began := time.Now()
	for !r.wait(5*time.Second, func() bool { return r.opened(r.now) }) {
		if time.Since(began) > settleTime {
			r.t.Fatalf("%v: slots without posts", r.now)
		}
		r.must(r.wake(r.t.Context())) // as the end of a delay does
	}
	r.looks[len(r.looks)-1].settled = true
	if !r.wait(settleTime, func() bool { return r.tried(r.now) }) {
		r.t.Fatalf("%v: posts that are due are not sent", r.now)
	}
	_, earliest := r.waiting(r.now)
	limit := 500 * time.Millisecond
	if !earliest.IsZero() && r.now.Sub(earliest) > 2*time.Hour {
		limit = 5 * time.Second
	}
	r.looks[len(r.looks)-1].sent = r.wait(limit, func() bool { n, _ := r.waiting(r.now); return n == 0 })
}

// finish suspends the automations and waits until all runs have ended.
func (r *race) finish() {
	r.t.Helper()
	r.suspend(true)
	for range 24 {
		r.now, r.ticks = r.now.Add(grid), 0
		r.looks = append(r.looks, look{at: r.now})
		r.must(r.leader.set(r.now))
		r.must(r.wake(r.t.Context()))
		r.settle()
		if n, _ := r.waiting(r.now.AddDate(1, 0, 0)); n == 0 {
			return
		}
	}
}
