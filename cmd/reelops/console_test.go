// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/account/consolelink"
)

// asUser makes the fake cluster respond to reviews of the user's identity.
func (c *cluster) asUser(name string, groups ...string) *cluster {
	c.WithWatch = interceptor.NewClient(c.WithWatch, interceptor.Funcs{
		Create: func(ctx context.Context, inner client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if r, ok := o.(*authenticationv1.SelfSubjectReview); ok {
				r.CreationTimestamp = metav1.Now()
				r.Status.UserInfo = authenticationv1.UserInfo{Username: name, Groups: groups}
				return nil
			}
			return inner.Create(ctx, o, opts...)
		},
	})
	return c
}

func TestConsole_PrintsALinkForTheUser(t *testing.T) {
	c := newCluster(t).shop().asUser("anna", "team", "system:authenticated")
	got := c.do("console", "--account", "acme", "--url", "https://reelops.example/")
	link, _ := got["url"].(string)
	token, ok := strings.CutPrefix(link, "https://reelops.example/console/link#")
	if !ok || got["user"] != "anna" || got["account"] != "acme" {
		t.Fatalf("got %v", got)
	}
	var all v1beta1.ConsoleLinkList
	if err := c.List(t.Context(), &all, client.InNamespace("acme")); err != nil || len(all.Items) != 1 {
		t.Fatalf("got %d links, %v", len(all.Items), err)
	}
	l := all.Items[0].Spec
	if l.Username != "anna" || strings.Join(l.Groups, " ") != "team system:authenticated" ||
		l.TokenSHA256 != apikey.Hash(token) ||
		apikey.CheckShape(consolelink.Prefix, token) != nil {
		t.Errorf("got link %+v", l)
	}
	if valid := time.Until(l.ExpiresAt.Time); valid > v1beta1.ConsoleLinkTime ||
		valid < v1beta1.ConsoleLinkTime-time.Minute {
		t.Errorf("the link is valid for %s", valid)
	}
}

func TestConsole_ReadsTheURLOfTheInstallation(t *testing.T) {
	t.Setenv(urlVariable, "")
	c := newCluster(t).shop().asUser("anna")
	c.refuse("give it with --url", "console", "--account", "acme")
	c.refuse("is not a URL", "console", "--account", "acme", "--url", "reelops.example")
	labels := map[string]string{labelPartOf: "reelops", labelPart: "apiserver"}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: "reelops-system", Name: "reelops-apiserver",
		Labels: labels,
	}}
	d.Spec.Template.Spec.Containers = []corev1.Container{
		{Name: "apiserver", Env: []corev1.EnvVar{{Name: "REELOPS_BASE_URL", Value: "https://here.example"}}},
	}
	if err := c.Create(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"https://here.example", "https://variable.example"} {
		if got := c.do("console", "--account", "acme"); !strings.HasPrefix(got["url"].(string), want+"/console/link#link_") {
			t.Errorf("got %v, want %s", got["url"], want)
		}
		t.Setenv(urlVariable, "https://variable.example")
	}
}
