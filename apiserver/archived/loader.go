// SPDX-License-Identifier: Apache-2.0

package archived

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/internal/store/archive"
)

// Store reads the segments of archives. archive.Store implements it.
type Store interface {
	ShortKeys(ctx context.Context, namespace string, seg *v1beta1.ArchiveSegment) ([]archive.ShortKey, error)
	PostKeys(ctx context.Context, namespace string, seg *v1beta1.ArchiveSegment) ([]archive.PostKey, error)
	Texts(ctx context.Context, namespace string, seg *v1beta1.ArchiveSegment) ([]archive.Text, error)
	Shorts(ctx context.Context, namespace string, seg *v1beta1.ArchiveSegment, rows []int) ([]archive.Short, error)
	Posts(ctx context.Context, namespace string, seg *v1beta1.ArchiveSegment, rows []int) ([]archive.Post, error)
}

// MostBytes is the default limit of the memory for archived records, in bytes. It is enough for the keys of 50,000
// shorts with four posts each. The resident memory grows by up to three times as much, with garbage that is not
// collected yet.
const MostBytes = 64 << 20

const (
	// readsAtOnce is the maximum number of reads of keys or texts at the same time; others wait.
	readsAtOnce = 4
	// readTime is the timeout of one such read, independent of the callers.
	readTime = 30 * time.Second
)

// Loader keeps the keys of archives in the lists while they are in use. It is safe for concurrent use. A nil Loader has
// no archives.
type Loader struct {
	objects       *Objects
	store         Store
	shorts, posts *records
	most          int64

	// loading shares loads into the lists and reads of segments between concurrent callers.
	loading singleflight.Group
	slots   chan struct{}

	mu sync.Mutex
	// recent holds *account and *texts values, most recently used first.
	recent *list.List
	bytes  int64
}

// records are the archived shorts, or the archived posts.
type records struct {
	lists lists
	// read reads the keys of a segment.
	read func(ctx context.Context, namespace string, entry *v1beta1.ArchiveSegment) (*index.Segment, error)
	// accounts by namespace, protected by the lock of the Loader.
	accounts map[string]*account
}

// lists are implemented by index.Shorts and index.Posts.
type lists interface {
	SetArchive(namespace string, parts []index.ArchivePart) error
	DropArchive(namespace string)
}

// account holds the keys of the shorts, or of the posts, of one namespace.
type account struct {
	*records
	namespace string
	// applied is the Archive that the lists show; nil before the keys are in the lists.
	applied *v1beta1.Archive
	// loaded are the segments whose keys were read, by name.
	loaded map[string]*index.Segment
	// texts are the text indexes of its shorts.
	texts map[textsOf]*list.Element
	// holds is the number of readers. While there are any, the keys stay.
	holds   int
	element *list.Element
}

// NewLoader returns a Loader for the archives of objects. It uses about most bytes, more only while readers hold more.
func NewLoader(objects *Objects, store Store, shorts *index.Shorts, posts *index.Posts, most int64) *Loader {
	return &Loader{
		objects: objects, store: store, most: most,
		shorts: &records{shorts, reader("shorts", store.ShortKeys, index.ShortSegment), map[string]*account{}},
		posts:  &records{posts, reader("posts", store.PostKeys, index.PostSegment), map[string]*account{}},
		slots:  make(chan struct{}, readsAtOnce), recent: list.New(),
	}
}

// reader returns a function that reads the keys of a segment. kind is in its errors.
func reader[K any](
	kind string,
	read func(context.Context, string, *v1beta1.ArchiveSegment) ([]K, error),
	segmentOf func(*v1beta1.ArchiveSegment, []K) (*index.Segment, error),
) func(context.Context, string, *v1beta1.ArchiveSegment) (*index.Segment, error) {
	return func(ctx context.Context, namespace string, entry *v1beta1.ArchiveSegment) (*index.Segment, error) {
		keys, err := read(ctx, namespace, entry)
		if err != nil {
			return nil, err
		}
		s, err := segmentOf(entry, keys)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", archive.ErrDamaged, kind, err)
		}
		return s, nil
	}
}

// noArchive is the applied Archive of a namespace whose Archive was deleted.
var noArchive = &v1beta1.Archive{}

// Await returns once a condition is met by the Archive of a namespace, which is nil if there is none. The error is that
// of the context.
func (l *Loader) Await(ctx context.Context, namespace string, met func(*v1beta1.Archive) bool) error {
	if l == nil {
		return (*Objects)(nil).Await(ctx, namespace, met)
	}
	return l.objects.Await(ctx, namespace, met)
}

