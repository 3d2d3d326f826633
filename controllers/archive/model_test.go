// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
)

const (
	envSeed = "REELOPS_ARCHIVE_SEED" // of the first history of TestModel, default 1
	envRuns = "REELOPS_ARCHIVE_RUNS" // number of histories, default modelRuns, or modelRunsShort with -short

	modelRuns, modelRunsShort = 12, 3
	modelSteps                = 3000 // steps of a history
	modelUnits                = 12   // units that exist at the same time at most
	modelAfter                = 48 * time.Hour
	shownTrace                = 150 // lines of the trace that a failure shows
)

// model is an account in a simulated cluster, and what its users know of it. Everything happens in an order that a seed
// determines.
type model struct {
	*testing.T
	rand     *rand.Rand
	clock    *testclock.FakeClock
	api      *fakeAPI
	files    *fakeFiles
	folder   *blob.Store // without files
	front    *fakeCache  // that of the front end
	managers []*process
	// facts are the objects that exist for users, by name, wherever they are.
	facts map[objectKey]*fact
	// user reports whether users and the controllers of other kinds write at present.
	user   bool
	nextID int64
	trace  []string // what happened
	// store reads segments without faults; rows are those that were read.
	store *archive.Store
	rows  map[string][]*decoded
	norms map[client.Object]string
	// faulty is the probability of a fault of a call.
	faulty float64
	writes int
}

// fact is an object as its user knows it.
type fact struct {
	unit    int64
	origin  types.UID
	created time.Time
	content string
}

const modelNamespace = "acme"

// quiet is a context without a log.
var quiet = ctrl.LoggerInto(context.Background(), logr.Discard())

// whole is v1beta1.Whole, which is too slow here.
var whole = v1beta1.Whole()

var archiveKey = client.ObjectKey{Namespace: modelNamespace, Name: v1beta1.ArchiveName}

func newModel(t *testing.T, seed uint64) *model {
	cryptotest.SetGlobalRandom(t, seed) // names of segments
	c := testclock.NewFakeClock(longAgo.Add(30 * 24 * time.Hour))
	m := &model{
		T: t, rand: rand.New(rand.NewPCG(seed, 0)), clock: c, api: newFakeAPI(c), //nolint:gosec // a repeatable sequence
		files: &fakeFiles{clock: c, files: map[string]file{}}, facts: map[objectKey]*fact{},
		rows: map[string][]*decoded{}, norms: map[client.Object]string{},
	}
	m.folder, m.front = testkit.Files(t, c), newFakeCache(m.api, m.rand)
	m.store = archive.New(&fakeBlobs{m.files, func(string) (testkit.Fault, error) { return "", nil }}, 0)
	m.api.onChange = m.learn
	if err := m.api.create(testkit.Account(modelNamespace)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		m.managers = append(m.managers, m.newProcess())
	}
	return m
}

// process is a manager. Its calls wait for their turn.
type process struct {
	m    *model
	r    *Reconciler
	dead bool
	// turn and done pass the control between the process and the test.
	turn, done chan struct{}
	running    bool
	// onWrite is called before each write, unless it is nil, and returns its fault.
	onWrite func(what string) testkit.Fault
}

func (m *model) newProcess() *process {
	p := &process{m: m, turn: make(chan struct{}), done: make(chan struct{})}
	p.r = &Reconciler{
		Client: &fakeClient{api: m.api, cache: newFakeCache(m.api, m.rand), call: p.call},
		Live:   fakeLive{api: m.api, call: func() error { _, err := p.call("read"); return err }},
		Store: archive.New(&fakeBlobs{m.files, func(what string) (testkit.Fault, error) {
			if what == "read" || what == "size" {
				return p.fault(), nil // many, and no other process can tell when they happen
			}
			return p.call("store " + what)
		}}, 0),
		Files: m.folder, After: modelAfter, Events: &events.FakeRecorder{}, Clock: m.clock,
	}
	return p
}

var errDead = errors.New("the process has ended")

