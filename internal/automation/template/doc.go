// SPDX-License-Identifier: Apache-2.0

// Package template fills placeholders such as {{item.title}} with values.
//
// The list of placeholders is closed. There are no functions, conditions or loops. Values are inserted as text and
// never interpreted: a value that contains a placeholder is inserted as it is.
package template
