"""`tadoru mount` and `publish` on the command line, with a real server and the user's own file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib

import pytest
from chroma_server import MARKS

pytestmark = MARKS
TREE = {
    "auth/oauth.mdx": {"isPublic": True, "groups": []},
    "internal/billing.mdx": {"isPublic": False, "groups": ["billing", "admin"]},
}
ROWS = [
    ("o:0", "# OAuth\n\nTokens are rotated ", {"page": "auth/oauth.mdx", "chunk_index": 0}),
    ("o:1", "every ninety minutes.\n", {"page": "auth/oauth.mdx", "chunk_index": 1}),
    ("b:0", "# Billing\n\nInvoices.\n", {"page": "internal/billing.mdx", "chunk_index": 0}),
]


@pytest.fixture
def tadoru(tmp_path):
    """Run the command line with a configuration and a home of its own."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "main.py").write_text("def main(): ...\n")
    own = tmp_path / "config.toml"

    def run(*args, code=0):
        env = {**os.environ, "TADORU_HOME": str(tmp_path / "home"), "TADORU_CONFIG": str(own)}
        done = subprocess.run(
            [sys.executable, "-m", "tadoru", *args],
            cwd=tmp_path / "code", env=env, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    run.config = own
    return run


def test_a_mount_is_in_every_tree_until_it_is_taken_out(tadoru, chroma):
    address = chroma.docs(TREE, ROWS).text
    assert "1 page" in tadoru("mount", "/manual/", address)
    assert tomllib.loads(tadoru.config.read_text()) == {"mounts": {"/manual": address}}
    assert tadoru("mount").split() == ["/manual", address, "1", "page"]
    assert ROWS[0][1] + ROWS[1][1] in tadoru("sh", "ls /; cat /manual/auth/oauth.mdx")
    assert "2 pages" in tadoru("mount", "--as", "billing")
    assert "Invoices" in tadoru("--as", "admin", "sh", "cat /manual/internal/billing.mdx")
    assert "No such file" in tadoru("sh", "cat /manual/internal/billing.mdx", code=1)
    assert "manual/auth/oauth.mdx" in tadoru("search", "OAuth tokens rotated every ninety minutes")
    assert "manual/auth/oauth.mdx" in tadoru("resolve", "manual/oauth.md")
    rows = json.loads(tadoru("mount", "--json"))["mounts"]
    assert rows == [{"place": "/manual", "address": address, "pages": 1}]
    tadoru("unmount", "manual")
    assert not tomllib.loads(tadoru.config.read_text()).get("mounts")
    assert "No such file" in tadoru("sh", "ls /manual", code=2)
    assert "nothing is mounted" in tadoru("unmount", "/manual", code=2)


def test_a_table_of_the_configuration_names_fields(tadoru, chroma):
    row = [("x", "two words\n", {"slug": "a.md", "n": 1})]
    address = chroma.docs({"a.md": {"open": True}}, row).text
    tadoru.config.write_text(
        f'# mine\n[mounts."/docs"]\naddress = "{address}"\n'
        'page = "slug"\nchunk_index = "n"\npublic = "open"\n'
    )
    assert tadoru("sh", "cat /docs/a.md") == "two words\n"
    tadoru("unmount", "/docs")
    assert "docs" not in tadoru.config.read_text()


def test_a_mistake_is_said_before_anything_is_written(tadoru, chroma):
    tadoru.config.write_text("# mine\nbudget = 3000\n")
    before = tadoru.config.read_text()
    nowhere = chroma.address_of("nowhere").text
    for args in (("/docs", "http://host/docs"), ("/docs", nowhere), ("/../x", nowhere), ("/docs",)):
        tadoru("mount", *args, code=2)
    assert tadoru.config.read_text() == before
    assert tadoru("mount", "--no-check", "/docs", nowhere)
    assert "# mine\nbudget = 3000\n" in tadoru.config.read_text()
    listed = tadoru("mount")
    assert "/docs" in listed
    assert "nowhere" in listed
    assert "partial: /docs is left out" in tadoru("sh", "ls /")


def test_a_repository_cannot_mount_anything(tadoru, chroma, tmp_path):
    address = chroma.docs(TREE, ROWS).text
    (tmp_path / "code" / ".tadoru.toml").write_text(f'[mounts]\n"/evil" = "{address}"\n')
    assert "evil" not in tadoru("sh", "ls /")


def test_publish_says_what_it_did(tadoru, chroma, tmp_path):
    site = tmp_path / "site"
    (site / "internal").mkdir(parents=True)
    (site / "start.md").write_text("# Start\n\nHello.\n")
    (site / "internal" / "bill.md").write_text("# Bill\n")
    chroma.count += 1
    address = chroma.address_of(f"cli-{chroma.count}").text
    assert "who may see" in tadoru("publish", str(site), address, code=2)
    labels = ("--label", "**=public", "--label", "internal/**=admin,billing")
    assert "would publish 2 pages" in tadoru("publish", str(site), address, *labels, "--dry-run")
    said = tadoru("publish", str(site), address, *labels)
    assert "published 2 pages in 2 chunks" in said
    assert "public: 1" in said
    assert "admin,billing: 1" in said
    report = json.loads(tadoru("publish", str(site), address, "--json", *labels))
    assert (report["generation"], report["unchanged"]) == (1, 2)
    tadoru("mount", "/docs", address)
    assert tadoru("sh", "grep -rn Hello /docs") == "/docs/start.md:3:Hello.\n"
