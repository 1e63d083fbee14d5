"""`tadoru doctor`: checks the installation and the index of a root."""

from __future__ import annotations

import click

from tadoru.cli.checks import check_all
from tadoru.cli.options import Session, shared_options
from tadoru.cli.output import out, out_json, shown


@click.command()
@shared_options
def doctor(session: Session) -> int:
    """Check the installation and the index; exit 1 on a fault.

    Example: tadoru doctor --root ~/src/flask
    """
    checks = [check for root in session.roots for check in check_all(root, yes=session.options.yes)]
    failed = any(check.status == "fail" for check in checks)
    if session.as_json:
        out_json({"status": "fail" if failed else "ok", "checks": checks})
    else:
        for check in checks:
            out(f"{check.status:<5} {check.name:<14} {shown(check.detail)}")
            if check.fix and check.status != "ok":
                out(f"{'':<20} -> {shown(check.fix)}")
    return 1 if failed else 0
