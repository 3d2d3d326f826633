// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/kubectl/pkg/cmd/get"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/identity"
)

// column is a column of a list. A wide column is printed by -o wide only.
type column[T client.Object] struct {
	name string
	wide bool
	cell func(T) any
}

// listing describes a command that lists objects of one kind.
type listing[T client.Object] struct {
	// plural names the objects in messages.
	plural  string
	list    func() client.ObjectList
	columns []column[T]
	// keep reports whether an object is listed; nil lists all.
	keep func(T) bool
}

// lists turns c into a command that lists objects of all accounts or of one. It prints them like `kubectl get`: as a
// table, or with -o as a v1 List of the objects.
func lists[T client.Object](f *factory, c *cobra.Command, l listing[T]) *cobra.Command {
	c.Use, c.Args = "list", cobra.NoArgs
	c.Aliases = []string{"ls"}
	account := addAccounts(f, c)
	var selector string
	c.Flags().StringVarP(&selector, "selector", "l", "", "Label selector, such as reelops.dev/brand=coffee")
	flags := get.NewGetPrintFlags()
	flags.HumanReadableFlags.SortBy, flags.HumanReadableFlags.ShowKind = nil, nil
	flags.AddFlags(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		printer, err := flags.ToPrinter()
		if err != nil {
			return usageError{err}
		}
		in, err := account.given()
		if err != nil {
			return err
		}
		matching, err := labels.Parse(selector)
		if err != nil {
			return usagef("--selector: %w", err)
		}
		a, err := f.connect()
		if err != nil {
			return err
		}
		found, err := read(cmd.Context(), a, l, in, client.MatchingLabelsSelector{Selector: matching})
		if err != nil {
			return err
		}
		if _, table := printer.(*printers.HumanReadablePrinter); !table {
			all, err := asList(found)
			if err != nil {
				return err
			}
			return printer.PrintObj(all, f.Out)
		}
		if len(found) == 0 {
			_, err := fmt.Fprintf(f.ErrOut, "No %s found.\n", l.plural)
			return err
		}
		return printer.PrintObj(table(l.columns, found), f.Out)
	}
	return c
}

// read returns the objects, sorted by id, namespace and name. An account that does not exist is an error.
func read[T client.Object](ctx context.Context, a *admin, l listing[T], account string, options ...client.ListOption) ([]T, error) {
	var found []T
	seen := 0
	err := a.each(ctx, l.list(), func(o client.Object) {
		seen++
		if x := o.(T); l.keep == nil || l.keep(x) {
			found = append(found, x)
		}
	}, append(options, client.InNamespace(account))...)
	if err != nil {
		return nil, err
	}
	if account != "" && seen == 0 {
		if err := a.accountMustExist(ctx, account); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(found, func(x, y T) int {
		return cmp.Or(cmp.Compare(idOf(x), idOf(y)), cmp.Compare(x.GetNamespace(), y.GetNamespace()), cmp.Compare(x.GetName(), y.GetName()))
	})
	return found, nil
}

// table returns the objects as rows.
func table[T client.Object](columns []column[T], found []T) *metav1.Table {
	t := &metav1.Table{}
	for _, c := range columns {
		d := metav1.TableColumnDefinition{Name: c.name, Type: "string"}
		if c.wide {
			d.Priority = 1
		}
		t.ColumnDefinitions = append(t.ColumnDefinitions, d)
	}
	for _, o := range found {
		row := metav1.TableRow{Object: runtime.RawExtension{Object: o}}
		for _, c := range columns {
			row.Cells = append(row.Cells, c.cell(o))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// asList returns the objects as the List that `kubectl get` prints.
func asList[T client.Object](found []T) (*unstructured.UnstructuredList, error) {
	out := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": ""}}}
	for _, o := range found {
		u, err := withKind(o)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, *u)
	}
	return out, nil
}

// withKind returns the object with its apiVersion and kind, which typed objects omit.
func withKind(o client.Object) (*unstructured.Unstructured, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	kind, err := apiutil.GVKForObject(o, scheme)
	if err != nil {
		return nil, err
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	u := &unstructured.Unstructured{Object: fields}
	if err == nil {
		u.SetGroupVersionKind(kind)
	}
	return u, err
}

// idOf returns the id of an object; 0 before Reelops has assigned one.
func idOf(o client.Object) int64 {
	id, _ := identity.Of(o)
	return id
}

// shownID returns the id of an object; empty before Reelops has assigned one.
func shownID(o client.Object) any {
	if id, assigned := identity.Of(o); assigned {
		return id
	}
	return ""
}

// ready returns the status of the condition Ready; "Unknown" before it is set.
func ready(conditions []metav1.Condition) string {
	if c := meta.FindStatusCondition(conditions, string(v1beta1.ConditionReady)); c != nil {
		return string(c.Status)
	}
	return string(metav1.ConditionUnknown)
}

// reason returns the reason of the condition Ready; empty before it is set.
func reason(conditions []metav1.Condition) string {
	if c := meta.FindStatusCondition(conditions, string(v1beta1.ConditionReady)); c != nil {
		return c.Reason
	}
	return ""
}

// number returns a number, or the word for none.
func number(n *int32, none string) any {
	if n == nil {
		return none
	}
	return *n
}

// age returns the time since the object was created, even if it was restored from a backup later.
func age(o client.Object) any {
	return duration.HumanDuration(time.Since(v1beta1.CreatedAt(o).Time))
}

// moment returns a time in UTC, or the words for none.
func moment(t *metav1.Time, none string) string {
	if t.IsZero() {
		return none
	}
	return t.UTC().Format(time.RFC3339)
}

// joined returns the words separated by commas, or the word for none.
func joined[S ~string](words []S, none string) string {
	text := make([]string, len(words))
	for i, w := range words {
		text[i] = string(w)
	}
	return cmp.Or(strings.Join(text, ","), none)
}