// HoldShorts loads the keys of the archived shorts of a namespace into their lists, and keeps them there until release
// is called. An *Error means that the archive cannot be read at present.
func (l *Loader) HoldShorts(ctx context.Context, namespace string) (release func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	return l.holdListed(ctx, namespace, l.shorts)
}

// HoldPosts is like HoldShorts, for posts.
func (l *Loader) HoldPosts(ctx context.Context, namespace string) (release func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	return l.holdListed(ctx, namespace, l.posts)
}

func (l *Loader) holdListed(ctx context.Context, namespace string, of *records) (release func(), err error) {
	a := l.hold(namespace, of)
	if a == nil {
		return func() {}, nil
	}
	for {
		want := l.objects.Get(namespace)
		if want == nil {
			want = noArchive
		}
		l.mu.Lock()
		current := a.applied == want
		l.mu.Unlock()
		if current {
			return sync.OnceFunc(func() { l.release(a) }), nil
		}
		if err := l.load(ctx, a, want); err != nil {
			return nil, err
		}
	}
}

// PostsOf returns the segments that hold the posts of a short, with the keys of their posts. It reads only these, while
// HoldPosts reads all segments. The caller holds the shorts of the namespace. An *Error means that a segment cannot be
// read at present.
func (l *Loader) PostsOf(ctx context.Context, namespace string, short int64) ([]*index.Segment, error) {
	entries := l.holding(namespace, short)
	if len(entries) == 0 {
		return nil, nil
	}
	a := l.hold(namespace, l.posts)
	if a == nil { // the Archive was deleted since
		return nil, nil
	}
	defer l.release(a)
	out := make([]*index.Segment, len(entries))
	for i, entry := range entries {
		var err error
		if out[i], err = l.segment(ctx, a, entry); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// holding returns the segments of the Archive in the lists that hold a short, except those without posts.
func (l *Loader) holding(namespace string, short int64) (out []*v1beta1.ArchiveSegment) {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.shorts.accounts[namespace]
	if a == nil || a.applied == nil { // the namespace had no archive when the caller held it
		return nil
	}
	for i := range a.applied.Status.Segments {
		entry := &a.applied.Status.Segments[i]
		if entry.Posts > 0 && a.loaded[entry.Name].Has(short) && a.applied.Holds(entry, short) {
			out = append(out, entry)
		}
	}
	return out
}

// hold returns an account of a namespace and keeps it in memory; nil if the namespace has no archive.
func (l *Loader) hold(namespace string, of *records) *account {
	archived := l.objects.Get(namespace) != nil
	l.mu.Lock()
	defer l.mu.Unlock()
	a := of.accounts[namespace]
	if a == nil {
		if !archived {
			return nil
		}
		a = &account{
			records: of, namespace: namespace,
			loaded: map[string]*index.Segment{}, texts: map[textsOf]*list.Element{},
		}
		a.element = l.recent.PushFront(a)
		of.accounts[namespace] = a
	}
	a.holds++
	l.recent.MoveToFront(a.element)
	return a
}

func (l *Loader) release(a *account) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.holds--
	l.evict()
}

// load makes the lists show an Archive, or an earlier one for which a load is in progress: concurrent calls share it.
// The load continues if the caller that began it leaves. On an error load releases the account, but only when the load
// has ended.
func (l *Loader) load(ctx context.Context, a *account, want *v1beta1.Archive) error {
	result := l.loading.DoChan(fmt.Sprintf("%p", a), func() (any, error) {
		return nil, l.apply(context.WithoutCancel(ctx), a, want)
	})
	select {
	case r := <-result:
		if r.Err != nil {
			l.release(a)
		}
		return r.Err
	case <-ctx.Done():
		go func() {
			<-result
			l.release(a)
		}()
		return ctx.Err()
	}
}

// apply reads the keys of new segments and changes the lists. The caller holds the account.
func (l *Loader) apply(ctx context.Context, a *account, want *v1beta1.Archive) error {
	var g errgroup.Group
	g.SetLimit(readsAtOnce)
	parts := make([]index.ArchivePart, len(want.Status.Segments))
	for i := range parts {
		g.Go(func() (err error) {
			entry := &want.Status.Segments[i]
			parts[i].Removed = removedFrom(want, entry)
			parts[i].Segment, err = l.segment(ctx, a, entry)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if err := a.lists.SetArchive(a.namespace, parts); err != nil {
		return fmt.Errorf("listing the archive of %s: %w", a.namespace, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a.applied = want
	for name, s := range a.loaded {
		if !slices.ContainsFunc(parts, func(p index.ArchivePart) bool { return p.Segment == s }) {
			l.bytes -= s.Bytes()
			delete(a.loaded, name)
			l.forgetTexts(a, s)
		}
	}
	l.evict()
	return nil
}

// removedFrom returns the ids of the shorts whose rows in a segment are not valid.
func removedFrom(a *v1beta1.Archive, s *v1beta1.ArchiveSegment) map[int64]struct{} {
	out := make(map[int64]struct{}, len(s.Removed)+len(s.Expired))
	for _, id := range slices.Concat(s.Removed, s.Expired) {
		if !a.Holds(s, id) {
			out[id] = struct{}{}
		}
	}
	return out
}

// segment returns the keys of a segment, from memory if they were read before: the files of a segment never change. The
// caller holds the account.
func (l *Loader) segment(ctx context.Context, a *account, entry *v1beta1.ArchiveSegment) (*index.Segment, error) {
	loaded := func() *index.Segment {
		l.mu.Lock()
		defer l.mu.Unlock()
		return a.loaded[entry.Name]
	}
	key := fmt.Sprintf("%p/%s", a, entry.Name)
	return shared(ctx, l, key, loaded, func(ctx context.Context) (s *index.Segment, err error) {
		entry := entry.DeepCopy()
		entry.Removed, entry.Expired = nil, nil // they change, and can be long
		err = l.read(ctx, a.namespace, entry, func(ctx context.Context) error {
			s, err = a.read(ctx, a.namespace, entry)
			return err
		})
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if a.accounts[a.namespace] == a { // otherwise all callers have left, and the account was dropped
			a.loaded[entry.Name] = s
			l.bytes += s.Bytes()
		}
		return s, nil
	})
}

// shared returns the value that kept returns, or if this is nil, the result of read. Concurrent callers with the same
// key share one call of read, which continues if a caller leaves.
func shared[T any](
	ctx context.Context, l *Loader, key string, kept func() *T, read func(context.Context) (*T, error),
) (*T, error) {
	if v := kept(); v != nil {
		return v, nil
	}
	result := l.loading.DoChan(key, func() (any, error) {
		if v := kept(); v != nil { // another caller read it since
			return v, nil
		}
		return read(context.WithoutCancel(ctx))
	})
	select {
	case r := <-result:
		v, _ := r.Val.(*T)
		return v, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// read reads a segment when a slot is free.
func (l *Loader) read(
	ctx context.Context, namespace string, s *v1beta1.ArchiveSegment, read func(context.Context) error,
) error {
	l.slots <- struct{}{}
	defer func() { <-l.slots }()
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	return failed(namespace, s, read(ctx))
}

// Error means that a segment cannot be read. The same read may succeed later.
type Error struct {
	namespace, segment string
	err                error
}

// failed returns an *Error for an error of the store.
func failed(namespace string, s *v1beta1.ArchiveSegment, err error) error {
	if err == nil {
		return nil
	}
	return &Error{namespace, s.Name, err}
}

func (e *Error) Error() string {
	return fmt.Sprintf("reading segment %s of the archive of %s: %v", e.segment, e.namespace, e.err)
}

// Unwrap returns the error of the store.
func (e *Error) Unwrap() error { return e.err }

// Unavailable marks the error as that of a dependency that does not respond.
func (e *Error) Unavailable() bool { return true }

// Replaced reports whether an error means that a file is missing or damaged. The reader can then release the namespace
// and hold it again, because compaction replaces segments by others and deletes their files.
func Replaced(err error) bool { return errors.Is(err, archive.ErrDamaged) }

// evict drops what was not used for the longest time while the limit is exceeded. Accounts that are held stay. The
// caller holds the lock.
func (l *Loader) evict() {
	for e := l.recent.Back(); e != nil && l.bytes > l.most; {
		next := e.Prev()
		switch v := e.Value.(type) {
		case *texts:
			l.dropTexts(v)
		case *account:
			if v.holds == 0 {
				l.unload(v)
				next = l.recent.Back() // its text indexes were dropped too
			}
		}
		e = next
	}
}

func (l *Loader) unload(a *account) {
	a.lists.DropArchive(a.namespace)
	for _, s := range a.loaded {
		l.bytes -= s.Bytes()
		l.forgetTexts(a, s)
	}
	l.recent.Remove(a.element)
	delete(a.accounts, a.namespace)
}

// Shorts returns the rows of shorts, in the given order. It calls the store once for each segment. An *Error means that
// they cannot be read at present.
func (l *Loader) Shorts(ctx context.Context, namespace string, rows []*index.Row) ([]archive.Short, error) {
	return rowsOf(ctx, namespace, rows, l.store.Shorts)
}

// Posts is like Shorts, for posts.
func (l *Loader) Posts(ctx context.Context, namespace string, rows []*index.Row) ([]archive.Post, error) {
	return rowsOf(ctx, namespace, rows, l.store.Posts)
}

func rowsOf[R any](
	ctx context.Context, namespace string, rows []*index.Row,
	read func(context.Context, string, *v1beta1.ArchiveSegment, []int) ([]R, error),
) ([]R, error) {
	type wanted struct{ at, numbers []int }
	of := map[*v1beta1.ArchiveSegment]*wanted{}
	for i, r := range rows {
		if of[r.Segment] == nil {
			of[r.Segment] = &wanted{}
		}
		of[r.Segment].at = append(of[r.Segment].at, i)
		of[r.Segment].numbers = append(of[r.Segment].numbers, r.Number)
	}
	out := make([]R, len(rows))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(readsAtOnce)
	for s, w := range of {
		g.Go(func() error {
			found, err := read(ctx, namespace, s, w.numbers)
			if err == nil && len(found) != len(w.numbers) {
				err = fmt.Errorf("%w: got %d of %d rows", archive.ErrDamaged, len(found), len(w.numbers))
			}
			if err != nil {
				return failed(namespace, s, err)
			}
			for i, at := range w.at {
				out[at] = found[i]
			}
			return nil
		})
	}
	return out, g.Wait()
}

// textsOf identifies the texts of a brand in a segment.
type textsOf struct {
	segment *index.Segment
	brand   string
}

// texts is a text index that is kept for the next search.
type texts struct {
	account *account
	of      textsOf
	words   *index.Words
}

// Words returns the text indexes of the shorts of a brand in some segments of a namespace that the caller holds. An
// *Error means that they cannot be read at present.
func (l *Loader) Words(
	ctx context.Context, namespace, brand string, segments []*index.Segment,
) (map[*index.Segment]*index.Words, error) {
	out := make([]*index.Words, len(segments))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(readsAtOnce)
	for i, s := range segments {
		g.Go(func() (err error) {
			out[i], err = l.words(ctx, namespace, textsOf{s, brand})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	words := make(map[*index.Segment]*index.Words, len(segments))
	for i, s := range segments {
		words[s] = out[i]
	}
	return words, nil
}

func (l *Loader) words(ctx context.Context, namespace string, of textsOf) (*index.Words, error) {
	kept := func() *index.Words { return l.keptWords(namespace, of) }
	key := fmt.Sprintf("%p/%s", of.segment, of.brand)
	return shared(ctx, l, key, kept, func(ctx context.Context) (w *index.Words, err error) {
		entry := of.segment.Entry()
		err = l.read(ctx, namespace, entry, func(ctx context.Context) error {
			read, err := l.store.Texts(ctx, namespace, entry)
			if err != nil {
				return err
			}
			w = index.WordsOf(of.segment, of.brand, read)
			return nil
		})
		if err == nil {
			l.keepWords(namespace, of, w)
		}
		return w, err
	})
}

func (l *Loader) keptWords(namespace string, of textsOf) *index.Words {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.shorts.accounts[namespace]
	if a == nil || a.texts[of] == nil {
		return nil
	}
	l.recent.MoveToFront(a.texts[of])
	return a.texts[of].Value.(*texts).words
}

// keepWords keeps a text index, unless its segment has left the archive meanwhile.
func (l *Loader) keepWords(namespace string, of textsOf, w *index.Words) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.shorts.accounts[namespace]
	if a == nil {
		return
	}
	if a.loaded[of.segment.Entry().Name] != of.segment {
		return
	}
	a.texts[of] = l.recent.PushFront(&texts{a, of, w})
	l.bytes += w.Bytes()
	l.evict()
}

func (l *Loader) dropTexts(t *texts) {
	l.bytes -= t.words.Bytes()
	l.recent.Remove(t.account.texts[t.of])
	delete(t.account.texts, t.of)
}

// forgetTexts drops the text indexes of a segment.
func (l *Loader) forgetTexts(a *account, s *index.Segment) {
	for of, e := range a.texts {
		if of.segment == s {
			l.dropTexts(e.Value.(*texts))
		}
	}
}
