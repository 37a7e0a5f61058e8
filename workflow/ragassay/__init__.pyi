from ragassay.results import Results as Results
from ragassay.services.detector import Detector as Detector
from ragassay.services.gate import Gate as Gate
from ragassay.services.guard import Guard as Guard
from ragassay.services.probe import Probe as Probe
from ragassay.services.screen import Screen as Screen
