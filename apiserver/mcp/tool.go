// SPDX-License-Identifier: Apache-2.0

package mcp

// tool is one tool: its description for agents, and the operations behind it.
type tool struct {
	name, title string
	// about describes when to use the tool, what it returns, the next step and the limits.
	about string
	// reads means that the tool changes nothing. destroys means that something may be lost or cannot be undone.
	// repeatable means that repeating a call changes nothing more. outside means that the tool affects systems beyond
	// this service.
	reads, destroys, repeatable, outside bool
	// variants are the tool's operations. The first one whose condition holds is called; the last has no condition.
	variants []variant
	// own holds arguments that no operation has, and changed descriptions of arguments that operations have.
	own map[string]object
	// gives lists the main members of the data, for the output schema.
	gives []string
	// images returns the images that belong to the data of a success, for include_images; nil if the tool has none.
	images func(data any) []picture
	// next returns a sentence on the next step after a success; empty for none.
	next func(data any, in arguments) string
}

// variant is an operation of a tool.
type variant struct {
	operation string
	// given is the argument that selects this operation. with is the value that the argument must have or, if it is a
	// list, must contain.
	given, with string
	// id is the argument for the operation's path parameter.
	id string
	// rename maps arguments to the body members that they set, where the names differ.
	rename map[string]string
}

// argument returns the name of the argument for a body member.
func (v *variant) argument(member string) string {
	for argument, m := range v.rename {
		if m == member {
			return argument
		}
	}
	return member
}

// choices returns the arguments whose value selects an operation, with their possible values.
func (t *tool) choices() map[string][]string {
	out := map[string][]string{}
	for _, v := range t.variants {
		if v.with != "" {
			out[v.given] = append(out[v.given], v.with)
		}
	}
	return out
}

// only returns the variants of a tool with one operation. id is the argument for its path parameter, if there is one.
func only(operation string, id ...string) []variant {
	v := variant{operation: operation}
	if len(id) > 0 {
		v.id = id[0]
	}
	return []variant{v}
}

// withText returns a schema that replaces only the description of an argument.
func withText(description string) object { return object{"description": description} }
