// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
)

// cluster runs commands against one fake cluster.
type cluster struct {
	client.WithWatch
	t *testing.T
}

func newCluster(t *testing.T, objects ...client.Object) *cluster {
	t.Helper()
	scheme, err := newScheme()
	if err != nil {
		t.Fatal(err)
	}
	return &cluster{t: t, WithWatch: fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()}
}

// try runs a command line and returns its standard output and its error.
func (c *cluster) try(line ...string) (string, error) {
	c.t.Helper()
	out, _, err := c.run(line...)
	return out, err
}

// run runs a command line without a kubeconfig and returns its standard output, its standard error and its error.
func (c *cluster) run(line ...string) (out, errOut string, err error) {
	c.t.Helper()
	c.t.Setenv("KUBECONFIG", filepath.Join(c.t.TempDir(), "none"))
	streams, _, stdout, stderr := genericiooptions.NewTestIOStreams()
	f := newFactory(streams)
	f.dial = func(*factory) (client.Client, error) { return c.WithWatch, nil }
	root := newRootCommand(f)
	root.SetArgs(line)
	err = execute(c.t.Context(), root)
	return stdout.String(), stderr.String(), err
}

// do runs a command line that must succeed, and parses its one JSON object.
func (c *cluster) do(line ...string) map[string]any {
	c.t.Helper()
	out, err := c.try(append(line, "-o", "json")...)
	if err != nil {
		c.t.Fatalf("%v: %v", line, err)
	}
	object := map[string]any{}
	if err := json.Unmarshal([]byte(out), &object); err != nil {
		c.t.Fatalf("%v printed no JSON object: %v: %s", line, err, out)
	}
	return object
}

// refuse runs a command line that must fail with a message that contains the words.
func (c *cluster) refuse(words string, line ...string) {
	c.t.Helper()
	if _, err := c.try(line...); err == nil || !strings.Contains(err.Error(), words) {
		c.t.Errorf("%v: got %v, want an error with %q", line, err, words)
	}
}

func (c *cluster) key(id string) *v1beta1.APIKey {
	c.t.Helper()
	k := &v1beta1.APIKey{}
	if err := c.Get(c.t.Context(), client.ObjectKey{Namespace: "acme", Name: "key-" + id}, k); err != nil {
		c.t.Fatal(err)
	}
	return k
}

func (c *cluster) shop() *cluster {
	c.t.Helper()
	c.do("account", "create", "acme", "--email", "ann@acme.example")
	c.do("brand", "create", "shop", "--account", "acme")
	return c
}

func TestAccountCreate(t *testing.T) {
	c := newCluster(t)
	got := c.do("account", "create", "acme", "--email", "ann@acme.example", "--slideshow-limit", "5")
	if d := cmp.Diff(map[string]any{"id": 1.0, "name": "acme", "namespace": "acme", "email": "ann@acme.example"}, got); d != "" {
		t.Error(d)
	}
	ns, account := &corev1.Namespace{}, &v1beta1.Account{}
	if err := errors.Join(c.Get(t.Context(), client.ObjectKey{Name: "acme"}, ns),
		c.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: "account"}, account)); err != nil {
		t.Fatal(err)
	}
	if ns.Labels["reelops.dev/account"] != "acme" || ns.Labels["pod-security.kubernetes.io/enforce"] != "restricted" {
		t.Errorf("got namespace labels %v", ns.Labels)
	}
	if account.Labels["reelops.dev/id"] != "1" || account.Spec.Plan.SlideshowLimit == nil || *account.Spec.Plan.SlideshowLimit != 5 || account.Spec.Plan.Credits != nil {
		t.Errorf("got account %+v", account)
	}
	c.refuse(`the account "acme" exists`, "account", "create", "acme", "--email", "ann@acme.example")
	c.refuse("is reserved", "account", "create", "shared", "--email", "ann@acme.example")
	if got := c.do("account", "create", "other", "--email", "o@o.example"); got["id"] != 2.0 {
		t.Errorf("got id %v of the second account, want 2", got["id"])
	}
}

func TestAccountWithoutALimitIsUnlimited(t *testing.T) {
	c := newCluster(t).shop()
	account := &v1beta1.Account{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: "account"}, account); err != nil {
		t.Fatal(err)
	}
	if account.Spec.Plan.SlideshowLimit != nil {
		t.Errorf("got limit %d", *account.Spec.Plan.SlideshowLimit)
	}
}

