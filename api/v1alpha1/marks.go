// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// LabelAccount stands on a namespace: an administrator says by it that the namespace is an account's, whose Secrets with tokens the
// manager may read. Its value is the namespace's name.
const LabelAccount = "reelops.dev/account"

// ConditionConnectable of an Account: the manager may read tokens in its namespace.
const ConditionConnectable ConditionType = "Connectable"

// ReasonNamespaceNotLabelled says that nobody has labelled the namespace with LabelAccount.
const ReasonNamespaceNotLabelled Reason = "NamespaceNotLabelled"
