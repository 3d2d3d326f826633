// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/testkit"
)

var _ = Describe("Authentication", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant() })

	// unauthorized expects a 401 with the code and its header.
	unauthorized := func(r *request, code catalog.Code) *answer {
		GinkgoHelper()
		a := r.refused(401, code)
		Expect(a.header.Get("WWW-Authenticate")).To(Equal(fmt.Sprintf(
			`Bearer realm="reelops", error="invalid_token", error_description="%s"`, a.at("errors.0.message"))))
		Expect(a.at("errors.0.retryable")).To(BeFalse())
		return a
	}

	It("is a key in Authorization: Bearer, with the scheme in any case", func() {
		key := t.key("read")
		get("/account").with(key).succeeds(200)
		for _, scheme := range []string{"bearer", "BEARER", "bEaReR"} {
			get("/account").named("Authorization", scheme+" "+key).succeeds(200)
		}
	})

	It("rejects a request without a key, or with an empty one, with missing_token", func() {
		unauthorized(get("/account"), catalog.MissingToken)
		for _, empty := range []string{"", "Bearer", "Bearer ", "bearer   "} {
			unauthorized(get("/account").named("Authorization", empty), catalog.MissingToken)
		}
	})

	It("rejects a key without a scheme and names the scheme to send", func() {
		key := t.key("read")
		for _, other := range []string{key, "Basic " + key, "Token " + key} {
			a := unauthorized(get("/account").named("Authorization", other), catalog.InvalidToken)
			Expect(a.at("errors.0.message")).To(ContainSubstring("Authorization: Bearer KEY"))
			Expect(a.raw).NotTo(ContainSubstring(key))
		}
	})

	It("rejects another scheme, an unknown key and a malformed one with invalid_token", func() {
		key := t.key("read")
		unknown, _, _ := apikey.New(apikey.DefaultPrefix)
		for _, wrong := range []string{
			"Basic " + key, key, "Bearer " + unknown, "Bearer " + key[:len(key)-1], "Bearer " + key + "x", "Bearer rlo_nothing",
			"Bearer other_" + key[4:], "Bearer " + key + " " + key,
		} {
			unauthorized(get("/account").named("Authorization", wrong), catalog.InvalidToken)
		}
	})

	It("accepts 1,000 new keys as soon as their creation returns", slow, func() {
		const writers, brandsEach = 4, 25
		together(writers, func(i int) {
			for n := range brandsEach {
				brand := fmt.Sprintf("brand-%d-%d", i, n)
				Expect(access.Plain.Create(ctx, testkit.Brand(t.namespace, brand))).To(Succeed())
				for k := range v1beta1.MaxKeysPerBrand {
					secret, hash, hint := apikey.New(apikey.DefaultPrefix)
					// Create it through another client: the front end's client would wait for its own cache.
					Expect(access.Plain.Create(ctx, &v1beta1.APIKey{
						ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: fmt.Sprintf("%s-%d", brand, k)},
						Spec: v1beta1.APIKeySpec{
							BrandRef: v1beta1.LocalRef{Name: brand}, DisplayName: "new", SecretSHA256: hash, Hint: hint, Scopes: []v1beta1.Scope{"read"},
						},
					})).To(Succeed())
					a := get("/account").with(secret).send()
					Expect(a.status).To(Equal(200), "key %d of brand %s: %s", k, brand, a.raw)
				}
			}
		})
	})

	It("accepts keys in no other place", func() {
		key := t.key("read")
		unauthorized(get("/account?api_key=%s&access_token=%s", key, key), catalog.MissingToken)
		unauthorized(get("/account").named("X-Api-Key", key).named("Cookie", "token="+key), catalog.MissingToken)
	})

	It("rejects a revoked key with key_revoked from the next request on, on every replica, permanently", func() {
		key, object := t.keyOf("acme", nil)
		other := newFront(frontOptions{change: replica})
		Eventually(func() int { return get("/account").with(key).at(other).send().status }).Should(Equal(200))
		get("/account").with(key).succeeds(200)
		change(object, func() { object.Spec.Revoked = true })
		unauthorized(get("/account").with(key), catalog.KeyRevoked)
		unauthorized(get("/account").with(key).at(other), catalog.KeyRevoked)
		back := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"revoked":false}}`))
		Expect(access.Client.Patch(ctx, object, back)).To(MatchError(ContainSubstring("a revoked key stays revoked")))
	})

	It("rejects an expired key with key_expired, and one that is also revoked with key_revoked", func() {
		past, soon := metav1.NewTime(time.Now().Add(-time.Second)), metav1.NewTime(time.Now().Add(time.Hour))
		expired, object := t.keyOf("acme", func(s *v1beta1.APIKeySpec) { s.ExpiresAt = &past })
		unauthorized(get("/account").with(expired), catalog.KeyExpired)
		change(object, func() { object.Spec.Revoked = true })
		unauthorized(get("/account").with(expired), catalog.KeyRevoked)
		lasting, _ := t.keyOf("acme", func(s *v1beta1.APIKeySpec) { s.ExpiresAt = &soon })
		Expect(get("/account").with(lasting).succeeds(200).at("data.api_key.expires_at")).To(Equal(soon.UTC().Format("2006-01-02T15:04:05Z")))
	})

	It("allows ten keys per brand: an eleventh is rejected until one of them is revoked", func() {
		_, first := t.keyOf("acme", nil)
		for range 9 {
			t.key("read")
		}
		eleventh, last := t.keyOf("acme", nil)
		refused := func(k *v1beta1.APIKey) func() string {
			return func() string {
				Expect(access.Client.Get(ctx, client.ObjectKeyFromObject(k), k)).To(Succeed())
				if c := meta.FindStatusCondition(k.Status.Conditions, string(v1beta1.ConditionReady)); c != nil {
					return c.Reason
				}
				return ""
			}
		}
		Eventually(refused(last)).Should(Equal(string(v1beta1.ReasonTooManyKeys)))
		unauthorized(get("/account").with(eleventh), catalog.InvalidToken)
		change(first, func() { first.Spec.Revoked = true })
		Eventually(refused(last)).Should(Equal(string(v1beta1.ReasonReady)))
		get("/account").with(eleventh).succeeds(200)
	})

	It("shows the time of the last use before this request, and the number of uses including it", func() {
		key := t.key("read")
		first := get("/account").with(key).succeeds(200)
		Expect(first.at("data.api_key.last_used_at")).To(BeNil())
		Expect(first.at("data.api_key.request_count")).To(BeEquivalentTo(1))
		second := get("/account").with(key).succeeds(200)
		Expect(second.at("data.api_key.last_used_at")).To(MatchRegexp(moment))
		Expect(second.at("data.api_key.request_count")).To(BeEquivalentTo(2))
	})
})
