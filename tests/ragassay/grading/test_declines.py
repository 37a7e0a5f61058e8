"""Responses as models word them, of both kinds, written by hand: which of them decline."""

import pytest

from ragassay.grading.declines import declines, declines_from_passages

DECLINING_WITH_PASSAGES = [
    "The passages do not say who built the harbour wall.",
    "The passages provided contain no mention of the toll.",
    "The text does not specify how many guests came.",
    "It is not clear from the passages when the ferry will sail.",
    "The context gives no information about the price.",
    "None of the given excerpts mentions a date.",
    "Based on the passages, this cannot be determined.",
    "The question cannot be answered from the passages.",
    "There is nothing in the passages about the mayor's daughter.",
    "Not mentioned in the passages.",
    "The answer is not in the passages.",
    "The answer isn't given in any of the retrieved texts.",
    "I don't have enough information to answer this question.",
    "There is not enough information in the passages to answer.",
    "Unfortunately, the documents don't state which bank lent the money.",
    "The provided passages are about trams and do not address ferries.",
    "Neither passage names the captain.",
    "I could not find the answer in the given texts.",
    "I'm sorry, but the passages say nothing about breakfast.",
    "These sources do not contain that figure.",
    "The passages only describe the bridge; they do not give its cost.",
    "I do not know.",
    "It is impossible to tell from the passages.",
    "The passages are silent on this point.",
    "No answer to this can be found in the passages.",
    "Sorry, this is not covered by the passages.",
    "That information is not provided.",
    "The text never says who won.",
    "The passages fail to mention the cost.",
    "The sources offer no answer.",
    "Insufficient information.",
    "There's no mention of the captain's name in the provided text.",
    "Cannot be determined from the given context.",
    "The passage doesn\u2019t tell us why she left.",
    "None of the passages answers the question.",
    "The passages do not say who drove the first tram.",
    "The retrieved passages don\u2019t mention any driver.",
    "That is not stated in the passages.",
    "No passage says when it was built.",
    "I cannot answer this from the given texts.",
    "There is no information in the provided context.",
    "",
]
ANSWERING_WITH_PASSAGES = [
    "The ferry takes 540 people.",
    "No, the toll will not rise before 2028.",
    "Nobody was hurt in the fire.",
    "The council could not agree on a price, so it asked the Assembly.",
    "The bridge cannot carry lorries.",
    "According to the passages, the wall was built in 1902.",
    "The passages say that the museum opened in June.",
    "None of the three bidders was chosen.",
    "The mayor said that she did not know who had signed the letter.",
    "Neither party got a majority.",
    "The cause was not known at the time.",
    "It was not Orr but Pellwick who paid.",
    "He did not answer the question and left the chamber.",
    "The exact number of seals is unknown.",
    "Not before 15 July.",
    "Nothing was stolen.",
    "The documents were given to the archive in 2019.",
    "The text of the treaty was signed by both sides.",
    "Tickets can be bought without a passport.",
    "The tram stops at the Sources, near the old mill.",
    'She said, "I will not sell the boat."',
    "The report was not mentioned during the debate.",
    "The paper that the clerk could not find was in the safe.",
    "The mayor gave no reason.",
    "It is impossible to cross the bar at low water.",
    "The company has not named the buyer.",
    "The letter does not name the buyer, said the clerk, who is Tove Hallam.",
    "The ferry charges for 55 minutes.",
    "The cause of the fire is unknown, said the mayor.",
    "Tickets are not available before Monday.",
    "The boat passes the pier at noon and none of the islanders pays.",
]
DECLINING_ALONE = [
    "I do not know.",
    "I don't know the answer to that.",
    "I'm not familiar with that festival.",
    "I have no idea.",
    "I am unable to say without more context.",
    "I do not have any information about a ferry of this name.",
    "I can't verify that.",
    "There is no way for me to know this.",
    "I'm afraid I can't tell.",
    "Sorry, I have no record of such a bridge.",
    "I could not find anything about it.",
    "This is not something I know.",
    "My knowledge does not include this event.",
    "Unknown.",
    "I would need more information to answer that.",
    "I cannot answer this question.",
    "I do not know the answer. I can only work on texts that are given to me.",
    "I don't have information about this.",
    "I\u2019m not sure who won the cup.",
    "As of my last update, no such bridge had been announced.",
    "There is no information available on that.",
    "I'm sorry, but I cannot verify this.",
    "It isn't possible to say without more context.",
    "  ",
]
ANSWERING_ALONE = [
    "It was opened in 1931.",
    "Port Alder.",
    "Yes, both of them.",
    "No, it is closed on Mondays.",
    "Salt lowers the freezing point of water.",
    "The capital is Vessel Cross, and its port is Port Alder.",
    "He was best known as the man who knew too much.",
    "Nobody won: the match was abandoned.",
    "She became the first woman to cross the strait alone.",
    "The treaty was never signed.",
    "About 40 per cent.",
    "You can freeze it for a month.",
    "They could not afford the rent.",
    "Because onions release a gas.",
    "The bridge was opened in 1931.",
    "Mayor Orr, who had known nothing of it, signed the contract.",
    "It is known for its 22 trams.",
    "No, the museum was closed.",
]


@pytest.mark.parametrize("response", DECLINING_WITH_PASSAGES)
def test_a_response_that_finds_no_answer_in_passages_declines(response):
    assert declines_from_passages(response)


@pytest.mark.parametrize("response", ANSWERING_WITH_PASSAGES)
def test_a_response_that_tells_what_passages_say_does_not(response):
    assert not declines_from_passages(response)


@pytest.mark.parametrize("response", DECLINING_ALONE)
def test_a_response_without_passages_declines(response):
    assert declines(response)


@pytest.mark.parametrize("response", ANSWERING_ALONE)
def test_a_response_without_passages_does_not(response):
    assert not declines(response)
