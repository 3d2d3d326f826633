// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/store/blobkey"
)

func newAccountCreateCommand(f *factory) *cobra.Command {
	var email string
	var limit, credits int32
	c := forInstallation(&cobra.Command{
		Use: "create NAME", Short: "Create an account and its namespace", Args: cobra.ExactArgs(1),
		Long: "Create an account and its namespace, which has the account's name. A namespace that exists becomes an account only with the label\n" +
			v1beta1.LabelAccount + "=NAME. If the command was interrupted, run it again.",
		Example: examples("account create acme --email owner@acme.example", "account create acme --email owner@acme.example --slideshow-limit 100 --credits 20"),
	})
	flags := c.Flags()
	flags.StringVar(&email, "email", "", "Email address of the account's owner (required)")
	flags.Int32Var(&limit, "slideshow-limit", 0, "Slideshows and videos in a month; unlimited if unset")
	flags.Int32Var(&credits, "credits", 0, "Credits for AI images in a month; AI images cost no credits if unset")
	_ = c.MarkFlagRequired("email")
	return printsResult(f, c, func(ctx context.Context, a *admin, args []string) (*result, error) {
		plan := v1beta1.Plan{}
		if flags.Changed("slideshow-limit") {
			plan.SlideshowLimit = &limit
		}
		if flags.Changed("credits") {
			plan.Credits = &credits
		}
		return a.createAccount(ctx, args[0], email, plan)
	})
}

// createAccount creates the namespace and then the account in it. A second run completes one that was interrupted in
// between.
func (a *admin) createAccount(ctx context.Context, name, email string, plan v1beta1.Plan) (*result, error) {
	if name == blobkey.Shared {
		return nil, usagef("the name %q is reserved: every account may read imports/%s/. Choose another name", name, blobkey.Shared)
	}
	if err := a.createNamespace(ctx, name); err != nil {
		return nil, err
	}
	id, err := a.ids.Next(ctx, ids.Accounts)
	if err != nil {
		return nil, err
	}
	account := &v1beta1.Account{
		ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: v1beta1.AccountName, Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10)}},
		Spec:       v1beta1.AccountSpec{Email: email, Plan: plan},
	}
	if err := a.client.Create(ctx, account); apierrors.IsAlreadyExists(err) {
		return nil, accountExists(name)
	} else if err != nil {
		return nil, err
	}
	return &result{
		object: account, fields: map[string]any{"id": id, "name": name, "namespace": name, "email": email},
		text: fmt.Sprintf("account %q created (id %d, namespace %q)", name, id, name),
	}, nil
}

// createNamespace creates the account's namespace, or accepts the one of an interrupted run. It refuses a namespace
// without the account's label, such as kube-system: a mistyped name must not turn it into an account.
func (a *admin) createNamespace(ctx context.Context, name string) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		v1beta1.LabelAccount:                         name,
		"pod-security.kubernetes.io/enforce":         "restricted",
		"pod-security.kubernetes.io/enforce-version": "latest",
		"pod-security.kubernetes.io/audit":           "restricted",
		"pod-security.kubernetes.io/warn":            "restricted",
	}}}
	if err := a.client.Create(ctx, ns); !apierrors.IsAlreadyExists(err) {
		return err
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
		return fmt.Errorf("the namespace %q is being deleted: wait until it is deleted", name)
	case ns.Labels[v1beta1.LabelAccount] != name:
		return fmt.Errorf("the namespace %q exists and is not labelled for an account: choose another name, "+
			"or label it with `kubectl label namespace %s %s=%s`", name, name, v1beta1.LabelAccount, name)
	}
	return nil
}

func accountExists(name string) error { return fmt.Errorf("the account %q exists", name) }
