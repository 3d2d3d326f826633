// SPDX-License-Identifier: Apache-2.0

package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiservercel "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/build"
	"github.com/reelops/reelops/internal/automation/schedule"
	"github.com/reelops/reelops/internal/automation/template"
)

// rules are the checks of the API server for Automations, from the CustomResourceDefinition. A cluster is not needed.
type rules struct {
	structural *structural.Structural
	schema     validation.SchemaValidator
	cel        *cel.Validator
}

func load(t *testing.T) *rules {
	t.Helper()
	text, err := os.ReadFile("../../../config/crd/bases/reelops.dev_automations.yaml")
	must(t, err)
	var crd apiextensionsv1.CustomResourceDefinition
	must(t, yaml.Unmarshal(text, &crd))
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&crd)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
	crd.Status.StoredVersions = []string{"v1beta1"}
	var in apiextensions.CustomResourceDefinition
	must(t, apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&crd, &in, nil))
	// This includes the estimated cost of the rules.
	must(t, crdvalidation.ValidateCustomResourceDefinition(t.Context(), &in).ToAggregate())
	schema := in.Spec.Validation
	if schema == nil {
		schema = in.Spec.Versions[0].Schema
	}
	r := &rules{}
	r.structural, err = structural.NewStructural(schema.OpenAPIV3Schema)
	must(t, err)
	r.schema, _, err = validation.NewSchemaValidator(schema.OpenAPIV3Schema)
	must(t, err)
	r.cel = cel.NewValidator(r.structural, true, apiservercel.PerCallLimit)
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refuse returns the message with which the API server refuses an automation; empty if it accepts it.
func (r *rules) refuse(t *testing.T, a *v1beta1.Automation) string {
	t.Helper()
	o, err := runtime.DefaultUnstructuredConverter.ToUnstructured(a)
	must(t, err)
	defaulting.Default(o, r.structural)
	errs := validation.ValidateCustomResource(nil, o, r.schema)
	found, _ := r.cel.Validate(t.Context(), nil, r.structural, o, nil, apiservercel.RuntimeCELCostBudget)
	if err := append(errs, found...).ToAggregate(); err != nil {
		return err.Error()
	}
	return ""
}

// automation returns an automation that the API server accepts.
func automation() *v1beta1.Automation {
	return &v1beta1.Automation{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "daily"},
		Spec: v1beta1.AutomationSpec{
			BrandRef: v1beta1.LocalRef{Name: "coffee"}, Schedules: []string{"0 9 * * *"}, TimeZone: "Europe/Berlin",
			Source:   v1beta1.AutomationSource{Prompts: &v1beta1.PromptsSource{Items: []v1beta1.Prompt{{Text: "Tea"}}}},
			Template: &v1beta1.AutomationTemplate{Slideshow: &v1beta1.SlideshowTemplate{Context: "{{item.title}}"}},
			Publish:  v1beta1.AutomationPublish{Platforms: []v1beta1.Platform{"tiktok"}},
		},
	}
}

