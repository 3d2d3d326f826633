// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// dailyAutomation returns an automation of the brand coffee that posts at noon.
func dailyAutomation(account string) *v1beta1.Automation {
	return &v1beta1.Automation{
		ObjectMeta: metav1.ObjectMeta{Namespace: account, Name: "daily"},
		Spec: v1beta1.AutomationSpec{
			BrandRef: v1beta1.LocalRef{Name: "coffee"}, Schedules: []string{"0 12 * * *"},
			Source: v1beta1.AutomationSource{Evergreen: &v1beta1.EvergreenSource{}}, Publish: v1beta1.AutomationPublish{Platforms: []v1beta1.Platform{"youtube"}},
		},
	}
}

// runs returns the runs of the account acme.
func (c *cluster) runs() []v1beta1.AutomationRun {
	c.t.Helper()
	list := &v1beta1.AutomationRunList{}
	if err := c.List(c.t.Context(), list, client.InNamespace("acme")); err != nil {
		c.t.Fatal(err)
	}
	return list.Items
}

func TestAutomationPauseAndResume(t *testing.T) {
	declared := dailyAutomation("acme")
	declared.Name = "declared"
	c := newCluster(t, dailyAutomation("acme"), declared)
	suspended := func(name string) bool {
		x := &v1beta1.Automation{}
		must(t, c.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: name}, x))
		return x.Spec.Suspend
	}
	c.refuse(`there is no automation "other" in the account "acme"`, "automation", "pause", "other", "--account", "acme")
	for _, command := range []struct {
		name    string
		suspend bool
	}{{"resume", false}, {"pause", true}, {"pause", true}, {"resume", false}} {
		out := c.do("automation", command.name, "daily", "--account", "acme")
		if d := cmp.Diff(map[string]any{"name": "daily", "account": "acme", "suspend": command.suspend}, out); d != "" || suspended("daily") != command.suspend {
			t.Errorf("%s: suspend is %t, (-want +got):\n%s", command.name, suspended("daily"), d)
		}
	}
	c.WithWatch = interceptor.NewClient(c.WithWatch, interceptor.Funcs{
		Get: func(ctx context.Context, w client.WithWatch, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
			err := w.Get(ctx, key, o, options...)
			o.SetManagedFields([]metav1.ManagedFieldsEntry{{
				Manager: "flux", Operation: metav1.ManagedFieldsOperationApply, FieldsType: "FieldsV1",
				FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:schedules":{}}}`),
			}})
			return err
		},
	})
	if out := c.do("automation", "pause", "declared", "--account", "acme"); !strings.Contains(out["warning"].(string), `"flux" applies the automation`) {
		t.Errorf("an automation that a tool applies: got %v", out)
	}
}

func TestAutomationRun(t *testing.T) {
	paused := dailyAutomation("acme")
	paused.Name, paused.Spec.Suspend = "paused", true
	c := newCluster(t, dailyAutomation("acme"), paused)
	c.refuse(`there is no automation "other"`, "automation", "run", "other", "--account", "acme")
	c.refuse("is paused and starts no runs: resume it with `automation resume paused --account acme` first", "automation", "run", "paused", "--account", "acme")
	c.refuse("--timeout must be positive", "automation", "run", "daily", "--account", "acme", "--wait", "--timeout", "0s")
	if runs := c.runs(); len(runs) != 0 {
		t.Fatalf("a refused command created runs: %v", runs)
	}
	out := c.do("automation", "run", "daily", "--account", "acme")
	runs := c.runs()
	if len(runs) != 1 || out["name"] != runs[0].Name || !runs[0].Spec.Manual || runs[0].Spec.AutomationRef.Name != "daily" {
		t.Fatalf("got %v, %v", out, runs)
	}
	if again := c.do("automation", "run", "daily", "--account", "acme"); again["name"] == out["name"] {
		t.Error("two requests have one run")
	}
}

// moves makes the next reads of runs return their results, and repeats the last one.
func (c *cluster) moves(results ...func(*v1beta1.AutomationRun) error) {
	inner := c.WithWatch
	c.WithWatch = interceptor.NewClient(inner, interceptor.Funcs{
		Get: func(ctx context.Context, w client.WithWatch, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
			err := w.Get(ctx, key, o, options...)
			run, ok := o.(*v1beta1.AutomationRun)
			if err != nil || !ok {
				return err
			}
			err = results[0](run)
			results = results[min(1, len(results)-1):]
			return err
		},
	})
	c.t.Cleanup(func() { c.WithWatch = inner })
}

