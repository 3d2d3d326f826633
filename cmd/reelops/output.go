// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// result is the outcome of a command.
type result struct {
	// fields are printed by -o json, yaml, jsonpath and go-template.
	fields any
	// text is printed without -o.
	text string
	// object is printed by -o name, which is refused if it is nil.
	object client.Object
}

// printsResult makes c connect to the cluster, run, and print the result as prints does.
func printsResult(f *factory, c *cobra.Command, run func(ctx context.Context, a *admin, args []string) (*result, error)) *cobra.Command {
	return prints(f, c, func(ctx context.Context, args []string) (*result, error) {
		a, err := f.connect()
		if err != nil {
			return nil, err
		}
		return run(ctx, a, args)
	})
}

// prints makes c run and print the result in the format of -o. An unknown format is an error before the command runs, so
// that no result is lost. If run returns both a result and an error, the result is printed too.
func prints(f *factory, c *cobra.Command, run func(ctx context.Context, args []string) (*result, error)) *cobra.Command {
	flags := genericclioptions.NewPrintFlags("")
	flags.AddFlags(c)
	_ = c.Flags().MarkHidden("show-managed-fields") // a result has none
	completeFlag(c, "output", fixed(flags.AllowedFormats()...))
	c.RunE = func(cmd *cobra.Command, args []string) error {
		var printer printers.ResourcePrinter = textPrinter{}
		if cmd.Flag("output").Changed || cmd.Flag("template").Changed {
			var err error
			if printer, err = flags.ToPrinter(); err != nil {
				return usageError{err}
			}
		}
		r, err := run(cmd.Context(), args)
		if r == nil {
			return err
		}
		if err := r.print(printer, f.Out); err != nil {
			return err
		}
		return err
	}
	return c
}

func (r *result) print(p printers.ResourcePrinter, out io.Writer) error {
	if _, ok := p.(*printers.NamePrinter); !ok {
		return p.PrintObj(document{r}, out)
	}
	if r.object == nil {
		return usagef("-o name is for commands that create or change an object")
	}
	named, err := withKind(r.object)
	if err != nil {
		return err
	}
	return p.PrintObj(named, out)
}

// textPrinter prints the text of a result.
type textPrinter struct{}

func (textPrinter) PrintObj(o runtime.Object, out io.Writer) error {
	text := strings.TrimRight(o.(document).text, "\n")
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintln(out, text)
	return err
}

// document lets cli-runtime's printers print a result, which is not a Kubernetes object.
type document struct{ *result }

// GetObjectKind returns a kind, because the printers refuse objects without one. The kind is not printed.
func (document) GetObjectKind() schema.ObjectKind {
	return &metav1.TypeMeta{APIVersion: "cli.reelops.dev/v1", Kind: "Result"}
}

// DeepCopyObject returns the document itself: printers do not change it.
func (d document) DeepCopyObject() runtime.Object { return d }

// MarshalJSON returns the fields.
func (d document) MarshalJSON() ([]byte, error) { return json.Marshal(d.fields) }
