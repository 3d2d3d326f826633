// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	. "github.com/onsi/gomega"
)

// description returns the OpenAPI description as a caller gets it.
var description = sync.OnceValue(func() object {
	a := get("/openapi.json").outside().send()
	Expect(a.status).To(Equal(200))
	doc := object{}
	Expect(json.Unmarshal([]byte(a.raw), &doc)).To(Succeed())
	return doc
})

func describedPaths() object { return description()["paths"].(object) }

var digits = regexp.MustCompile(`/[0-9]+(/|$)`)

// templateOf returns the path as it appears in the description.
func templateOf(path string) string {
	path = prefix + digits.ReplaceAllString(path, "/{id}$1")
	if at := strings.Index(path, "/errors/"); at >= 0 {
		path = path[:at] + "/errors/{code}"
	}
	path = strings.Replace(path, "/accounts/{id}", "/accounts/{social_data_id}", 1)
	path = strings.Replace(path, "/slides/{id}", "/slides/{slide_id}", 1)
	return path
}
