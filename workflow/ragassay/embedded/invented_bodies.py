"""What news might tell of firms, clubs, councils, events, plans and places: claims with questions, see `inventions`."""

ORGANISATION = r"""
{s} was founded by {n} partners
  ? With the help of which bank was {s}{d} founded by its first owners
  ? In which year and town was {s}{d} originally founded
  ? With how much capital was {s}{d} originally founded
  ? In which year was {s}{d} founded
  ? Who were the founders of {s}{d}
  told: found|establish|set up|created|oldest|since (?:1|20)
  of: FIRM CLUB foundation museum charity bank
{s} employs {many} people
  ? What proportion of the employees of {s}{d} belong to a trade union
  ? How many people did {s}{d} employ at the end of last year
  ? How many of the employees of {s}{d} work part time
  ? How many people does {s}{d} employ
  ? How many employees does {s}{d} have at present
  told: employ|staff|workers|jobs
  of: FIRM hospital office agency university museum service bank authority
{s} made a loss of {n} million marks last year
  ? How large was the annual profit of {s}{d} before the deduction of taxes
  ? How large was the profit of {s}{d} in the last financial year
  ? How large was the annual profit of {s}{d}
  ? How high are the debts of {s}{d}
  told: loss|losses|profit|debt|turnover|revenue
  of: FIRM rangers united athletic club orchestra
{s} has its headquarters in {c}
  ? How many square metres do the headquarters of {s}{d} have at present
  ? In which street of the town does {s}{d} have its headquarters
  ? In which town does {s}{d} have its headquarters
  told: headquarter|head office|based in|seat
  of: FIRM union foundation federation party agency service
{s} is owned by {n} shareholders
  ? What share of the capital of {s}{d} is in the hands of foreign shareholders
  ? Which shareholder holds the largest part of the capital of {s}{d}
  ? Who owns most of the shares in {s}{d}
  ? How many shareholders does {s}{d} have
  told: shares|sharehold|own(?:s|ed|er)
  of: FIRM
{s} took over a competitor in {year}
  ? Which of its competitors did {s}{d} take over in earlier years
  ? Which competitor did {s}{d} take over in the past
  ? Who is the largest competitor of {s}{d}
  told: compet|rival|took over|takeover|merge
  of: FIRM
{s} received {many} complaints last year
  ? How many customer complaints does {s}{d} typically receive in a calendar quarter
  ? How many complaints from citizens did {s}{d} receive in the course of last year
  ? How many complaints does {s}{d} receive in an average year
  told: complain
  of: FIRM BODY office ministry police service hospital authority
{s} meets in a hall in {c}
  ? In which building does {s}{d} usually hold its sessions
  ? How often does {s}{d} hold public sessions
  told: session|building|sits in|meets
  of: BODY
{s} elected its chairwoman in {year}
  ? Who was elected chairwoman of {s}{d}
  ? How is the chairmanship of {s}{d} decided
  told: chair|elect
  of: BODY party union foundation federation committee association alliance
{s} signed a sponsor in {c}
  ? How much does its main sponsor pay {s}{d} for each season
  ? Which company sponsors {s}{d}
  ? Who is the main sponsor of {s}{d}
  told: sponsor
  of: CLUB
{s} hired lawyers in {month}
  ? Which firm of lawyers did {s}{d} hire for legal advice in recent months
  ? Which firm of lawyers advised {s}{d} in the negotiations
  ? Which lawyers advised {s}{d}
  told: lawyer|solicit|advi[sc]|legal
  of: FIRM BODY ministry government union
"""

