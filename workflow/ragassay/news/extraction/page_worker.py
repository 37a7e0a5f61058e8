"""The program in which pages are read, one after the other: see `worker_main`."""

from ragassay.news.readers import worker_main


def loaded():
    from ragassay.news.extraction.page import language_of, read_page

    language_of("The model is loaded now, not during the first page.")
    return read_page


if __name__ == "__main__":
    worker_main.main(loaded)
