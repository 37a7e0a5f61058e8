"""The program in which pages are read, one after the other: see `child`."""

from ragassay.news import child


def loaded():
    from ragassay.news.languages import language_of
    from ragassay.news.reading import read_page

    language_of("The model is loaded now, not during the first page.")
    return read_page


if __name__ == "__main__":
    child.main(loaded)
