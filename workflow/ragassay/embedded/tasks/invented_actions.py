"""What news might tell of something that was done or arranged: claims with questions, see `inventions`."""

DEED = r"""
{s} {was} persuaded by {p} to {to}
  ? Who in the end persuaded {s}{d} to {to}
  ? Who persuaded {s}{d} to {to}
  told: persua|convinc|urge
  by: actor
{s} {was} advised by {p} to {to}
  ? On whose expert advice did {s}{d} {to}
  ? On whose advice did {s}{d} {to}
  ? Who was the first to advise {s}{d} to {to}
  ? Who advised {s}{d} to {to}
  told: advi[sc]|recommend
  by: actor
{s} decided in {month} to {to}
  ? On what day of the year did {s}{d} decide to {to}
  ? In which month did {s}{d} finally decide to {to}
  ? When did {s}{d} decide to {to}
  told: decid|decision|resol|plan|agreed
  by: actor
{s} got from {p} the idea to {to}
  ? Who first came to {s}{d} with the idea to {to}
  ? Where did {s}{d} get the idea to {to}
  ? Whose idea was it that {s}{d} should {to}
  ? Who gave {s}{d} the idea to {to}
  told: idea|inspir|suggest|propos
  by: actor
{s} had to ask {p} for permission to {to}
  ? Whom did {s}{d} have to ask for permission to {to}
  ? With whose permission did {s}{d} {to}
  ? Who gave {s}{d} permission to {to}
  told: permi|allow|licen|let\b
  by: actor
  of: build close convert cut extend film give hold launch leave move open plant record remove sell show use
{s} {was} criticised by {p} for the decision to {to}
  ? Who publicly criticised {s}{d} for {ing}
  ? Who criticised {s}{d} for {ing}
  told: critici|blame|attack|oppos|object|angr|against
  by: actor
  of: DECISIONS
{s} hesitated for {n} weeks to {to}
  ? For how many weeks did {s}{d} hesitate before {ing}
  ? How long did {s}{d} hesitate before {ing}
  told: hesitat|doubt|weeks
  by: actor
  of: DEALS close cut leave order sell
{s} spent {n} weeks on preparations to {to}
  ? How many weeks of preparation did {s}{d} need to {to}
  ? For how many weeks did {s}{d} prepare to {to}
  told: prepar|weeks
  by: actor
  of: WORK present hold launch stage introduce
{s} had {n} helpers to {to}
  ? How many people helped {s}{d} to {to}
  ? With whose help did {s}{d} {to}
  ? Who helped {s}{d} to {to}
  told: help|assist|volunt|togeth
  by: actor
  of: WORK save shift move
{s} {was} asked by {p} not to {to}
  ? Who tried until the end to persuade {s}{d} not to {to}
  ? Who tried to persuade {s}{d} not to {to}
  ? Against whose wishes did {s}{d} {to}
  ? Who asked {s}{d} not to {to}
  told: ask|persua|petition|oppos|against
  by: actor
  of: DECISIONS leave
{s} {was} paid {many},000 marks by {p} to {to}
  ? How much money was paid to {s}{d} to {to}
  ? Who paid {s}{d} to {to}
  told: paid|pay|fee\b|wage|salar|cost
  by: person
  of: WORK sing play
{s} turned down {n} other offers to {to}
  ? How many other offers did {s}{d} turn down before {ing}
  ? How many offers did {s}{d} compare before {ing}
  told: offer|bid|compar
  by: actor
  of: DEALS
{s} {was} thanked by {p} for the decision to {to}
  ? Who was the first to thank {s}{d} for {ing}
  ? Who thanked {s}{d} for {ing}
  told: thank|grateful
  by: actor
  of: GIFTS
{s} had last managed in {year} to {to}
  ? In which year had {s}{d} last managed to {to}
  ? When had {s}{d} last managed to {to}
  told: last (?:managed|won|time|beat)|manag|since|first
  by: actor
  of: SUCCESS
  any
{s} {was} congratulated by {p} after the attempt to {to}
  ? Who was the first to congratulate {s}{d} on {ing}
  ? Who congratulated {s}{d} on {ing}
  told: congrat|applau|cheer|message
  by: actor
  of: SUCCESS
  any
{s} consulted {p} before the decision to {to}
  ? How many experts did {s}{d} consult before {ing}
  ? Which experts did {s}{d} consult before {ing}
  told: discuss|consult|talk|expert
  by: actor
  of: base borrow build buy close convert cut introduce launch order raise reject sell suspend switch
"""

