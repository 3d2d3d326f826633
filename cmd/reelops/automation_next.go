// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/build"
)

// maxNext is the maximum of --count.
const maxNext = 1000

// upcoming is the output of `automation next`.
type upcoming struct {
	Name     string         `json:"name"`
	Account  string         `json:"account,omitempty"`
	TimeZone string         `json:"timeZone"`
	Suspend  bool           `json:"suspend"`
	Times    []upcomingTime `json:"times"`
}

type upcomingTime struct {
	Local string `json:"local"`
	UTC   string `json:"utc"`
}

func newAutomationNextCommand(f *factory) *cobra.Command {
	var file string
	var count int
	c := &cobra.Command{
		Use: "next [NAME]", Short: "Show the next times at which an automation posts", Args: cobra.MaximumNArgs(1),
		Long: "Show the next times of an automation's schedule, in its time zone and in UTC. NAME is an automation in the cluster, or with -f one in\n" +
			"a file, where it is optional if the file has one automation. A file needs no cluster if its automation sets spec.timeZone; else the\n" +
			"time zone of its brand is read. Schedules, time zone, placeholders and feed filters are checked.",
		Example: examples("automation next daily-tip --account acme", "automation next -f automation.yaml --count 20"),
	}
	c.Flags().StringVarP(&file, "filename", "f", "", "File with the manifest of the automation; - is the standard input")
	c.Flags().IntVar(&count, "count", 5, fmt.Sprintf("Number of times, from 1 to %d", maxNext))
	completeFlag(c, "filename", cobra.FixedCompletions([]string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt))
	account := addAccount(f, c, "Account of the automation")
	c.ValidArgsFunction = firstArgument(account.automations())
	return prints(f, c, func(ctx context.Context, args []string) (*result, error) {
		name := strings.Join(args, "")
		switch {
		case count < 1 || count > maxNext:
			return nil, usagef("--count must be from 1 to %d", maxNext)
		case file == "" && name == "":
			return nil, usagef("give the NAME of an automation, or a file with -f")
		}
		x, brand, err := f.automationAndBrand(ctx, account, file, name)
		if err != nil {
			return nil, err
		}
		out, err := next(x, brand, time.Now(), count)
		if err != nil {
			return nil, fmt.Errorf("automation %q: %w", x.Name, err)
		}
		return &result{fields: out, text: out.String()}, nil
	})
}

// automationAndBrand returns an automation from a file or from the cluster, and its brand. The brand is empty if the
// automation comes from a file and sets its time zone.
func (f *factory) automationAndBrand(ctx context.Context, account *accountFlag, file, name string) (*v1beta1.Automation, *v1beta1.Brand, error) {
	x, brand := &v1beta1.Automation{}, &v1beta1.Brand{}
	in, err := account.given()
	if err != nil {
		return nil, nil, err
	}
	if file != "" {
		if x, err = f.automationIn(file, name); err != nil || x.Spec.TimeZone != "" {
			return x, brand, err
		}
		in = cmp.Or(in, x.Namespace)
	}
	if in == "" {
		if in, err = account.one(); err != nil {
			return nil, nil, err
		}
	}
	a, err := f.connect()
	if err != nil {
		return nil, nil, err
	}
	if file == "" {
		if x, err = a.automation(ctx, in, name); err != nil {
			return nil, nil, err
		}
	}
	err = a.mustExist(ctx, in, x.Spec.BrandRef.Name, brand,
		notFoundf("automation %q has no time zone: set spec.timeZone, or create its brand %q in the account %q", x.Name, x.Spec.BrandRef.Name, in))
	return x, brand, err
}

// automationIn returns the automation of a file that has the name, or the only one if the name is empty. An unknown
// field is an error.
func (f *factory) automationIn(file, name string) (*v1beta1.Automation, error) {
	from, err := f.open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = from.Close() }()
	var found []*v1beta1.Automation
	for documents := utilyaml.NewYAMLReader(bufio.NewReader(from)); ; {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		x := &v1beta1.Automation{}
		// Other kinds may be in the file.
		if err := yaml.Unmarshal(text, &x.TypeMeta); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		if x.Kind != "Automation" || x.APIVersion != v1beta1.GroupVersion.String() {
			continue
		}
		if err := yaml.UnmarshalStrict(text, x); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		if name == "" || name == x.Name {
			found = append(found, x)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0 && name != "":
		return nil, notFoundf("%s has no Automation %q of the version %s", file, name, v1beta1.GroupVersion)
	case len(found) == 0:
		return nil, notFoundf("%s has no Automation of the version %s", file, v1beta1.GroupVersion)
	}
	return nil, usagef("%s has %d Automations: give the NAME of one", file, len(found))
}

// next returns the next times of an automation after now. Times from spec.stop.at on are omitted.
func next(x *v1beta1.Automation, brand *v1beta1.Brand, now time.Time, count int) (*upcoming, error) {
	s, err := build.Schedule(x, brand)
	if err != nil {
		return nil, err
	}
	if err := build.Check(x); err != nil {
		return nil, err
	}
	out := &upcoming{
		Name: x.Name, Account: x.Namespace, TimeZone: cmp.Or(build.Zone(x, brand), "UTC"), Suspend: x.Spec.Suspend, Times: []upcomingTime{},
	}
	for _, t := range s.Next(now, count) {
		if stop := x.Spec.Stop; stop != nil && stop.At != nil && !t.Before(stop.At.Time) {
			break
		}
		out.Times = append(out.Times, upcomingTime{Local: t.Format(time.RFC3339), UTC: t.UTC().Format(time.RFC3339)})
	}
	return out, nil
}

// String returns the times as text, one in a line.
func (u *upcoming) String() string {
	var b strings.Builder
	for _, t := range u.Times {
		local, _ := time.Parse(time.RFC3339, t.Local)
		fmt.Fprintf(&b, "%s %s   %s\n", local.Format("Mon"), t.Local, t.UTC)
	}
	switch {
	case len(u.Times) == 0:
		b.WriteString("no time is ahead: spec.stop.at has passed, or the schedule has no time before it\n")
	case u.Suspend:
		b.WriteString("the automation is paused: none of these times starts a run\n")
	}
	return b.String()
}
