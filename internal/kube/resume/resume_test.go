// SPDX-License-Identifier: Apache-2.0

package resume

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/internal/testkit"
)

var shared testkit.Shared

func TestMain(m *testing.M) { shared.Main(m) }

// world is the objects of a test in the cluster, and a folder.
type world struct {
	*testing.T
	live   client.Client
	config *rest.Config
	folder string
	labels map[string]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	c := shared.Start(t)
	return &world{T: t, live: c.Client, config: c.Config, folder: t.TempDir(), labels: map[string]string{"test": strings.ToLower(strings.TrimPrefix(t.Name(), "TestResume_"))}}
}

func (w *world) object(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: w.labels["test"] + "-" + name, Labels: w.labels}}
}

func (w *world) create(names ...string) {
	w.Helper()
	for _, name := range names {
		o := w.object(name)
		o.Data = map[string]string{"value": "first", "large": "nobody needs it"}
		w.ok(w.live.Create(w.Context(), o))
	}
}

func (w *world) change(name, value string) {
	w.Helper()
	w.ok(w.live.Patch(w.Context(), w.object(name), client.RawPatch(types.MergePatchType, []byte(`{"data":{"value":"`+value+`"}}`))))
}

func (w *world) remove(name string) {
	w.Helper()
	w.ok(w.live.Delete(w.Context(), w.object(name)))
}

func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// program has a cache of the test's objects.
type program struct {
	*world
	*Store
	cache cache.Cache
	asked *asked
	end   context.CancelFunc
	ended chan struct{}
}

// asked counts the lists of all objects, and can respond instead of the cluster.
type asked struct {
	next   http.RoundTripper
	answer func(*http.Request) *http.Response

	mu  sync.Mutex
	all int
}

func (a *asked) RoundTrip(r *http.Request) (*http.Response, error) {
	if q := r.URL.Query(); strings.HasSuffix(r.URL.Path, "/configmaps") {
		if a.answer != nil {
			if res := a.answer(r); res != nil {
				return res, nil
			}
		}
		if q.Get("sendInitialEvents") == "true" || q.Get("watch") == "" && q.Get("limit") != "1" {
			a.mu.Lock()
			a.all++
			a.mu.Unlock()
		}
	}
	return a.next.RoundTrip(r)
}

func (a *asked) times() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all
}

// slim removes the fields that the cache does not hold.
func slim(o any) (any, error) {
	c := o.(*corev1.ConfigMap)
	c.ManagedFields = nil
	delete(c.Data, "large")
	return c, nil
}

type option func(*Config, *asked)

func (w *world) start(options ...option) *program {
	w.Helper()
	log := funcr.New(func(_, line string) { w.Log(line) }, funcr.Options{})
	c := Config{Folder: w.folder, Server: w.config.Host, Kinds: []client.Object{&corev1.ConfigMap{}}, Clock: clock.RealClock{}, Log: log}
	p := &program{world: w, asked: &asked{}, ended: make(chan struct{})}
	for _, o := range options {
		o(&c, p.asked)
	}
	config := rest.CopyConfig(w.config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { p.asked.next = next; return p.asked })
	p.Store = Open(c)
	selector := labels.SelectorFromSet(w.labels)
	newInformer, err := p.Informers(config, testkit.Scheme(), selector)
	w.ok(err)
	p.cache, err = cache.New(config, cache.Options{
		Scheme: testkit.Scheme(), DefaultLabelSelector: selector, DefaultTransform: slim, NewInformer: newInformer,
	})
	w.ok(err)
	_, err = p.cache.GetInformer(w.Context(), &corev1.ConfigMap{}, cache.BlockUntilSynced(false))
	w.ok(err)
	ctx, end := context.WithCancel(context.WithoutCancel(w.Context()))
	p.end = end
	go func() { defer close(p.ended); _ = p.cache.Start(ctx) }()
	if !p.cache.WaitForCacheSync(w.Context()) {
		w.Fatal("the cache did not sync")
	}
	return p
}

// kill ends the program without a flush.
func (p *program) kill() {
	p.end()
	<-p.ended
	p.close()
}

// patience bounds a wait that normally ends within a second, so that a hanging test ends.
const patience = 3 * time.Minute

// knows waits until the cache equals the cluster.
func (p *program) knows() {
	p.Helper()
	var diff string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		want, got := p.all(p.live), p.all(p.cache)
		if diff = cmp.Diff(want, got); diff == "" {
			return
		}
	}
	p.Fatalf("the cache differs from the cluster (-cluster +cache):\n%s", diff)
}

func (p *program) all(r client.Reader) map[string]string {
	p.Helper()
	var list corev1.ConfigMapList
	p.ok(r.List(p.Context(), &list, client.MatchingLabels(p.labels)))
	out := map[string]string{}
	for _, o := range list.Items {
		delete(o.Data, "large")
		out[o.Name] = fmt.Sprint(o.UID, o.ResourceVersion, o.Data)
	}
	return out
}