func TestAdmission_Schedules(t *testing.T) {
	r := load(t)
	for _, e := range []string{
		"0 9 * * *", "  0\t9 * *   *  ", "*/15 8-18 * * MON-FRI", "0,30 9,12 1-15/2 jan,Mar,DEC 0-6", "5/10 * ? * ?",
		"00 09 01 01 00", "0 0 29 2 *",
		"*/007 * * * *", "0 9 * * sun", "59 23 31 12 6", "1,2,3-5,7/2 * * * *", "* * * * *", "*/2 */3 */4 */5 */6",
		"?/2 9 * * *",
		"", " ", "0 9 * *", "0 0 9 * * *", "@daily", "@every 1h", "@every 1h x y z", "TZ=UTC 0 9 * * *",
		"CRON_TZ=UTC 0 9 * *", "60 9 * * *", "0 24 * * *",
		"0 9 0 * *", "0 9 32 * *", "0 9 * 0 *", "0 9 * 13 *", "0 9 * FOO *", "0 9 * * 7", "0 9 * * MONDAY",
		"*/0 9 * * *", "*/-5 9 * * *", "+5 9 * * *",
		"-1 9 * * *", ", 9 * * *", "0 1,,2 * * *", "1, 9 * * *", "*-5 9 * * *", "1-2-3 9 * * *", "1/2/3 9 * * *",
		"0 9 L * *", "0 9 * * 1#2", "0 9 W * *",
		"0\u00a09 * * *", "0 9 * * *\n", "0 9 * * \u0661", "0;9;*;*;*", "9:00", "every day", "{{slot.time}} * * * *",
		"0 9 * * * # noon",
		"0 9 * JAN-MAR/2 TUE-THU", "0 9 * MON *", "0 9 SAT * *", "jan 9 * * *",
	} {
		a := automation()
		a.Spec.Schedules = []string{"0 9 * * *", e}
		_, parsed := schedule.Parse([]string{e}, "")
		refused := r.refuse(t, a)
		if (parsed == nil) != (refused == "") {
			t.Errorf("%q: the parser returns %v, the API server: %q", e, parsed, refused)
		}
		named := strings.Contains(refused, "spec.schedules[1]") &&
			strings.Contains(refused, "write five fields separated by spaces: minute (0-59)")
		if refused != "" && e != "" && !named {
			t.Errorf("%q: got %q, want the field and what to write", e, refused)
		}
	}
	// The grammar cannot compare numbers: the controller reports these.
	for _, e := range []string{
		"5-1 9 * * *", "0 9 30 2 *", "0 9 31 4,6 *", "0 9 * * SAT-MON",
		"*/99999999999999999999 9 * * *",
	} {
		a := automation()
		a.Spec.Schedules = []string{e}
		if _, err := build.Schedule(a, &v1beta1.Brand{}); err == nil {
			t.Errorf("%q: the parser accepts it", e)
		}
		if refused := r.refuse(t, a); refused != "" {
			t.Errorf("%q: the API server: %s", e, refused)
		}
	}
}

func TestAdmission_TimeZone(t *testing.T) {
	r := load(t)
	for _, zone := range []string{
		"", "UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "Asia/Kolkata", "EST",
		"Local", "Mars/Olympus", "+02:00", "02:00", "GMT+2", "Europe / Berlin", "../UTC", "/etc/localtime", "CEST", " ",
	} {
		a := automation()
		a.Spec.TimeZone = zone
		_, parsed := schedule.Parse(a.Spec.Schedules, zone)
		refused := r.refuse(t, a)
		if (parsed == nil) != (refused == "") {
			t.Errorf("%q: the parser returns %v, the API server: %q", zone, parsed, refused)
		}
		if refused != "" && !strings.Contains(refused, "timeZone must be an IANA name such as Europe/Berlin or UTC") {
			t.Errorf("%q: got %q, want what to write", zone, refused)
		}
	}
}

