// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/recreate"
	"github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/testkit"
)

// withUnits returns a model with settled units that are old enough.
func withUnits(t *testing.T, ids ...int64) *model {
	t.Helper()
	m := newModel(t, 1)
	m.settleNew(ids...)
	return m
}

// settleNew creates units and lets them grow old enough for the archive.
func (m *model) settleNew(ids ...int64) {
	m.as(func() {
		for _, id := range ids {
			m.create(settledUnit(modelNamespace, id).objects(), map[types.UID]types.UID{})
		}
	})
	m.clock.Step(2 * modelAfter)
}

// passes runs passes until one returns an error or until the condition holds. Units leave after two waits of the grace,
// and other work can make passes begin every 100 ms meanwhile.
func (p *process) passes(until func() bool) error {
	for range 200 {
		if until() {
			return nil
		}
		result, err := p.pass()
		p.m.check()
		if err != nil {
			return err
		}
		p.m.clock.Step(max(result.RequeueAfter, time.Millisecond))
	}
	return errors.New("200 passes are not enough")
}

// phase returns a condition: a segment has a phase.
func (m *model) phase(phase v1beta1.ArchivePhase) func() bool {
	return func() bool {
		return slices.ContainsFunc(m.archive().Status.Segments, func(s v1beta1.ArchiveSegment) bool {
			return s.Phase == phase
		})
	}
}

// inView reports whether all objects of a unit are in view.
func (m *model) inView(id int64) bool {
	for k, f := range m.facts {
		if f.unit == id && !isInView(m.api.objects[k]) {
			return false
		}
	}
	return true
}

// TestRestore_WhileItsObjectsAreDeleted requests a short whose hidden objects exist, because deleting them fails. They
// must not count as restored. Another request is served meanwhile.
func TestRestore_WhileItsObjectsAreDeleted(t *testing.T) {
	m := withUnits(t, 8)
	p := m.managers[0]
	m.must(p.passes(m.phase("")))
	m.settleNew(7)
	deletes := func(what string) testkit.Fault {
		if strings.HasPrefix(what, "delete ") {
			return testkit.Lost
		}
		return ""
	}
	p.onWrite = deletes
	if err := p.passes(func() bool { return false }); !errors.Is(err, testkit.ErrFault) || !m.phase("Deleting")() {
		t.Fatalf("got %v", err)
	}
	m.as(func() { m.restore(7, 8) })
	m.clock.Step(2 * cacheLag)
	if _, err := p.pass(); !errors.Is(err, testkit.ErrFault) {
		t.Errorf("got %v", err)
	}
	m.check()
	if !m.inView(8) || m.inView(7) || !slices.Equal(m.archive().Spec.Restore, []int64{7, 8}) {
		t.Errorf("8 is in view: %v, 7 is in view: %v, requested %v", m.inView(8), m.inView(7), m.archive().Spec.Restore)
	}
	p.onWrite = nil
	m.must(p.passes(func() bool { return len(m.archive().Spec.Restore) == 0 }))
	m.check()
	if !m.inView(7) {
		t.Error("7 is not in view")
	}
}

// TestRestore_FromASecondSegment restores a short again, and fails once while its objects are created. They must not be
// shown because the first segment, which still has its row, was once part of a complete restore.
func TestRestore_FromASecondSegment(t *testing.T) {
	m := withUnits(t, 1, 2, 3, 4, 5, 6)
	p := m.managers[0]
	settled := func() bool { return len(m.archive().Spec.Restore) == 0 && len(p.leaving()) == 0 }
	for range 2 {
		m.clock.Step(2 * modelAfter)
		m.must(p.passes(func() bool { return !m.inView(1) && settled() }))
		if len(m.archive().Status.Segments) == 1 {
			m.as(func() { m.restore(1) })
			m.clock.Step(2 * cacheLag)
			m.must(p.passes(settled))
		}
	}
	if n := len(m.archive().Status.Segments); n != 2 {
		t.Fatalf("there are %d segments", n)
	}
	m.as(func() { m.restore(1) })
	m.clock.Step(2 * cacheLag)
	failed := false
	p.onWrite = func(what string) testkit.Fault {
		m.check()
		if strings.HasPrefix(what, "create PostBatch") && !failed {
			failed = true
			return testkit.Lost
		}
		return ""
	}
	if _, err := p.pass(); !errors.Is(err, testkit.ErrFault) {
		t.Fatalf("got %v", err)
	}
	m.must(p.passes(settled))
	if !m.inView(1) {
		t.Error("1 is not in view")
	}
}

