// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// LabelAccount stands on a namespace: an administrator says by it that the namespace is an account's, where the manager may read the
// Secrets with tokens and create Jobs. Its value is the namespace's name.
const LabelAccount = "reelops.dev/account"

// ConditionConnectable of an Account: the manager may read tokens in its namespace.
const ConditionConnectable ConditionType = "Connectable"

// ReasonNamespaceReserved surfaces where an Account has a namespace whose name has another meaning in the store.
const ReasonNamespaceReserved Reason = "NamespaceReserved"

// ReasonNamespaceNotLabelled says that nobody has labelled the namespace with LabelAccount.
const ReasonNamespaceNotLabelled Reason = "NamespaceNotLabelled"
