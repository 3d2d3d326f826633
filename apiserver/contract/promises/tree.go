// SPDX-License-Identifier: Apache-2.0

package promises

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Tree is the project's code. Each file is read once, on first use.
type Tree struct {
	root  string
	files map[string]*file
}

// NewTree returns the tree below a folder.
func NewTree(root string) *Tree { return &Tree{root: root, files: map[string]*file{}} }

// file holds the names that a row can refer to.
type file struct {
	// symbols are functions, types, constants and variables. Methods and fields are named Type.Name.
	symbols map[string]bool
	// tests maps test functions and the full texts of specs to the reason why they may not run, or "".
	tests map[string]string
}

// open reads a file. It returns nil if the file does not exist. Files that are not Go have no names.
func (t *Tree) open(name string) (*file, error) {
	if f, ok := t.files[name]; ok {
		return f, nil
	}
	path := filepath.Join(t.root, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.files[name] = nil
		return nil, nil //nolint:nilnil,nilerr // a file that is not there is what is asked for
	}
	f := &file{symbols: map[string]bool{}, tests: map[string]string{}}
	if strings.HasSuffix(name, ".go") {
		doc, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		f.read(doc)
	}
	t.files[name] = f
	return f, nil
}

func (f *file) read(doc *ast.File) {
	for _, d := range doc.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				f.symbols[receiver(d.Recv.List[0].Type)+"."+name] = true
				continue
			}
			f.symbols[name] = true
			for _, kind := range []string{"Test", "Fuzz"} {
				if strings.HasPrefix(name, kind) {
					f.tests[name] = skips(d.Body)
				}
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				f.declare(s)
			}
		}
	}
}

func (f *file) declare(s ast.Spec) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		f.symbols[s.Name.Name] = true
		if t, ok := s.Type.(*ast.StructType); ok {
			for _, field := range t.Fields.List {
				for _, n := range field.Names {
					f.symbols[s.Name.Name+"."+n.Name] = true
				}
			}
		}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			f.symbols[n.Name] = true
		}
		for _, v := range s.Values {
			f.specs(v, "", "")
		}
	}
}

// receiver returns the name of a method's type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// Ginkgo nodes by function name.
var (
	containers = map[string]bool{"Describe": true, "Context": true, "When": true, "DescribeTable": true}
	leaves     = map[string]bool{"It": true, "Specify": true, "Entry": true}
)

// specs records the specs in a node. above is the joined text of the enclosing containers; why is the reason why they
// do not run, or "".
func (f *file) specs(n ast.Node, above, why string) {
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		made, ok := call.Fun.(*ast.Ident)
		if !ok || len(call.Args) == 0 {
			return true
		}
		kind, why := made.Name, why
		if bare := strings.TrimLeft(kind, "PX"); bare != kind && (containers[bare] || leaves[bare]) {
			kind, why = bare, "it is pending"
		}
		text, known := constant(call.Args[0])
		if !known || !containers[kind] && !leaves[kind] {
			return true
		}
		if kind == "When" {
			text = "when " + text
		}
		text = strings.TrimSpace(above + " " + text)
		for _, a := range call.Args[1:] {
			if id, ok := a.(*ast.Ident); ok && id.Name == "Pending" {
				why = "it is pending"
			}
			if fn, ok := a.(*ast.FuncLit); ok && why == "" && (leaves[kind] || kind == "DescribeTable") {
				why = skips(fn.Body)
			}
		}
		if kind == "DescribeTable" || leaves[kind] {
			f.tests[text] = why
		}
		if containers[kind] {
			for _, a := range call.Args[1:] {
				f.specs(a, text, why)
			}
		}
		return false
	})
}

// constant returns the value of a string literal or of a concatenation of literals.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		a, ok := constant(e.X)
		b, too := constant(e.Y)
		return a + b, ok && too && e.Op == token.ADD
	}
	return "", false
}

// skips returns the reason why a body may end without testing anything, or "".
func skips(body ast.Node) (why string) {
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			name := ""
			switch f := call.Fun.(type) {
			case *ast.Ident:
				name = f.Name
			case *ast.SelectorExpr:
				name = f.Sel.Name
			}
			if name == "Skip" || name == "Skipf" || name == "SkipNow" {
				why = "it may be skipped"
			}
		}
		return why == ""
	})
	return why
}