// TestHiding_WaitsAfterTheLastRequest hides a short with a request that takes longer than the grace. What belongs to it
// is hidden a grace later: a front end may have seen the short until the request had an effect.
func TestHiding_WaitsAfterTheLastRequest(t *testing.T) {
	m := withUnits(t, 7)
	p, hidden, early := m.managers[0], false, false
	p.onWrite = func(what string) testkit.Fault {
		if strings.HasPrefix(what, "patch Slideshow") {
			hidden = true
			m.clock.Step(2 * defaultGrace)
		}
		early = early || strings.HasPrefix(what, "patch RenderJob")
		return ""
	}
	for !hidden {
		result, err := p.pass()
		m.must(err)
		if !hidden {
			m.clock.Step(result.RequeueAfter)
		}
	}
	if _, err := p.pass(); err != nil || early {
		t.Errorf("got %v, the render is hidden: %v", err, early)
	}
}

// TestHiding_DamagedFiles loses a file of a segment while its objects are hidden. They are put back, also if the
// process ends before it shows them, and archived again.
func TestHiding_DamagedFiles(t *testing.T) {
	for _, ends := range []bool{false, true} {
		m := withUnits(t, 7, 8)
		p := m.managers[0]
		m.must(p.passes(m.phase(v1beta1.ArchiveHiding)))
		name := m.archive().Status.Segments[0].Name
		m.must(p.passes(func() bool { return !m.inView(7) }))
		delete(m.files.files, archive.Root+modelNamespace+"/"+name+"/posts.parquet")
		p.onWrite = func(what string) testkit.Fault {
			if ends && !strings.HasPrefix(what, "patch status Archive") {
				return testkit.Lost
			}
			return ""
		}
		err := p.passes(func() bool { return len(m.archive().Status.Segments) == 0 })
		if errors.Is(err, testkit.ErrFault) != ends || m.inView(7) == ends {
			t.Errorf("the process ends: %v: got %v, 7 is in view: %v", ends, err, m.inView(7))
		}
		p.onWrite = nil
		m.clock.Step(modelAfter / 2)
		m.settle()
		if !m.inView(7) || !m.inView(8) {
			t.Errorf("the process ends: %v: the objects are not in view", ends)
		}
		m.clock.Step(2 * modelAfter)
		m.settle()
		if m.inView(7) || m.inView(8) {
			t.Errorf("the process ends: %v: the units are not archived again", ends)
		}
	}
}

// TestDeleting_DamagedFiles loses a file before the objects are deleted: they stay, hidden. When an operator removes
// the entry of the segment, they are shown.
func TestDeleting_DamagedFiles(t *testing.T) {
	m := withUnits(t, 7)
	p := m.managers[0]
	p.onWrite = func(what string) testkit.Fault {
		if strings.HasPrefix(what, "delete ") {
			return testkit.Lost
		}
		return ""
	}
	if err := p.passes(func() bool { return false }); !errors.Is(err, testkit.ErrFault) {
		t.Fatal(err)
	}
	p.onWrite = nil
	objects := len(m.api.objects)
	for key := range m.files.files {
		delete(m.files.files, key)
	}
	if _, err := p.pass(); !errors.Is(err, archive.ErrDamaged) || len(m.api.objects) != objects {
		t.Errorf("got %v, %d objects, want %d", err, len(m.api.objects), objects)
	}
	a := m.archive().DeepCopy()
	a.Status.Segments = nil
	m.as(func() { m.status(m.archive(), a) })
	m.settle()
	if !m.inView(7) {
		t.Error("the objects are not shown")
	}
}

