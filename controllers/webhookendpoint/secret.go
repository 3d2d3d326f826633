// SPDX-License-Identifier: Apache-2.0

package webhookendpoint

import (
	"context"
	"errors"
	"fmt"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/webhooksecret"
)

const (
	// Component is the value of the label reelops.dev/component of signing secrets.
	Component = "webhook"
	// secretType is the type of signing secrets.
	secretType corev1.SecretType = "reelops.dev/webhook"
	// rotationTime is how long a rotated secret still signs.
	rotationTime = 24 * time.Hour
)

// Keys of a Secret. A rotation is one update of the Secret: it records the request that it is for.
const (
	keyCurrent, keyPrevious = "secret", "previous"
	keyUntil, keyRotation   = "previousUntil", "rotation"
)

// uncached makes a write leave the cache alone. The manager may not list Secrets, so that the cache cannot have them.
const uncached = client.DisableReadYourWritesConsistency

// errForeign means that the name of the Secret is taken by another Secret.
var errForeign = errors.New("the Secret is not a signing secret of Reelops")

// secrets returns the secrets that sign now: the current one, and the previous one for 24 hours after a rotation. It
// creates the Secret, and rotates it if the spec requests it.
func (r *Reconciler) secrets(
	ctx context.Context, w *v1beta1.WebhookEndpoint, now time.Time,
) ([]*standardwebhooks.Webhook, error) {
	rotation := webhooksecret.Rotation(w)
	derived, err := r.Secrets.Secret(w)
	if err != nil {
		return nil, fmt.Errorf("deriving the signing secret: %w", err)
	}
	s := &corev1.Secret{}
	err = r.Live.Get(ctx, client.ObjectKey{Namespace: w.Namespace, Name: w.SecretName()}, s)
	switch {
	case apierrors.IsNotFound(err):
		s = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: w.Namespace, Name: w.SecretName(), Labels: map[string]string{v1beta1.LabelComponent: Component},
				OwnerReferences: []metav1.OwnerReference{{
					APIVersion: v1beta1.GroupVersion.String(), Kind: "WebhookEndpoint", Name: w.Name, UID: w.UID,
				}},
			},
			Type: secretType, Data: map[string][]byte{keyCurrent: []byte(derived), keyRotation: []byte(rotation)},
		}
		if err := r.Client.Create(ctx, s, uncached); err != nil {
			return nil, fmt.Errorf("creating the signing secret: %w", err)
		}
	case err != nil:
		return nil, fmt.Errorf("reading the signing secret: %w", err)
	case s.Type != secretType || s.Labels[v1beta1.LabelComponent] != Component:
		return nil, errForeign
	case string(s.Data[keyRotation]) != rotation:
		s.Data = map[string][]byte{
			keyPrevious: s.Data[keyCurrent], keyUntil: []byte(now.Add(rotationTime).UTC().Format(time.RFC3339)),
			keyCurrent: []byte(derived), keyRotation: []byte(rotation),
		}
		if err := r.Client.Update(ctx, s, uncached); err != nil {
			return nil, fmt.Errorf("rotating the signing secret: %w", err)
		}
	}
	return signers(s, now)
}

// signers returns the secrets of a Secret that sign now.
func signers(s *corev1.Secret, now time.Time) ([]*standardwebhooks.Webhook, error) {
	current, err := standardwebhooks.NewWebhook(string(s.Data[keyCurrent]))
	if err != nil {
		return nil, errForeign // the error of the library may contain the secret
	}
	out := []*standardwebhooks.Webhook{current}
	until, _ := time.Parse(time.RFC3339, string(s.Data[keyUntil])) // without one, the zero time
	if !now.Before(until) {
		return out, nil
	}
	if previous, err := standardwebhooks.NewWebhook(string(s.Data[keyPrevious])); err == nil {
		out = append(out, previous)
	}
	return out, nil
}
