// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"encoding/json"

	"github.com/reelops/reelops/internal/work/order"
)

// legacyVersion is the version of outcomes of the previous release. A pod of that release may end after an upgrade.
const legacyVersion = 1

// legacy reports whether an outcome has the version of the previous release.
func legacy(doc []byte) bool {
	var v struct {
		Version int `json:"version"`
	}
	return json.Unmarshal(doc, &v) == nil && v.Version == legacyVersion
}

// parseLegacy parses an outcome of the previous release, which had one kind of document for films and one for media.
func parseLegacy(doc []byte) (*Outcome, error) {
	var old struct {
		Version int             `json:"version"`
		State   State           `json:"state"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   *struct {
			Failure
			Details map[string]string `json:"details,omitempty"` // only of a film
		} `json:"error,omitempty"`
		Unconfined []string `json:"unconfined,omitempty"`
	}
	if err := order.Decode(doc, MaxMessageBytes, &old); err != nil {
		return nil, err
	}
	o := &Outcome{Version: Version, State: old.State, Unconfined: old.Unconfined}
	if old.Error != nil {
		o.Error = &old.Error.Failure
		if d := old.Error.Details; d != nil {
			o.Error.Reason, o.Error.Field = Reason(d["reason"]), d["field"]
		}
	}
	if old.Result == nil {
		return o, nil
	}
	film := &Film{}
	if order.Decode(old.Result, MaxMessageBytes, film) == nil && film.SHA256 != "" {
		o.Film = film
		return o, nil
	}
	o.Media = &Media{}
	return o, order.Decode(old.Result, MaxMessageBytes, o.Media)
}
