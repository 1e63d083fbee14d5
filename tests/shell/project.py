"""A small project on disk, of the kinds of files that agents look around in; times never change."""

from __future__ import annotations

import json
import os
from pathlib import Path

NEWEST = 1_700_000_000
"""Time of the first file, in seconds; each further one is an hour older."""

MAIN = '''"""Entry point of the app."""

import argparse
import logging
import sys
from pathlib import Path

from app.config import Config, load_config
from app.api.routes import register

logger = logging.getLogger(__name__)
VERSION = "1.4.2"


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description="Run the app")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--debug", action="store_true")
    return parser.parse_args(argv)


def main(argv=None):
    args = parse_args(argv)
    config = load_config(Path("config.toml"))
    logging.basicConfig(level=logging.DEBUG if args.debug else logging.INFO)
    logger.info("starting on port %d", args.port)
    # TODO: graceful shutdown
    register(config)
    return 0


if __name__ == "__main__":
    sys.exit(main())
'''
ROUTES = '''from app.api.auth import require_user, check_token
from app.db.session import Session

ROUTES = {}


def route(path, methods=("GET",)):
    def decorate(function):
        ROUTES[path] = (function, methods)
        return function

    return decorate


@route("/users")
@require_user
async def list_users(request):
    """List users."""
    with Session() as session:
        return session.query("SELECT * FROM users")


@route("/users/<id>", methods=("GET", "DELETE"))
@require_user
async def one_user(request, id):
    # FIXME: escape the id
    with Session() as session:
        return session.query(f"SELECT * FROM users WHERE id = {id}")


def register(config):
    for path, (function, methods) in ROUTES.items():
        print(path, methods, function.__name__)
'''
AUTH = '''import hmac
import os
from functools import wraps

SECRET = os.environ.get("APP_SECRET", "changeme")


class AuthError(Exception):
    """Raised when a token is wrong."""


class TokenExpired(AuthError):
    pass


def check_token(token: str) -> bool:
    if not token:
        raise AuthError("no token")
    return hmac.compare_digest(token, SECRET)


def require_user(function):
    @wraps(function)
    async def wrapper(request, *args, **kwargs):
        if not check_token(request.headers.get("Authorization", "")):
            raise AuthError("forbidden")
        return await function(request, *args, **kwargs)

    return wrapper
'''
APP = """import React, { useState } from 'react';
import { Button } from './components/Button';
import { formatDate } from './utils/format';

export interface AppProps {
  title: string;
  users?: User[];
}

export type User = { id: number; name: string };

export default function App({ title, users = [] }: AppProps) {
  const [open, setOpen] = useState(false);
  console.log('render', title);
  return (
    <main className="app">
      <h1>{title}</h1>
      <Button onClick={() => setOpen(!open)}>Toggle</Button>
      {open && users.map((u) => <li key={u.id}>{u.name} {formatDate(new Date())}</li>)}
    </main>
  );
}
"""
USERS = "id,name,email,age,city\n" + "".join(
    f"{n},{name},{name.lower()}@example.{'org' if n % 3 else 'com'},{20 + n * 7 % 40},{city}\n"
    for n, (name, city) in enumerate(
        [
            ("Alice", "Berlin"),
            ("Bob", "Paris"),
            ("Carol", "Berlin"),
            ("Dave", "Rome"),
            ("Eve", "Paris"),
            ("Frank", "Oslo"),
            ("Grace", "Berlin"),
            ("Heidi", "Rome"),
        ],
        1,
    )
)
LOG = "".join(
    f"10.0.0.{n % 7} - - [0{1 + n % 9}/Oct/2023:13:5{n % 6}:{n % 60:02d} +0000] "
    f'"{"POST" if n % 4 == 0 else "GET"} /{("users", "login", "api/items", "static/app.js")[n % 4]}'
    f' HTTP/1.1" {(200, 200, 404, 500, 302)[n % 5]} {n * 37 % 5000}\n'
    for n in range(120)
)
EVENTS = [
    {"id": n, "type": ("click", "view", "buy")[n % 3], "user": {"name": f"u{n % 4}"}, "ms": n * 13}
    for n in range(12)
]

