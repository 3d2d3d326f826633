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
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kind lists and watches the objects of a kind for an informer, and remembers what the informer is told.
type kind struct {
	store     *Store
	cluster   toolscache.ListerWatcherWithContext
	example   reflect.Type // the struct
	bucket    []byte
	transform toolscache.TransformFunc

	mu      sync.Mutex
	asked   bool      // whether the file was looked at; after that it says no more than the informer holds
	lasting bool      // whether anything is kept
	stream  int       // the source that is listened to; what an older one still tells is not kept
	told    string    // the last version of the collection that was told
	whole   time.Time // when all objects were asked for
	news    news
}

// news is what the file does not know yet.
type news struct {
	// anew says that all objects of before are to be forgotten.
	anew bool
	// objects by their keys; nil for one that was deleted.
	objects map[string]client.Object
	// version of the collection that the file has with these objects; empty while they are not all there.
	version string
	// whole is when the cluster was asked for all objects.
	whole time.Time
}

// begin has all that is kept forgotten, when anew, and gives the number of a source that is listened to from now on.
func (k *kind) begin(anew bool) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stream++
	k.asked = true
	if anew {
		k.news, k.told, k.whole = news{anew: true}, "", k.store.config.Clock.Now()
	}
	return k.stream
}

// follows says that nothing lies between what was told last and what a watch from a version on tells.
func (k *kind) follows(version string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	c, err := resourceversion.CompareResourceVersion(version, k.told)
	return err == nil && c <= 0
}

// tell notes an object as it is now, nil if it is gone, and the version of the collection, which may be empty.
func (k *kind) tell(stream int, key string, o client.Object, version string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if stream != k.stream || !k.lasting {
		return
	}
	if key != "" {
		if k.news.objects == nil {
			k.news.objects = map[string]client.Object{}
		}
		k.news.objects[key] = o
	}
	if version != "" {
		k.news.version, k.told = version, version
	}
}

// take gives what is new and forgets it.
func (k *kind) take() news {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := k.news
	n.whole, k.news = k.whole, news{}
	return n
}

func (k *kind) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lasting, k.news = false, news{}
}

// ListWithContext lists the objects as the cluster does. Informers that get initial events by a watch do not call it.
func (k *kind) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	list, err := k.cluster.ListWithContext(ctx, options)
	if err != nil {
		return nil, err
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return nil, err
	}
	page, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	stream := k.stream
	k.mu.Unlock()
	if options.Continue == "" {
		stream = k.begin(true)
	}
	for i := range items {
		if items[i], err = k.held(items[i]); err != nil {
			return nil, err
		}
		k.tell(stream, key(items[i]), items[i].(client.Object), "")
	}
	if page.GetContinue() == "" {
		k.tell(stream, "", nil, page.GetResourceVersion())
	}
	return list, meta.SetList(list, items)
}

// List is what client-go's older interface has.
func (k *kind) List(options metav1.ListOptions) (runtime.Object, error) {
	return k.ListWithContext(context.Background(), options)
}

// WatchWithContext watches as the cluster does. The first who asks for initial events gets what was kept, if it can be gone on from.
func (k *kind) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	initial := ptr.Deref(options.SendInitialEvents, false)
	if initial {
		w, err := k.goOn(ctx, options)
		if !errors.As(err, new(staleError)) && (w != nil || err != nil) {
			return w, err
		}
		if err != nil {
			k.store.config.Log.Info("asking the cluster for all objects, those that were kept do not hold", "kind", string(k.bucket), "reason", err.Error())
		}
	}
	w, err := k.cluster.WatchWithContext(ctx, options)
	if err != nil {
		return nil, err
	}
	follows := !initial && k.follows(options.ResourceVersion)
	return watch.Filter(w, k.remember(k.begin(!follows), follows)), nil
}

// Watch is what client-go's older interface has.
func (k *kind) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return k.WatchWithContext(context.Background(), options)
}

// remember notes events as they pass by. Until complete the cluster is still telling what there is.
func (k *kind) remember(stream int, complete bool) watch.FilterFunc {
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
			held, err := k.held(o)
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
		k.tell(stream, name, o, version)
		return e, true
	}
}

// held makes of an object what the informer holds of it.
func (k *kind) held(o runtime.Object) (runtime.Object, error) {
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

// staleError says why what was kept cannot be gone on from.
type staleError string

func (e staleError) Error() string { return string(e) }

func stale(format string, args ...any) error { return staleError(fmt.Sprintf(format, args...)) }

// goOn gives the kept objects as initial events and then what came after them; nil if nothing was kept, or was given before. When the
// cluster does not answer that is the error, and what was kept waits for the next time.
func (k *kind) goOn(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	k.mu.Lock()
	asked := k.asked
	k.mu.Unlock()
	if asked {
		return nil, nil
	}
	p, err := k.since()
	if err != nil || p.Version == "" {
		return nil, err
	}
	now, err := k.stillHolds(ctx, p.Version)
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
	k.told, k.whole = p.Version, p.Whole
	k.mu.Unlock()
	r := &relay{kind: k, stream: stream, later: later, events: make(chan watch.Event)}
	r.ProxyWatcher = watch.NewProxyWatcher(r.events)
	go r.run(p.Version, now)
	return r, nil
}

// relay tells an informer what was kept, and then what a watch tells.
type relay struct {
	*watch.ProxyWatcher
	kind   *kind
	stream int
	later  watch.Interface
	events chan watch.Event
}

// quiet is how long the cluster has to tell the next thing that it has told others long ago.
const quiet = 200 * time.Millisecond

// run sends the kept objects, what came after them until now, the mark that this is all, and what comes then. An informer that hears of an
// error before the mark forgets what it heard and asks once more, and then it is the cluster that tells.
func (r *relay) run(since, now string) {
	defer close(r.events)
	defer r.later.Stop()
	log, clock := r.kind.store.config.Log.WithValues("kind", string(r.kind.bucket)), r.kind.store.config.Clock
	began := clock.Now()
	n, err := r.kind.each(func(o client.Object) bool { return r.send(watch.Event{Type: watch.Added, Object: o}) })
	switch {
	case errors.Is(err, errNobody):
		return
	case err != nil:
		log.Error(err, "the objects that were kept cannot be read")
		expired := apierrors.NewResourceExpired(err.Error()).Status()
		r.send(watch.Event{Type: watch.Error, Object: &expired})
		return
	}
	see, at := r.kind.remember(r.stream, true), since
	next := func(silence <-chan time.Time) (goesOn, silent bool) {
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
		var goesOn bool
		if goesOn, silent = next(clock.After(quiet)); !goesOn {
			return
		}
	}
	end := r.kind.empty()
	end.SetResourceVersion(at)
	end.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	if !r.send(watch.Event{Type: watch.Bookmark, Object: end}) {
		return
	}
	log.Info("going on from the objects that were kept", "objects", n, "from", since, "to", at, "took", clock.Since(began).String())
	for goesOn := true; goesOn; {
		goesOn, _ = next(nil)
	}
}

// send gives false when nobody listens any more.
func (r *relay) send(e watch.Event) bool {
	select {
	case r.events <- e:
		return true
	case <-r.StopChan():
		return false
	}
}

// before says that one version of a collection is earlier than another.
func before(a, b string) bool {
	c, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && c < 0
}

// empty gives a new object of the kind.
func (k *kind) empty() client.Object { return reflect.New(k.example).Interface().(client.Object) }
