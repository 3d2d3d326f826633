// SPDX-License-Identifier: Apache-2.0

package pinned

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
)

// Marks is the prefix of all marks. The key of a mark is Marks + NAMESPACE/KIND/ORIGIN for files below KIND/NAMESPACE/ORIGIN/.
const Marks = "pinned/"

// Store is the part of a blob store that the package uses.
type Store interface {
	Put(ctx context.Context, key, contentType string, r io.Reader) error
	Exists(ctx context.Context, key string) (bool, error)
	Walk(ctx context.Context, prefix string, f func(blob.Object) error) error
	Delete(ctx context.Context, key string) error
	DeletePrefix(ctx context.Context, prefix string) error
}

// Keys returns the keys of the files that a post publishes; none after the post has ended.
func Keys(p *v1beta1.Post) []string {
	if p.Status.State.Final() {
		return nil
	}
	return files(&p.Spec.Media)
}

// accepted returns the keys of the files of posts that a batch has accepted and that are not created yet.
func accepted(b *v1beta1.PostBatch) []string {
	if len(b.Status.Targets) > 0 || !b.DeletionTimestamp.IsZero() {
		return nil // the posts exist, or never will
	}
	var keys []string
	for i := range b.Spec.Accounts {
		if a := b.Spec.Accounts[i].Accepted; a != nil {
			keys = append(keys, files(&a.Media)...)
		}
	}
	return keys
}

func files(m *v1beta1.PostMedia) []string {
	keys := append([]string(nil), m.PhotoKeys...)
	if m.VideoKey != "" {
		keys = append(keys, m.VideoKey)
	}
	if m.Cover != nil && m.Cover.ImageKey != "" {
		keys = append(keys, m.Cover.ImageKey)
	}
	return keys
}

// Prefix returns the prefix of the object that stored a key, KIND/NAMESPACE/ORIGIN/; "" for a key of another form.
func Prefix(key string) string {
	parts := strings.SplitN(key, "/", 4)
	if len(parts) < 4 {
		return ""
	}
	return strings.Join(parts[:3], "/") + "/"
}

// Short identifies the short of an object whose files are removed. Its posts and batches are also read from the API
// server, because a post that was created a moment before the deletion may be missing from the cache.
type Short struct {
	// Live reads the API server; nil reads only the cache.
	Live client.Reader
	// ID is the value of the label reelops.dev/short. If it is empty, all posts and batches of the namespace are read: any
	// post can have a media item as cover.
	ID string
}

// RemoveAll deletes all files of an object whose record is being deleted, except those that an open post of its
// namespace names. An object of a kind that stores no files has none. live reads the API server, for posts that the
// cache does not have yet; nil reads only the cache.
func RemoveAll(ctx context.Context, c client.Reader, s Store, o client.Object, live client.Reader) error {
	below := "/" + o.GetNamespace() + "/" + string(v1beta1.Origin(o)) + "/"
	orders := "media" + below // of the Jobs of a short
	switch o := o.(type) {
	case *v1beta1.Slideshow:
		if o.Status.SpeechAttempt > 0 {
			if err := s.DeletePrefix(ctx, orders); err != nil {
				return err
			}
		}
		return Remove(ctx, c, s, "shorts"+below, Short{Live: live, ID: o.Labels[v1beta1.LabelID]})
	case *v1beta1.Video:
		if err := s.DeletePrefix(ctx, orders); err != nil {
			return err
		}
		return Remove(ctx, c, s, "videos"+below, Short{Live: live, ID: o.Labels[v1beta1.LabelID]})
	case *v1beta1.RenderJob:
		return Remove(ctx, c, s, "renders"+below, Short{Live: live, ID: o.Labels[v1beta1.LabelShort]})
	case *v1beta1.MediaAsset:
		return Remove(ctx, c, s, "media"+below, Short{Live: live})
	case *v1beta1.MusicTrack: // posts name no files of tracks
		return Remove(ctx, c, s, "media"+below, Short{})
	}
	return nil
}

// Remove deletes the files below the prefix of an object that is being deleted, except those that an open post of its
// namespace names. of is the short of the object.
func Remove(ctx context.Context, c client.Reader, s Store, prefix string, of Short) error {
	kept, err := named(ctx, c, prefix)
	if err == nil && of.Live != nil {
		which := client.MatchingLabels{}
		if of.ID != "" {
			which[v1beta1.LabelShort] = of.ID
		}
		err = add(ctx, kept, of.Live, prefix, which)
	}
	if err != nil {
		return err
	}
	if len(kept) == 0 {
		return s.DeletePrefix(ctx, prefix)
	}
	if err := s.Put(ctx, mark(prefix), "text/plain", strings.NewReader(prefix)); err != nil {
		return fmt.Errorf("marking pinned files: %w", err)
	}
	return drop(ctx, s, prefix, kept)
}