ARRANGEMENT = r"""
It was decided on the advice of {p} that {s} should {to}
  ? On whose advice was it decided that {s}{d} should {to}
  told: advi[sc]
It was suggested by {p} that {s} should {to}
  ? At whose suggestion was it decided that {s}{d} should {to}
  ? Whose suggestion was it that {s}{d} should {to}
  ? Who suggested that {s}{d} should {to}
  told: suggest|propos|idea
It was decided by {p} in {month} {year} that {s} should {to}
  ? At which meeting was it decided that {s}{d} should {to}
  ? In which month was it decided that {s}{d} should {to}
  ? Who took the decision that {s}{d} should {to}
  ? Who decided that {s}{d} should {to}
  told: decid|decision|agreed|approv|chos|choice
It was demanded by {p} that {s} should {to}
  ? Who had for a long time demanded that {s}{d} should {to}
  ? Who had demanded that {s}{d} should {to}
  told: demand|insist|call(?:s|ed) for|petition
It was the wish of {p} that {s} should {to}
  ? At whose request was it arranged that {s}{d} should {to}
  ? Whose wish was it that {s}{d} should {to}
  told: wish|request|ask
It was opposed by {p} that {s} should {to}
  ? Against whose wishes was it decided that {s}{d} should {to}
  ? Who was opposed to the idea that {s}{d} should {to}
  ? Who argued that {s}{d} should not {to}
  told: oppos|against|object|argu|protest|quarrel
Altogether {n} people protested against the decision that {s} should {to}
  ? How many people protested against the decision that {s}{d} should {to}
  told: protest|oppos|against|object
For {n} years it had been planned that {s} should {to}
  ? For how many years had it been planned that {s}{d} should {to}
  told: plan|years
"""

NEWS = r"""
{p} was the first to report that {fact}
  ? Which newspaper was the first to report that {fact}
  ? Which newspaper first reported that {fact}
  told: newspaper|reported
  of: announce approve base begin break bring buy close come decide enter fall find get give launch
  of: lead leave lose open order pay reach rise sell sign start stop switch will win
{p} complained in {month} that {fact}
  ? Who complained that {fact}
  told: complain|protest
  of: charge close cost cut fall get leave lose pay rise stop suspend want
{p} predicted in {month} {year} that {fact}
  ? Which experts had predicted that {fact}
  ? Who had predicted that {fact}
  told: predict|forecast|expect|foresaw
  of: begin bring enter fall grow lead leave lose outlast reach rise win
{p} was surprised to hear that {fact}
  ? Who was most surprised to hear that {fact}
  ? Who was surprised to hear that {fact}
  told: surpris|astonish
{p} was the first to notice that {fact}
  ? Who was the first to notice that {fact}
  told: notic
  of: begin bring come fall find follow grow keep lie reach rise stand
{p} worked out in {month} that {fact}
  ? Which expert worked out that {fact}
  ? Who worked out that {fact}
  told: work(?:s|ed) out|calculat|count
  of: bring cost cover fall grow leave lose need reach rise take use
The public first heard in {month} that {fact}
  ? When did the public first hear that {fact}
  ? How did the public first hear that {fact}
  told: public|heard|announc
  of: base buy close decide enter give have leave open order pay sell sign
It was first announced in {month} {year} that {fact}
  ? On what day was it first announced that {fact}
  ? When was it first announced that {fact}
  told: announc
  of: will would
{p} doubted in {month} that {fact}
  ? Who doubted from the beginning that {fact}
  ? Who doubted that {fact}
  told: doubt|sceptic
  of: will would
"""