func TestAdmission_Placeholders(t *testing.T) {
	r := load(t)
	texts := []string{
		"no placeholder", "{ } {} }{ {}{}", "{{item.title}}", "{{ item.title\t}}\n{{run.number}}", "{{{item.title}}}",
		"{{item.title}}{{item.link}}", "é {{slot.date}} ☕",
		"{{item.titel}}", "{{Item.Title}}", "{{item.title}", "{item.title}}", "{{", "}}", "{{}}", "{{ }}",
		"{{{{item.title}}}}", "{{item title}}",
		"{{item.title}} {{item.name}}", "{{itemxtitle}}", "{{\u00a0item.title}}", "{%item.title%}", "${{item.title}}",
		"{{.Title}}",
	}
	for _, p := range template.Placeholders() {
		texts = append(texts, "{{"+p+"}}")
	}
	for field, set := range map[string]func(*v1beta1.Automation, string){
		"spec.template.slideshow.context": func(a *v1beta1.Automation, s string) {
			a.Spec.Template.Slideshow.Context = s
		},
		"spec.template.slideshow.title": func(a *v1beta1.Automation, s string) {
			a.Spec.Template.Slideshow.Title = &s
		},
		"spec.template.slideshow.caption": func(a *v1beta1.Automation, s string) {
			a.Spec.Template.Slideshow.Caption = &s
		},
		"spec.template.video.hookText":          func(a *v1beta1.Automation, s string) { video(a).HookText = s },
		"spec.template.video.title":             func(a *v1beta1.Automation, s string) { video(a).Title = &s },
		"spec.template.video.caption":           func(a *v1beta1.Automation, s string) { video(a).Caption = &s },
		"spec.publish.title":                    func(a *v1beta1.Automation, s string) { a.Spec.Publish.Title = &s },
		"spec.publish.caption":                  func(a *v1beta1.Automation, s string) { a.Spec.Publish.Caption = &s },
		"spec.publish.accounts[1].title":        func(a *v1beta1.Automation, s string) { account(a).Title = &s },
		"spec.publish.accounts[1].caption":      func(a *v1beta1.Automation, s string) { account(a).Caption = &s },
		"spec.publish.accounts[1].firstComment": func(a *v1beta1.Automation, s string) { account(a).FirstComment = &s },
	} {
		for _, text := range texts {
			a := automation()
			set(a, text)
			checked, refused := build.Check(a), r.refuse(t, a)
			if (checked == nil) != (refused == "") {
				t.Errorf("%s %q: Check returns %v, the API server: %q", field, text, checked, refused)
			}
			if refused != "" && (!strings.Contains(refused, field) ||
				!strings.Contains(refused, "write placeholders as {{item.title}}")) {
				t.Errorf("%s %q: got %q, want the field and what to write", field, text, refused)
			}
		}
	}
}

func video(a *v1beta1.Automation) *v1beta1.VideoTemplate {
	a.Spec.Template = &v1beta1.AutomationTemplate{Video: &v1beta1.VideoTemplate{
		HookText: "{{item.title}}", Avatar: v1beta1.ClipSource{LibraryRef: &v1beta1.LocalRef{Name: "avatar-kitchen"}},
	}}
	return a.Spec.Template.Video
}

func account(a *v1beta1.Automation) *v1beta1.PublishTarget {
	a.Spec.Publish.Accounts = []v1beta1.PublishTarget{{Name: "first"}, {Name: "second"}}
	return &a.Spec.Publish.Accounts[1]
}

// TestAdmission_LongestTexts: the rules stay within the API server's cost limit also when all texts have their maximum
// length.
func TestAdmission_LongestTexts(t *testing.T) {
	r := load(t)
	a := automation()
	long := func(n int) *string {
		s := strings.Repeat("{{item.title}} é", n/16)
		return &s
	}
	a.Spec.Template.Slideshow.Context, a.Spec.Template.Slideshow.Caption = *long(5000), long(5000)
	a.Spec.Publish.Title, a.Spec.Publish.Caption = long(10000), long(10000)
	for i := range 50 {
		target := v1beta1.PublishTarget{Name: fmt.Sprintf("account-%d", i)}
		target.Title, target.Caption, target.FirstComment = long(10000), long(10000), long(10000)
		a.Spec.Publish.Accounts = append(a.Spec.Publish.Accounts, target)
	}
	a.Spec.Schedules = nil
	for range schedule.MaxExpressions {
		a.Spec.Schedules = append(a.Spec.Schedules, "0"+strings.Repeat(",5", 95)+" 9 * * *")
	}
	if refused := r.refuse(t, a); refused != "" {
		t.Errorf("%.2000s", refused)
	}
}

func TestSamples(t *testing.T) {
	r := load(t)
	files, err := filepath.Glob("../../../config/samples/automation_*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	sources := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a := &v1beta1.Automation{}
		if err := yaml.UnmarshalStrict(text, a); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		a.Namespace = "default"
		if _, err := build.Schedule(a, &v1beta1.Brand{}); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if err := build.Check(a); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if refused := r.refuse(t, a); refused != "" {
			t.Errorf("%s: %s", file, refused)
		}
		s := a.Spec.Source
		sources[fmt.Sprint(s.Prompts != nil, s.Feed != nil, s.Queue != nil, s.Evergreen != nil)] = true
	}
	if len(sources) != 4 {
		t.Errorf("the samples have %d of the 4 sources", len(sources))
	}
}