// call waits for the turn of the process, and returns the fault of a call.
func (p *process) call(what string) (testkit.Fault, error) {
	if p.running {
		p.done <- struct{}{}
		<-p.turn
	}
	if p.dead {
		return "", errDead
	}
	if what != "read" {
		p.m.writes++
		p.m.note("  manager %d: %s", slices.Index(p.m.managers, p), what)
		if p.onWrite != nil {
			return p.onWrite(what), nil
		}
	}
	return p.fault(), nil
}

func (p *process) fault() testkit.Fault {
	if p.m.rand.Float64() >= p.m.faulty {
		return ""
	}
	return []testkit.Fault{testkit.Lost, testkit.Unanswered}[p.m.rand.IntN(2)]
}

// start begins a pass or a sweep, which step continues by one call.
func (p *process) start(do func()) {
	p.running = true
	go func() {
		<-p.turn
		do()
		p.running = false
		p.done <- struct{}{}
	}()
}

func (p *process) step() {
	p.turn <- struct{}{}
	<-p.done
}

// pass passes over the namespace once.
func (p *process) pass() (ctrl.Result, error) {
	return p.r.Reconcile(quiet, ctrl.Request{NamespacedName: archiveKey})
}

func (m *model) note(format string, args ...any) {
	line := m.clock.Now().Format("01-02 15:04:05.000 ") + fmt.Sprintf(format, args...)
	m.trace = append(m.trace[max(0, len(m.trace)-shownTrace):], line)
}

func (m *model) failed(format string, args ...any) {
	m.Helper()
	m.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(m.trace, "\n"))
}

func isInView(o client.Object) bool {
	return o != nil && whole.Matches(labels.Set(o.GetLabels()))
}

// content returns the spec and the status of an object, and whether the status is that of the generation.
func (m *model) content(o client.Object) string {
	if m.norms[o] == "" {
		u, err := unstructuredOf(o)
		if err != nil {
			m.Fatal(err)
		}
		fields := map[string]any{"spec": u.Object["spec"], "status": current(u.Object["status"], o.GetGeneration())}
		m.norms[o] = fmt.Sprint(fields)
	}
	return m.norms[o]
}

// current replaces observed generations by whether they are current.
func current(v any, generation int64) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if n, ok := x.(int64); ok && (k == "observedGeneration" || k == "workedOn") {
				v[k] = n == generation
			} else {
				v[k] = current(x, generation)
			}
		}
	case []any:
		for i := range v {
			v[i] = current(v[i], generation)
		}
	}
	return v
}

// learn records a write of a user.
func (m *model) learn(k objectKey, o client.Object) {
	if !m.user || k.kind == "Archive" || k.kind == "Account" {
		return
	}
	if o == nil {
		delete(m.facts, k)
		return
	}
	f := m.facts[k]
	if f == nil {
		f = &fact{unit: m.unitOf(o), origin: o.GetUID(), created: o.GetCreationTimestamp().Time}
		m.facts[k] = f
	}
	f.content = m.content(o)
}

func (m *model) unitOf(o client.Object) int64 {
	if a, ok := o.(*v1beta1.MediaAsset); ok {
		id, _ := strconv.ParseInt(a.Labels[v1beta1.LabelID], 10, 64)
		return id
	}
	return shortID(o)
}

// as performs writes of users, or of the controllers of other kinds.
func (m *model) as(do func()) {
	m.user = true
	defer func() { m.user = false }()
	do()
}

// must ends the test on an error of a user's write.
func (m *model) must(err error) {
	m.Helper()
	if err != nil {
		m.failed("a write of a user: %v", err)
	}
}

// create creates objects with their statuses.
func (m *model) create(all []client.Object, owners map[types.UID]types.UID) {
	for _, o := range all {
		uid, refs := o.GetUID(), o.GetOwnerReferences()
		for i := range refs {
			refs[i].UID = owners[refs[i].UID]
		}
		o.SetUID("")
		wanted := o.DeepCopyObject().(client.Object)
		m.must(m.api.create(o))
		owners[uid] = o.GetUID()
		m.status(o, wanted)
	}
}

