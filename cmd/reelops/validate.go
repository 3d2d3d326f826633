// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/install/admission"
)

func newValidateCommand(f *factory) *cobra.Command {
	var files []string
	var approver bool
	c := &cobra.Command{
		Use: "validate -f FILE", Short: "Check manifests without a cluster", Args: cobra.NoArgs,
		Long: "Check manifests by the CRDs and admission policies of this release, without a cluster, for example in the checks of a pull request.\n" +
			"An API server with this release gives the same answers with strict field validation. What depends on other objects is not checked:\n" +
			"names that a manifest refers to, quotas, and changes of existing objects. Objects of other API groups are skipped.\n\n" +
			"Folders are read with their subfolders: files with the ending .yaml, .yml or .json, except kustomization files. The exit code is 1 if\n" +
			"an object would be rejected.",
		Example: examples("validate -f config/samples", "validate -f posts.yaml -f brand.yaml -o json", "validate -f - --approver < batch.yaml"),
	}
	c.Flags().StringSliceVarP(&files, "filename", "f", nil, "File or folder with manifests, or - for the standard input")
	c.Flags().BoolVar(&approver, "approver", false, "The user who applies the manifests may approve posts (role reelops-approver)")
	_ = c.MarkFlagRequired("filename")
	return prints(f, c, func(ctx context.Context, _ []string) (*result, error) {
		rules, err := admission.New()
		if err != nil {
			return nil, err
		}
		namespace, _, err := f.config.ToRawKubeConfigLoader().Namespace()
		if err != nil {
			return nil, err
		}
		v := &validation{rules: rules, namespace: namespace, approver: approver, Faults: []manifestFault{}}
		infos, err := manifests(files)
		if err != nil {
			return nil, err
		}
		for _, info := range infos {
			if err := v.check(ctx, info); err != nil {
				return nil, err
			}
		}
		return v.result()
	})
}

// validation is the output of `validate`.
type validation struct {
	rules *admission.Rules
	// namespace is that of objects without one: of --namespace or the kubeconfig.
	namespace string
	approver  bool

	Valid   int             `json:"valid"`
	Skipped int             `json:"skipped"`
	Faults  []manifestFault `json:"faults"`
}

// manifestFault is a reason why an object would be rejected.
type manifestFault struct {
	File    string `json:"file"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Message string `json:"message"`
}

// check checks one object of a file.
func (v *validation) check(ctx context.Context, info *resource.Info) error {
	o, ok := info.Object.(*unstructured.Unstructured)
	if !ok {
		return fmt.Errorf("%s: %T is not an object", info.Source, info.Object)
	}
	if o.GroupVersionKind().Group != v1beta1.GroupVersion.Group {
		v.Skipped++
		return nil
	}
	if o.GetNamespace() == "" {
		o.SetNamespace(v.namespace)
	}
	err := v.rules.Check(ctx, o, v.approver)
	if err == nil {
		v.Valid++
		return nil
	}
	name := o.GetName()
	if name == "" {
		name = o.GetGenerateName()
	}
	v.Faults = append(v.Faults, manifestFault{File: info.Source, Kind: o.GetKind(), Name: name, Message: err.Error()})
	return nil
}

func (v *validation) result() (*result, error) {
	if len(v.Faults) == 0 {
		return &result{fields: v, text: fmt.Sprintf("%d objects are valid, %d of other API groups were skipped", v.Valid, v.Skipped)}, nil
	}
	var lines []string
	for _, f := range v.Faults {
		lines = append(lines, fmt.Sprintf("%s: %s/%s: %s", f.File, f.Kind, f.Name, f.Message))
	}
	return &result{fields: v, text: strings.Join(lines, "\n")}, fmt.Errorf("%d of %d objects would be rejected", len(v.Faults), len(v.Faults)+v.Valid)
}

// manifests reads the objects of files and folders.
func manifests(paths []string) ([]*resource.Info, error) {
	var files []string
	for _, path := range paths {
		in, err := manifestFiles(path)
		if err != nil {
			return nil, err
		}
		files = append(files, in...)
	}
	if len(files) == 0 {
		return nil, errors.New("no manifests: folders need files with the ending .yaml, .yml or .json")
	}
	infos, err := resource.NewLocalBuilder().Unstructured().Local().ContinueOnError().
		FilenameParam(false, &resource.FilenameOptions{Filenames: files}).Flatten().Do().Infos()
	return infos, utilerrors.Reduce(err)
}

// manifestFiles returns the manifests in a folder; a file, an URL and - are returned as they are.
func manifestFiles(path string) (out []string, err error) {
	if path == "-" || strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "http://") {
		return []string{path}, nil
	}
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != path && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir // .git, .github
		case d.IsDir() || file != path && !isManifest(d.Name()):
			return nil
		}
		out = append(out, file)
		return nil
	})
	return out, err
}

func isManifest(name string) bool {
	ending := filepath.Ext(name)
	return slices.Contains([]string{".yaml", ".yml", ".json"}, ending) && strings.TrimSuffix(name, ending) != "kustomization"
}
