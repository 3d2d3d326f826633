// SPDX-License-Identifier: Apache-2.0

package health

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	lua "github.com/yuin/gopher-lua"
	"sigs.k8s.io/yaml"
)

// state is what a controller reports of a kind.
type state struct {
	kinds   string
	ready   string // "" for no condition
	reason  string
	stalled bool
	// kstatus, argo and flux are what they make of it.
	kstatus, argo, flux string
}

const (
	every    = "Account Brand APIKey MediaAsset MediaPack MusicTrack Slideshow Video RenderJob SocialAccount ConnectionRequest PostBatch Post AccountAnalytics"
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
	{"RenderJob Slideshow Video", "False", "Queued", false, progress, "Progressing", progress},
	// As it was asked for: kstatus has no word for that, Argo CD and Flux do.
	{"Slideshow Video PostBatch", "False", "Suspended", false, progress, "Suspended", current},
	{"PostBatch", "False", "AwaitingApproval", false, progress, "Suspended", current},
	{"PostBatch", "True", "Scheduled", false, current, "Healthy", current},
	{"Post", "False", "Scheduled", false, progress, "Healthy", progress},
	{"APIKey", "False", "Revoked", false, progress, "Healthy", current},
	{"Account", "False", "QuotaExceeded", false, progress, "Healthy", current},
	{"Slideshow Video", "False", "QuotaExceeded", true, failed, "Degraded", failed},
	{"Slideshow Video", "False", "InsufficientCredits", true, failed, "Degraded", failed},
	// Waiting for something that others bring.
	{making + " APIKey SocialAccount PostBatch", "False", "BrandNotFound", false, progress, "Progressing", progress},
	{"MediaAsset MusicTrack RenderJob Slideshow Video", "False", "AccountNotFound", false, progress, "Progressing", progress},
	{"MediaAsset MusicTrack RenderJob Video", "False", "NamespaceNotLabelled", false, progress, "Progressing", progress},
	{"Slideshow Video", "False", "TextModelNotReady", false, progress, "Progressing", progress},
	{"Slideshow Video", "False", "MediaNotFound", false, progress, "Progressing", progress},
	{"Slideshow Video MediaPack", "False", "MediaNotReady", false, progress, "Progressing", progress},
	{"RenderJob", "False", "SourceNotFound", false, progress, "Progressing", progress},
	{"Slideshow", "False", "PackNotFound", false, progress, "Progressing", progress},
	{"RenderJob Video", "False", "TrackNotFound", false, progress, "Progressing", progress},
	{"RenderJob Video", "False", "TrackNotReady", false, progress, "Progressing", progress},
	{"PostBatch", "False", "ShortNotReady", false, progress, "Progressing", progress},
	{"PostBatch", "False", "SocialAccountNotFound", false, progress, "Progressing", progress},
	// Posts.
	{"PostBatch", "True", "Published", false, current, "Healthy", current},
	{"PostBatch Post", "True", "Cancelled", false, current, "Healthy", current},
	{"PostBatch", "False", "PartlyFailed", true, failed, "Degraded", failed},
	{"PostBatch", "False", "MissedSchedule", true, failed, "Degraded", failed},
	{"Post", "False", "OutcomeUnknown", false, progress, "Progressing", progress},
	{"Post", "False", "ClockSkew", false, progress, "Progressing", progress},
	// Somebody is needed.
	{"APIKey", "False", "Expired", true, failed, "Degraded", failed},
	{"APIKey", "False", "TooManyKeys", true, failed, "Degraded", failed},
	{"AccountAnalytics", "False", "WrongName", true, failed, "Degraded", failed},
	{"SocialAccount", "False", "TokenExpired", true, failed, "Degraded", failed},
	{"SocialAccount", "False", "TokenRevoked", true, failed, "Degraded", failed},
	{"SocialAccount", "False", "ScopeMissing", true, failed, "Degraded", failed},
	{"SocialAccount", "False", "TokenKeyMissing", false, progress, "Progressing", progress}, // whoever runs Reelops is
	{"AccountAnalytics", "False", "NumbersScopeMissing", true, failed, "Degraded", failed},
	{"AccountAnalytics", "False", "NotReported", true, failed, "Degraded", failed},
	{"SocialAccount AccountAnalytics", "False", "NotConfigured", false, progress, "Progressing", progress},
	// Accounts.
	{"SocialAccount ConnectionRequest", "True", "Connected", false, current, "Healthy", current},
	{"SocialAccount", "True", "ConnectAgainSoon", false, current, "Healthy", current},
	{"AccountAnalytics", "True", "Refreshed", false, current, "Healthy", current},
	{"AccountAnalytics", "False", "RefreshFailed", false, progress, "Progressing", progress},
	{"AccountAnalytics", "False", "RateLimited", false, progress, "Progressing", progress},
}

