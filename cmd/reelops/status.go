// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/lease"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/social/posting"
)

func newStatusCommand(f *factory) *cobra.Command {
	c := &cobra.Command{
		Use: "status", Short: "Show the state of the installation and its accounts on one screen", Args: cobra.NoArgs,
		Long:    "Show the state of the installation and its accounts on one screen. An account that does not exist is an error.",
		Example: examples("status", "status --account acme", "status -o jsonpath='{.posts.late}'"),
	}
	account := addAccounts(f, c)
	return printsResult(f, c, func(ctx context.Context, a *admin, _ []string) (*result, error) {
		in, err := account.given()
		if err != nil {
			return nil, err
		}
		o, err := a.overview(ctx, in, time.Now())
		if err != nil {
			return nil, err
		}
		return &result{fields: o, text: o.String()}, nil
	})
}

// overview is the output of `status`.
type overview struct {
	Programs    []program      `json:"programs"`
	Leader      leader         `json:"leader"`
	Accounts    int            `json:"accounts"`
	Shorts      map[string]int `json:"shorts"`
	Renders     renders        `json:"renders"`
	Posts       posts          `json:"posts"`
	Connections connections    `json:"connections"`
	// Limited lists accounts whose plan is used up.
	Limited []string `json:"limited"`
	Store   string   `json:"store"`
	Ceiling string   `json:"ceilings"`
}

type program struct {
	Name   string `json:"name"`
	Image  string `json:"image"`
	Ready  int32  `json:"ready"`
	Wanted int32  `json:"wanted"`
}

type leader struct {
	Name string `json:"name"`
	// SecondsAgo is the time since the last renewal.
	SecondsAgo int64 `json:"seconds_ago"`
}

type renders struct {
	Waiting        int   `json:"waiting"`
	Running        int   `json:"running"`
	FailedLastHour int   `json:"failed_last_hour"`
	OldestWait     int64 `json:"oldest_wait_seconds"`
}

type posts struct {
	Scheduled      int      `json:"scheduled"`
	Held           int      `json:"held"`
	Due            int      `json:"due"`
	Late           []string `json:"late"`
	Unknown        []string `json:"unknown"`
	FailedLastHour int      `json:"failed_last_hour"`
	// NotCurrent are PostBatches whose condition ContentCurrent is false.
	NotCurrent []string `json:"content_not_current"`
}

type connections struct {
	Ready    int      `json:"ready"`
	Somebody []string `json:"need_somebody"`
}

// overview reads the cluster. An empty account selects all accounts; an account that does not exist is an error.
func (a *admin) overview(ctx context.Context, account string, now time.Time) (*overview, error) {
	o := &overview{Programs: []program{}, Shorts: map[string]int{}, Limited: []string{}, Store: "unknown", Ceiling: "unknown"}
	o.Posts.Late, o.Posts.Unknown, o.Posts.NotCurrent, o.Connections.Somebody = []string{}, []string{}, []string{}, []string{}
	programs, err := a.programsHere(ctx)
	if err != nil {
		return nil, err
	}
	for i := range programs {
		d := &programs[i]
		p := program{Name: d.Labels[labelPart], Ready: d.Status.ReadyReplicas, Wanted: 1, Image: containerOf(d).Image}
		if d.Spec.Replicas != nil {
			p.Wanted = *d.Spec.Replicas
		}
		o.Programs = append(o.Programs, p)
		if p.Name == "apiserver" {
			o.Store, o.Ceiling = storeOf(d), "counted by each replica separately"
			if setting(d, "redis-url") != "" {
				o.Ceiling = "shared in Redis"
			}
		}
	}
	var l coordinationv1.Lease
	if err := a.client.Get(ctx, client.ObjectKey{Namespace: a.systemNamespace, Name: lease.Manager}, &l); client.IgnoreNotFound(err) != nil {
		return nil, err
	} else if err == nil && l.Spec.HolderIdentity != nil && l.Spec.RenewTime != nil {
		o.Leader = leader{*l.Spec.HolderIdentity, int64(now.Sub(l.Spec.RenewTime.Time).Seconds())}
	}
	for _, list := range []client.ObjectList{
		&v1beta1.AccountList{}, &v1beta1.SlideshowList{}, &v1beta1.VideoList{}, &v1beta1.RenderJobList{}, &v1beta1.PostBatchList{}, &v1beta1.PostList{},
		&v1beta1.SocialAccountList{},
	} {
		if err := a.each(ctx, list, func(x client.Object) { o.count(x, now) }, client.InNamespace(account)); err != nil {
			return nil, err
		}
	}
	if account != "" && o.Accounts == 0 {
		return nil, a.accountMustExist(ctx, account)
	}
	return o, nil
}

