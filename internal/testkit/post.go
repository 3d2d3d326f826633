// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// ScheduledPost returns a Post of a namespace that publishes media and is not sent yet.
func ScheduledPost(namespace string, media v1beta1.PostMedia) *v1beta1.Post {
	return &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "tea-tiktok"},
		Spec: v1beta1.PostSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, Batch: "tea", Account: "tik", Platform: "tiktok", ShortID: 7, Revision: 1, PostingMode: "direct",
			Media: media, ScheduledAt: metav1.NowMicro(),
		},
	}
}
