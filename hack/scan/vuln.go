// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/vuln/scan"
)

// reachTime is the timeout of the check whether the database is reachable.
const reachTime = 10 * time.Second

// lookForVulnerabilities runs govulncheck over the module in the folder root. If the database cannot be reached, ran is
// false and a message is printed.
func lookForVulnerabilities(ctx context.Context, out io.Writer, root, db string) (found []finding, ran bool, err error) {
	if db == "none" {
		fmt.Fprintln(out, "govulncheck: LEFT OUT, as was asked for")
		return nil, false, nil
	}
	if strings.HasPrefix(db, "http") {
		if err := reach(ctx, db); err != nil {
			fmt.Fprintf(out, "govulncheck: NOT RUN, its database %s cannot be reached from here (%v). Where it can, this runs it; -vulndb names a copy\n", db, err)
			return nil, false, nil
		}
	}
	var doc, problem bytes.Buffer
	cmd := scan.Command(ctx, "-C", root, "-db", db, "-format", "json", "./...")
	cmd.Stdout, cmd.Stderr = &doc, &problem
	if err := errors.Join(cmd.Start(), cmd.Wait()); err != nil {
		return nil, false, fmt.Errorf("%w: %s", err, problem.String())
	}
	found, err = calls(&doc)
	fmt.Fprintf(out, "govulncheck with %s: %d findings\n", db, len(found))
	return found, err == nil, err
}

func reach(ctx context.Context, db string) error {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(db, "/")+"/index/db.json", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	return nil
}

// calls parses the output of govulncheck and returns the vulnerable functions that the code calls. Uncalled functions
// are left out.
func calls(r io.Reader) (out []finding, err error) {
	seen := map[string]bool{}
	for dec := json.NewDecoder(r); ; {
		var m struct {
			Finding *struct {
				OSV   string `json:"osv"`
				Fixed string `json:"fixed_version"`
				Trace []struct {
					Module   string `json:"module"`
					Version  string `json:"version"`
					Package  string `json:"package"`
					Function string `json:"function"`
				} `json:"trace"`
			} `json:"finding"`
		}
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		f := m.Finding
		if f == nil || len(f.Trace) == 0 || f.Trace[0].Function == "" || seen[f.OSV+f.Trace[0].Module] {
			continue
		}
		seen[f.OSV+f.Trace[0].Module] = true
		t := f.Trace[0]
		out = append(out, finding{f.OSV, t.Module, t.Version, fmt.Sprintf("%s.%s is called; mended in %s", t.Package, t.Function, f.Fixed)})
	}
}
