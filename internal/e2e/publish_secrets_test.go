// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/platforms"
)

// secretTokens searches for the platforms' secrets in every file of the stack, in the pages and in responses of the
// API. The files include the logs and the database of the cluster. It also checks that the front end cannot read the
// Secrets.
func (s *stack) secretTokens(t *testing.T, a *api, pages string, codes []string) {
	want := NewWithT(t)
	secrets := append(codes, platforms.SandboxClientSecret)
	issued := s.tokens(t)
	want.Expect(len(issued)).To(BeNumerically(">=", 2*len(allPlatforms)), "tokens in the journal of the sandbox")
	secrets = append(secrets, issued...)
	var needles [][]byte
	for _, secret := range secrets {
		needles = append(needles, encodings(secret)...)
	}
	found := func(doc []byte) bool {
		return slices.ContainsFunc(needles, func(n []byte) bool { return bytes.Contains(doc, n) })
	}

	files, database := 0, false
	if err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path == s.path("sandbox") {
			return fs.SkipDir // the platforms store their own tokens
		}
		if err == nil && d.Type().IsRegular() { // otherwise deleted meanwhile
			doc, _ := os.ReadFile(path)
			if files++; found(doc) {
				t.Errorf("%s contains a secret of a platform", path)
			}
			database = database || strings.HasPrefix(path, s.path("kube")) && bytes.Contains(doc, []byte("Maya's Kitchen"))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want.Expect(database).To(BeTrue(), "the database is missing among the %d files", files)
	want.Expect(found([]byte(s.logText("sandbox", "journal.jsonl")))).To(BeTrue(), "the search finds a known token")

	if found([]byte(pages)) {
		t.Error("the pages contain a secret of a platform")
	}
	for _, path := range []string{"/connections", "/posts?per_page=50", "/shorts", "/account", "/brands", "/capabilities"} {
		if found(a.raw(want, path)) {
			t.Errorf("GET %s returns a secret of a platform", path)
		}
	}

	var stored corev1.SecretList
	want.Expect(s.kube.List(t.Context(), &stored, client.InNamespace(tenant), client.MatchingLabels{v1beta1.LabelComponent: "tokens"})).To(Succeed())
	want.Expect(len(stored.Items)).To(BeNumerically(">=", len(allPlatforms)))
	for _, secret := range stored.Items {
		want.Expect(secret.Data).To(HaveLen(1), "%s has only the sealed data", secret.Name)
		want.Expect(secret.Data).To(HaveKey("sealed"))
		s.expectDenied(t, "apiserver", "get", "secret", secret.Name)
	}
	s.expectDenied(t, "apiserver", "get", "secrets")
	s.expectDenied(t, "manager", "get", "secrets") // only a get by name is allowed
	// The front end cannot make another program read the Secrets either.
	for _, request := range []string{
		"list secrets", "watch secrets", "patch secrets", "create pods", "create jobs.batch", "create pods/exec", "create serviceaccounts/token",
		"impersonate users", "impersonate serviceaccounts", "escalate roles.rbac.authorization.k8s.io",
	} {
		out, err := s.program("", "kubectl", append(append([]string{"--kubeconfig", s.path("apiserver.kubeconfig"), "auth", "can-i"}, strings.Fields(request)...), "-n", tenant)...)
		if strings.TrimSpace(out) != "no" {
			t.Errorf("permission of the front end to %s: got %q %v, want no", request, out, err)
		}
	}
	// It can create role bindings, but only of the roles of the console's members.
	for _, role := range []string{"cluster-admin", "admin", "reelops-approver"} {
		s.expectDenied(t, "apiserver", "create", "rolebinding", "of-the-front-end", "--clusterrole="+role, "--user=anna@example.com")
	}
}

// expectDenied checks that the cluster denies a request of a program.
func (s *stack) expectDenied(t *testing.T, part string, request ...string) {
	t.Helper()
	out, err := s.program("", "kubectl", append([]string{"--kubeconfig", s.path(part + ".kubeconfig"), "-n", tenant}, request...)...)
	if err == nil || !strings.Contains(err.Error(), "forbidden") {
		t.Errorf("the %s must not %s: got %s %v", part, strings.Join(request, " "), out, err)
	}
}

// tokens returns all tokens that the platforms issued.
func (s *stack) tokens(t *testing.T) (out []string) {
	t.Helper()
	for line := range strings.Lines(s.logText("sandbox", "journal.jsonl")) {
		var e struct {
			Token struct{ Access, Refresh string }
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		for _, token := range []string{e.Token.Access, e.Token.Refresh} {
			if token != "" && !slices.Contains(out, token) {
				out = append(out, token)
			}
		}
	}
	return out
}

// encodings returns the forms of a text in a document: as it is, and in base64 at each of the three alignments.
func encodings(text string) [][]byte {
	out := [][]byte{[]byte(text)}
	for before := range 3 {
		coded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00", before) + text))
		whole := (before + len(text)) / 3 * 4 // the bytes after the text change the rest
		out = append(out, []byte(coded[(before*8+5)/6:whole]))
	}
	return out
}

// raw returns the body of a response.
func (a *api) raw(g Gomega, path string) []byte {
	req, err := http.NewRequest(http.MethodGet, a.url+"/api/v1"+path, nil)
	g.Expect(err).NotTo(HaveOccurred())
	req.Header.Set("Authorization", "Bearer "+a.key)
	res, err := http.DefaultClient.Do(req)
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = res.Body.Close() }()
	doc, err := io.ReadAll(res.Body)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(res.StatusCode).To(Equal(http.StatusOK), "%s", fmt.Sprintf("%s: %s", path, doc))
	return doc
}

func TestEncodings(t *testing.T) {
	const token = "act.3xN8"
	for before := range 4 {
		for after := range 4 {
			doc := []byte(base64.StdEncoding.EncodeToString([]byte("abcd"[:before] + token + "wxyz"[:after])))
			if !slices.ContainsFunc(encodings(token), func(n []byte) bool { return bytes.Contains(doc, n) }) {
				t.Errorf("not found with %d bytes before and %d after, in %s", before, after, doc)
			}
		}
	}
}
