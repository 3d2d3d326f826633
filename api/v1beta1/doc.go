// SPDX-License-Identifier: Apache-2.0

// Package v1beta1 defines the kinds of reelops.dev: the desired state (spec), the observed state (status), the validation rules that
// the API server checks (markers and CEL), condition types, reasons and labels.
//
// A namespace is one account, the tenant. Everything is namespaced; nothing here imports another package of Reelops, so
// that any program may use these types.
//
// +kubebuilder:object:generate=true
// +groupName=reelops.dev
package v1beta1
