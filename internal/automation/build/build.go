// SPDX-License-Identifier: Apache-2.0

package build

import (
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/template"
	"github.com/reelops/reelops/internal/catalog"
)

// Limits of the texts of a short and of a post, in characters.
const (
	maxContext  = 5000
	maxTitle    = 200
	maxCaption  = 5000
	maxHook     = 300
	maxPostText = 10000
)

// RunName returns the name of the run of a slot.
func RunName(automation string, slot time.Time) string {
	return automation + "-" + strconv.FormatInt(slot.Unix()/60, 10)
}

// Deadline returns the time by which the short of a run must be ready that starts at a time after its slot.
func Deadline(a *v1beta1.Automation, start time.Time) time.Time {
	return start.Add(Lead(a) + StartingDeadline(a))
}

// Run returns the run of a slot that starts at a time.
func Run(a *v1beta1.Automation, slot, start time.Time) *v1beta1.AutomationRun {
	deadline := slot.Add(StartingDeadline(a))
	if start.After(slot) {
		deadline = Deadline(a, start)
	}
	return &v1beta1.AutomationRun{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: a.Namespace, Name: RunName(a.Name, slot), OwnerReferences: []metav1.OwnerReference{OwnerOf(a)},
			Labels: Labels(a),
		},
		Spec: v1beta1.AutomationRunSpec{
			AutomationRef: v1beta1.LocalRef{Name: a.Name}, ScheduledAt: metav1.NewTime(slot),
			Deadline: ptr.To(metav1.NewTime(deadline)),
		},
	}
}

// ManualRun returns a run that a user requests. key is a lower-case name part of at most 9 characters: the same key
// names the same run.
func ManualRun(a *v1beta1.Automation, key string, now time.Time) *v1beta1.AutomationRun {
	now = now.Truncate(time.Second)
	run := Run(a, now, now)
	run.Name, run.Spec.Manual, run.Spec.Deadline = a.Name+"-"+key, true, ptr.To(metav1.NewTime(Deadline(a, now)))
	return run
}

// Labels returns the labels of the runs of an automation.
func Labels(a *v1beta1.Automation) map[string]string {
	return map[string]string{v1beta1.LabelAutomation: a.Name, v1beta1.LabelBrand: a.Spec.BrandRef.Name}
}

// OwnerOf returns the reference of a controller to its children.
func OwnerOf(o client.Object) metav1.OwnerReference {
	kind := "Automation"
	if _, ok := o.(*v1beta1.AutomationRun); ok {
		kind = "AutomationRun"
	}
	return *metav1.NewControllerRef(o, v1beta1.GroupVersion.WithKind(kind))
}

// Values returns the values of the placeholders for a run. zone is the time zone of the schedule.
func Values(brand *v1beta1.Brand, item *v1beta1.AutomationItem, slot time.Time, number int64,
	zone *time.Location,
) template.Values {
	v := template.Values{
		ItemTitle: item.Title, ItemSummary: item.Summary, ItemLink: item.Link, Slot: slot.In(zone),
		BrandName: brand.Title(), RunNumber: number,
	}
	if item.Published != nil {
		v.ItemPublished = item.Published.In(zone)
	}
	return v
}

