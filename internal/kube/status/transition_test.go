// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/testkit"
)

func TestPersist_LogsTransitions(t *testing.T) {
	var out bytes.Buffer
	ctx := ctrl.LoggerInto(context.Background(), logr.FromSlogHandler(slog.NewJSONHandler(&out, nil)))
	s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{
		Namespace: "acme", Name: "slideshow-7", UID: "u", Labels: map[string]string{v1beta1.LabelID: "7", v1beta1.LabelBrand: "coffee"},
	}}
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(s).WithStatusSubresource(s).Build()
	if err := c.Get(ctx, client.ObjectKeyFromObject(s), s); err != nil {
		t.Fatal(err)
	}
	w := status.Begin(c, s)
	generation := int64(0)
	for _, state := range []v1beta1.WorkState{v1beta1.WorkQueued, v1beta1.WorkQueued, v1beta1.WorkFailed} {
		s.Status.Work = &v1beta1.Work{State: state, Attempt: 1}
		generation++ // a write in any case
		conditions := status.Conditions{List: &s.Status.Conditions, Generation: generation}
		conditions.Set(v1beta1.ConditionReady, false, v1beta1.ReasonFailed, "It broke")
		if err := w.Persist(ctx); err != nil {
			t.Fatal(err)
		}
	}
	line := func(was, is string) map[string]any {
		return map[string]any{
			"level": "INFO", "logger": "audit", "msg": "audit", "outcome": "changed", "verb": "transition",
			"actor":  map[string]any{"kind": "manager", "brand": "coffee"},
			"object": map[string]any{"kind": "Slideshow", "namespace": "acme", "name": "slideshow-7", "id": "7", "uid": "u"},
			"before": map[string]any{"state": was}, "after": map[string]any{"state": is, "reason": "Failed", "message": "It broke"},
		}
	}
	var got []map[string]any
	for text := range strings.Lines(out.String()) {
		one := map[string]any{}
		if err := json.Unmarshal([]byte(text), &one); err != nil {
			t.Fatal(err)
		}
		delete(one, "time")
		got = append(got, one)
	}
	if diff := cmp.Diff([]map[string]any{line("", "queued"), line("queued", "failed")}, got); diff != "" {
		t.Error(diff)
	}
}
