// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"encoding/json"
	"errors"

	"github.com/reelops/reelops/internal/work/order"
)

// Times are pairs of begin and end times in milliseconds, in ascending order. The JSON has the differences between
// successive times, because a termination message is small.
type Times []int64

// maxTimes is the largest number of times of a text.
const maxTimes = 2 * order.MaxPassageCharacters

// MarshalJSON returns the differences between successive times.
func (t Times) MarshalJSON() ([]byte, error) {
	out := make([]int64, len(t))
	last := int64(0)
	for i, v := range t {
		out[i], last = v-last, v
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the differences between successive times.
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

// check returns an error unless the times are pairs that ascend and do not exceed end.
func (t Times) check(end int64) error {
	if len(t)%2 != 0 || len(t) > maxTimes {
		return order.Wrong("words", "Times come in pairs.")
	}
	last := int64(0)
	for _, v := range t {
		if v < last || v > end {
			return order.Wrong("words", "Times ascend and lie within the sound.")
		}
		last = v
	}
	return nil
}
