// SPDX-License-Identifier: Apache-2.0

package fieldowner_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/internal/kube/fieldowner"
)

const (
	title    = `{"f:spec":{"f:title":{}}}`
	caption  = `{"f:spec":{"f:caption":{}}}`
	metadata = `{"f:metadata":{"f:labels":{"f:a":{}}}}`
)

func entry(manager string, op metav1.ManagedFieldsOperationType, fields string, change ...func(*metav1.ManagedFieldsEntry)) metav1.ManagedFieldsEntry {
	e := metav1.ManagedFieldsEntry{
		Manager: manager, Operation: op, APIVersion: "reelops.dev/v1beta1", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
	}
	for _, c := range change {
		c(&e)
	}
	return e
}

func at(seconds int64) func(*metav1.ManagedFieldsEntry) {
	return func(e *metav1.ManagedFieldsEntry) { t := metav1.NewTime(time.Unix(seconds, 0)); e.Time = &t }
}

func status(e *metav1.ManagedFieldsEntry) { e.Subresource = "status" }

func TestDeclarer(t *testing.T) {
	const apply, update = metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate
	for name, c := range map[string]struct {
		entry metav1.ManagedFieldsEntry
		want  string
	}{
		"Argo CD, server-side":         {entry("argocd-controller", apply, title), "argocd-controller"},
		"Argo CD, client-side":         {entry("argocd-controller", update, title), "argocd-controller"},
		"Flux":                         {entry("kustomize-controller", apply, title), "kustomize-controller"},
		"kubectl apply":                {entry("kubectl-client-side-apply", update, title), "kubectl-client-side-apply"},
		"kubectl apply --server-side":  {entry("kubectl", apply, title), "kubectl"},
		"Helm":                         {entry("helm", update, title), "helm"},
		"an applier of labels":         {entry("labeller", apply, metadata), ""},
		"an applier of a whole spec":   {entry("kubectl", apply, `{"f:spec":{}}`), "kubectl"},
		"kubectl edit":                 {entry("kubectl-edit", update, title), ""},
		"kubectl create":               {entry("kubectl-create", update, title), ""},
		"a program that updates it":    {entry("python-client", update, title), ""},
		"the front end":                {entry(fieldowner.Frontend, update, title), ""},
		"the front end, older release": {entry("apiserver", update, title), ""},
		"an applier of the status":     {entry("tool", apply, title, status), ""},
		"invalid managed fields":       {entry("kubectl", apply, `[`), "kubectl"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fieldowner.Declarer([]metav1.ManagedFieldsEntry{entry(fieldowner.Manager, update, metadata), c.entry}); got != c.want {
				t.Errorf("got declarer %q, want %q", got, c.want)
			}
		})
	}
}

func TestRename_MergesEntriesOfOneManager(t *testing.T) {
	const update = metav1.ManagedFieldsOperationUpdate
	got, changed, err := fieldowner.Rename([]metav1.ManagedFieldsEntry{
		entry("apiserver", update, title, at(10)),
		entry("git", metav1.ManagedFieldsOperationApply, title, at(20)),
		entry(fieldowner.Frontend, update, caption, at(30)),
		entry("manager", update, metadata, at(40)),
		entry("manager", update, metadata, at(50), status),
	})
	if err != nil || !changed {
		t.Fatalf("got changed %v, %v", changed, err)
	}
	want := []metav1.ManagedFieldsEntry{
		entry(fieldowner.Frontend, update, `{"f:spec":{"f:caption":{},"f:title":{}}}`, at(30)),
		entry("git", metav1.ManagedFieldsOperationApply, title, at(20)),
		entry(fieldowner.Manager, update, metadata, at(40)),
		entry(fieldowner.Manager, update, metadata, at(50), status),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if again, changed, err := fieldowner.Rename(got); err != nil || changed || !cmp.Equal(again, got) {
		t.Errorf("a second time: got changed %v, %v", changed, err)
	}
}

func TestRename_ReportsFieldsThatCannotBeRead(t *testing.T) {
	broken := []metav1.ManagedFieldsEntry{
		entry("apiserver", metav1.ManagedFieldsOperationUpdate, title),
		entry(fieldowner.Frontend, metav1.ManagedFieldsOperationUpdate, `[`),
	}
	if _, _, err := fieldowner.Rename(broken); err == nil {
		t.Error("got no error")
	}
}

func TestWriters(t *testing.T) {
	const apply, update = metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate
	got := fieldowner.Writers([]metav1.ManagedFieldsEntry{
		entry("kubectl", apply, title, at(30)), entry("apiserver", update, title, at(20)), entry(fieldowner.Frontend, update, caption, at(25)),
		entry("kubectl", update, caption, at(5)), entry("labeller", update, metadata, at(40)), entry(fieldowner.Manager, update, title, at(50), status),
		entry("invalid", update, `[`, at(60)), entry("undated", update, title),
	})
	want := []fieldowner.Writer{{Manager: fieldowner.Frontend, At: time.Unix(25, 0)}, {Manager: "kubectl", At: time.Unix(30, 0)}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
