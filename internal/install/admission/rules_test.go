// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/install/admission"
	"github.com/reelops/reelops/internal/testkit"
)

var cluster testkit.Shared

func TestMain(m *testing.M) { cluster.Main(m) }

// manifest is an object of the corpus.
type manifest struct {
	what   string
	object *unstructured.Unstructured
}

// TestCheck_AgreesWithTheAPIServer changes each field of the samples in several ways, and compares the decisions with
// those of an API server for a user without any special verb, and for an approver. With -short it compares the
// decisions on every third object.
func TestCheck_AgreesWithTheAPIServer(t *testing.T) {
	cluster.Start(t)
	if err := cluster.Client.Create(t.Context(), testkit.Namespace("shared")); err != nil {
		t.Fatal(err)
	}
	editor, approver := user(t, "editor", false), user(t, "approver", true)
	rules, err := admission.New()
	if err != nil {
		t.Fatal(err)
	}
	accepted, rejected, every := 0, 0, 1
	if testing.Short() {
		every = 3
	}
	for i, m := range corpus(t) {
		if i%every > 0 {
			continue
		}
		for _, as := range []struct {
			approver bool
			client.Client
		}{{false, editor}, {true, approver}} {
			want := as.Create(t.Context(), m.object.DeepCopy(), client.DryRunAll, client.FieldValidation("Strict"))
			got := rules.Check(t.Context(), m.object, as.approver)
			if (got == nil) != (want == nil) || !slices.Equal(causes(got), causes(want)) {
				t.Errorf("%s %s, approver %v:\n got %v\nwant %v", m.object.GetKind(), m.what, as.approver, got, want)
			}
			if want == nil {
				accepted++
			} else {
				rejected++
			}
		}
	}
	t.Logf("%d objects were accepted, %d rejected", accepted, rejected)
	if accepted < 150/every || rejected < 150/every {
		t.Errorf("%d accepted and %d rejected objects are too few for a comparison", accepted, rejected)
	}
}

// causes returns the fields of an error for an object that is not valid, with their messages. kube-apiserver adds a
// hint without a field.
func causes(err error) (out []string) {
	var s apierrors.APIStatus
	if !errors.As(err, &s) || !apierrors.IsInvalid(err) {
		return nil
	}
	for _, c := range s.Status().Details.Causes {
		if c.Field != "" && c.Field != "<nil>" {
			out = append(out, c.Field+": "+c.Message)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// user returns the client of a user who may create all objects of Reelops, after the policies are enforced.
func user(t *testing.T, name string, approver bool) client.Client {
	t.Helper()
	for _, file := range []string{"accounts", "approval", "console", "posts", "marks"} {
		if err := cluster.Apply(t.Context(), "policy/"+file+".yaml"); err != nil {
			t.Fatal(err)
		}
	}
	group := []string{v1beta1.GroupVersion.Group}
	rules := []rbacv1.PolicyRule{{APIGroups: group, Resources: []string{"*"}, Verbs: []string{"create"}}}
	if approver {
		rules = append(rules,
			rbacv1.PolicyRule{APIGroups: group, Resources: []string{"postbatches"}, Verbs: []string{"approve"}})
	}
	for _, o := range []client.Object{
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name}},
		},
	} {
		if err := cluster.Client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	c, err := cluster.As(name)
	if err != nil {
		t.Fatal(err)
	}
	// The API server enforces a policy a moment after its creation. This object violates the last one.
	marked := testkit.Brand("default", "marked")
	marked.Labels = map[string]string{v1beta1.LabelID: "1"}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		err := c.Create(t.Context(), marked.DeepCopy(), client.DryRunAll)
		if err != nil && strings.Contains(err.Error(), "ValidatingAdmissionPolicy 'reelops-marks'") {
			return c
		}
		if time.Now().After(end) {
			t.Fatalf("the policies are not enforced: %v", err)
		}
	}
}

type object = unstructured.Unstructured

func annotated(key string) func(*object) {
	return func(o *object) { o.SetAnnotations(map[string]string{key: "1"}) }
}

