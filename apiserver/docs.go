// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"

	"github.com/reelops/reelops/apiserver/docs"
)

// docsPage returns the HTML page of the API description.
func docsPage(description []byte) ([]byte, error) {
	page, err := docs.Page(description)
	if err != nil {
		return nil, fmt.Errorf("creating the documentation page: %w", err)
	}
	return page, nil
}
