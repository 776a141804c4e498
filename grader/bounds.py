"""How much of a submission is read. Generous for honest work; a hostile one costs no more than this."""

from __future__ import annotations

from typing import IO

MEBIBYTE = 1024 * 1024
CHUNK_BYTES = 64 * 1024

# One source. Parsing a hostile text takes about a thousand times its size in memory.
MAX_CODE_BYTES = 256 * 1024
MAX_NOTEBOOK_BYTES = 16 * MEBIBYTE  # its outputs and pictures included
MAX_NOTEBOOK_CELLS = 5_000

# All sources of a submission.
MAX_SOURCES = 500
MAX_SOURCES_BYTES = 4 * MEBIBYTE
MAX_ENTRIES = 50_000  # files and folders of a folder, or members of an archive
MAX_DEPTH_FOLDERS = 16
MAX_PATH_CHARS = 400

# An archive. What is no source is never held in memory, but a .tar.gz is inflated whole to get past it.
MAX_ARCHIVE_BYTES = 100 * MEBIBYTE
MAX_UNPACKED_BYTES = 256 * MEBIBYTE
MAX_UNPACKED_RATIO = 200  # unpacked bytes per packed byte; source code reaches about ten
RATIO_FREE_BYTES = 32 * MEBIBYTE  # below this the ratio does not matter: data may well be all zeros
MAX_TABLE_BYTES = 8 * MEBIBYTE  # a zip's table of contents, which has to be read whole
MAX_EXTENSION_BYTES = MEBIBYTE  # a tar's extended header for one member
MAX_TAR_HEADERS = 2 * MAX_ENTRIES  # of members, and those that extend them
MAX_TAR_RECORDS = 10 * MAX_ENTRIES  # a packer writes about five for each member
MAX_GZIP_STREAMS = 1_000  # one after another in one file

# What a report shows.
MAX_SHOWN_CHARS = 160
MAX_NOTE_CHARS = 1_000
MAX_NOTES = 20


def read_at_most(file: IO[bytes], most: int) -> bytes:
    """Up to `most` bytes, in short reads: neither a large `most` nor a large file takes memory by itself."""
    chunks: list[bytes] = []
    left = most
    while left > 0 and (chunk := file.read(min(CHUNK_BYTES, left))):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def file_limit(name: str) -> int:
    """The most bytes that are read of a source called `name`."""
    return MAX_NOTEBOOK_BYTES if name.lower().endswith(".ipynb") else MAX_CODE_BYTES
