// SPDX-License-Identifier: Apache-2.0

package intake

import (
	"testing"

	"k8s.io/utils/ptr"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
)

func TestANamespaceReadsItsOwnKeysAlone(t *testing.T) {
	for key, want := range map[string]bool{
		"imports/acme/a.mp4":            true,
		"imports/acme/deep/down/a.mp4":  true,
		"imports/acme/name with ü.mp4":  true,
		"imports/shared/a.mp4":          true,
		"uploads/acme/7":                true,
		"imports/acme/":                 false,
		"imports/acme":                  false,
		"imports/acmeother/a.mp4":       false,
		"imports/other/a.mp4":           false,
		"uploads/other/7":               false,
		"media/acme/uid/file.mp4":       false,
		"renders/acme/uid/a1/film.mp4":  false,
		"imports/acme/../other/a.mp4":   false,
		"imports/acme/./a.mp4":          false,
		"imports/acme//a.mp4":           false,
		"imports/shared/../other/a.mp4": false,
		"imports/acme/a\\b":             false,
		"imports/acme/a\nb":             false,
		"imports/acme/a\x00b":           false,
		"/imports/acme/a.mp4":           false,
		"":                              false,
	} {
		if got := MayRead("acme", key); got != want {
			t.Errorf("%q: %v", key, got)
		}
	}
	// A namespace may have a name that is a folder's.
	if MayRead("shared", "imports/other/a.mp4") || !MayRead("shared", "imports/shared/a.mp4") {
		t.Error("a namespace named shared")
	}
}

func TestOnlyUploadsOfTheNamespaceAreRemoved(t *testing.T) {
	for key, want := range map[string]string{
		"uploads/acme/7":     "uploads/acme/7",
		"uploads/other/7":    "",
		"imports/acme/7":     "",
		"uploads/acme/../x":  "",
		"imports/shared/a":   "",
		"media/acme/uid/x":   "",
		"uploads/acme/":      "",
		"uploads/acmeother/": "",
	} {
		if got := SourceUpload("acme", v1alpha1.MediaSource{BlobKey: ptr.To(key)}); got != want {
			t.Errorf("%q: %q", key, got)
		}
	}
	if got := SourceUpload("acme", v1alpha1.MediaSource{URL: ptr.To("https://example.com/uploads/acme/7")}); got != "" {
		t.Errorf("a URL: %q", got)
	}
}

func TestAttemptsOfARetryBeginANewRound(t *testing.T) {
	for before, want := range map[int32]int32{1: 4, 2: 4, 3: 4, 4: 7, 6: 7} {
		w := &v1alpha1.Work{State: v1alpha1.WorkFailed, Attempt: before}
		e, job, retried := &v1alpha1.WorkError{}, "job", ""
		m := &v1alpha1.MediaAsset{}
		m.Annotations = map[string]string{v1alpha1.AnnotationRetry: "x"}
		f := &File{Object: m, Work: &w, Error: &e, JobName: &job, RetriedFor: &retried}
		f.begin(w)
		if w.Attempt != want || round(w) != 0 || w.State != v1alpha1.WorkQueued || e != nil || job != "" || retried != "x" {
			t.Errorf("after attempt %d: %+v, %q, %q", before, w, job, retried)
		}
	}
}