// Short returns the short of a run: a Slideshow or a Video, by the template. The automation must have one.
func Short(a *v1beta1.Automation, run *v1beta1.AutomationRun, v template.Values) client.Object {
	meta := childMeta(a, run)
	if t := a.Spec.Template.Slideshow; t != nil {
		meta.Finalizers = []string{v1beta1.FinalizerSlideshow}
		return &v1beta1.Slideshow{ObjectMeta: meta, Spec: v1beta1.SlideshowSpec{
			BrandRef: a.Spec.BrandRef, Context: template.Render(t.Context, v, maxContext), SlideCount: t.SlideCount,
			AspectRatio: t.AspectRatio,
			DesignStyle: t.DesignStyle, ImageWorld: t.ImageWorld, ImageSource: t.ImageSource, Music: t.Music, Voice: t.Voice,
			Title: render(t.Title, v, maxTitle), Caption: render(t.Caption, v, maxCaption), Hashtags: t.Hashtags,
			Language: t.Language, Film: t.Film, AutoRender: a.Spec.Publish.Media != catalog.MediaPhotoSet,
		}}
	}
	t := a.Spec.Template.Video
	meta.Finalizers = []string{v1beta1.FinalizerVideo}
	return &v1beta1.Video{ObjectMeta: meta, Spec: v1beta1.VideoSpec{
		BrandRef: a.Spec.BrandRef, HookText: render(&t.HookText, v, maxHook), Avatar: t.Avatar, Demos: t.Demos,
		AvatarLayout: t.AvatarLayout, Music: t.Music, TextSettings: t.TextSettings, Voice: t.Voice,
		AspectRatio: t.AspectRatio, Language: t.Language,
		Title: render(t.Title, v, maxTitle), Caption: render(t.Caption, v, maxCaption), Hashtags: t.Hashtags,
	}}
}

// Batch returns the PostBatch of a run, which publishes its short at a time. immediate marks posts that are late.
func Batch(a *v1beta1.Automation, run *v1beta1.AutomationRun, v template.Values, at time.Time,
	immediate bool,
) *v1beta1.PostBatch {
	p := &a.Spec.Publish
	b := &v1beta1.PostBatch{ObjectMeta: childMeta(a, run), Spec: v1beta1.PostBatchSpec{
		BrandRef: a.Spec.BrandRef, ShortRef: *run.Status.Short, Platforms: p.Platforms,
		ScheduledAt: ptr.To(metav1.NewTime(at)), Immediate: immediate, PostingMode: p.PostingMode, Media: p.Media,
		PostText: postText(p.PostText, v), AutoAddMusic: p.AutoAddMusic,
		RequireApproval: a.Spec.Approval == v1beta1.AutomationApprovalAlways,
	}}
	b.Finalizers = []string{v1beta1.FinalizerPostBatch}
	for i := range p.Accounts {
		t := &p.Accounts[i]
		settings := t.PostSettings
		settings.FirstComment = render(settings.FirstComment, v, maxPostText)
		b.Spec.Accounts = append(b.Spec.Accounts, v1beta1.PostTarget{
			Name: t.Name, PostText: postText(t.PostText, v), PostSettings: settings,
		})
	}
	return b
}

// childMeta returns the metadata of what a run creates.
func childMeta(a *v1beta1.Automation, run *v1beta1.AutomationRun) metav1.ObjectMeta {
	labels := Labels(a)
	labels[v1beta1.LabelAutomationRun] = run.Name
	return metav1.ObjectMeta{
		Namespace: run.Namespace, Name: run.Name,
		OwnerReferences: []metav1.OwnerReference{OwnerOf(run)}, Labels: labels,
	}
}

func postText(t v1beta1.PostText, v template.Values) v1beta1.PostText {
	return v1beta1.PostText{Title: render(t.Title, v, maxPostText), Caption: render(t.Caption, v, maxPostText)}
}

func render(text *string, v template.Values, limit int) *string {
	if text == nil {
		return nil
	}
	return ptr.To(template.Render(*text, v, limit))
}

// ShortID returns the id of the item of a short that exists, and ShortRefOf the reference in such an id.
func ShortID(kind, name string) string { return kind + "/" + name }

// ShortRefOf returns the reference in the id of an item that is a short; ok is false for other ids.
func ShortRefOf(id string) (ref v1beta1.ShortRef, ok bool) {
	kind, name, ok := strings.Cut(id, "/")
	if !ok || kind != v1beta1.KindSlideshow && kind != v1beta1.KindVideo {
		return ref, false
	}
	return v1beta1.ShortRef{Kind: kind, Name: name}, true
}
