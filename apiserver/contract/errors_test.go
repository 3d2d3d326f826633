// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"
	"errors"
	"net"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
)

// published lists the published error codes with their status and whether they are retryable. It is independent of the
// service's own table, which is under test.
var published = []struct {
	code      string
	status    int
	retryable bool
}{
	{"missing_token", 401, false},
	{"invalid_token", 401, false},
	{"key_revoked", 401, false},
	{"key_expired", 401, false},
	{"missing_scope", 403, false},
	{"quota_exceeded", 403, false},
	{"insufficient_credits", 402, false},
	{"validation_failed", 422, false},
	{"bad_request", 400, false},
	{"not_found", 404, false},
	{"unknown_error_code", 404, false},
	{"job_not_found", 404, false},
	{"job_in_progress", 409, true},
	{"idempotency_conflict", 409, false},
	{"media_too_large", 422, false},
	{"unsupported_media_type", 415, false},
	{"unsupported_platform", 422, false},
	{"not_cancellable", 409, false},
	{"short_not_postable", 422, true},
	{"rate_limited", 429, true},
	{"platform_not_connected", 422, false},
	{"token_expired", 422, false},
	{"generation_failed", 500, true},
	{"platform_rate_limited", 422, true},
	{"platform_not_configured", 503, false},
	{"caption_too_long", 422, false},
	{"title_too_long", 422, false},
	{"schedule_too_soon", 422, false},
	{"approval_required", 403, false},
	{"conflict", 409, false},
	{"internal_error", 500, true},
}

var _ = Describe("Errors", func() {
	var key string
	BeforeEach(func() { key = newTenant().key("posts:write") })

	It("are explained one by one with any key: message, cause, fix, retryable and status", func() {
		for _, p := range published {
			d := get("/errors/%s", p.code).with(key).succeeds(200).data()
			Expect(d).To(And(
				HaveKeyWithValue("code", p.code), HaveKeyWithValue("http_status", float64(p.status)), HaveKeyWithValue("retryable", p.retryable),
				HaveKeyWithValue("message", Not(BeEmpty())), HaveKeyWithValue("cause", Not(BeEmpty())), HaveKeyWithValue("fix", Not(BeEmpty())),
				HaveKeyWithValue("details_fields", BeAssignableToTypeOf([]any{})), HaveKeyWithValue("docs_url", HaveSuffix("/docs#"+p.code))))
		}
	})

	It("have a page that explains every one of them", func() {
		page := get("/docs").outside().send().raw
		for _, p := range published {
			Expect(page).To(ContainSubstring(`id="` + p.code + `"`))
		}
	})

	It("that are unknown return a 404 unknown_error_code, which lists every code", func() {
		var codes []any
		for _, p := range published {
			codes = append(codes, p.code)
		}
		for _, unknown := range []string{"nope", "NOT_FOUND", "not_found ", "9"} {
			a := get("/errors/%s", escaped(unknown)).with(key).refused(404, catalog.UnknownErrorCode)
			Expect(a.details()).To(And(HaveKeyWithValue("code", unknown), HaveKeyWithValue("known_codes", ConsistOf(codes...))))
		}
	})

	It("that are unexpected are internal_error: retryable, with the request id and without the cause", func() {
		secret := errors.New("etcd at 10.9.8.7 says: the password is wrong")
		for _, c := range []struct {
			cause  error
			status int
		}{{secret, 500}, {&net.OpError{Op: "dial", Net: "tcp", Err: secret}, 503}, {apierrors.NewInternalError(secret), 503}} {
			f := newFront(frontOptions{change: func(config *apiserver.Config) {
				config.Client, config.Live = &broken{config.Client, c.cause}, &broken{config.Live, c.cause}
			}})
			a := post("/slideshows", object{"context": unwritable}).with(newTenant().everything()).at(f).refused(c.status, catalog.InternalError)
			Expect(a.at("errors.0.retryable")).To(BeTrue())
			Expect(a.details()).To(Equal(object{"request_id": a.header.Get("X-Request-Id")}))
			Expect(a.raw).NotTo(Or(ContainSubstring("10.9.8.7"), ContainSubstring("password"), ContainSubstring("goroutine")))
			if c.status == 503 {
				Expect(a.header.Get("Retry-After")).To(MatchRegexp(`^[1-9]\d*$`))
			}
		}
	})
})

// broken is a client whose creations fail.
type broken struct {
	client.Client
	cause error
}

// Create fails.
func (b *broken) Create(context.Context, client.Object, ...client.CreateOption) error { return b.cause }

// unread is a client whose reads fail.
type unread struct {
	client.Client
	cause error
}

// Get fails.
func (u *unread) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return u.cause
}

// List fails.
func (u *unread) List(context.Context, client.ObjectList, ...client.ListOption) error { return u.cause }
