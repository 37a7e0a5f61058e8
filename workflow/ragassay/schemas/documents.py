"""The tables of feeds, pages, articles and documents."""

import pyarrow as pa

from ragassay.base.tables import NUMBERS, STRINGS, TIME, Column, Table

CANDIDATES = Table(
    "candidates",
    "One row per page that the feeds of a shard name, whether it was fetched or not.",
    path="candidates/{shard}",
    key=("url",),
    columns=(
        Column("url", pa.string(), "the address that the feed gives"),
        Column("shard", pa.string(), "the shard that was crawled"),
        Column("topic", pa.string(), "the topic of the feed"),
        Column("feed_url", pa.string(), "the first feed that names it, in the order of addresses"),
        Column("in_days", pa.bool_(), "whether the feed's date is missing or about in the shard's days"),
    ),
    release="whole",
)


PAGES = Table(
    "pages",
    "One row per page that a crawl fetched, as it came, so that everything behind it can be done again without the"
    " network.",
    path="pages/{shard}",
    key=("url",),
    columns=(
        Column("url", pa.string(), "the address that the feed gives"),
        Column("final_url", pa.string(), "the address that answered, after all redirects"),
        Column("shard", pa.string(), "the shard that the page was fetched for"),
        Column("topic", pa.string(), "the topic of its feed", null=True),
        Column("status", pa.int32(), "the status of the answer, such as 200"),
        Column("headers", pa.string(), "the headers that are kept: a JSON object with small letters in its names"),
        Column("body", pa.binary(), "the bytes of the page, compressed by zlib"),
        Column("page_hash", pa.string(), "SHA-256 of the bytes of the page"),
        Column("fetched_at", TIME, "when the answer came"),
        Column("feed_url", pa.string(), "the feed that named the page", null=True),
        Column("feed_title", pa.string(), "the title that the feed gives it", null=True),
        Column("feed_published", pa.string(), "the date that the feed gives it, unparsed", null=True),
    ),
    group=100,  # of up to ten megabytes each
    release="never",
)


ARTICLES = Table(
    "articles",
    "One row per article, extracted from a page or taken from the user's files, whole and before near-duplicates"
    " are found.",
    path="articles/{shard}",
    key=("article_id",),
    columns=(
        Column("article_id", pa.string(), "`art-` and 16 digits of a hash over url, the user's id and content_hash"),
        Column("shard", pa.string(), "the shard that the article came with"),
        Column("source_id", pa.string(), "its id in the user's file, or else its path there and its row", null=True),
        Column("topic", pa.string(), "one of the study's topics, or the user's own", null=True),
        Column("url", pa.string(), "the address that answered with it", null=True),
        Column("canonical_url", pa.string(), "the address that the page calls its own", null=True),
        Column("site", pa.string(), "the host name of url", null=True),
        Column("site_name", pa.string(), "the name that the site gives itself", null=True),
        Column("title", pa.string(), "the headline", null=True),
        Column("published_at", TIME, "when it was published; empty unless two sources agree", null=True),
        Column("date_precision", pa.string(), "time or day: how exactly published_at is known", null=True),
        Column("date_sources", STRINGS, "the sources of the date: some of json_ld, meta, feed, url; or file"),
        Column(
            "undated",
            pa.string(),
            "why published_at is empty: no_date, one_source, invalid_date or dates_disagree",
            null=True,
        ),
        Column("text", pa.string(), "the whole text, with empty lines between paragraphs; NFC, LF", text="site"),
        Column("n_words", pa.int32(), "words in text, as white space separates them"),
        Column("language", pa.string(), "its language by ISO 639, as the text was identified", null=True),
        Column("language_confidence", pa.float64(), "how sure that is, from 0 to 1", null=True),
        Column("charset", pa.string(), "the charset that the page was read with", null=True),
        Column("charset_source", pa.string(), "where the charset was found: mark, header, meta or detector", null=True),
        Column("page_hash", pa.string(), "SHA-256 of the page it was extracted from", null=True),
        Column("content_hash", pa.string(), "SHA-256 of text"),
    ),
)


FEEDS = Table(
    "feeds",
    "One row per feed that can be crawled.",
    path="feeds/{shard}",
    key=("feed_url",),
    columns=(
        Column("feed_url", pa.string(), "its address, in the one form of `ragassay.news.fetching.links`"),
        Column("site", pa.string(), "the host name of the site that it belongs to, without www"),
        Column("topic", pa.string(), "the study's topic that its articles count for"),
        Column("listed_topic", pa.string(), "the topic or category where it is listed, before that is mapped"),
        Column("language", pa.string(), "two letters, where it is listed with one", null=True),
        Column("country", pa.string(), "two letters, where it is listed with one", null=True),
        Column("rank", pa.int64(), "the rank of its site by visits world-wide, from 1", null=True),
        Column("main", pa.bool_(), "whether the directory has it as the main feed of its site", null=True),
        Column("https_first", pa.bool_(), "whether https comes before the old directory's http; false for your own"),
        Column("source", pa.string(), "where it is listed: config, opml or newscatcher; the first of these counts"),
        Column("source_hash", pa.string(), "SHA-256 of the file that lists it; empty for config", null=True),
    ),
    release="whole",
)


