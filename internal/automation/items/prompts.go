// SPDX-License-Identifier: Apache-2.0

package items

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
)

// Order of a list of prompts.
type Order string

// Orders.
const (
	// Sequential uses the prompts in the given order.
	Sequential Order = "Sequential"
	// Shuffled uses all prompts once in a random order, then again in another one.
	Shuffled Order = "Shuffled"
)

// OnExhausted is what follows after the last prompt.
type OnExhausted string

// What follows after the last prompt.
const (
	// Repeat starts again.
	Repeat OnExhausted = "Repeat"
	// Stop uses no prompt any more.
	Stop OnExhausted = "Stop"
)

// NextPrompt returns the index of the next of count prompts after used of them were used. It returns false if none is
// left. seed determines the order of Shuffled: use a value that is stable and different for each automation, such as
// its UID. Any other order than Shuffled is Sequential, any other value of after than Stop is Repeat.
//
// The order of Shuffled is part of the contract with running automations: it must not change between versions.
func NextPrompt(count int, used int64, order Order, after OnExhausted, seed string) (int, bool) {
	if count <= 0 || used < 0 || after == Stop && used >= int64(count) {
		return 0, false
	}
	round, position := used/int64(count), int(used%int64(count))
	if order != Shuffled {
		return position, true
	}
	list := shuffle(count, round, seed)
	// Two rounds in a row do not repeat a prompt where they meet. With two prompts that would fix their order.
	if count > 2 && round > 0 && list[0] == shuffle(count, round-1, seed)[count-1] {
		list[0], list[1] = list[1], list[0]
	}
	return list[position], true
}

// shuffle returns the indexes in the order of their hashes. Random number generators may change their sequence with a
// version of Go.
func shuffle(count int, round int64, seed string) []int {
	keys := make([][sha256.Size]byte, count)
	list := make([]int, count)
	for i := range list {
		list[i], keys[i] = i, sha256.Sum256(fmt.Appendf(nil, "%d %d %s", i, round, seed))
	}
	slices.SortFunc(list, func(a, b int) int { return bytes.Compare(keys[a][:], keys[b][:]) })
	return list
}
