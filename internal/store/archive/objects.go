// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// scheme has the kinds of the objects in rows.
var scheme = func() *runtime.Scheme {
	out := runtime.NewScheme()
	utilruntime.Must(v1beta1.AddToScheme(out))
	return out
}()

// Encode returns an object as JSON, with its apiVersion and kind.
func Encode(o client.Object) ([]byte, error) {
	gvk, err := apiutil.GVKForObject(o, scheme)
	if err != nil {
		return nil, fmt.Errorf("encoding an object: %w", err)
	}
	o = o.DeepCopyObject().(client.Object)
	o.GetObjectKind().SetGroupVersionKind(gvk)
	data, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("encoding a %s: %w", gvk.Kind, err)
	}
	return data, nil
}

// EncodeAll returns objects as a JSON array.
func EncodeAll(all []client.Object) ([]byte, error) {
	list := make([]json.RawMessage, len(all))
	for i, o := range all {
		var err error
		if list[i], err = Encode(o); err != nil {
			return nil, err
		}
	}
	return json.Marshal(list)
}

// Decode returns an object that Encode encoded. The error is ErrDamaged if the JSON is not one.
func Decode(data []byte) (client.Object, error) {
	of, err := typeOf(data)
	if err != nil {
		return nil, err
	}
	return decode(of, data)
}

// DecodeAll returns the objects that EncodeAll encoded: those of the given kinds, or all if none is given. The error is
// ErrDamaged if the JSON is not a list of objects.
func DecodeAll(data []byte, kinds ...string) ([]client.Object, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	var out []client.Object
	for _, data := range list {
		of, err := typeOf(data)
		if err != nil {
			return nil, err
		}
		if len(kinds) > 0 && !slices.Contains(kinds, of.Kind) {
			continue
		}
		o, err := decode(of, data)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

func typeOf(data []byte) (of metav1.TypeMeta, err error) {
	if err := json.Unmarshal(data, &of); err != nil {
		return of, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return of, nil
}

func decode(of metav1.TypeMeta, data []byte) (client.Object, error) {
	into, err := scheme.New(of.GroupVersionKind())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	o, ok := into.(client.Object)
	if !ok {
		return nil, fmt.Errorf("%w: %s is no object", ErrDamaged, of.Kind)
	}
	if err := json.Unmarshal(data, o); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return o, nil
}
