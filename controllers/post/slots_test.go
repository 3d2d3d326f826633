// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// slowPlatform blocks uploads of the first account until release, and accepts others at once.
type slowPlatform struct {
	platform
	release  chan struct{}
	mu       sync.Mutex
	now      int
	most     int
	prepared map[string]bool
}

func (s *slowPlatform) Prepare(_ context.Context, a publish.Account, draft publish.Draft, _ []byte, _ func([]byte) error) (publish.Step, error) {
	if a.ID == "maya" {
		s.mu.Lock()
		s.now++
		s.most = max(s.most, s.now)
		s.mu.Unlock()
		<-s.release
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.ID == "maya" {
		s.now--
	}
	s.prepared[draft.Key] = true
	return publish.Step{Note: []byte("done"), Ready: true}, nil
}

// TestUpload_SlowAccountDoesNotBlockOthers lets one account upload more posts than there are slots, slowly. The
// upload of another account does not wait for them.
func TestUpload_SlowAccountDoesNotBlockOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		due := noon.Add(30 * time.Minute)
		var objects []client.Object
		var greedy []client.ObjectKey
		add := func(namespace, account, id string) client.ObjectKey {
			p := aPost(id, due)
			p.Namespace, p.Spec.Account = namespace, account
			objects = append(objects, p)
			return client.ObjectKeyFromObject(p)
		}
		for _, account := range [][2]string{{"tenant", "maya"}, {"other", "noor"}} {
			a, b, brand := socialAccount(), postBatch(due), aBrand(false)
			a.Namespace, a.Name, b.Namespace, brand.Namespace = account[0], account[1], account[0], account[0]
			objects = append(objects, a, b, brand)
		}
		for i := range preparations + 6 {
			greedy = append(greedy, add("tenant", "maya", fmt.Sprint(i+1)))
		}
		other := add("other", "noor", "99")

		w := newWorld(t, 0, none, objects...)
		slow := &slowPlatform{release: make(chan struct{}), prepared: map[string]bool{}}
		w.r = New(Config{
			Client: w.live, Live: w.live, Clock: w.clock, Events: w.events, Platforms: map[v1beta1.Platform]publish.Platform{catalog.TikTok: slow},
			Accounts: named{}, Sealer: plainSealer{}, Store: stored,
		})
		pass := func(key client.ObjectKey) {
			if _, err := w.r.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil {
				t.Error(err)
			}
		}
		for _, key := range greedy {
			go pass(key)
			synctest.Wait()
		}
		if slow.now != preparationsEach {
			t.Errorf("got %d concurrent uploads of one account", slow.now)
		}
		go pass(other)
		synctest.Wait()
		if !slow.prepared["uid-99"] {
			t.Errorf("the upload of the other account waits: prepared %v", slow.prepared)
		}
		close(slow.release)
		synctest.Wait()
		// Waiting posts are triggered one after the other.
		for range len(greedy) {
			keys, _ := w.r.queue.Pop(w.clock.Now())
			for _, key := range keys {
				pass(key)
			}
		}
		if len(slow.prepared) != len(greedy)+1 || slow.most != preparationsEach {
			t.Errorf("%d posts are prepared, at most %d at a time", len(slow.prepared), slow.most)
		}
	})
}
