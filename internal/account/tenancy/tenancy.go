// SPDX-License-Identifier: Apache-2.0

// Package tenancy lets the manager read the Secrets of accounts' namespaces, and of no others. Roles of Kubernetes cannot tell one
// Secret from another by its label, so the right to read them is given for one namespace at a time: the manager binds itself to the
// role of accounts where an Account is. The cluster's policies let it do so only in a namespace that an administrator has labelled as
// an account's. The package decides nothing about Secrets; internal/social/credential does.
package tenancy

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// Role is the ClusterRole of what the manager does in an account's namespace, and the name of the RoleBinding there.
	Role = "reelops-manager-account"
	// ServiceAccount is the default name of the manager's ServiceAccount. The admission policies recognize the manager by its name.
	ServiceAccount = "reelops-manager"
)

// lookAgain is how long a binding is taken to be there that was seen.
const lookAgain = 10 * time.Minute

// Binder binds the manager. It may be used by many at once.
type Binder struct {
	client  client.Client
	manager rbacv1.Subject
	clock   clock.PassiveClock

	mu   sync.Mutex
	seen map[string]time.Time
}

// New returns a Binder of the manager that runs as a ServiceAccount. The client goes to the cluster itself, not to a cache.
func New(c client.Client, manager types.NamespacedName, k clock.PassiveClock) *Binder {
	subject := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: manager.Namespace, Name: manager.Name}
	return &Binder{client: c, manager: subject, clock: k, seen: map[string]time.Time{}}
}

// Bind sees to it that the manager may read the Secrets of an account's namespace. It asks the cluster at most every ten minutes. An
// error that apierrors.IsForbidden knows says that the namespace is not an account's, and what an administrator does about it.
func (b *Binder) Bind(ctx context.Context, namespace string) error {
	now := b.clock.Now()
	b.mu.Lock()
	at, ok := b.seen[namespace]
	b.mu.Unlock()
	if ok && now.Sub(at) < lookAgain {
		return nil
	}
	bound := &rbacv1.RoleBinding{}
	err := b.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: Role}, bound)
	switch {
	case apierrors.IsNotFound(err):
		err = client.IgnoreAlreadyExists(b.client.Create(ctx, b.binding(namespace)))
	case err == nil && !slices.Contains(bound.Subjects, b.manager):
		err = fmt.Errorf("the RoleBinding %s binds another ServiceAccount than %s/%s: delete it, and the manager creates it again", Role, b.manager.Namespace, b.manager.Name)
	}
	if err != nil {
		return fmt.Errorf("taking the right to read the tokens of %s: %w", namespace, err)
	}
	b.mu.Lock()
	b.seen[namespace] = now
	b.mu.Unlock()
	return nil
}

func (b *Binder) binding(namespace string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: Role, Labels: map[string]string{"app.kubernetes.io/part-of": "reelops"}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: Role},
		Subjects:   []rbacv1.Subject{b.manager},
	}
}