func hasState(s v1beta1.RunState, message string) func(*v1beta1.AutomationRun) error {
	return func(run *v1beta1.AutomationRun) error {
		run.Status.State = s
		run.Status.Conditions = []metav1.Condition{{Type: "Ready", Message: message}}
		return nil
	}
}

func failsWith(err error) func(*v1beta1.AutomationRun) error {
	return func(*v1beta1.AutomationRun) error { return err }
}

func TestAutomationRun_Wait(t *testing.T) {
	runs := v1beta1.GroupVersion.WithResource("automationruns").GroupResource()
	for name, c := range map[string]struct {
		results       []func(*v1beta1.AutomationRun) error
		timeout       string
		err, progress string
	}{
		"succeeds": {
			[]func(*v1beta1.AutomationRun) error{hasState("", ""), hasState(v1beta1.RunCreating, "Writing"), hasState(v1beta1.RunSucceeded, "Published")},
			"1m", "", "Creating: Writing",
		},
		"succeeds after a read that failed": {
			[]func(*v1beta1.AutomationRun) error{failsWith(apierrors.NewServiceUnavailable("restart")), hasState(v1beta1.RunSucceeded, "Published")},
			"1m", "", "Succeeded: Published",
		},
		"skipped":      {[]func(*v1beta1.AutomationRun) error{hasState(v1beta1.RunSkipped, "No item")}, "1m", "ended with the state Skipped: No item", ""},
		"deleted":      {[]func(*v1beta1.AutomationRun) error{failsWith(apierrors.NewNotFound(runs, "x"))}, "1m", "was deleted before it ended", ""},
		"forbidden":    {[]func(*v1beta1.AutomationRun) error{failsWith(apierrors.NewForbidden(runs, "x", errors.New("no role")))}, "1m", "no role", ""},
		"not ended":    {[]func(*v1beta1.AutomationRun) error{hasState(v1beta1.RunAwaitingApproval, "Held")}, "1500ms", "has not ended after --timeout 1.5s, and continues", "Held"},
		"not readable": {[]func(*v1beta1.AutomationRun) error{failsWith(apierrors.NewServiceUnavailable("restart"))}, "1500ms", "could not be read for --timeout 1.5s", ""},
		"created anew": {[]func(*v1beta1.AutomationRun) error{func(run *v1beta1.AutomationRun) error { run.UID = "other"; return nil }}, "1m", "was deleted", ""},
	} {
		t.Run(name, func(t *testing.T) {
			cl := newCluster(t, dailyAutomation("acme"))
			cl.moves(c.results...)
			out, errOut, err := cl.run("automation", "run", "daily", "--account", "acme", "--wait", "--timeout", c.timeout)
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got error %v, want %q", err, c.err)
			}
			if !strings.Contains(out, `run "daily-m`) || !strings.Contains(errOut, c.progress) {
				t.Errorf("got output %q and progress %q, want %q", out, errOut, c.progress)
			}
		})
	}
}

func TestAutomationNext(t *testing.T) {
	c := newCluster(t, dailyAutomation("acme"), &v1beta1.Brand{
		ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "coffee"}, Spec: v1beta1.BrandSpec{Timezone: "Asia/Tokyo"},
	})
	out := c.do("automation", "next", "daily", "--account", "acme", "--count", "2")
	times, _ := out["times"].([]any)
	if out["timeZone"] != "Asia/Tokyo" || len(times) != 2 {
		t.Fatalf("got %v", out)
	}
	first := times[0].(map[string]any)
	if !strings.HasSuffix(first["local"].(string), "T12:00:00+09:00") || !strings.HasSuffix(first["utc"].(string), "T03:00:00Z") {
		t.Errorf("got %v", first)
	}
	c.refuse("give the NAME of an automation, or a file with -f", "automation", "next", "--account", "acme")
	c.refuse(`there is no automation "other"`, "automation", "next", "other", "--account", "acme")
	c.refuse("--count must be from 1 to 1000", "automation", "next", "daily", "--account", "acme", "--count", "0")
}