// parts are reasons of conditions, and of events, that no health check looks at.
var parts = []string{"ByHand", "Generated", "Normalised", "Drawn", "TextModelNotConfigured", "ConfinementMissing", "FirstCommentFailed"}

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
		"apiVersion": "reelops.dev/v1alpha1", "kind": kind, "metadata": map[string]any{"name": "x", "generation": generation}, "status": status,
	}
}

func TestHealthOfEveryKindInEveryState(t *testing.T) {
	script, checks := argo(t), flux(t)
	for _, s := range states {
		for kind := range strings.FieldsSeq(s.kinds) {
			name := fmt.Sprintf("%s %s/%s", kind, s.ready, s.reason)
			observed := int64(3)
			if s.ready == "" {
				observed = -1 // the default before anybody looked
			}
			o := s.object(kind, 3, observed)
			if got := kstatus(o); got != s.kstatus {
				t.Errorf("%s: kstatus says %s, not %s", name, got, s.kstatus)
			}
			if got, say := run(t, script, o); got != s.argo || say == "" {
				t.Errorf("%s: Argo CD says %s (%s), not %s", name, got, say, s.argo)
			}
			if got := checks.of(t, o); got != s.flux {
				t.Errorf("%s: Flux says %s, not %s", name, got, s.flux)
			}
			if s.ready == "" {
				continue
			}
			// A newer generation that the controller has not seen is in progress for everybody, unless it is known to have stalled.
			o = s.object(kind, 4, 3)
			if got := kstatus(o); got != progress {
				t.Errorf("%s, changed: kstatus says %s", name, got)
			}
			if got, _ := run(t, script, o); got != "Progressing" {
				t.Errorf("%s, changed: Argo CD says %s", name, got)
			}
			if got := checks.of(t, o); got != progress && !s.stalled {
				t.Errorf("%s, changed: Flux says %s", name, got)
			}
		}
	}
}

