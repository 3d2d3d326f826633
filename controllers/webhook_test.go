// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

var _ = Describe("WebhookEndpoint", func() {
	It("delivers the events of an account to a receiver that verifies them", func() {
		ns := tenant(nil)
		type request struct {
			header http.Header
			body   string
		}
		var mu sync.Mutex
		var got []request
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			got = append(got, request{r.Header, string(body)})
		}))
		DeferCleanup(server.Close)
		received := func() []request {
			mu.Lock()
			defer mu.Unlock()
			return append([]request{}, got...)
		}

		By("creating the signing secret")
		w := &v1beta1.WebhookEndpoint{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "hook"},
			Spec:       v1beta1.WebhookEndpointSpec{URL: strings.Replace(server.URL, "127.0.0.1", "localhost", 1)},
		}
		Expect(k8s.Create(ctx, w)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(w), w)).To(Succeed())
			g.Expect(ready(w.Status.Conditions)).To(HaveField("Status", metav1.ConditionTrue))
		}).Should(Succeed())
		secret := &corev1.Secret{}
		Expect(k8s.Get(ctx, client.ObjectKey{Namespace: ns, Name: w.SecretName()}, secret)).To(Succeed())
		key, err := standardwebhooks.NewWebhook(string(secret.Data["secret"]))
		Expect(err).NotTo(HaveOccurred())

		By("sending the end of the work on slides")
		s := testkit.HandWritten(ns, "show", "acme", "One", "Two", "Three")
		Expect(k8s.Create(ctx, s)).To(Succeed())
		awaitWork(s)
		Eventually(received).Should(HaveLen(1))
		r := received()[0]
		Expect(key.Verify([]byte(r.body), r.header)).To(Succeed())
		Expect(r.body).To(And(ContainSubstring(`"type":"job.succeeded"`), ContainSubstring(`"sequence":1`), ContainSubstring(`"name":"show"`)))

		By("sending a test")
		Eventually(func() error {
			Expect(k8s.Get(ctx, client.ObjectKeyFromObject(w), w)).To(Succeed())
			w.Spec.TestAt = ptr.To(metav1.NewMicroTime(time.Now()))
			return k8s.Update(ctx, w)
		}).Should(Succeed())
		Eventually(received).Should(HaveLen(2))
		r = received()[1]
		Expect(key.Verify([]byte(r.body), r.header)).To(Succeed())
		Expect(r.body).To(ContainSubstring(`"type":"webhook.test"`))

		By("writing nothing in steady state")
		becomesStable(w)
		Expect(w.Status.Deliveries).To(HaveLen(2))
	})
})