// keeps waits until the cache equals the cluster, and flushes it.
func (p *program) keeps() {
	p.Helper()
	p.knows()
	p.flush()
}

func (p *program) askedForAll(want int) {
	p.Helper()
	if got := p.asked.times(); got != want {
		p.Errorf("got %d lists of all objects, want %d", got, want)
	}
}

// late delays the first read.
type late struct {
	io.ReadCloser
	once sync.Once
}

func (l *late) Read(p []byte) (int, error) {
	l.once.Do(func() { time.Sleep(quiet / 2) })
	return l.ReadCloser.Read(p)
}

// slow delays the events of watches.
func slow(_ *Config, a *asked) {
	a.answer = func(r *http.Request) *http.Response {
		if r.URL.Query().Get("watch") == "" {
			return nil
		}
		res, err := a.next.RoundTrip(r)
		if err != nil {
			return nil
		}
		res.Body = &late{ReadCloser: res.Body}
		return res
	}
}

func TestResume_ChangesWhileStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("a", "b", "c", "d")
	p := w.start()
	p.keeps()
	p.askedForAll(1)
	p.kill()

	w.change("a", "while it was down")
	w.remove("b")
	w.create("e")
	p = w.start(slow)
	if d := cmp.Diff(p.all(p.live), p.all(p.cache)); d != "" {
		t.Errorf("changes while the program was stopped are missing at first (-cluster +cache):\n%s", d)
	}
	p.keeps()
	w.change("e", "while it was there")
	w.remove("c")
	p.keeps()
	p.askedForAll(0)
	p.kill()

	w.change("d", "again")
	w.remove("e")
	p = w.start()
	p.knows()
	p.askedForAll(0)
	var d corev1.ConfigMap
	w.ok(p.cache.Get(t.Context(), client.ObjectKeyFromObject(w.object("a")), &d))
	if _, ok := d.Data["large"]; ok || d.ManagedFields != nil {
		t.Errorf("the cache holds unneeded fields: %v", d.Data)
	}
	p.kill()
}

// After a kill at any time, the cache equals the cluster.
func TestResume_KilledAtAnyTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	there := []string{}
	something := func() {
		switch i := len(there); {
		case i < 3 || r.IntN(3) == 0:
			name := fmt.Sprint(r.Uint32())
			w.create(name)
			there = append(there, name)
		case r.IntN(2) == 0:
			w.change(there[r.IntN(i)], fmt.Sprint(r.Uint32()))
		default:
			at := r.IntN(i)
			w.remove(there[at])
			there = slices.Delete(there, at, at+1)
		}
	}
	resumed := 0
	for range 25 {
		p := w.start()
		if p.asked.times() == 0 {
			resumed++
		}
		if r.IntN(2) == 0 {
			p.knows()
		}
		for range r.IntN(8) {
			if something(); r.IntN(3) == 0 {
				p.flush()
			}
		}
		if r.IntN(2) == 0 {
			p.knows()
		}
		p.kill()
		for range r.IntN(4) {
			something()
		}
	}
	p := w.start()
	p.knows()
	p.kill()
	if resumed < 10 {
		t.Errorf("resumed only %d times of 25", resumed)
	}
}

// later is a clock that is ahead by a fixed time.
type later struct {
	clock.RealClock
	by time.Duration
}

func (l later) Now() time.Time                         { return time.Now().Add(l.by) }
func (l later) Since(t time.Time) time.Duration        { return l.Now().Sub(t) }
func (l later) After(d time.Duration) <-chan time.Time { return time.After(d) }

