// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/install/admission"
)

// maxContext limits the text that is read for a manifest, in bytes. The CRD limits it in characters.
const maxContext = 1 << 20

func newNewCommand(f *factory) *cobra.Command {
	return group("new", "Print the manifest of a slideshow, a video or a batch of posts", []*cobra.Command{
		newSlideshowManifestCommand(f), newVideoManifestCommand(f), newBatchManifestCommand(f),
	})
}

// manifest is what the commands of `new` have in common.
type manifest struct {
	account *accountFlag
	brand   string
}

// command completes a command that prints the manifest of the object that fill returns. It needs no cluster: the object
// is checked by the rules of this release.
func (m *manifest) command(f *factory, c *cobra.Command, fill func(metav1.ObjectMeta, v1beta1.LocalRef) (client.Object, error)) *cobra.Command {
	m.account = addAccount(f, c, "Account of the object")
	c.Flags().StringVar(&m.brand, "brand", "", "Brand of the object; default: the name of the account")
	completeFlag(c, "brand", m.account.brands())
	return prints(f, c, func(ctx context.Context, args []string) (*result, error) {
		account, err := m.account.one()
		if err != nil {
			return nil, err
		}
		o, err := fill(metav1.ObjectMeta{Name: args[0], Namespace: account}, v1beta1.LocalRef{Name: cmp.Or(m.brand, account)})
		if err != nil {
			return nil, err
		}
		return printable(ctx, o)
	})
}

// printable returns an object as a manifest, if an API server would accept it.
func printable(ctx context.Context, o client.Object) (*result, error) {
	doc, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, err
	}
	delete(doc, "status")
	unstructured.RemoveNestedField(doc, "metadata", "creationTimestamp")
	dropEmpty(doc)
	rules, err := admission.New()
	if err != nil {
		return nil, err
	}
	err = rules.Check(ctx, &unstructured.Unstructured{Object: doc}, false)
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return nil, usageError{err}
	}
	if err != nil {
		return nil, err
	}
	text, err := yaml.Marshal(doc)
	return &result{fields: doc, text: strings.TrimSuffix(string(text), "\n")}, err
}

// dropEmpty removes empty objects, which a struct without a set field becomes.
func dropEmpty(doc map[string]any) {
	for name, value := range doc {
		if inner, ok := value.(map[string]any); ok {
			if dropEmpty(inner); len(inner) == 0 {
				delete(doc, name)
			}
		}
	}
}

// shortFlags are the flags that slideshows and videos have in common.
type shortFlags struct{ ratio, language, title, caption, music string }

// add adds the flags. usual is where the language is from by default.
func (s *shortFlags) add(c *cobra.Command, usual string) {
	c.Flags().StringVar(&s.ratio, "aspect-ratio", "", "Aspect ratio: 9:16 or 4:5; default: that of the brand")
	c.Flags().StringVar(&s.language, "language", "", "Language of the texts, such as en; default: that of the "+usual)
	c.Flags().StringVar(&s.title, "title", "", "Title; default: Reelops writes one")
	c.Flags().StringVar(&s.caption, "caption", "", "Caption; default: Reelops writes one")
	c.Flags().StringVar(&s.music, "music", "", "Track of the library's background music; default: none")
}

// track returns the background music; nil for none.
func (s *shortFlags) track() *v1beta1.MusicSource {
	if s.music == "" {
		return nil
	}
	return &v1beta1.MusicSource{LibraryTrackRef: &v1beta1.LocalRef{Name: s.music}}
}

// typed returns the type of a kind.
func typed(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: v1beta1.GroupVersion.String(), Kind: kind}
}

func newSlideshowManifestCommand(f *factory) *cobra.Command {
	var text, file, style string
	var short shortFlags
	var slides int32
	var render bool
	c := &cobra.Command{
		Use: "slideshow NAME", Short: "Print the manifest of a slideshow", Args: cobra.ExactArgs(1),
		Long: "Print the manifest of a slideshow that Reelops writes from a text. It is checked by the rules of this release, without a cluster.",
		Example: examples("new slideshow tidy-desk --account demo --context 'Three tips for tidy desks' --render > tidy-desk.yaml",
			"new slideshow tidy-desk --account demo --context-file tips.txt --slides 5 | kubectl apply -f -"),
	}
	c.Flags().StringVar(&text, "context", "", "Text about which the slideshow is")
	c.Flags().StringVar(&file, "context-file", "", "File with the text, or - for the standard input")
	c.Flags().Int32Var(&slides, "slides", 0, "Number of slides; default: as many as the text needs")
	c.Flags().StringVar(&style, "style", "", "Design style, such as bold_center; default: the style of the brand")
	short.add(c, "text")
	c.Flags().BoolVar(&render, "render", false, "Render the video as soon as the slides are ready")
	m := &manifest{}
	return m.command(f, c, func(meta metav1.ObjectMeta, brand v1beta1.LocalRef) (client.Object, error) {
		about, err := f.textOf(text, file)
		if err != nil {
			return nil, err
		}
		return &v1beta1.Slideshow{TypeMeta: typed("Slideshow"), ObjectMeta: meta, Spec: v1beta1.SlideshowSpec{
			BrandRef: brand, Context: about, SlideCount: slides, DesignStyle: style, AspectRatio: short.ratio,
			Language: short.language, Title: optional(short.title), Caption: optional(short.caption), Music: short.track(),
			AutoRender: render,
		}}, nil
	})
}

