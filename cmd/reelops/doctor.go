// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/kubernetes"
)

// verdict is the result of a check.
type verdict string

const (
	good verdict = "ok"
	// warning means that the check passed, but an operator should look at the finding.
	warning verdict = "warning"
	bad     verdict = "failed"
	// skipped means that the check could not run with the available permissions or network access.
	skipped verdict = "skipped"
)

// finding is the outcome of a check.
type finding struct {
	Check   string  `json:"check"`
	Verdict verdict `json:"verdict"`
	Says    string  `json:"says"`
	// Do is the remedy.
	Do string `json:"do,omitempty"`
}

// patient is the installation that the checks examine.
type patient struct {
	*admin
	now time.Time
	// manager and front are nil if their Deployments do not exist. unseen is the error if the Deployments could not be
	// listed.
	manager, front *appsv1.Deployment
	unseen         error
	// proxyGet sends a GET request to a Service of the installation through the API server.
	proxyGet func(ctx context.Context, service, port, path string) (string, error)
}

func newDoctorCommand(f *factory) *cobra.Command {
	c := forInstallation(&cobra.Command{
		Use: "doctor", Short: "Diagnose the installation and show remedies", Args: cobra.NoArgs,
		Long:    "Diagnose the installation and show remedies. Nothing is changed. The exit code is 1 if a check failed.",
		Example: examples("doctor", "doctor -o json | jq '.findings[] | select(.verdict != \"ok\")'"),
	})
	return printsResult(f, c, func(ctx context.Context, a *admin, _ []string) (*result, error) {
		p := &patient{admin: a, now: time.Now(), proxyGet: f.proxyGet}
		found := p.examine(ctx)
		return &result{fields: map[string]any{"findings": found}, text: report(found)}, failures(found)
	})
}

// failures returns an error if a check failed or no check could run.
func failures(found []finding) error {
	n := map[verdict]int{}
	for _, f := range found {
		n[f.Verdict]++
	}
	switch {
	case n[bad] > 0:
		return fmt.Errorf("failed checks: %d", n[bad])
	case n[skipped] == len(found):
		return errors.New("no check could run")
	}
	return nil
}

// checks in the order of the report. They are independent: a check that cannot run is reported as skipped.
var checks = []struct {
	name string
	look func(*patient, context.Context) finding
}{
	{"kinds", (*patient).kinds},
	{"programs", (*patient).programs},
	{"leader and clocks", (*patient).leader},
	{"rights", (*patient).rights},
	{"admission policies", (*patient).policies},
	{"keys", (*patient).keys},
	{"the same keys in both", (*patient).sameKeys},
	{"the same store in both", (*patient).sameStore},
	{"front end and store", (*patient).serves},
	{"callback", (*patient).callback},
	{"renderer", (*patient).renderer},
	{"platforms", (*patient).platforms},
	{"ceilings", (*patient).ceilings},
	{"pod security", (*patient).podSecurity},
	{"deletions", (*patient).deletions},
	{"posts", (*patient).unknownPosts},
}

func (p *patient) examine(ctx context.Context) []finding {
	programs, err := p.programsHere(ctx)
	p.unseen = err
	for i := range programs {
		switch d := &programs[i]; d.Labels[labelPart] {
		case "manager":
			p.manager = d
		case "apiserver":
			p.front = d
		}
	}
	var out []finding
	for _, c := range checks {
		ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
		f := c.look(p, ctx)
		cancel()
		f.Check = c.name
		out = append(out, f)
	}
	return out
}

// proxyGet sends a GET request to a Service through the API server's proxy, with the user's own permissions.
func (f *factory) proxyGet(ctx context.Context, service, port, path string) (string, error) {
	config, err := f.restConfig()
	if err != nil {
		return "", err
	}
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		return "", err
	}
	said, err := c.CoreV1().Services(f.systemNamespace).ProxyGet("http", service, port, path, nil).DoRaw(ctx)
	return string(said), err
}

var marks = map[verdict]string{good: "ok     ", warning: "WARNING", bad: "FAILED ", skipped: "skipped"}

// report returns the findings as text.
func report(found []finding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s  %-22s  %s\n", marks[f.Verdict], f.Check, f.Says)
		if f.Do != "" {
			fmt.Fprintf(&b, "%33s-> %s\n", "", f.Do)
		}
	}
	return b.String()
}

func ok(format string, args ...any) finding {
	return finding{Verdict: good, Says: fmt.Sprintf(format, args...)}
}

func wrong(v verdict, do, format string, args ...any) finding {
	return finding{Verdict: v, Says: fmt.Sprintf(format, args...), Do: do}
}

func cannot(err error) finding {
	return finding{Verdict: skipped, Says: "check could not run: " + err.Error()}
}
