// SPDX-License-Identifier: Apache-2.0

package tenancy

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/store/blobkey"
)

// Retry is the requeue delay of an object in a namespace that is not served.
const Retry = 2 * time.Minute

// Gate decides in which namespaces files are fetched and opened: in those of accounts, once the manager has its
// permissions there and the NetworkPolicy of render pods exists, and in the library's.
type Gate struct {
	// Accounts reads Accounts. A cache is sufficient: an Account that is not in the cache yet arrives with an event.
	Accounts client.Reader
	// Binder acquires the permissions and creates the NetworkPolicy; nil when the manager has all permissions, as in
	// tests.
	Binder interface {
		Bind(ctx context.Context, namespace string) error
	}
	// Meter measures the storage of accounts; nil for no limit.
	Meter *quota.Meter
	// System is the namespace of the installation, which has permissions and a NetworkPolicy of its own.
	System string
	// Library is the namespace whose media all accounts can see. It needs no Account.
	Library string
}

// Closed is the reason why a namespace is not served.
type Closed struct {
	Reason  v1beta1.Reason
	Message string // one sentence with the remedy
}

// Check returns nil if files may be fetched and opened in the namespace, else the reason why not. An error may be
// temporary. A nil Gate serves every namespace.
func (g *Gate) Check(ctx context.Context, namespace string) (*Closed, error) {
	if g == nil {
		return nil, nil
	}
	if namespace != g.Library {
		if namespace == blobkey.Shared {
			return &Closed{v1beta1.ReasonNamespaceReserved, ReservedMessage}, nil
		}
		err := g.Accounts.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1beta1.AccountName}, &v1beta1.Account{})
		if apierrors.IsNotFound(err) {
			return &Closed{v1beta1.ReasonAccountNotFound, fmt.Sprintf("The namespace %s has no Account named %q", namespace, v1beta1.AccountName)}, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the account: %w", err)
		}
	}
	if g.Binder == nil || namespace == g.System {
		return nil, nil
	}
	err := g.Binder.Bind(ctx, namespace)
	if apierrors.IsForbidden(err) {
		return &Closed{v1beta1.ReasonNamespaceNotLabelled, "Files are opened only in labelled namespaces: " + LabelCommand(namespace)}, nil
	}
	return nil, err
}

// Room returns nil if the account may store more, else the reason why not. The library has no limit. An error may be
// temporary.
func (g *Gate) Room(ctx context.Context, namespace string) (*Closed, error) {
	if g == nil || g.Meter == nil || namespace == g.Library {
		return nil, nil
	}
	account := &v1beta1.Account{}
	if err := g.Accounts.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1beta1.AccountName}, account); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	err := g.Meter.Admit(ctx, account, quota.Stored{Bytes: 1})
	var limit *quota.LimitError
	if errors.As(err, &limit) {
		return &Closed{v1beta1.ReasonQuotaExceeded, fmt.Sprintf("The plan allows %d %s and the account has %d: delete some, or raise the plan's limit",
			limit.Limit, limit.Resource, limit.Used)}, nil
	}
	return nil, err
}

// LabelCommand returns the command with which an administrator labels a namespace as an account's.
func LabelCommand(namespace string) string {
	return fmt.Sprintf("run `kubectl label namespace %s %s=%s`", namespace, v1beta1.LabelAccount, namespace)
}

// Opened returns a predicate for changes of an Account after which its namespace may be served: a changed spec, and a
// changed condition Connectable, which follows the label of the namespace.
func Opened() predicate.Predicate {
	connectable := func(o client.Object) bool {
		return meta.IsStatusConditionTrue(o.(*v1beta1.Account).Status.Conditions, string(v1beta1.ConditionConnectable))
	}
	return predicate.Or(predicate.GenerationChangedPredicate{}, predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return connectable(e.ObjectOld) != connectable(e.ObjectNew)
	}})
}

// ReservedMessage explains ReasonNamespaceReserved.
const ReservedMessage = "The name " + blobkey.Shared + " is reserved: every account may read imports/" + blobkey.Shared + "/. Use a namespace with another name"
