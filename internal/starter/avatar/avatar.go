// SPDX-License-Identifier: Apache-2.0

package avatar

// Width, Height and FPS are the size of every clip in pixels and its frames per second.
const (
	Width  = 1080
	Height = 1920
	FPS    = 30
)

// Info describes a clip.
type Info struct {
	// Name identifies the clip. It never changes, and it is a valid name of a Kubernetes object.
	Name string
	// Title and Description are for users and agents; Tags are for search.
	Title, Description string
	Tags               []string
	// Frames is the length of the clip: FPS frames per second.
	Frames int
}

type member struct {
	info Info
	look func() look
}

// All returns the clips, always in the same order.
func All() []Info {
	out := make([]Info, len(cast))
	for i, m := range cast {
		out[i] = m.describe()
	}
	return out
}

// Find returns the clip with a name; false if there is none.
func Find(name string) (Info, bool) {
	m, ok := find(name)
	return m.describe(), ok
}

func (m member) describe() Info {
	i := m.info
	if m.look != nil {
		i.Frames = m.look().frames
	}
	i.Tags = append([]string(nil), i.Tags...)
	return i
}

func find(name string) (member, bool) {
	for _, m := range cast {
		if m.info.Name == name {
			return m, true
		}
	}
	return member{}, false
}
