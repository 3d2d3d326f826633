// SPDX-License-Identifier: Apache-2.0

package lang

import "testing"

func TestDetect(t *testing.T) {
	cases := map[string]struct{ text, hint, want, why string }{
		"english":               {"The best way to start your day is a short walk.", "", "en", "function words"},
		"german":                {"Der Kaffee ist frisch geröstet und schmeckt nach Schokolade.", "", "de", "function words"},
		"spanish":               {"¿Sabes cómo dormir mejor? Apaga el móvil antes de ir a la cama.", "", "es", "function words and marks"},
		"portuguese":            {"Não é preciso gastar muito para viajar com a família.", "", "pt", "told apart from Spanish"},
		"russian":               {"Мы печём хлеб каждое утро и не добавляем ничего лишнего.", "", "ru", "letters and words"},
		"ukrainian":             {"Ми печемо хліб щоранку і не додаємо нічого зайвого.", "", "uk", "letters і and ї"},
		"japanese":              {"朝のコーヒーは一日の始まりです。", "", "ja", "kana"},
		"chinese":               {"每天早上喝一杯热咖啡。", "", "zh", "Han without kana"},
		"chinese, region":       {"每天早上喝一杯熱咖啡。", "zh-TW", "zh-TW", "the hint's region is kept"},
		"persian":               {"این قهوه را با شیر گرم بنوشید و لذت ببرید.", "", "fa", "words of its own"},
		"a wrong hint":          {"قهوتنا محمصة في البيت كل صباح", "en", "ar", "the script decides against the hint"},
		"a hint resolves a tie": {"Espresso Macchiato", "it", "it", "the text itself says nothing"},
		"few plain words":       {"Cold brew coffee", "", "en", "short plain text"},
		"no text":               {"🔥🔥 100%", "", "und", "no letters"},
		"no evidence":           {"lorem ipsum dolor amet consectetur adipiscing elit sed", "", "und", "no language known here"},
	}
	for name, c := range cases {
		if got := Detect(c.text, c.hint); got != c.want {
			t.Errorf("%s: got %s, want %s (%s)", name, got, c.want, c.why)
		}
	}
}
