// SPDX-License-Identifier: Apache-2.0

package atrest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRequestsOfTheAuditLog(t *testing.T) {
	line := func(agent, verb, uri, at, code string) string {
		return `{"verb":"` + verb + `","requestURI":"` + uri + `","userAgent":"` + agent + `","stageTimestamp":"2026-11-21T12:00:` + at + `Z",` +
			`"objectRef":{"resource":"slideshows","subresource":"status"},"responseStatus":{"code":` + code + `}}` + "\n"
	}
	log := line("manager/v0 (linux/amd64)", "patch", "/early", "00.1", "200") +
		line("manager/v0 (linux/amd64)", "patch", "/counts", "02.5", "200") +
		line("manager/v0 (linux/amd64)", "get", "/read", "02.6", "200") +
		line("manager/v0 (linux/amd64)", "patch", "/conflict", "03.0", "409") +
		line("apiserver/v0 (linux/amd64)", "create", "/try?dryRun=All", "03.0", "201") +
		line("apiserver/v0 (linux/amd64)", "create", "/counts/too", "03.0", "201") +
		line("kube-apiserver/v1 (linux/amd64)", "update", "/lease", "03.0", "200") +
		`{"verb":"patch","userAgent":"manager/v0`
	since := time.Date(2026, 11, 21, 12, 0, 1, 0, time.UTC)
	got, err := requests(strings.NewReader(log), since)
	if err != nil {
		t.Fatal(err)
	}
	want := []Request{
		{since.Add(1500 * time.Millisecond), "manager", "patch", "slideshows/status", "/counts", 200},
		{since.Add(1600 * time.Millisecond), "manager", "get", "slideshows/status", "/read", 200},
		{since.Add(2 * time.Second), "manager", "patch", "slideshows/status", "/conflict", 409},
		{since.Add(2 * time.Second), "apiserver", "create", "slideshows/status", "/counts/too", 201},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	want = []Request{want[0], want[3]}
	if d := cmp.Diff(want, slices.DeleteFunc(got, func(r Request) bool { return !changed(r) })); d != "" {
		t.Error("changes:", d)
	}
}

func TestPolicy_HasNoRuleForTheReadsInAllNamespaces(t *testing.T) {
	if text := policyOf(nil); strings.Contains(text, "get") {
		t.Errorf("without namespaces: %s", text)
	}
	if text := policyOf([]string{"a", "b"}); !strings.Contains(text, "verbs: [get, list]\n  namespaces: [a, b]\n") {
		t.Errorf("with namespaces: %s", text)
	}
}