FILES: dict[str, str | bytes] = {
    "README.md": "# App\n\nA small app.\n\n## Install\n\n```sh\npip install app\n```\n\n"
    "## Usage\n\nRun `app --port 8080`, see [docs](docs/index.md) and https://example.com/app.\n",
    "CHANGELOG.md": "# Changelog\n\n"
    + "".join(f"## 1.{n}.0\n\n- change {n}a\n- fix #{n * 11}\n\n" for n in range(9, 0, -1)),
    "LICENSE": "Licensed to nobody.\n" * 12,
    "Makefile": ".PHONY: test build\n\ntest:\n\tpytest -q\n\nbuild: test\n\tpython -m build\n",
    "pyproject.toml": '[project]\nname = "app"\nversion = "1.4.2"\n'
    'dependencies = [\n  "requests>=2.31",\n  "click==8.1.7",\n]\n\n[tool.ruff]\n'
    "line-length = 100\n",
    "requirements.txt": "requests>=2.31\nclick==8.1.7\n# comment\n\nnumpy\npytest==8.0.0\n",
    ".gitignore": "*.pyc\nbuild/\n",
    ".github/workflows/ci.yml": "name: ci\non: [push]\njobs:\n  test:\n    runs-on: ubuntu\n"
    "    steps:\n      - uses: actions/checkout@v4\n      - run: make test\n",
    "docs/index.md": "# Docs\n\nSee [auth](api/auth.md).\n\n- one\n- two\n",
    "docs/install.md": "# Install\n\n1. get it\n2. run it\n\n    pip install app\n",
    "docs/api/auth.md": "# Auth\n\nSend a token. OAuth is not there yet.\n\n"
    "| name | type |\n|---|---|\n| token | string |\n",
    "docs/api/users.md": "# Users\n\nGET /users lists users.\nDELETE /users/<id> removes one.\n",
    "docs/guide/intro.md": "intro  \n\n\n\ntext with\ttabs\nÜmläut größe\n日本語 text\n",
    "docs/guide/faq.md": "# FAQ\n\nQ: why?\nA: because.\n\nQ: when?\nA: now.\n",
    "docs/release notes.md": "notes with a space in the name\n",
    "src/app/__init__.py": "",
    "src/app/main.py": MAIN,
    "src/app/config.py": "import tomllib\nfrom dataclasses import dataclass\n\n\n@dataclass\n"
    "class Config:\n    debug: bool = False\n    port: int = 8080\n\n\ndef load_config(path):\n"
    '    """Load it."""\n    if not path.exists():\n        return Config()\n'
    "    return Config(**tomllib.loads(path.read_text()))\n",
    "src/app/utils.py": "".join(
        f'def helper_{n}(x, y=None):\n    """Help {n}."""\n    return x + {n}\n\n\n'
        for n in range(1, 41)
    ),
    "src/app/api/__init__.py": "",
    "src/app/api/routes.py": ROUTES,
    "src/app/api/auth.py": AUTH,
    "src/app/db/__init__.py": "from app.db.session import Session\n",
    "src/app/db/session.py": "import sqlite3\n\n\nclass Session:\n    def __enter__(self):\n"
    "        self.connection = sqlite3.connect(':memory:')\n        return self\n\n"
    "    def __exit__(self, *error):\n        self.connection.close()\n\n"
    "    def query(self, text):\n        return list(self.connection.execute(text))\n",
    "src/app/db/migrations/001_init.sql": "CREATE TABLE users (\n  id INTEGER PRIMARY KEY\n);\n",
    "src/app/db/migrations/002_names.sql": "ALTER TABLE users ADD COLUMN name TEXT;\n"
    "ALTER TABLE users ADD COLUMN email TEXT;\n",
    "tests/__init__.py": "",
    "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef client():\n    return object()\n",
    "tests/test_auth.py": "import pytest\nfrom app.api.auth import AuthError, check_token\n\n\n"
    'def test_no_token():\n    with pytest.raises(AuthError):\n        check_token("")\n\n\n'
    'def test_wrong_token():\n    assert not check_token("x")\n',
    "tests/test_config.py": "from pathlib import Path\nfrom app.config import load_config\n\n\n"
    'def test_default():\n    assert load_config(Path("nope")).port == 8080\n',
    "web/package.json": json.dumps(
        {
            "name": "web",
            "version": "0.3.1",
            "scripts": {"build": "tsc -p .", "test": "vitest run", "lint": "eslint src"},
            "dependencies": {"react": "^18.2.0", "react-dom": "^18.2.0"},
            "devDependencies": {"typescript": "~5.3.0", "vitest": "1.0.0"},
        },
        indent=2,
    )
    + "\n",
    "web/tsconfig.json": '{\n  "compilerOptions": {"strict": true, "jsx": "react"}\n}\n',
    "web/src/App.tsx": APP,
    "web/src/index.ts": "import App from './App';\nexport * from './utils/format';\n"
    "export { App };\nconsole.log('ready');\n",
    "web/src/components/Button.tsx": "import React from 'react';\n\n"
    "export interface ButtonProps {\n  onClick: () => void;\n}\n\n"
    "export const Button = (p: ButtonProps) => <button {...p} />;\n",
    "web/src/components/List.tsx": "export function List() {\r\n  return null;\r\n}\r\n",
    "web/src/utils/format.ts": "export const formatDate = (d: Date) => d.toISOString();\n"
    "export function pad(n: number): string {\n  return String(n).padStart(2, '0');\n}\n",
    "web/src/style.css": ".app { color: #333; }\n.app h1 { margin: 0 }\n",
    "data/users.csv": USERS,
    "data/sales.tsv": "region\tq1\tq2\nnorth\t10\t20\nsouth\t5\t7\neast\t12\t1\nwest\t3\t9\n",
    "data/events.json": json.dumps(EVENTS, indent=2) + "\n",
    "data/events.jsonl": "".join(json.dumps(event) + "\n" for event in EVENTS),
    "data/access.log": LOG,
    "data/words.txt": "pear\napple\nbanana\napple\ncherry\nBanana\npear\npear\nzebra\n",
    "data/a.txt": "alpha\nbeta\ngamma\ndelta\n",
    "data/b.txt": "alpha\ngamma\nepsilon\ndelta\nzeta",
    "data/numbers.txt": "10\n9\n2\n33\n-4\n1.5\n1e3\n007\n",
    "data/blob.bin": bytes(range(256)) * 4,
    "data/empty.txt": "",
    "scripts/build.sh": "#!/bin/bash\nset -euo pipefail\n"
    'for f in src/*.py; do\n  echo "$f"\ndone\n',
    "scripts/deploy.sh": "#!/bin/sh\n# deploy\nexport STAGE=${STAGE:-dev}\necho deploying $STAGE\n",
}


def make_project(root: Path) -> None:
    """Write the project below a directory."""
    for age, (name, data) in enumerate(FILES.items()):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        path.chmod(0o755 if name.endswith(".sh") else 0o644)
        time = NEWEST - age * 3600
        os.utime(path, (time, time))
    (root / "latest.md").symlink_to("CHANGELOG.md")
    os.utime(root / "latest.md", (NEWEST, NEWEST), follow_symlinks=False)
    # a directory of ours is as old as the newest file of the tree
    for folder in (root, *(p for p in root.rglob("*") if p.is_dir())):
        os.utime(folder, (NEWEST, NEWEST))