// corpus returns the samples, and copies of them in which one field is changed.
func corpus(t *testing.T) (out []manifest) {
	t.Helper()
	for _, o := range samples(t) {
		out = append(out, manifest{"of the samples", o})
		for _, path := range fields(o.Object, nil) {
			switch strings.Join(path, ".") {
			case "apiVersion", "kind", "metadata", "metadata.namespace":
				continue // the client needs them
			}
			for what, value := range map[string]any{
				"removed": nil, "a number": int64(-7), "true": true, "empty": "", "a word": "word",
				"a long text": strings.Repeat("long ", 2000), "a list": []any{"x"}, "an object": map[string]any{"unknown": "x"},
			} {
				changed := o.DeepCopy()
				set(changed.Object, path, value)
				if _, ok := changed.Object["metadata"].(map[string]any); ok {
					out = append(out, manifest{strings.Join(path, ".") + " " + what, changed})
				}
			}
		}
		for what, change := range map[string]func(*object){
			"of the version v1alpha1":    func(o *object) { o.SetAPIVersion("reelops.dev/v1alpha1") },
			"in the namespace shared":    func(o *object) { o.SetNamespace("shared") },
			"with a label of Reelops":    func(o *object) { o.SetLabels(map[string]string{v1beta1.LabelID: "5"}) },
			"with a label of its own":    func(o *object) { o.SetLabels(map[string]string{"team": "growth"}) },
			"with a retry":               annotated("reelops.dev/retry"),
			"with an origin":             annotated("reelops.dev/origin"),
			"with a name in upper case":  func(o *object) { o.SetName("Upper") },
			"with a long name":           func(o *object) { o.SetName(strings.Repeat("a", 60)) },
			"with a generated name":      func(o *object) { o.SetName(""); o.SetGenerateName("x-") },
			"without a name":             func(o *object) { o.SetName("") },
			"with a field that is new":   func(o *object) { set(o.Object, []string{"spec", "unknown"}, "x") },
			"with a status":              func(o *object) { o.Object["status"] = map[string]any{"unknown": "x"} },
			"with metadata that are new": func(o *object) { set(o.Object, []string{"metadata", "unknown"}, "x") },
		} {
			changed := o.DeepCopy()
			change(changed)
			out = append(out, manifest{what, changed})
		}
	}
	return out
}

// samples returns the objects of Reelops in config/samples, in the namespace default.
func samples(t *testing.T) (out []*unstructured.Unstructured) {
	t.Helper()
	files, err := filepath.Glob("../../../config/samples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		for docs := utilyaml.NewYAMLOrJSONDecoder(f, 4096); ; {
			o := &unstructured.Unstructured{}
			if err := docs.Decode(o); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if o.GroupVersionKind().Group == v1beta1.GroupVersion.Group {
				o.SetNamespace("default")
				out = append(out, o)
			}
		}
	}
	return out
}

// fields returns the paths of all fields of an object, also within lists.
func fields(of any, at []string) (out [][]string) {
	step := func(key string, value any) {
		path := append(slices.Clone(at), key)
		out = append(out, path)
		out = append(out, fields(value, path)...)
	}
	switch x := of.(type) {
	case map[string]any:
		for key, value := range x {
			step(key, value)
		}
	case []any:
		for i, value := range x {
			step(fmt.Sprint(i), value)
		}
	}
	return out
}

// set changes the field at a path, or removes it if the value is nil.
func set(in any, path []string, value any) {
	for _, key := range path[:len(path)-1] {
		in = child(in, key)
	}
	last := path[len(path)-1]
	switch x := in.(type) {
	case map[string]any:
		if x[last] = value; value == nil {
			delete(x, last)
		}
	case []any:
		x[number(last)] = value
	}
}

func child(of any, key string) any {
	if list, ok := of.([]any); ok {
		return list[number(key)]
	}
	return of.(map[string]any)[key]
}

func number(key string) (n int) {
	_, _ = fmt.Sscan(key, &n)
	return n
}
