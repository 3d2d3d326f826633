// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// action is one kind of step. do returns nil if the step cannot be taken now; else a description and what to do.
type action struct {
	weight int
	do     func(h *history) (string, func(context.Context) error)
}

var actions = []action{
	{14, (*history).addShow},
	{8, (*history).editShow},
	{5, (*history).removeShow},
	{20, (*history).addBatch},
	{6, (*history).removeBatch},
	{6, (*history).recreateBatch},
	{6, (*history).renameBatch},
	{5, (*history).renameShow},
	{7, (*history).suspendOrRelease},
	{6, (*history).approve},
	{3, (*history).changePolicy},
	{10, (*history).connectSome},
	{5, (*history).disconnectSome},
	{3, (*history).toggleBrand},
	{4, (*history).changeAsset},
}

// act takes one random step that can be taken.
func (h *history) act(ctx context.Context) error {
	total := 0
	for _, a := range actions {
		total += a.weight
	}
	for {
		n := h.rand.IntN(total)
		for _, a := range actions {
			if n -= a.weight; n >= 0 {
				continue
			}
			what, do := a.do(h)
			if do == nil {
				break
			}
			h.log("%s", what)
			h.tally.actions++
			if err := do(ctx); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
			return nil
		}
	}
}

var (
	showNames  = []string{"launch", "recipe", "launch-2"}
	batchNames = []string{"monday", "tuesday", "friday", "encore"}
)

// free returns a name that is not used; empty if all are used.
func free[V any](h *history, names []string, taken map[string]V) string {
	left := slices.DeleteFunc(slices.Clone(names), func(n string) bool { _, ok := taken[n]; return ok })
	if len(left) == 0 {
		return ""
	}
	return left[h.rand.IntN(len(left))]
}

// some returns a used name that fits; empty if none does.
func some[V any](h *history, taken map[string]V, fits func(V) bool) string {
	var left []string
	for _, name := range slices.Sorted(maps.Keys(taken)) {
		if fits == nil || fits(taken[name]) {
			left = append(left, name)
		}
	}
	if len(left) == 0 {
		return ""
	}
	return left[h.rand.IntN(len(left))]
}

func (h *history) often(percent int) bool { return h.rand.IntN(100) < percent }

func (h *history) addShow() (string, func(context.Context) error) {
	name := free(h, showNames, h.world.shows)
	if name == "" {
		return "", nil
	}
	s := show{edit: h.rand.IntN(1000), draft: h.often(8), asset: h.often(15), track: h.often(8), badStyle: h.often(6)}
	return fmt.Sprintf("add the slideshow %s %+v", name, s), func(ctx context.Context) error {
		h.world.shows[name] = s
		return h.sync(ctx)
	}
}

// editShow changes the slides. It fixes or introduces an error.
func (h *history) editShow() (string, func(context.Context) error) {
	name := some(h, h.world.shows, nil)
	if name == "" {
		return "", nil
	}
	s := h.world.shows[name]
	s.edit, s.draft, s.asset, s.track, s.badStyle = h.rand.IntN(1000), false, h.often(10), h.often(8), h.often(5)
	return fmt.Sprintf("edit the slideshow %s %+v", name, s), func(ctx context.Context) error {
		h.world.shows[name] = s
		return h.sync(ctx)
	}
}

func (h *history) removeShow() (string, func(context.Context) error) {
	name := some(h, h.world.shows, nil)
	if name == "" {
		return "", nil
	}
	return "remove the slideshow " + name, func(ctx context.Context) error {
		delete(h.world.shows, name)
		return h.sync(ctx)
	}
}

// renameShow renames the manifest of a slideshow. Its batches still reference the old name.
func (h *history) renameShow() (string, func(context.Context) error) {
	name, next := some(h, h.world.shows, nil), free(h, showNames, h.world.shows)
	if name == "" || next == "" {
		return "", nil
	}
	return fmt.Sprintf("rename the slideshow %s to %s", name, next), func(ctx context.Context) error {
		h.world.shows[next] = h.world.shows[name]
		delete(h.world.shows, name)
		return h.sync(ctx)
	}
}

func (h *history) addBatch() (string, func(context.Context) error) {
	name := free(h, batchNames, h.world.batches)
	if name == "" {
		return "", nil
	}
	b := batch{show: showNames[h.rand.IntN(len(showNames))], due: h.due(), byPlatform: h.often(40), suspend: h.often(12), pinned: h.often(25)}
	if there := some(h, h.world.shows, nil); there != "" && h.often(80) {
		b.show = there
	}
	for _, p := range platformNames {
		if h.often(65) {
			b.platforms = append(b.platforms, p)
		}
	}
	if len(b.platforms) == 0 {
		b.platforms = platformNames[:1]
	}
	return fmt.Sprintf("add the batch %s %s", name, b), func(ctx context.Context) error {
		h.world.batches[name] = b
		return h.sync(ctx)
	}
}

// due is a random time: in some seconds, in days, a moment ago, or long ago.
func (h *history) due() time.Time {
	from := time.Now().Truncate(time.Second)
	switch n := h.rand.IntN(100); {
	case n < 60:
		return from.Add(time.Duration(6+h.rand.IntN(14)) * time.Second)
	case n < 90:
		return from.Add(time.Duration(24+h.rand.IntN(100)) * time.Hour)
	case n < 95:
		return from.Add(-time.Duration(h.rand.IntN(20)) * time.Second)
	}
	return from.Add(-time.Duration(3+h.rand.IntN(600)) * time.Minute)
}

func (h *history) removeBatch() (string, func(context.Context) error) {
	name := some(h, h.world.batches, nil)
	if name == "" {
		return "", nil
	}
	return "remove the batch " + name, func(ctx context.Context) error {
		delete(h.world.batches, name)
		return h.sync(ctx)
	}
}

