// SPDX-License-Identifier: Apache-2.0

package resume

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kind lists and watches the objects of a kind for an informer, and records the events that the informer receives.
type kind struct {
	store     *Store
	cluster   toolscache.ListerWatcherWithContext
	list      func(ctx context.Context, version string, each func(client.Object) error) (now string, err error)
	example   reflect.Type // struct type
	bucket    []byte
	transform toolscache.TransformFunc

	mu          sync.Mutex
	consulted   bool      // whether the file was consulted; afterwards it holds no more than the informer
	lasting     bool      // whether changes are stored
	stream      int       // number of the current source; events of older sources are not stored
	lastVersion string    // last recorded version of the collection
	whole       time.Time // when all objects were last listed
	pending     pending
}

// pending holds the changes that are not in the file yet.
type pending struct {
	// reset reports whether all stored objects are to be removed first.
	reset bool
	// objects by their keys; nil for a deleted object.
	objects map[string]client.Object
	// version of the collection that the file has with these objects; empty while some objects are missing.
	version string
	// whole is when all objects were last listed.
	whole time.Time
}

// begin starts a new source and returns its number; events of older sources are ignored. With reset it discards all
// stored objects.
func (k *kind) begin(reset bool) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stream++
	k.consulted = true
	if reset {
		k.pending, k.lastVersion, k.whole = pending{reset: true}, "", k.store.config.Clock.Now()
	}
	return k.stream
}

// continuous reports whether a watch started at version misses no event since the last recorded one.
func (k *kind) continuous(version string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	c, err := resourceversion.CompareResourceVersion(version, k.lastVersion)
	return err == nil && c <= 0
}

// record adds the current state of an object, nil if it was deleted, and the version of the collection, which may be
// empty.
func (k *kind) record(stream int, key string, o client.Object, version string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if stream != k.stream || !k.lasting {
		return
	}
	if key != "" {
		if k.pending.objects == nil {
			k.pending.objects = map[string]client.Object{}
		}
		k.pending.objects[key] = o
	}
	if version != "" {
		k.pending.version, k.lastVersion = version, version
	}
}

// take returns the pending changes and clears them.
func (k *kind) take() pending {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := k.pending
	n.whole, k.pending = k.whole, pending{}
	return n
}

func (k *kind) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lasting, k.pending = false, pending{}
}

// IsWatchListSemanticsUnSupported makes client-go list, unless it can get stored objects as initial events of a watch.
func (k *kind) IsWatchListSemanticsUnSupported() bool {
	p, err := k.since()
	if errors.As(err, new(staleError)) {
		k.notUsable(err)
	}
	return err != nil || p.Version == ""
}

func (k *kind) notUsable(why error) {
	k.store.config.Log.Info("informer snapshot not usable; listing all objects", "kind", string(k.bucket), "reason", why.Error())
}

// ListWithContext lists the objects in the cluster.
func (k *kind) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	list := &metainternalversion.List{}
	version, err := k.list(ctx, options.ResourceVersion, func(o client.Object) error {
		held, err := k.transformed(o)
		list.Items = append(list.Items, held)
		return err
	})
	if err != nil {
		return nil, err
	}
	list.ResourceVersion = version
	stream := k.begin(true)
	for _, o := range list.Items {
		k.record(stream, key(o), o.(client.Object), "")
	}
	k.record(stream, "", nil, version)
	return list, nil
}

// List implements the older interface of client-go.
func (k *kind) List(options metav1.ListOptions) (runtime.Object, error) {
	return k.ListWithContext(context.Background(), options)
}

// WatchWithContext watches the cluster. The first request for initial events gets the stored objects, if they can be
// resumed.
func (k *kind) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	initial := ptr.Deref(options.SendInitialEvents, false)
	if initial {
		w, err := k.resumeWatch(ctx, options)
		if !errors.As(err, new(staleError)) && (w != nil || err != nil) {
			return w, err
		}
		if err != nil {
			k.notUsable(err)
		}
	}
	w, err := k.cluster.WatchWithContext(ctx, options)
	if err != nil {
		return nil, err
	}
	continuous := !initial && k.continuous(options.ResourceVersion)
	return watch.Filter(w, k.recordEvents(k.begin(!continuous), continuous)), nil
}

// Watch implements the older interface of client-go.
func (k *kind) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return k.WatchWithContext(context.Background(), options)
}

// recordEvents records events as they pass. Until complete, the cluster is still sending initial events.
func (k *kind) recordEvents(stream int, complete bool) watch.FilterFunc {
	return func(e watch.Event) (watch.Event, bool) {
		o, ok := e.Object.(client.Object)
		if !ok || e.Type == watch.Error {
			return e, true
		}
		name, version := key(o), o.GetResourceVersion()
		if e.Type == watch.Bookmark {
			complete = complete || o.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
			name, o = "", nil
		} else {
			held, err := k.transformed(o)
			if err != nil {
				return watch.Event{Type: watch.Error, Object: &metav1.Status{Status: metav1.StatusFailure, Message: err.Error()}}, true
			}
			e.Object, o = held, held.(client.Object)
		}
		if e.Type == watch.Deleted {
			o = nil
		}
		if !complete {
			version = ""
		}
		k.record(stream, name, o, version)
		return e, true
	}
}

