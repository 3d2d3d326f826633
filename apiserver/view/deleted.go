// SPDX-License-Identifier: Apache-2.0

package view

// Deleted confirms the deletion of a record.
type Deleted struct {
	ID      int64 `json:"id" example:"123" doc:"The id of the deleted record."`
	Deleted bool  `json:"deleted" doc:"Always true."`
}