// status writes the status of an object.
func (m *model) status(o, wanted client.Object) {
	now := o.DeepCopyObject().(client.Object)
	wanted.SetResourceVersion(o.GetResourceVersion())
	data, err := client.MergeFrom(now).Data(wanted)
	m.must(err)
	m.must(m.api.patch(now, data, true))
}

// edit writes a change of an object.
func (m *model) edit(o client.Object, status bool, change func(client.Object)) {
	now := o.DeepCopyObject().(client.Object)
	change(now)
	data, err := client.MergeFrom(o).Data(now)
	m.must(err)
	m.must(m.api.patch(now, data, status))
}

// known returns the objects of a kind that the front end sees, if they have not changed since: it writes with their
// versions. A short that is being restored is not written.
func (m *model) known(kinds ...string) (out []client.Object) {
	restoring := m.archive().Spec.Restore
	for _, kind := range kinds {
		seen := m.front.read(kind)
		for _, k := range sortedKeys(seen) {
			now := m.api.objects[k]
			if now != nil && now.GetResourceVersion() == seen[k].GetResourceVersion() &&
				!slices.Contains(restoring, m.unitOf(now)) {
				out = append(out, now)
			}
		}
	}
	return out
}

func pick[T any](r *rand.Rand, all []T) (out T, ok bool) {
	if len(all) == 0 {
		return out, false
	}
	return all[r.IntN(len(all))], true
}

func (m *model) archive() *v1beta1.Archive {
	a, _ := m.api.objects[objectKey{"Archive", modelNamespace, v1beta1.ArchiveName}].(*v1beta1.Archive)
	if a == nil {
		a = &v1beta1.Archive{}
	}
	return a
}

func (m *model) units() []int64 {
	ids := map[int64]bool{}
	for _, f := range m.facts {
		ids[f.unit] = true
	}
	return slices.Sorted(maps.Keys(ids))
}

// act performs a step of a user, or of the controllers of other kinds.
func (m *model) act() {
	switch n := m.rand.IntN(100); {
	case n < 25:
		if len(m.units()) < modelUnits {
			m.nextID++
			m.note("create %d", m.nextID)
			m.create(settledUnit(modelNamespace, m.nextID).objects(), map[types.UID]types.UID{})
		}
	case n < 35:
		if o, ok := pick(m.rand, m.known("Slideshow")); ok {
			m.note("edit %s", o.GetName())
			m.edit(o, false, func(o client.Object) {
				s := o.(*v1beta1.Slideshow)
				s.Spec.Context = fmt.Sprintf("%d facts about tea", m.rand.IntN(1000))
			})
		}
	case n < 45:
		m.addTo("RenderJob")
	case n < 55:
		m.addTo("PostBatch")
	case n < 63:
		m.remove()
	case n < 85:
		m.request()
	default:
		m.work()
	}
}

// addTo creates another render or batch of a short that the front end sees, which may have been hidden since.
func (m *model) addTo(kind string) {
	seen := m.front.read("Slideshow")
	key, ok := pick(m.rand, sortedKeys(seen))
	if !ok {
		return
	}
	s := seen[key]
	id := m.unitOf(s)
	if now := m.api.objects[key]; now == nil || now.GetUID() != s.GetUID() || now.GetDeletionTimestamp() != nil ||
		slices.Contains(m.archive().Spec.Restore, id) {
		return
	}
	m.nextID++
	u, name := settledUnit(modelNamespace, id), fmt.Sprintf("extra-%d", m.nextID)
	m.note("create %s %s of %d", kind, name, id)
	if kind == "RenderJob" {
		u.renders[0].Name = name
		m.create([]client.Object{u.renders[0]}, map[types.UID]types.UID{u.short.GetUID(): s.GetUID()})
		return
	}
	b := u.batches[0]
	b.Name = name
	b.Labels[v1beta1.LabelID] = strconv.FormatInt(m.nextID, 10)
	m.create([]client.Object{b}, map[types.UID]types.UID{})
}