// recreateBatch removes a batch and adds the same manifest again.
func (h *history) recreateBatch() (string, func(context.Context) error) {
	name := some(h, h.world.batches, nil)
	if name == "" {
		return "", nil
	}
	b := h.world.batches[name]
	return "remove and add again the batch " + name, func(ctx context.Context) error {
		delete(h.world.batches, name)
		if err := h.sync(ctx); err != nil {
			return err
		}
		h.world.batches[name] = b
		return h.sync(ctx)
	}
}

// renameBatch renames the manifest of a batch that is not due yet: after that the new name is another publication.
func (h *history) renameBatch() (string, func(context.Context) error) {
	name := some(h, h.world.batches, func(b batch) bool { return time.Until(b.due) > 0 })
	next := free(h, batchNames, h.world.batches)
	if name == "" || next == "" {
		return "", nil
	}
	return fmt.Sprintf("rename the batch %s to %s", name, next), func(ctx context.Context) error {
		h.world.batches[next] = h.world.batches[name]
		delete(h.world.batches, name)
		return h.sync(ctx)
	}
}

func (h *history) editBatch(what, name string, change func(*batch)) (string, func(context.Context) error) {
	if name == "" {
		return "", nil
	}
	return what + " the batch " + name, func(ctx context.Context) error {
		b := h.world.batches[name]
		change(&b)
		h.world.batches[name] = b
		return h.sync(ctx)
	}
}

func (h *history) suspendOrRelease() (string, func(context.Context) error) {
	name := some(h, h.world.batches, nil)
	return h.editBatch("suspend or release", name, func(b *batch) { b.suspend = !b.suspend })
}

func (h *history) approve() (string, func(context.Context) error) {
	name := some(h, h.world.batches, func(b batch) bool { return h.world.approval && !b.approved })
	return h.editBatch("approve", name, func(b *batch) { b.approved = true })
}

func (h *history) changePolicy() (string, func(context.Context) error) {
	if !h.world.brand {
		return "", nil
	}
	return fmt.Sprintf("set the approval of the brand to %t", !h.world.approval), func(ctx context.Context) error {
		h.world.approval = !h.world.approval
		return h.sync(ctx)
	}
}

func (h *history) connectSome() (string, func(context.Context) error) {
	platform := platformNames[h.rand.IntN(len(platformNames))]
	if h.world.connected[platform] || !h.world.brand {
		return "", nil
	}
	return "connect " + platform, func(ctx context.Context) error { return h.connect(ctx, platform) }
}

func (h *history) disconnectSome() (string, func(context.Context) error) {
	platform := platformNames[h.rand.IntN(len(platformNames))]
	if !h.world.connected[platform] {
		return "", nil
	}
	return "disconnect " + platform, func(ctx context.Context) error { return h.disconnect(ctx, platform) }
}

func (h *history) toggleBrand() (string, func(context.Context) error) {
	return fmt.Sprintf("the brand is in the repository: %t", !h.world.brand), func(ctx context.Context) error {
		h.world.brand = !h.world.brand
		return h.sync(ctx)
	}
}

// changeAsset adds or removes the manifest of the MediaAsset, or uploads its file.
func (h *history) changeAsset() (string, func(context.Context) error) {
	if !h.world.assetFile && h.often(50) {
		return "upload the file of the asset", h.upload
	}
	return fmt.Sprintf("the asset is in the repository: %t", !h.world.asset), func(ctx context.Context) error {
		h.world.asset = !h.world.asset
		return h.sync(ctx)
	}
}

// heal adds everything that is missing, gives every failed batch another time, and expects everything to be ready.
func (h *history) heal(ctx context.Context) error {
	h.log("heal everything")
	for _, p := range platformNames {
		h.world.brand, h.world.approval, h.world.asset = true, false, true
		if h.world.connected[p] {
			continue
		}
		if err := h.sync(ctx); err != nil {
			return err
		}
		if err := h.connect(ctx, p); err != nil {
			return err
		}
	}
	if err := h.upload(ctx); err != nil {
		return err
	}
	for name, s := range h.world.shows {
		s.draft, s.track, s.badStyle = false, false, false
		h.world.shows[name] = s
	}
	for _, name := range slices.Sorted(maps.Keys(h.world.batches)) {
		b := h.world.batches[name]
		b.suspend = false
		if _, ok := h.world.shows[b.show]; !ok {
			h.world.shows[b.show] = show{edit: 1000}
		}
		h.world.batches[name] = b
	}
	if err := h.sync(ctx); err != nil {
		return err
	}
	if err := h.rest(ctx); err != nil {
		return err
	}
	return h.repeatFailed(ctx)
}

// repeatFailed gives the failed batches another name and time, and rests until all due posts are published.
func (h *history) repeatFailed(ctx context.Context) error {
	var list v1beta1.PostBatchList
	if err := h.stage.kube.List(ctx, &list, client.InNamespace(h.namespace)); err != nil {
		return err
	}
	for i := range list.Items {
		name := list.Items[i].Name
		b := h.world.batches[name]
		if list.Items[i].Status.Failed == 0 {
			continue
		}
		delete(h.world.batches, name)
		b.due = time.Now().Add(8 * time.Second).Truncate(time.Second)
		h.world.batches[name+"-again"] = b
		h.tally.healed++
	}
	if err := h.sync(ctx); err != nil {
		return err
	}
	if err := h.restPastAllDue(ctx); err != nil {
		return err
	}
	return h.allGood(ctx)
}

// leave empties the repository: all its objects are deleted.
func (h *history) leave(ctx context.Context) error {
	h.log("remove everything")
	h.world.brand, h.world.asset = false, false
	clear(h.world.shows)
	clear(h.world.batches)
	return h.sync(ctx)
}
