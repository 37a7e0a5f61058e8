"""The handbook of a small library, questions about it and about other things, what a bot answered, and a log."""

import csv
import datetime
import json

TEXT = """\
opening: The library opens at nine on weekdays. On Saturdays it opens at ten. It is closed on Sundays and on
public holidays. In August the reading room shuts at four in the afternoon. A bell rings ten minutes before
the doors are locked.

membership: A membership costs 24 crowns a year. Pupils and students join for free. A lost card is replaced
for 3 crowns. Members under sixteen need the signature of a parent. A membership ends if nobody renews it
within thirty days.

loans: A member may borrow twelve books at a time. Books are lent for four weeks. A loan can be renewed twice
online. Magazines stay in the house. Reserved books wait at the counter for seven days.

fines: A late book costs 20 cents a day. No fine rises above 8 crowns. The director may waive a fine after an
illness. Unpaid fines above 5 crowns block new loans. A damaged book is paid for at its present price.

rooms: The library has four study rooms on the second floor. Each seats six people and has a whiteboard. Rooms
are booked for two hours. Groups with an exam may book a room twice a day. Food is not allowed in the study
rooms.

printing: Printers stand beside the stairs on the ground floor. A black page costs 10 cents and a coloured one
40 cents. Scanning to a memory stick is free. Paper in the A3 size is kept at the counter. Print jobs are
deleted after one night.

computers: Sixteen computers can be used without a card. A session lasts ninety minutes. Files on the desktop
are erased at midnight. Headphones are lent against a deposit of 2 crowns. Games are blocked before three in
the afternoon.

children: The children's corner lies behind the fish tank. A story is read aloud every Wednesday at half past
three. Picture books have yellow labels. Toddlers must be accompanied by an adult. A puppet theatre plays on
the first Friday of a month.

archive: The archive keeps newspapers since 1874. Visitors order volumes one day ahead. Gloves are provided
for photographs and maps. Cameras without flash are permitted. Microfilm readers stand in the cellar.

donations: Donated novels are accepted on Thursdays. Encyclopaedias and school books are turned away. A sale
of surplus books takes place in May. The proceeds pay for new audio books. Donors receive a bookmark with a
heron.

accessibility: A ramp leads to the north entrance. The lift reaches all floors but the cellar. Guide dogs are
welcome everywhere. Large print books stand next to the counter. A magnifier can be borrowed at the
information desk.

staff: Ada Brandt has directed the library since 2019. Eleven librarians work in two shifts. Volunteers mend
bindings on Mondays. Apprentices spend one year in the archive. Complaints are answered by the deputy director
within five days.
"""
PAGES = dict(" ".join(page.split()).split(": ", 1) for page in TEXT.split("\n\n"))
QUESTIONS = {  # whether the handbook answers it, where somebody said so
    "When does the library open on Saturdays?": "yes",
    "How much does a membership cost a year?": "yes",
    "How many books may a member borrow at a time?": "yes",
    "What does a coloured page cost at the printers?": "yes",
    "Since when does the archive keep newspapers?": "yes",
    "Who has directed the library since 2019?": "",
    "Which days are novels accepted as donations?": "",
    "How many seats does the cinema in the cellar have?": "no",
    "Why do onions make your eyes water?": "no",
    "How do I reset the gearbox of a tractor?": "no",
    "Which vaccine protects puppies from distemper?": "",
    "What is the boiling point of ethanol?": "",
    "How do I bake sourdough without a dutch oven?": "",
    "Which planet has the most moons?": "",
}
ANSWERS = {
    "When does the library open on Saturdays?": "At ten.",
    "How much does a membership cost a year?": "I don't know; the passages do not say.",
    "Why do onions make your eyes water?": "Because they release a gas.",
    "How do I reset the gearbox of a tractor?": "The documents do not mention this.",
    "What colour is the moon?": "Grey.",
}


def write(folder):
    """A folder with the documents, and beside it three files."""
    (folder / "handbook").mkdir(parents=True)
    for name, text in PAGES.items():
        (folder / f"handbook/{name}.md").write_text(f"{text}\n")
    _table(folder / "asked.csv", ("Question", "answerable"), QUESTIONS.items())
    _table(folder / "bot.csv", ("question", "answer"), ANSWERS.items())
    first = datetime.datetime(2026, 10, 5, 8, tzinfo=datetime.UTC)
    asked = [*QUESTIONS][:7] * 3 + [*QUESTIONS][7:] * 2
    rows = [
        {"time": (first + datetime.timedelta(hours=14 * at)).isoformat(), "query": text}
        for at, text in enumerate(asked)
    ]
    (folder / "log.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in [*rows, {"query": "When?"}]))
    return folder


def _table(file, header, rows):
    with file.open("w", newline="") as target:
        csv.writer(target).writerows([header, *rows])
