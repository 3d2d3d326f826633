// SPDX-License-Identifier: Apache-2.0

package health

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// state is a state that a controller reports for a kind.
type state struct {
	kinds   string
	ready   string // "" for no condition
	reason  string
	stalled bool
	// kstatus, argo and flux are the expected results.
	kstatus, argo, flux string
}

const (
	every    = "Account Brand APIKey MediaAsset MediaPack MusicTrack Slideshow Video RenderJob SocialAccount ConnectionRequest PostBatch Post AccountAnalytics Automation AutomationRun WebhookEndpoint Archive"
	making   = "Slideshow Video RenderJob MediaAsset MusicTrack"
	current  = "Current"
	progress = "InProgress"
	failed   = "Failed"
)

var states = []state{
	{every, "", "", false, progress, "Progressing", progress},
	{every, "True", "Ready", false, current, "Healthy", current},
	{"Slideshow Video Brand RenderJob MediaAsset MusicTrack ConnectionRequest PostBatch Post", "False", "Failed", true, failed, "Degraded", failed},
	{making + " Post PostBatch ConnectionRequest AccountAnalytics", "False", "Progressing", false, progress, "Progressing", progress},
	{"RenderJob Slideshow Video Post", "False", "Queued", false, progress, "Progressing", progress},
	// The object is as requested. kstatus has no status for that, Argo CD and Flux do.
	{"Slideshow Video PostBatch WebhookEndpoint", "False", "Suspended", false, progress, "Suspended", current},
	{"PostBatch", "False", "AwaitingApproval", false, progress, "Suspended", current},
	{"PostBatch", "True", "Scheduled", false, current, "Healthy", current},
	{"Post", "False", "Scheduled", false, progress, "Healthy", progress},
	{"Post", "False", "Suspended", false, progress, "Suspended", progress},
	{"Post", "False", "AwaitingApproval", false, progress, "Suspended", progress},
	{"PostBatch", "False", "PostingSuspended", false, progress, "Suspended", current},
	{"Post", "False", "PostingSuspended", false, progress, "Suspended", progress},
	{"APIKey", "False", "Revoked", false, progress, "Healthy", current},
	{"Account", "False", "QuotaExceeded", false, progress, "Healthy", current},
	{"Slideshow Video", "False", "QuotaExceeded", true, failed, "Degraded", failed},
	{"Slideshow Video", "False", "InsufficientCredits", true, failed, "Degraded", failed},
	// The object waits for other objects.
	{making + " APIKey SocialAccount PostBatch", "False", "BrandNotFound", false, progress, "Progressing", progress},
	{"MediaAsset MusicTrack RenderJob Slideshow Video", "False", "AccountNotFound", false, progress, "Progressing", progress},
	{"MediaAsset MusicTrack RenderJob Video", "False", "NamespaceNotLabelled", false, progress, "Progressing", progress},
	{"Slideshow Video", "False", "TextModelNotReady", false, progress, "Progressing", progress},
	{"Slideshow Video", "False", "MediaNotFound", false, progress, "Progressing", progress},
	{"Slideshow Video MediaPack", "False", "MediaNotReady", false, progress, "Progressing", progress},
	{"RenderJob", "False", "SourceNotFound", false, progress, "Progressing", progress},
	{"Slideshow", "False", "PackNotFound", false, progress, "Progressing", progress},
	{"Account", "False", "NamespaceNotLabelled", false, progress, "Progressing", progress},
	{"Account MediaAsset MusicTrack RenderJob Video", "False", "NamespaceReserved", false, progress, "Progressing", progress},
	{"MediaAsset MusicTrack PostBatch Post", "False", "FileNotFound", false, progress, "Progressing", progress},
	{"MediaAsset MusicTrack", "False", "SourceUnavailable", false, progress, "Progressing", progress},
	{"Slideshow", "False", "RenderFailed", true, failed, "Degraded", failed},
	{"RenderJob Video Slideshow", "False", "TrackNotFound", false, progress, "Progressing", progress},
	{"RenderJob Video Slideshow", "False", "TrackNotReady", false, progress, "Progressing", progress},
	{"PostBatch", "False", "ShortNotReady", false, progress, "Progressing", progress},
	{"PostBatch Post AccountAnalytics", "False", "SocialAccountNotFound", false, progress, "Progressing", progress},
	{"PostBatch", "False", "TooFarAhead", false, progress, "Progressing", progress},
	{"PostBatch Post", "False", "TokenExpired", false, progress, "Progressing", progress}, // until they are due: then they fail
	{"PostBatch Post", "False", "TokenRevoked", false, progress, "Progressing", progress},
	{"PostBatch Post", "False", "ScopeMissing", false, progress, "Progressing", progress},
	{"PostBatch Post", "False", "NotConfigured", false, progress, "Progressing", progress},
	// Posts.
	{"PostBatch", "True", "Published", false, current, "Healthy", current},
	{"PostBatch Post", "True", "Cancelled", false, current, "Healthy", current},
	{"PostBatch", "False", "PartlyFailed", true, failed, "Degraded", failed},
	{"PostBatch", "False", "MissedSchedule", true, failed, "Degraded", failed},
	{"Post", "False", "OutcomeUnknown", false, progress, "Progressing", progress},
	{"Post", "False", "ClockSkew", false, progress, "Progressing", progress},
	// Webhooks.
	{"WebhookEndpoint", "False", "Retrying", false, progress, "Progressing", progress},
	{"WebhookEndpoint", "False", "EndpointGone", true, failed, "Degraded", failed},
	{"WebhookEndpoint", "False", "EndpointFailing", true, failed, "Degraded", failed},
	{"WebhookEndpoint", "False", "SecretInvalid", true, failed, "Degraded", failed},
	{"WebhookEndpoint", "False", "TooManyEndpoints", true, failed, "Degraded", failed},
	// A user has to act.
	{"APIKey", "False", "Expired", true, failed, "Degraded", failed},
	{"APIKey", "False", "TooManyKeys", true, failed, "Degraded", failed},
	{"AccountAnalytics", "False", "WrongName", true, failed, "Degraded", failed},
	{"SocialAccount", "False", "TokenExpired", true, failed, "Degraded", failed},
	{"SocialAccount", "False", "TokenRevoked", true, failed, "Degraded", failed},
	{"SocialAccount", "False", "ScopeMissing", true, failed, "Degraded", failed},
	{"SocialAccount", "False", "TokenKeyMissing", false, progress, "Progressing", progress}, // the operator has to act
	{"AccountAnalytics", "False", "NumbersScopeMissing", true, failed, "Degraded", failed},
	{"AccountAnalytics", "False", "NotReported", true, failed, "Degraded", failed},
	{"SocialAccount AccountAnalytics", "False", "NotConfigured", false, progress, "Progressing", progress},
	// Accounts.
	{"SocialAccount ConnectionRequest", "True", "Connected", false, current, "Healthy", current},
	{"SocialAccount", "True", "ConnectAgainSoon", false, current, "Healthy", current},
	{"AccountAnalytics", "True", "Refreshed", false, current, "Healthy", current},
	{"AccountAnalytics", "False", "RefreshFailed", false, progress, "Progressing", progress},
	{"AccountAnalytics", "False", "RateLimited", false, progress, "Progressing", progress},
	// Automations.
	{"Automation", "True", "Scheduled", false, current, "Healthy", current},
	{"Automation", "True", "Suspended", false, current, "Healthy", current},
	{"Automation", "False", "InvalidSchedule", true, failed, "Degraded", failed},
	{"Automation", "False", "InvalidTemplate", true, failed, "Degraded", failed},
	{"Automation", "False", "InvalidSource", true, failed, "Degraded", failed},
	{"Automation", "False", "PlanLimit", true, failed, "Degraded", failed},
	{"Automation", "False", "Stopped", false, progress, "Progressing", progress},
	{"Automation", "False", "SourceExhausted", false, progress, "Progressing", progress},
	{"Automation", "False", "BudgetUsedUp", false, progress, "Progressing", progress},
	{"Automation AutomationRun", "False", "SourceUnavailable", false, progress, "Progressing", progress},
	{"Automation", "False", "Failed", false, progress, "Progressing", progress}, // the next run can succeed
	{"AutomationRun", "False", "AwaitingApproval", false, progress, "Suspended", progress},
	{"AutomationRun", "True", "Published", false, current, "Healthy", current},
	{"AutomationRun", "False", "Failed", true, failed, "Degraded", failed},
	{"AutomationRun", "False", "MissedSchedule", true, failed, "Degraded", failed},
	// Skipped runs.
	{"AutomationRun", "True", "BudgetUsedUp", false, current, "Healthy", current},
	{"AutomationRun", "True", "NoItem", false, current, "Healthy", current},
	{"AutomationRun", "True", "RunActive", false, current, "Healthy", current},
	{"AutomationRun", "True", "ApprovalTimeout", false, current, "Healthy", current},
	{"AutomationRun", "True", "Cancelled", false, current, "Healthy", current},
}

