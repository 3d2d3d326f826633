// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// find returns the first element with a role whose accessible name is name, or else contains it.
func (w *window) find(role, name string) (runtime.RemoteObjectID, error) {
	document, err := try(w, runtime.Evaluate, runtime.EvaluateParams{Expression: "document"})
	if err != nil {
		return "", err
	}
	tree, err := try(w, accessibility.QueryAXTree,
		accessibility.QueryAXTreeParams{ObjectID: document.Result.ObjectID, Role: role})
	if err != nil {
		return "", err
	}
	var names []string
	var found cdp.BackendNodeID
	for _, node := range tree.Nodes {
		if node.Ignored || node.Name == nil {
			continue
		}
		var is string
		if err := json.Unmarshal(node.Name.Value, &is); err != nil {
			return "", err
		}
		names = append(names, is)
		if is == name {
			found = node.BackendDOMNodeID
			break
		}
		if found == 0 && strings.Contains(is, name) {
			found = node.BackendDOMNodeID
		}
	}
	if found == 0 {
		return "", fmt.Errorf("there is no %s %q, only %q", role, name, names)
	}
	object, err := try(w, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: found})
	if err != nil {
		return "", err
	}
	return object.Object.ObjectID, nil
}

// on calls a function on an element and returns its result.
func on[T any](w *window, element runtime.RemoteObjectID, function string) (out T, err error) {
	res, err := try(w, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: function, ObjectID: element, ReturnByValue: new(true), AwaitPromise: new(true),
	})
	if err == nil && res.ExceptionDetails != nil {
		err = errors.New(res.ExceptionDetails.Text)
	}
	if err == nil && res.Result.Value != nil {
		err = json.Unmarshal(res.Result.Value, &out)
	}
	return out, err
}

// point returns where a user clicks on an element, or why that is impossible. The label stands for a hidden checkbox
// or radio button.
const point = `async function () {
	this.scrollIntoView({block: 'center', inline: 'nearest', behavior: 'instant'});
	await new Promise((done) => requestAnimationFrame(done));
	const box = this.matches('input[type=radio], input[type=checkbox]') && this.labels[0] || this;
	const r = box.getClientRects()[0];
	if (this.disabled) return {problem: 'it is disabled'};
	if (!r || r.width < 1 || r.height < 1) return {problem: 'it has no size'};
	const x = r.left + r.width / 2, y = r.top + r.height / 2;
	const at = document.elementFromPoint(x, y);
	if (at && (box.contains(at) || at.closest('label')?.control === this)) return {x, y};
	return {problem: 'it is covered by ' + (at ? at.outerHTML.slice(0, 200) : 'nothing')};
}`

// click clicks on an element as soon as that is possible.
func (w *window) click(role, name string) {
	w.t.Helper()
	w.clickWithin(waitTimeout, role, name)
}

func (w *window) clickWithin(timeout time.Duration, role, name string) {
	w.t.Helper()
	w.clicks++
	w.eventually(timeout, func() error {
		element, err := w.find(role, name)
		if err != nil {
			return err
		}
		at, err := w.place(element)
		if err != nil {
			return fmt.Errorf("%s %q: %w", role, name, err)
		}
		ctx, cancel := context.WithTimeout(w.ctx, callTimeout)
		defer cancel()
		return chromedp.Do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at.X, at.Y),
			chromedp.MouseClickXY(at.X, at.Y))
	})
}

// spot is a point of the window, in CSS pixels.
type spot struct{ X, Y float64 }

// place returns where a user clicks on an element.
func (w *window) place(element runtime.RemoteObjectID) (spot, error) {
	at, err := on[struct {
		spot
		Problem string
	}](w, element, point)
	if err == nil && at.Problem != "" {
		err = errors.New(at.Problem)
	}
	return at.spot, err
}

