// SPDX-License-Identifier: Apache-2.0

package webhooksecret_test

import (
	"bytes"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/webhooksecret"
)

const first, other = "1b4e28ba-2fa1-41d2-883f-0016d3cca427", "6fa459ea-ee8a-4ca4-894e-db77e160355e"

func TestSecret(t *testing.T) {
	secretOf := func(key byte, change func(*v1beta1.WebhookEndpoint)) string {
		t.Helper()
		d, err := webhooksecret.New(bytes.Repeat([]byte{key}, 32))
		if err != nil {
			t.Fatal(err)
		}
		w := &v1beta1.WebhookEndpoint{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "crm", UID: first}}
		change(w)
		s, err := d.Secret(w)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := standardwebhooks.NewWebhook(s); err != nil {
			t.Errorf("the library does not accept the secret: %v", err)
		}
		return s
	}
	want := secretOf(1, func(*v1beta1.WebhookEndpoint) {})
	at := time.Date(2026, 11, 27, 4, 0, 0, 123456000, time.UTC)
	for name, c := range map[string]struct {
		key    byte
		change func(*v1beta1.WebhookEndpoint)
		same   bool
	}{
		"again":       {1, func(*v1beta1.WebhookEndpoint) {}, true},
		"renamed":     {1, func(w *v1beta1.WebhookEndpoint) { w.Name = "other" }, true},
		"other key":   {2, func(*v1beta1.WebhookEndpoint) {}, false},
		"other uid":   {1, func(w *v1beta1.WebhookEndpoint) { w.UID = other }, false},
		"other space": {1, func(w *v1beta1.WebhookEndpoint) { w.Namespace = "other" }, false},
		"rotated":     {1, func(w *v1beta1.WebhookEndpoint) { w.Spec.RotateAt = ptr.To(metav1.NewMicroTime(at)) }, false},
		"restored": {1, func(w *v1beta1.WebhookEndpoint) {
			w.UID = other
			v1beta1.SetOrigin(w, first, metav1.NewTime(at))
		}, true},
	} {
		if got := secretOf(c.key, c.change); (got == want) != c.same {
			t.Errorf("%s: got the same secret: %v", name, got == want)
		}
	}
	in := func(zone *time.Location) string {
		return secretOf(1, func(w *v1beta1.WebhookEndpoint) { w.Spec.RotateAt = ptr.To(metav1.NewMicroTime(at.In(zone))) })
	}
	if in(time.UTC) != in(time.FixedZone("x", 3600)) {
		t.Error("the time zone of spec.rotateAt changes the secret")
	}
	if _, err := webhooksecret.New(make([]byte, 31)); err == nil {
		t.Error("a short signing key is accepted")
	}
}
