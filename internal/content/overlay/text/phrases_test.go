// SPDX-License-Identifier: Apache-2.0

package text

import (
	"strings"
	"testing"
)

// phraseTests are texts with their phrases as a reader separates them. A short noun such as 人 or 前 belongs to its
// modifier. The rules were tuned with tuned; kept was written at the same time and not used.
var phraseTests = map[string]struct{ tuned, kept []string }{
	"ja": {
		tuned: []string{
			"忙しい人の|ための|朝活", "あとで|見返せる|ように|保存してね", "毎朝の|習慣を|変える|方法", "今日は|とても|いい|天気です",
			"コーヒーを|飲む前に|水を|飲みましょう", "部屋を|きれいに|保つ|コツ", "スマホを|見ない|時間を|つくる", "初心者でも|簡単に|できる",
			"人と|白鷺しか|いません", "鴨川には、|散歩する人が|います", "自分に|合った|やり方を|見つける", "料理の|作り方を|紹介します",
			"お金が|たまる人の|共通点", "寝る前の|スマホは|やめる", "大切な|ことは|続ける|ことです", "忘れない|うちに|メモする",
			"これだけは|知って|ほしい", "引っ越しの|準備リスト", "女の子に|人気の|カフェ", "1日|5分で|始められる",
		},
		kept: []string{
			"疲れた|心を|癒やす|言葉", "簡単な|レシピを|3つ|紹介します", "水を|たくさん|飲む", "仕事が|早い人の|特徴", "夜は|スマホを|置いて|眠る",
			"毎日|少しずつ|続けよう", "朝ごはんを|食べる|習慣", "旅行の|持ち物を|チェックする", "家で|できる|運動", "失敗を|恐れない|ために",
			"読みたい|本が|見つかる", "お店に|行く前に|予約しましょう", "英語を|話せる|ように|なりたい人へ", "最後まで|見て|くれて|ありがとう",
		},
	},
	"zh": {
		tuned: []string{
			"改变|人生的|七个|早晨|习惯", "每天|早上|喝|一杯水", "如何|提高|工作|效率", "睡前|不要|看|手机", "今天|天气|很好", "我们|一起|努力",
			"简单的|方法|让|生活|更|美好", "新手|必须|知道的|三个|技巧", "省钱|其实|很|简单", "给|自己|一点|时间", "学会|拒绝|别人", "保持|专注的|秘密",
		},
		kept: []string{
			"健康|饮食的|五个|建议", "为什么|你|总是|觉得|累", "周末|适合|做的|事情", "坚持|运动|三十天", "如何|选择|合适的|面膜", "整理|房间的|步骤",
			"早餐|吃|什么|最|健康", "学习|英语的|好|方法", "和|朋友|一起|旅行", "别|忘记|收藏|这个|视频",
		},
	},
}

func TestPhrases(t *testing.T) {
	for language, sets := range phraseTests {
		for set, texts := range map[string][]string{"tuned": sets.tuned, "kept": sets.kept} {
			var right, wrong, missed int
			for _, want := range texts {
				at, ends := 0, map[int]bool{}
				for _, phrase := range strings.Split(want, "|") {
					at += len([]rune(phrase))
					ends[at] = true
				}
				delete(ends, at)
				runes := []rune(strings.ReplaceAll(want, "|", ""))
				var got strings.Builder
				start := 0
				for _, at := range append(Phrases(runes), len(runes)) {
					got.WriteString(string(runes[start:at]) + "|")
					if start = at; at == len(runes) {
						continue
					}
					if ends[at] {
						right++
					} else {
						wrong++
					}
					delete(ends, at)
				}
				missed += len(ends)
				if s := strings.TrimSuffix(got.String(), "|"); s != want {
					t.Logf("%s, %s: got %s, want %s", language, set, s, want)
				}
			}
			precision, recall := float64(right)/float64(right+wrong), float64(right)/float64(right+missed)
			t.Logf("%s, %s: %d texts, precision %.3f, recall %.3f", language, set, len(texts), precision, recall)
			if precision < 0.9 || recall < 0.8 {
				t.Errorf("%s, %s: %d right, %d wrong, %d missed", language, set, right, wrong, missed)
			}
		}
	}
}