func TestAutomationNext_OfAFile(t *testing.T) {
	c := newCluster(t, &v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "coffee"}, Spec: v1beta1.BrandSpec{Timezone: "Asia/Tokyo"}})
	file := func(lines ...string) string {
		name := filepath.Join(t.TempDir(), "automation.yaml")
		must(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o600))
		return name
	}
	schedule := func(e string) string { return "schedules: ['" + e + "']" }
	manifest := func(name string, spec ...string) string {
		return "---\napiVersion: reelops.dev/v1beta1\nkind: Automation\nmetadata: {name: " + name + ", namespace: acme}\nspec:\n  brandRef: {name: coffee}\n  " +
			strings.Join(spec, "\n  ") + "\n"
	}
	other := "apiVersion: reelops.dev/v1beta1\nkind: Brand\nmetadata: {name: coffee}\nspec: {timezone: UTC}\n"

	zoned := manifest("zoned", schedule("30 8 * * *"), "timeZone: Europe/Berlin")
	if out := c.do("automation", "next", "-f", file(other, zoned)); out["name"] != "zoned" || out["timeZone"] != "Europe/Berlin" || len(out["times"].([]any)) != 5 {
		t.Errorf("with a time zone: got %v", out)
	}
	if out := c.do("automation", "next", "plain", "-f", file(zoned, manifest("plain", schedule("30 8 * * *")))); out["timeZone"] != "Asia/Tokyo" {
		t.Errorf("with the time zone of its brand: got %v", out)
	}
	for want, lines := range map[string][]string{
		"has 2 Automations: give the NAME of one":            {zoned, manifest("plain", schedule("0 0 * * *"))},
		"has no Automation of the version":                   {other},
		"needs five fields":                                  {manifest("x", schedule("0 0 8 * * *"), "timeZone: UTC")},
		`the time zone "Mars/Olympus" does not exist`:        {manifest("x", schedule("0 8 * * *"), "timeZone: Mars/Olympus")},
		`the placeholder "{{item.name}}" is unknown`:         {manifest("x", schedule("0 8 * * *"), "timeZone: UTC", "publish: {caption: '{{item.name}}'}")},
		`unknown field "schedule"`:                           {manifest("x", "schedule: daily", "timeZone: UTC")},
		`set spec.timeZone, or create its brand "coffee" in`: {strings.ReplaceAll(manifest("x", schedule("0 8 * * *")), "acme", "nosuch")},
		"error converting YAML to JSON":                      {"kind: [\n"},
	} {
		c.refuse(want, "automation", "next", "-f", file(lines...))
	}
	c.refuse("no such file", "automation", "next", "-f", filepath.Join(t.TempDir(), "missing.yaml"))
}

func TestNext_OmitsTimesAfterTheEnd(t *testing.T) {
	x := dailyAutomation("acme")
	now := time.Date(2027, 3, 27, 0, 0, 0, 0, time.UTC)
	x.Spec.Stop = &v1beta1.AutomationStop{At: &metav1.Time{Time: now.Add(36 * time.Hour)}}
	x.Spec.Suspend = true
	out, err := next(x, &v1beta1.Brand{Spec: v1beta1.BrandSpec{Timezone: "Europe/Berlin"}}, now, 5)
	must(t, err)
	want := "Sat 2027-03-27T12:00:00+01:00   2027-03-27T11:00:00Z\nSun 2027-03-28T12:00:00+02:00   2027-03-28T10:00:00Z\n" +
		"the automation is paused: none of these times starts a run\n"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	x.Spec.Stop.At = &metav1.Time{Time: now}
	if out, err = next(x, &v1beta1.Brand{}, now, 5); err != nil || !strings.HasPrefix(out.String(), "no time is ahead") {
		t.Errorf("got %v, error %v", out, err)
	}
}

func TestPlugin_Automations(t *testing.T) {
	t.Parallel()
	p := installed(t)
	p.has(t, testkit.Namespace("automated"), testkit.Account("automated"), testkit.Brand("automated", "coffee"), dailyAutomation("automated"))
	p.steps(t,
		step{"automation list -n automated", 0, "daily"},
		step{"automation list -n nosuch", exitNotFound, `there is no account "nosuch"`},
		step{"automation list --as nobody", exitFailed, `User "nobody" cannot list resource "automations"`},
		step{"automation run daily -n automated -o name", 0, "automationrun.reelops.dev/daily-m"},
		step{"automation run daily -n automated --as nobody", exitFailed, `User "nobody" cannot get resource "automations"`},
		step{"automation run daily", exitUsage, "name the account with --account or --namespace"},
		step{"automation pause daily -n automated", 0, `automation "daily" is paused`},
		step{"automation pause daily -n automated", 0, `automation "daily" was already paused`},
		step{"automation run daily -n automated", exitFailed, "is paused"},
		step{"automation next daily -n automated", 0, "the automation is paused"},
		step{"automation resume daily -n automated -o name", 0, "automation.reelops.dev/daily"},
		step{"automation next nosuch -n automated", exitNotFound, `there is no automation "nosuch"`},
		step{"automation next", exitUsage, "give the NAME of an automation"},
		step{"automation next -f ../../config/samples/automation_prompts.yaml --server https://127.0.0.1:1", 0, "T"},
		step{"automation pause", exitUsage, "accepts 1 arg(s), received 0"},
	)
}
