// SPDX-License-Identifier: Apache-2.0

package ids_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/internal/kube/ids"
)

const system = "reelops-system"

func counter(space ids.Space, next string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: "reelops-ids-" + string(space)},
		Data:       map[string]string{"next": next},
	}
}

func stored(t *testing.T, c client.Client, space ids.Space) string {
	t.Helper()
	cm := &corev1.ConfigMap{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(counter(space, "")), cm); err != nil {
		t.Fatal(err)
	}
	return cm.Data["next"]
}

func take(t *testing.T, a *ids.Allocator, space ids.Space, n int) []int64 {
	t.Helper()
	var out []int64
	for range n {
		id, err := a.Next(t.Context(), space)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, id)
	}
	return out
}

func TestNext_SpacesAreIndependent(t *testing.T) {
	a := ids.New(fake.NewClientBuilder().Build(), system, ids.BlockSize(2))
	for _, s := range ids.Spaces() {
		if d := cmp.Diff([]int64{1, 2, 3}, take(t, a, s, 3)); d != "" {
			t.Errorf("%s: got %s", s, d)
		}
	}
}

func TestNext_WritesEachBlockOnce(t *testing.T) {
	writes := 0
	c := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			writes++
			return c.Create(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			writes++
			return c.Update(ctx, o, opts...)
		},
	}).Build()
	take(t, ids.New(c, system, ids.BlockSize(10)), ids.Shorts, 20)
	if writes != 2 {
		t.Errorf("20 ids in blocks of 10 took %d writes, want 2", writes)
	}
	if got := stored(t, c, ids.Shorts); got != "21" {
		t.Errorf("got stored next %s, want 21", got)
	}
}

func TestNext_AnotherProcessContinuesAfterTheBlock(t *testing.T) {
	c := fake.NewClientBuilder().Build()
	take(t, ids.New(c, system, ids.BlockSize(10)), ids.Shorts, 3)
	if d := cmp.Diff([]int64{11}, take(t, ids.New(c, system, ids.BlockSize(10)), ids.Shorts, 1)); d != "" {
		t.Error(d)
	}
}