func TestResume_ListsAll(t *testing.T) {
	t.Parallel()
	goesOn := func(r *http.Request) bool {
		return r.URL.Query().Get("watch") == "true" && r.URL.Query().Get("sendInitialEvents") == ""
	}
	once := func(status int, text string) option {
		var given bool
		return func(_ *Config, a *asked) {
			a.answer = func(r *http.Request) *http.Response {
				if given || !goesOn(r) {
					return nil
				}
				given = true
				return &http.Response{
					StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(text)), Request: r,
				}
			}
		}
	}
	const expired = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"too old resource version"}`
	in := func(change func(b *bbolt.Bucket, objects *bbolt.Bucket) error) func(*bbolt.Tx) error {
		return func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("v1.ConfigMap"))
			return change(b, b.Bucket(keyObjects))
		}
	}
	at := func(version string, whole time.Time) func(*bbolt.Tx) error {
		return in(func(b, _ *bbolt.Bucket) error {
			return put(b, string(keyCheckpoint), checkpoint{Version: version, At: time.Now(), Whole: whole})
		})
	}
	for _, c := range []struct {
		name    string
		tamper  func(*bbolt.Tx) error
		options []option
		file    string // content of the file
	}{
		{name: "another cluster", options: []option{func(c *Config, _ *asked) { c.Server += "/other" }}},
		{name: "too old", options: []option{func(c *Config, _ *asked) { c.Clock = later{by: maxAge + time.Second} }}},
		{name: "a cluster that was reset", tamper: at("1000000000", time.Now())},
		{name: "an invalid version", tamper: at("many", time.Now())},
		{name: "all lists long ago", tamper: at("1", time.Now().Add(-maxSince))},
		{name: "an invalid snapshot", tamper: in(func(b, _ *bbolt.Bucket) error { return b.Put(keyCheckpoint, []byte("?")) })},
		{name: "incomplete", tamper: in(func(b, _ *bbolt.Bucket) error { return b.Delete(keyCheckpoint) })},
		{name: "another object with that name", tamper: in(func(_, objects *bbolt.Bucket) error {
			k, text := objects.Cursor().First()
			var o corev1.ConfigMap
			if err := direct.Unmarshal(text, &o); err != nil {
				return err
			}
			o.UID = "other"
			return put(objects, string(k), &o)
		})},
		{name: "an unreadable object", tamper: in(func(_, objects *bbolt.Bucket) error {
			k, _ := objects.Cursor().Last()
			return objects.Put(k, []byte("?"))
		})},
		{name: "forgotten", options: []option{once(http.StatusGone, expired)}},
		{name: "expired, reported later", options: []option{once(http.StatusOK, `{"type":"ERROR","object":`+expired+"}\n")}},
		{name: "truncated", options: []option{once(http.StatusOK, "")}},
		{name: "damaged", file: "not a file of ours"},
	} {
		w := newWorld(t)
		if c.name == "another cluster" {
			w.create("a", "b", "c")
		}
		p := w.start()
		p.keeps()
		file := p.path
		if c.tamper != nil {
			if err := p.db.Update(c.tamper); err != nil {
				t.Fatal(c.name, err)
			}
		}
		p.kill()
		if c.file != "" {
			w.ok(os.WriteFile(file, []byte(c.file), 0o600))
		}
		w.change("b", c.name)
		p = w.start(c.options...)
		p.keeps()
		if got := p.asked.times(); got != 1 {
			t.Errorf("%s: got %d lists of all objects", c.name, got)
		}
		p.kill()
		p = w.start() // its changes are stored, under the same or another name
		p.knows()
		p.kill()
	}
}

// If the cluster is unavailable, the snapshot is kept.
func TestResume_ClusterUnavailable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("a", "b")
	p := w.start()
	p.keeps()
	p.kill()
	w.change("a", "second")
	away := 4
	p = w.start(func(_ *Config, a *asked) {
		a.answer = func(r *http.Request) *http.Response {
			if away--; away < 0 {
				return nil
			}
			return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{}, Body: http.NoBody, Request: r}
		}
	})
	p.knows()
	if away >= 0 {
		t.Error("got fewer requests than errors")
	}
	p.askedForAll(0)
	p.kill()
}

func TestResume_RelistsAfterErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("a", "b")
	p := w.start()
	p.keeps()
	file := p.path
	w.ok(p.db.Close())
	w.change("a", "second")
	p.keeps()
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("an unneeded snapshot is left: %v", err)
	}
	w.remove("b")
	p.keeps()
	p.kill()
	p = w.start()
	p.knows()
	p.askedForAll(1)
	p.kill()
}

// A store writes at its interval, and ends with its context.
func TestStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("a")
	p := w.start()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = p.Start(ctx) }()
	p.knows()
	k := p.kinds[typeOf(&corev1.ConfigMap{})]
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if p, err := k.since(); err == nil && p.Version != "" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no snapshot was written")
		}
	}
	stop()
	<-done
	p.kill()
	p = w.start()
	p.knows()
	p.askedForAll(0)
	p.kill()
}

func TestOpen(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	c := Config{Folder: filepath.Join(folder, "new"), Server: "one", Kinds: Kinds(), Clock: clock.RealClock{}, Log: logr.Discard()}
	first := Open(c)
	if err := (&Store{config: c}).openFile(); err == nil || !strings.Contains(err.Error(), "timeout") {
		t.Errorf("a folder that another program uses: got %v", err)
	}
	first.close()
	c.Server = "two"
	second := Open(c)
	if _, err := os.Stat(first.path); !os.IsNotExist(err) {
		t.Errorf("the snapshot of another cluster is left: %v", err)
	}
	second.close()
	info, err := os.Stat(second.path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got file mode %v, %v", info.Mode(), err)
	}
	plain := filepath.Join(folder, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.Folder = plain
	if s := Open(c); s.file() != nil || s.Start(t.Context()) != nil {
		t.Error("a file is accepted as a folder")
	}
	c.Folder = ""
	if s := Open(c); s.file() != nil || s.Start(t.Context()) != nil {
		t.Error("a snapshot is stored without a folder")
	}
}