// parts are reasons of conditions, and of events, that no health check uses.
var parts = []string{
	"ByHand", "Generated", "Normalised", "Drawn", "TextModelNotConfigured", "ConfinementMissing", "FirstCommentFailed", "UpToDate", "NewerRevision", "ShortNotFound", "RevisionMoved",
	"WithinLimit", "SourceRead", "Succeeded", "NothingHeld",
}

func (s state) object(kind string, generation, observed int64) map[string]any {
	status := map[string]any{"observedGeneration": observed}
	var conditions []any
	if s.ready != "" {
		conditions = append(conditions, map[string]any{"type": "Ready", "status": s.ready, "reason": s.reason, "message": "ready says", "observedGeneration": observed})
	}
	if s.stalled {
		conditions = append(conditions, map[string]any{"type": "Stalled", "status": "True", "reason": s.reason, "message": "stalled says", "observedGeneration": observed})
	}
	if conditions != nil {
		status["conditions"] = conditions
	}
	return map[string]any{
		"apiVersion": "reelops.dev/v1beta1", "kind": kind, "metadata": map[string]any{"name": "x", "generation": generation}, "status": status,
	}
}

// TestHealth_EveryKindInEveryState evaluates every kind in every state with the code of kstatus and Flux, and with the
// Lua library of Argo CD.
func TestHealth_EveryKindInEveryState(t *testing.T) {
	overrides, checks := argoOverrides(t), fluxChecks(t)
	for _, s := range states {
		for kind := range strings.FieldsSeq(s.kinds) {
			name := fmt.Sprintf("%s %s/%s", kind, s.ready, s.reason)
			observed := int64(3)
			if s.ready == "" {
				observed = -1 // the default before a controller observes the object
			}
			o := s.object(kind, 3, observed)
			if got := computeStatus(t, o); got != s.kstatus {
				t.Errorf("%s: kstatus computes %s, not %s", name, got, s.kstatus)
			}
			if got, message := argoHealth(t, overrides, o); got != s.argo || message == "" {
				t.Errorf("%s: Argo CD computes %s (%s), not %s", name, got, message, s.argo)
			}
			if got := checks.status(t, o); got != s.flux {
				t.Errorf("%s: Flux computes %s, not %s", name, got, s.flux)
			}
			if s.ready == "" {
				continue
			}
			// An object with an unobserved generation is in progress.
			o = s.object(kind, 4, 3)
			if got := computeStatus(t, o); got != progress {
				t.Errorf("%s, changed: kstatus computes %s", name, got)
			}
			if got, _ := argoHealth(t, overrides, o); got != "Progressing" {
				t.Errorf("%s, changed: Argo CD computes %s", name, got)
			}
			if got := checks.status(t, o); got != progress {
				t.Errorf("%s, changed: Flux computes %s", name, got)
			}
		}
	}
}

