// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/install/admission"
	"github.com/reelops/reelops/internal/kube/lease"
)

// kinds checks whether the cluster serves every kind in the version that this program uses.
func (p *patient) kinds(ctx context.Context) finding {
	release, err := admission.CRDs()
	if err != nil {
		return cannot(err)
	}
	var missing, old []string
	for _, d := range release {
		name, crd := d.Spec.Names.Plural, &unstructured.Unstructured{}
		crd.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
		err := p.client.Get(ctx, client.ObjectKey{Name: d.Name}, crd)
		switch {
		case apierrors.IsNotFound(err):
			missing = append(missing, name)
			continue
		case err != nil:
			return cannot(err)
		}
		versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
		if !slices.ContainsFunc(versions, func(v any) bool {
			m, _ := v.(map[string]any)
			return m["name"] == v1beta1.GroupVersion.Version && m["served"] == true
		}) {
			old = append(old, name)
		}
	}
	const apply = "apply config/crd, or helm upgrade with crds.enabled=true"
	switch {
	case len(missing) > 0:
		return wrong(bad, apply, "not installed: %s", strings.Join(missing, ", "))
	case len(old) > 0:
		return wrong(bad, apply, "not served as %s: %s", v1beta1.GroupVersion.Version, strings.Join(old, ", "))
	}
	return ok("all %d are served as %s", len(release), v1beta1.GroupVersion)
}

// skew is the accepted clock difference: platform rules and signatures have tolerances of minutes.
const skew = 30 * time.Second

func (p *patient) leader(ctx context.Context) finding {
	var l coordinationv1.Lease
	err := p.client.Get(ctx, client.ObjectKey{Namespace: p.systemNamespace, Name: lease.Manager}, &l)
	look := "check the pods and logs of the manager: kubectl -n " + p.systemNamespace + " get pods"
	switch {
	case apierrors.IsNotFound(err):
		return wrong(bad, look, "there is no leader: nothing is rendered or published")
	case err != nil:
		return cannot(err)
	case l.Spec.HolderIdentity == nil || *l.Spec.HolderIdentity == "" || l.Spec.RenewTime == nil:
		return wrong(bad, look, "no manager is the leader: nothing is rendered or published")
	}
	ago := p.now.Sub(l.Spec.RenewTime.Time)
	switch {
	case ago < -skew:
		return wrong(warning, "synchronize the clocks with NTP: signatures and the times of posts depend on them", "the leader's clock is %s ahead of this machine's", -ago.Round(time.Second))
	case ago > skew:
		return wrong(bad, look+"; or this machine's clock is ahead", "the leader last renewed its lease %s ago", ago.Round(time.Second))
	}
	return ok("%s is the leader, and its clock agrees with this machine's", *l.Spec.HolderIdentity)
}

// right is a permission that a program must have, or must not have.
type right struct {
	part, group, resource, sub, verb string
	may                              bool
}

// needed lists permissions that are required for basic function, and those that the front end must not have. `kubectl
// auth can-i --list` lists all of them.
var needed = []right{
	{"manager", "reelops.dev", "posts", "status", "patch", true},
	{"manager", "reelops.dev", "posts", "", "revise", true},
	{"manager", "reelops.dev", "slideshows", "status", "patch", true},
	{"manager", "batch", "jobs", "", "create", true},
	{"manager", "", "pods", "", "watch", true},
	{"apiserver", "reelops.dev", "slideshows", "", "create", true},
	{"apiserver", "reelops.dev", "renderjobs", "status", "patch", true},
	{"apiserver", "reelops.dev", "posts", "", "watch", true},
	{"apiserver", "", "secrets", "", "get", false},
	{"apiserver", "", "secrets", "", "list", false},
	{"apiserver", "reelops.dev", "posts", "", "revise", false},
	{"apiserver", "reelops.dev", "postbatches", "", "approve", false},
}

func (p *patient) rights(ctx context.Context) finding {
	for _, r := range needed {
		d := p.manager
		if r.part == "apiserver" {
			d = p.front
		}
		if d == nil {
			return p.notHere(r.part)
		}
		user := fmt.Sprintf("system:serviceaccount:%s:%s", p.systemNamespace, d.Spec.Template.Spec.ServiceAccountName)
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: user, Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + p.systemNamespace, "system:authenticated"},
			ResourceAttributes: &authorizationv1.ResourceAttributes{Group: r.group, Resource: r.resource, Subresource: r.sub, Verb: r.verb},
		}}
		if err := p.client.Create(ctx, review); err != nil {
			return cannot(err)
		}
		what := strings.TrimSuffix(r.verb+" "+r.resource+"/"+r.sub, "/")
		switch {
		case review.Status.Allowed && !r.may:
			return wrong(bad, "remove role bindings that grant more than config/rbac", "%s may %s, and must not", user, what)
		case !review.Status.Allowed && r.may:
			return wrong(bad, "apply config/rbac, or helm upgrade", "%s may not %s", user, what)
		}
	}
	return ok("both service accounts have the permissions they need; the reelops-apiserver can neither read Secrets nor replace the files of posts nor approve batches")
}

