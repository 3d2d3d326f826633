// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/recreate"
)

// annotationRestore marks the objects that were created from a backup. The value is a recreate.Mark.
const annotationRestore = "reelops.dev/restore"

// adapt prepares an archived object for another cluster. owners maps original to new uids of the objects restored
// before it. adapt returns false for an object whose owners are all missing. send reports whether scheduled posts are
// sent at their time, and events to webhook endpoints; otherwise adapt holds the posts, and suspends their batches, all
// automations and the endpoints.
func adapt(u *unstructured.Unstructured, backup string, owners map[types.UID]types.UID, now time.Time, send bool) (recreate.Copy, bool) {
	out, ok := recreate.Source{Annotation: annotationRestore, ID: backup}.Prepare(u, owners)
	if !ok {
		return out, false
	}
	if out.Status == nil && u.GetKind() == "Post" {
		out.Status = map[string]any{} // created just before it was read
	}
	if out.Status != nil {
		switch u.GetKind() {
		case "Post":
			unsettle(out.Status)
			if pastDue(u, now) {
				giveUp(out.Status, now)
			} else if !send && unsent(out.Status) {
				set(out.Object, "hold")
			}
		case "Account":
			out.Status = rename(out.Status, owners).(map[string]any)
		case "WebhookEndpoint":
			out.Status = requests(out.Status)
		}
	}
	if u.GetKind() == "PostBatch" {
		due := pastDue(u, now)
		if due && !pastDue(u, now.Add(-2*catalog.MadeLate)) && open(out.Status) || !due && !send && unfinished(out.Status) {
			suspend(out.Object)
		}
	}
	if u.GetKind() == kindArchive {
		notes := out.Object.GetAnnotations()
		notes[v1beta1.AnnotationCheckArchive] = "true"
		out.Object.SetAnnotations(notes)
	}
	if !send && (u.GetKind() == "Automation" || u.GetKind() == "WebhookEndpoint") {
		suspend(out.Object)
	}
	return out, true
}

// pastDue reports whether the later of spec.scheduledAt and status.heldUntil of a post or a batch has passed, or
// neither is set. The source installation may have sent such a post since the backup.
func pastDue(u *unstructured.Unstructured, now time.Time) bool {
	var at time.Time
	for _, path := range [][]string{{"spec", "scheduledAt"}, {"status", "heldUntil"}} {
		s, _, _ := unstructured.NestedString(u.Object, path...)
		if t, err := time.Parse(time.RFC3339, s); err == nil && t.After(at) {
			at = t
		}
	}
	return !at.After(now)
}

// giveUp fails a post that was not sent, as the controller fails the posts of a batch that was created too late. A post
// that was or may have been sent is left to the controller, which looks it up on the platform. A held post is left to
// the user.
func giveUp(status map[string]any, now time.Time) {
	if state, _, _ := unstructured.NestedString(status, "state"); !unsent(status) || v1beta1.PostState(state) == v1beta1.PostHeld {
		return
	}
	status["state"] = string(v1beta1.PostFailed)
	status["finishedAt"] = now.UTC().Format(time.RFC3339)
	delete(status, "nextAttemptAt")
	delete(status, "preparation")
	status["error"] = map[string]any{
		"code": string(catalog.Conflict), "retryable": false, "details": map[string]any{"reason": "missed_schedule"},
		"message": "The batch was restored after its scheduled time: its posts may have been published since the backup, and are not published again",
	}
}

// unsent reports whether a post is still to be sent: its state is not final, and its last attempt is neither open nor
// accepted.
func unsent(status map[string]any) bool {
	state, _, _ := unstructured.NestedString(status, "state")
	if v1beta1.PostState(state).Final() {
		return false
	}
	attempts, _, _ := unstructured.NestedSlice(status, "attempts")
	if n := len(attempts); n > 0 {
		last, _ := attempts[n-1].(map[string]any)
		s, _ := last["state"].(string)
		a := v1beta1.AttemptState(s)
		return !a.Open() && a != v1beta1.AttemptAccepted
	}
	return true
}

// unfinished reports whether the state of any target of a batch is not final, or the targets are not resolved yet.
func unfinished(status map[string]any) bool {
	targets, _, _ := unstructured.NestedSlice(status, "targets")
	return len(targets) == 0 || slices.ContainsFunc(targets, func(t any) bool {
		line, _ := t.(map[string]any)
		state, _ := line["state"].(string)
		return !v1beta1.PostState(state).Final()
	})
}

// open reports whether a batch may still create posts.
func open(status map[string]any) bool {
	targets, _, _ := unstructured.NestedSlice(status, "targets")
	for _, t := range targets {
		t, _ := t.(map[string]any)
		post, _ := t["post"].(string)
		state, _ := t["state"].(string)
		if post == "" && !v1beta1.PostState(state).Final() {
			return true
		}
	}
	return len(targets) == 0
}

// requests returns the handled requests of a webhook endpoint, so that they are not handled again. A restored endpoint
// keeps nothing else of its status: a cursor would send events again that the source installation has sent.
func requests(status map[string]any) map[string]any {
	out := map[string]any{}
	for _, k := range []string{"testedAt", "replayedAt"} {
		if v, ok := status[k]; ok {
			out[k] = v
		}
	}
	return out
}

// SuspendedByRestore is the value of the label reelops.dev/suspended-by of batches, automations and webhook endpoints
// that a restore suspended.
const SuspendedByRestore = "restore"

// suspend suspends a batch whose posts the source installation may send or may have sent, an automation whose slots it
// may run, or a webhook endpoint, whose receiver would get the events of a drill. An operator releases them. A batch that
// is restored more than two minutes after its time never posts and needs no suspension. A batch
// that was suspended before the backup gets no label, so that releasing the batches suspended by the restore leaves it
// suspended. The same holds for endpoints.
func suspend(u *unstructured.Unstructured) {
	if on, _, _ := unstructured.NestedBool(u.Object, "spec", "suspend"); on {
		return
	}
	set(u, "suspend")
	labels := u.GetLabels()
	labels[v1beta1.LabelSuspendedBy] = SuspendedByRestore
	u.SetLabels(labels)
}

// set sets a field of the spec to true.
func set(u *unstructured.Unstructured, field string) {
	if spec, ok := u.Object["spec"].(map[string]any); ok {
		spec[field] = true
	}
}

// unsettle marks in-flight attempts as unknown, because the process that started the call no longer exists. The
// controller looks up such an attempt on the platform and never sends it again.
func unsettle(status map[string]any) {
	attempts, _, _ := unstructured.NestedSlice(status, "attempts")
	for _, a := range attempts {
		if a, ok := a.(map[string]any); ok && a["state"] == string(v1beta1.AttemptIntended) {
			a["state"] = string(v1beta1.AttemptUnknown)
		}
	}
	if attempts != nil {
		status["attempts"] = attempts
	}
}

// rename replaces the original uids of shorts in an account's usage records with the new ones.
func rename(v any, uids map[types.UID]types.UID) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = rename(x, uids)
		}
	case []any:
		for i := range v {
			v[i] = rename(v[i], uids)
		}
	case string: // a uid, or NAME/UID/OPERATION/MONTH
		parts := strings.Split(v, "/")
		for i, p := range parts {
			if now, ok := uids[types.UID(p)]; ok {
				parts[i] = string(now)
			}
		}
		return strings.Join(parts, "/")
	}
	return v
}
