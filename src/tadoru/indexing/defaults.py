"""What is left out by default, and which names look like secrets. Stated here, nowhere else."""

from __future__ import annotations

import re

DEFAULT_IGNORES = (
    "node_modules/", "bower_components/", "jspm_packages/", ".venv/", "venv/", "virtualenv/",
    "__pycache__/", "*.pyc", ".tox/", ".nox/", ".mypy_cache/", ".ruff_cache/", ".pytest_cache/",
    ".hypothesis/", ".eggs/", "*.egg-info/", ".gradle/", ".terraform/", ".next/", ".nuxt/",
    ".svelte-kit/", ".parcel-cache/", ".turbo/", ".cache/", ".hg/", ".svn/", ".bzr/", ".jj/",
    ".idea/", ".DS_Store", "Thumbs.db",
)  # fmt: skip
"""Left out outside git, where no repository says what is built and what is written. Patterns that a
`.gitignore`, `.tadoruignore` or `include` overrules."""

SECRET_NAMES = frozenset({".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials"})
_SECRET = re.compile(
    r"\.env(?:rc)?(?:[._-].*)?"  # .env, .env.local, .envrc
    r"|.*\.pem"
    r"|id_[^.]*"  # id_rsa, id_ed25519: no extension
    r"|id_(?:rsa|dsa|ecdsa|ed25519|xmss)\b.*(?<!\.pub)",
    re.DOTALL | re.IGNORECASE,
)
_TEMPLATE = re.compile(r".*[._-](?:example|sample|template|dist|defaults?)", re.DOTALL | re.I)
"""`.env.example` and its like are written to be read."""


def secret_like(name: str) -> bool:
    """Tell whether a file name (without directory) looks like one that holds a secret."""
    if name[:1] not in ".i_I" and not name.lower().endswith(".pem"):
        return False
    if name.lower() in SECRET_NAMES:
        return True
    return bool(_SECRET.fullmatch(name)) and not (
        name.startswith(".env") and _TEMPLATE.fullmatch(name)
    )