// Collect deletes the files below a marked prefix that no open post names, and the mark with the last of them. Without a mark it does
// nothing: the object still owns its files.
func Collect(ctx context.Context, c client.Reader, s Store, prefix string) error {
	marked, err := s.Exists(ctx, mark(prefix))
	if err != nil || !marked {
		return err
	}
	owned, err := owned(ctx, c, prefix)
	if err != nil {
		return err
	}
	if owned {
		return s.Delete(ctx, mark(prefix))
	}
	return collect(ctx, c, s, prefix)
}

// CollectAll collects every marked prefix. A failure for one does not keep it from the others.
func CollectAll(ctx context.Context, c client.Reader, s Store) error {
	var failed []error
	err := s.Walk(ctx, Marks, func(o blob.Object) error {
		if err := Collect(ctx, c, s, prefixOf(o.Key)); err != nil {
			failed = append(failed, err)
		}
		return ctx.Err()
	})
	return errors.Join(append(failed, err)...)
}

// collect deletes what no open post names. It lists the posts itself: one may have ended since its caller did.
func collect(ctx context.Context, c client.Reader, s Store, prefix string) error {
	kept, err := named(ctx, c, prefix)
	if err != nil {
		return err
	}
	return drop(ctx, s, prefix, kept)
}

// drop deletes the files below a marked prefix except those to keep, and the mark if none is left.
func drop(ctx context.Context, s Store, prefix string, kept map[string]bool) error {
	err := s.Walk(ctx, prefix, func(o blob.Object) error {
		if kept[o.Key] {
			return nil
		}
		return s.Delete(ctx, o.Key)
	})
	if err != nil || len(kept) > 0 {
		return err
	}
	return s.Delete(ctx, mark(prefix))
}

// named returns the keys of add as the cache shows them.
func named(ctx context.Context, c client.Reader, prefix string) (map[string]bool, error) {
	out := map[string]bool{}
	return out, add(ctx, out, c, prefix, client.UnsafeDisableDeepCopy)
}

// add adds the keys below a prefix that open posts of its namespace name, or batches whose posts are not created yet.
func add(ctx context.Context, out map[string]bool, c client.Reader, prefix string, which client.ListOption) error {
	_, namespace, _ := split(prefix)
	// Batches come first: the controller creates the posts of a batch and then records them in its status. With
	// posts first, neither list would have the files of a batch that is between the two.
	var batches v1beta1.PostBatchList
	if err := c.List(ctx, &batches, client.InNamespace(namespace), which); err != nil {
		return fmt.Errorf("listing the batches that name files: %w", err)
	}
	var posts v1beta1.PostList
	if err := c.List(ctx, &posts, client.InNamespace(namespace), which); err != nil {
		return fmt.Errorf("listing the posts that name files: %w", err)
	}
	var keys []string
	for i := range posts.Items {
		keys = append(keys, Keys(&posts.Items[i])...)
	}
	for i := range batches.Items {
		keys = append(keys, accepted(&batches.Items[i])...)
	}
	for _, key := range keys {
		if strings.HasPrefix(key, prefix) {
			out[key] = true
		}
	}
	return nil
}

// owners lists the kinds for which RemoveAll calls Remove, by the first part of their prefixes.
var owners = map[string]func() client.ObjectList{
	"shorts":  func() client.ObjectList { return &v1beta1.SlideshowList{} },
	"renders": func() client.ObjectList { return &v1beta1.RenderJobList{} },
	"videos":  func() client.ObjectList { return &v1beta1.VideoList{} },
	"media":   func() client.ObjectList { return &v1beta1.MediaAssetList{} },
}

// Folders returns the prefixes of all files that objects of a namespace own.
func Folders(namespace string) []string {
	var out []string
	for kind := range owners {
		out = append(out, kind+"/"+namespace+"/")
	}
	return out
}

// owned reports whether an object that is not being deleted has the files below a prefix: it was restored from a backup.
func owned(ctx context.Context, c client.Reader, prefix string) (bool, error) {
	kind, namespace, origin := split(prefix)
	kinds := owners[kind]
	if kinds == nil {
		return false, nil
	}
	list, found := kinds(), false
	if err := c.List(ctx, list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return false, fmt.Errorf("listing the owners of files: %w", err)
	}
	err := meta.EachListItem(list, func(item runtime.Object) error {
		o := item.(client.Object)
		found = found || o.GetDeletionTimestamp().IsZero() && string(v1beta1.Origin(o)) == origin
		return nil
	})
	return found, err
}

func split(prefix string) (kind, namespace, origin string) {
	parts := strings.SplitN(strings.TrimSuffix(prefix, "/"), "/", 3)
	parts = append(parts, "", "")
	return parts[0], parts[1], parts[2]
}

func mark(prefix string) string {
	kind, namespace, origin := split(prefix)
	return Marks + namespace + "/" + kind + "/" + origin
}

func prefixOf(mark string) string {
	namespace, kind, origin := split(strings.TrimPrefix(mark, Marks))
	return kind + "/" + namespace + "/" + origin + "/"
}
