// SPDX-License-Identifier: Apache-2.0

package kill

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/schedule"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/testkit/slots"
)

// perAccount is the number of automations in one namespace.
const perAccount = 20

// zones of the automations. In March and April the clocks of most of them change.
var zones = []string{
	"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Santiago",
	"Pacific/Auckland",
	"Europe/London", "Asia/Kathmandu", "America/St_Johns", "Australia/Sydney", "Asia/Tokyo",
}

// subject is an automation with its slots.
type subject struct {
	client.ObjectKey
	zone   *time.Location
	list   []string
	policy schedule.Policy
	// forbid reports whether a slot is skipped while an earlier run is active.
	forbid bool
	// slots in order. The last one only follows the others: it does not start.
	slots []time.Time
	// open is the number of slots that have a run that created its posts, or has ended.
	open int
}

// caption returns the start of the caption of the post of a slot.
func (s *subject) caption(slot time.Time) string {
	return s.Name + " " + slot.In(s.zone).Format("2006-01-02 15:04") + " "
}

// known is what the test has seen of a run.
type known struct {
	name    string
	state   v1beta1.RunState
	ended   time.Time
	why     string // the message of its condition Ready
	batch   bool
	number  int64
	item    string
	cleaned bool
}

// sent is what the test has seen of a post.
type sent struct {
	name string
	// due is its time. tried reports whether a leader has begun to send it.
	due   time.Time
	tried bool
}

// slotKey identifies a slot.
type slotKey struct {
	automation client.ObjectKey
	at         int64
}

// world is the cluster, the platform, and what was seen of the objects.
type world struct {
	t        *testing.T
	rnd      *rand.Rand
	kube     client.Client
	platform *platform
	subjects []*subject
	start    time.Time
	end      time.Time

	// changes counts the changes of objects that were seen.
	changes atomic.Int64
	ids     atomic.Int64

	mu   sync.Mutex
	runs map[slotKey]map[types.UID]*known
	// batches and posts are the objects that were created for a run: the batch of its name, and the posts of that batch.
	batches map[client.ObjectKey]map[types.UID]struct{}
	posts   map[client.ObjectKey]map[types.UID]sent
}

// begin creates the accounts and suspended automations, and starts to watch.
func begin(t *testing.T, c *testkit.Cluster, rnd *rand.Rand, automations, days int) *world {
	t.Helper()
	w := &world{
		t: t, rnd: rnd, kube: c.Client, platform: &platform{published: map[string]int{}, drafts: map[string]int{}},
		start: spring(time.Now().Year()+1, days), runs: map[slotKey]map[types.UID]*known{},
		batches: map[client.ObjectKey]map[types.UID]struct{}{}, posts: map[client.ObjectKey]map[types.UID]sent{},
	}
	w.end = w.start.AddDate(0, 0, days)
	w.must(c.Client.Create(t.Context(), testkit.Namespace(system)))
	for i := range automations {
		ns := fmt.Sprintf("kill-%d", i/perAccount)
		if i%perAccount == 0 {
			w.must(c.Client.Create(t.Context(), testkit.Namespace(ns)))
			account := testkit.Account(ns)
			account.Spec.Plan.AutomationLimit = ptr.To[int32](perAccount)
			w.must(c.Client.Create(t.Context(), account))
			w.must(c.Client.Create(t.Context(), testkit.Brand(ns, "acme")))
			w.connect(ns, "clock")
		}
		w.automation(ns, fmt.Sprintf("auto-%03d", i), days)
	}
	w.compute()
	w.watch(c)
	return w
}

// spring returns when the simulated time begins: before a change of the clocks in March.
func spring(year, days int) time.Time {
	if days < 16 { // the day before the clocks change in Europe
		last := time.Date(year, 3, 31, 12, 0, 0, 0, time.UTC)
		return last.AddDate(0, 0, -int(last.Weekday())-1)
	}
	return time.Date(year, 3, 13, 12, 0, 0, 0, time.UTC)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// connect creates a connected account.
func (w *world) connect(ns, name string) {
	w.t.Helper()
	a := &v1beta1.SocialAccount{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: ns, Name: name,
			Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(w.ids.Add(1), 10)},
		},
		Spec: v1beta1.SocialAccountSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, Platform: catalog.TikTok, PlatformAccountID: name,
			TokenSecretRef: v1beta1.LocalRef{Name: name},
		},
	}
	w.must(w.kube.Create(w.t.Context(), a))
	a.Status.TokenStatus = v1beta1.TokenActive
	w.must(w.kube.Status().Update(w.t.Context(), a))
}

