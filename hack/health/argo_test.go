// SPDX-License-Identifier: Apache-2.0

package health

import (
	"fmt"
	"testing"

	"github.com/gobwas/glob"
	lua "github.com/yuin/gopher-lua"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

// customizations is the key prefix of argocd-cm whose entries may have wildcards.
const customizations = "resource.customizations"

// override is the part of Argo CD's ResourceOverride that config/health sets.
type override struct {
	HealthLua string `json:"health.lua"`
}

// TestArgoCD_ConfigMapIsAccepted applies the ConfigMap to an API server, alone and over an existing argocd-cm with
// settings.
func TestArgoCD_ConfigMapIsAccepted(t *testing.T) {
	env := &envtest.Environment{}
	config, err := env.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	})
	cluster, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, existing := range map[string]map[string]string{"argocd": nil, "argocd-in-use": {"url": "https://argocd.example"}} {
		if err := cluster.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			t.Fatal(err)
		}
		if existing != nil {
			before := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: "argocd-cm"}, Data: existing}
			if err := cluster.Create(t.Context(), before); err != nil {
				t.Fatal(err)
			}
		}
		var shipped map[string]any
		read(t, "argocd.yaml", &shipped)
		o := &unstructured.Unstructured{Object: shipped}
		o.SetNamespace(name)
		if err := cluster.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("test")); err != nil {
			t.Fatalf("%s: got %v", name, err)
		}
		var stored corev1.ConfigMap
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(o), &stored); err != nil {
			t.Fatal(err)
		}
		if stored.Data[customizations] == "" || stored.Data["url"] != existing["url"] {
			t.Errorf("%s: the stored data are %v", name, stored.Data)
		}
	}
}

// argoOverrides returns the entries of resource.customizations, parsed like Argo CD does.
func argoOverrides(t *testing.T) map[string]override {
	t.Helper()
	var m corev1.ConfigMap
	read(t, "argocd.yaml", &m)
	if len(m.Data) != 1 {
		t.Errorf("argocd.yaml has %d keys, want %s only", len(m.Data), customizations)
	}
	out := map[string]override{}
	if err := yaml.UnmarshalStrict([]byte(m.Data[customizations]), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// healthScript returns the script of the entry whose key matches GROUP/KIND. Argo CD matches keys with the same
// library.
func healthScript(t *testing.T, overrides map[string]override, o *unstructured.Unstructured) string {
	t.Helper()
	gvk := o.GroupVersionKind()
	for pattern, entry := range overrides {
		g, err := glob.Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if g.Match(gvk.Group + "/" + gvk.Kind) {
			return entry.HealthLua
		}
	}
	t.Fatalf("no entry of %s matches %s", customizations, gvk.GroupKind())
	return ""
}

// argoHealth runs the health check with the libraries that Argo CD opens (package, base and table), with obj as a
// global variable and a table as the result.
func argoHealth(t *testing.T, overrides map[string]override, o map[string]any) (status, message string) {
	t.Helper()
	script := healthScript(t, overrides, &unstructured.Unstructured{Object: o})
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{{lua.LoadLibName, lua.OpenPackage}, {lua.BaseLibName, lua.OpenBase}, {lua.TabLibName, lua.OpenTable}} {
		if err := l.CallByParam(lua.P{Fn: l.NewFunction(library.open), Protect: true}, lua.LString(library.name)); err != nil {
			t.Fatal(err)
		}
	}
	l.SetGlobal("obj", luaValue(l, o))
	if err := l.DoString(script); err != nil {
		t.Fatal(err)
	}
	result, ok := l.Get(-1).(*lua.LTable)
	if !ok {
		t.Fatalf("the script returns %v, want a table", l.Get(-1))
	}
	return result.RawGetString("status").String(), result.RawGetString("message").String()
}

// luaValue converts a decoded JSON value.
func luaValue(l *lua.LState, v any) lua.LValue {
	switch v := v.(type) {
	case map[string]any:
		out := l.NewTable()
		for k, e := range v {
			out.RawSetString(k, luaValue(l, e))
		}
		return out
	case []any:
		out := l.NewTable()
		for _, e := range v {
			out.Append(luaValue(l, e))
		}
		return out
	case string:
		return lua.LString(v)
	case int64:
		return lua.LNumber(v)
	}
	panic(fmt.Sprintf("no Lua value for %T", v))
}
