// SPDX-License-Identifier: Apache-2.0

// Package v1beta1 defines the kinds of reelops.dev: the desired state (spec), the observed state (status), the
// validation rules that the Kubernetes API server enforces (markers and CEL), condition types, reasons and labels.
//
// A namespace is one account, the tenant. All kinds are namespaced. The package imports no other package of Reelops, so
// that any program can use the types.
//
// +kubebuilder:object:generate=true
// +groupName=reelops.dev
package v1beta1
