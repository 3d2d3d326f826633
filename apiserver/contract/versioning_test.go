// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("Versioning", func() {
	It("is in the path: paths that are not below /api/v1 do not exist", func() {
		key := newTenant().everything()
		for _, path := range []string{"/api/v2/account", "/api/account", "/account", "/api/v1.0/account"} {
			Expect(get("%s", path).outside().with(key).send().status).To(Equal(404), path)
		}
		for path := range describedPaths() {
			Expect(path).To(HavePrefix(prefix + "/"))
		}
	})

	It("of the description is 1.0.0, in OpenAPI 3.1", func() {
		Expect(description()["openapi"]).To(HavePrefix("3.1"))
		Expect(description()["info"]).To(HaveKeyWithValue("version", "1.0.0"))
	})

	It("permits additions: the description forbids no members", func() {
		Expect(get("/openapi.json").outside().send().raw).NotTo(MatchRegexp(`"additionalProperties":\s*false`))
	})

	It("renders only video: photo sets are not supported", func() {
		_, key, id := untouched()
		post("/slideshows/%d/render", id, object{"format": "photos"}).with(key).refused(422, catalog.ValidationFailed).about("format")
	})
})
