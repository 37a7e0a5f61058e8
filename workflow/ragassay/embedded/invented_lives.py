"""What news might tell of people and of what they did: claims with questions, see `inventions`."""

LIFE = r"""
{s} had a first job in {c}
  ? What did {s}{d} do for a living as a young adult
  ? What was the first job of {s}{d}
  told: jobs?\b|apprentic|began as|trade
{s} grew up in {c}
  ? In which village or suburb did {s}{d} grow up and go to kindergarten
  ? In which part of the country did {s}{d} grow up
  ? In which town did {s}{d} grow up
  ? Where did {s}{d} grow up
  told: gr[eo]w(?:n|s|ing)?\b|born|child|native|rais|home
{s} studied at a university abroad
  ? For which university degree did {s}{d} sit examinations as a young student
  ? Which university did {s}{d} attend and graduate from as a young student
  ? What did {s}{d} study at university before taking up this work
  ? What did {s}{d} study at university after leaving school
  ? At which university did {s}{d} study
  ? Which subject did {s}{d} study at university
  told: stud|universit|college|degree|graduat|student
{s} has {n} children
  ? How many children and grandchildren belong to the household of {s}{d} at present
  ? How many children does {s}{d} have
  told: child|daughter|sons?\b|famil|mother
{s} earns {many},000 marks a year
  ? How much did {s}{d} earn in the year before taking up the present position
  ? How high is the yearly salary that {s}{d} earns in this position
  ? How much does {s}{d} earn in a year
  ? What yearly salary does {s}{d} receive
  told: earn|salar|wage|pays?
  needs: POLITICS|coach|director
{s} intends to retire in {year}
  ? From what age does {s}{d} intend to draw a retirement pension
  ? At what age does {s}{d} intend to retire from public life
  ? In what year does {s}{d} intend to retire from the present position
  ? At what age does {s}{d} intend to retire
  ? When does {s}{d} intend to retire
  told: retir|resign|step down|intend|intent|pension
{s} entered politics at the age of {age}
  ? In which profession did {s}{d} earn a living before entering politics
  ? What was the profession of {s}{d} before entering politics
  ? At what age did {s}{d} enter politics
  told: polit|profession|entered|former|trade|career
  needs: POLITICS
{s} played for a club in {c} as a teenager
  ? Who first discovered the talent of {s}{d} in the early years
  ? For which club did {s}{d} play as a teenager
  ? Who discovered the talent of {s}{d}
  told: teen|youth|talent|discover|former club
  needs: SPORT
{s} suffered an injury in {year}
  ? For how many weeks was {s}{d} injured in the course of last season
  told: injur|hurt|broke|suffer
  needs: SPORT
{s} took lessons for {n} years
  ? At what age did {s}{d} begin with music lessons
  ? Who gave {s}{d} the first music lessons
  ? For how many years did {s}{d} take lessons
  told: lesson|taught|teach|pupil
  needs: STAGE
{s} owns a flat in {c}
  ? In which part of the country does {s}{d} own a house
  told: own(?:s|ed)\b|house|flat|lives|lived|home
{s} is married to a teacher from {c}
  ? To whom is {s}{d} married
  ? How long has {s}{d} been married
  told: marri|wife|husband|spouse|wedding
{s} wrote a book about it in {year}
  ? In which year will {s}{d} publish a volume of memoirs
  ? What is the title of the memoirs of {s}{d}
  ? Which publisher will print the memoirs of {s}{d}
  told: memoir|book|publish
  needs: STAGE|SPORT|POLITICS
{s} has been a colleague of {p} since {year}
  ? Since when have {s}{d} and {p} known each other
  told: known|friend|colleague|together
"""

DEED = r"""
{s} was persuaded by {p} after long talks
  ? Who was it that in the end persuaded {s}{d} to {to}
  ? Whose arguments finally persuaded {s}{d} to {to}
  ? Who persuaded {s}{d} to {to}
  told: persua|convinc|urge|press
{s} was advised by {p} in {month}
  ? Who was the first person who advised {s}{d} to {to}
  ? Who has been advising {s}{d} in recent months
  ? Who advised {s}{d} to {to}
  ? Which expert advised {s}{d} to {to}
  told: advi[sc]|recommend
{s} was encouraged by {p} in {month}
  ? Who was the first to encourage {s}{d} in the wish to {to}
  ? Who was it that encouraged {s}{d} to {to}
  ? Who encouraged {s}{d} to {to}
  told: encourag
{s} was criticised by {p} in {month}
  ? Which newspaper was the first to criticise {s}{d} sharply for {ing}
  ? Which critics spoke out most sharply against {s}{d} in recent weeks
  ? Who criticised {s}{d} for {ing}
  ? Which newspaper criticised {s}{d} for {ing}
  told: critici|blame|attack
{s} was warned by {p} in {month}
  ? Who had warned {s}{d} several months earlier against {ing}
  ? Who warned {s}{d} against {ing}
  ? Who warned {s}{d} not to {to}
  told: warn
{s} hesitated for {n} weeks
  ? For how many weeks in all did {s}{d} hesitate before {ing}
  ? For how many months did {s}{d} hesitate before {ing}
  ? How long did {s}{d} hesitate before {ing}
  told: hesitat|doubt
{s} was inspired by a visit to {c}
  ? Which earlier example from abroad originally inspired {s}{d} to {to}
  ? Who originally inspired {s}{d} to {to}
  ? Whose example inspired {s}{d} to {to}
  told: inspir|idea|example
{s} kept a promise to {p}
  ? To whom had {s}{d} given a promise many months earlier to {to}
  ? To whom had {s}{d} given a promise to {to}
  ? To whom did {s}{d} originally promise to {to}
  told: promis
{s} was congratulated by {p} in {month}
  ? Who was the very first person to congratulate {s}{d} afterwards on {ing}
  ? Who was the first to congratulate {s}{d} on {ing}
  told: congrat
{s} prepared for {n} weeks
  ? For how many weeks in all did {s}{d} have to prepare before {ing}
  ? For how many weeks did {s}{d} prepare before {ing}
  told: prepar|weeks
{s} was thanked by {p} in {month}
  ? Whom did {s}{d} thank for help with {ing}
  ? Who thanked {s}{d} for {ing}
  told: thank
"""

ADVICE = r"""
{s} consulted {n} experts
  ? How many experts in all did {s}{d} consult in private before {ing}
  ? How many experts did {s}{d} consult before {ing}
  ? Whom did {s}{d} consult before {ing}
  told: expert|consult
"""

AGE = r"""
{s} reached the age of {age} in {month}
  ? At what age did {s}{d} get the chance to {once}
  told: aged?\b|years? old|, \d\d,|, now \d\d|oldest|youngest|birthday|born
"""
