// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Encode returns an object as JSON, with its apiVersion and kind.
func Encode(scheme *runtime.Scheme, o client.Object) ([]byte, error) {
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
func EncodeAll(scheme *runtime.Scheme, all []client.Object) ([]byte, error) {
	list := make([]json.RawMessage, len(all))
	for i, o := range all {
		var err error
		if list[i], err = Encode(scheme, o); err != nil {
			return nil, err
		}
	}
	return json.Marshal(list)
}

// Decode returns an object that Encode encoded. The error is ErrDamaged if the JSON is not one.
func Decode(scheme *runtime.Scheme, data []byte) (client.Object, error) {
	var meta metav1.TypeMeta
	if err := json.Unmarshal(data, &meta); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	into, err := scheme.New(meta.GroupVersionKind())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	o, ok := into.(client.Object)
	if !ok {
		return nil, fmt.Errorf("%w: %s is no object", ErrDamaged, meta.Kind)
	}
	if err := json.Unmarshal(data, o); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return o, nil
}

// DecodeAll returns the objects that EncodeAll encoded. The error is ErrDamaged if the JSON is not a list of objects.
func DecodeAll(scheme *runtime.Scheme, data []byte) ([]client.Object, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	out := make([]client.Object, len(list))
	for i, data := range list {
		var err error
		if out[i], err = Decode(scheme, data); err != nil {
			return nil, err
		}
	}
	return out, nil
}