func TestAccountCreate_ResumesAfterACrash(t *testing.T) {
	c := newCluster(t)
	whole, crashed := c.WithWatch, errors.New("killed")
	c.WithWatch = interceptor.NewClient(whole, interceptor.Funcs{
		Create: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if _, ok := o.(*v1beta1.Account); ok {
				return crashed
			}
			return w.Create(ctx, o, opts...)
		},
	})
	if _, err := c.try("account", "create", "acme", "--email", "a@b.example"); !errors.Is(err, crashed) {
		t.Fatalf("got %v", err)
	}
	c.WithWatch = whole
	c.do("account", "create", "acme", "--email", "a@b.example")
}

func TestAccountCreate_RejectsAForeignNamespace(t *testing.T) {
	foreign := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}}
	c := newCluster(t, foreign)
	c.refuse("is not labelled for an account", "account", "create", "kube-system", "--email", "a@b.example")
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "kube-system", Name: "account"}, &v1beta1.Account{}); err == nil {
		t.Error("the account was created")
	}
	foreign.Labels = map[string]string{"reelops.dev/account": "kube-system"}
	if err := c.Update(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	c.do("account", "create", "kube-system", "--email", "a@b.example")
}

func TestAccountCreate_NamesATerminatingNamespace(t *testing.T) {
	c := newCluster(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "acme", Finalizers: []string{"x.example/wait"}}})
	if err := c.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "acme"}}); err != nil {
		t.Fatal(err)
	}
	c.refuse("is being deleted", "account", "create", "acme", "--email", "a@b.example")
}

func TestBrandCreate(t *testing.T) {
	c := newCluster(t).shop()
	c.refuse(`the brand "shop" exists`, "brand", "create", "shop", "--account", "acme")
	c.refuse(`there is no account "nobody"`, "brand", "create", "shop", "--account", "nobody")
	if got := c.do("brand", "create", "second", "--account", "acme", "--display-name", "Second"); got["id"] != 3.0 {
		// The rejected brand used an id: 2.
		t.Errorf("got id %v, want 3", got["id"])
	}
	b := &v1beta1.Brand{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: "second"}, b); err != nil || b.Spec.DisplayName != "Second" || b.Labels["reelops.dev/id"] != "3" {
		t.Errorf("got brand %+v, %v", b, err)
	}
}

func TestKeyCreate(t *testing.T) {
	c := newCluster(t).shop()
	got := c.do("key", "create", "--account", "acme", "--brand", "shop", "--name", "CI", "--scopes", "brand:read, posts:write,brand:read", "--expires-in", "24h")
	secret, _ := got["secret"].(string)
	if err := apikey.CheckShape(apikey.DefaultPrefix, secret); err != nil {
		t.Fatalf("got secret: %v", err)
	}
	k := c.key("1")
	if k.Spec.SecretSHA256 != apikey.Hash(secret) || !strings.HasSuffix(secret, strings.TrimPrefix(k.Spec.Hint, "rlo_....")) {
		t.Error("the stored hash or hint does not match the secret")
	}
	if d := cmp.Diff([]v1beta1.Scope{"brand:read", "posts:write"}, k.Spec.Scopes); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]string{"reelops.dev/id": "1", "reelops.dev/brand": "shop"}, k.Labels); d != "" {
		t.Error(d)
	}
	if k.Spec.ExpiresAt == nil || got["expires_at"] != k.Spec.ExpiresAt.UTC().Format("2006-01-02T15:04:05Z") {
		t.Errorf("stored expiry %v, printed %v", k.Spec.ExpiresAt, got["expires_at"])
	}
}

func TestKeyCreate_PrintsTheSecretOnceAndStoresItsHash(t *testing.T) {
	c := newCluster(t).shop()
	out, err := c.try("key", "create", "--account", "acme", "--brand", "shop", "--name", "CI")
	if err != nil {
		t.Fatal(err)
	}
	var secret string
	for word := range strings.FieldsSeq(out) {
		if apikey.CheckShape(apikey.DefaultPrefix, word) == nil {
			secret = word
		}
	}
	if secret == "" {
		t.Fatalf("the output has no secret: %q", out)
	}
	stored, err := json.Marshal(c.key("1"))
	if err != nil {
		t.Fatal(err)
	}
	listed, err := c.try("key", "list")
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"the object": string(stored), "the list": listed} {
		if strings.Contains(text, secret) {
			t.Errorf("%s contains the secret", where)
		}
	}
	if c.key("1").Spec.Scopes != nil {
		t.Error("a key without scopes has scopes")
	}
}

