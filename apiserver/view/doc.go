// SPDX-License-Identifier: Apache-2.0

// Package view turns objects of the cluster into the records of the interface. The records are types of their own: a
// change of a kind must not change the wire. Everything here is a pure function of objects, a time and a signer of
// addresses; nothing reads or writes.
package view
