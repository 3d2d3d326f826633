// SPDX-License-Identifier: Apache-2.0

package v1beta1

// LabelAccount is the label by which an administrator marks a namespace as an account's. The manager may read the Secrets with
// tokens and create Jobs there. The value is the namespace's name.
const LabelAccount = "reelops.dev/account"

// ConditionConnectable of an Account: the manager may read tokens in its namespace.
const ConditionConnectable ConditionType = "Connectable"

// ReasonNamespaceReserved surfaces where an Account has a namespace whose name has another meaning in the store.
const ReasonNamespaceReserved Reason = "NamespaceReserved"

// ReasonNamespaceNotLabelled says that nobody has labelled the namespace with LabelAccount.
const ReasonNamespaceNotLabelled Reason = "NamespaceNotLabelled"
