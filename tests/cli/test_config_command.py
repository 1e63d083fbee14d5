"""`tadoru config set`: in the right file, with everything else left as it was."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tadoru.cli import main


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of the user's own file; the working directory is a repository."""
    monkeypatch.setenv("TADORU_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "repository/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "repository")
    return tmp_path / "config.toml"


def test_a_key_is_set_and_the_rest_stays(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own.write_text("# mine\n\n[search]\nsmart_max_k = 8 # eight\n\n# about shell\n[shell]\n")
    assert main(["config", "set", "search.smart_max_k", "12"]) == 0
    assert main(["config", "set", "search.w_vec", "0.5"]) == 0
    assert main(["config", "set", "budget", "5000"]) == 0
    assert own.read_text() == (
        "# mine\nbudget = 5000\n\n[search]\nsmart_max_k = 12 # eight\nw_vec = 0.5\n\n"
        "# about shell\n[shell]\n"
    )
    assert capsys.readouterr().out.startswith(f"search.smart_max_k = 12  ({own})\n")
    assert main(["config", "list", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)["values"]
    assert (values["budget"], values["search.smart_max_k"]) == (5000, 12)


def test_lists_booleans_and_texts_get_their_type(own: Path) -> None:
    for key, value in (("index.ignore", "*.snap, fixtures/"), ("index.serve_secrets", "on"),
                       ("groups", "b,a"), ("models.rerank_model", 'a "b"')):  # fmt: skip
        assert main(["config", "set", key, value]) == 0
    assert own.read_text() == (
        'groups = ["a", "b"]\n[index]\nignore = ["*.snap", "fixtures/"]\nserve_secrets = true\n\n'
        '[models]\nrerank_model = "a \\"b\\""\n'
    )


def test_a_key_of_a_service_is_private_and_never_shown(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own.write_text("budget = 5000\n")
    own.chmod(0o644)
    assert main(["config", "set", "models.embeddings_api_key", "sk-secret"]) == 0
    assert stat.S_IMODE(own.stat().st_mode) == 0o600
    assert main(["config", "set", "models.rerank_api_key", "sk-secret", "--json"]) == 0
    said = capsys.readouterr()
    assert "sk-secret" not in said.out + said.err
    assert "********" in said.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["search.smart_max_q", "3"], "did you mean `search.smart_max_k`?"),
        (["nonsense", "3"], "no such key"),
        (["budget", "many"], "`budget`"),
        (["budget", "5"], "too small"),
        (["index.serve_secrets", "perhaps"], "neither true nor false"),
        (["mounts", "x"], "is a table"),
        (["--project", "models.embeddings_api_key", "x"], "a repository may not set"),
    ],
)
def test_what_cannot_be_right_is_refused_and_nothing_written(
    own: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["config", "set", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert not own.exists()
    assert not Path(".tadoru.toml").exists()


def test_a_value_beyond_its_bounds_is_moved_and_told(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "set", "search.smart_max_k", "99"]) == 0
    assert "outside 5 to 15" in capsys.readouterr().err
    assert own.read_text() == "[search]\nsmart_max_k = 15\n"


def test_a_repository_s_own_file(own: Path) -> None:
    assert main(["config", "set", "--project", "index.ignore", "*.snap"]) == 0
    assert Path(".tadoru.toml").read_text() == '[index]\nignore = ["*.snap"]\n'
    assert not own.exists()


def test_a_broken_file_is_named_and_left(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own.write_text("budget = \n")
    assert main(["config", "set", "budget", "5000"]) == 2
    assert "line 1" in capsys.readouterr().err
    assert own.read_text() == "budget = \n"
