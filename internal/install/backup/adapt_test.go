// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/recreate"
)

const (
	oldUID = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
	newUID = "6fa459ea-ee8a-4ca4-894e-db77e160355e"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func object(kind string, spec, status map[string]any) *unstructured.Unstructured {
	u := bare(v1beta1.GroupVersion.WithKind(kind))
	u.SetNamespace("acme")
	u.SetName("it")
	u.SetUID(oldUID)
	u.SetGeneration(3)
	u.SetCreationTimestamp(metav1.NewTime(noon.Add(-time.Hour)))
	u.Object["spec"] = spec
	if status != nil {
		u.Object["status"] = status
	}
	return u
}

// TestAdapt_PostsThatMayHaveBeenPublished checks the state of a restored post.
func TestAdapt_PostsThatMayHaveBeenPublished(t *testing.T) {
	attempt := func(state string) map[string]any {
		return map[string]any{"attempts": []any{map[string]any{"number": int64(1), "state": state}}, "state": "pending"}
	}
	for name, c := range map[string]struct {
		why    string
		at     time.Duration
		status map[string]any
		state  string // of the post
		open   string // of its attempt
	}{
		"due later":             {"it is published when due", time.Minute, map[string]any{"state": "scheduled"}, "scheduled", ""},
		"due already":           {"the source cluster may have published it", -time.Second, map[string]any{"state": "scheduled"}, "failed", ""},
		"without status":        {"the source cluster may have published it", -time.Second, nil, "failed", ""},
		"retrying":              {"the next attempt may have been accepted", -time.Minute, map[string]any{"state": "retrying", "attempts": []any{map[string]any{"state": "NotSent"}}}, "failed", "NotSent"},
		"in flight":             {"the outcome is unknown: it is looked up", -time.Minute, attempt("Intended"), "pending", "Unknown"},
		"unknown":               {"it is looked up", -time.Minute, attempt("Unknown"), "pending", "Unknown"},
		"taken":                 {"its outcome is polled", -time.Minute, attempt("Accepted"), "pending", "Accepted"},
		"published":             {"it is final", -time.Minute, map[string]any{"state": "success"}, "success", ""},
		"waits for an approval": {"a user decides again", -time.Minute, map[string]any{"state": "draft"}, "draft", ""},
		"released, due":         {"the release is its due time", -time.Hour, map[string]any{"state": "pending", "heldUntil": noon.Add(-time.Minute).Format(time.RFC3339)}, "failed", ""},
	} {
		a, ok := adapt(object("Post", map[string]any{"scheduledAt": noon.Add(c.at).Format(time.RFC3339Nano)}, c.status), "b", nil, noon, true)
		if !ok {
			t.Fatal(name)
		}
		open := ""
		if list, _, _ := unstructured.NestedSlice(a.Status, "attempts"); len(list) > 0 {
			open = list[0].(map[string]any)["state"].(string)
		}
		if a.Status["state"] != c.state || open != c.open {
			t.Errorf("%s: got state %v, attempt %q: %s", name, a.Status["state"], open, c.why)
		}
	}
}

func TestAdapt_BatchesThatMayHaveBeenPublished(t *testing.T) {
	line := func(post, state string) map[string]any {
		return map[string]any{"targets": []any{map[string]any{"account": "maya", "post": post, "state": state}}}
	}
	for name, c := range map[string]struct {
		at     time.Duration
		status map[string]any
		held   bool
	}{
		"due later":               {time.Minute, nil, false},
		"due a moment ago":        {-time.Minute, nil, true},
		"a post not created yet":  {-time.Minute, line("", "scheduled"), true},
		"all posts created":       {-time.Minute, line("post-1", "scheduled"), false},
		"refused":                 {-time.Minute, line("", "failed"), false},
		"long ago, without posts": {-time.Hour, nil, false},
	} {
		a, _ := adapt(object("PostBatch", map[string]any{"scheduledAt": noon.Add(c.at).Format(time.RFC3339)}, c.status), "b", nil, noon, true)
		if held := a.Object.Object["spec"].(map[string]any)["suspend"] == true; held != c.held {
			t.Errorf("%s: got suspended %v", name, held)
		}
	}
}

// A restore suspends scheduled posts: the source installation may still run and publish them.
func TestAdapt_SuspendsScheduledPosts(t *testing.T) {
	line := func(state string) map[string]any {
		return map[string]any{"targets": []any{map[string]any{"account": "maya", "post": "post-1", "state": state}}}
	}
	for name, c := range map[string]struct {
		kind   string
		at     time.Duration
		status map[string]any
		field  string
		held   bool
	}{
		"a scheduled batch":       {"PostBatch", time.Hour, line("scheduled"), "suspend", true},
		"a batch without status":  {"PostBatch", time.Hour, nil, "suspend", true},
		"a cancelled batch":       {"PostBatch", time.Hour, line("cancelled"), "suspend", false},
		"a batch that ended":      {"PostBatch", -time.Hour, line("success"), "suspend", false},
		"a scheduled post":        {"Post", time.Hour, map[string]any{"state": "scheduled"}, "hold", true},
		"a post without a status": {"Post", time.Hour, nil, "hold", true},
		"a cancelled post":        {"Post", time.Hour, map[string]any{"state": "cancelled"}, "hold", false},
		"an accepted post":        {"Post", time.Hour, map[string]any{"state": "pending", "attempts": []any{map[string]any{"state": "Accepted"}}}, "hold", false},
	} {
		for send, want := range map[bool]bool{false: c.held, true: false} {
			a, ok := adapt(object(c.kind, map[string]any{"scheduledAt": noon.Add(c.at).Format(time.RFC3339)}, c.status), "b", nil, noon, send)
			if !ok {
				t.Fatal(name)
			}
			if held := a.Object.Object["spec"].(map[string]any)[c.field] == true; held != want {
				t.Errorf("%s, send %v: got suspended %v", name, send, held)
			}
			if marked := a.Object.GetLabels()["reelops.dev/suspended-by"] == "restore"; marked != (want && c.kind == "PostBatch") {
				t.Errorf("%s, send %v: got marked %v", name, send, marked)
			}
		}
	}
	before := object("PostBatch", map[string]any{"scheduledAt": noon.Add(time.Hour).Format(time.RFC3339), "suspend": true}, nil)
	if a, _ := adapt(before, "b", nil, noon, false); a.Object.GetLabels()["reelops.dev/suspended-by"] != "" {
		t.Error("a batch that a user suspended is released with those that the restore suspended")
	}
}

// A restored endpoint sends no event and handles no request of the source installation again. In a drill it sends
// nothing at all.
func TestAdapt_WebhookEndpoints(t *testing.T) {
	at := noon.Format(time.RFC3339)
	status := func() map[string]any {
		return map[string]any{
			"observedGeneration": int64(3), "cursor": map[string]any{"segment": int64(7), "index": int64(0)}, "failingSince": at,
			"pending": []any{map[string]any{"segment": int64(6), "index": int64(0), "attempts": int64(1)}}, "deliveries": []any{map[string]any{"eventID": "evt_1"}},
			"testedAt": at, "replayedAt": at, "disabled": map[string]any{"generation": int64(3)},
		}
	}
	for name, c := range map[string]struct {
		send, suspended bool
		want, marked    bool
	}{
		"a drill":                    {false, false, true, true},
		"a move":                     {true, false, false, false},
		"a suspended one in a drill": {false, true, true, false},
		"a suspended one in a move":  {true, true, true, false},
	} {
		u := object("WebhookEndpoint", map[string]any{"url": "https://crm.example.com/", "suspend": c.suspended}, status())
		a, ok := adapt(u, "b", nil, noon, c.send)
		if !ok {
			t.Fatal(name)
		}
		if d := cmp.Diff(map[string]any{"testedAt": at, "replayedAt": at}, a.Status); d != "" {
			t.Errorf("%s: the status: %s", name, d)
		}
		suspended := a.Object.Object["spec"].(map[string]any)["suspend"] == true
		marked := a.Object.GetLabels()[v1beta1.LabelSuspendedBy] == SuspendedByRestore
		if suspended != c.want || marked != c.marked {
			t.Errorf("%s: got suspended %v, marked %v", name, suspended, marked)
		}
	}
}

func TestAdapt(t *testing.T) {
	u := object("Slideshow", map[string]any{"context": "c"}, map[string]any{
		"observedGeneration": int64(3), "workedOn": int64(2), "revision": int64(3),
		"conditions": []any{map[string]any{"type": "Ready", "observedGeneration": int64(3)}},
	})
	u.SetLabels(map[string]string{v1beta1.LabelID: "7"})
	u.SetResourceVersion("12")
	u.SetOwnerReferences([]metav1.OwnerReference{{Kind: "Video", Name: "v", UID: "gone"}, {Kind: "Video", Name: "w", UID: "was"}})
	a, ok := adapt(u, "b", map[types.UID]types.UID{"was": "is"}, noon, true)
	if !ok {
		t.Fatal("an existing owner is recorded")
	}
	if d := cmp.Diff(map[string]any{
		"observedGeneration": int64(1), "workedOn": int64(0), "revision": int64(3),
		"conditions": []any{map[string]any{"type": "Ready", "observedGeneration": int64(1)}},
	}, a.Status); d != "" {
		t.Error(d)
	}
	o := a.Object
	if o.GetUID() != "" || o.GetResourceVersion() != "" || len(o.GetOwnerReferences()) != 1 || o.GetOwnerReferences()[0].UID != "is" || o.Object["status"] != nil {
		t.Errorf("got %+v", o.Object)
	}
	if o.GetLabels()[v1beta1.LabelID] != "7" || o.GetLabels()[v1beta1.LabelRestoring] == "" {
		t.Errorf("got %v", o.GetLabels())
	}
	if m, ok := recreate.MarkOf(o, annotationRestore); !ok || m.UID != oldUID || !m.Created.Time.Equal(noon.Add(-time.Hour)) {
		t.Errorf("got the mark %s", m)
	}
	if _, ok := adapt(u, "b", nil, noon, true); ok {
		t.Error("the cluster would delete objects without an owner")
	}

	// A second restore keeps the first origin.
	o.SetUID(newUID)
	v1beta1.SetOrigin(o, oldUID, metav1.NewTime(noon.Add(-time.Hour)))
	b, _ := adapt(o, "c", map[types.UID]types.UID{"is": "now"}, noon, true)
	if m, _ := recreate.MarkOf(b.Object, annotationRestore); m.UID != oldUID {
		t.Errorf("after two restores: got %s", m)
	}
	o.SetUID("another-object-with-the-same-manifest")
	if v1beta1.Origin(o) != o.GetUID() {
		t.Error("a copy of a restored object counts as the restored object")
	}
}

func TestAdapt_ReservationsOfAnAccount(t *testing.T) {
	a, _ := adapt(object("Account", nil, map[string]any{
		"holds": []any{map[string]any{"slideshow": "s", "uid": oldUID}},
		"usage": map[string]any{"unsettled": []any{"s/" + oldUID + "/charge-1/2026-11", "gone/other/charge-1/2026-11"}},
	}), "b", map[types.UID]types.UID{oldUID: newUID}, noon, true)
	if d := cmp.Diff(map[string]any{
		"holds": []any{map[string]any{"slideshow": "s", "uid": newUID}},
		"usage": map[string]any{"unsettled": []any{"s/" + newUID + "/charge-1/2026-11", "gone/other/charge-1/2026-11"}},
	}, a.Status); d != "" {
		t.Error(d)
	}
}
