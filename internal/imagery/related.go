// SPDX-License-Identifier: Apache-2.0

package imagery

import "strings"

// topics joins the words people write with the words pictures are tagged with:
// left of the colon what may stand in a slide, right what then fits.
const topics = `
money cash budget saving savings save invest investing investment investor stock stocks wealth rich income salary tax debt credit bank banking fund crypto bitcoin price profit revenue: finance business luxury success gold city
business startup company founder entrepreneur sales marketing customer client brand strategy growth market ecommerce agency: business success city finance technology bold motivation
work office job career hustle productivity productive focus deadline meeting team remote interview manager leadership: focus business city morning motivation workspace minimal
tech software app code coding developer programming data ai algorithm cloud server digital computer website internet robot automation cyber security api: technology data network business dark blue
goal goals success win winning achieve discipline habit habits motivation motivated grind ambition mindset confidence challenge: motivation success mountains sunrise strength mindset bold
fitness gym workout exercise training run running muscle sport sports athlete marathon strong strength cardio: strength motivation energy bold mountains health sunrise
health healthy wellness doctor vitamin immune body weight diet nutrition medical: health wellness fresh green nature clean
food recipe cook cooking eat meal breakfast dinner lunch kitchen healthy vegetable vegan fruit baking snack: food fresh warm cosy green kitchen
coffee tea cafe latte espresso drink: coffee morning cosy warm brown home
sleep insomnia bed bedroom pillow bedtime rest nap tired night dream: night moon calm sleep stars quiet dream
stress anxiety anxious calm relax relaxing relaxation breathe breathing burnout peace peaceful therapy mental: calm meditation water nature soft zen wellness
meditation meditate yoga mindfulness mindful spiritual soul zen pray prayer faith: meditation calm zen spiritual nature minimal
love relationship dating couple wedding marriage romance romantic heart valentine partner: love romantic rose pink soft sunset
beauty skincare skin makeup cosmetic cosmetics hair glow serum spa perfume: beauty soft pink elegant luxury rose self-care
fashion style outfit dress clothes wardrobe jewelry: fashion elegant luxury beauty minimal
travel trip vacation holiday flight journey adventure explore tourist hotel destination passport: travel adventure ocean mountains desert beach sky
beach sea ocean swim surf island coast tropical: ocean beach waves water summer travel
nature forest tree trees garden plant plants hike hiking outdoor outdoors camping environment earth green eco sustainable climate: nature green forest leaves mountains plants
home house apartment decor interior furniture room living rent mortgage estate property cleaning: home interior cosy room minimal city
family kids child children baby parent parents parenting mom dad mother father: home cosy warm soft playful family
school study studying student learn learning exam education teacher class university college course lesson: study focus education cosy books minimal
book books read reading novel author write writing story journal: books cosy study calm home paper
creative creativity art artist design designer draw drawing paint craft idea ideas inspiration: creative art colourful craft design abstract
music song playlist concert dance party festival club dj: music party neon lights night celebration
birthday celebrate celebration anniversary party congratulations gift: celebration party lights gold festive
christmas xmas santa holiday holidays december: christmas winter festive snow lights
ramadan eid mosque fasting: ramadan moon night crescent
halloween spooky scary ghost horror: halloween night moon dark mystery
space planet universe galaxy astronomy science physics nasa star: space stars galaxy universe science night
science research brain biology chemistry experiment: science technology data space
history ancient myth secret secrets mystery mysterious truth: mystery night fog dark dramatic
time clock morning routine wake early: morning sunrise sun light calm
evening tonight dusk: evening dusk sunset
happy happiness joy smile fun gratitude grateful thankful positive: joy sunrise bright colourful warm sky
sad alone lonely grief pain hurt heartbreak cry: rain fog moody blue quiet
hope future tomorrow believe begin beginning start change: hope sunrise morning sky light launch
freedom free quit escape: sky ocean freedom travel clouds
danger mistake mistakes avoid stop warning wrong fail failure risk: dramatic red dark bold storm
fast speed quick energy power boost: energy bold neon red
simple minimal minimalism declutter clean easy: minimal clean white simple
luxury premium exclusive expensive elegant: luxury gold marble elegant dark
car cars drive driving road traffic: city night neon street
dog dogs cat cats pet pets animal animals puppy kitten: nature cosy home playful warm
summer hot heat sun sunny: summer sun beach warm
winter cold snow ice ski: winter snow cold blue
autumn fall october november: autumn orange leaves warm
spring april easter bloom: spring flowers green fresh
flower flowers rose blossom: flowers botanical rose spring
rain rainy weather umbrella storm: rain storm clouds window
women woman girl feminine: beauty pink rose soft elegant
men man masculine: dark bold strength city
real true honest life lesson lessons advice tip tips: mindset motivation calm
`

// related maps a stem to the stems that also fit it.
var related = func() map[string][]string {
	out := map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(topics), "\n") {
		from, to, _ := strings.Cut(line, ":")
		fits := stems(to)
		for _, w := range stems(from) {
			out[w] = append(out[w], fits...)
		}
	}
	return out
}()