// remove deletes an object with what it owns.
func (m *model) remove() {
	o, ok := pick(m.rand, m.known("Slideshow", "PostBatch", "Post"))
	if !ok {
		return
	}
	m.note("delete %T %s", o, o.GetName())
	for _, k := range sortedKeys(m.api.objects) {
		owned := slices.ContainsFunc(m.api.objects[k].GetOwnerReferences(), func(r metav1.OwnerReference) bool {
			return r.UID == o.GetUID()
		})
		if owned && isInView(m.api.objects[k]) {
			m.purge(m.api.objects[k])
		}
	}
	m.purge(o)
}

// purge deletes an object, and does the work of its finalizers.
func (m *model) purge(o client.Object) {
	m.must(m.api.delete(o))
	if now := m.api.objects[m.api.keyOf(o)]; now != nil {
		m.edit(now, false, func(o client.Object) { o.SetFinalizers(nil) })
	}
}

// request requests the restore of one or two shorts, which need not be in the archive.
func (m *model) request() {
	if m.archive().UID == "" {
		return
	}
	var ids []int64
	for range 1 + m.rand.IntN(2) {
		id, ok := pick(m.rand, m.units())
		if !ok || m.rand.IntN(10) == 0 {
			id = 1 + m.rand.Int64N(m.nextID+1)
		}
		ids = append(ids, id)
	}
	m.note("request %v", ids)
	m.restore(ids...)
}

// restore requests the restore of shorts.
func (m *model) restore(ids ...int64) {
	m.edit(m.archive(), false, func(o client.Object) {
		a := o.(*v1beta1.Archive)
		a.Spec.Restore = compactIDs(append(a.Spec.Restore, ids...))
	})
}

// work adds finalizers and ends the work of edited shorts, as the controllers of these kinds do.
func (m *model) work() {
	all := m.known("Slideshow", "MediaAsset", "RenderJob", "PostBatch", "Post")
	for _, o := range all {
		if len(o.GetFinalizers()) == 0 && o.GetDeletionTimestamp() == nil {
			m.edit(o, false, func(o client.Object) { o.SetFinalizers([]string{"reelops.dev/test"}) })
			o = m.api.objects[m.api.keyOf(o)]
		}
		if s, ok := o.(*v1beta1.Slideshow); ok && s.Status.ObservedGeneration != s.Generation {
			m.note("work on %s", s.Name)
			m.edit(s, true, func(o client.Object) {
				s := o.(*v1beta1.Slideshow)
				at := metav1.NewTime(m.clock.Now())
				s.Status.ObservedGeneration, s.Status.WorkedOn, s.Status.Work.FinishedAt = s.Generation, s.Generation, &at
				s.Status.Conditions[0].ObservedGeneration = s.Generation
			})
		}
	}
}

// decoded returns the rows of a segment; nil if its files are missing or damaged.
func (m *model) decoded(s *v1beta1.ArchiveSegment) []*decoded {
	key := archive.Root + modelNamespace + "/" + s.Name
	a, b := m.files.files[key+"/shorts.parquet"], m.files.files[key+"/posts.parquet"]
	version := fmt.Sprintf("%s %d %d", s.Name, len(a.data), len(b.data))
	if rows, ok := m.rows[version]; ok {
		return rows
	}
	shorts, posts, err := m.store.Read(context.Background(), modelNamespace, s)
	var rows []*decoded
	if err == nil {
		rows, err = decode(shorts, posts)
	}
	if err != nil && !errors.Is(err, archive.ErrDamaged) {
		m.Fatal(err)
	}
	if f := archive.Faults(s, shorts, posts); err == nil && len(f) > 0 {
		m.failed("segment %s: %v", s.Name, f)
	}
	m.rows[version] = rows
	return rows
}

