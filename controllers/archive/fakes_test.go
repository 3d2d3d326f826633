// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
)

// fakeAPI is an API server in memory, with the parts of the semantics that the controller relies on: uids, versions,
// generations, preconditions, subresources, finalizers and managed fields. Stored objects never change. It is for one
// goroutine at a time.
type fakeAPI struct {
	clock   *testclock.FakeClock
	scheme  *runtime.Scheme
	version int64
	objects map[objectKey]client.Object
	// changes are all writes of a kind, for the caches.
	changes map[string][]change
	// onChange is called after each write; the object is nil if it was deleted.
	onChange func(objectKey, client.Object)
}

type objectKey struct{ kind, namespace, name string }

// change is a write. The object has no managed fields, as in the caches; it is nil if it was deleted.
type change struct {
	key    objectKey
	object client.Object
	at     time.Time
}

func newFakeAPI(c *testclock.FakeClock) *fakeAPI {
	return &fakeAPI{
		clock: c, scheme: testkit.Scheme(), objects: map[objectKey]client.Object{}, changes: map[string][]change{},
		onChange: func(objectKey, client.Object) {},
	}
}

func (f *fakeAPI) keyOf(o client.Object) objectKey {
	gvk, err := apiutil.GVKForObject(o, f.scheme)
	if err != nil {
		panic(err)
	}
	return objectKey{gvk.Kind, o.GetNamespace(), o.GetName()}
}

func resource(k objectKey) schema.GroupResource {
	return schema.GroupResource{Group: v1beta1.GroupVersion.Group, Resource: k.kind}
}

func conflict(k objectKey) error {
	return apierrors.NewConflict(resource(k), k.name, errors.New("the object was changed"))
}

// commit stores an object, or deletes it if it is nil or has no finalizer left to wait for.
func (f *fakeAPI) commit(k objectKey, o client.Object) {
	f.version++
	if o != nil && o.GetDeletionTimestamp() != nil && len(o.GetFinalizers()) == 0 {
		o = nil
	}
	c := change{key: k, at: f.clock.Now()}
	if o == nil {
		delete(f.objects, k)
	} else {
		o.SetResourceVersion(strconv.FormatInt(f.version, 10))
		f.objects[k] = o
		c.object = o.DeepCopyObject().(client.Object)
		c.object.SetManagedFields(nil)
	}
	f.changes[k.kind] = append(f.changes[k.kind], c)
	f.onChange(k, o)
}

// typed returns an object of a kind with the fields of a document.
func (f *fakeAPI) typed(kind string, doc any) client.Object {
	b, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	o, err := f.scheme.New(v1beta1.GroupVersion.WithKind(kind))
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(b, o); err != nil {
		panic(err)
	}
	o.GetObjectKind().SetGroupVersionKind(v1beta1.GroupVersion.WithKind(kind))
	return o.(client.Object)
}

func document(o any) map[string]any {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	var out map[string]any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		panic(err)
	}
	return out
}

// into copies an object to the variable of a caller.
func into(from, to client.Object) {
	if u, ok := to.(*unstructured.Unstructured); ok {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(from)
		if err != nil {
			panic(err)
		}
		u.Object = fields
		return
	}
	reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from.DeepCopyObject()).Elem())
}

func (f *fakeAPI) written() []metav1.ManagedFieldsEntry {
	at := metav1.NewTime(f.clock.Now())
	return []metav1.ManagedFieldsEntry{{Manager: "test", Operation: metav1.ManagedFieldsOperationUpdate, Time: &at}}
}

func (f *fakeAPI) get(o client.Object) error {
	k := f.keyOf(o)
	now := f.objects[k]
	if now == nil {
		return apierrors.NewNotFound(resource(k), k.name)
	}
	into(now, o)
	return nil
}