// TestEveryReasonIsJudged keeps a new reason from being forgotten here.
func TestEveryReasonIsJudged(t *testing.T) {
	known := map[string]bool{}
	for _, s := range states {
		known[s.reason] = true
	}
	reason := regexp.MustCompile(`(?m)^\tReason\w+ Reason = "(\w+)"`)
	n := 0
	for _, file := range []string{"conditions.go", "social_conditions.go", "analytics_conditions.go"} {
		text, err := os.ReadFile("../../api/v1alpha1/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range reason.FindAllStringSubmatch(string(text), -1) {
			n++
			if !known[m[1]] && !slices.Contains(parts, m[1]) {
				t.Errorf("nobody says what the reason %s means to kstatus, Argo CD and Flux", m[1])
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d reasons were found", n)
	}
}

// kstatus is what its rules for custom resources say: of the deletion, the generation, Stalled and Reconciling, and Ready, in this order.
func kstatus(o map[string]any) string {
	meta, status := o["metadata"].(map[string]any), o["status"].(map[string]any)
	if observed, ok := status["observedGeneration"]; ok && observed != meta["generation"] {
		return progress
	}
	is := map[string]string{}
	conditions, _ := status["conditions"].([]any)
	for _, c := range conditions {
		c := c.(map[string]any)
		is[c["type"].(string)] = c["status"].(string)
	}
	ready, told := is["Ready"]
	switch {
	case is["Reconciling"] == "True":
		return progress
	case is["Stalled"] == "True":
		return failed
	case told && ready != "True":
		return progress
	}
	return current
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

func argo(t *testing.T) string {
	t.Helper()
	var m struct{ Data map[string]string }
	read(t, "argocd.yaml", &m)
	for key, script := range m.Data {
		if key != "resource.customizations.health.reelops.dev_*" {
			t.Errorf("Argo CD does not look for %s", key)
		}
		return script
	}
	t.Fatal("there is no script")
	return ""
}

// run runs a health check as Argo CD does: with the base and string libraries alone, obj as a global, and a table as the answer.
func run(t *testing.T, script string, o map[string]any) (status, message string) {
	t.Helper()
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable, lua.StringLibName: lua.OpenString} {
		l.Push(l.NewFunction(open))
		l.Push(lua.LString(name))
		l.Call(1, 0)
	}
	l.SetGlobal("obj", value(l, o))
	if err := l.DoString(script); err != nil {
		t.Fatal(err)
	}
	answer, ok := l.Get(-1).(*lua.LTable)
	if !ok {
		t.Fatalf("the script answers %v", l.Get(-1))
	}
	return answer.RawGetString("status").String(), answer.RawGetString("message").String()
}

func value(l *lua.LState, v any) lua.LValue {
	switch v := v.(type) {
	case map[string]any:
		out := l.NewTable()
		for k, e := range v {
			out.RawSetString(k, value(l, e))
		}
		return out
	case []any:
		out := l.NewTable()
		for _, e := range v {
			out.Append(value(l, e))
		}
		return out
	case string:
		return lua.LString(v)
	case int64:
		return lua.LNumber(v)
	}
	panic(fmt.Sprintf("%T", v))
}

// fluxChecks are a Kustomization's, by kind.
type fluxChecks map[string]struct{ Failed, Current string }

func flux(t *testing.T) fluxChecks {
	t.Helper()
	var k struct {
		Spec struct {
			HealthCheckExprs []struct{ APIVersion, Kind, Failed, Current string }
		}
	}
	read(t, "flux.yaml", &k)
	out := fluxChecks{}
	for _, c := range k.Spec.HealthCheckExprs {
		if c.APIVersion != "reelops.dev/v1alpha1" || !strings.Contains(every, c.Kind) {
			t.Errorf("there is no kind %s %s", c.APIVersion, c.Kind)
		}
		out[c.Kind] = struct{ Failed, Current string }{c.Failed, c.Current}
	}
	if len(out) != 5 {
		t.Errorf("%d kinds have expressions", len(out))
	}
	return out
}

// of is what Flux says: by the expressions where the kind has some, else by kstatus. An expression that cannot be evaluated is false.
func (f fluxChecks) of(t *testing.T, o map[string]any) string {
	t.Helper()
	c, ok := f[o["kind"].(string)]
	switch {
	case !ok:
		return kstatus(o)
	case holds(t, c.Failed, o):
		return failed
	case holds(t, c.Current, o):
		return current
	}
	return progress
}

func holds(t *testing.T, expr string, o map[string]any) bool {
	t.Helper()
	var options []cel.EnvOption
	for name := range o {
		options = append(options, cel.Variable(name, cel.DynType))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		t.Fatal(err)
	}
	ast, problems := env.Compile(expr)
	if problems.Err() != nil {
		t.Fatal(problems.Err())
	}
	p, err := env.Program(ast)
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := p.Eval(o)
	return err == nil && out.Value() == true
}
