// SPDX-License-Identifier: Apache-2.0

package v1beta1

// LabelAccount is the label with which an administrator enables a namespace for an account. In labelled namespaces the
// manager may read the Secrets with tokens and create Jobs. The value is the name of the namespace.
const LabelAccount = "reelops.dev/account"

// ConditionConnectable of an Account is true when the manager may read tokens in its namespace.
const ConditionConnectable ConditionType = "Connectable"

// ReasonNamespaceReserved means that the Account is in a namespace whose name has another meaning in the blob store.
const ReasonNamespaceReserved Reason = "NamespaceReserved"

// ReasonNamespaceNotLabelled means that the namespace does not have the label LabelAccount.
const ReasonNamespaceNotLabelled Reason = "NamespaceNotLabelled"
