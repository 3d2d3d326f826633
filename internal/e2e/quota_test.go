// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// TestQuota_IsExactDespiteKills sends far more requests than the plan allows while the front end is killed, for example
// between reservation and creation. Callers retry lost requests. As many are accepted as the plan allows, and each
// creates its slideshow. No reservation is left for a slideshow that does not exist.
func TestQuota_IsExactDespiteKills(t *testing.T) {
	const asked, limit, kills = 300, 150, 8
	t.Parallel()
	s := newStack(t)
	managers := s.find("manager")
	for _, m := range managers {
		m.freeze()
	}
	resume := sync.OnceFunc(func() {
		for _, m := range managers {
			m.resume()
		}
	})
	defer resume()
	account := &v1beta1.Account{}
	key := client.ObjectKey{Namespace: tenant, Name: v1beta1.AccountName}
	if err := s.kube.Get(t.Context(), key, account); err != nil {
		t.Fatal(err)
	}
	account.Spec.Plan.SlideshowLimit = ptr.To[int32](limit)
	if err := s.kube.Update(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	f := s.newKillableFrontEnd(t)
	f.start(t)
	apiKey := s.newKey(t)
	NewWithT(t).Eventually(func(g Gomega) {
		out, err := (&api{f.url, apiKey}).do(http.MethodGet, "/account", nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(out.data)).To(ContainSubstring(fmt.Sprintf(`"slideshow_limit":%d`, limit)))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())

	var accepted, refused, broken atomic.Int64
	call := func(i int) (done bool) {
		doc := fmt.Appendf(nil, `{"context":"One of many, number %d."}`, i)
		req, err := http.NewRequest(http.MethodPost, f.url+"/api/v1/slideshows", bytes.NewReader(doc))
		if err != nil {
			t.Error(err)
			return true
		}
		req.Header.Set("Authorization", "Bearer "+apiKey)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", fmt.Sprintf("last-%d", i))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			broken.Add(1)
			return false
		}
		defer func() { _ = res.Body.Close() }()
		var envelope struct{ Errors []problem }
		if err := json.NewDecoder(res.Body).Decode(&envelope); err != nil {
			broken.Add(1)
			return false
		}
		switch {
		case res.StatusCode == http.StatusAccepted:
			accepted.Add(1)
		case res.StatusCode == http.StatusForbidden && envelope.Errors[0].Code == "quota_exceeded":
			refused.Add(1)
		default:
			return false
		}
		return true
	}
	todo := make(chan int)
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for i := range todo {
				NewGomega(func(message string, _ ...int) { t.Error(message) }).Eventually(func() bool { return call(i) }).
					WithTimeout(waitTimeout).WithPolling(poll).Should(BeTrue(), "request %d is accepted or rejected",
					i)
			}
		})
	}
	all.Go(func() {
		for i := range asked {
			todo <- i
		}
		close(todo)
	})
	for kill := range kills {
		due := int64((kill + 1) * limit / (kills + 1))
		NewWithT(t).Eventually(accepted.Load).WithTimeout(waitTimeout).WithPolling(fastPoll).Should(BeNumerically(">=", due),
			"accepted requests before kill %d", kill+1)
		f.kill(t)
		f.start(t)
	}
	all.Wait()
	t.Logf("%d accepted, %d rejected, %d connections lost", accepted.Load(), refused.Load(), broken.Load())
	if accepted.Load() != limit || refused.Load() != asked-limit {
		t.Errorf("%d of %d requests were accepted and %d rejected, with %d slideshows in the plan",
			accepted.Load(), asked, refused.Load(), limit)
	}
	if broken.Load() == 0 {
		t.Error("no kill interrupted a request")
	}

	var shows v1beta1.SlideshowList
	if err := s.kube.List(t.Context(), &shows, client.InNamespace(tenant)); err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for i := range shows.Items {
		there[shows.Items[i].Name] = true
	}
	if err := s.kube.Get(t.Context(), key, account); err != nil {
		t.Fatal(err)
	}
	for _, h := range account.Status.Holds {
		if !there[h.Slideshow] {
			t.Errorf("slideshow %s is reserved but does not exist", h.Slideshow)
		}
	}
	if len(there) != limit || len(account.Status.Holds) != limit {
		t.Errorf("got %d slideshows and %d reservations", len(there), len(account.Status.Holds))
	}

	// They are deleted before any controller processed them, but they still count because they were accepted.
	if err := s.kube.DeleteAllOf(t.Context(), &v1beta1.Slideshow{}, client.InNamespace(tenant)); err != nil {
		t.Fatal(err)
	}
	resume()
	NewWithT(t).Eventually(func(g Gomega) {
		g.Expect(s.kube.Get(t.Context(), key, account)).To(Succeed())
		g.Expect(account.Status.Holds).To(BeEmpty())
		g.Expect(account.Status.Usage.SlideshowsUsed).To(BeEquivalentTo(limit))
		g.Expect(s.kube.List(t.Context(), &shows, client.InNamespace(tenant))).To(Succeed())
		g.Expect(shows.Items).To(BeEmpty())
	}).WithTimeout(2 * waitTimeout).WithPolling(slowPoll).Should(Succeed())
}
