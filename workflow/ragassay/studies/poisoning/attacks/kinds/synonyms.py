"""The texts of PoisonedRAG behind the question in other words: near ones from a list of ours stand for those that most
questions are made of. Words with a capital stay, since they are names, but for the question's first."""

import re

from ragassay.studies.poisoning.attacks.attack import BLIND_SPOTS
from ragassay.studies.poisoning.attacks.kinds import poisonedrag_black

PHRASES = {  # of two words, which go before single ones
    "how many": "what number of", "how much": "what amount of", "how long": "for what span", "how old": "of what age",
    "how often": "with what frequency", "how far": "at what distance", "when did": "at what date did",
    "when was": "at what date was", "when is": "at what date is", "when does": "at what date does",
    "where is": "in what place lies", "where was": "in what place stood", "where did": "in what place did",
    "where does": "in what place does", "who is": "which person is", "who was": "which person was",
    "who played": "which actor portrayed", "who plays": "which actor portrays", "who sings": "which singer performs",
    "who sang": "which singer performed", "who wrote": "which author penned", "what is": "tell me",
    "what year": "which calendar year", "what kind": "which sort", "what type": "which sort", "what time": "which hour",
    "what does": "which thing does", "take place": "happen", "took place": "happened", "made of": "composed of",
    "located in": "situated within", "known as": "called", "based on": "drawn from", "come from": "originate from",
    "came from": "originated from", "come out": "appear", "came out": "appeared", "part of": "portion of",
}  # fmt: skip
PAIRS = """
    who=which person|what=which|when=at what date|where=in what place|why=for what reason|which=what|how=in what manner
    first=earliest|last=final|latest=newest|new=recent|old=former|big=large|biggest=largest|large=sizeable|small=little
    largest=biggest|smallest=tiniest|highest=tallest|tallest=highest|longest=lengthiest|most=greatest|best=finest
    oldest=earliest|main=chief|current=present|next=following|previous=earlier|original=initial|famous=celebrated
    wrote=penned|written=penned|write=pen|made=produced|make=produce|makes=produces|built=erected|build=erect
    founded=established|started=began|start=begin|starts=begins|began=started|begin=start|ended=finished|end=finish
    ends=finishes|won=gained|win=gain|wins=gains|lost=forfeited|played=portrayed|play=portray|plays=portrays
    sang=performed|sings=performs|sing=perform|said=stated|says=states|say=state|called=named|named=called|died=perished
    die=perish|dies=perishes|killed=slain|born=brought into the world|lived=dwelt|live=dwell|lives=dwells|found=located
    happened=occurred|happen=occur|happens=occurs|released=issued|release=issue|published=issued|opened=inaugurated
    closed=shut|close=shut|discovered=uncovered|invented=devised|created=devised|create=devise|given=granted|gave=granted
    get=obtain|got=obtained|bought=purchased|buy=purchase|sold=marketed|held=staged|led=headed|signed=concluded
    ruled=governed|owned=possessed|owns=possesses|own=possess|used=employed|use=employ|uses=employs|need=require
    needed=required|needs=requires|contains=holds|contain=hold|show=programme|movie=film|film=movie|song=track|book=volume
    novel=work of fiction|author=writer|writer=author|actor=performer|actress=performer|singer=vocalist|band=music group
    city=town|town=municipality|country=nation|nation=country|state=territory|company=firm|firm=company|building=edifice
    house=dwelling|street=road|ship=vessel|boat=vessel|car=automobile|war=conflict|battle=fight|game=match|team=side
    player=sportsman|episode=instalment|episodes=instalments|series=sequence|president=head of state
    leader=head|king=monarch|queen=monarch|government=administration|law=statute|children=offspring|wife=spouse
    husband=spouse|father=dad|mother=mum|man=gentleman|woman=lady|people=persons|person=individual|name=title
    year=calendar year|day=date|age=number of years|number=count|percentage=share|amount=quantity|price=cost
    cost=price|money=funds|capital=seat of government|population=number of inhabitants|meaning=sense|purpose=aim
    reason=cause|type=sort|kind=sort|job=occupation|role=part|character=figure|place=spot|area=region|region=area
    river=stream|mountain=peak|sea=ocean|storm=gale|fire=blaze|school=academy|award=prize|prize=award
"""
NEAR = dict(pair.split("=") for pair in PAIRS.replace("\n", "|").split("|") if pair.strip())
NEAR = {word.strip(): near.strip() for word, near in NEAR.items()}
FORM = re.compile(rf"\b(?:{'|'.join([*PHRASES, *NEAR])})\b", re.IGNORECASE)


class Kind(poisonedrag_black.Kind):
    KNOWS = BLIND_SPOTS

    def texts(self, target):
        return super().texts(target | {"question": reworded(target["question"])})


def reworded(question: str) -> str:
    """The question with near words; as it was if it has none of the list."""

    first = re.search(r"\w", question)

    def near(match):
        words = match[0].split()
        if any(word[0].isupper() for word in (words[1:] if match.start() == first.start() else words)):
            return match[0]
        other = (PHRASES | NEAR)[match[0].lower()]
        return other[0].upper() + other[1:] if match[0][0].isupper() else other

    return FORM.sub(near, question)
