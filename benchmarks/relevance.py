"""How often gates and alarms on out-of-knowledge queries are wrong, and what they find; the parts stand in
benchmarks/knowledge/.

Ends of intervals stand beside their values. benchmarks/published.py has the quality on published questions.
`python benchmarks/relevance.py divisions` measures only what is named.
"""

from common.figures import parts
from knowledge.divisions import divisions
from knowledge.false_alarms import false_alarms
from knowledge.synthetic_gates import synthetic_gates

if __name__ == "__main__":
    parts({"false_alarms": false_alarms, "synthetic_gates": synthetic_gates, "divisions": divisions})
