"""File types of `rg`: name -> globs of base names, as `rg --type-list` has the common ones."""

from __future__ import annotations

from collections.abc import Iterable

from tadoru.shell.commands.context import UsageError

TYPES: dict[str, str] = {
    "asciidoc": "*.adoc *.asc *.asciidoc",
    "asm": "*.S *.asm *.s",
    "awk": "*.awk",
    "bazel": "*.BUILD *.bazel *.bazelrc *.bzl BUILD WORKSPACE",
    "c": "*.[chH] *.[chH].in *.cats",
    "clojure": "*.clj *.cljc *.cljs *.cljx",
    "cmake": "*.cmake CMakeLists.txt",
    "coffeescript": "*.coffee",
    "config": "*.cfg *.conf *.config *.ini",
    "cpp": (
        "*.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in *.hh "
        "*.hh.in *.inl"
    ),
    "crystal": "*.cr Projectfile",
    "cs": "*.cs",
    "csharp": "*.cs",
    "css": "*.css *.scss",
    "csv": "*.csv",
    "cython": "*.pxd *.pxi *.pyx",
    "d": "*.d",
    "dart": "*.dart",
    "diff": "*.diff *.patch",
    "docker": "*Dockerfile*",
    "edn": "*.edn",
    "elisp": "*.el",
    "elixir": "*.eex *.ex *.exs",
    "elm": "*.elm",
    "erb": "*.erb",
    "erlang": "*.erl *.hrl",
    "fish": "*.fish",
    "fortran": "*.F *.F77 *.F90 *.F95 *.f *.f77 *.f90 *.f95 *.pfo",
    "fsharp": "*.fs *.fsi *.fsx",
    "go": "*.go",
    "gradle": "*.gradle",
    "graphql": "*.graphql *.graphqls",
    "groovy": "*.gradle *.groovy",
    "h": "*.h *.hpp",
    "haml": "*.haml",
    "haskell": "*.c2hs *.cpphs *.hs *.hsc *.lhs",
    "hbs": "*.hbs",
    "hs": "*.hs *.lhs",
    "html": "*.ejs *.htm *.html",
    "java": "*.java *.jsp *.jspx *.properties",
    "jinja": "*.j2 *.jinja *.jinja2",
    "jl": "*.jl",
    "js": "*.js *.jsx *.vue",
    "json": "*.json composer.lock",
    "jsonl": "*.jsonl",
    "julia": "*.jl",
    "jupyter": "*.ipynb *.jpynb",
    "kotlin": "*.kt *.kts",
    "less": "*.less",
    "license": (
        "*[.-]LICEN[CS]E* AGPL-*[0-9]* APACHE-*[0-9]* BSD-*[0-9]* CC-BY-* COPYING "
        "COPYING[.-]* COPYRIGHT COPYRIGHT[.-]* EULA EULA[.-]* GFDL-*[0-9]* GNU-*[0-9]* "
        "GPL-*[0-9]* LGPL-*[0-9]* LICEN[CS]E LICEN[CS]E[.-]* MIT-*[0-9]* MPL-*[0-9]* NOTICE "
        "NOTICE[.-]* OFL-*[0-9]* PATENTS PATENTS[.-]* UNLICEN[CS]E UNLICEN[CS]E[.-]* "
        "agpl[.-]* gpl[.-]* lgpl[.-]* licen[cs]e licen[cs]e.*"
    ),
    "lisp": "*.el *.jl *.lisp *.lsp *.sc *.scm",
    "lock": "*.lock package-lock.json",
    "log": "*.log",
    "lua": "*.lua",
    "make": (
        "*.mak *.mk [Gg][Nn][Uu]makefile [Gg][Nn][Uu]makefile.am [Gg][Nn][Uu]makefile.in "
        "[Mm]akefile [Mm]akefile.am [Mm]akefile.in"
    ),
    "man": "*.[0-9][cEFMmpSx] *.[0-9lnpx]",
    "markdown": "*.markdown *.md *.mdown *.mkdn",
    "matlab": "*.m",
    "md": "*.markdown *.md *.mdown *.mkdn",
    "meson": "meson.build meson_options.txt",
    "minified": "*.min.css *.min.html *.min.js",
    "mk": "mkfile",
    "ml": "*.ml",
    "nim": "*.nim *.nimble *.nimf *.nims",
    "nix": "*.nix",
    "objc": "*.h *.m",
    "objcpp": "*.h *.mm",
    "ocaml": "*.ml *.mli *.mll *.mly",
    "org": "*.org *.org_archive",
    "pascal": "*.dpr *.inc *.lpr *.pas *.pp",
    "pdf": "*.pdf",
    "perl": "*.PL *.perl *.pl *.plh *.plx *.pm *.t",
    "php": "*.php *.php3 *.php4 *.php5 *.phtml",
    "proto": "*.proto",
    "protobuf": "*.proto",
    "ps": "*.cdxml *.ps1 *.ps1xml *.psd1 *.psm1",
    "puppet": "*.erb *.pp *.rb",
    "purs": "*.purs",
    "py": "*.py",
    "python": "*.py",
    "r": "*.R *.Rmd *.Rnw *.r",
    "racket": "*.rkt",
    "rb": "*.gemspec *.rb *.rbw .irbrc Gemfile Rakefile config.ru",
    "readme": "*README README*",
    "rst": "*.rst",
    "ruby": "*.gemspec *.rb *.rbw .irbrc Gemfile Rakefile config.ru",
    "rust": "*.rs",
    "sass": "*.sass *.scss",
    "scala": "*.sbt *.scala",
    "sh": (
        "*.bash *.bashrc *.csh *.cshrc *.ksh *.kshrc *.sh *.tcsh *.zsh .bash_login "
        ".bash_logout .bash_profile .bashrc .cshrc .kshrc .login .logout .profile .tcshrc "
        ".zlogin .zlogout .zprofile .zshenv .zshrc bash_login bash_logout bash_profile "
        "bashrc profile zlogin zlogout zprofile zshenv zshrc"
    ),
    "sml": "*.sig *.sml",
    "sql": "*.psql *.sql",
    "stylus": "*.styl",
    "sv": "*.h *.sv *.svh *.v *.vg",
    "svelte": "*.svelte",
    "svg": "*.svg",
    "swift": "*.swift",
    "systemd": (
        "*.automount *.conf *.device *.link *.mount *.path *.scope *.service *.slice "
        "*.socket *.swap *.target *.timer"
    ),
    "tcl": "*.tcl",
    "tex": "*.bib *.cls *.dtx *.ins *.ltx *.sty *.tex",
    "textile": "*.textile",
    "tf": "*.tf",
    "thrift": "*.thrift",
    "toml": "*.toml Cargo.lock",
    "ts": "*.ts *.tsx",
    "twig": "*.twig",
    "txt": "*.txt",
    "typescript": "*.ts *.tsx",
    "vala": "*.vala",
    "vb": "*.vb",
    "verilog": "*.sv *.svh *.v *.vh",
    "vhdl": "*.vhd *.vhdl",
    "vim": "*.vim",
    "vimscript": "*.vim",
    "vue": "*.vue",
    "wiki": "*.mediawiki *.wiki",
    "xml": "*.dtd *.rng *.sch *.xhtml *.xjb *.xml *.xml.dist *.xsd *.xsl *.xslt",
    "yacc": "*.y",
    "yaml": "*.yaml *.yml",
    "zig": "*.zig",
    "zsh": "*.zsh .zlogin .zlogout .zprofile .zshenv .zshrc zlogin zlogout zprofile zshenv zshrc",
}
"""Globs are separated by blanks."""


def known_types(changes: Iterable[str]) -> dict[str, str]:
    """Return the types after `--type-add` and `--type-clear`. Raises UsageError."""
    known = dict(TYPES)
    for change in changes:
        name, colon, rest = change.partition(":")
        if not colon:
            known.pop(name, None)
        elif rest.startswith("include:"):
            for other in rest.removeprefix("include:").split(","):
                if other not in known:
                    raise UsageError(f"unrecognized file type: {other}")
                known[name] = f"{known.get(name, '')} {known[other]}".strip()
        else:
            known[name] = f"{known.get(name, '')} {rest}".strip()
    return known
