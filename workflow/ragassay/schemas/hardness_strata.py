"""The table hardness_strata."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

HARDNESS_STRATA = Table(
    "hardness_strata",
    "One row per stratum of nearness, and one for `all`, whose n_hard and share are the study's headline."
    " Intervals are 95 %, from resampled documents.",
    path="hardness_strata/{generator}/{judge}",
    key=("position",),
    columns=(
        Column("position", pa.int32(), "0 is the farthest stratum; all questions together come last"),
        Column("stratum", pa.string(), "the range of nearness, or `all`"),
        Column("n_out_of_scope", pa.int32(), "out-of-scope questions in it that were kept and have a score"),
        Column("n_in_scope", pa.int32(), "in-scope questions likewise"),
        Column("auroc", pa.float64(), "the control's, out of scope against in scope in this stratum", null=True),
        Column("auroc_low", pa.float64(), "lower end of its interval", null=True),
        Column("auroc_high", pa.float64(), "upper end of its interval", null=True),
        Column(
            "question_alone", pa.float64(), "the same of the control that sees the question's words alone", null=True
        ),
        Column("question_alone_low", pa.float64(), "lower end of its interval", null=True),
        Column("question_alone_high", pa.float64(), "upper end of its interval", null=True),
        Column(
            "auroc_against_all",
            pa.float64(),
            "the control's, out of scope in this stratum against all in scope",
            null=True,
        ),
        Column(
            "grade",
            pa.string(),
            "`hard` if the intervals of both controls end at .75 at most, `easy` if one begins above, else `undecided`;"
            " undecided, too, with few questions of a kind",
        ),
        Column("hard", pa.bool_(), "whether the grade is hard"),
        Column("n_hard", pa.int32(), "out-of-scope questions in it if it is hard; of all, those in hard strata"),
        Column(
            "share", pa.float64(), "of all out-of-scope questions, those in it; of all, those in hard strata", null=True
        ),
        Column("share_low", pa.float64(), "lower end of its interval", null=True),
        Column("share_high", pa.float64(), "upper end of its interval", null=True),
    ),
)
