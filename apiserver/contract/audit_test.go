// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
)

// auditedFront is a front end whose audit log the spec reads, and which writes Events as the program does.
type auditedFront struct {
	*front
	out  *safeBuffer
	read int
}

func newAuditedFront(change ...func(*apiserver.Config)) *auditedFront {
	GinkgoHelper()
	w := &auditedFront{out: &safeBuffer{}}
	w.front = newFront(frontOptions{change: func(c *apiserver.Config) {
		plenty(c)
		c.Audit = w.out
		for _, f := range change {
			f(c)
		}
	}})
	writing, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); w.server.WriteEvents(writing) }()
	DeferCleanup(func() { stop(); <-done })
	return w
}

// auditLines returns the audit lines since the last call.
func (w *auditedFront) auditLines() []any {
	GinkgoHelper()
	text := w.out.String()
	out := []any{}
	for one := range strings.Lines(text[w.read:]) {
		v := object{}
		Expect(json.Unmarshal([]byte(one), &v)).To(Succeed(), one)
		out = append(out, v)
	}
	w.read = len(text)
	return out
}

// auditLine expects one line about an object of the kind for the answered request, and returns it.
func (w *auditedFront) auditLine(a *answer, kind, verb string) object {
	GinkgoHelper()
	lines := w.auditLines()
	Expect(lines).To(HaveLen(1))
	one := lines[0].(object)
	Expect(one).To(And(HaveKeyWithValue("logger", "audit"), HaveKeyWithValue("outcome", "changed"), HaveKeyWithValue("verb", verb),
		HaveKeyWithValue("request_id", a.header.Get("X-Request-Id")), HaveKey("operation"), HaveKey("time")))
	Expect(one["object"]).To(HaveKeyWithValue("kind", kind))
	return one
}

// event expects the Event for a line on the line's object.
func (w *auditedFront) event(line object) {
	GinkgoHelper()
	o := line["object"].(object)
	Eventually(func(g Gomega) {
		var list eventsv1.EventList
		g.Expect(access.Plain.List(ctx, &list, client.InNamespace(o["namespace"].(string)))).To(Succeed())
		notes := []string{}
		for _, e := range list.Items {
			if e.Regarding.Kind == o["kind"] && e.Regarding.Name == o["name"] && string(e.Regarding.UID) == o["uid"] && e.ReportingController == "reelops-apiserver" {
				notes = append(notes, e.Note)
			}
		}
		g.Expect(notes).To(ContainElement(And(HavePrefix(line["operation"].(string)+" by key "), ContainSubstring(line["request_id"].(string)))))
	}).WithPolling(often).Should(Succeed())
}

