// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	list := []acceptance{
		{Rule: "G304", Place: "internal/film/render", Reason: "files of its own folder"},
		{Rule: "G401", Place: "internal/store/blob/upload.go", Text: "weak", Reason: "the checksum of the store"},
		{Rule: "GO-2026-1", Place: "example.com/module", Reason: "it is not called here"},
	}
	left, unused := judge([]finding{
		{"G304", "internal/film/render/film.go", "1", "inclusion"},
		{"G304", "internal/work/pod/pod.go", "1", "inclusion"},
		{"G204", "internal/film/render/film.go", "1", "subprocess"},
		{"G401", "internal/store/blob/upload.go", "1", "another text"},
	}, list, false)
	if len(left) != 3 || left[0].File != "internal/work/pod/pod.go" {
		t.Errorf("got remaining %+v", left)
	}
	if len(unused) != 1 || unused[0].Rule != "G401" {
		t.Errorf("an entry about vulnerabilities counts only if the scan looks for them: %+v", unused)
	}
	if _, unused := judge(nil, list, true); len(unused) != 3 {
		t.Errorf("got unused %+v", unused)
	}
}

func TestReports(t *testing.T) {
	got, err := gosecFindings([]byte(`{"Issues": [{"FromLinter": "gosec", "Text": "G304: Potential file inclusion", "Pos": {"Filename": "a/b.go", "Line": 7}}]}`))
	if err != nil || len(got) != 1 || got[0] != (finding{"G304", "a/b.go", "7", "Potential file inclusion"}) {
		t.Errorf("got %+v %v", got, err)
	}
	if _, err := gosecFindings([]byte(`{"Issues": [{"FromLinter": "typecheck", "Text": "undefined: x"}]}`)); err == nil {
		t.Error("code that does not compile is accepted")
	}
	known, err := calls(strings.NewReader(`{"config": {}}
		{"finding": {"osv": "GO-2026-1", "trace": [{"module": "example.com/m", "version": "v1.0.0"}]}}
		{"finding": {"osv": "GO-2026-2", "fixed_version": "v1.2.0", "trace": [{"module": "example.com/m", "version": "v1.0.0", "package": "example.com/m/p", "function": "Read"}]}}`))
	if err != nil || len(known) != 1 || known[0].Rule != "GO-2026-2" || known[0].File != "example.com/m" {
		t.Errorf("only called code: got %+v %v", known, err)
	}
}

func TestAccepted_IsReadable(t *testing.T) {
	if _, err := readAccepted("accepted.yaml"); err != nil {
		t.Error(err)
	}
}