// drag drags an element, which a selector finds, by a number of pixels.
func (w *window) drag(selector string, dx, dy float64) {
	w.t.Helper()
	w.eventually(waitTimeout, func() error {
		found, err := try(w, runtime.Evaluate, runtime.EvaluateParams{
			Expression: "document.querySelector(" + quote(selector) + ")",
		})
		if err != nil || found.Result.ObjectID == "" {
			return errors.Join(err, fmt.Errorf("there is no %s", selector))
		}
		from, err := w.place(found.Result.ObjectID)
		if err != nil {
			return fmt.Errorf("%s: %w", selector, err)
		}
		ctx, cancel := context.WithTimeout(w.ctx, callTimeout)
		defer cancel()
		const steps = 8
		actions := []chromedp.Action[chromedp.Void]{
			chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, from.X, from.Y),
			chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, from.X, from.Y,
				chromedp.ButtonType(input.MouseButtonLeft), chromedp.ClickCount(1)),
		}
		for i := 1.0; i <= steps; i++ {
			actions = append(actions, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved,
				from.X+dx*i/steps, from.Y+dy*i/steps, chromedp.ButtonType(input.MouseButtonLeft)))
		}
		actions = append(actions, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, from.X+dx, from.Y+dy,
			chromedp.ButtonType(input.MouseButtonLeft), chromedp.ClickCount(1)))
		return chromedp.Do(ctx, actions...)
	})
}

// enter replaces the text of a field that the user clicks on.
func (w *window) enter(name, text string) {
	w.t.Helper()
	w.click("textbox", name)
	w.write(name, text)
}

// search replaces the text of a search field that the user clicks on.
func (w *window) search(name, text string) {
	w.t.Helper()
	w.click("searchbox", name)
	w.replace("searchbox", name, text)
}

// write replaces the text of the text field that has the focus.
func (w *window) write(name, text string) {
	w.t.Helper()
	w.replace("textbox", name, text)
}

// replace replaces the text of the field that has the focus.
func (w *window) replace(role, name, text string) {
	w.t.Helper()
	w.texts++
	w.eventually(waitTimeout, func() error {
		field, err := w.find(role, name)
		if err != nil {
			return err
		}
		focused, err := on[bool](w, field, `function () {
			if (document.activeElement !== this) return false;
			this.select();
			return true;
		}`)
		if err != nil || !focused {
			return errors.Join(err, fmt.Errorf("the field %q does not have the focus", name))
		}
		_, err = try(w, input.InsertText, input.InsertTextParams{Text: text})
		return err
	})
}

// choose chooses an option of a list with the keyboard. A user with a mouse needs two clicks.
func (w *window) choose(list, option string) {
	w.t.Helper()
	w.clicks += 2
	before := ""
	w.eventually(waitTimeout, func() error {
		element, err := w.find("combobox", list)
		if err != nil {
			return err
		}
		chosen, err := on[string](w, element,
			`function () { this.focus(); return this.selectedOptions[0]?.textContent ?? ''; }`)
		if err != nil || chosen == option {
			return err
		}
		if chosen == before { // the last option
			w.press(kb.Home)
		} else {
			w.press(kb.ArrowDown)
		}
		before = chosen
		return fmt.Errorf("the list %q has the option %q", list, chosen)
	})
}

// press presses and releases a key. The character is part of the event, so that a page that handles the key prevents
// what the browser would do with the character.
func (w *window) press(key string) {
	w.t.Helper()
	var character string
	events := kb.Encode([]rune(key)[0])
	for _, event := range events {
		if event.Type == kb.KeyChar {
			character = event.Text
		}
	}
	for _, event := range events {
		switch event.Type {
		case kb.KeyChar:
			continue
		case kb.KeyDown:
			event.Text = character
		}
		call(w, input.DispatchKeyEvent, *event)
	}
}

// sees waits until an element with a role and name is shown.
func (w *window) sees(role, name string) {
	w.t.Helper()
	w.seesWithin(waitTimeout, role, name)
}

func (w *window) seesWithin(timeout time.Duration, role, name string) {
	w.t.Helper()
	w.eventually(timeout, func() error {
		_, err := w.find(role, name)
		return err
	})
}

// reads waits until the page shows a text.
func (w *window) reads(text string) {
	w.t.Helper()
	w.readsWithin(waitTimeout, text)
}

func (w *window) readsWithin(timeout time.Duration, text string) {
	w.t.Helper()
	w.eventually(timeout, func() error {
		shown, err := tryRun[bool](w, "document.body.innerText.includes("+quote(text)+")")
		if err == nil && !shown {
			err = fmt.Errorf("the page does not show %q", text)
		}
		return err
	})
}
