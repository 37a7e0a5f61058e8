"""What is a kind of what, for a reader that is asked "which vessel" and meets a tug: words by the kinds they are of.

Written by hand, everyday words only and far from complete; a word that is missing is a kind of nothing. Kinds overlap:
a hall is a building and a room.
"""

from functools import lru_cache

from ragassay.embedded.english.facts import DOER
from ragassay.embedded.english.words import stem

MEMBERS = {
    "building house structure premises": "abbey arena barn bakery boathouse brewery bridge cabin cafe cannery"
    " castle cathedral chapel church cinema clinic club cottage depot factory farm farmhouse garage greenhouse"
    " guildhall hall hangar hospital hotel house hut inn kiosk library lighthouse lodge loft mansion market mill"
    " monastery museum office palace pavilion pub restaurant school shed shop stable station store studio tavern"
    " theatre tower villa warehouse windmill workshop",
    "room space": "attic basement bedroom cellar chamber classroom corridor gallery garage hall kitchen"
    " laboratory library loft lobby office pantry room studio vault workshop",
    "vessel boat ship craft": "barge boat canoe cutter dinghy ferry freighter kayak launch lifeboat liner lugger"
    " raft schooner ship sloop steamer tanker trawler tug tugboat yacht",
    "vehicle transport": "ambulance bicycle bike bus car carriage cart coach crane engine lorry motorbike plane"
    " scooter sledge taxi tractor tram train truck van wagon",
    "animal creature beast wildlife": "bat bear beaver bee bird bull calf cat cow crab deer dog dolphin donkey"
    " eel fish fox frog goat hare hedgehog hen horse lamb lynx mouse otter ox pig pony porpoise rabbit rat seal"
    " sheep spider toad whale wolf worm",
    "bird": "buzzard chicken cormorant crane crow dove duck eagle falcon goose gull hawk hen heron lark magpie"
    " owl pigeon puffin raven robin sparrow starling stork swallow swan swift tern",
    "fish seafood catch": "anchovy bass bream carp cod crab eel haddock halibut herring lobster mackerel mussel"
    " oyster perch pike pipefish plaice salmon sardine shark shrimp sole sprat trout tuna",
    "insect creature animal": "ant aphid bee beetle bug bumblebee butterfly cockroach cricket dragonfly flea fly"
    " grasshopper hornet ladybird locust louse midge mosquito moth spider tick wasp weevil",
    "plant crop tree flower": "apple ash barley bean beech birch bluebell cherry clover corn daffodil fern grass"
    " hay heather ivy lavender lily maize maple moss nettle oak oat pine poplar reed rose rye seagrass seaweed"
    " spruce thistle tulip wheat willow yew",
    "grain cereal crop": "barley buckwheat corn maize millet oat rice rye spelt wheat",
    "fruit berry": "apple apricot berry blackberry blackcurrant cherry cranberry currant elderberry gooseberry"
    " grape lemon melon orange peach pear plum quince raspberry rhubarb strawberry",
    "vegetable": "bean beet beetroot cabbage carrot cauliflower celery cucumber leek lentil lettuce marrow"
    " mushroom onion parsnip pea pepper potato pumpkin spinach tomato turnip",
    "food dish meal course snack refreshment": "bacon biscuit bread broth bun butter cake cheese chips chocolate"
    " crab custard dumpling egg fish ham herring honey jam lamb loaf meat mussel noodle omelette oyster pancake"
    " pasta pastry pie pizza porridge potato pudding rice roll salad sandwich sauce sausage soup stew tart toast"
    " vegetable",
    "drink beverage refreshment": "ale beer brandy buttermilk champagne chocolate cider coffee gin juice lemonade"
    " liqueur milk punch rum soup spirit sherry tea vodka water whisky wine",
    "material substance stuff fabric": "aluminium asphalt bamboo bone brass brick bronze canvas cardboard cement"
    " chalk clay cloth coal concrete copper cork cotton fibreglass felt flint foam fur glass glue gold granite"
    " gravel hemp horn ice iron ivory leather limestone linen marble metal mud nylon oak oil paint paper peat pine"
    " plaster plastic plywood porcelain resin rope rubber sand sandstone silk silver slate steel stone straw tar"
    " timber tin turf velvet wax wire wood wool zinc",
    "metal": "aluminium brass bronze copper gold iron lead nickel silver steel tin titanium zinc",
    "stone rock mineral": "basalt chalk flint granite gypsum limestone marble quartz salt sandstone slate",
    "fuel energy power": "battery biogas charcoal coal current diesel electricity gas hydrogen oil peat petrol"
    " steam wind wood",
    "colour color shade": "amber beige black blue brown crimson gold golden green grey lilac maroon mauve navy"
    " ochre orange pink purple red russet scarlet silver turquoise violet white yellow",
    "instrument": "accordion bagpipe bass bassoon bell bugle cello clarinet concertina cornet drum fiddle flute"
    " gong guitar harmonica harmonium harp harpsichord horn lute mandolin oboe organ piano recorder saxophone"
    " tambourine trombone trumpet tuba viola violin whistle xylophone",
    "clothing clothes garment": "apron belt blanket blouse boot cap cape cloak coat dress glove gown hat helmet"
    " hood jacket jersey jumper kilt mask mitten overall pullover robe sandal scarf shawl shirt shoe skirt slipper"
    " sock suit sweater tie trouser uniform vest waistcoat wig",
    "furniture": "armchair bed bench bookcase cabinet chair chest couch cradle cupboard desk drawer mirror sofa"
    " stool shelf table wardrobe",
    "tool implement equipment device gear machine": "anchor axe brush bucket camera chisel clamp crane drill file"
    " fork hammer hook iron knife ladder lamp lathe lever loom mirror nail needle net oar pen pencil plough pump"
    " radar radio rake rope saw scissors scythe screwdriver sensor shovel sickle sieve sonar spade spanner spoon"
    " telescope torch tweezers wheel winch wrench",
    "container vessel": "bag barrel basket bin bottle bowl box bucket cage can case casket chest crate cup flask"
    " glass jar jug pail pot sack tank tin trunk tub vase vat",
    "relative relation family": "aunt brother child cousin daughter father grandchild granddaughter grandfather"
    " grandmother grandson husband mother nephew niece parent sister son twin uncle wife",
    "limb organ injury body": "ankle arm back chest collarbone ear elbow eye finger foot hand head heart heel hip"
    " knee leg lung neck nose rib shoulder skin skull spine thumb toe tongue tooth wrist",
    "illness disease complaint": "allergy asthma bronchitis cancer cholera cold diabetes fever flu influenza"
    " malaria measles mumps plague pneumonia polio scurvy tuberculosis virus",
    "weather": "blizzard breeze cloud drizzle drought fog frost gale hail heat hurricane lightning mist rain"
    " sleet snow storm sunshine thunder thunderstorm wind",
    "cause": "avalanche battery blast charger cigarette crash current dust earthquake explosion fault fire flood"
    " frost gale ice landslide leak lightning mistake noise oil pipe rain rock rockfall smoke snow spark storm"
    " strike wave wind wire",
    "document paper text": "agreement article bill book booklet card catalogue certificate chart contract diary"
    " essay form invoice law leaflet letter licence list logbook manual manuscript map memo memoir minutes note"
    " notebook notice novel pamphlet petition permit photograph plan poem postcard poster receipt record register"
    " report ticket treaty will",
    "work piece art": "album ballad ballet book cantata carving comedy concerto drama drawing film hymn mosaic"
    " mural musical novel opera overture painting photograph play poem portrait quartet sculpture series show"
    " sketch sonata song statue suite symphony tapestry",
    "sport game discipline": "archery athletics badminton baseball basketball biathlon boxing chess cricket"
    " cycling darts diving fencing football golf gymnastics handball hockey judo polo rowing rugby running sailing"
    " skating skiing soccer squash surfing swimming tennis volleyball wrestling",
    "subject science field": "algebra anatomy archaeology art astronomy biology botany chemistry economics"
    " engineering geography geology geometry grammar history law literature mathematics medicine music philosophy"
    " physics politics psychology zoology",
    "land place landscape ground site spot": "bank bay beach bog canal cave cliff coast creek dam dune field fen"
    " forest garden glacier gorge harbour heath hill island lake marsh meadow moor mountain orchard park pass path"
    " pier plain pond quarry quay reef ridge river road shore slope square stream street swamp valley wharf wood",
    "meal": "breakfast brunch buffet dinner feast lunch picnic supper tea",
    "season": "autumn spring summer winter",
    "treat present gift prize reward souvenir award": "book bottle box cake card coin cup flower hamper medal"
    " money mug plaque plate scarf ticket trophy voucher watch",
    "person": "boy girl man woman child",
}
JOBS = frozenset("job occupation trade profession work career living post position role".split())
WORKERS = frozenset(
    "actress apprentice architect blacksmith butcher carpenter clerk cobbler cook dentist diplomat electrician"
    " fisherman journalist judge lifeguard mason mechanic midwife miner model monk nun nurse optician pharmacist"
    " physicist pilot plumber postman postwoman priest sailor scientist seamstress secretary shepherd smith"
    " soldier spy surgeon tailor vet vicar waitress watchmaker weaver".split()
)