var _ = Describe("Audit", func() {
	It("writes one line and one Event for each change of a request, and none without a change", func() {
		t, w := newTenant(), newAuditedFront()
		secret, key := t.keyOf("acme", func(s *v1beta1.APIKeySpec) { s.Scopes, s.DisplayName = []v1beta1.Scope{"admin"}, "the site" })

		By("creating a slideshow, once")
		create := func() *request {
			return post("/slideshows", object{"context": unwritable, "title": "T", "caption": strings.Repeat("long ", 100)}).with(secret).once("one").at(w.front)
		}
		a := create().succeeds(202)
		made := w.auditLine(a, "Slideshow", "create")
		Expect(made["actor"]).To(Equal(object{
			"kind": "key", "key_id": key.Labels[v1beta1.LabelID], "key_name": "the site", "account": t.namespace, "brand": "acme", "address": here,
		}))
		Expect(made["object"]).To(And(HaveKeyWithValue("namespace", t.namespace), HaveKeyWithValue("id", strconv.FormatInt(a.id("data.job_id"), 10))))
		Expect(made["after"]).To(And(HaveKeyWithValue("title", "T"), HaveKeyWithValue("caption", HaveSuffix("… (499 characters)"))))
		Expect(made).NotTo(HaveKey("before"))
		w.event(made)
		create().succeeds(202)
		Expect(w.auditLines()).To(BeEmpty(), "a replayed answer writes no line")

		By("editing a slideshow")
		id := t.laidOut()
		w.auditLines()
		edited := w.auditLine(patch("/slideshows/%d", id, object{"title": "Better"}).with(secret).at(w.front).succeeds(200), "Slideshow", "update")
		Expect(edited["after"]).To(Equal(object{"title": "Better"}))
		w.event(edited)
		patch("/slideshows/%d", id, object{"title": "Better"}).with(secret).at(w.front).succeeds(200)
		patch("/slideshows/%d", id, object{"title": 7}).with(secret).at(w.front).loosely().refused(422, catalog.ValidationFailed)
		get("/shorts/%d", id).with(secret).at(w.front).succeeds(200)
		patch("/slideshows/%d", id, object{"title": "Mine"}).with(t.key("read")).at(w.front).refused(403, catalog.MissingScope)
		Expect(w.auditLines()).To(BeEmpty(), "an edit without a change writes no line")

		By("rendering a slideshow")
		w.event(w.auditLine(post("/slideshows/%d/render", id, nothing).with(secret).at(w.front).succeeds(202), "RenderJob", "create"))
		finished(id)

		By("posting and cancelling")
		account := t.social("tiktok")
		a = post("/posts", object{"short_id": id, "social_data_ids": []int64{account}, "scheduled_at": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}).with(secret).at(w.front).succeeds(202)
		lines := w.auditLines()
		Expect(lines).To(HaveLen(2), "lines of the batch and of its post")
		for i, kind := range []string{"PostBatch", "Post"} {
			Expect(lines[i].(object)["object"]).To(HaveKeyWithValue("kind", kind))
			w.event(lines[i].(object))
		}
		cancelled := w.auditLine(remove("/posts/%d", a.id("data.results.0.share_id")).with(secret).at(w.front).succeeds(200), "Post", "update")
		Expect(cancelled["after"]).To(Equal(object{"cancel": true}))
		w.event(cancelled)

		By("refreshing analytics")
		w.event(w.auditLine(post("/analytics/accounts/%d/refresh", account, nothing).with(secret).at(w.front).succeeds(202), "AccountAnalytics", "create"))

		By("the same through the MCP server")
		agentWith(w.front, secret).does("update_slideshow", object{"short_id": id, "title": "Best"})
		lines = w.auditLines()
		Expect(lines).To(HaveLen(1))
		Expect(lines[0]).To(And(HaveKeyWithValue("operation", "update_slideshow"), HaveKeyWithValue("actor", And(HaveKeyWithValue("door", "mcp"), HaveKeyWithValue("address", here)))))
		w.event(lines[0].(object))

		By("no line contains a secret")
		Expect(w.out.String()).NotTo(Or(ContainSubstring(secret), ContainSubstring("signature="), ContainSubstring(key.Spec.SecretSHA256)))
	})

	It("reports an unknown outcome if the cluster does not respond, and the creation once a retry finds the object", func() {
		t := newTenant()
		lost := &lostResponse{}
		w := newAuditedFront(func(c *apiserver.Config) { lost.Client, c.Client = c.Client, lost })
		create := func() *request {
			return post("/slideshows", object{"context": unwritable}).with(t.everything()).at(w.front)
		}
		key := t.everything()
		lost.next = true
		create().with(key).once("lost").send()
		lines := w.auditLines()
		Expect(lines).To(HaveLen(1))
		Expect(lines[0]).To(HaveKeyWithValue("outcome", "unknown"))
		a := create().with(key).once("lost").succeeds(202)
		lines = w.auditLines()
		Expect(lines).To(HaveLen(1))
		Expect(lines[0]).To(And(HaveKeyWithValue("outcome", "found"), HaveKeyWithValue("request_id", a.header.Get("X-Request-Id"))))
	})

	It("names the key that requested the connect link", func() {
		_, base := openSandbox()
		c := connectingTo(staged(false)(base), staged(true)(base))
		Expect(approve(c.link("tiktok"), "approve=maya").visibleText()).To(ContainSubstring("is connected"))
		text := ""
		for one := range strings.Lines(c.log.String()) {
			if strings.Contains(one, "logger=audit") && strings.Contains(one, "actor.kind=link") {
				text += one
			}
		}
		Expect(strings.Count(text, "\n")).To(Equal(1), text)
		Expect(text).To(And(ContainSubstring("operation=connect_account"), ContainSubstring("actor.key_id="), ContainSubstring("actor.account="+c.t.namespace),
			ContainSubstring("object.kind=ConnectionRequest"), ContainSubstring("sealedCode:[redacted]"), ContainSubstring("request_id=req_")))
	})
})

// lostResponse is a client that loses the response to the next creation of a slideshow.
type lostResponse struct {
	client.Client
	next bool
}

// Create creates the object and loses the response.
func (l *lostResponse) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	err := l.Client.Create(ctx, o, opts...)
	if _, ok := o.(*v1beta1.Slideshow); ok && l.next {
		l.next = false
		return apierrors.NewServiceUnavailable("the cluster is away")
	}
	return err
}