// automation creates a suspended automation with a generated schedule and policy.
func (w *world) automation(ns, name string, days int) {
	w.t.Helper()
	pick := func(list ...int32) int32 { return list[w.rnd.IntN(len(list))] }
	zone, err := time.LoadLocation(zones[w.rnd.IntN(len(zones))])
	w.must(err)
	s := &subject{ObjectKey: client.ObjectKey{Namespace: ns, Name: name}, zone: zone, list: expressions(w.rnd)}
	a := &v1beta1.Automation{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: v1beta1.AutomationSpec{
		BrandRef: v1beta1.LocalRef{Name: "acme"}, Suspend: true, Schedules: s.list, TimeZone: zone.String(),
		LeadTimeSeconds: new(pick(600, 1800, 3600, 3600, 7200)), StartingDeadlineSeconds: pick(600, 3600, 3600, 7200),
		CatchUp:           []v1beta1.CatchUpPolicy{v1beta1.CatchUpSkip, v1beta1.CatchUpLatestOnce}[w.rnd.IntN(2)],
		ConcurrencyPolicy: []v1beta1.ConcurrencyPolicy{v1beta1.ConcurrencyForbid, v1beta1.ConcurrencyAllow}[w.rnd.IntN(2)],
		Source:            v1beta1.AutomationSource{Prompts: &v1beta1.PromptsSource{}},
		Template: &v1beta1.AutomationTemplate{Video: &v1beta1.VideoTemplate{
			HookText: "{{item.title}}", Avatar: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: "anna"}},
		}},
		Publish: v1beta1.AutomationPublish{
			Accounts: []v1beta1.PublishTarget{{Name: name}},
			PostText: v1beta1.PostText{Caption: ptr.To(name + " {{slot.date}} {{slot.time}} {{run.number}} {{item.title}}")},
		},
		SuccessfulRunsHistoryLimit: ptr.To(pick(0, 1, 3, 10)), FailedRunsHistoryLimit: ptr.To(pick(0, 1, 3, 10)),
	}}
	for i := range 4*days + 10 { // more than slots
		a.Spec.Source.Prompts.Items = append(a.Spec.Source.Prompts.Items, v1beta1.Prompt{Text: fmt.Sprintf("Prompt %d", i+1)})
	}
	s.forbid = a.Spec.ConcurrencyPolicy == v1beta1.ConcurrencyForbid
	s.policy = schedule.Policy{
		Lead:             time.Duration(*a.Spec.LeadTimeSeconds) * time.Second,
		StartingDeadline: time.Duration(a.Spec.StartingDeadlineSeconds) * time.Second,
		CatchUp:          schedule.CatchUp(a.Spec.CatchUp),
	}
	w.connect(ns, name)
	w.must(w.kube.Create(w.t.Context(), a))
	w.subjects = append(w.subjects, s)
}

// expressions returns a schedule with about one slot a day.
func expressions(rnd *rand.Rand) []string {
	m, h := rnd.IntN(60), rnd.IntN(24)
	switch rnd.IntN(6) {
	case 0:
		return []string{fmt.Sprintf("%d 2 * * *", m)} // the hour that daylight saving skips
	case 1:
		return []string{fmt.Sprintf("%d %d,%d * * *", m, h, (h+7)%24)}
	case 2:
		return []string{fmt.Sprintf("%d %d * * 1-5", m, h)}
	case 3:
		return []string{fmt.Sprintf("%d %d * * 1-5", m, h), fmt.Sprintf("%d %d * * 0,6", (m+30)%60, (h+3)%24)}
	case 4:
		return []string{fmt.Sprintf("%d %d 1-31/2 * *", m, h), fmt.Sprintf("%d %d * * 6", m, (h+12)%24)}
	}
	return []string{fmt.Sprintf("%d %d * * *", m, h)}
}

// compute computes the slots of all automations.
func (w *world) compute() {
	w.t.Helper()
	until := w.end.AddDate(0, 0, 3)
	for _, s := range w.subjects {
		var tables []*slots.Table
		for _, e := range s.list {
			table, err := slots.Tabulate(e, w.start, until)
			w.must(err)
			tables = append(tables, table)
		}
		for _, at := range slots.Of(s.zone, w.start, until, [][]*slots.Table{tables})[0] {
			slot := time.Unix(at, 0)
			s.slots = append(s.slots, slot)
			if slot.Add(-s.policy.Lead).After(w.end) {
				break
			}
		}
	}
}

// watch records the runs, batches and posts, and completes videos.
func (w *world) watch(c *testkit.Cluster) {
	w.t.Helper()
	ca, err := cache.New(c.Config, cache.Options{Scheme: testkit.Scheme()})
	w.must(err)
	for o, saw := range map[client.Object]func(any){
		&v1beta1.AutomationRun{}: func(o any) { w.sawRun(o.(*v1beta1.AutomationRun)) },
		&v1beta1.PostBatch{}:     func(o any) { w.sawBatch(o.(*v1beta1.PostBatch)) },
		&v1beta1.Post{}:          func(o any) { w.sawPost(o.(*v1beta1.Post)) },
		&v1beta1.Automation{}:    func(any) {},
		&v1beta1.Video{}:         func(o any) { w.film(o.(*v1beta1.Video)) },
	} {
		informer, err := ca.GetInformer(w.t.Context(), o, cache.BlockUntilSynced(false))
		w.must(err)
		_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc: func(o any) { w.changes.Add(1); saw(o) }, UpdateFunc: func(_, o any) { w.changes.Add(1); saw(o) },
		})
		w.must(err)
	}
	go func() { _ = ca.Start(w.t.Context()) }()
	if !ca.WaitForCacheSync(w.t.Context()) {
		w.t.Fatal("the cache of the test is not filled")
	}
}

