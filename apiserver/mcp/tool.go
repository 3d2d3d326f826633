// SPDX-License-Identifier: Apache-2.0

package mcp

// tool is one tool: what an agent is told of it, and the operations behind it.
type tool struct {
	name, title string
	// about tells when to use the tool, what comes back, what to do next, and what bounds it.
	about string
	// reads says that it changes nothing, destroys that something may be lost or cannot be taken back, repeatable that doing
	// it again changes nothing more, outside that it reaches beyond this service.
	reads, destroys, repeatable, outside bool
	// variants are its operations. The first whose condition holds is called; the last has none.
	variants []variant
	// own are arguments that no operation knows, and what is to be said otherwise of those that one does.
	own map[string]object
	// gives are the main members of its data, which the output schema names.
	gives []string
	// images returns the pictures that belong to the data of a success, for include_images; nil: the tool has none.
	images func(data any) []picture
	// next says in a sentence what to do with a success; empty for nothing to say.
	next func(data any, in arguments) string
}

// variant is an operation of a tool.
type variant struct {
	operation string
	// given is an argument with which this operation is meant; with is the value that it has then, or in a list holds.
	given, with string
	// id is the argument that stands in the operation's path.
	id string
	// rename are members of the operation's body by the arguments that they are called here.
	rename map[string]string
}

// argument is what a member of the body is called here.
func (v *variant) argument(member string) string {
	for argument, m := range v.rename {
		if m == member {
			return argument
		}
	}
	return member
}

// choices are the arguments by whose value the tool picks an operation, with the values that there are.
func (t *tool) choices() map[string][]string {
	out := map[string][]string{}
	for _, v := range t.variants {
		if v.with != "" {
			out[v.given] = append(out[v.given], v.with)
		}
	}
	return out
}

// only is a tool of one operation; id names its path parameter, if it has one.
func only(operation string, id ...string) []variant {
	v := variant{operation: operation}
	if len(id) > 0 {
		v.id = id[0]
	}
	return []variant{v}
}

// said is more, or other, to say of an argument that an operation declares.
func said(description string) object { return object{"description": description} }
