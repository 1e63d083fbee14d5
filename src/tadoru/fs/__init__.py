"""The fsspec face: a workspace as a read-only filesystem, `tadoru://`.

Needs the extra `fsspec`; importing this package without it raises the ImportError that says so.
"""

from tadoru.fs.filesystem import TadoruFileSystem

__all__ = ["TadoruFileSystem"]
