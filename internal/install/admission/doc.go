// SPDX-License-Identifier: Apache-2.0

// Package admission decides without a cluster whether an API server with the CRDs and admission policies of this
// release accepts a new object. It uses the code of kube-apiserver for custom resources, and its CEL evaluators. What
// depends on other objects (names that exist, quotas) is not decided.
package admission