// check compares the cluster and the archive with the facts.
func (m *model) check() {
	m.Helper()
	a := m.archive()
	held, alone := map[int64][]*decoded{}, map[int64]bool{}
	for i := range a.Status.Segments {
		s := &a.Status.Segments[i]
		rows := m.decoded(s)
		if rows == nil && s.Phase != v1beta1.ArchiveHiding {
			m.failed("the segment %s has no files in the phase %q", s.Name, s.Phase)
		}
		for _, d := range rows {
			if !a.Holds(s, d.ID) {
				continue
			}
			if !slices.Contains(s.Removed, d.ID) {
				if alone[d.ID] {
					m.failed("two segments hold %d", d.ID)
				}
				alone[d.ID] = true
			}
			held[d.ID] = append(held[d.ID], d)
			if s.Phase == "" && !slices.Contains(a.Spec.Restore, d.ID) {
				m.stored(d)
			}
		}
	}
	for _, k := range sortedKeys(m.api.objects) {
		if o := m.api.objects[k]; k.kind != "Archive" && k.kind != "Account" && isInView(o) && m.facts[k] == nil {
			m.failed("%v is back", k)
		}
	}
	for _, k := range sortedKeys(m.facts) {
		m.inOnePlace(a, k, held)
	}
}

// stored checks the row of a unit that is only in the archive.
func (m *model) stored(d *decoded) {
	m.Helper()
	n := 0
	for k, f := range m.facts {
		if f.unit != d.ID {
			continue
		}
		n++
		if isInView(m.api.objects[k]) {
			m.failed("%v is in both places", k)
		}
	}
	if n != len(d.objects()) {
		m.failed("the archive has %d objects of %d, want %d", len(d.objects()), d.ID, n)
	}
}

func (m *model) inOnePlace(a *v1beta1.Archive, k objectKey, held map[int64][]*decoded) {
	m.Helper()
	f, o := m.facts[k], m.api.objects[k]
	same := func(o client.Object) bool {
		return v1beta1.Origin(o) == f.origin && v1beta1.CreatedAt(o).Time.Equal(f.created) && m.content(o) == f.content
	}
	if isInView(o) {
		if !same(o) {
			m.failed("%v changed: origin %s, want %s, created %s, want %s\ngot  %s\nwant %s", k, v1beta1.Origin(o), f.origin,
				v1beta1.CreatedAt(o), f.created, m.content(o), f.content)
		}
		if k.kind == "Slideshow" {
			for other, g := range m.facts {
				if g.unit == f.unit && other.kind != k.kind && !isInView(m.api.objects[other]) {
					m.failed("%v is in view, %v is not", k, other)
				}
			}
		}
		return
	}
	for _, d := range held[f.unit] {
		for _, stored := range d.objects() {
			if m.api.keyOf(stored) == k && same(stored) {
				return
			}
		}
	}
	// Its segment was dropped, or will be, because its files were lost.
	if o != nil && same(o) {
		mark := o.GetLabels()[v1beta1.LabelArchived]
		i := slices.IndexFunc(a.Status.Segments, func(s v1beta1.ArchiveSegment) bool {
			return strings.HasPrefix(mark, strings.Split(s.Name, "/")[1]+".")
		})
		if mark != "" && (i < 0 || m.decoded(&a.Status.Segments[i]) == nil || !hides(a, mark)) {
			return
		}
	}
	m.failed("%v of %d is lost: %v", k, f.unit, o != nil)
}

// settle ends all passes and runs those of one process without faults until nothing happens any more.
func (m *model) settle() {
	m.Helper()
	m.drain()
	was := m.faulty
	m.faulty = 0
	m.clock.Step(2 * cacheLag)
	p := m.managers[m.rand.IntN(len(m.managers))]
	for range 200 {
		version := m.api.version
		result, err := p.pass()
		m.check()
		if err == nil && result.RequeueAfter == 0 {
			m.failed("there is no further pass")
		}
		if err != nil {
			m.note("the pass failed: %v", err)
			result.RequeueAfter = time.Second
		} else if m.api.version == version && result.RequeueAfter >= minInterval && len(p.leaving()) == 0 {
			break
		}
		m.clock.Step(result.RequeueAfter)
	}
	m.clock.Step(2 * time.Hour)
	if _, err := (&sweeper{p.r}).pass(quiet); err != nil {
		m.failed("a sweep failed: %v", err)
	}
	m.check()
	m.faulty = was
	a := m.archive()
	want := map[string]bool{}
	for _, s := range a.Status.Segments {
		if s.Phase != "" {
			m.failed("the segment %s stays in the phase %s", s.Name, s.Phase)
		}
		want[archive.Root+modelNamespace+"/"+s.Name+"/shorts.parquet"] = true
		want[archive.Root+modelNamespace+"/"+s.Name+"/posts.parquet"] = true
	}
	for key := range m.files.files {
		if !want[key] {
			m.failed("the file %s is not deleted", key)
		}
	}
	if len(m.files.files) != len(want) {
		m.failed("there are %d files, want %d", len(m.files.files), len(want))
	}
	if len(a.Spec.Restore) > 0 {
		m.failed("%v are still requested", a.Spec.Restore)
	}
	for k, o := range m.api.objects {
		if !isInView(o) && (m.facts[k] != nil || o.GetLabels()[v1beta1.LabelArchived] != "") {
			m.failed("%v stays hidden: %v", k, o.GetLabels())
		}
	}
}