// transformed returns an object as the informer holds it.
func (k *kind) transformed(o runtime.Object) (runtime.Object, error) {
	if k.transform == nil {
		return o, nil
	}
	out, err := k.transform(o)
	if err != nil {
		return nil, err
	}
	return out.(runtime.Object), nil
}

func key(o runtime.Object) string {
	name, _ := toolscache.MetaNamespaceKeyFunc(o) // any object has metadata
	return name
}

// staleError is the reason why the stored objects cannot be resumed.
type staleError string

func (e staleError) Error() string { return string(e) }

func stale(format string, args ...any) error { return staleError(fmt.Sprintf(format, args...)) }

// resumeWatch returns a watch of the stored objects as initial events and of all later events. It returns nil if
// nothing is stored or the file was consulted before. If the cluster does not answer it returns that error, and the
// stored objects stay for the next attempt.
func (k *kind) resumeWatch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	k.mu.Lock()
	consulted := k.consulted
	k.mu.Unlock()
	if consulted {
		return nil, nil
	}
	p, err := k.since()
	if err != nil || p.Version == "" {
		return nil, err
	}
	now, err := k.verify(ctx, p.Version)
	if err != nil {
		return nil, err
	}
	options.ResourceVersion, options.SendInitialEvents, options.ResourceVersionMatch = p.Version, nil, ""
	later, err := k.cluster.WatchWithContext(ctx, options)
	switch {
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		return nil, stale("%v", err)
	case err != nil:
		return nil, err
	}
	stream := k.begin(false)
	k.mu.Lock()
	k.lastVersion, k.whole = p.Version, p.Whole
	k.mu.Unlock()
	r := &relay{kind: k, stream: stream, later: later, events: make(chan watch.Event)}
	r.ProxyWatcher = watch.NewProxyWatcher(r.events)
	go r.run(p.Version, now)
	return r, nil
}

// relay sends an informer the stored objects, and then the events of a watch.
type relay struct {
	*watch.ProxyWatcher
	kind   *kind
	stream int
	later  watch.Interface
	events chan watch.Event
}

// quiet is how long to wait for the next event that the cluster has already sent to others.
const quiet = 200 * time.Millisecond

// run sends the stored objects, the later events until now, the bookmark that ends the initial events, and then all
// later events. After an error before the bookmark an informer discards what it received and watches again. The second
// watch reads from the cluster.
func (r *relay) run(since, now string) {
	defer close(r.events)
	defer r.later.Stop()
	log, clock := r.kind.store.config.Log.WithValues("kind", string(r.kind.bucket)), r.kind.store.config.Clock
	began := clock.Now()
	n, err := r.kind.each(func(o client.Object) bool { return r.send(watch.Event{Type: watch.Added, Object: o}) })
	switch {
	case errors.Is(err, errStopped):
		return
	case err != nil:
		log.Error(err, "reading informer snapshot failed")
		expired := apierrors.NewResourceExpired(err.Error()).Status()
		r.send(watch.Event{Type: watch.Error, Object: &expired})
		return
	}
	see, at := r.kind.recordEvents(r.stream, true), since
	next := func(silence <-chan time.Time) (open, silent bool) {
		select {
		case e, ok := <-r.later.ResultChan():
			if !ok {
				return false, false
			}
			if e, _ = see(e); e.Type != watch.Error {
				at = e.Object.(client.Object).GetResourceVersion()
			}
			return r.send(e), false
		case <-silence:
			return true, true
		case <-r.StopChan():
			return false, false
		}
	}
	for silent := false; !silent && before(at, now); {
		var open bool
		if open, silent = next(clock.After(quiet)); !open {
			return
		}
	}
	end := r.kind.empty()
	end.SetResourceVersion(at)
	end.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	if !r.send(watch.Event{Type: watch.Bookmark, Object: end}) {
		return
	}
	log.Info("resumed watch from informer snapshot", "objects", n, "from", since, "to", at, "took", clock.Since(began).String())
	for open := true; open; {
		open, _ = next(nil)
	}
}

// send returns false when the watch was stopped.
func (r *relay) send(e watch.Event) bool {
	select {
	case r.events <- e:
		return true
	case <-r.StopChan():
		return false
	}
}

// before reports whether version a of a collection is earlier than b.
func before(a, b string) bool {
	c, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && c < 0
}

// empty returns a new object of the kind.
func (k *kind) empty() client.Object { return reflect.New(k.example).Interface().(client.Object) }
