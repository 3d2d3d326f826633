// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/consolelink"
)

// urlVariable is the environment variable with the public URL of the installation, as in the guides.
const urlVariable = "REELOPS_URL"

func newConsoleCommand(f *factory) *cobra.Command {
	c := &cobra.Command{
		Use: "console", Short: "Print a link that signs you in to the console, once", Args: cobra.NoArgs,
		Long: fmt.Sprintf("Print a link that signs you in to the console as your Kubernetes user. "+
			"The link works once, for %d minutes. Anyone who opens it first acts as you: do not pass it on.\n"+
			"The session begins in the account. You need the role reelops-viewer, or another one of Reelops, in its namespace.",
			int(v1beta1.ConsoleLinkTime/time.Minute)),
		Example: examples("console --account acme", "console -n acme --url https://reelops.example",
			"console -n acme -o jsonpath='{.url}'"),
	}
	account := addAccount(f, c, "Account in which the session begins")
	var base string
	c.Flags().StringVar(&base, "url", "", "Public URL of the installation; default: $"+urlVariable+", "+
		"else --base-url of the reelops-apiserver, if the user may list its Deployment")
	return printsResult(f, c, func(ctx context.Context, a *admin, _ []string) (*result, error) {
		in, err := account.one()
		if err != nil {
			return nil, err
		}
		if base == "" {
			base = os.Getenv(urlVariable)
		}
		if base == "" {
			if base, err = a.baseURL(ctx); err != nil {
				return nil, err
			}
		}
		if u, err := url.Parse(base); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return nil, usagef("--url: %q is not a URL such as https://reelops.example", base)
		}
		return a.consoleLink(ctx, in, base)
	})
}

// consoleLink creates a link to the console for the user of the connection.
func (a *admin) consoleLink(ctx context.Context, account, base string) (*result, error) {
	// The name and the groups have to be those of the request: the admission policy compares them.
	me := &authenticationv1.SelfSubjectReview{}
	if err := a.client.Create(ctx, me); err != nil {
		return nil, fmt.Errorf("reading your user name and groups: %w", err)
	}
	now := me.CreationTimestamp.Time // of the API server, which checks the expiry
	if now.IsZero() {
		now = time.Now()
	}
	l, token := consolelink.New(account, me.Status.UserInfo, now)
	err := a.client.Create(ctx, l)
	switch {
	case apierrors.IsNotFound(err) && !isNoResource(err):
		return nil, notFoundf("there is no account %q: `account list` shows the accounts", account)
	case apierrors.IsForbidden(err):
		return nil, fmt.Errorf("creating a link needs a role of Reelops in the namespace %q, such as reelops-viewer: %w",
			account, err)
	case err != nil:
		return nil, err
	}
	link := consolelink.URL(base, token)
	until := l.Spec.ExpiresAt.UTC().Format(time.RFC3339)
	return &result{
		object: l, fields: map[string]any{
			"url": link, "account": account, "user": me.Status.UserInfo.Username,
			"expires_at": until,
		},
		text: fmt.Sprintf("%s\n\nThe link signs you in as %s, once, until %s.\n", link, me.Status.UserInfo.Username, until),
	}, nil
}

// errNoBaseURL means that the installation does not show its public URL.
var errNoBaseURL = errors.New(
	"the public URL of the installation is not in a Deployment of the system namespace: give it with --url")

// baseURL returns the public URL of the installation, from the Deployment of the front end.
func (a *admin) baseURL(ctx context.Context) (string, error) {
	programs, err := a.programsHere(ctx)
	if apierrors.IsForbidden(err) {
		return "", errNoBaseURL
	}
	if err != nil {
		return "", err
	}
	for i := range programs {
		if programs[i].Labels[labelPart] != "apiserver" {
			continue
		}
		if base := setting(&programs[i], "base-url"); base != "" && base != "(set)" {
			return base, nil
		}
	}
	return "", errNoBaseURL
}