func TestNext_ManyProcesses(t *testing.T) {
	const processes, workers, each = 6, 4, 50
	c := fake.NewClientBuilder().Build()
	var (
		mu   sync.Mutex
		seen []int64
		wg   sync.WaitGroup
	)
	for range processes {
		a := ids.New(c, system, ids.BlockSize(3))
		for range workers {
			wg.Go(func() {
				for range each {
					id, err := a.Next(t.Context(), ids.Posts)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					seen = append(seen, id)
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	slices.Sort(seen)
	if n := len(slices.Compact(slices.Clone(seen))); n != processes*workers*each || n != len(seen) {
		t.Errorf("got %d different ids of %d, want %d", n, len(seen), processes*workers*each)
	}
}

var configMaps = schema.GroupResource{Resource: "configmaps"}

// faulty applies the n-th write or not, and returns an error or not, according to its script.
type faulty struct {
	apply bool
	err   error
}

func scripted(script ...faulty) client.WithWatch {
	n := 0
	step := func(write func() error) error {
		n++
		if n > len(script) {
			return write()
		}
		f := script[n-1]
		if f.apply {
			if err := write(); err != nil {
				return err
			}
		}
		return f.err
	}
	return fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return step(func() error { return c.Create(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return step(func() error { return c.Update(ctx, o, opts...) })
		},
	}).Build()
}

func TestNext_LostResponseSkipsTheBlock(t *testing.T) {
	lost := faulty{apply: true, err: errors.New("connection reset")}
	for name, c := range map[string]client.Client{
		"of the create": scripted(lost),
		"of an update":  scripted(faulty{apply: true}, lost),
	} {
		t.Run(name, func(t *testing.T) {
			a := ids.New(c, system, ids.BlockSize(1))
			var got []int64
			for range 3 {
				if id, err := a.Next(t.Context(), ids.Keys); err == nil {
					got = append(got, id)
				}
			}
			got = append(got, take(t, ids.New(c, system, ids.BlockSize(1)), ids.Keys, 1)...)
			if len(got) != 3 || len(slices.Compact(slices.Clone(got))) != 3 {
				t.Errorf("got %v, want three different ids, without the lost block", got)
			}
		})
	}
}

func TestNext_RetriesAConflict(t *testing.T) {
	conflict := faulty{err: apierrors.NewConflict(configMaps, "x", errors.New("changed"))}
	exists := faulty{err: apierrors.NewAlreadyExists(configMaps, "x")}
	a := ids.New(scripted(exists, faulty{apply: true}, conflict, conflict), system, ids.BlockSize(1))
	if d := cmp.Diff([]int64{1, 2}, take(t, a, ids.Shorts, 2)); d != "" {
		t.Error(d)
	}
}

func TestNext_EndlessConflicts(t *testing.T) {
	conflict := faulty{err: apierrors.NewConflict(configMaps, "x", errors.New("changed"))}
	_, err := ids.New(scripted(slices.Repeat([]faulty{conflict}, 1000)...), system).Next(t.Context(), ids.Shorts)
	if !apierrors.IsConflict(err) {
		t.Errorf("got %v, want the conflict", err)
	}
}

func TestNext_DeletedOrDecreasedCounter(t *testing.T) {
	for name, spoil := range map[string]func(context.Context, client.Client) error{
		"deleted":   func(ctx context.Context, c client.Client) error { return c.Delete(ctx, counter(ids.Shorts, "")) },
		"decreased": func(ctx context.Context, c client.Client) error { return c.Update(ctx, counter(ids.Shorts, "1")) },
	} {
		t.Run(name, func(t *testing.T) {
			c := fake.NewClientBuilder().Build()
			a := ids.New(c, system, ids.BlockSize(2))
			take(t, a, ids.Shorts, 2)
			if err := spoil(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]int64{3}, take(t, a, ids.Shorts, 1)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestNext_InvalidCounter(t *testing.T) {
	for _, bad := range []string{"", "x", "0", "-5", "1.5", "9007199254740993"} {
		t.Run(bad, func(t *testing.T) {
			c := fake.NewClientBuilder().WithObjects(counter(ids.Shorts, bad)).Build()
			_, err := ids.New(c, system).Next(t.Context(), ids.Shorts)
			if err == nil || !strings.Contains(err.Error(), "data.next is "+fmt.Sprintf("%q", bad)) {
				t.Errorf("got %v, want a message about data.next", err)
			}
			if got := stored(t, c, ids.Shorts); got != bad {
				t.Errorf("the counter became %q", got)
			}
		})
	}
}

func TestNext_LastID(t *testing.T) {
	c := fake.NewClientBuilder().WithObjects(counter(ids.Shorts, fmt.Sprint(ids.Max-1))).Build()
	a := ids.New(c, system)
	if d := cmp.Diff([]int64{ids.Max - 1, ids.Max}, take(t, a, ids.Shorts, 2)); d != "" {
		t.Error(d)
	}
	if _, err := a.Next(t.Context(), ids.Shorts); !errors.Is(err, ids.ErrExhausted) {
		t.Errorf("got %v, want ErrExhausted", err)
	}
}

func TestNext_MissingNamespace(t *testing.T) {
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, system)
	_, err := ids.New(scripted(faulty{err: gone}), system).Next(t.Context(), ids.Shorts)
	if err == nil || !strings.Contains(err.Error(), `namespace "reelops-system" does not exist`) {
		t.Errorf("got %v", err)
	}
}

func TestNext_UnknownSpace(t *testing.T) {
	if _, err := ids.New(fake.NewClientBuilder().Build(), system).Next(t.Context(), "socks"); err == nil {
		t.Error("an unknown space returned an id")
	}
}

func TestNext_EndsWithItsContext(t *testing.T) {
	blocked, release := make(chan struct{}), make(chan struct{})
	c := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, k client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			close(blocked)
			<-release
			return c.Get(ctx, k, o, opts...)
		},
	}).Build()
	a := ids.New(c, system)
	done := make(chan error)
	go func() {
		_, err := a.Next(t.Context(), ids.Shorts)
		done <- err
	}()
	<-blocked
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Next(ctx, ids.Shorts); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error while another lease runs", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
