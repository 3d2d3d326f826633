// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Policy returns the revision policy of a batch. The default is latest: the owner of a manifest expects the applied
// content to be published. For a batch with reserved post IDs the default is pinned: the front end created the batch,
// and posts that it accepted do not change.
func Policy(b *v1beta1.PostBatch) v1beta1.RevisionPolicy {
	reserved := slices.ContainsFunc(b.Spec.Accounts, func(t v1beta1.PostTarget) bool { return t.PostID != 0 })
	switch {
	case b.Spec.RevisionPolicy != "":
		return b.Spec.RevisionPolicy
	case reserved:
		return v1beta1.RevisionPinned
	}
	return v1beta1.RevisionLatest
}

// ofAccounts are the codes of issues of an account, which do not depend on the content that is published.
var ofAccounts = []catalog.Code{catalog.TokenExpired, catalog.PlatformNotConfigured, catalog.PlatformNotConnected, catalog.PlatformRateLimited}

// Moved returns the spec of a post of a batch with the current content of its short, or the issue if the platform would
// refuse that content. The settings are those that the post was created with: they replace the defaults of ask. It
// returns an equal spec if nothing changes.
func Moved(b *v1beta1.PostBatch, p *v1beta1.Post, c *Content, account *v1beta1.SocialAccount, ask Ask) (v1beta1.PostSpec, *Issue) {
	texts, settings := Own(b, p.Spec.Account)
	ask.Defaults = p.Spec.Settings
	v := judge(c, ask, Target{Platform: p.Spec.Platform, Account: account, Own: texts, Settings: settings})
	issues := slices.DeleteFunc(append(c.Problems(), v.Issues...), func(i Issue) bool { return slices.Contains(ofAccounts, i.Code) })
	if i := FirstError(issues); i != nil {
		return p.Spec, i
	}
	spec := *p.Spec.DeepCopy()
	spec.ShortID, spec.Revision = c.ShortID, c.Revision
	spec.Media, spec.Title, spec.Caption, spec.Tags, spec.Settings = v.Media, v.Texts.Title, v.Texts.Caption, v.Texts.Tags, v.Effective
	if equality.Semantic.DeepEqual(spec, p.Spec) {
		return p.Spec, nil
	}
	return spec, nil
}