func (f *fakeAPI) create(o client.Object) error {
	k := f.keyOf(o)
	if f.objects[k] != nil {
		return apierrors.NewAlreadyExists(resource(k), k.name)
	}
	doc := document(o)
	delete(doc, "status")
	n := f.typed(k.kind, doc)
	n.SetUID(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012x", f.version+1)))
	n.SetGeneration(1)
	n.SetCreationTimestamp(metav1.NewTime(f.clock.Now().Truncate(time.Second)))
	n.SetManagedFields(f.written())
	f.commit(k, n)
	into(n, o)
	return nil
}

func (f *fakeAPI) patch(o client.Object, data []byte, status bool) error {
	k := f.keyOf(o)
	now := f.objects[k]
	if now == nil {
		return apierrors.NewNotFound(resource(k), k.name)
	}
	var p map[string]any
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	if m, ok := p["metadata"].(map[string]any); ok {
		if v, ok := m["resourceVersion"]; ok && v != now.GetResourceVersion() {
			return conflict(k)
		}
		delete(m, "resourceVersion")
	}
	before := document(now)
	after := merge(document(now), p)
	if status {
		changed := after["status"]
		after = document(now)
		after["status"] = changed
	} else {
		after["status"] = before["status"]
	}
	n := f.typed(k.kind, after)
	if equality.Semantic.DeepEqual(now, n) {
		into(now, o)
		return nil
	}
	if !status {
		if !reflect.DeepEqual(before["spec"], document(n)["spec"]) {
			n.SetGeneration(now.GetGeneration() + 1)
		}
		n.SetManagedFields(f.written())
	}
	f.commit(k, n)
	into(n, o)
	return nil
}

// merge applies a JSON merge patch.
func merge(to, p map[string]any) map[string]any {
	if to == nil {
		to = map[string]any{}
	}
	for k, v := range p {
		switch v := v.(type) {
		case nil:
			delete(to, k)
		case map[string]any:
			inner, _ := to[k].(map[string]any)
			to[k] = merge(inner, v)
		default:
			to[k] = v
		}
	}
	return to
}

func (f *fakeAPI) delete(o client.Object, opts ...client.DeleteOption) error {
	k := f.keyOf(o)
	now := f.objects[k]
	if now == nil {
		return apierrors.NewNotFound(resource(k), k.name)
	}
	d := &client.DeleteOptions{}
	d.ApplyOptions(opts)
	if p := d.Preconditions; p != nil && (p.UID != nil && *p.UID != now.GetUID() ||
		p.ResourceVersion != nil && *p.ResourceVersion != now.GetResourceVersion()) {
		return conflict(k)
	}
	if len(now.GetFinalizers()) == 0 {
		f.commit(k, nil)
		return nil
	}
	if now.GetDeletionTimestamp() == nil {
		n := now.DeepCopyObject().(client.Object)
		at := metav1.NewTime(f.clock.Now())
		n.SetDeletionTimestamp(&at)
		f.commit(k, n)
	}
	return nil
}

// collect deletes the objects whose owners do not exist, as the garbage collector does.
func (f *fakeAPI) collect() {
	exist := map[types.UID]bool{}
	for _, o := range f.objects {
		exist[o.GetUID()] = true
	}
	for _, k := range sortedKeys(f.objects) {
		o := f.objects[k]
		refs := o.GetOwnerReferences()
		if len(refs) > 0 && !slices.ContainsFunc(refs, func(r metav1.OwnerReference) bool { return exist[r.UID] }) {
			_ = f.delete(o)
		}
	}
}

func sortedKeys[V any](m map[objectKey]V) []objectKey {
	return slices.SortedFunc(maps.Keys(m), func(a, b objectKey) int {
		return cmp.Or(strings.Compare(a.kind, b.kind), strings.Compare(a.namespace, b.namespace),
			strings.Compare(a.name, b.name))
	})
}

// list fills a list with those of the objects that the options select.
func list(
	scheme *runtime.Scheme, from map[objectKey]client.Object, l client.ObjectList, opts []client.ListOption,
) error {
	gvk, err := apiutil.GVKForObject(l, scheme)
	if err != nil {
		return err
	}
	kind, o := strings.TrimSuffix(gvk.Kind, "List"), &client.ListOptions{}
	o.ApplyOptions(opts)
	var out []runtime.Object
	for _, k := range sortedKeys(from) {
		if k.kind != kind || o.Namespace != "" && k.namespace != o.Namespace {
			continue
		}
		if o.LabelSelector == nil || o.LabelSelector.Matches(labels.Set(from[k].GetLabels())) {
			out = append(out, from[k].DeepCopyObject())
		}
	}
	return meta.SetList(l, out)
}

// cacheLag is how much the caches are late at most: half of the grace must suffice for the manager and the front end.
const cacheLag = 2 * time.Second

// fakeCache has the objects in view as they were up to cacheLag ago. Its kinds are not late by the same time.
type fakeCache struct {
	api   *fakeAPI
	rand  *rand.Rand
	kinds map[string]*kindCache
}

type kindCache struct {
	objects map[objectKey]client.Object
	// applied is the number of changes that the cache has, least the number that it must have at the next read.
	applied, least int
}

func newFakeCache(api *fakeAPI, r *rand.Rand) *fakeCache {
	return &fakeCache{api: api, rand: r, kinds: map[string]*kindCache{}}
}

func (c *fakeCache) kind(kind string) *kindCache {
	if c.kinds[kind] == nil {
		c.kinds[kind] = &kindCache{objects: map[objectKey]client.Object{}}
	}
	return c.kinds[kind]
}

// read returns the objects of a kind after some time.
func (c *fakeCache) read(kind string) map[objectKey]client.Object {
	k, all := c.kind(kind), c.api.changes[kind]
	late := c.api.clock.Now().Add(-cacheLag)
	until := max(k.applied, k.least)
	for until < len(all) && all[until].at.Before(late) {
		until++
	}
	if c.rand.IntN(3) > 0 {
		until += c.rand.IntN(len(all) - until + 1)
	}
	for ; k.applied < until; k.applied++ {
		e := all[k.applied]
		if !isInView(e.object) {
			delete(k.objects, e.key)
		} else {
			k.objects[e.key] = e.object
		}
	}
	return k.objects
}

// fakeClient is the client of a manager: its reads are those of a cache, and it reads its own writes.
type fakeClient struct {
	client.Client
	api   *fakeAPI
	cache *fakeCache
	// call is called before each write, and returns its fault.
	call func(what string) (testkit.Fault, error)
}

func (c *fakeClient) GroupVersionKindFor(o runtime.Object) (schema.GroupVersionKind, error) {
	return apiutil.GVKForObject(o, c.api.scheme)
}

func (c *fakeClient) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	o.SetNamespace(key.Namespace)
	o.SetName(key.Name)
	k := c.api.keyOf(o)
	if _, ok := o.(*unstructured.Unstructured); ok {
		return c.api.get(o) // has no cache
	}
	now := c.cache.read(k.kind)[k]
	if now == nil {
		return apierrors.NewNotFound(resource(k), k.name)
	}
	into(now, o)
	return nil
}

