// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"encoding/json"
	"errors"

	"github.com/reelops/reelops/internal/work/order"
)

// Times are pairs of when something begins and ends, in milliseconds, in order. In a document each stands as what it
// is later than the one before it: an outcome has little room.
type Times []int64

// maxTimes bounds the numbers of an outcome.
const maxTimes = 2 * order.MaxPassageCharacters

// MarshalJSON writes the differences.
func (t Times) MarshalJSON() ([]byte, error) {
	out := make([]int64, len(t))
	before := int64(0)
	for i, v := range t {
		out[i], before = v-before, v
	}
	return json.Marshal(out)
}

// UnmarshalJSON adds the differences up.
func (t *Times) UnmarshalJSON(doc []byte) error {
	var steps []int64
	if err := json.Unmarshal(doc, &steps); err != nil {
		return err
	}
	if len(steps) > maxTimes {
		return errors.New("too many times")
	}
	at := int64(0)
	for i, step := range steps {
		if step < 0 || step > maxNumber {
			return errors.New("times that go back")
		}
		at += step
		steps[i] = at
	}
	*t = steps
	return nil
}

// check tells whether they are pairs that ascend and end by the given time.
func (t Times) check(end int64) error {
	if len(t)%2 != 0 || len(t) > maxTimes {
		return order.Wrong("words", "Times come in pairs.")
	}
	before := int64(0)
	for _, v := range t {
		if v < before || v > end {
			return order.Wrong("words", "Times ascend and lie within the sound.")
		}
		before = v
	}
	return nil
}
