// SPDX-License-Identifier: Apache-2.0

package video

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/film/shortwork"
)

// observed is the input of a decision. A nil pointer means that the object does not exist.
type observed struct {
	account *v1beta1.Account
	brand   *v1beta1.Brand
	// closed is the reason why the namespace is not served; nil if it is served. It is read only while the work is not
	// settled.
	closed *tenancy.Closed
	// clips that the spec requests: the avatar, then the demos.
	clips []source
	// render is the RenderJob of the video.
	render *v1beta1.RenderJob
	// foreign is the message about an object of another owner that has a name that the video needs; empty for none.
	foreign string
	// service reports whether there is a speech service.
	service bool
}

// observe reads the input of a decision. It writes nothing.
func (r *Reconciler) observe(ctx context.Context, v *v1beta1.Video) (*observed, error) {
	o := &observed{service: r.Speaker != nil}
	var err error
	if o.brand, err = shortwork.Get(ctx, r.Client, v.Namespace, v.Spec.BrandRef.Name, &v1beta1.Brand{}); err != nil {
		return nil, err
	}
	// An exhausted plan fails the work permanently. The account is therefore read from the API server: the cache may not
	// have the reservation of this video yet.
	var accounts client.Reader = r.Client
	if !ledger.IsCommitted(v) {
		accounts = r.Live
	}
	if o.account, err = shortwork.Get(ctx, accounts, v.Namespace, v1beta1.AccountName, &v1beta1.Account{}); err != nil {
		return nil, err
	}
	if o.account != nil && (v.Status.Work == nil || !v.Status.Work.State.Settled() || retried(v)) {
		if o.closed, err = r.Gate.Check(ctx, v.Namespace); err != nil {
			return nil, err
		}
	}
	for _, s := range sources(v, r.Library) {
		if s.asset, err = shortwork.Get(ctx, r.Client, s.key.Namespace, s.key.Name, &v1beta1.MediaAsset{}); err != nil {
			return nil, err
		}
		if s.own && s.asset != nil && !metav1.IsControlledBy(s.asset, v) {
			o.foreign = fmt.Sprintf("The name %q is used by a MediaAsset that does not belong to this Video", s.key.Name)
		}
		o.clips = append(o.clips, s)
	}
	o.render, err = shortwork.Get(ctx, r.Client, v.Namespace, renders.NameOfVideo(v), &v1beta1.RenderJob{})
	if o.render != nil && !metav1.IsControlledBy(o.render, v) {
		o.foreign, o.render = fmt.Sprintf("The name %q is used by a RenderJob that does not belong to this Video", o.render.Name), nil
	}
	return o, err
}