func (c *fakeClient) List(_ context.Context, l client.ObjectList, opts ...client.ListOption) error {
	gvk, err := apiutil.GVKForObject(l, c.api.scheme)
	if err != nil {
		return err
	}
	return list(c.api.scheme, c.cache.read(strings.TrimSuffix(gvk.Kind, "List")), l, opts)
}

// write performs a write, or fails before or after it. The cache has it at the next read, unless the caller does not
// wait for it.
func (c *fakeClient) write(verb string, o client.Object, wait bool, do func() error) error {
	k := c.api.keyOf(o)
	fault, err := c.call(verb + " " + k.kind + " " + k.name)
	if err != nil {
		return err
	}
	if fault == testkit.Lost {
		return testkit.ErrFault
	}
	if err := do(); err != nil {
		return err
	}
	if fault == testkit.Unanswered {
		return testkit.ErrFault
	}
	if wait {
		c.cache.kind(k.kind).least = len(c.api.changes[k.kind])
	}
	return nil
}

func (c *fakeClient) Create(_ context.Context, o client.Object, opts ...client.CreateOption) error {
	wait := !(&client.CreateOptions{}).ApplyOptions(opts).DisableReadYourWritesConsistency
	return c.write("create", o, wait, func() error { return c.api.create(o) })
}

