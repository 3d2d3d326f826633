// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/reelops/reelops/internal/testkit/described"
)

// judged is a client whose requests fail when a response violates the OpenAPI document.
var judged = sync.OnceValue(func() *http.Client {
	doc, err := os.ReadFile(filepath.Join(repository(), "apiserver", "testdata", "openapi.json"))
	if err != nil {
		panic(err)
	}
	judge, err := described.New(doc, "/api/")
	if err != nil {
		panic(err)
	}
	return &http.Client{Transport: judge}
})
