// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/blob/clouds"
)

const (
	// uploadKills is the number of kills during uploads. REELOPS_UPLOAD_STRIKES sets another number.
	uploadKills = 6
	// uploaders is the number of parallel uploads.
	uploaders = 4
	// shortTTL is the validity of uploads in these tests, so that unclaimed uploads are purged during them.
	shortTTL = 24 * time.Second
	// sweptAfter is the limit for the removal of all unneeded files after the last kill. The temporary file of a killed
	// writer is removed once it is a minute old.
	sweptAfter = 4 * time.Minute
)

// TestUploadsKilled repeatedly kills the front end and the manager while files are declared, uploaded, claimed,
// ingested, deleted and purged. Afterwards the store has exactly the files whose claim was answered and that were not
// deleted, with their bytes.
func TestUploadsKilled(t *testing.T) {
	for _, on := range bothStores {
		t.Run(on.name, func(t *testing.T) {
			t.Setenv("REELOPS_UPLOAD_TTL", shortTTL.String())
			t.Setenv("REELOPS_CEILINGS", "global=1000000/5m")
			on.use(t)
			s := newStack(t)
			a := &api{s.url, s.newKey(t)}
			a.known(t)
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			p := &uploadLog{t: t, s: s, a: a, store: s.store(t), kept: map[int64]string{}}
			p.killDuringUploads(seed)
			p.checkStored()
		})
	}
}

