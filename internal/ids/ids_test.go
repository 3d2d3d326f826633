// SPDX-License-Identifier: Apache-2.0

package ids_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/internal/ids"
)

func TestNoIDIsGivenTwice(t *testing.T) {
	c := fake.NewClientBuilder().Build()
	var mu sync.Mutex
	given := map[int64]int{}
	var wg sync.WaitGroup
	for range 4 { // processes
		a := ids.New(c, "system")
		for range 4 { // goroutines of each
			wg.Go(func() {
				for range 50 {
					id, err := a.Next(context.Background(), ids.Shorts)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					given[id]++
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	if len(given) != 800 {
		t.Errorf("800 ids were asked for, %d different ones given", len(given))
	}
	for id := range given {
		if id < 1 {
			t.Errorf("id %d is not positive", id)
		}
	}
}

func TestSpacesAreApartAndStartAtOne(t *testing.T) {
	c := fake.NewClientBuilder().Build()
	a := ids.New(c, "system")
	for _, s := range []ids.Space{ids.Shorts, ids.Media} {
		for want := int64(1); want <= 20; want++ {
			if id, err := a.Next(t.Context(), s); err != nil || id != want {
				t.Fatalf("%s: %d, %v, want %d", s, id, err, want)
			}
		}
	}
}

func TestLostAnswers(t *testing.T) {
	lost := errors.New("the connection broke")
	losing := false
	c := interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{
		Create: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return errors.Join(w.Create(ctx, o, opts...), lose(losing, lost))
		},
		Update: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return errors.Join(w.Update(ctx, o, opts...), lose(losing, lost))
		},
	})
	seen := map[int64]bool{}
	for i := range 6 {
		losing = i%2 == 0
		id, err := ids.New(c, "system").Next(t.Context(), ids.Posts)
		if losing {
			if !errors.Is(err, lost) {
				t.Fatalf("a lost answer was not reported: %v", err)
			}
			continue
		}
		if err != nil || seen[id] {
			t.Errorf("id %d again, %v", id, err)
		}
		seen[id] = true
	}
}

func TestBrokenStateIsNotGuessed(t *testing.T) {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "system", Name: "reelops-ids-shorts"}, Data: map[string]string{"next": "many"}}
	c := fake.NewClientBuilder().WithObjects(cm).Build()
	if id, err := ids.New(c, "system").Next(t.Context(), ids.Shorts); err == nil || !strings.Contains(err.Error(), "holds no number") {
		t.Errorf("id %d, %v", id, err)
	}
}

func lose(yes bool, err error) error {
	if yes {
		return err
	}
	return nil
}