NO_DOERS = frozenset(
    "after another answer center colour corner cover december dinner door ever fiber flavour floor flour former"
    " harbour hour humour labour later letter matter member mirror motor neighbour never number october odour"
    " offer order other over paper party power quarter rather river september shower sister summer supper their"
    " together tower under vapour vigour water weather whether winter".split()
)


@lru_cache(maxsize=20_000)
def kinds(word: str) -> frozenset[str]:
    """The stems of what a word is a kind of, and of jobs if it is what people do."""
    low = word.lower()
    own = KIND_STEMS.get(stem(low), frozenset())
    works = low in WORKERS or (len(low) > 4 and DOER.search(low) and low not in NO_DOERS)
    return own | JOB_STEMS if works else own


JOB_STEMS = frozenset(map(stem, JOBS))
KIND_STEMS: dict[str, frozenset[str]] = {}
for _names, _members in MEMBERS.items():
    for _member in _members.split():
        KIND_STEMS[stem(_member)] = KIND_STEMS.get(stem(_member), frozenset()) | set(map(stem, _names.split()))
MEMBER_STEMS: dict[str, frozenset[str]] = {}
for _member, _names in KIND_STEMS.items():
    for _name in _names:
        MEMBER_STEMS[_name] = MEMBER_STEMS.get(_name, frozenset()) | {_member}
