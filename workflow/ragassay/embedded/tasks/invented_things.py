"""What news might tell of firms, clubs, buildings, machines, works of art, events and plans: claims with questions, see
`inventions`. The questions name the thing together with something that its document tells of it.
"""

ORGANISATION = r"""
{s} was founded by {n} partners
  ? In which year was {s}{d} founded
  ? Who founded {s}{d}
  told: found|establish|set up|created|oldest|since (?:1|20)
  of: FIRM CLUB foundation museum charity bank
{s} employs {many} people
  ? How many people does {s}{d} employ
  told: employ|staff|workers|jobs|people work
  of: FIRM hospital office agency university museum service bank authority
{s} made a loss of {n} million marks last year
  ? How large was the profit of {s}{d} in the last year
  told: loss|losses|profit|debt|turnover|revenue
  of: FIRM
{s} signed a sponsor in {c}
  ? Which company is the main sponsor of {s}{d}
  told: sponsor
  of: CLUB
"""

STRUCTURE = r"""
{s} was designed by an architect from {c}
  ? Which architect designed {s}{d}
  told: architect|design
  of: BUILDING bridge tower dam tunnel pier
{s} needs {many},000 marks for maintenance each year
  ? How much does the maintenance of {s}{d} cost each year
  ? Who pays for the maintenance of {s}{d}
  told: maint|upkeep|running cost
  of: BUILDING ROUTE
{s} was last inspected in {month} {year}
  ? When did engineers last inspect {s}{d}
  told: inspect|examin|checked
  of: BUILDING bridge dam tower tunnel pier railway mast
  later
"""

DEVICE = r"""
{s} weighs {n} tonnes
  ? How many tonnes does {s}{d} weigh
  told: weigh|tonne|tons|kilos|heav
  of: VEHICLE organ turbine machine satellite
{s} was designed by an engineer in {c}
  ? Which engineer designed {s}{d}
  told: design|invent|develop
  of: VEHICLE MACHINE PROGRAM
{s} was programmed by a firm in {c}
  ? Which firm programmed {s}{d}
  told: program|code|develop
  of: PROGRAM robot drone computer
{s} broke down {n} times in {year}
  ? How often has {s}{d} broken down
  told: br[eo]ak|broke|fail|fault|repair
  of: VEHICLE MACHINE PROGRAM
  later
"""

WORK = r"""
{s} was translated into {n} languages
  ? Into how many languages has {s}{d} been translated
  told: translat|language|subtitl
  of: PRINTED
{s} had another working title
  ? What was the working title of {s}{d}
  told: title|original
  of: STAGED SUNG
{s} had costumes from {c}
  ? Who designed the costumes for {s}{d}
  told: costum|design|dress|sew
  of: STAGED
{s} has a cover by a painter from {c}
  ? Who designed the cover of {s}{d}
  told: cover|design|paint|sleeve
  of: album record guide book magazine
{s} was reviewed badly by a critic in {c}
  ? Which critic wrote the harshest review of {s}{d}
  told: critic|review|harsh
  of: STAGED SUNG PRINTED
{s} has a budget of {n} million marks
  ? How large was the budget of {s}{d}
  told: budget|product|cost|million
  of: STAGED
"""

EVENT = r"""
{s} was sponsored by a brewery from {c}
  ? Which company sponsored {s}{d}
  told: sponsor
  of: CONTEST FEAST
{s} was watched by {many} spectators
  ? How many spectators watched {s}{d}
  told: spectator|crowd|attend|onlook|watch|gate
  of: CONTEST
{s} needed {many} volunteers
  ? How many volunteers helped to organise {s}{d}
  told: volunt|organis|helper
  of: FEAST tour race tournament
{s} was refereed by a teacher from {c}
  ? Who refereed {s}{d}
  told: refere|umpire
  of: match game final semi-final quarter-final tie
{s} was financed by a foundation in {c}
  ? Who financed {s}{d}
  told: financ|fund|paid|grant|foundation|cost
  of: STUDY FEAST
{s} will be published in a journal
  ? In which scientific journal will {s}{d} be published
  told: journal|publish|scientif
  of: study experiment survey trial excavation expedition
{s} caused claims to insurers of {n} million marks
  ? How high were the claims to insurers after {s}{d}
  told: insur|claims
  of: HARM
"""

PLAN = r"""
{s} drew {many} objections
  ? How many citizens lodged objections to {s}{d}
  told: object|lodge|citizen|petition
  of: CHANGE
{s} was drafted by lawyers in {c}
  ? Which lawyers drafted {s}{d}
  told: draft|lawyer|legal
  of: PAPER rule ban
{s} expires in {year}
  ? In which year does {s}{d} expire
  told: expir|until|for \w+ years|runs?
  of: agreement contract deal lease loan permit licence subsidy policy quota grant
{s} was welcomed by {many} per cent in a poll
  ? What share of the population approves of {s}{d}
  told: approv|polls?\b|survey|population|opinion
  of: CHANGE
{s} was decided by a jury of {n}
  ? How many people sat on the jury for {s}{d}
  told: jury|judges|panel|inspector|critics|voted
  of: HONOUR
{s} has {many} pages
  ? How many pages does {s}{d} have
  told: pages?\b|printed
  of: bill budget contract law report treaty strategy agreement draft
"""
