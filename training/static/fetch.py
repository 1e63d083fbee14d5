"""Fetch named packages from the package registries, with the clients as they are set up.

Decides what may be used: the licence must be permissive, and the name must not be excluded. What
was fetched is written down (version, licence, SHA-256), and a second run fetches exactly that and
refuses other bytes. Nothing of a package is ever run: wheels and archives are unpacked alone.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from email.parser import HeaderParser
from pathlib import Path

PERMISSIVE = re.compile(
    r"\b(mit|expat|bsd|0bsd|apache|isc|zlib|psf|python software|unlicense|public.domain|postgresql"
    r"|libpng|bsl|boost|hpnd|blueoak|sqlite|openssl|zpl|zope|cc0|ofl|ruby|x11)",
    re.I,
)
COPYLEFT = re.compile(r"gpl|gnu|mpl|mozilla|epl|eclipse|cddl|eupl|cc-by-nc|cecill", re.I)
CHOICE = re.compile(r"\bor\b|/|\|", re.I)
ARCHIVES = (".whl", ".deb", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst", ".tar.lzma")
TIMEOUT = 300


@dataclass(frozen=True, slots=True)
class Source:
    """One package as it was fetched."""

    registry: str
    name: str
    version: str
    licence: str
    files: dict[str, str]
    """Archive -> SHA-256."""


def permissive(licence: str) -> bool:
    """Tell whether a licence, or one that may be chosen, is permissive."""
    if not PERMISSIVE.search(licence):
        return False
    return not COPYLEFT.search(licence) or bool(CHOICE.search(licence))


def names_of(path: Path) -> list[tuple[str, str]]:
    """Return (registry, name) of each line of a list."""
    lines = path.read_text("utf-8").splitlines()
    pairs = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return [(pair[0], pair[1]) for pair in pairs]


def is_excluded(name: str, excluded: Iterable[str]) -> bool:
    """Tell whether a package is one of the excluded repositories, or a part of one."""
    parts = set(re.split(r"[^a-z0-9]+", name.lower())) | {name.lower()}
    joined = f"-{'-'.join(re.split(r'[^a-z0-9]+', name.lower()))}-"
    return any(word in parts or f"-{word}-" in joined for word in excluded)


def fetch(
    registry: str, name: str, work: Path, known: Source | None, allowed: Callable[[str], bool]
) -> Source | None:
    """Fetch and unpack one package to `work/trees/<registry>/<name>`; None when it may not be used.

    Raises: `ValueError` when its bytes are other than those of `known`.
    """
    directory = work / "archives" / registry / name.replace("/", "+")
    if not directory.is_dir() or not any(directory.iterdir()):
        directory.mkdir(parents=True, exist_ok=True)
        _client(registry, name, known.version if known else "", directory, work)
    archives = sorted(p for p in directory.iterdir() if p.name.endswith(ARCHIVES))
    if not archives:
        return None
    hashes = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in archives}
    if known is not None and known.files != hashes:
        raise ValueError(f"{registry} {name}: other bytes than were recorded")
    tree = work / "trees" / registry / name.replace("/", "+")
    if not tree.is_dir():
        for archive in archives:
            _unpack(archive, tree)
    source = known or Source(registry, name, *_described(registry, tree, archives), hashes)
    if not allowed(source.licence):
        shutil.rmtree(tree)
        return None
    return source


def _client(registry: str, name: str, version: str, directory: Path, work: Path) -> None:
    exact = {
        "pypi": f"{name}=={version}",
        "npm": f"{name}@{version}",
        "debian": f"{name}={version}",
    }
    exact["deb"] = exact["debian"]
    what = exact[registry] if version else name
    commands = {
        "pypi": ["pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", ".", what],
        "npm": ["npm", "pack", "--silent", "--ignore-scripts", what],
        "debian": ["apt-get", *_apt(work), "-qq", "source", "--download-only", what],
        "deb": ["apt-get", "-qq", "download", what],
    }
    subprocess.run(
        commands[registry], cwd=directory, check=False, capture_output=True, timeout=TIMEOUT
    )


def _apt(work: Path) -> list[str]:
    """Return apt's options for source packages of the releases that are configured here."""
    base = work / "apt"
    options = [
        "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={base / 'parts'}",
        "-o", f"Dir::State::lists={base / 'lists'}", "-o", "APT::Sandbox::User=root",
    ]  # fmt: skip
    if not (base / "lists").is_dir():
        (base / "lists" / "partial").mkdir(parents=True)
        (base / "parts").mkdir()
        for path in Path("/etc/apt/sources.list.d").glob("debian*.sources"):
            text = re.sub(r"^Types:.*$", "Types: deb-src", path.read_text(), flags=re.M)
            (base / "parts" / path.name).write_text(text)
        subprocess.run(["apt-get", *options, "-qq", "update"], check=True, timeout=TIMEOUT)
    return options


