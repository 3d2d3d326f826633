// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/blobkey"
	"github.com/reelops/reelops/internal/identity"
	"github.com/reelops/reelops/internal/ids"
)

func (a *admin) accountCommand() *cobra.Command {
	var email string
	var limit, credits int32
	create := &cobra.Command{
		Use: "create NAME", Short: "Make an account with its namespace", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			plan := v1beta1.Plan{}
			if cmd.Flags().Changed("slideshow-limit") {
				plan.SlideshowLimit = &limit
			}
			if cmd.Flags().Changed("credits") {
				plan.Credits = &credits
			}
			return a.createAccount(cmd.Context(), args[0], email, plan)
		},
	}
	f := create.Flags()
	f.StringVar(&email, "email", "", "address of the account's owner (required)")
	f.Int32Var(&limit, "slideshow-limit", 0, "slideshows and videos a month; without it there is no limit")
	f.Int32Var(&credits, "credits", 0, "credits for AI pictures; without it the plan shows none")
	_ = create.MarkFlagRequired("email")
	return group("account", "Tenants: a namespace each", create)
}

// createAccount makes the namespace and the account in it. A first try that was cut off between the two is completed.
func (a *admin) createAccount(ctx context.Context, name, email string, plan v1beta1.Plan) error {
	if name == blobkey.Shared {
		return fmt.Errorf("the name %q is reserved: every account may read imports/%s/. Choose another name", name, blobkey.Shared)
	}
	if err := a.namespace(ctx, name); err != nil {
		return err
	}
	id, err := a.ids.Next(ctx, ids.Accounts)
	if err != nil {
		return err
	}
	account := &v1beta1.Account{
		ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: v1beta1.AccountName, Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10)}},
		Spec:       v1beta1.AccountSpec{Email: email, Plan: plan},
	}
	if err := a.client.Create(ctx, account); apierrors.IsAlreadyExists(err) {
		return accountExists(name)
	} else if err != nil {
		return explained(err)
	}
	return a.print(map[string]any{"id": id, "name": name, "namespace": name, "email": email},
		fmt.Sprintf("account %q is made (id %d, namespace %q)", name, id, name))
}

// namespace makes the account's namespace, or finds the one that an earlier try made. A namespace that is somebody else's,
// such as kube-system, does not become an account by a mistyped name.
func (a *admin) namespace(ctx context.Context, name string) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		v1beta1.LabelAccount:                         name,
		"pod-security.kubernetes.io/enforce":         "restricted",
		"pod-security.kubernetes.io/enforce-version": "latest",
		"pod-security.kubernetes.io/audit":           "restricted",
		"pod-security.kubernetes.io/warn":            "restricted",
	}}}
	err := a.client.Create(ctx, ns)
	if err == nil {
		return nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return explained(err)
	}
	if err := a.client.Get(ctx, client.ObjectKey{Name: name}, ns); err != nil {
		return err
	}
	switch err := a.client.Get(ctx, client.ObjectKey{Namespace: name, Name: v1beta1.AccountName}, &v1beta1.Account{}); {
	case err == nil:
		return accountExists(name)
	case !apierrors.IsNotFound(err):
		return err
	case !ns.DeletionTimestamp.IsZero():
		return fmt.Errorf("the namespace %q is being deleted: wait until it is gone", name)
	case ns.Labels[v1beta1.LabelAccount] != name:
		return fmt.Errorf("the namespace %q exists and was not made for an account: choose another name, "+
			"or hand it over with `kubectl label namespace %s %s=%s`", name, name, v1beta1.LabelAccount, name)
	}
	return nil
}

func accountExists(name string) error { return fmt.Errorf("the account %q exists", name) }

func (a *admin) brandCommand() *cobra.Command {
	var account, display, website, language string
	create := &cobra.Command{
		Use: "create NAME", Short: "Make a brand", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if err := a.mustExist(ctx, account, v1beta1.AccountName, &v1beta1.Account{}, fmt.Sprintf("there is no account %q: make it with `account create`", account)); err != nil {
				return err
			}
			id, err := a.ids.Next(ctx, ids.Brands)
			if err != nil {
				return err
			}
			b := &v1beta1.Brand{
				ObjectMeta: metav1.ObjectMeta{Namespace: account, Name: args[0], Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10)}},
				Spec:       v1beta1.BrandSpec{DisplayName: display, Website: website, Language: language},
			}
			if err := a.client.Create(ctx, b); apierrors.IsAlreadyExists(err) {
				return fmt.Errorf("the brand %q exists in the account %q", args[0], account)
			} else if err != nil {
				return explained(err)
			}
			return a.print(map[string]any{"id": id, "name": args[0], "account": account}, fmt.Sprintf("brand %q is made (id %d)", args[0], id))
		},
	}
	f := create.Flags()
	f.StringVar(&account, "account", "", "account of the brand (required)")
	f.StringVar(&display, "display-name", "", "the brand's name for people; default: NAME")
	f.StringVar(&website, "website", "", "the brand's website")
	f.StringVar(&language, "language", "", "language of the brand's texts, such as en or pt-BR")
	_ = create.MarkFlagRequired("account")
	return group("brand", "Brands of an account", create)
}

func (a *admin) mustExist(ctx context.Context, namespace, name string, into client.Object, otherwise string) error {
	err := a.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, into)
	if apierrors.IsNotFound(err) {
		return errors.New(otherwise)
	}
	return err
}

// idOf is an object's id for people; 0 before it has one.
func idOf(o client.Object) int64 {
	id, _ := identity.Of(o)
	return id
}

// explained takes the sentences out of an API server's refusal.
func explained(err error) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		return err
	}
	var out error
	for _, c := range status.Status().Details.Causes {
		out = errors.Join(out, fmt.Errorf("%s: %s", c.Field, c.Message))
	}
	return out
}
