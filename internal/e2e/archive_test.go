// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

const (
	// archivedShorts is the number of slideshows that enter and leave the archive, archiveKills that of kills.
	archivedShorts, archiveKills = 8, 10
)

// TestArchive_KeepsShortsDespiteKills archives slideshows as soon as they are settled, and edits them meanwhile, which
// restores them. The manager and the front end are killed at random moments. Afterwards, each slideshow has the last
// title that was accepted for it, and all else is as before.
func TestArchive_KeepsShortsDespiteKills(t *testing.T) {
	t.Parallel()
	s := newStack(t, withEnv("REELOPS_ARCHIVE_AFTER=1s"))
	a := &api{s.url, s.newKey(t)}
	titles := map[int64]string{}
	for i := range archivedShorts {
		id := a.accepted(t, http.MethodPost, "/slideshows", map[string]any{
			"context": fmt.Sprintf("Tea number %d in two steps. Boil the water. Let it steep.", i), "slide_count": 3,
		}).ID
		titles[id] = ""
	}
	before := map[int64]short{}
	for id := range titles {
		a.succeeded(t, id, "slideshow_generation")
		before[id], titles[id] = a.short(t, id), a.title(t, id)
	}
	s.leaves(t, titles)

	initial := maps.Clone(titles)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var edits sync.WaitGroup
	edits.Go(func() { a.editAtRandom(ctx, t, titles) })
	for i := range archiveKills {
		part := []string{"manager", "manager", "apiserver"}[i%3]
		s.appears(t, part)
		<-time.After(rand.N(3 * time.Second))
		s.kill(t, part)
	}
	stop()
	edits.Wait()
	edited := 0
	for id, title := range titles {
		if title != initial[id] {
			edited++
		}
	}
	if edited < 2 {
		t.Errorf("%d shorts were edited: too few", edited)
	}

	s.leaves(t, titles)
	for id, title := range titles {
		if now := a.title(t, id); now != title {
			t.Errorf("short %d has the title %q, want %q", id, now, title)
		}
		is, was := a.short(t, id), before[id]
		NewWithT(t).Expect(is.Status).To(Equal(was.Status), "short %d", id)
		NewWithT(t).Expect(is.TypeData.Slides).To(HaveLen(len(was.TypeData.Slides)), "short %d", id)
		for i, slide := range is.TypeData.Slides {
			NewWithT(t).Expect(slide.TextOverlays).To(Equal(was.TypeData.Slides[i].TextOverlays), "short %d", id)
			download(t, slide.Rendered)
		}
	}
}

func (a *api) title(t *testing.T, id int64) string {
	t.Helper()
	var s struct{ Title string }
	a.read(NewWithT(t), fmt.Sprintf("/shorts/%d", id), &s)
	return s.Title
}

// leaves waits until all shorts are in the archive, and no object of them is in the cluster.
func (s *stack) leaves(t *testing.T, titles map[int64]string) {
	t.Helper()
	NewWithT(t).Eventually(func(g Gomega) {
		var all v1beta1.SlideshowList
		g.Expect(s.kube.List(t.Context(), &all, client.InNamespace(tenant))).To(Succeed())
		for i := range all.Items {
			id, _ := strconv.ParseInt(all.Items[i].Labels[v1beta1.LabelID], 10, 64)
			g.Expect(titles).NotTo(HaveKey(id), "in the cluster")
		}
		archive := &v1beta1.Archive{}
		g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: v1beta1.ArchiveName}, archive)).To(Succeed())
		g.Expect(archive.Status.Shorts).To(BeEquivalentTo(len(titles)))
		g.Expect(archive.Spec.Restore).To(BeEmpty())
	}).WithTimeout(3 * waitTimeout).WithPolling(poll).Should(Succeed())
}

// editAtRandom edits titles until the context ends, and records the accepted ones. A request without an answer, or with
// an error that the server calls retryable, is repeated.
func (a *api) editAtRandom(ctx context.Context, t *testing.T, titles map[int64]string) {
	ids := []int64{}
	for id := range titles {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for n := 1; ctx.Err() == nil; n++ {
		id, title := ids[rand.IntN(len(ids))], fmt.Sprintf("Edit %d", n)
		until := time.Now().Add(waitTimeout)
		for !a.edited(t, id, title) {
			if time.Now().After(until) {
				t.Errorf("short %d was not edited within %s", id, waitTimeout)
				return
			}
			<-time.After(slowPoll)
		}
		titles[id] = title
		<-time.After(slowPoll)
	}
}

// edited reports whether the title was accepted.
func (a *api) edited(t *testing.T, id int64, title string) bool {
	out, err := a.do(http.MethodPatch, fmt.Sprintf("/slideshows/%d", id), map[string]any{"title": title})
	if err != nil {
		return false // the front end was killed
	}
	if out.status != http.StatusOK {
		if len(out.errors) == 0 || !out.errors[0].Retryable {
			text, _ := json.Marshal(out.errors)
			t.Errorf("editing short %d: %d %s", id, out.status, text)
		}
		return false
	}
	return true
}
