// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// violation is a breach that no later state can fix.
type violation struct{ error }

// rest waits until every object has the state of the model, reads it again from the API server, and records the
// outcomes that are certain from then on.
func (h *history) rest(ctx context.Context) error {
	h.log("rest")
	var before *snapshot
	var breach error
	err := h.until(ctx, func(ctx context.Context) error {
		now, err := h.read(ctx, h.stage.cached, false)
		if err != nil {
			return err
		}
		quiet := now.same(before)
		before = now
		j := h.judge(ctx, now)
		if breach = j.breach; breach != nil {
			return nil //nolint:nilerr // a breach ends the wait, and rest returns it
		}
		if len(j.problems) > 0 || !quiet {
			return j.err("the namespace is still being written to")
		}
		live, err := h.read(ctx, h.stage.kube, true)
		if err != nil {
			return err
		}
		if !live.same(now) {
			return errors.New("the cache is behind")
		}
		j = h.judge(ctx, live)
		if breach = j.breach; breach != nil || len(j.problems) > 0 {
			return j.err("")
		}
		h.promises = j.promises
		h.tally.add(j.tally)
		breach = h.kubectlWaits(ctx, h.states.add(j.states))
		return nil
	})
	if breach != nil {
		return violation{breach}
	}
	if err != nil {
		return fmt.Errorf("no rest: %w", err)
	}
	h.tally.rests++
	return nil
}

// kubectlWaits compares the result of `kubectl wait` with the verdict for each object.
func (h *history) kubectlWaits(ctx context.Context, found []state) error {
	for _, f := range found {
		kind, _ := f.Object["kind"].(string)
		args := []string{"--kubeconfig", h.stage.kubeconfig, "-n", h.namespace, "wait", kind + ".reelops.dev/" + f.object.GetName(), "--for=condition=Ready", "--timeout=0s"}
		out, err := exec.CommandContext(ctx, h.stage.kubectl, args...).CombinedOutput() //nolint:gosec // the kubectl of the test cluster
		if err != nil && !strings.Contains(string(out), "condition not met") {
			return fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, out)
		}
		if (err == nil) == f.Verdict.ready(f.object) {
			continue
		}
		now, _ := f.object.DeepCopyObject().(client.Object)
		if err := h.stage.kube.Get(ctx, client.ObjectKeyFromObject(now), now); err != nil {
			return err
		}
		if now.GetResourceVersion() == f.object.GetResourceVersion() {
			return fmt.Errorf("%s is %s, and kubectl wait reports %q", named(f.object), f.Verdict, out)
		}
	}
	return nil
}

// allGood checks at a rest that everything is ready, or only waits for its time.
func (h *history) allGood(ctx context.Context) error {
	live, err := h.read(ctx, h.stage.kube, true)
	if err != nil {
		return err
	}
	j := h.judge(ctx, live)
	for _, s := range j.states {
		if s.Verdict != good && s.Verdict != planned {
			j.problem("%s: all dependencies exist again, and it is %s", named(s.object), s.Verdict)
		}
	}
	return errors.Join(j.breach, j.err(""))
}

func (t *tally) add(o tally) {
	t.actions += o.actions
	t.rests += o.rests
	t.promisedSent += o.promisedSent
	t.promisedUnsent += o.promisedUnsent
	t.healed += o.healed
}

func (j *judgement) err(otherwise string) error {
	switch {
	case len(j.problems) > 0:
		return errors.New(strings.Join(j.problems, "\n"))
	case otherwise != "":
		return errors.New(otherwise)
	}
	return nil
}

func named(o client.Object) string {
	return strings.TrimPrefix(fmt.Sprintf("%T", o), "*v1beta1.") + " " + o.GetName()
}
