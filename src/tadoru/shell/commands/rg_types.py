"""File types of `rg`: name -> globs of base names, as `rg --type-list` has the common ones."""

from __future__ import annotations

TYPES: dict[str, str] = {
    "asm": "*.S *.asm *.s",
    "c": "*.[chH] *.[chH].in *.cats",
    "clojure": "*.clj *.cljc *.cljs *.cljx",
    "cmake": "*.cmake CMakeLists.txt",
    "config": "*.cfg *.conf *.config *.ini",
    "cpp": (
        "*.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in *.hh "
        "*.hh.in *.inl"
    ),
    "cs": "*.cs",
    "csharp": "*.cs",
    "css": "*.css *.scss",
    "csv": "*.csv",
    "dart": "*.dart",
    "diff": "*.diff *.patch",
    "docker": "*Dockerfile*",
    "elixir": "*.eex *.ex *.exs",
    "erlang": "*.erl *.hrl",
    "fish": "*.fish",
    "fsharp": "*.fs *.fsi *.fsx",
    "go": "*.go",
    "gradle": "*.gradle",
    "graphql": "*.graphql *.graphqls",
    "groovy": "*.gradle *.groovy",
    "h": "*.h *.hpp",
    "haskell": "*.c2hs *.cpphs *.hs *.hsc *.lhs",
    "html": "*.ejs *.htm *.html",
    "java": "*.java *.jsp *.jspx *.properties",
    "js": "*.js *.jsx *.vue",
    "json": "*.json composer.lock",
    "julia": "*.jl",
    "jupyter": "*.ipynb *.jpynb",
    "kotlin": "*.kt *.kts",
    "less": "*.less",
    "lisp": "*.el *.jl *.lisp *.lsp *.sc *.scm",
    "lock": "*.lock package-lock.json",
    "log": "*.log",
    "lua": "*.lua",
    "make": (
        "*.mak *.mk [Gg][Nn][Uu]makefile [Gg][Nn][Uu]makefile.am [Gg][Nn][Uu]makefile.in "
        "[Mm]akefile [Mm]akefile.am [Mm]akefile.in"
    ),
    "markdown": "*.markdown *.md *.mdown *.mkdn",
    "md": "*.markdown *.md *.mdown *.mkdn",
    "nix": "*.nix",
    "objc": "*.h *.m",
    "ocaml": "*.ml *.mli *.mll *.mly",
    "pdf": "*.pdf",
    "perl": "*.PL *.perl *.pl *.plh *.plx *.pm *.t",
    "php": "*.php *.php3 *.php4 *.php5 *.phtml",
    "proto": "*.proto",
    "protobuf": "*.proto",
    "ps": "*.cdxml *.ps1 *.ps1xml *.psd1 *.psm1",
    "py": "*.py",
    "python": "*.py",
    "r": "*.R *.Rmd *.Rnw *.r",
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
    "sql": "*.psql *.sql",
    "svelte": "*.svelte",
    "svg": "*.svg",
    "swift": "*.swift",
    "tex": "*.bib *.cls *.dtx *.ins *.ltx *.sty *.tex",
    "tf": "*.tf",
    "toml": "*.toml Cargo.lock",
    "ts": "*.ts *.tsx",
    "txt": "*.txt",
    "typescript": "*.ts *.tsx",
    "vim": "*.vim",
    "vue": "*.vue",
    "xml": "*.dtd *.rng *.sch *.xhtml *.xjb *.xml *.xml.dist *.xsd *.xsl *.xslt",
    "yaml": "*.yaml *.yml",
    "zig": "*.zig",
    "zsh": "*.zsh .zlogin .zlogout .zprofile .zshenv .zshrc zlogin zlogout zprofile zshenv zshrc",
}
"""Globs are separated by blanks."""
