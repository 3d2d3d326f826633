// SPDX-License-Identifier: Apache-2.0

package avatar

// Every clip's size in pixels and its pictures a second.
const (
	Width  = 1080
	Height = 1920
	FPS    = 30
)

// Info says what a clip shows.
type Info struct {
	// Name is stable and can be the name of a Kubernetes object.
	Name string
	// Title and Description are for people and agents; Tags for search.
	Title, Description string
	Tags               []string
	// Frames of the clip, FPS a second.
	Frames int
}

type member struct {
	info Info
	look func() look
}

// All lists the clips, always in the same order.
func All() []Info {
	out := make([]Info, len(cast))
	for i, m := range cast {
		out[i] = m.describe()
	}
	return out
}

// Find gives one clip.
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