func newVideoManifestCommand(f *factory) *cobra.Command {
	var avatar, hook string
	var short shortFlags
	var clips []string
	c := &cobra.Command{
		Use: "video NAME", Short: "Print the manifest of a video", Args: cobra.ExactArgs(1),
		Long: "Print the manifest of a video: an avatar speaks a hook, then clips follow. It is checked by the rules of this release, without a cluster.",
		Example: examples("new video two-clicks --account demo --avatar avatar-kitchen --hook 'Two clicks, and my desk is tidy.' --clip desk-demo",
			"new video two-clicks --account demo --avatar avatar-kitchen --clip desk-demo --clip app-demo | kubectl apply -f -"),
	}
	c.Flags().StringVar(&avatar, "avatar", "", "MediaAsset of the library with the avatar, such as avatar-kitchen")
	c.Flags().StringArrayVar(&clips, "clip", nil, "MediaAsset of the account with a clip to show after the hook; repeatable")
	c.Flags().StringVar(&hook, "hook", "", "Text that the avatar speaks; default: Reelops writes one from the brand's profile")
	short.add(c, "brand")
	_ = c.MarkFlagRequired("avatar")
	m := &manifest{}
	return m.command(f, c, func(meta metav1.ObjectMeta, brand v1beta1.LocalRef) (client.Object, error) {
		v := &v1beta1.Video{TypeMeta: typed("Video"), ObjectMeta: meta, Spec: v1beta1.VideoSpec{
			BrandRef: brand, HookText: optional(hook), Avatar: v1beta1.ClipSource{LibraryRef: &v1beta1.LocalRef{Name: avatar}},
			AspectRatio: short.ratio, Language: short.language, Title: optional(short.title), Caption: optional(short.caption),
			Music: short.track(),
		}}
		for _, name := range clips {
			v.Spec.Demos = append(v.Spec.Demos, v1beta1.DemoClip{ClipSource: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: name}}})
		}
		return v, nil
	})
}

func newBatchManifestCommand(f *factory) *cobra.Command {
	var short, at, title, caption string
	var platforms, accounts []string
	c := &cobra.Command{
		Use: "batch NAME", Short: "Print the manifest of a batch of posts", Args: cobra.ExactArgs(1),
		Long: "Print the manifest of a batch, which publishes a short at a time. It is checked by the rules of this release, without a cluster.",
		Example: examples("new batch tidy-desk-launch --account demo --short tidy-desk --platforms tiktok,instagram --at 2026-12-01T18:00:00Z",
			"new batch tidy-desk-launch --account demo --short tidy-desk --to tiktok-1a2b3c4d --at 2026-12-01T18:00:00+01:00 | kubectl apply -f -"),
	}
	c.Flags().StringVar(&short, "short", "", "Slideshow or Video to publish")
	c.Flags().StringVar(&at, "at", "", "Time of publication, such as 2026-12-01T18:00:00Z")
	c.Flags().StringSliceVar(&platforms, "platforms", nil, "Platforms: all accounts of the brand on tiktok, youtube, instagram or linkedin")
	c.Flags().StringSliceVar(&accounts, "to", nil, "SocialAccounts to publish to, instead of platforms")
	c.Flags().StringVar(&title, "title", "", "Title of the posts; default: that of the short")
	c.Flags().StringVar(&caption, "caption", "", "Caption of the posts; default: that of the short")
	completeFlag(c, "platforms", fixed("tiktok", "youtube", "instagram", "linkedin"))
	_, _ = c.MarkFlagRequired("short"), c.MarkFlagRequired("at")
	m := &manifest{}
	return m.command(f, c, func(meta metav1.ObjectMeta, brand v1beta1.LocalRef) (client.Object, error) {
		due, err := time.Parse(time.RFC3339, at)
		if err != nil {
			return nil, usagef("--at: %q is not a time such as 2026-12-01T18:00:00Z", at)
		}
		if len(platforms)+len(accounts) == 0 {
			return nil, usagef("give --platforms or --to")
		}
		scheduled := metav1.NewTime(due.UTC())
		b := &v1beta1.PostBatch{TypeMeta: typed("PostBatch"), ObjectMeta: meta, Spec: v1beta1.PostBatchSpec{
			BrandRef: brand, ShortRef: v1beta1.ShortRef{Name: short}, ScheduledAt: &scheduled,
			PostText: v1beta1.PostText{Title: optional(title), Caption: optional(caption)},
		}}
		for _, p := range platforms {
			b.Spec.Platforms = append(b.Spec.Platforms, v1beta1.Platform(p))
		}
		for _, name := range accounts {
			b.Spec.Accounts = append(b.Spec.Accounts, v1beta1.PostTarget{Name: name})
		}
		return b, nil
	})
}

// textOf returns the text of a flag, or the content of a file.
func (f *factory) textOf(text, file string) (string, error) {
	switch {
	case text != "" && file != "":
		return "", usagef("give --context or --context-file, not both")
	case text == "" && file == "":
		return "", usagef("give the text with --context or --context-file")
	case file == "":
		return text, nil
	}
	from, err := f.open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = from.Close() }()
	doc, err := io.ReadAll(io.LimitReader(from, maxContext+1))
	if err == nil && len(doc) > maxContext {
		err = fmt.Errorf("%s is larger than %d bytes", file, maxContext)
	}
	return strings.TrimSpace(string(doc)), err
}

// optional returns nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
