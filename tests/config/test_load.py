"""Configuration: the order of its places, and what a repository may not do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tadoru.config import PROJECT_FILE, SEARCH_BOUNDS, Config, SearchConfig, load
from tadoru.errors import ConfigError


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"TADORU_CONFIG": str(tmp_path / "user.toml")}


def project(tmp_path: Path, text: str) -> Path:
    root = tmp_path / "repo"
    root.mkdir(exist_ok=True)
    (root / ".tadoru.toml").write_text(text)
    return root


def test_later_places_win(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "user.toml").write_text("budget = 1000\n[search]\nsmart_min_k = 3\n")
    root = project(tmp_path, "budget = 2000\n[search]\nsmart_min_k = 4\nrrf_k0 = 30\n")
    assert load(root, env=env).budget == 2000
    assert load(root, env=env | {"TADORU_BUDGET": "3000"}).budget == 3000
    flags = {"budget": 4000, "search.smart_min_k": 5, "search.rrf_k0": None}
    config = load(root, env=env | {"TADORU_BUDGET": "3000"}, flags=flags)
    assert (config.budget, config.search.smart_min_k, config.search.rrf_k0) == (4000, 5, 30)


@pytest.mark.parametrize(
    "text",
    [
        'home = "/elsewhere"',
        'groups = ["admin"]',
        '[mounts]\n"/docs" = "chroma://evil:1/x"',
        "[index]\nserve_secrets = true",
        '[models]\nembeddings_base_url = "http://evil"',
        '[models]\nembeddings_dir = "/tmp/x"',
        "[shell]\ntimeout_seconds = 9999",
        "[index]\nmax_file_bytes = 9999999999",
        '[cache]\nurl = "redis://evil"',
        "[cache]\nmegabytes = 999999",
        '[objects]\nallow = ["https://evil/"]',
        '[objects.options."s3://b/"]\nendpoint = "http://evil"',
        "nonsense = 1",
    ],
)
def test_a_repository_cannot_widen_anything(tmp_path: Path, env: dict[str, str], text: str) -> None:
    config = load(project(tmp_path, text), env=env)
    assert config.warnings
    assert config == Config(warnings=config.warnings)


def test_a_repository_may_only_restrict_access(tmp_path: Path, env: dict[str, str]) -> None:
    config = load(project(tmp_path, '[access]\n"secret/**" = ["admin"]\n'), env=env)
    assert config.access == ()
    assert config.restrict[0].groups == {"admin"}


def test_patterns_add_up_over_the_places(tmp_path: Path, env: dict[str, str]) -> None:
    root = project(tmp_path, '[index]\nignore = ["a"]\n')
    assert load(root, env=env | {"IGNORE_PATTERNS": "b, c"}).index.ignore == ("a", "b", "c")


def test_a_repository_file_that_is_a_link_or_a_pipe_is_not_opened(
    tmp_path: Path, env: dict[str, str]
) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    (tmp_path / "target.toml").write_text("budget = 999")
    (root / ".tadoru.toml").symlink_to(tmp_path / "target.toml")
    assert load(root, env=env).budget == Config().budget
    (root / ".tadoru.toml").unlink()
    os.mkfifo(root / ".tadoru.toml")
    assert load(root, env=env).budget == Config().budget


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"TADORU_BUDGET": "many"}, "budget"),
        ({"CW_SEARCH_WVEC": "-1"}, "w_vec"),
        ({"EMBEDDINGS_DIMENSIONS": "1.5"}, "embeddings_dimensions"),
        ({"TADORU_BUDGET": "10"}, "budget"),
    ],
)
def test_a_wrong_variable_is_an_error_that_names_it(
    env: dict[str, str], values: dict[str, str], named: str
) -> None:
    with pytest.raises(ConfigError, match=named):
        load(env=env | values)


def test_a_broken_file_is_an_error_that_names_it(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "user.toml").write_text("budget = = 1")
    with pytest.raises(ConfigError, match=r"user\.toml"):
        load(env=env)


@pytest.mark.parametrize("name", sorted(SEARCH_BOUNDS))
def test_search_values_are_moved_into_their_bounds(env: dict[str, str], name: str) -> None:
    low, high = SEARCH_BOUNDS[name]
    assert low <= getattr(SearchConfig(), name) <= high
    config = load(env=env, flags={f"search.{name}": str(int(high) + 1)})
    assert getattr(config.search, name) == high
    assert name in config.warnings[0]


def test_one_weight_gives_the_other(env: dict[str, str]) -> None:
    search = load(env=env | {"CW_SEARCH_WVEC": "0.75"}).search
    assert (search.w_vec, search.w_lex) == (0.75, 0.25)


def test_the_placeholder_key_counts_as_missing(env: dict[str, str]) -> None:
    config = load(env=env | {"EMBEDDINGS_API_KEY": "your-api-key-here"})
    assert config.models.embeddings_api_key == ""


def test_a_directory_or_a_pipe_is_no_configuration(tmp_path: Path) -> None:
    (tmp_path / PROJECT_FILE).mkdir()
    os.mkfifo(tmp_path / "pipe")
    for own in ("pipe", PROJECT_FILE):
        assert load(tmp_path, env={"TADORU_CONFIG": str(tmp_path / own)}) == Config()


def test_addresses_of_caches_and_objects_come_from_the_user(
    tmp_path: Path, env: dict[str, str]
) -> None:
    own = tmp_path / "user.toml"
    own.write_text(
        '[cache]\nurl = "redis://:pass@host:1/0"\nmegabytes = 7\n'
        '[objects]\nallow = ["s3://specs/v1/"]\n'
        '[objects.options."s3://specs/"]\nendpoint = "http://minio:9000"\n'
    )
    own.chmod(0o644)
    config = load(env=env)
    assert (config.cache.url, config.cache.megabytes) == ("redis://:pass@host:1/0", 7)
    assert config.objects.allow == ("s3://specs/v1/",)
    assert config.objects.options == {"s3://specs/": {"endpoint": "http://minio:9000"}}
    assert "pass" not in repr(config)
    assert "chmod 600" in config.warnings[0]
    assert load(env=env | {"TADORU_CACHE_URL": "redis://other"}).cache.url == "redis://other"


def test_options_of_objects_are_tables(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "user.toml").write_text('[objects.options]\nendpoint = "http://x"\n')
    with pytest.raises(ConfigError, match=r"objects\.options"):
        load(env=env)