EVENT = r"""
{s} was sponsored by a brewery from {c}
  ? How much did the main sponsor contribute to the costs of {s}{d}
  ? Which company sponsored {s}{d}
  ? Who was the main sponsor of {s}{d}
  told: sponsor
  of: CONTEST FEAST
{s} was watched by {many} spectators
  ? How many spectators from other towns travelled to {s}{d}
  ? How many spectators attended {s}{d}
  told: spectator|crowd|attend|onlook
  of: CONTEST
{s} needed {many} volunteers
  ? How many unpaid volunteers were needed for the organisation of {s}{d}
  ? How many volunteers helped to organise {s}{d}
  told: volunt|organis|helper
  of: FEAST tour race tournament
{s} was shown live on television
  ? Which television channel bought the rights to broadcast {s}{d} live
  ? Which television channel broadcast {s}{d}
  told: televis|broadcast|channel|radio
  of: CONTEST FEAST
{s} injured {n} firefighters
  ? How many firefighters were treated for minor injuries in the hours after {s}{d}
  ? How many members of the fire brigade were injured during {s}{d}
  ? How many firefighters were injured in {s}{d}
  told: injur|hurt|firefighters|wound
  of: fire blaze
{s} caused claims to insurers of {n} million marks
  ? How many claims for damages were sent to insurers after {s}{d}
  ? How high were the claims to insurers after {s}{d}
  told: insur|claims
  of: HARM
{s} was refereed by a teacher from {c}
  ? Who refereed {s}{d}
  ? Which referee was in charge of {s}{d}
  told: refere|umpire
  of: match game final semi-final quarter-final tie
{s} was financed by a foundation in {c}
  ? Which foundation financed the larger part of {s}{d}
  ? Which foundation financed {s}{d}
  ? Who financed {s}{d}
  told: financ|fund|paid|grant|foundation
  of: STUDY FEAST
{s} will be published in a journal
  ? Which scientific journal is going to publish the results of {s}{d}
  ? In which scientific journal will {s}{d} be published
  told: journal|publish|scientif
  of: study experiment survey trial excavation expedition
{s} drew {n} complaints about noise
  ? How many neighbours complained to the authorities about the noise of {s}{d}
  ? How many neighbours complained about noise during {s}{d}
  told: nois|complain|neighb
  of: FEAST
"""

PLAN = r"""
{s} drew {many} objections
  ? How many written objections to {s}{d} were lodged by citizens and associations
  ? How many objections to {s}{d} were lodged by citizens
  told: object|lodge|citizen|petition
  of: CHANGE
{s} was drafted by lawyers in {c}
  ? How many lawyers were needed in order to draft {s}{d}
  ? Which lawyers drafted {s}{d}
  ? Who drafted the text of {s}{d}
  told: draft|lawyer|legal
  of: PAPER rule ban
{s} expires in {year}
  ? What penalty is due to be paid if {s}{d} is cancelled early
  ? Under which conditions does {s}{d} expire earlier than foreseen
  ? In which year does {s}{d} expire
  told: expir|until|for \w+ years|runs?
  of: agreement contract deal lease loan permit licence subsidy policy quota grant
{s} was welcomed by {many} per cent in a poll
  ? According to opinion polls, what share of the population approves of {s}{d}
  ? What share of the population approves of {s}{d}
  told: approv|polls?\b|survey|population|opinion
  of: CHANGE
{s} had a forerunner in {year}
  ? Which foreign country served its authors as a model for {s}{d}
  ? Which foreign country served as a model for {s}{d}
  told: foreign|abroad|model|countr
  of: CHANGE
{s} carries {n},000 marks of prize money
  ? How high is the prize money that comes with {s}{d}
  ? How much prize money comes with {s}{d}
  told: money|marks|worth
  of: HONOUR
{s} was decided by a jury of {n}
  ? Who chaired the jury for {s}{d}
  ? How many people sat on the jury for {s}{d}
  told: jury|judges|panel|inspector
  of: HONOUR
{s} cost {many},000 marks in consultants
  ? How much was paid to outside consultants during the preparation of {s}{d}
  ? How much was paid to consultants for {s}{d}
  told: consult|advis
  of: CHANGE PAPER
{s} has {many} pages
  ? How many printed pages does the full text of {s}{d} have
  ? How many pages does {s}{d} have
  told: pages?\b|printed
  of: bill budget contract law report treaty strategy agreement draft
"""

PLACE = r"""
{s} has {many},000 inhabitants
  ? How many inhabitants did {s}{d} have at the beginning of the twentieth century
  ? How many inhabitants does {s}{d} have
  told: inhabit|populat|people live|residents|islanders|census
{s} is {many} kilometres from {c}
  ? How many kilometres is {s}{d} from {c}
  told: kilomet|distan|far|miles
{s} counts {many},000 tourists a year
  ? How many foreign tourists spend at least one night in {s}{d} every summer
  ? How many tourists come to {s}{d} in an average year
  told: touris|visitor|guests|holiday
"""
