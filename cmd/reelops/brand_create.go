// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/ids"
)

func newBrandCreateCommand(f *factory) *cobra.Command {
	var spec v1beta1.BrandSpec
	c := &cobra.Command{
		Use: "create NAME", Short: "Create a brand", Args: cobra.ExactArgs(1),
		Example: examples(`brand create coffee --account acme --display-name "Acme Coffee"`, "brand create tea -n acme --language pt-BR"),
	}
	account := addAccount(f, c, "Account of the brand")
	flags := c.Flags()
	flags.StringVar(&spec.DisplayName, "display-name", "", "Display name of the brand; default: NAME")
	flags.StringVar(&spec.Website, "website", "", "The brand's website")
	flags.StringVar(&spec.Language, "language", "", "Language of the brand's texts, such as en or pt-BR")
	return printsResult(f, c, func(ctx context.Context, a *admin, args []string) (*result, error) {
		in, err := account.one()
		if err != nil {
			return nil, err
		}
		return a.createBrand(ctx, in, args[0], spec)
	})
}

func (a *admin) createBrand(ctx context.Context, account, name string, spec v1beta1.BrandSpec) (*result, error) {
	if err := a.accountMustExist(ctx, account); err != nil {
		return nil, err
	}
	id, err := a.ids.Next(ctx, ids.Brands)
	if err != nil {
		return nil, err
	}
	b := &v1beta1.Brand{
		ObjectMeta: metav1.ObjectMeta{Namespace: account, Name: name, Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10)}},
		Spec:       spec,
	}
	if err := a.client.Create(ctx, b); apierrors.IsAlreadyExists(err) {
		return nil, fmt.Errorf("the brand %q exists in the account %q", name, account)
	} else if err != nil {
		return nil, err
	}
	return &result{
		object: b, fields: map[string]any{"id": id, "name": name, "account": account},
		text: fmt.Sprintf("brand %q created in account %q (id %d)", name, account, id),
	}, nil
}
