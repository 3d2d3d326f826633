// SPDX-License-Identifier: Apache-2.0

package logging

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/klog/v2"
)

// line logs once and returns the keys and values of the line, without time and level.
func line(t *testing.T, write func(log *slog.Logger)) map[string]any {
	t.Helper()
	var out bytes.Buffer
	write(New(&out, slog.LevelInfo))
	var doc map[string]any
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatalf("%v: %s", err, out.Bytes())
	}
	delete(doc, "time")
	delete(doc, "level")
	return doc
}

func TestLog_KeysOfLibrariesAreRenamed(t *testing.T) {
	got := line(t, func(log *slog.Logger) {
		logr.FromSlogHandler(log.Handler()).WithName("x").
			WithValues("controller", "renderjob", "controllerGroup", "reelops.dev", "controllerKind", "RenderJob", "RenderJob", klog.KRef("acme", "r1")).
			WithValues("namespace", "acme", "name", "r1", "reconcileID", "7").
			Error(errors.New("lost"), "Reconciler error", "worker count", 2)
	})
	want := map[string]any{
		"msg": "Reconciler error", "logger": "x", "controller": "renderjob", "controller_group": "reelops.dev", "controller_kind": "RenderJob",
		"account": "acme", "name": "r1", "reconcile_id": "7", "error": "lost", "worker_count": 2.0,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("(-want +got)", d)
	}
}

func TestLog_KeysWithinGroupsAndObjectsStay(t *testing.T) {
	got := line(t, func(log *slog.Logger) {
		log.With(slog.Group("object", "namespace", "acme")).WithGroup("g").With("err", 1).Info("audit", "before", map[string]string{"err": "x"})
	})
	want := map[string]any{
		"msg": "audit", "object": map[string]any{"namespace": "acme"}, "g": map[string]any{"err": 1.0, "before": map[string]any{"err": "x"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("(-want +got)", d)
	}
}

// methods of loggers, with the number of arguments before keys and values.
var methods = map[string]int{"Info": 1, "Warn": 1, "Error": 1, "Debug": 1, "With": 0, "WithValues": 0}

// TestSources_UseOneSpelling reads the sources: a key in the code equals the key in the log, so that one search finds
// both.
func TestSources_UseOneSpelling(t *testing.T) {
	n := 0
	for _, dir := range []string{"apiserver", "cmd", "controllers", "internal"} {
		err := filepath.WalkDir(filepath.Join("..", "..", "..", dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(node ast.Node) bool {
				for _, literal := range keys(node) {
					n++
					if name, err := strconv.Unquote(literal.Value); err != nil || name != key(name) {
						t.Errorf("%s: the key %s is logged as %q", set.Position(literal.Pos()), literal.Value, key(name))
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 150 {
		t.Errorf("only %d keys were found", n)
	}
}

// keys returns the literal keys of a call of a log.
func keys(node ast.Node) (out []*ast.BasicLit) {
	call, ok := node.(*ast.CallExpr)
	if !ok {
		return nil
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !strings.Contains(strings.ToLower(types.ExprString(method.X)), "log") {
		return nil
	}
	before, ok := methods[method.Sel.Name]
	if !ok {
		return nil
	}
	// logr's Error has the error before the message.
	if _, message := first(call.Args).(*ast.BasicLit); method.Sel.Name == "Error" && !message {
		before++
	}
	for i := before; i < len(call.Args); i += 2 {
		if literal, ok := call.Args[i].(*ast.BasicLit); ok && literal.Kind == token.STRING {
			out = append(out, literal)
		}
	}
	return out
}

func first(args []ast.Expr) ast.Expr {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}
