// SPDX-License-Identifier: Apache-2.0

package voicing

import "testing"

func TestText(t *testing.T) {
	for name, c := range map[string]struct {
		blocks []string
		want   string
	}{
		"a heading and a body":               {[]string{"Three calm teas", "They help you sleep. Every night!"}, "Three calm teas. They help you sleep. Every night!"},
		"lines of the layout":                {[]string{"STOP\nSCROLLING\nnow"}, "STOP SCROLLING now."},
		"emoji":                              {[]string{"Tea 🍵 for you 👩🏽‍🚀", "🔥🔥"}, "Tea for you."},
		"a keycap":                           {[]string{"1️⃣ Boil water"}, "1 Boil water."},
		"a numbered list":                    {[]string{"1. Boil water\n2) Add tea\n03 Wait"}, "1, Boil water. 2, Add tea. 3, Wait."},
		"a number alone":                     {[]string{"01", "Boil water"}, "1. Boil water."},
		"a number that is not a list number": {[]string{"3 teas for you\n2024 was dry"}, "3 teas for you 2024 was dry."},
		"a decimal":                          {[]string{"1.5 litres a day"}, "1.5 litres a day."},
		"bullets":                            {[]string{"You need:\n• Water\n- Tea\n✓ Time"}, "You need: Water. Tea. Time."},
		"a link":                             {[]string{"Order at https://www.brew.example/shop?id=1&b=2 today"}, "Order at brew.example today."},
		"a host":                             {[]string{"Find us: brew.example"}, "Find us: brew.example."},
		"an abbreviation":                    {[]string{"Herbs, e.g. mint, help."}, "Herbs, e.g. mint, help."},
		"hashtags and handles":               {[]string{"Follow @brew #CalmTea"}, "Follow @brew CalmTea."},
		"Chinese":                            {[]string{"今天喝茶", "明天也喝。"}, "今天喝茶。 明天也喝。"},
		"a quotation":                        {[]string{"She said “stop!”", "Why"}, "She said “stop!” Why."},
		"an arrow":                           {[]string{"→ Next slide"}, "Next slide."},
		"nothing":                            {[]string{"", "🔥", "...", "—"}, ""},
		"a temperature and a price":          {[]string{"80 °C for 5 €"}, "80 °C for 5 €."},
		"marks without a sentence":           {[]string{"Why?", "(Because)"}, "Why? (Because)."},
		"a colon before a list":              {[]string{"Tip:", "Rinse the pot"}, "Tip: Rinse the pot."},
	} {
		if got := Text(c.blocks...); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
