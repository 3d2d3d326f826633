// SPDX-License-Identifier: Apache-2.0

// Package pki makes and keeps the certificates and keys of one local
// control plane.
//
// Everything lives in one folder and survives restarts. A file is made when it
// is missing, when it is close to its end, or when the authority that signed it
// has changed. There are three authorities, so that a certificate for one door
// opens no other: one for the Kubernetes API, one for etcd, one for the node.
//
// The package knows nothing about Kubernetes objects. It writes no kubeconfig.
package pki
