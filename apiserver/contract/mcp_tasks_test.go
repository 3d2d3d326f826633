// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bytes"
	"fmt"
	"image"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// script is a fixed sequence of an agent's steps, without a model.
type script struct {
	*agent
	// waits uses get_job with wait instead of polling. looks reads images instead of texts.
	waits, looks bool
}

// job calls get_job until the work has ended.
func (s *script) job(id int64) *tooled {
	GinkgoHelper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		args := object{"job_id": id}
		if s.waits {
			args["wait"] = 25
		}
		a := s.does("get_job", args)
		if a.at("data.status") == "succeeded" {
			return a
		}
		Expect(a.at("data.status")).NotTo(Equal("failed"), a.raw)
		if !s.waits {
			time.Sleep(time.Duration(a.at("data.poll_after_seconds").(float64) * float64(time.Second)))
		}
	}
	Fail("the work has not ended")
	return nil
}

// slideshow creates a slideshow.
func (s *script) slideshow() int64 {
	GinkgoHelper()
	id := s.does("create_slideshow", object{"context": habits, "slide_count": 5, "idempotency_key": "make"}).id("data.job_id")
	s.job(id)
	return id
}

// schedule returns the arguments to post a short on an account in an hour.
func schedule(id, account int64) object {
	return object{"short_id": id, "social_data_ids": []int64{account}, "scheduled_at": ahead(time.Hour)}
}

// tasks are the tasks of an agent. Each returns the number of images that it saw.
var tasks = []struct {
	name string
	do   func(s *script, t *tenant) (pictures int)
}{
	{"make a slideshow and look at it", func(s *script, _ *tenant) int {
		id := s.slideshow()
		return len(s.does("list_shorts", object{"short_id": id, "include_images": s.looks}).pictures)
	}},
	{"make, look, edit a slide, render, check, schedule", func(s *script, t *tenant) int {
		account := t.social("tiktok")
		s.does("get_account", nil)
		id := s.slideshow()
		short := s.does("list_shorts", object{"short_id": id, "include_images": s.looks})
		texts := []any{object{"text": "Calmer mornings"}}
		change := object{"id": short.id("data.type_data.slides.0.id"), "textOverlays": texts}
		edited := s.does("update_slideshow", object{"short_id": id, "slides": []any{change}, "include_images": s.looks})
		s.does("render_slideshow", object{"short_id": id, "idempotency_key": "film"})
		s.job(id)
		s.does("list_connections", nil)
		post := schedule(id, account)
		Expect(s.does("validate_post", post).at("data.ok")).To(BeTrue())
		post["idempotency_key"] = "post"
		s.does("create_post", post)
		return len(short.pictures) + len(edited.pictures)
	}},
	{"find music and an account, schedule, cancel", func(s *script, t *tenant) int {
		account, id := t.social("tiktok"), t.rendered(s)
		s.does("search_media", object{"library": "music"})
		s.does("list_connections", nil)
		post := schedule(id, account)
		post["idempotency_key"] = "post"
		share := s.does("create_post", post).id("data.results.0.share_id")
		s.does("cancel_post", object{"post_id": share})
		Expect(s.does("list_posts", object{"post_id": share}).at("data.status")).To(Equal("cancelled"))
		return 0
	}},
}

// rendered returns a slideshow with a video.
func (t *tenant) rendered(s *script) int64 {
	GinkgoHelper()
	id := t.laidOut()
	s.does("render_slideshow", object{"short_id": id, "idempotency_key": "film"})
	s.job(id)
	return id
}

// These specs measure the cost of an agent's tasks; make bench-agents prints the table.
var _ = Describe("An agent's tasks", func() {
	It("cost few calls: one call waits for work, and images of slides need no downloads", slow, func() {
		row := "%-52s %-6s %6v %9v %9v %9v %8v\n"
		table := fmt.Sprintf(row, "task", "by", "calls", "sent", "received", "pictures", "seconds")
		for _, task := range tasks {
			calls := map[string]int{}
			for _, way := range []struct {
				name         string
				waits, looks bool
			}{{"poll", false, false}, {"wait", true, true}} {
				t := newTenant()
				s := &script{agent: agentWith(generous(), t.everything()), waits: way.waits, looks: way.looks}
				s.received = 0
				_, err := s.session.ListTools(ctx, nil)
				Expect(err).NotTo(HaveOccurred())
				Expect(s.received).To(BeNumerically("<", 49_000), "the list of tools, once for all tasks")
				began := time.Now()
				s.sent, s.received = 0, 0
				pictures := task.do(s, t)
				calls[way.name] = s.calls
				took := fmt.Sprintf("%.1f", time.Since(began).Seconds())
				table += fmt.Sprintf(row, task.name, way.name, s.calls, s.sent, s.received, pictures, took)
			}
			Expect(calls["wait"]).To(BeNumerically("<=", calls["poll"]), task.name)
		}
		AddReportEntry("agent tasks", ReportEntryVisibilityAlways, table)
	})

	Describe("with include_images", func() {
		It("return the slides as small JPEGs, in order, and count as one call", func() {
			t := newTenant()
			key := t.everything()
			id := t.slideshow(key, object{"context": habits, "slide_count": 3})
			settled(key, id)
			a := agentWith(service, key)
			plain := a.does("list_shorts", object{"short_id": id})
			Expect(plain.pictures).To(BeEmpty())
			shown := a.does("list_shorts", object{"short_id": id, "include_images": true})
			left := number(plain.header.Get("X-RateLimit-Remaining"))
			Expect(number(shown.header.Get("X-RateLimit-Remaining"))).To(Equal(left - 1))
			first := shown.id("data.type_data.slides.0.id")
			Expect(shown.next).To(HavePrefix(fmt.Sprintf("Images, in order: slide id %d", first)))
			Expect(shown.pictures).To(HaveLen(3))
			total := 0
			for _, p := range shown.pictures {
				Expect(p.MIMEType).To(Equal("image/jpeg"))
				size, kind, err := image.DecodeConfig(bytes.NewReader(p.Data))
				Expect(err).NotTo(HaveOccurred())
				Expect(kind).To(Equal("jpeg"))
				Expect([]int{size.Width, size.Height}).To(Equal([]int{360, 640}))
				total += len(p.Data)
			}
			Expect(total).To(BeNumerically("<", 3*48<<10))
			Expect(a.does("get_job", object{"job_id": id, "include_images": true}).pictures).To(HaveLen(1))
			Expect(a.does("list_shorts", object{"include_images": true}).pictures).To(HaveLen(1))
		})

		It("return nothing of another account, and reject anything but a boolean", func() {
			t := newTenant()
			id := t.laidOut()
			a := agentWith(service, newTenant().everything())
			args := object{"short_id": id, "include_images": true}
			res, err := a.session.CallTool(ctx, &sdk.CallToolParams{Name: "list_shorts", Arguments: args})
			Expect(err).NotTo(HaveOccurred())
			Expect(res.IsError).To(BeTrue())
			for _, c := range res.Content {
				Expect(c).To(BeAssignableToTypeOf(&sdk.TextContent{}))
			}
			a.fails("list_shorts", object{"include_images": "yes"}, "validation_failed")
		})
	})
})

func number(text string) (n int) {
	GinkgoHelper()
	_, err := fmt.Sscan(text, &n)
	Expect(err).NotTo(HaveOccurred())
	return n
}