func (c *fakeClient) Patch(_ context.Context, o client.Object, p client.Patch, opts ...client.PatchOption) error {
	data, err := p.Data(o)
	if err != nil {
		return err
	}
	wait := !(&client.PatchOptions{}).ApplyOptions(opts).DisableReadYourWritesConsistency
	return c.write("patch", o, wait, func() error { return c.api.patch(o, data, false) })
}

func (c *fakeClient) Delete(_ context.Context, o client.Object, opts ...client.DeleteOption) error {
	wait := !(&client.DeleteOptions{}).ApplyOptions(opts).DisableReadYourWritesConsistency
	return c.write("delete", o, wait, func() error { return c.api.delete(o, opts...) })
}

func (c *fakeClient) Status() client.SubResourceWriter { return fakeStatus{c: c} }

type fakeStatus struct {
	client.SubResourceWriter
	c *fakeClient
}

func (s fakeStatus) Patch(
	_ context.Context, o client.Object, p client.Patch, _ ...client.SubResourcePatchOption,
) error {
	data, err := p.Data(o)
	if err != nil {
		return err
	}
	return s.c.write("patch status", o, true, func() error { return s.c.api.patch(o, data, true) })
}

// fakeLive reads the API server. call is called before each read.
type fakeLive struct {
	client.Reader
	api  *fakeAPI
	call func() error
}

func (l fakeLive) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	if err := l.call(); err != nil {
		return err
	}
	o.SetNamespace(key.Namespace)
	o.SetName(key.Name)
	return l.api.get(o)
}

func (l fakeLive) List(_ context.Context, out client.ObjectList, opts ...client.ListOption) error {
	if err := l.call(); err != nil {
		return err
	}
	return list(l.api.scheme, l.api.objects, out, opts)
}

// fakeFiles is a blob store in memory.
type fakeFiles struct {
	clock clock.PassiveClock
	files map[string]file
}

type file struct {
	data []byte
	at   time.Time
}

// fakeBlobs are the calls of a process to the store. call is called before each, and returns its fault.
type fakeBlobs struct {
	*fakeFiles
	call func(what string) (testkit.Fault, error)
}

// answer performs a call, or fails before or after it.
func (b *fakeBlobs) answer(what string, do func() error) error {
	fault, err := b.call(what)
	switch {
	case err != nil:
		return err
	case fault == testkit.Lost:
		return testkit.ErrFault
	}
	if err := do(); err != nil {
		return err
	}
	if fault == testkit.Unanswered {
		return context.DeadlineExceeded
	}
	return nil
}

func (b *fakeBlobs) Clock() clock.PassiveClock { return b.clock }

func (b *fakeBlobs) Put(_ context.Context, key, _ string, r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return b.answer("put", func() error {
		b.files[key] = file{data, b.clock.Now()}
		return nil
	})
}

func (b *fakeBlobs) OpenRange(_ context.Context, key string, offset, n int64) (out io.ReadCloser, err error) {
	err = b.answer("read", func() error {
		f, ok := b.files[key]
		if !ok {
			return blob.ErrNotFound
		}
		size := int64(len(f.data))
		out = io.NopCloser(bytes.NewReader(f.data[min(offset, size):min(offset+n, size)]))
		return nil
	})
	return out, err
}

func (b *fakeBlobs) Size(_ context.Context, key string) (n int64, err error) {
	err = b.answer("size", func() error {
		f, ok := b.files[key]
		n = int64(len(f.data))
		if !ok {
			return blob.ErrNotFound
		}
		return nil
	})
	return n, err
}

func (b *fakeBlobs) Walk(_ context.Context, prefix string, f func(blob.Object) error) error {
	return b.answer("walk", func() error {
		for _, key := range slices.Sorted(maps.Keys(b.files)) {
			if !strings.HasPrefix(key, prefix) {
				continue
			}
			if err := f(blob.Object{Key: key, Modified: b.files[key].at}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *fakeBlobs) Delete(_ context.Context, key string) error {
	return b.answer("delete", func() error {
		delete(b.files, key)
		return nil
	})
}

func (b *fakeBlobs) DeletePrefix(_ context.Context, prefix string) error {
	return b.answer("delete", func() error {
		maps.DeleteFunc(b.files, func(key string, _ file) bool { return strings.HasPrefix(key, prefix) })
		return nil
	})
}
