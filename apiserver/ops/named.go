// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"fmt"
	"reflect"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/read"
)

// named is an object to create, whose name consists of a prefix and its id.
type named[O client.Object] struct {
	object O
	// what names the kind in messages.
	what, prefix string
	next         func(context.Context) (int64, error)
	// brand returns the brand of an object; nil if it has none.
	brand func(O) *v1beta1.LocalRef
}

// createNamed creates an object of the brand of the call. A request that was interrupted before gets the object that it
// created then: found is true. Names that objects of manifests have are skipped.
func createNamed[O client.Object](ctx context.Context, s *Service, c *operation.Call, n named[O]) (made O, found bool, err error) {
	var none O
	for range takenNames {
		place, err := c.Accept(ctx, func(ctx context.Context) (int64, string, error) {
			id, err := n.next(ctx)
			return id, n.prefix + strconv.FormatInt(id, 10), err
		})
		if err != nil {
			return none, false, err
		}
		made = n.object.DeepCopyObject().(O)
		made.SetNamespace(c.Namespace())
		made.SetName(place.Name)
		made.SetLabels(map[string]string{v1beta1.LabelID: idText(place.ID), v1beta1.LabelBrand: c.Brand.Name})
		err = s.Client.Create(ctx, made)
		switch {
		case err == nil:
			return made, false, nil
		case apierrors.IsInvalid(err):
			return none, false, notTaken(err)
		case !apierrors.IsAlreadyExists(err):
			return none, false, fmt.Errorf("creating the %s: %w", n.what, err)
		}
		there := empty(n.object)
		if err := s.Reader.Live.Get(ctx, client.ObjectKeyFromObject(made), there); err != nil {
			return none, false, fmt.Errorf("reading the %s: %w", n.what, err)
		}
		if ref := n.brand(there); read.ID(there) == place.ID && ref != nil && ref.Name == c.Brand.Name {
			return there, true, nil
		}
	}
	return none, false, fmt.Errorf("creating the %s: %d names in a row are in use", n.what, takenNames)
}

// empty returns a new object of the type of another one.
func empty[O client.Object](o O) O {
	return reflect.New(reflect.TypeOf(o).Elem()).Interface().(O)
}
