// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

var _ = Describe("IdempotencyRecord", func() {
	It("is deleted after it expires, and not before", func() {
		ns := tenant(nil)
		record := func(name string, end time.Time) *v1beta1.IdempotencyRecord {
			r := &v1beta1.IdempotencyRecord{
				ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
				Spec: v1beta1.IdempotencyRecordSpec{
					ScopeHash: strings.Repeat("a", 64), Operation: "POST /api/v1/slideshows", KeyUID: "uid", Fingerprint: strings.Repeat("b", 64),
					Holder: "pod/1", HeldSince: metav1.NowMicro(), ExpiresAt: metav1.NewTime(end),
				},
			}
			Expect(k8s.Create(ctx, r)).To(Succeed())
			return r
		}
		stays := record("idem-stays", time.Now().Add(time.Hour))
		version := stays.ResourceVersion
		over := record("idem-over", time.Now().Add(-time.Hour))
		Eventually(func() bool { return apierrors.IsNotFound(k8s.Get(ctx, client.ObjectKeyFromObject(over), over)) }).Should(BeTrue())
		Expect(k8s.Get(ctx, client.ObjectKeyFromObject(stays), stays)).To(Succeed())
		Expect(stays.ResourceVersion).To(Equal(version))

		By("following an earlier expiry")
		stays.Spec.ExpiresAt = metav1.NewTime(time.Now().Add(-time.Hour))
		Expect(k8s.Update(ctx, stays)).To(Succeed())
		Eventually(func() bool { return apierrors.IsNotFound(k8s.Get(ctx, client.ObjectKeyFromObject(stays), stays)) }).Should(BeTrue())
	})
})