// reasons returns the reasons of all conditions of the API, from the files that declare them.
func reasons(t *testing.T) (out []string) {
	t.Helper()
	files, err := filepath.Glob("../../api/v1beta1/*.go")
	if err != nil {
		t.Fatal(err)
	}
	reason := regexp.MustCompile(`(?m)^(?:\t|const )Reason\w+ +Reason = "(\w+)"`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range reason.FindAllStringSubmatch(string(text), -1) {
			out = append(out, m[1])
		}
	}
	if len(out) < 55 {
		t.Fatalf("only %d reasons were found", len(out))
	}
	return out
}

// TestHealth_EveryReasonHasAState fails if a reason is missing in this file.
func TestHealth_EveryReasonHasAState(t *testing.T) {
	known := map[string]bool{}
	for _, s := range states {
		known[s.reason] = true
	}
	for _, r := range reasons(t) {
		if !known[r] && !slices.Contains(parts, r) {
			t.Errorf("no state has the reason %s: add the results of kstatus, Argo CD and Flux", r)
		}
	}
}

// rule returns the documented result for a state: a true Ready and a true Stalled count for every reason. For objects
// with neither, Argo CD and Flux recognize those that are as requested.
func rule(kind string, s state) (argo, flux string) {
	asRequested := slices.Contains([]string{"Scheduled", "Revoked"}, s.reason) || s.reason == "QuotaExceeded" && kind == "Account"
	held := slices.Contains([]string{"Suspended", "AwaitingApproval", "PostingSuspended"}, s.reason)
	withExpressions := slices.Contains([]string{"PostBatch", "Slideshow", "Video", "APIKey", "Account", "WebhookEndpoint"}, kind)
	switch {
	case s.stalled:
		return "Degraded", failed
	case s.ready == "True":
		return "Healthy", current
	}
	argo, flux = "Progressing", progress
	if held {
		argo = "Suspended"
	} else if asRequested {
		argo = "Healthy"
	}
	if withExpressions && (held || asRequested) {
		flux = current
	}
	return argo, flux
}

// TestHealth_EveryReasonOfEveryKind evaluates all combinations, also those that no controller reports today.
func TestHealth_EveryReasonOfEveryKind(t *testing.T) {
	overrides, checks, n := argoOverrides(t), fluxChecks(t), 0
	for _, reason := range reasons(t) {
		for kind := range strings.FieldsSeq(every) {
			for _, s := range []state{
				{ready: "True", reason: reason, kstatus: current},
				{ready: "False", reason: reason, kstatus: progress},
				{ready: "False", reason: reason, stalled: true, kstatus: failed},
			} {
				o := s.object(kind, 3, 3)
				argo, flux := rule(kind, s)
				gotArgo, _ := argoHealth(t, overrides, o)
				got, want := health{computeStatus(t, o), gotArgo, checks.status(t, o)}, health{s.kstatus, argo, flux}
				if got != want {
					t.Errorf("%s, Ready %s %s, Stalled %t: kstatus, Argo CD and Flux compute %v, want %v", kind, s.ready, reason, s.stalled, got, want)
				}
				n++
			}
		}
	}
	t.Logf("got %d states", n)
}

// computeStatus returns the status that kstatus computes of an object.
func computeStatus(t *testing.T, o map[string]any) string {
	t.Helper()
	result, err := status.Compute(&unstructured.Unstructured{Object: o})
	if err != nil {
		t.Fatal(err)
	}
	return string(result.Status)
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile("../../config/health/" + file)
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
