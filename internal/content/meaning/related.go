// SPDX-License-Identifier: Apache-2.0

package meaning

import "strings"

// related maps the words of short videos to the tags of images. On the left of the colon are words of a text, on the
// right the tags that fit them, the best first. Tags before the bar show the subject. Tags after the bar only fit the
// tone and do not count as a match of the subject.
var related = relations(`
money cash budget saving savings save wealth rich income salary: money coins finance wallet | business luxury success gold city
electricity meter power socket standby heating: electricity meter bill lightbulb
bill bills invoice invoices receipt payment payments pay rent fee fees tax taxes insurance pension pensions inflation mortgage: bill money finance calculator coins document | business
debt credit bank banking fund loan: money finance bank wallet coins card | business gold
invest investing investment investor stock stocks crypto bitcoin trading: chart finance money coins | business luxury success gold city technology
profit revenue: chart money finance | business
price prices discount sale: tag sale shop | shopping
business company founder entrepreneur brand strategy market agency: business office meeting team finance | success city technology bold motivation
startup: startup business office team | technology city launch
sales marketing customer customers client clients ecommerce: shop business people chart team | success city
shop shops store shopping retail boutique cart: shop store shopping bag | city
deal deals discount discounts sale offer: sale shopping shop bag tag | bold
delivery delivered deliver shipping shipped parcel package packaging unboxing order orders: package parcel box delivery
product products launch: product bottle box package | launch
growth grow revenue statistics metrics analytics quarter report percent: chart graph growth business finance
work office job career boss colleague manager leadership hr: office business workspace desk team | city
hustle productivity productive focus deadline: workspace desk office focus | business city morning motivation minimal
meeting meetings team interview workshop board: meeting team office business people
remote freelance freelancer freelancers homeoffice: laptop workspace desk home
email emails inbox mail newsletter message messages: email laptop phone workspace
app apps phone phones smartphone mobile screen iphone android: phone smartphone app hand technology
laptop computer website internet browser online web: laptop computer technology network
tech software code coding developer programming algorithm server digital robot automation api: technology data network laptop | business dark blue
data database cloud backup backups: data technology network
cyber security privacy password authentication hacker: security technology data network | dark
ai gpt chatbot: ai technology data network | dark blue
goal goals success win winning achieve discipline grind ambition mindset confidence challenge: motivation success mountains strength | sunrise mindset bold
habit habits motivation motivated: motivation | success mountains sunrise strength mindset bold
fitness gym workout exercise training muscle leg cardio squat pull-up: gym fitness workout sport dumbbell | strength motivation energy bold health
run running runner marathon jog jogging race: running run shoes sport fitness | sunrise energy motivation strength
sport sports athlete football soccer basketball tennis ball: sport ball | energy strength
strong strength: strength motivation sport | energy bold mountains
stretch stretching pilates yoga: yoga fitness meditation zen | calm
bike bicycle cycling cyclist ride: bicycle bike
health healthy wellness immune body weight nutrition: health wellness fruit salad | fresh green nature clean
doctor medical medicine vaccine dentist pill hospital: medical medicine health science
diet vitamin vitamins calories protein: healthy fruit salad food vitamins nutrition | fresh green
food eat eating meal: food meal | fresh warm cosy green
recipe recipes: recipe cooking
cook cooking stew simmer: cooking stove
kitchen: kitchen | warm cosy
breakfast brunch: breakfast food coffee | morning fresh warm cosy
pancake pancakes crepe crepes waffle waffles: pancakes breakfast | food
dinner lunch supper: dinner lunch food meal restaurant | warm cosy
vegetable vegetables vegan vegetarian salad: vegetables salad healthy food | fresh green
fruit smoothie berry: fruit smoothie berry | fresh healthy
bread bake baking bakery dough sourdough flour croissant: bread baking bakery dough | warm food
cake dessert sweet sweets sugar chocolate cookie cookies: cake dessert baking sweet | celebration
pasta burger: restaurant | food dinner
sushi: japanese restaurant | food dinner
pizza: pizza | food dinner restaurant
noodles ramen: noodles ramen | food dinner
snack: food fruit | fresh
coffee cafe latte espresso cappuccino moka barista: coffee cup | morning cosy warm brown home
tea matcha: tea | calm warm zen
drink hydration hydrate: drink glass | fresh water
wine cocktail beer bar: drink glass bar | party evening
sleep insomnia bed bedroom pillow bedtime nap snore asleep: sleep bed bedtime moon night | calm stars quiet dream
rest tired night dream: night sleep moon | calm stars quiet dream
stress anxiety anxious burnout therapy mental nervous panic: calm meditation quiet fog | water nature soft zen wellness
calm relax relaxing relaxation breathe breathing peace peaceful: calm meditation zen | water nature soft wellness
meditation meditate mindfulness mindful spiritual soul zen pray prayer faith: meditation zen calm spiritual | nature minimal
love relationship dating couple marriage romance romantic heart valentine partner: love romantic heart | rose pink soft sunset
wedding bride engagement: wedding love romantic flowers | rose pink soft
beauty skincare skin makeup cosmetic cosmetics serum lipstick perfume: beauty cosmetics product bottle | pink soft elegant luxury rose self-care
hair glow spa: beauty wellness | pink soft elegant luxury
fashion style outfit dress clothes wardrobe jewelry shirt jeans: fashion clothes wardrobe | elegant luxury beauty minimal
shoe shoes sneaker sneakers: shoes sneakers | running fashion
travel trip vacation holiday journey tourist destination: travel suitcase beach airplane | adventure ocean mountains desert sky
flight flights fly airport plane airplane airline aisle: airplane plane flight travel airport | sky clouds
pack packing luggage suitcase backpack baggage: suitcase luggage backpack travel packing
hotel hostel: hotel travel bed suitcase | interior
passport visa border: passport travel suitcase
train railway station: train travel railway
adventure explore: travel adventure mountains backpack | ocean desert sky
beach island coast tropical shore: beach ocean waves | water summer travel
sea ocean surf waves sail: ocean sea waves beach | water summer travel
swim swimming swimmer pool: swimming pool swim | summer water
nature outdoor outdoors environment earth eco sustainable climate: nature forest green leaves | mountains plants
forest tree trees woods: forest trees nature | green leaves
hike hiking trail camping: mountains hiking forest nature tent | green travel
garden gardening balcony: plants garden | nature green home
plant plants houseplant: plants plant houseplant leaves | nature green home
home house apartment flat room living property estate: home interior room house keys | cosy minimal city
decor interior furniture decorate paint renovate renovating renovation: interior home room | cosy minimal design
cleaning clean declutter tidy drawer: home interior cleaning | clean minimal white
family kids kid child children baby parent parents parenting mom dad mother father: family kids playful | home cosy warm soft
friend friends people community together: people friends team | warm
school study studying student learn learning exam education teacher class university college course lesson grammar language: study education books school | focus cosy minimal
book books read reading novel author library literature: books reading book | study cosy calm home paper
write writing journal notebook diary letter: notebook writing pen paper workspace | books story creative
creative creativity art artist design designer draw drawing craft idea ideas inspiration: creative art craft | colourful design abstract
pottery ceramic ceramics mug vase: ceramic vases pottery cup | craft interior
music song playlist concert guitar piano album podcast: music headphones guitar microphone | neon lights night
dance party festival club dj: party music lights | neon night celebration
photo photography photograph camera film: camera photography
birthday celebrate celebration anniversary congratulations gift gifts present: celebration birthday cake gift party | lights gold festive
christmas xmas santa december: christmas festive winter gift | snow lights
ramadan eid mosque fasting: ramadan crescent moon | night
halloween spooky scary ghost horror pumpkin: halloween mystery | night moon dark
space cosmos planet universe galaxy astronomy physics nasa astronaut hole holes: space universe galaxy stars | science night
science research brain biology chemistry experiment: science | technology data space
history ancient myth secret secrets mystery mysterious: mystery | night fog dark dramatic
plumber plumbing electrician carpenter handyman mechanic repair repairs diy: tools tool repair workshop
clock alarm schedule: clock calendar | time
calendar appointment appointments: calendar
morning routine wake early dawn: morning sunrise | sun light calm
evening tonight dusk: evening dusk sunset
happy happiness joy smile fun gratitude grateful thankful positive: joy cheerful sunrise happy | bright colourful warm sky
sad alone lonely grief pain hurt heartbreak cry: rain fog moody quiet | blue
stargazing constellation constellations meteor perseids: stars astronomy | night
hope future tomorrow believe begin beginning change: hope sunrise | morning sky light launch
freedom escape: freedom sky ocean | travel clouds
danger warning: storm dramatic | red dark bold
fail failure failed risk: | dramatic dark bold
subscription subscriptions: subscription card payment | money
mistake mistakes avoid: dramatic | storm red dark bold
fast speed quick energy power boost: energy | bold neon red
simple minimal minimalism easy: minimal | clean white simple
luxury premium exclusive expensive elegant: luxury marble elegant gold | dark
car cars drive driving road traffic tyre tyres tire: car road street | city night neon
bus tram subway taxi: bus road
commute commuter: train bus road city
dog dogs puppy puppies retriever leash bark: dog puppy | home playful cosy warm
cat cats kitten kittens purr: cat kitten | home playful cosy warm
pet pets animal animals: pet pets animal dog cat | nature cosy home playful warm
bird birds parrot: bird | sky
fish goldfish aquarium: fish aquarium | water
summer hot heat sunny: summer sun | beach warm
sun sunlight sunshine: sun sunlight sunrise | summer warm
winter cold snow ice ski skiing: winter snow | cold blue
autumn fall october november: autumn leaves | orange warm
spring april easter bloom: spring flowers | green fresh
flower flowers rose roses blossom bouquet: flowers flower botanical bouquet | rose spring
rain rainy weather umbrella: rain storm umbrella | clouds window
storm thunder thunderstorm lightning: storm | dark clouds rain
women woman girl feminine: people | beauty pink rose soft elegant
men man masculine: people | dark bold strength city
breakup heartbreak divorce goodbye: rain moody fog quiet storm sad
loss mourning funeral: rain moody fog quiet candle
volcano lava eruption flame blaze explosion: fire dramatic storm | red
real true honest life lesson lessons advice tip tips: | mindset motivation calm
`)

// relation is the tags that fit a word: the tags for its subject and the tags for its tone.
type relation struct{ subjects, tones []string }

func relations(text string) map[string]relation {
	out := map[string]relation{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		from, to, _ := strings.Cut(line, ":")
		subjects, tones, _ := strings.Cut(to, "|")
		for _, s := range stems(from) {
			r := out[s]
			r.subjects, r.tones = append(r.subjects, stems(subjects)...), append(r.tones, stems(tones)...)
			out[s] = r
		}
	}
	return out
}