FEED_HEALTH = Table(
    "feed_health",
    "One row per feed that a crawl asked: how it answered.",
    path="feed_health/{shard}",
    key=("feed_url",),
    columns=(
        Column("feed_url", pa.string(), "the address of the feed"),
        Column("shard", pa.string(), "the shard that was crawled"),
        Column("topic", pa.string(), "the study's topic that its articles count for"),
        Column("site", pa.string(), "the host name of the site that it belongs to"),
        Column(
            "health",
            pa.string(),
            "live, empty (no entry in time), dead (no feed there), blocked (it refused), disallowed (robots.txt) or"
            " crash (fetching or reading it failed; the detail says how)",
        ),
        Column("entries", pa.int64(), "entries in the shard's window"),
        Column("detail", pa.string(), "what was found, for a person"),
    ),
    release="whole",
)


QUARANTINE = Table(
    "quarantine",
    "One row per passage of a corpus, or planted there by an attack: whether it may be searched as it comes in.",
    path="quarantine/{dataset}/{retriever}/{attack}/{defence}",
    key=("passage_id",),
    columns=(
        Column("passage_id", pa.string(), "the passage"),
        Column("poisoned", pa.bool_(), "whether the attack made it, which no screening sees"),
        Column("held", pa.bool_(), "whether screening holds it back"),
        Column("state", pa.string(), "`admitted`, `quarantined`, or, by review, `released` or `refused`"),
        Column("score", pa.float64(), "higher = more suspicious; empty if there is none", null=True),
        Column("reason", pa.string(), "why it is held, if so", null=True),
        Column("query", pa.string(), "the query that it is most similar to, if there are some", null=True),
        Column("criteria", STRINGS, "what was compared with thresholds"),
        Column("criterion_scores", NUMBERS, "the score of each, higher = more suspicious"),
        Column("thresholds", NUMBERS, "the threshold of each, at which it is held"),
        Column("reviewer", pa.string(), "who decided about it, if somebody did", null=True),
        Column("note", pa.string(), "what that person wrote", null=True),
    ),
    release="never",
)


CLUSTERS = Table(
    "clusters",
    "One row per article: its cluster of near-duplicates.",
    path="clusters/{shard}",
    key=("article_id",),
    columns=(
        Column("article_id", pa.string(), "the article", refers="articles.article_id"),
        Column("cluster_id", pa.string(), "`cluster-` and 16 digits of the content_hash of its representative"),
        Column(
            "representative",
            pa.bool_(),
            "whether it becomes the document: one of each cluster does, in its first shard",
        ),
    ),
    release="whole",
)


DOCUMENT_STATISTICS = Table(
    "document_statistics",
    "One row per shard and topic: what the documents are like.",
    path="document_statistics",
    key=("shard", "topic"),
    columns=(
        Column("shard", pa.string(), "the shard"),
        Column("topic", pa.string(), "the topic; `(none)` where documents have none"),
        Column("documents", pa.int64(), "documents kept"),
        Column("sites", pa.int64(), "different sites among them"),
        Column("undated", pa.int64(), "documents without a date of publication"),
        Column("first_published", TIME, "the earliest date", null=True),
        Column("last_published", TIME, "the latest date", null=True),
        Column("words", pa.int64(), "words of all documents together"),
        Column("fewest_words", pa.int64(), "words of the shortest"),
        Column("most_words", pa.int64(), "words of the longest"),
    ),
    release="whole",
)


NO_TOPIC = "(none)"  # what reports call the topic of a document without one
DOCUMENTS = Table(
    "documents",
    "One row per document that a shard keeps.",
    path="documents/{shard}",
    key=("doc_id",),
    columns=(
        Column("doc_id", pa.string(), "`doc-` and 16 digits of content_hash: the same text has the same id everywhere"),
        Column("article_id", pa.string(), "the article that it was cut from"),
        Column("cluster_id", pa.string(), "the near-duplicates that it stands for; splits go by it"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("source_id", pa.string(), "its id in the user's file, or else its path there and its row", null=True),
        Column("topic", pa.string(), "one of the study's topics, or the user's own", null=True),
        Column("url", pa.string(), "the page it was published at", null=True),
        Column("site", pa.string(), "the host name of url", null=True),
        Column("title", pa.string(), "the headline", null=True),
        Column("published_at", TIME, "when it was published; empty when that is not known", null=True),
        Column("text", pa.string(), "the text, cut after the sentence that passes cut_after_words; NFC", text="site"),
        Column("n_words", pa.int32(), "words in text, as white space separates them"),
        Column("content_hash", pa.string(), "SHA-256 of the whole text before the cut"),
    ),
)
