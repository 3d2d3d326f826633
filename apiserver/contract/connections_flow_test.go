// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/testkit/socialscript"
)

var _ = Describe("Connecting an account", func() {
	var c *connecting
	BeforeEach(func() {
		_, base := openSandbox()
		c = connectingTo(staged(false)(base), staged(true)(base))
	})

	It("needs one approval on each platform, and lists the account as ready", func() {
		for i, platform := range []string{"tiktok", "youtube", "instagram"} {
			page := approve(c.link(platform), "approve=maya")
			Expect(page.status).To(Equal(200))
			Expect(page.visibleText()).To(ContainSubstring("is connected"))
			Expect(page.visibleText()).To(ContainSubstring("Maya's Kitchen"))
			c.connections(i + 1)
		}
		page := approve(c.link("linkedin"), "approve=maya")
		Expect(page.visibleText()).To(And(ContainSubstring("Maya's Kitchen"), ContainSubstring("Acme Bikes")),
			"a member, and the page that she administers")
		a := c.connections(5)
		Expect(a.at("data.not_connected")).To(BeEmpty())
		for i := range 5 {
			at := fmt.Sprintf("data.accounts.%d.", i)
			Expect(a.at(at + "token_status")).To(Equal("active"))
			Expect(a.at(at + "ready_to_post")).To(BeTrue())
			Expect(a.at(at + "connected_at")).To(MatchRegexp(moment))
		}
	})

	It("accepts each link once", func() {
		link := c.link("tiktok")
		Expect(approve(link, "approve=maya").visibleText()).To(ContainSubstring("is connected"))
		page := visit(link.at("data.authorize_url").(string) + "&approve=studio")
		Expect(page.status).To(Equal(400))
		Expect(page.visibleText()).To(ContainSubstring("already used"))
		c.connections(1)
	})

	It("connects it for the brand whose key requested the link, wherever the link is opened", func() {
		_, id := c.t.brand("other")
		all, _ := c.t.keyOf("acme", func(s *v1beta1.APIKeySpec) { s.Scopes = []v1beta1.Scope{"brand:read", "brands:all"} })
		approve(post(fmt.Sprintf("/connections/link?brand_id=%d", id), object{"platform": "tiktok"}).with(all).at(c.front).succeeds(200), "approve=maya")
		theirs := func() any {
			return get("/connections?brand_id=%d", id).with(all).at(c.front).succeeds(200).at("data.accounts")
		}
		Eventually(theirs).WithPolling(often).Should(HaveLen(1))
		c.connections(0)
		// The same platform account for both brands: each brand has its own connection with its own tokens.
		approve(c.link("tiktok"), "approve=maya")
		mine := c.connections(1).id("data.accounts.0.social_data_id")
		Expect(theirs()).To(HaveLen(1))
		Expect(theirs().([]any)[0].(object)["social_data_id"]).NotTo(BeEquivalentTo(mine))
		post(fmt.Sprintf("/connections/link?brand_id=%d", id), object{"platform": "tiktok"}).with(c.key).at(c.front).refused(403, catalog.MissingScope)
	})

	It("accepts a link for ten minutes", func() {
		link := c.link("tiktok")
		c.now.SetTime(c.now.Now().Add(10*time.Minute + time.Second))
		page := visit(link.at("data.authorize_url").(string) + "&approve=maya")
		Expect(page.status).To(Equal(400))
		Expect(page.visibleText()).To(ContainSubstring("has expired"))
		Expect(get("/connections").with(c.key).at(c.front).succeeds(200).at("data.accounts")).To(BeEmpty())
	})

	It("rejects a state that Reelops did not issue, or issued for another platform", func() {
		state := query(c.link("tiktok"), "state")
		for why, q := range map[string]url.Values{
			"no state": {"code": {"x"}}, "another's": {"code": {"x"}, "state": {"abc"}}, "changed": {"code": {"x"}, "state": {state[:len(state)-2] + "zz"}},
		} {
			page := visit(c.url + "/oauth/tiktok/callback?" + q.Encode())
			Expect(page.status).To(Equal(400), why)
			Expect(page.visibleText()).To(ContainSubstring("is not valid"), why)
		}
		Expect(visit(c.url + "/oauth/youtube/callback?" + url.Values{"code": {"x"}, "state": {state}}.Encode()).status).To(Equal(400))
		Expect(visit(c.url + "/oauth/tiktok/callback?" + url.Values{"state": {state}}.Encode()).status).To(Equal(400))
		Expect(visit(c.url + "/oauth/facebook/callback").status).To(Equal(404))
		Expect(visit(c.url + "/oauth/tiktok/result?link=abc").status).To(Equal(400))
		resp, err := http.Post(c.url+"/oauth/tiktok/callback", "text/plain", nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(resp.Body.Close()).To(Succeed())
		Expect(resp.StatusCode).To(Equal(405))
	})

	It("shows that the user denied access, and accepts the link again", func() {
		link := c.link("tiktok")
		page := visit(link.at("data.authorize_url").(string) + "&deny=1")
		Expect(page.status).To(Equal(200))
		Expect(page.visibleText()).To(ContainSubstring("Nothing was connected"))
		Expect(approve(link, "approve=maya").visibleText()).To(ContainSubstring("is connected"))
	})

	It("shows why the platform rejected the code", func() {
		state := query(c.link("tiktok"), "state")
		page := approve(&answer{envelope: object{"data": object{"authorize_url": c.url + "/oauth/tiktok/callback?" + url.Values{"state": {state}}.Encode()}}}, "code=made-up")
		Expect(page.visibleText()).To(And(ContainSubstring("Nothing was connected"), ContainSubstring("TikTok")))
	})

	It("keeps the id of a known account, and adds another user's account", func() {
		approve(c.link("tiktok"), "approve=maya")
		id := c.connections(1).id("data.accounts.0.social_data_id")
		approve(c.link("tiktok"), "approve=maya")
		Expect(c.connections(1).id("data.accounts.0.social_data_id")).To(Equal(id))
		approve(c.link("tiktok"), "approve=studio")
		a := c.connections(2)
		Expect(a.id("data.accounts.0.social_data_id")).To(Equal(id))
		Expect(a.at("data.accounts.1.account_name")).To(Equal("Studio North"))
	})

	It("repairs a revoked connection under the same id, at once", func() {
		approve(c.link("tiktok"), "approve=maya")
		id := c.connections(1).id("data.accounts.0.social_data_id")
		var l v1beta1.SocialAccountList
		Expect(controlPlane.Client.List(ctx, &l, client.InNamespace(c.t.namespace))).To(Succeed())
		account, err := c.keeper.Account(ctx, &l.Items[0])
		Expect(err).NotTo(HaveOccurred())
		Expect(c.keeper.Refused(ctx, &l.Items[0], account.AccessToken, &publish.Error{Kind: publish.Auth, Safe: "Taken back", Revoked: true})).To(Succeed())
		status := func() any {
			return get("/connections").with(c.key).at(c.front).succeeds(200).at("data.accounts.0.token_status")
		}
		Eventually(status).WithPolling(often).Should(Equal("revoked"), "reconciled without waiting for a resync")
		Expect(get("/connections").with(c.key).at(c.front).succeeds(200).at("data.accounts.0.ready_to_post")).To(BeFalse())
		approve(c.link("tiktok"), "approve=maya")
		Eventually(status).WithPolling(often).Should(Equal("active"))
		Expect(c.connections(1).id("data.accounts.0.social_data_id")).To(Equal(id))
	})

	It("shows pages without scripts and external content that are not cached", func() {
		for _, page := range []loadedPage{visit(c.url + "/oauth/tiktok/callback?state=x"), approve(c.link("tiktok"), "approve=maya")} {
			Expect(page.header.Get("Content-Security-Policy")).To(And(ContainSubstring("default-src 'none'"), ContainSubstring("frame-ancestors 'none'")))
			Expect(page.header.Get("Cache-Control")).To(Equal("no-store"))
			Expect(page.header.Get("Referrer-Policy")).To(Equal("no-referrer"))
			Expect(page.text).NotTo(ContainSubstring("<script"))
			Expect(page.text).NotTo(MatchRegexp(`(src|href)="http`))
		}
	})
})

var _ = Describe("Tokens", func() {
	It("cannot be read by the front end, nor listed by the manager, which reads them only in account namespaces", func() {
		t := newTenant()
		tokens := client.ObjectKey{Namespace: t.namespace, Name: "one-tokens"}
		for _, process := range []string{"apiserver", "manager"} {
			c, err := client.New(under(process), client.Options{Scheme: testkit.Scheme()})
			Expect(err).NotTo(HaveOccurred())
			Expect(c.Get(ctx, tokens, &corev1.Secret{})).To(MatchError(apierrors.IsForbidden, "IsForbidden"), process)
			bound := tenancy.New(c, types.NamespacedName{Namespace: systemNamespace, Name: tenancy.ServiceAccount}, clock.RealClock{}).Bind(ctx, t.namespace)
			if process == "apiserver" {
				Expect(bound).To(MatchError(apierrors.IsForbidden, "IsForbidden"))
			} else {
				Expect(bound).To(Succeed())
				Eventually(func() error { return c.Get(ctx, tokens, &corev1.Secret{}) }).WithPolling(often).Should(MatchError(apierrors.IsNotFound, "IsNotFound"))
			}
			Expect(c.List(ctx, &corev1.SecretList{}, client.InNamespace(t.namespace))).To(MatchError(apierrors.IsForbidden, "IsForbidden"), process)
		}
	})

	It("appear unsealed in no answer, page, log, event, status or object", func() {
		scripts := map[v1beta1.Platform]publish.Platform{}
		var script *socialscript.Platform
		for _, p := range catalog.Platforms() {
			script = socialscript.New(v1beta1.Platform(p), clock.RealClock{}, publish.Identity{ID: "7001", Name: "Maya <script>alert(1)</script>"})
			scripts[v1beta1.Platform(p)] = script
		}
		c := connectingTo(scripts, scripts)
		const code = "an-authorization-code-that-is-secret"
		var everything strings.Builder
		for name, p := range scripts {
			if name == "youtube" { // failures are reported too
				p.(*socialscript.Platform).OnExchange = func() error {
					return &publish.Error{Kind: publish.Transient, Safe: "Down", Err: fmt.Errorf("reset")}
				}
			}
			link := c.link(string(name))
			link.envelope["data"].(object)["authorize_url"] = c.url + "/oauth/" + string(name) + "/callback?" + url.Values{"state": {query(link, "state")}}.Encode()
			page := approve(link, "code="+code)
			fmt.Fprintln(&everything, page.text, page.header)
			Expect(page.text).NotTo(ContainSubstring("<script"))
		}
		a := c.connections(3)
		doc, err := json.Marshal(a.envelope)
		Expect(err).NotTo(HaveOccurred())
		fmt.Fprintln(&everything, string(doc), c.log)
		accounts := &v1beta1.SocialAccountList{}
		for _, list := range []client.ObjectList{accounts, &v1beta1.ConnectionRequestList{}, &corev1.SecretList{}, &corev1.ConfigMapList{}, &eventsv1.EventList{}} {
			Expect(controlPlane.Client.List(ctx, list, client.InNamespace(c.t.namespace))).To(Succeed())
			doc, err := json.Marshal(list)
			Expect(err).NotTo(HaveOccurred())
			fmt.Fprintln(&everything, string(doc))
			if secrets, ok := list.(*corev1.SecretList); ok {
				for _, s := range secrets.Items {
					for _, v := range s.Data {
						fmt.Fprintln(&everything, string(v)) // not only as base64
					}
				}
			}
		}
		text := everything.String()
		Expect(text).To(ContainSubstring("Maya"), "the searched documents are not empty")
		Expect(c.log.String()).NotTo(BeEmpty())
		known := []string{code}
		for _, p := range scripts {
			known = append(known, p.(*socialscript.Platform).Secrets()...)
		}
		Expect(len(known)).To(BeNumerically(">", 6))
		for _, secret := range known {
			Expect(strings.Contains(text, secret)).To(BeFalse(), "%s contains a secret", secret)
		}
		for i := range accounts.Items { // the sealed tokens exist
			got, err := c.keeper.Account(ctx, &accounts.Items[i])
			Expect(err).NotTo(HaveOccurred())
			Expect(known).To(ContainElement(got.AccessToken))
		}
	})
})
