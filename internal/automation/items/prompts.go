// SPDX-License-Identifier: Apache-2.0

package items

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
// its UID.
func NextPrompt(count int, used int64, order Order, after OnExhausted, seed string) (int, bool) {
	return 0, false
}