func TestKeyCreate_InvalidOptions(t *testing.T) {
	c := newCluster(t).shop()
	with := func(more ...string) []string {
		return append([]string{"key", "create", "--account", "acme", "--name", "CI"}, more...)
	}
	for words, line := range map[string][]string{
		`there is no brand "nope"`:                 with("--brand", "nope"),
		`there is no scope "posts"`:                with("--brand", "shop", "--scopes", "posts"),
		"--expires-in must be a positive duration": with("--brand", "shop", "--expires-in", "-1h"),
		"a key prefix is":                          with("--brand", "shop", "--prefix", "RLO"),
		`required flag(s) "brand"`:                 with(),
	} {
		c.refuse(words, line...)
	}
}

func TestABrandHoldsTenUsableKeys(t *testing.T) {
	c := newCluster(t).shop()
	create := func(more ...string) []string {
		return append([]string{"key", "create", "--account", "acme", "--brand", "shop", "--name", "k"}, more...)
	}
	// An expired key does not count. It expires before the next command reads it.
	c.do(create("--expires-in", "1ns")...)
	for range v1beta1.MaxKeysPerBrand {
		c.do(create()...)
	}
	c.refuse("has 10 usable keys", create()...)
	c.do("brand", "create", "second", "--account", "acme")
	c.do("key", "create", "--account", "acme", "--brand", "second", "--name", "k")

	c.do("key", "revoke", "2")
	if !c.key("2").Spec.Revoked {
		t.Error("key 2 is not revoked")
	}
	c.do(create()...)
}

func TestKeyRevoke(t *testing.T) {
	c := newCluster(t).shop()
	c.do("key", "create", "--account", "acme", "--brand", "shop", "--name", "k")
	c.refuse("there is no key 7", "key", "revoke", "7")
	c.refuse("the id of a key is a number", "key", "revoke", "key-1")
	for range 2 {
		if d := cmp.Diff(map[string]any{"id": 1.0, "name": "k", "revoked": true}, c.do("key", "revoke", "1")); d != "" {
			t.Error(d)
		}
	}
}

func TestKeyList(t *testing.T) {
	c := newCluster(t).shop()
	c.do("account", "create", "zeta", "--email", "z@z.example")
	c.do("brand", "create", "z", "--account", "zeta")
	for range 10 {
		c.do("key", "create", "--account", "acme", "--brand", "shop", "--name", "k")
	}
	c.do("key", "create", "--account", "zeta", "--brand", "z", "--name", "z", "--scopes", "read")

	list := func(line ...string) (ids []int64) {
		var found v1beta1.APIKeyList
		out, err := c.try(append(line, "-o", "json")...)
		if err := errors.Join(err, json.Unmarshal([]byte(out), &found)); err != nil {
			t.Fatal(err)
		}
		for i := range found.Items {
			ids = append(ids, idOf(&found.Items[i]))
		}
		return ids
	}
	if d := cmp.Diff([]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, list("key", "list")); d != "" {
		t.Error("want the order of the ids:", d)
	}
	if d := cmp.Diff([]int64{11}, list("key", "list", "--account", "zeta")); d != "" {
		t.Error(d)
	}
	c.refuse(`there is no account "nobody"`, "key", "list", "--account", "nobody")
	people, err := c.try("key", "list", "--account", "zeta")
	if err != nil || !strings.HasPrefix(people, "ID ") || strings.Count(people, "\n") != 2 {
		t.Errorf("%v: %s", err, people)
	}
}

func TestCommands_RejectUnknownNames(t *testing.T) {
	c := newCluster(t)
	c.refuse("there is no command `reelops account frob`", "account", "frob")
	c.refuse("did you mean \"create\"?", "account", "creat")
	c.refuse("there is no command `reelops frob`", "frob")
	if out, err := c.try("account"); err != nil || !strings.Contains(out, "create") {
		t.Errorf("the group without a command prints no help: %v: %s", err, out)
	}
}

func TestHelp_NeedsNoCluster(t *testing.T) {
	for _, line := range [][]string{{"help"}, {"options"}, {"key"}, {"key", "create", "--help"}, {"completion", "bash"}} {
		t.Run(fmt.Sprint(line), func(t *testing.T) {
			streams, _, out, _ := genericiooptions.NewTestIOStreams()
			f := newFactory(streams)
			f.dial = func(*factory) (client.Client, error) { return nil, errors.New("dialled") }
			root := newRootCommand(f)
			root.SetArgs(line)
			if err := execute(t.Context(), root); err != nil || out.Len() == 0 {
				t.Errorf("%v, %d bytes", err, out.Len())
			}
		})
	}
}