// TestCheck_InterruptedRelease restores a short of which a backup had one object, and fails the first write that shows
// another one. The object of the backup is in view all the time.
func TestCheck_InterruptedRelease(t *testing.T) {
	m := withUnits(t, 7)
	p := m.managers[0]
	m.must(p.passes(m.phase("")))
	u, err := unstructuredOf(m.decoded(&m.archive().Status.Segments[0])[0].objects()[0])
	m.must(err)
	const mark = "reelops.dev/restore"
	c, _ := recreate.Source{Annotation: mark, ID: "b"}.Prepare(u, nil)
	u, err = recreate.Create(t.Context(), p.r.Client, c)
	m.must(err)
	m.must(recreate.Release(t.Context(), p.r.Client, u, mark))
	m.edit(m.archive(), false, func(o client.Object) {
		o.SetAnnotations(map[string]string{v1beta1.AnnotationCheckArchive: "true"})
	})
	failed := false
	p.onWrite = func(what string) testkit.Fault {
		if strings.HasPrefix(what, "patch Post ") && !failed {
			failed = true
			return testkit.Lost
		}
		return ""
	}
	for range 10 {
		_, _ = p.pass()
		m.clock.Step(2 * cacheLag)
	}
	if m.check(); !failed || !m.inView(7) {
		t.Errorf("a write failed: %v, 7 is in view: %v", failed, m.inView(7))
	}
}

// TestTwoManagers runs passes of a second manager at each write of a first one, which archives two shorts and restores
// one of them.
func TestTwoManagers(t *testing.T) {
	pass := func(m *model, passes int) {
		for range passes {
			_, _ = m.managers[1].pass()
			m.clock.Step(defaultGrace + time.Millisecond)
		}
	}
	for name, other := range map[string]func(*model){
		"one pass":   func(m *model) { pass(m, 1) },
		"all phases": func(m *model) { pass(m, 6) },
		"a request": func(m *model) {
			if m.archive().UID != "" {
				m.as(func() { m.restore(7) })
				m.clock.Step(2 * cacheLag)
			}
			pass(m, 2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			// script returns the number of writes of the first manager. The second one runs before write number at.
			script := func(at int) (writes int) {
				m := withUnits(t, 7, 8)
				p := m.managers[0]
				p.onWrite = func(string) testkit.Fault {
					m.check()
					if writes++; writes == at {
						other(m)
						m.check()
					}
					return ""
				}
				for range 2 {
					for range 8 {
						result, _ := p.pass()
						m.check()
						m.clock.Step(min(max(result.RequeueAfter, time.Millisecond), time.Minute))
					}
					if m.archive().UID != "" {
						m.as(func() { m.restore(7) })
					}
				}
				p.onWrite = nil
				m.settle()
				return writes
			}
			writes := script(0)
			if writes < 40 {
				t.Fatalf("the script has %d writes", writes)
			}
			for at := 1; at <= writes; at++ {
				if !testing.Short() || at%3 == 0 {
					script(at)
				}
			}
		})
	}
}

// TestPersist_WhileRestoresAreRequested requests a restore before each write of the status. The requests change the
// Archive, and must not keep units from leaving.
func TestPersist_WhileRestoresAreRequested(t *testing.T) {
	m := withUnits(t, 7)
	p := m.managers[0]
	m.must(p.passes(m.phase("")))
	m.settleNew(8)
	p.onWrite = func(what string) testkit.Fault {
		if what == "patch status Archive archive" {
			m.as(func() { m.restore(7) })
		}
		return ""
	}
	left := func() bool {
		return !m.inView(8) && m.phase("")() && !m.phase("Deleting")() && !m.phase("Hiding")()
	}
	m.must(p.passes(left))
}

// TestStore_OfASuspendedProcess suspends a process for hours after it has written files. It must not list them: a sweep
// may have deleted them.
func TestStore_OfASuspendedProcess(t *testing.T) {
	m := withUnits(t, 7)
	p := m.managers[0]
	p.onWrite = func(what string) testkit.Fault {
		if strings.HasPrefix(what, "store put") {
			m.clock.Step(2 * time.Hour)
		}
		return ""
	}
	if _, err := p.pass(); err == nil || len(m.archive().Status.Segments) > 0 {
		t.Errorf("got %v, with segments %v", err, m.archive().Status.Segments)
	}
	p.onWrite = nil
	m.must(p.passes(m.phase("")))
}
