// SPDX-License-Identifier: Apache-2.0

package resume

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/go-logr/logr"
	"go.etcd.io/bbolt"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func typeOf(o client.Object) reflect.Type { return reflect.TypeOf(o) }

// scriptedKind is a kind with a scripted cluster.
type scriptedKind struct {
	*testing.T
	*kind
	source  *watch.FakeWatcher
	objects []*corev1.ConfigMap
	version string // of the list
}

func newScriptedKind(t *testing.T) *scriptedKind {
	t.Helper()
	s := Open(Config{Folder: t.TempDir(), Kinds: []client.Object{&corev1.ConfigMap{}}, Clock: clock.RealClock{}, Log: logr.Discard()})
	t.Cleanup(func() { s.close() })
	x := &scriptedKind{T: t}
	x.kind = s.kinds[typeOf(&corev1.ConfigMap{})]
	x.cluster = &toolscache.ListWatch{WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
		x.source = watch.NewFake()
		return x.source, nil
	}}
	x.list = func(_ context.Context, _ string, each func(client.Object) error) (string, error) {
		for _, o := range x.objects {
			if err := each(o); err != nil {
				return "", err
			}
		}
		return x.version, nil
	}
	return x
}

// listen starts a watch as an informer does, from a version or with initial events.
func (x *scriptedKind) listen(since string) watch.Interface {
	x.Helper()
	o := metav1.ListOptions{ResourceVersion: since}
	if since == "" {
		o.SendInitialEvents = ptr.To(true)
	}
	w, err := x.WatchWithContext(x.Context(), o)
	if err != nil {
		x.Fatal(err)
	}
	return w
}

// pass lets the cluster send an event, and checks that the informer receives it.
func (x *scriptedKind) pass(w watch.Interface, what watch.EventType, name, version string, end bool) {
	o := at(name, version)
	if end {
		o.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	go x.source.Action(what, o)
	<-w.ResultChan()
}

func at(name, version string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "n", ResourceVersion: version}}
}

// expectStored checks the version and the number of objects in the file.
func (x *scriptedKind) expectStored(since string, objects int) {
	x.Helper()
	if err := x.flush(); err != nil {
		x.Fatal(err)
	}
	p, err := x.since()
	got := p.Version
	n, err2 := x.each(func(client.Object) bool { return true })
	if got != since || n != objects || err != nil || err2 != nil {
		x.Errorf("stored %d objects, resumed from %q; %v, %v; want %d, %q", n, got, err, err2, objects, since)
	}
}

// Objects can be resumed once all of them are stored, and not during a new list.
func TestIncomplete(t *testing.T) {
	x := newScriptedKind(t)
	w := x.listen("")
	x.pass(w, watch.Added, "a", "3", false)
	x.expectStored("", 1)
	x.pass(w, watch.Added, "b", "2", false)
	x.pass(w, watch.Bookmark, "", "7", true)
	x.expectStored("7", 2)
	x.pass(w, watch.Modified, "b", "8", false)
	x.expectStored("8", 2)
	x.pass(w, watch.Deleted, "a", "9", false)
	x.expectStored("9", 1)
	x.pass(w, watch.Bookmark, "", "12", false)
	x.expectStored("12", 1)

	w2 := x.listen("11") // an event after 11 may not have reached any watch
	x.pass(w2, watch.Added, "c", "13", false)
	x.expectStored("13", 2)

	older := x.source
	w3 := x.listen("") // with new initial events
	go older.Action(watch.Added, at("stale", "14"))
	<-w2.ResultChan()
	x.expectStored("", 0)
	x.pass(w3, watch.Added, "c", "13", false)
	x.expectStored("", 1)
	x.pass(w3, watch.Bookmark, "", "20", true)
	x.expectStored("20", 1)

	w4 := x.listen("21") // another watch received the events from 20 to 21
	x.pass(w4, watch.Added, "d", "22", false)
	x.expectStored("", 1)
	x.pass(w4, watch.Bookmark, "", "23", false)
	x.expectStored("", 1)
}

// A list that breaks off changes nothing.
func TestBrokenList(t *testing.T) {
	x := newScriptedKind(t)
	x.objects, x.version = []*corev1.ConfigMap{at("a", "1"), at("b", "2")}, "3"
	if _, err := x.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	x.expectStored("3", 2)
	whole := x.list
	x.list = func(ctx context.Context, version string, each func(client.Object) error) (string, error) {
		_, _ = whole(ctx, version, each)
		return "", errors.New("the connection is closed")
	}
	x.objects = x.objects[:1]
	if _, err := x.ListWithContext(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("got no error")
	}
	x.expectStored("3", 2)
}

// A program that is killed while it writes many objects does not resume from half of them.
func TestManyAtOnce(t *testing.T) {
	x := newScriptedKind(t)
	const n = 2*batch + 7
	for i := range n {
		x.objects = append(x.objects, at(fmt.Sprintf("o%06d", i), fmt.Sprint(i+1)))
	}
	x.version = "9000"
	if _, err := x.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	x.expectStored("9000", n)

	w := x.listen("9000")
	for i := range batch + 1 {
		x.pass(w, watch.Modified, fmt.Sprintf("o%06d", i), fmt.Sprint(10_000+i), false)
	}
	all := x.take()
	if err := x.store.db.Update(func(tx *bbolt.Tx) error { return x.write(tx, all, []string{"n/o000000"}, false) }); err != nil {
		t.Fatal(err)
	}
	if p, err := x.since(); p.Version != "" || err != nil {
		t.Errorf("resumed from %q, %v", p.Version, err)
	}
}
