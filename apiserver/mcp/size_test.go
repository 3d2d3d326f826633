// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"encoding/json"
	"testing"
)

// mostTokens limits the size of the tool list for an agent, at four characters per token.
const mostTokens = 12_000

func TestTheListOfToolsFitsItsBudget(t *testing.T) {
	w := newWorld(t)
	var answer struct {
		Result struct {
			Tools []struct {
				Name         string          `json:"name"`
				Description  string          `json:"description"`
				InputSchema  json.RawMessage `json:"inputSchema"`
				OutputSchema json.RawMessage `json:"outputSchema"`
			} `json:"tools"`
		} `json:"result"`
	}
	var all struct {
		Result struct {
			Tools []json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	body := w.post([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`), versions[0]).Body.Bytes()
	for _, to := range []any{&answer, &all} {
		if err := json.Unmarshal(body, to); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%-20s %7s %7s %7s %7s (characters)", "tool", "all", "text", "input", "output")
	for i, one := range answer.Result.Tools {
		t.Logf("%-20s %7d %7d %7d %7d", one.Name, len(all.Result.Tools[i]), len(one.Description), len(one.InputSchema), len(one.OutputSchema))
	}
	// The list grows with the operations. To shrink it, first remove descriptions that repeat others.
	t.Logf("the whole answer: %d characters, %d tokens; at most %d", len(body), len(body)/4, mostTokens)
	if len(body)/4 > mostTokens {
		t.Errorf("the list of tools has %d tokens, at most %d", len(body)/4, mostTokens)
	}
}
