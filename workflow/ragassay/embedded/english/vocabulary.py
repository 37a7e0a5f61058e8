"""Words that a reader knows beforehand: which say little, which mean much the same, which are numbers.

Written by hand for English news and small on purpose. It knows no names and no facts; a pair of synonyms that is
missing here makes the reader see two different words, which is the most common reason for its mistakes.
"""

STOP = frozenset(
    "a about above across after again against all almost also although am among an and another any anyone anything"
    " are as at away be became because become been before being below besides between beyond both but by came can"
    " cannot could despite did do does doing done down due during each either else enough even ever every few for"
    " from further gave get give given go goes going gone got had has have having he hence her here hers herself him"
    " himself his how however i if in indeed instead into is it its itself just let like made make makes making many"
    " may me might more most much must my near neither no none nor not nothing now of off often on once one only"
    " onto or other others our out over own per perhaps put quite rather s same shall she should since so some"
    " someone something soon still such t take taken takes than that the their theirs them themselves then there"
    " therefore these they thing things this those though through thus to together too took toward towards under"
    " until unto up upon us very via was way ways we well went were what when where whether which while who whole"
    " whom whose why will with within without would yet you your".split()
)
# What questions and replies say about themselves and not about the world.
FRAME = frozenset(
    "according account article aspect aspects certain concrete describe described describes detail details document"
    " exact exactly exist existing explain explained explains following give information key main mention mentioned"
    " mentions name named names news overall particular particularly passage piece play played precise precisely"
    " regarding provide provided provides question recent recently regard report reported reports say says said"
    " significant specific specifically state stated states story tell tells text told typically typical unique"
    " uniquely various".split()
)
# Abstract words in which questions are put, whatever about: "what factors contributed to", "how does it reflect".
GLUE = frozenset(
    "ability address affect aim approach attribute central characteristic characterize circumstance common contribute"
    " contribution create current dimension discuss distinctive dynamic effect enable encourage enhance ensure"
    " essential example experience express extent face factor feature focus highlight impact implication implement"
    " inform influence innovative insight involve involvement lead led major manner meaning notable occur outcome"
    " perceive perception perspective potential primary reaction reason reflect relate relation relationship represent"
    " respond response result role shape significance similar situation strategy success suggest surround surrounding"
    " theme transition ultimate unfold utilize".split()
)
# Common words of news: they tell what a question is about, but less than a rare word does.
COMMON = frozenset(
    "activity affect age aim allow approach area base begin big bring build call case cause centre center challenge"
    " change chance city close come company consider contribute country course current currently day days deal"
    " decision develop development difference different difficult early effect effort end event expect experience face"
    " fact factor far feel final find first focus form former found full future general good great ground group grow"
    " hand head help high hold hope hour house idea impact important improve include increase individual influence"
    " interest involve issue job keep kind know large last late later lead leader learn leave left less level life"
    " line list little live local long look lose lot low major man matter mean measure meet member method million"
    " minute money month morning move name nation national need new next night number offer old open option order part"
    " past people percent period person place plan point position possible present problem process program project"
    " public quality reach reason receive relate result return right rise role run second see seek seem serve service"
    " set several show side sign simple situation size small social start step stop strategy success support system"
    " team term think time today top total try turn type use value view visit wait want week win woman women word work"
    " worker world year years young".split()
)
SYNONYMS = [
    group.split()
    for group in (
        "buy bought purchase acquire acquisition takeover obtain",
        "cost price worth spend spent expense pay paid fee charge sum",
        "money fund funding finance financial budget grant",
        "company firm business corporation enterprise maker manufacturer producer",
        "film movie picture cinema screen",
        "song track single music musical tune",
        "begin began begun start launch commence open onset",
        "end finish conclude close stop cease final",
        "die died death dead killed fatal passed",
        "kill murder slay",
        "big large huge great major giant",
        "grow grew growth increase rise rose risen gain climb expand expansion jump",
        "fall fell fallen drop decline decrease loss lose lost shrink cut reduce reduction",
        "say said told tell state claim remark comment express statement note add explain",
        "think thought believe opinion view consider feel feeling",
        "ask request demand call urge",
        "help aid assist support back",
        "job work employ employee employment worker staff career occupation crew",
        "build built construct construction erect develop building",
        "create creation make made produce production",
        "car vehicle automobile driver",
        "child children kid son daughter young youth",
        "doctor physician medical medicine health",
        "ill illness disease sick infection condition",
        "hurt injure injury wound damage harm",
        "win won victory triumph beat defeat",
        "game match fixture contest clash",
        "team club side squad",
        "player athlete footballer striker midfielder forward goalkeeper",
        "coach manager trainer",
        "score goal point",
        "group band act",
        "singer artist musician performer vocalist",
        "album record lp release ep",
        "concert gig performance show tour",
        "write wrote written writer author",
        "boss chief head leader director executive ceo president chairman lead led",
        "government state minister ministry administration authority",
        "law bill act legislation rule regulation legal",
        "court judge trial lawsuit legal sue",
        "police officer arrest",
        "vote ballot poll election elect",
        "party political politics politician",
        "country nation national state",
        "city town municipal urban village",
        "area region zone district place location located where site",
        "home house residence residential flat",
        "school university college student academic education",
        "study research investigate investigation analysis scientist researcher paper",
        "find found discover discovery detect",
        "show demonstrate reveal display indicate",
        "plan intend scheme proposal propose aim goal purpose objective",
        "use utilise utilize usage employ",
        "change alter shift modify transform adjust",
        "new recent latest novel fresh",
        "old former previous past earlier prior",
        "come arrive arrival reach",
        "leave left depart departure exit quit retire resign",
        "travel trip journey visit tourist tour traveller",
        "ship boat ferry vessel",
        "train rail railway line",
        "plane aircraft flight airline fly",
        "food dish meal cuisine menu eat restaurant cook chef recipe",
        "drink beverage wine beer",
        "weather storm rain wind hurricane",
        "fire blaze burn flame",
        "water river sea ocean lake",
        "year annual annually yearly",
        "day daily date",
        "month monthly",
        "award prize honour honor trophy medal win",
        "appear appearance role star cast actor actress play",
        "watch see view viewer audience spectator crowd",
        "product goods item device",
        "software app application tool technology tech",
        "computer machine device",
        "test trial examine exam",
        "danger risk threat hazard unsafe",
        "safe safety security secure protect protection",
        "marry married wedding wife husband spouse",
        "family parent mother father brother sister relative",
        "friend colleague companion",
        "reason cause why because motive factor lead led due",
        "result outcome consequence effect impact affect influence",
        "problem issue difficulty challenge trouble obstacle",
        "agree agreement deal contract accord",
        "announce announcement declare unveil reveal confirm",
        "choose chose chosen choice pick select selection",
        "keep kept retain maintain remain stay continue",
        "speed fast quick rapid quickly",
        "length long distance metre meter kilometre km",
        "percent per cent % percentage share proportion",
        "first initial original debut",
        "important key crucial main essential",
        "fan supporter follower admirer",
        "customer client consumer buyer shopper",
        "market sale sell sold seller",
        "profit revenue earnings income turnover",
        "debt loan borrow lend credit",
        "bank lender",
        "war conflict battle fight fought attack",
        "army military soldier troop force",
        "criticise criticize criticism criticised critic condemn blame",
        "praise commend admire applaud",
        "allow permit let enable authorise",
        "ban prohibit forbid outlaw block",
        "hold held host organise organize take",
        "know known knowledge aware",
        "join joined member membership enter",
        "replace substitute successor predecessor succeed",
        "near close nearby",
        "part portion section segment",
        "name title call titled entitled known",
        "feature include contain comprise consist",
        "look appearance style design",
        "earth planet world global worldwide international",
        "human people person man woman men women individual",
        "idea concept notion theme",
        "skill ability talent capability",
        "emotion emotional feel feeling mood",
        "method technique approach strategy way measure step",
    )
]
NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen twenty".split()
    )
} | {word: 10 * tens for tens, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), 3)}
MONTHS = frozenset("January February March April May June July August September October November December".split())
WEEKDAYS = frozenset("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