// leaving returns the segments that have a phase.
func (p *process) leaving() []v1beta1.ArchiveSegment {
	return slices.DeleteFunc(slices.Clone(p.m.archive().Status.Segments), func(s v1beta1.ArchiveSegment) bool {
		return s.Phase == ""
	})
}

// drain ends all passes.
func (m *model) drain() {
	for _, p := range m.managers {
		for p.running {
			p.step()
			m.check()
		}
	}
}

// step performs one step of a history.
func (m *model) step() {
	i := m.rand.IntN(len(m.managers))
	p := m.managers[i]
	switch n := m.rand.IntN(1000); {
	case n < 700 && p.running:
		p.step()
	case n < 780:
		most := []time.Duration{time.Second, time.Second, time.Second, 10 * time.Second}[m.rand.IntN(4)]
		m.clock.Step(time.Duration(m.rand.Int64N(int64(most))))
	case n < 880:
		m.as(m.act)
	case n < 960:
		if !p.running {
			p.start(func() { _, _ = p.pass() })
		}
	case n < 965:
		if !p.running {
			p.start(func() { _, _ = (&sweeper{p.r}).pass(quiet) })
		}
	case n < 970:
		m.note("manager %d ends", i)
		p.dead = true
		for p.running {
			p.step()
		}
		m.managers[i] = m.newProcess()
	case n < 975:
		m.api.collect()
	case n < 985:
		m.drain()
		m.clock.Step(time.Duration(m.rand.Int64N(int64(20 * time.Second))))
	case n < 990:
		m.drain()
		m.clock.Step(time.Duration(m.rand.Int64N(int64(5 * 24 * time.Hour))))
	case n < 992:
		m.drain()
		m.loseFile()
	case n < 994:
		m.faulty = []float64{0, 0.01, 0.1}[m.rand.IntN(3)]
	case n < 996:
		m.settle()
	}
	m.check()
}

// loseFile loses or truncates a file of a segment that is leaving: a write that the store had acknowledged.
func (m *model) loseFile() {
	for _, s := range m.archive().Status.Segments {
		if s.Phase != v1beta1.ArchiveHiding {
			continue
		}
		key := archive.Root + modelNamespace + "/" + s.Name + []string{"/shorts.parquet", "/posts.parquet"}[m.rand.IntN(2)]
		m.note("lose %s", key)
		if f := m.files.files[key]; m.rand.IntN(2) == 0 {
			delete(m.files.files, key)
		} else {
			m.files.files[key] = file{f.data[:m.rand.IntN(len(f.data)+1)], f.at}
		}
		return
	}
}

// TestModel compares the archive with a model, in random histories: two managers at the granularity of single calls,
// with late caches, faults of the API server and of the store, and ends of their processes.
func TestModel(t *testing.T) {
	runs := modelRuns
	if testing.Short() {
		runs = modelRunsShort
	}
	runs = testkit.Number(t, envRuns, runs)
	first := testkit.Number(t, envSeed, 1)
	for seed := first; seed < first+runs; seed++ {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			m := newModel(t, uint64(seed)) //nolint:gosec // positive
			for range modelSteps {
				m.step()
			}
			m.settle()
			t.Logf("%d writes, %s", m.writes, m.clock.Since(longAgo))
		})
	}
}
