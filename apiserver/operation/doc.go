// SPDX-License-Identifier: Apache-2.0

// Package operation is how the interface is declared: each operation once, with its types, scope and handler. Routes,
// body checks and the OpenAPI description all come from the declaration, so what is published is what is enforced; a
// tool server can be made from the same declarations.
//
// Handler runs every call through one ordered list of checks (see steps) and writes every answer in one envelope. What an
// operation does lies in package ops.
package operation
