"""Python runs this first in every job. Until the stage runs, Ctrl-C ends a job at once and without a traceback: nothing
is begun yet, and to import takes seconds. `ragassay.stage` sees to it from then on.
"""

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored, as behind nohup
    signal.signal(signal.SIGINT, signal.SIG_DFL)
