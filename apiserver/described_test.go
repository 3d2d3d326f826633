// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"io"
	"net/http"
	"sync"

	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/internal/testkit/described"
)

// judged is a client whose calls fail if the response does not match the description.
var judged = sync.OnceValue(func() *http.Client {
	resp, err := http.Get(public.URL + "/openapi.json")
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = resp.Body.Close() }()
	doc, err := io.ReadAll(resp.Body)
	Expect(err).NotTo(HaveOccurred())
	judge, err := described.New(doc, "/api/")
	Expect(err).NotTo(HaveOccurred())
	return &http.Client{Transport: judge}
})
