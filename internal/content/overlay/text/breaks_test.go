// SPDX-License-Identifier: Apache-2.0

package text

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ruleTests are texts with their expected lines in a column of the given ems. "|" ends a line.
var ruleTests = map[string]struct {
	width float64
	lines string
}{
	"en: compound before its hyphen":        {9, "Strictly|GDPR-compliant|storage"},
	"en: compound that a line has room for": {7.5, "medium-low|heat"},
	"en: compound longer than a line":       {7, "state-of-|the-art tools"},
	"en: range with its unit":               {7, "boil for|2-3 min"},
	"en: range without a hyphen":            {8.5, "Open from|8 am – 6 pm"},
	"en: dates":                             {7, "Sale until|March 5"},
	"en: page":                              {7.5, "Look up|on page 12"},
	"en: initial of a name":                 {8, "“Best app.”|- Priya N."},
	"en: initials in front":                 {9, "Read books|J. K. Rowling|wrote"},
	"en: title of a name":                   {7, "Thanks|to Dr. Li"},
	"en: leading dash":                      {6, "- one thing|at a time"},
	"en: dash between words":                {9, "Eat slowly –|it helps"},
	"en: hyphen between words":              {6.2, "Trattoria|Nona -|lunch now"},
	"en: telephone number":                  {9, "WhatsApp:|+44 7700 900123"},
	"en: years are no telephone number":     {6, "Paris 2019|2020"},
	"de: telephone number":                  {8, "Ruf an:|0761 5550123"},
	"en: attribution on a line of its own":  {12, "“It just works.”|– Anna Schmidt"},
	"en: emoji at the end":                  {8.5, "Save this|for later 🔖"},
	"en: address":                           {11, "Order at|lumen.example/desk"},
	"en: no short last word":                {13, "You can always|start over again"},
	"de: number and unit":                   {7.5, "Nimm jeden|Tag 2 TL"},
	"de: date":                              {8, "Bis zum|5. März frei"},
	"de: compound with a hyphen":            {9, "DSGVO-konform|speichern"},
	"de: long word":                         {12, "Donaudampfschiffe|fahren wieder"},
	"de: percent":                           {6.5, "Spare bis|zu 30 %"},
	"fr: marks with a space before":         {7.5, "Prêt pour|la suite ?"},
	"fr: quotation":                         {8, "Il a dit|« bonjour »"},
	"fr: price":                             {7, "Seulement|12,50 €"},
	"fr: thousands":                         {8, "Plus de|100 000 fans"},
	"ko: words stay whole":                  {8, "커피를 마시기|전에 물 한 잔"},
	"ko: number and counter":                {7, "매일 아침에|물 2 잔"},
	"ko: number in words":                   {7, "매일 아침에|물 한 잔을"},
	"ja: particle":                          {6.2, "毎朝の習慣を|変える方法"},
	"ja: adjective and its noun":            {6, "忙しい人の|ための朝活"},
	"ja: potential verb":                    {7.5, "あとで見返せる|ように保存"},
	"ja: closing mark":                      {6.2, "これは|本です。"},
	"ja: opening mark":                      {6.2, "毎日の|「朝活」を"},
	"ja: counter":                           {6.2, "朝を変える|5つの習慣"},
	"ja: places counted":                    {6.2, "片づけは|一か所だけ"},
	"ja: months counted":                    {6.2, "箱に入れて、|3か月待つ"},
	"ja: katakana word":                     {6.5, "おいしい|コーヒー"},
	"zh: words":                             {6.2, "改变人生的|七个早晨习惯"},
	"zh: counter":                           {5.2, "每天早上|喝一杯水"},
	"zh: what is counted":                   {4.2, "喝了|一杯水"},
	"zh: closing mark":                      {5.2, "早睡早起，|身体好。"},
	"zh: traditional":                       {6.2, "改變人生的|七個早晨習慣"},
	"zh: beside Latin":                      {6.4, "用AI写作|提高效率"},
}

func TestRules(t *testing.T) {
	for name, c := range ruleTests {
		want := strings.Split(c.lines, "|")
		joint := " "
		if strings.HasPrefix(name, "ja") || strings.HasPrefix(name, "zh") || strings.Contains(c.lines, "of-|") {
			joint = ""
		}
		in := strings.Join(want, joint)
		if diff := cmp.Diff(want, broken(t, in, c.width)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestBreak_ReportsStrain(t *testing.T) {
	for in, c := range map[string]struct {
		width float64
		want  Strain
	}{
		"two words":             {5, Strain{}},
		"GDPR-compliant":        {7, Strain{Torn: true}},
		"incomprehensibilities": {6, Strain{Wide: true}},
		"プレゼンテーションソフト":          {6, Strain{Torn: true}},
	} {
		if _, got := shape(t, "Inter", in).Break(c.width, false); got != c.want {
			t.Errorf("%s: %+v, want %+v", in, got, c.want)
		}
	}
}
