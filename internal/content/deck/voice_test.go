// SPDX-License-Identifier: Apache-2.0

package deck_test

import (
	"testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
)

func TestVisualHash_Voice(t *testing.T) {
	hash := func(v *v1beta1.VoiceOver) string {
		s := generated()
		s.Spec.Voice = v
		return deck.VisualHash(s, deck.DesignOf(s, v1beta1.Design{}))
	}
	silent := hash(nil)
	if hash(&v1beta1.VoiceOver{Mode: "none", Name: "slt"}) != silent {
		t.Error("a disabled voice-over changes the video")
	}
	if hash(&v1beta1.VoiceOver{}) == silent || hash(&v1beta1.VoiceOver{}) != hash(&v1beta1.VoiceOver{Mode: "speak"}) {
		t.Error("a voice-over without a mode speaks")
	}
	if hash(&v1beta1.VoiceOver{Name: "slt"}) == hash(&v1beta1.VoiceOver{Name: "rms"}) {
		t.Error("another voice does not change the video")
	}
}

func TestApply_Voice(t *testing.T) {
	for name, c := range map[string]struct {
		now, to *v1beta1.VoiceOver
		changed bool
	}{
		"on":                {nil, &v1beta1.VoiceOver{Mode: "speak"}, true},
		"off":               {&v1beta1.VoiceOver{}, &v1beta1.VoiceOver{Mode: "none"}, true},
		"another voice":     {&v1beta1.VoiceOver{Name: "slt"}, &v1beta1.VoiceOver{Name: "rms"}, true},
		"the default voice": {&v1beta1.VoiceOver{Name: "slt"}, &v1beta1.VoiceOver{Mode: "speak"}, true},
		"enabled again":     {&v1beta1.VoiceOver{}, &v1beta1.VoiceOver{Mode: "speak"}, false},
		"disabled again":    {nil, &v1beta1.VoiceOver{Mode: "none"}, false},
		"not set":           {&v1beta1.VoiceOver{Name: "slt"}, nil, false},
	} {
		s := generated()
		s.Spec.Voice = c.now
		r, err := deck.Apply(s, nil, deck.Edit{Voice: c.to})
		if err != nil || r.Changed != c.changed || r.Visual != c.changed {
			t.Errorf("%s: got %+v, %v", name, r, err)
		}
	}
}
