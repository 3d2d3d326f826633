// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"testing"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// strike is one way in which a call fails.
type strike struct {
	name  string
	fault sandbox.Fault
	// ends cancels the caller's context when the fault is injected. dies also ends the process.
	ends, dies bool
}

// strikes are injected into every call.
var strikes = []strike{
	{name: "drop before", fault: sandbox.Fault{Do: sandbox.Drop}},
	{name: "drop after", fault: sandbox.Fault{Do: sandbox.Drop, When: sandbox.After}},
	{name: "drop after thrice", fault: sandbox.Fault{Do: sandbox.Drop, When: sandbox.After, Times: 3}},
	{name: "cut after", fault: sandbox.Fault{Do: sandbox.Cut, When: sandbox.After}},
	{name: "500 before", fault: sandbox.Fault{Do: sandbox.Status, Status: 500}},
	{name: "500 after", fault: sandbox.Fault{Do: sandbox.Status, Status: 500, When: sandbox.After}},
	{name: "503 after", fault: sandbox.Fault{Do: sandbox.Status, Status: 503, When: sandbox.After}},
	{name: "429", fault: sandbox.Fault{Do: sandbox.Status, Status: 429}},
	{name: "429 with a time", fault: sandbox.Fault{Do: sandbox.Status, Status: 429, RetryAfter: 90}},
	{name: "slow, lost before", fault: sandbox.Fault{Do: sandbox.Hang}, ends: true},
	{name: "slow, lost after", fault: sandbox.Fault{Do: sandbox.Hang, When: sandbox.After}, ends: true},
	{name: "slow, carried out late", fault: sandbox.Fault{Do: sandbox.Late}, ends: true},
	{name: "crash before", fault: sandbox.Fault{Do: sandbox.Hang}, ends: true, dies: true},
	{name: "crash after", fault: sandbox.Fault{Do: sandbox.Hang, When: sandbox.After}, ends: true, dies: true},
	{name: "crash, carried out late", fault: sandbox.Fault{Do: sandbox.Late}, ends: true, dies: true},
	{name: "token expires", fault: sandbox.Fault{Do: sandbox.Expire}},
}

// heavy are injected into the calls that upload a large video.
var heavy = []strike{strikes[0], strikes[1], strikes[5], strikes[13]}

// again are injected into calls that happen only because an earlier call failed.
var again = []strike{strikes[0], strikes[1], strikes[4], strikes[7], strikes[8], strikes[15]}

// at returns the fault for the call of a step.
func (w *world) at(s step, f sandbox.Fault) sandbox.Fault {
	f.Platform, f.Call, f.Skip = w.c.Platform, s.call, s.nth-1
	return f
}

// cell injects one failure into one call.
func (w *world) cell(t *testing.T, p path, conn *connection, s step, k strike) {
	w.reset(t)
	f := w.at(s, k.fault)
	if err := w.core.SetFaults(f); err != nil {
		t.Fatal(err)
	}
	d, want := w.begin(t, p, conn, s.String()+" "+k.name)
	d.crash = k.dies
	if k.ends {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		d.ctx = ctx
		w.strikes(cancel)
	}
	d.revoked = w.reconnects(t, conn, k)
	o := d.run()
	w.core.Quiet()
	w.judge(t, d, o, want)
	if left := w.core.Faults(); len(left) > 0 && f.Times <= 1 && s.nth == 1 {
		t.Errorf("the failure did not occur: %+v", left)
	}
}

// recovering drops the response to each call, and injects failures into the calls that happen only then. It returns the
// number of failures tried.
func (w *world) recovering(t *testing.T, p path, conn *connection, steps []step) int {
	first := strikes[1]
	tried, cells := map[string]bool{}, 0
	for _, s := range steps {
		tried[s.call] = true
	}
	for _, s := range steps {
		w.reset(t)
		if err := w.core.SetFaults(w.at(s, first.fault)); err != nil {
			t.Fatal(err)
		}
		d, _ := w.begin(t, p, conn, "recovering")
		d.run()
		for _, c := range w.core.Calls() {
			if tried[c.Call] {
				continue
			}
			tried[c.Call] = true
			for _, k := range again {
				cells++
				t.Run(s.String()+"/"+first.name+"/"+c.Call+"/"+k.name, func(t *testing.T) {
					w.reset(t)
					if err := w.core.SetFaults(w.at(s, first.fault), w.at(step{call: c.Call, nth: 1}, k.fault)); err != nil {
						t.Fatal(err)
					}
					d, want := w.begin(t, p, conn, "recovering "+k.name)
					d.revoked = w.reconnects(t, conn, k)
					w.judge(t, d, d.run(), want)
				})
			}
		}
	}
	return cells
}

// reconnects returns a function that connects the account again when expired tokens cannot be renewed. It returns nil
// for faults that do not expire tokens.
func (w *world) reconnects(t *testing.T, conn *connection, k strike) func() *connection {
	if k.fault.Do != sandbox.Expire {
		return nil
	}
	return func() *connection {
		*conn = *w.connect(t, conn.name)
		return conn
	}
}