// store opens the store of the stack.
func (s *stack) store(t *testing.T) *blob.Store {
	t.Helper()
	url := os.Getenv("REELOPS_BLOB_URL")
	if url == "" {
		url = "file://" + s.path("blobs")
	}
	key, err := os.ReadFile(s.path("signing.key"))
	if err != nil {
		t.Fatal(err)
	}
	store, err := blob.Open(t.Context(), blob.Config{URL: url, SigningKey: key, BaseURL: s.url, Cloud: clouds.Stores{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// uploadLog records the work of the uploaders.
type uploadLog struct {
	t     *testing.T
	s     *stack
	a     *api
	store *blob.Store

	mu sync.Mutex
	// kept is the MD5 of every item whose claim was answered and that was not deleted.
	kept                           map[int64]string
	sent, unanswered, deleted, all int
}

// killDuringUploads kills programs at random moments during uploads.
func (p *uploadLog) killDuringUploads(seed uint64) {
	want := uploadKills
	if text := os.Getenv("REELOPS_UPLOAD_STRIKES"); text != "" {
		var err error
		if want, err = strconv.Atoi(text); err != nil {
			p.t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(p.t.Context())
	var all sync.WaitGroup
	for i := range uploaders {
		all.Go(func() { p.upload(ctx, rand.New(rand.NewPCG(seed, uint64(i+1))), i) })
	}
	chance := rand.New(rand.NewPCG(seed, 0))
	for i := range want {
		p.waitForUploads(1 + chance.IntN(uploaders)) // the next kill follows a random number of uploads
		p.s.kill(p.t, []string{"apiserver", "manager"}[i%2])
	}
	p.waitForUploads(uploaders)
	stop()
	all.Wait()
	p.t.Logf("%d files: %d uploaded, %d claimed and kept, %d claims without an answer, %d deleted",
		p.all, p.sent, len(p.kept), p.unanswered, p.deleted)
}

// waitForUploads waits for n more uploaded files.
func (p *uploadLog) waitForUploads(n int) {
	p.t.Helper()
	count := func() int { p.mu.Lock(); defer p.mu.Unlock(); return p.sent }
	goal := count() + n
	NewWithT(p.t).Eventually(count).WithTimeout(2 * waitTimeout).WithPolling(fastPoll).Should(BeNumerically(">=", goal))
}

// upload uploads images one after the other. It claims most of them, some twice, and deletes some.
func (p *uploadLog) upload(ctx context.Context, chance *rand.Rand, worker int) {
	for n := worker; ctx.Err() == nil; n += uploaders {
		doc := newImage(p.t, n, 2<<20)
		sum := md5.Sum(doc)
		f := &file{contentType: "image/png", bytes: int64(len(doc)), md5: base64.StdEncoding.EncodeToString(sum[:])}
		d, err := p.a.declare(f, fmt.Sprintf("picture %d.png", n), f.md5)
		if err != nil {
			n -= uploaders // the front end is down
			continue
		}
		p.count(&p.all)
		status, err := d.put(bytes.NewReader(doc), f.bytes)
		if err != nil || status != http.StatusOK && status != http.StatusNoContent {
			continue
		}
		p.count(&p.sent)
		what := chance.IntN(6)
		if what == 0 {
			continue // this upload is purged
		}
		item, err := p.claim(ctx, d, what == 1)
		if err != nil {
			p.count(&p.unanswered)
			continue
		}
		p.mu.Lock()
		p.kept[item.ID] = f.md5
		p.mu.Unlock()
		if what == 2 {
			p.remove(ctx, item.ID)
		}
	}
}

func (p *uploadLog) count(n *int) { p.mu.Lock(); *n++; p.mu.Unlock() }

// claim claims an upload and retries it until there is an answer. twice repeats the claim after the answer.
func (p *uploadLog) claim(ctx context.Context, d *declared, twice bool) (item mediaItem, err error) {
	call := func() error {
		var first error
		for ctx.Err() == nil {
			first = p.a.created("/media", map[string]any{"file": d.SignedID}, &item)
			var refused *unexpectedStatus
			if first == nil || errors.As(first, &refused) && refused.status == http.StatusUnprocessableEntity {
				return first
			}
		}
		return errors.Join(first, ctx.Err())
	}
	if err = call(); err == nil && twice {
		before := item.ID
		if again := call(); again == nil && item.ID != before {
			p.t.Errorf("a repeated claim returned another item: %d, then %d", before, item.ID)
		}
	}
	return item, err
}

// remove deletes an item as an administrator and waits for the answer. Without an answer the outcome would be unknown.
func (p *uploadLog) remove(ctx context.Context, id int64) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), waitTimeout)
	defer stop()
	m := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: fmt.Sprintf("media-%d", id)}}
	if err := p.s.kube.Delete(ctx, m); err != nil {
		p.t.Errorf("deleting media item %d: %v", id, err)
		return
	}
	p.mu.Lock()
	delete(p.kept, id)
	p.deleted++
	p.mu.Unlock()
}

// checkStored waits until all work has ended. Then it checks that every kept file exists, and no other.
func (p *uploadLog) checkStored() {
	t := p.t
	want := NewWithT(t)
	want.Eventually(func(g Gomega) {
		listed := p.a.media(g)
		for id := range p.kept {
			g.Expect(listed[id].Status).To(Equal("ready"), "media item %d: %+v", id, listed[id].Error)
		}
		for id, i := range listed { // items with an unanswered claim may exist, but must be complete
			g.Expect(i.Status).To(Equal("ready"), "media item %d: %+v", id, i.Error)
		}
	}).WithTimeout(sweptAfter).WithPolling(slowPoll).Should(Succeed())
	for id, sum := range p.kept {
		if got, err := p.read(p.a.media(want)[id]); err != nil || got != sum {
			t.Errorf("the bytes of media item %d differ from the upload: %v", id, err)
		}
	}
	want.Eventually(func(g Gomega) {
		var l v1beta1.MediaAssetList
		g.Expect(p.s.kube.List(t.Context(), &l, client.InNamespace(tenant))).To(Succeed())
		owners := map[string]bool{}
		for _, m := range l.Items {
			g.Expect(m.DeletionTimestamp.IsZero()).To(BeTrue(), "%s is deleted", m.Name)
			owners[fmt.Sprintf("media/%s/%s/", tenant, m.UID)] = true
		}
		g.Expect(p.left("uploads/", nil)).To(BeEmpty(), "unclaimed uploads")
		g.Expect(p.left("media/"+tenant+"/", owners)).To(BeEmpty(), "files without an item")
		g.Expect(p.unfinished()).To(BeEmpty(), "temporary files")
	}).WithTimeout(sweptAfter).WithPolling(slowPoll).Should(Succeed())
	for id := range p.kept {
		m := &v1beta1.MediaAsset{}
		if err := p.s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: fmt.Sprintf("media-%d", id)}, m); apierrors.IsNotFound(err) {
			t.Errorf("media item %d was kept but does not exist", id)
		}
	}
}

func (p *uploadLog) read(i mediaItem) (string, error) {
	if i.URL == nil {
		return "", errors.New("no URL")
	}
	res, err := http.Get(*i.URL)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	sum := md5.New()
	_, err = io.Copy(sum, res.Body)
	return base64.StdEncoding.EncodeToString(sum.Sum(nil)), err
}

// left returns the objects below a prefix, except those in the folders of owners.
func (p *uploadLog) left(prefix string, may map[string]bool) ([]string, error) {
	var out []string
	err := p.store.Walk(p.t.Context(), prefix, func(o blob.Object) error {
		if !may[o.Key[:strings.LastIndexByte(o.Key, '/')+1]] {
			out = append(out, o.Key)
		}
		return nil
	})
	slices.Sort(out)
	return out, err
}

// unfinished returns the temporary files of killed writers.
func (p *uploadLog) unfinished() (out []string) {
	_ = filepath.WalkDir(p.s.path("blobs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".tmp") {
			out = append(out, path)
		}
		return nil // a missing folder has no files
	})
	return out
}
