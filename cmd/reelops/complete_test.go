// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// offered returns the words of a completion without their descriptions and without cobra's directive.
func offered(out string) (words []string, directive string) {
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, ":") {
			return words, line
		}
		word, _, _ := strings.Cut(line, "\t")
		words = append(words, word)
	}
	return words, ""
}

// Directives of cobra.
const (
	noFiles      = ":4"
	noFilesSpace = ":6"
	anyFile      = ":0"
	filesOfKind  = ":8"
	failure      = ":1"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	p := installed(t)
	p.publishing(t, "complete")
	p.has(t, testkit.Namespace("complete-2"), testkit.Account("complete-2"), testkit.Brand("complete-2", "tea"))
	key := func(id, account, brand string, revoked bool) *v1beta1.APIKey {
		k := &v1beta1.APIKey{Spec: v1beta1.APIKeySpec{
			BrandRef: v1beta1.LocalRef{Name: brand}, DisplayName: "key " + id, SecretSHA256: strings.Repeat("a", 64), Hint: "rlo_....abcd", Revoked: revoked,
		}}
		k.Namespace, k.Name, k.Labels = account, "key-"+id, map[string]string{v1beta1.LabelID: id}
		return k
	}
	p.has(t, key("9001", "complete", "coffee", false), key("9002", "complete", "coffee", true), key("9003", "complete-2", "tea", false))
	p.has(t, dailyAutomation("complete"))
	for name, c := range map[string]struct {
		line      []string
		want      []string
		directive string
	}{
		"commands":                  {[]string{"ba"}, []string{"backup", "batch"}, noFiles},
		"subcommands":               {[]string{"brand", ""}, []string{"create", "list"}, noFiles},
		"accounts":                  {[]string{"brand", "list", "--account", "comp"}, []string{"complete", "complete-2"}, noFiles},
		"accounts of -n":            {[]string{"status", "-n", "complete-"}, []string{"complete-2"}, noFiles},
		"brands":                    {[]string{"key", "create", "--account", "complete", "--brand", ""}, []string{"coffee"}, noFiles},
		"brands of -n":              {[]string{"key", "create", "-n", "complete-2", "--brand", ""}, []string{"tea"}, noFiles},
		"brands of the context":     {[]string{"key", "create", "--context", "tenant", "--brand", ""}, nil, noFiles},
		"brands without an account": {[]string{"key", "create", "--brand", ""}, nil, failure},
		"scopes":                    {[]string{"key", "create", "--scopes", "p"}, []string{"posts:read", "posts:write"}, noFilesSpace},
		"more scopes":               {[]string{"key", "create", "--scopes", "posts:read,p"}, []string{"posts:read,posts:write"}, noFilesSpace},
		"keys":                      {[]string{"key", "revoke", "900"}, []string{"9001", "9003"}, noFiles},
		"keys of an account":        {[]string{"key", "revoke", "-n", "complete-2", ""}, []string{"9003"}, noFiles},
		"one key only":              {[]string{"key", "revoke", "9001", ""}, nil, noFiles},
		"batches":                   {[]string{"approve", "-n", "complete", ""}, []string{"held"}, noFiles},
		"automations":               {[]string{"automation", "run", "-n", "complete", ""}, []string{"daily"}, noFiles},
		"automations to show":       {[]string{"automation", "next", "-n", "complete", "d"}, []string{"daily"}, noFiles},
		"manifests":                 {[]string{"automation", "next", "-f", ""}, []string{"yaml", "yml", "json"}, filesOfKind},
		"output formats of results": {[]string{"status", "-o", "js"}, []string{"json", "jsonpath", "jsonpath-as-json", "jsonpath-file"}, noFiles},
		"output formats of lists":   {[]string{"post", "list", "-o", "w"}, []string{"wide"}, noFiles},
		"namespaces":                {[]string{"doctor", "--system-namespace", "kube-s"}, []string{"kube-system"}, noFiles},
		"contexts":                  {[]string{"status", "--context", "t"}, []string{"tenant", "test"}, noFiles},
		"clusters":                  {[]string{"status", "--cluster", ""}, []string{"test"}, noFiles},
		"users":                     {[]string{"status", "--user", ""}, []string{"admin"}, noFiles},
		"new names":                 {[]string{"brand", "create", ""}, nil, noFiles},
		"text":                      {[]string{"brand", "create", "tea", "--website", ""}, nil, noFiles},
		"archives":                  {[]string{"restore", ""}, nil, anyFile},
		"music":                     {[]string{"music", "add", ""}, []string{"mp3", "aac", "m4a", "wav", "flac", "ogg"}, filesOfKind},
		"kubeconfigs":               {[]string{"status", "--kubeconfig", ""}, nil, anyFile},
		"no cluster":                {[]string{"brand", "list", "--server", "https://127.0.0.1:1", "--account", ""}, nil, failure},
		"no permissions":            {[]string{"brand", "list", "--as", "nobody", "--account", ""}, nil, failure},
	} {
		t.Run(name, func(t *testing.T) {
			out, errOut, code := p.run(t, append([]string{"__complete"}, c.line...)...)
			words, directive := offered(out)
			if d := cmp.Diff(c.want, words); d != "" || directive != c.directive || code != 0 {
				t.Errorf("got exit code %d, directive %s, want %s, (-want +got):\n%s%s",
					code, directive, c.directive, d, errOut)
			}
		})
	}
}

// TestComplete_ByKubectl lets kubectl itself complete the words after `kubectl reelops`.
func TestComplete_ByKubectl(t *testing.T) {
	t.Parallel()
	p := installed(t)
	p.has(t, testkit.Namespace("by-kubectl"), testkit.Account("by-kubectl"), testkit.Brand("by-kubectl", "coffee"))
	out, errOut, code := p.exec(t, "kubectl", "__complete", "reelops", "key", "create", "--account", "by-kubectl", "--brand", "co")
	words, directive := offered(out)
	if !slices.Equal(words, []string{"coffee"}) || directive != noFiles || code != 0 {
		t.Errorf("got exit code %d: %s%s", code, out, errOut)
	}
	if out, errOut, code := p.exec(t, "kubectl", "reelops", "brand", "list", "-n", "by-kubectl", "-o", "name"); out != "brand.reelops.dev/coffee\n" || code != 0 {
		t.Errorf("got exit code %d: %s%s", code, out, errOut)
	}
	if _, errOut, code := p.exec(t, "kubectl", "reelops", "status", "--account", "nosuch"); code != exitNotFound || !strings.Contains(errOut, `there is no account "nosuch"`) {
		t.Errorf("got exit code %d: %s", code, errOut)
	}
}