def _unpack(archive: Path, tree: Path) -> None:
    tree.mkdir(parents=True, exist_ok=True)
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(tree)
        return
    if archive.suffix == ".deb":
        subprocess.run(["dpkg-deb", "-x", archive, tree], check=True, timeout=TIMEOUT)
        return
    with tarfile.open(archive) as tar:
        tar.extractall(tree, filter="data")


def _described(registry: str, tree: Path, archives: list[Path]) -> tuple[str, str]:
    """Return version and licence as the package states them."""
    if registry == "pypi":
        metadata = next(tree.glob("*.dist-info/METADATA"))
        headers = HeaderParser().parsestr(metadata.read_text("utf-8", "replace"))
        classes = [c for c in headers.get_all("Classifier", []) if c.startswith("License ::")]
        short = (headers.get("License") or "").partition("\n")[0][:80]
        stated = headers.get("License-Expression") or short
        return headers["Version"], stated or "; ".join(c.split(" :: ")[-1] for c in classes)
    if registry == "npm":
        package = json.loads(next(tree.glob("*/package.json")).read_text("utf-8"))
        stated = package.get("license") or package.get("licenses") or ""
        return package["version"], stated if isinstance(stated, str) else json.dumps(stated)
    places = [*tree.glob("debian/copyright"), *tree.glob("usr/share/doc/*/copyright")]
    text = places[0].read_text("utf-8", "replace") if places else ""
    whole = re.search(r"^Files:\s*\*.*?^License:[ \t]*([^\n]+)", text, re.M | re.S)
    first = whole or re.search(r"^License:[ \t]*([^\n]+)", text, re.M)
    if registry == "deb":
        return archives[0].name.split("_")[1], first.group(1).strip() if first else ""
    descriptions = [p.read_text("utf-8") for p in archives[0].parent.glob("*.dsc")]
    stated = re.search(r"^Version: (\S+)", "".join(descriptions), re.M)
    return stated.group(1) if stated else "", first.group(1).strip() if first else ""


def fetch_all(sources: Path, excluded: Path, recorded: Path, work: Path) -> list[Source]:
    """Fetch every package of a list; write down, or keep to, what `recorded` says."""
    known: dict[tuple[str, str], Source] = {}
    if recorded.is_file():
        rows = [Source(**row) for row in json.loads(recorded.read_text("utf-8"))]
        known = {(row.registry, row.name): row for row in rows}
    words = [w for w in excluded.read_text("utf-8").split("\n") if w and not w.startswith("#")]
    found: list[Source] = []
    for registry, name in names_of(sources):
        before = known.get((registry, name))
        if is_excluded(name, words) or (known and before is None):
            continue
        try:
            source = fetch(registry, name, work, before, permissive)
        except (OSError, subprocess.TimeoutExpired, tarfile.TarError, StopIteration) as error:
            print(f"{registry} {name}: {error!r}")
            continue
        if source is None:
            print(f"{registry} {name}: not to be had, or not permissive")
        else:
            found.append(source)
    if not known:
        recorded.write_text(json.dumps([asdict(s) for s in found], indent=1) + "\n")
    return found