func (w *world) sawRun(run *v1beta1.AutomationRun) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := slotKey{
		client.ObjectKey{Namespace: run.Namespace, Name: run.Spec.AutomationRef.Name},
		run.Spec.ScheduledAt.Unix(),
	}
	if w.runs[key] == nil {
		w.runs[key] = map[types.UID]*known{}
	}
	k := w.runs[key][run.UID]
	if k == nil {
		k = &known{name: run.Name}
		w.runs[key][run.UID] = k
	}
	k.state, k.number, k.why = run.Status.State, run.Status.Number, status.Why(run.Status.Conditions)
	if at := run.Status.FinishedAt; at != nil {
		k.ended = at.Time
	}
	k.batch = k.batch || run.Status.Batch != ""
	if k.number > 0 {
		k.item = run.Status.Item.ID
	}
}

func (w *world) sawBatch(b *v1beta1.PostBatch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := client.ObjectKeyFromObject(b)
	if w.batches[key] == nil {
		w.batches[key] = map[types.UID]struct{}{}
	}
	w.batches[key][b.UID] = struct{}{}
}

func (w *world) sawPost(p *v1beta1.Post) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := client.ObjectKey{Namespace: p.Namespace, Name: p.Spec.Batch}
	if w.posts[key] == nil {
		w.posts[key] = map[types.UID]sent{}
	}
	w.posts[key][p.UID] = sent{p.Name, p.Spec.ScheduledAt.Time, len(p.Status.Attempts) > 0 || p.Status.State.Final()}
}

// film completes a video. Its finalizer is removed because nothing else would.
func (w *world) film(v *v1beta1.Video) {
	if v.Status.Output != nil || !v.DeletionTimestamp.IsZero() {
		return
	}
	v = v.DeepCopy()
	go func() {
		ctx := w.t.Context()
		if v.Labels[v1beta1.LabelID] == "" {
			v.Labels[v1beta1.LabelID], v.Finalizers = strconv.FormatInt(1_000_000+w.ids.Add(1), 10), nil
			// A conflict is followed by an event, as is the update.
			_ = w.kube.Update(ctx, v)
			return
		}
		v.Status.Work, v.Status.Revision = &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1}, 1
		v.Status.Output = &v1beta1.RenderOutput{
			BlobKey: film, Bytes: int64(len(content)), SHA256: fmt.Sprintf("%x", sha256.Sum256(content)),
			DurationMilliseconds: 16_000, Width: 1080, Height: 1920,
		}
		_ = w.kube.Status().Update(ctx, v)
	}()
}

// film is the key of the file of all videos, and content what it contains.
const film = "renders/film.mp4"

var content = make([]byte, 900)

// store creates a blob store with the file of the videos.
func store(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, filepath.FromSlash(film))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// clean deletes the contents of runs whose slot was more than a day ago, as a user would. A controller that started
// such a slot again would publish it again.
func (w *world) clean(now time.Time) {
	var names, posts []client.ObjectKey
	w.mu.Lock()
	for key, runs := range w.runs {
		for _, k := range runs {
			name := client.ObjectKey{Namespace: key.automation.Namespace, Name: k.name}
			if k.cleaned || !k.state.Final() || key.at > now.Add(-24*time.Hour).Unix() || len(w.batches[name]) == 0 {
				continue
			}
			k.cleaned = true
			names = append(names, name)
			for _, post := range w.posts[name] {
				posts = append(posts, client.ObjectKey{Namespace: name.Namespace, Name: post.name})
			}
		}
	}
	w.mu.Unlock()
	ctx := w.t.Context()
	for _, key := range posts {
		p := &v1beta1.Post{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
		_ = w.kube.Delete(ctx, p)
		_ = w.kube.Patch(ctx, p, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
	}
	for _, key := range names {
		meta := metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}
		_ = w.kube.Delete(ctx, &v1beta1.PostBatch{ObjectMeta: meta})
		_ = w.kube.Delete(ctx, &v1beta1.Video{ObjectMeta: meta})
	}
}

// wake makes leaders reconcile all automations, as the end of a delay does.
func (w *world) wake(ctx context.Context) error {
	for i := 0; i < len(w.subjects); i += perAccount {
		a := &v1beta1.SocialAccount{ObjectMeta: metav1.ObjectMeta{Namespace: w.subjects[i].Namespace, Name: "clock"}}
		patch := fmt.Sprintf(`{"metadata":{"annotations":{"time":"%d"}}}`, w.ids.Add(1))
		if err := w.kube.Patch(ctx, a, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
			return err
		}
	}
	return nil
}