// count adds an object to the overview.
func (o *overview) count(x client.Object, now time.Time) {
	name := x.GetNamespace() + "/" + x.GetName()
	switch x := x.(type) {
	case *v1beta1.Account:
		o.Accounts++
		if c := meta.FindStatusCondition(x.Status.Conditions, string(v1beta1.ConditionReady)); c != nil && c.Reason == string(v1beta1.ReasonQuotaExceeded) {
			o.Limited = append(o.Limited, x.Namespace)
		}
	case *v1beta1.Slideshow, *v1beta1.Video:
		state := "waiting"
		if _, w := status.WorkOf(x); w != nil {
			state = string(w.State)
		}
		o.Shorts[state]++
	case *v1beta1.RenderJob:
		w := x.Status.Work
		switch {
		case w != nil && w.State == v1beta1.WorkFailed && w.FinishedAt != nil && now.Sub(w.FinishedAt.Time) < time.Hour:
			o.Renders.FailedLastHour++
		case w != nil && w.State == v1beta1.WorkProcessing:
			o.Renders.Running++
		case w == nil || w.State == v1beta1.WorkQueued:
			o.Renders.Waiting++
			o.Renders.OldestWait = max(o.Renders.OldestWait, int64(now.Sub(x.CreationTimestamp.Time).Seconds()))
		}
	case *v1beta1.PostBatch:
		if contentNotCurrent(x) != nil {
			o.Posts.NotCurrent = append(o.Posts.NotCurrent, name)
		}
	case *v1beta1.Post:
		o.Posts.count(x, name, now)
	case *v1beta1.SocialAccount:
		if x.Status.TokenStatus == v1beta1.TokenActive {
			o.Connections.Ready++
		} else {
			state := string(x.Status.TokenStatus)
			if state == "" {
				state = "not checked yet"
			}
			o.Connections.Somebody = append(o.Connections.Somebody, fmt.Sprintf("%s (%s, %s)", name, x.Spec.Platform, state))
		}
	}
}

func (p *posts) count(x *v1beta1.Post, name string, now time.Time) {
	s := &x.Status
	next, waits := posting.NextCall(x)
	switch {
	case s.State == v1beta1.PostFailed && s.FinishedAt != nil && now.Sub(s.FinishedAt.Time) < time.Hour:
		p.FailedLastHour++
	case s.State.Final():
	case len(s.Attempts) > 0 && s.Attempts[len(s.Attempts)-1].State == v1beta1.AttemptUnknown:
		p.Unknown = append(p.Unknown, name)
	case s.State == v1beta1.PostHeld:
		p.Held++
	case !waits:
		p.Due++
	case next.After(now):
		p.Scheduled++
	case now.Sub(next) > posting.OverdueAfter:
		p.Late = append(p.Late, name)
	default:
		p.Due++
	}
}

// some returns the first three names of a list and the number of the others.
func some(names []string) string {
	const most = 3
	if len(names) == 0 {
		return ""
	}
	text := ": " + strings.Join(names[:min(len(names), most)], ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// String returns the overview as text.
func (o *overview) String() string {
	var b strings.Builder
	line := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "%-13s%s\n", what, fmt.Sprintf(format, args...))
	}
	for _, p := range o.Programs {
		mark := ""
		if p.Ready < p.Wanted {
			mark = "   <- not all are ready"
		}
		line(p.Name, "%d of %d ready   %s%s", p.Ready, p.Wanted, p.Image, mark)
	}
	if len(o.Programs) == 0 {
		line("programs", "none in this cluster   <- see `kubectl reelops doctor`")
	}
	switch {
	case o.Leader.Name == "" && len(o.Programs) == 0:
		line("leader", "none found in this cluster")
	case o.Leader.Name == "":
		line("leader", "none   <- nothing is rendered or published")
	case o.Leader.SecondsAgo > 15:
		line("leader", "%s, lease not renewed for %s   <- nothing is rendered or published", o.Leader.Name, time.Duration(o.Leader.SecondsAgo)*time.Second)
	default:
		line("leader", "%s", o.Leader.Name)
	}
	line("store", "%s", o.Store)
	line("rate limits", "%s", o.Ceiling)
	line("accounts", "%d, of which %d have no quota left%s", o.Accounts, len(o.Limited), some(o.Limited))
	var states []string
	total := 0
	for state, n := range o.Shorts {
		states, total = append(states, fmt.Sprintf("%d %s", n, state)), total+n
	}
	slices.Sort(states)
	line("shorts", "%d%s", total, all(states))
	line("renders", "%d waiting, %d running, %d failed in the last hour", o.Renders.Waiting, o.Renders.Running, o.Renders.FailedLastHour)
	if o.Renders.OldestWait > 60 {
		line("", "the oldest has waited for %s", time.Duration(o.Renders.OldestWait)*time.Second)
	}
	line("posts", "%d scheduled, %d held, %d being published, %d failed in the last hour", o.Posts.Scheduled, o.Posts.Held, o.Posts.Due, o.Posts.FailedLastHour)
	line("", "%d late%s", len(o.Posts.Late), some(o.Posts.Late))
	line("", "%d with an unknown outcome%s", len(o.Posts.Unknown), some(o.Posts.Unknown))
	if n := len(o.Posts.NotCurrent); n > 0 {
		line("", "%d batches that do not publish the newest revision of their short%s", n, some(o.Posts.NotCurrent))
	}
	line("connections", "%d ready, %d need action by a user%s", o.Connections.Ready, len(o.Connections.Somebody), some(o.Connections.Somebody))
	return b.String()
}

// all returns all names of a list.
func all(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}