// policies checks whether the cluster enforces every admission policy of this release. They guard accounts, approvals,
// identifying labels and annotations, the content of posts, the manager's permissions, and the sign-in links and members
// of the console.
func (p *patient) policies(ctx context.Context) finding {
	var bindings admissionv1.ValidatingAdmissionPolicyBindingList
	if err := p.client.List(ctx, &bindings); err != nil {
		return cannot(err)
	}
	bound := map[string]bool{}
	for _, b := range bindings.Items {
		bound[b.Spec.PolicyName] = bound[b.Spec.PolicyName] || slices.Contains(b.Spec.ValidationActions, admissionv1.Deny)
	}
	release, err := admission.Policies()
	if err != nil {
		return cannot(err)
	}
	var missing []string
	for _, policy := range release {
		name := policy.Name
		err := p.client.Get(ctx, client.ObjectKey{Name: name}, &admissionv1.ValidatingAdmissionPolicy{})
		if client.IgnoreNotFound(err) != nil {
			return cannot(err)
		}
		if err != nil || !bound[name] {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return wrong(bad, "apply config/policy, or helm upgrade", "not in force: %s", strings.Join(missing, ", "))
	}
	return ok("all %d are in force", len(release))
}

func (p *patient) podSecurity(ctx context.Context) finding {
	var all corev1.NamespaceList
	if err := p.client.List(ctx, &all); err != nil {
		return cannot(err)
	}
	var accounts v1beta1.AccountList
	if err := p.client.List(ctx, &accounts); err != nil {
		return cannot(err)
	}
	ours := map[string]bool{p.systemNamespace: true}
	for _, a := range accounts.Items {
		ours[a.Namespace] = true
	}
	var open []string
	for _, n := range all.Items {
		if ours[n.Name] && n.Labels["pod-security.kubernetes.io/enforce"] != "restricted" {
			open = append(open, n.Name)
		}
	}
	if len(open) > 0 {
		return wrong(warning, "kubectl label namespace NAME pod-security.kubernetes.io/enforce=restricted", "not restricted%s", some(open))
	}
	return ok("restricted in %d namespaces", len(ours))
}

// longDeletion is how long a deletion may take: files are deleted first, and attempts at posts are resolved.
const longDeletion = 2 * time.Hour

func (p *patient) deletions(ctx context.Context) finding {
	var stuck []string
	for _, list := range []client.ObjectList{
		&v1beta1.SlideshowList{}, &v1beta1.VideoList{}, &v1beta1.RenderJobList{}, &v1beta1.MediaAssetList{}, &v1beta1.MusicTrackList{},
		&v1beta1.SocialAccountList{}, &v1beta1.PostBatchList{}, &v1beta1.PostList{}, &v1beta1.AccountAnalyticsList{},
	} {
		if err := p.each(ctx, list, func(o client.Object) {
			if at := o.GetDeletionTimestamp(); at != nil && p.now.Sub(at.Time) > longDeletion {
				stuck = append(stuck, fmt.Sprintf("%s/%s (%s)", o.GetNamespace(), o.GetName(), strings.Join(o.GetFinalizers(), ", ")))
			}
		}); err != nil {
			return cannot(err)
		}
	}
	if len(stuck) > 0 {
		return wrong(warning, "check the manager's log for the object; do not remove its finalizer, which leaves orphaned files or an unresolved post", "pending for more than two hours%s", some(stuck))
	}
	return ok("none is stuck")
}

func (p *patient) unknownPosts(ctx context.Context) finding {
	all := posts{Late: []string{}}
	if err := p.each(ctx, &v1beta1.PostList{}, func(o client.Object) { all.count(o.(*v1beta1.Post), o.GetNamespace()+"/"+o.GetName(), p.now) }); err != nil {
		return cannot(err)
	}
	switch {
	case len(all.Unknown) > 0:
		return wrong(warning, "see docs/operations/runbooks/ReelopsPostsUnknown.md; check the platform before you post them again", "unknown outcome%s", some(all.Unknown))
	case len(all.Late) > 0:
		return wrong(warning, "see docs/operations/runbooks/ReelopsPostsOverdue.md", "late%s", some(all.Late))
	}
	return ok("none is late or unknown")
}

// secret reads a Secret. missing reports whether the Secret does not exist.
func (p *patient) secret(ctx context.Context, name string) (s *corev1.Secret, missing bool, err error) {
	s = &corev1.Secret{}
	err = p.client.Get(ctx, client.ObjectKey{Namespace: p.systemNamespace, Name: name}, s)
	return s, apierrors.IsNotFound(err), client.IgnoreNotFound(err)
}
