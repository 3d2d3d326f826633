// SPDX-License-Identifier: Apache-2.0

// Package pki creates and stores the certificates and keys of one local control plane.
//
// All of them are in one folder and survive restarts. A certificate is created again when it is missing, close to its
// expiry, or signed by an authority that was replaced. There are three authorities, for the Kubernetes API, for etcd
// and for the node, so that a certificate for one of them is not accepted by the others.
//
// The package is independent of Kubernetes objects. It writes no kubeconfig.
package pki
