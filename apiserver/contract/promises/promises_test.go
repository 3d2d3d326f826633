// SPDX-License-Identifier: Apache-2.0

package promises_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/apiserver/contract/promises"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/catalog"
)

const root = "../../.."

func read(t *testing.T, name string) []byte {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func table(t *testing.T) []promises.Row {
	t.Helper()
	rows, faults := promises.Parse(string(read(t, "docs/reference/contract.md")))
	for _, f := range faults {
		t.Error(f)
	}
	if len(rows) < 300 {
		t.Errorf("got only %d rows", len(rows))
	}
	return rows
}

func TestPage_NamesExistingCodeAndTests(t *testing.T) {
	faults, err := promises.Check(promises.NewTree(root), table(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

// operation is an operation of the description.
type operation struct {
	Scope      string `json:"x-required-scope"`
	Parameters []struct{ Name, In string }
	Body       *struct {
		Content map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			} `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

// described returns the operations of the description, as "GET /path", and the members of their bodies.
func described(t *testing.T) (map[string]operation, map[string][]string) {
	t.Helper()
	var doc struct {
		Paths      map[string]map[string]operation
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(read(t, "apiserver/testdata/openapi.json"), &doc); err != nil {
		t.Fatal(err)
	}
	out, members := map[string]operation{}, map[string][]string{}
	for path, methods := range doc.Paths {
		for method, o := range methods {
			name := strings.ToUpper(method) + " " + strings.TrimPrefix(path, "/api/v1")
			out[name] = o
			if o.Body == nil {
				continue
			}
			ref := strings.TrimPrefix(o.Body.Content["application/json"].Schema.Ref, "#/components/schemas/")
			for m := range doc.Components.Schemas[ref].Properties {
				members[name] = append(members[name], m)
			}
			if len(members[name]) == 0 {
				t.Errorf("the body of %s has no members", name)
			}
		}
	}
	if len(out) < 20 {
		t.Errorf("the description has only %d operations", len(out))
	}
	return out, members
}

func TestPage_CoversOperationsCodesAndTools(t *testing.T) {
	rows := table(t)
	missing := func(heading string, names []string) {
		t.Helper()
		if len(names) == 0 {
			t.Errorf("%s: no names to check", heading)
		}
		for _, m := range promises.Missing(rows, heading, names) {
			t.Error(m)
		}
	}
	operations, members := described(t)
	var names []string
	for name, o := range operations {
		names = append(names, name)
		for _, r := range rows {
			if !strings.HasPrefix(r.Promise, "`"+name+"`") {
				continue
			}
			for _, p := range o.Parameters {
				if p.In == "query" && p.Name != "brand_id" && !strings.Contains(r.Promise, "`"+p.Name+"`") {
					t.Errorf("line %d: %s lacks the parameter %s", r.Line, name, p.Name)
				}
			}
			if says := map[bool]string{true: "(scope `" + o.Scope + "`)", false: "(any key)"}[o.Scope != ""]; !strings.Contains(r.Promise, says) {
				t.Errorf("line %d: %s lacks %s", r.Line, name, says)
			}
		}
	}
	missing("Operations", names)
	for name, all := range members {
		missing("`"+name+"`", all)
	}
	var scopes, buckets, tools []string
	missing("Errors", catalog.ErrorCodes())
	for _, s := range apikey.Scopes {
		scopes = append(scopes, string(s))
	}
	missing("Scopes", scopes)
	for b := range limit.Default() {
		buckets = append(buckets, string(b))
	}
	missing("Limits", buckets)
	var listed []struct{ Name string }
	if err := json.Unmarshal(read(t, "apiserver/mcp/testdata/tools.json"), &listed); err != nil {
		t.Fatal(err)
	}
	for _, l := range listed {
		tools = append(tools, l.Name)
	}
	missing("Tool server", tools)
}

// A page and tree in which each row but the first has one fault.
const page = `# Promises

## Some

| Promised | Where | Proof |
|---|---|---|
| Tea is hot \| and sweet. | ` + "`kitchen/tea.go` `Pot` `Pot.Pour` `Cup.Size`; `kitchen/notes.md`" + ` | ` + "`kitchen/tea_test.go` \"Tea is hot\" \"Tea in a pot when full is poured two cups\" `TestPour`" + ` |
| no file | ` + "`kitchen/none.go` `Pot`" + ` | ` + "`kitchen/tea_test.go` `TestPour`" + ` |
| no symbol | ` + "`kitchen/tea.go` `Kettle`" + ` | ` + "`kitchen/tea_test.go` `TestPour`" + ` |
| nothing of the file | ` + "`kitchen/tea.go`" + ` | ` + "`kitchen/tea_test.go` `TestPour`" + ` |
| no test | ` + "`kitchen/tea.go` `Pot`" + ` | ` + "`kitchen/tea_test.go` \"Tea is cold\"" + ` |
| pending | ` + "`kitchen/tea.go` `Pot`" + ` | ` + "`kitchen/tea_test.go` \"Tea is green\"" + ` |
| pending by a word | ` + "`kitchen/tea.go` `Pot`" + ` | ` + "`kitchen/tea_test.go` \"Tea is black\"" + ` |
| below what is pending | ` + "`kitchen/tea.go` `Pot`" + ` | ` + "`kitchen/tea_test.go` \"Coffee is hot\"" + ` |
| skipped | ` + "`kitchen/tea.go` `Pot`" + ` | ` + "`kitchen/tea_test.go` `TestSkipped` \"Tea is drunk\"" + ` |
| not where | | ` + "`kitchen/tea_test.go` `TestPour`" + ` |
| no proof | ` + "`kitchen/tea.go` `Pot`" + ` | by looking |
| | ` + "`kitchen/tea.go` `Pot`" + ` | ` + "`kitchen/tea_test.go` `TestPour`" + ` |
| two cells | only |

## Others

| Some | Other | Columns |
|---|---|---|
`

var files = map[string]string{
	"kitchen/notes.md": "Notes.",
	"kitchen/tea.go": `package kitchen

type Pot[T any] struct{}

type Cup struct{ Size int }

func (p *Pot[T]) Pour() {}
`,
	"kitchen/tea_test.go": `package kitchen

var _ = Describe("Tea", func() {
	each(func() {
		It("is "+"hot", func() {})
	})
	PIt("is green", func() {})
	It("is black", Pending, func() {})
	It("is drunk", func() { Skip("no cup") })
	Context("in a pot", func() {
		When("full", func() {
			DescribeTable("is poured", func(int) {}, Entry("two cups", 2))
		})
	})
})

var _ = XDescribe("Coffee", func() {
	It("is hot", func() {})
})

func TestPour(t *testing.T) {}

func TestSkipped(t *testing.T) { t.Skip() }
`,
}

func TestCheck_ReportsEachFault(t *testing.T) {
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rows, unread := promises.Parse(page)
	if d := cmp.Diff([]string{"line 19: 2 cells, not 3", "line 23: a table has the columns Promised, Where, Proof"}, unread); d != "" {
		t.Error(d)
	}
	if rows[0].Promise != "Tea is hot | and sweet." || !slices.Equal(rows[0].Sections, []string{"Promises", "Some"}) {
		t.Errorf("the first row is %+v", rows[0])
	}
	faults, err := promises.Check(promises.NewTree(dir), rows)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`line 8: there is no file "kitchen/none.go"`,
		`line 9: kitchen/tea.go has no Kettle`,
		`line 10: kitchen/tea.go is named as the where without saying what of it`,
		`line 11: kitchen/tea_test.go has no test "Tea is cold"`,
		`line 12: kitchen/tea_test.go: "Tea is green" proves nothing: it is pending`,
		`line 13: kitchen/tea_test.go: "Tea is black" proves nothing: it is pending`,
		`line 14: kitchen/tea_test.go: "Coffee is hot" proves nothing: it is pending`,
		`line 15: kitchen/tea_test.go: "TestSkipped" proves nothing: it may be skipped`,
		`line 15: kitchen/tea_test.go: "Tea is drunk" proves nothing: it may be skipped`,
		`line 16: there is no where`,
		`line 17: there is no proof`,
		`line 18: nothing is promised`,
	}
	if d := cmp.Diff(want, faults); d != "" {
		t.Error(d)
	}
}

func TestMissing_ChecksRowsBelowTheHeading(t *testing.T) {
	rows := []promises.Row{
		{Sections: []string{"All", "Teas"}, Promise: "`black` and `green`: hot."},
		{Sections: []string{"All", "Coffees"}, Promise: "`milk`: none."},
	}
	if d := cmp.Diff([]string{"Teas: no row speaks of `milk`", "Teas: no row speaks of `white`"}, promises.Missing(rows, "Teas", []string{"white", "green", "milk"})); d != "" {
		t.Error(d)
	}
	if got := promises.Missing(rows, "All", []string{"black", "milk"}); len(got) > 0 {
		t.Error(got)
	}
}
