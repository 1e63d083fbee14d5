"""What all tests share: a home of their own, a small real repository, and no silent skips."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

# The same examples in every run, so that a red run is about the change at hand. EXPLORE=1 looks for
# new ones; what it finds becomes a test of its own.
hypothesis.settings.register_profile("steady", derandomize=True)
if not os.environ.get("EXPLORE"):
    hypothesis.settings.load_profile("steady")

# A shell starts background work with Ctrl-C ignored, and every child would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

CLEARED = ("TADORU_GROUPS", "TADORU_BUDGET", "INCLUDE_DIRS", "IGNORE_PATTERNS", "TADORU_DEBUG")


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep indexes, configuration and git's settings of the person who runs the tests out of it."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TADORU_HOME", str(home / "tadoru"))
        patch.setenv("TADORU_CONFIG", str(home / "config.toml"))
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        for name in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{name}_NAME", "Test")
            patch.setenv(f"GIT_{name}_EMAIL", "test@example.com")
        for name in CLEARED:
            patch.delenv(name, raising=False)
        yield


FILES = {
    "README.md": "# Shop\n\nA small shop. Carts are kept in a signed session cookie.\n",
    ".gitignore": "ignored/\n*.log\n",
    "ignored/secret.py": "def never_shown(): ...\n",
    "src/shop/__init__.py": '"""A small shop."""\n',
    "src/shop/sessions.py": '''"""Sessions of visitors."""

import hmac


class SessionInterface:
    """Loads and saves a session."""

    def open_session(self, request):
        """Load the session from the signed cookie of a request."""
        return verify(request.cookies["session"])

    def save_session(self, session, response):
        response.set_cookie("session", sign(session))


def sign(value):
    """Sign a cookie value with the secret key."""
    return hmac.new(KEY, value, "sha256").hexdigest()


def verify(value):
    return value


KEY = b"key"
''',
    "src/shop/cart.py": '''"""The cart."""

from shop.sessions import SessionInterface


def total(items):
    """Add the prices of all items in the cart."""
    return sum(item.price for item in items)


def load(request):
    return SessionInterface().open_session(request)
''',
    "src/shop/config.py": "TAX = 0.19\n",
    "tests/test_cart.py": "from shop.cart import total\n\nassert not total([])\n",
    "docs/guide.md": "# Guide\n\n## Payment\n\nPayment is by invoice only.\n",
    "web/app.js": "export function render(cart) {\n  return cart.items.length;\n}\n",
}


def make_repository(root: Path) -> Path:
    """Write a small git repository with Python, JavaScript and documents."""
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    for arguments in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "one")):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    return root


@pytest.fixture(scope="session")
def new_repository() -> Callable[[Path], Path]:
    """Return what writes a small git repository into a directory, and returns that."""
    return make_repository


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small git repository of the test's own."""
    return make_repository(tmp_path / "shop")


@pytest.fixture(scope="session")
def shared_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small git repository that no test changes, indexed once."""
    import tadoru

    root = make_repository(tmp_path_factory.mktemp("shared") / "shop")
    with tadoru.open(root) as workspace:
        workspace.index()
    return root


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def tadoru_command() -> list[str]:
    """The command line, as a process that treats warnings as errors."""
    return [sys.executable, "-W", "error", "-m", "tadoru"]


@pytest.fixture
def cli(tadoru_command: list[str], shared_repository: Path) -> Run:
    """Run `tadoru ARGUMENTS` in the shared repository, or in `cwd`."""

    def run(
        *arguments: str,
        cwd: Path | None = None,
        stdin: str | None = None,
        env: dict[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*tadoru_command, *arguments],
            cwd=cwd or shared_repository,
            env={**os.environ, **(env or {})},
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run


@pytest.fixture
def needs() -> Callable[[str], str]:
    """Return the path of a program, or skip the test; the run names it at the end."""

    def find(program: str) -> str:
        found = shutil.which(program)
        if found is None:
            pytest.skip(f"needs the program {program}")
        return found

    return find


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what did not run, where nobody can overlook it."""
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped:
        terminalreporter.section(f"{len(skipped)} tests did not run")
        for report in skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            terminalreporter.line(f"{report.nodeid}: {reason.removeprefix('Skipped: ')}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A test that did not run is a failure where everything is meant to run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter is not None else []
    if skipped and os.environ.get("CI") and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
