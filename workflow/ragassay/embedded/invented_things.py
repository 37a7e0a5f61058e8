"""What news might tell of buildings, roads, machines and works of art: claims with questions, see `inventions`."""

STRUCTURE = r"""
{s} was designed by an architect from {c}
  ? In which other towns did the architect of {s}{d} design buildings of this kind
  ? Which architect drew the original design for {s}{d}
  ? Which architect designed {s}{d}
  told: architect|design
  of: BUILDING bridge tower dam tunnel pier
{s} stands on the site of an old brewery
  ? What was to be found on the site of {s}{d} a hundred years ago
  ? What stood on the site of {s}{d} in earlier times
  told: site|stood|former
  of: BUILDING tower
{s} is insured for {n} million marks
  ? For how many millions of marks is {s}{d} insured against fire and storm
  ? For what sum is {s}{d} insured
  told: insur
  of: BUILDING
{s} is heated with wood
  ? What kind of fuel is used for heating {s}{d} in the winter months
  ? How is {s}{d} heated in the winter months
  told: heat|warm|boiler
  of: BUILDING
{s} needs {many},000 marks for maintenance each year
  ? How much money is set aside for the maintenance of {s}{d} each year
  ? How much does the maintenance of {s}{d} cost each year
  ? Who pays for the maintenance of {s}{d}
  told: maint|upkeep|running cost
  of: BUILDING ROUTE
{s} attracted {many},000 tourists in {year}
  ? How many tourists from abroad did {s}{d} attract in the past summer
  ? How many tourists does {s}{d} attract in an average summer
  told: touris|visitor|guests|walkers|hikers
  of: SEEN canal bridge harbour cave dairy
  later
{s} was last inspected in {month} {year}
  ? Which safety inspector carried out the latest examination of {s}{d}
  ? In which year did safety inspectors last examine the whole of {s}{d}
  ? When was {s}{d} last inspected by engineers
  ? Which inspector examined {s}{d} most recently
  told: inspect|examin|checked
  of: BUILDING bridge dam tower tunnel pier railway mast
  later
{s} is {n} kilometres from {c}
  ? How many kilometres is {s}{d} from {c}
  told: kilomet|distan|far|miles
  of: BUILDING dam tunnel tower bridge quarry mine
{s} was given its name in {year}
  ? How did {s}{d} originally come by its nickname
  ? After whom was {s}{d} originally named
  ? Where does the nickname of {s}{d} come from
  told: nickname|named|christen|original
  of: BUILDING ROUTE
  later
{s} was closed for {n} weeks after an accident in {year}
  ? How many serious accidents have been recorded on {s}{d} over the past ten years
  ? How many accidents were recorded on {s}{d} over the past ten years
  told: accident|collision|crash|injur
  of: road bridge railway line path route street tunnel track
  later
{s} belongs to a landowner in {c}
  ? Which landowner possesses the fields on both sides of {s}{d}
  ? Who owns the land beside {s}{d}
  told: land\b|landown|own(?:s|ed|er)
  of: BUILDING ROUTE
"""

DEVICE = r"""
{s} weighs {n} tonnes
  ? How many tonnes does {s}{d} weigh
  ? How heavy is {s}{d}
  told: weigh|tonne|tons|kilos|heav
  of: VEHICLE organ turbine machine satellite
{s} was designed by an engineer in {c}
  ? In which office was the original design of {s}{d} drawn up
  ? Which engineer designed {s}{d}
  ? Who was the chief designer of {s}{d}
  told: design|invent
  of: VEHICLE MACHINE PROGRAM
{s} has a guarantee of {n} years
  ? For how many years is the guarantee on {s}{d} valid
  ? How long is {s}{d} under guarantee
  told: guarant|warrant
  of: VEHICLE MACHINE PROGRAM
{s} is painted green and white
  ? In which colours is {s}{d} painted
  told: paint|colour|green|white|red|blue|grey|yellow
  of: VEHICLE
{s} was programmed by a firm in {c}
  ? Which firm programmed {s}{d}
  ? How many programmers worked on {s}{d}
  told: program|code
  of: PROGRAM robot drone computer
{s} consumes {many} kilowatt hours a day
  ? How much electricity does {s}{d} consume in a day
  told: electric|kilowatt|consum|power|energy
  of: MACHINE train tram
{s} broke down {n} times in {year}
  ? How many times did {s}{d} break down during its first months of use
  ? How often did {s}{d} break down during its first months
  told: br[eo]ak|broke|fail|fault|repair
  of: VEHICLE MACHINE PROGRAM
  later
{s} is insured for {n} million marks
  ? For what sum is {s}{d} insured
  ? Which company insures {s}{d}
  told: insur
  of: VEHICLE MACHINE
{s} produces {n} side effects
  ? Which unwanted effects of {s}{d} did patients complain about most frequently
  ? Which side effects does {s}{d} cause in older people
  told: effect|older
  of: vaccine drug medicine
"""

WORK = r"""
{s} was translated into {n} languages
  ? Into how many foreign languages is {s}{d} going to be translated next year
  ? Into which foreign languages are there plans to translate {s}{d}
  ? Into how many languages has {s}{d} been translated
  ? Who is to translate {s}{d}
  told: translat|language|subtitl
  of: PRINTED STAGED
{s} had another working title
  ? Which other titles were considered for {s}{d} before this one was chosen
  ? What was the original working title of {s}{d}
  told: title|original
  of: PRINTED STAGED SUNG
{s} had costumes from {c}
  ? Which tailor sewed the costumes for the leading actors in {s}{d}
  ? Who designed the costumes for {s}{d}
  ? Where were the costumes for {s}{d} sewn
  told: costum|design|dress|sew
  of: STAGED
{s} has a cover by a painter from {c}
  ? Which painter designed the cover of {s}{d}
  told: cover|design|paint|sleeve
  of: SUNG PRINTED
{s} was mixed in {n} weeks
  ? How many weeks did the engineers spend on mixing {s}{d}
  ? Which sound engineer mixed {s}{d}
  told: mixe[ds]|sound|engineer
  of: SUNG
{s} was reviewed badly by a critic in {c}
  ? Which newspaper critic wrote the harshest review of {s}{d}
  ? Which critic wrote the harshest review of {s}{d}
  told: critic|review|harsh
  of: STAGED SUNG PRINTED
{s} had {many} rehearsals
  ? How many rehearsals did the ensemble need for {s}{d}
  told: rehears|ensemble
  of: ballet comedy drama musical opera play show symphony
{s} has a budget of {n} million marks
  ? What was the total production budget of {s}{d} in millions of marks
  ? How large was the production budget of {s}{d}
  told: budget|product|cost|million
  of: STAGED
"""
