"""Everything that can be set, as one frozen tree of dataclasses. Reads nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True)
class IndexConfig:
    """What is indexed, and how much work a question may do by itself."""

    include: tuple[str, ...] = ()
    """Globs or directory names that overrule ignore rules (also `INCLUDE_DIRS`)."""
    ignore: tuple[str, ...] = ()
    """Further patterns in the syntax of .gitignore (also `IGNORE_PATTERNS`)."""
    max_file_bytes: int = 2 * MIB
    """Larger files are listed and read, but not indexed."""
    serve_secrets: bool = False
    """Serve secret-like files (`.env*`, `*.pem`, `id_*`, `.netrc`, `.npmrc`). User file only."""
    workers: int = 0
    """Processes; 0 for as many as there are cores."""
    catch_up_seconds: float = 1.0
    """Work that a question does by itself to bring the index up to date."""
    first_answer_seconds: float = 1.0
    """Wait of the first question for an index that is still being built."""
    debounce_ms: int = 500


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """Parameters of search. Names, defaults and bounds: ContextWeaver's SearchConfig."""

    vector_top_k: int = 80
    vector_top_m: int = 60
    fts_top_k_files: int = 20
    lex_chunks_per_file: int = 2
    lex_total_chunks: int = 150
    rrf_k0: int = 20
    w_vec: float = 0.6
    w_lex: float = 0.4
    fused_top_m: int = 60
    rerank_top_n: int = 10
    max_rerank_chars: int = 1000
    max_breadcrumb_chars: int = 250
    head_ratio: float = 0.67
    neighbor_hops: int = 2
    breadcrumb_expand_limit: int = 3
    import_files_per_seed: int = 3
    chunks_per_import_file: int = 3
    reverse_import_files_per_seed: int = 2
    call_sites_per_seed: int = 2
    max_segments_per_file: int = 3
    max_total_chars: int = 48_000
    segment_tokens: int = 300
    enable_smart_top_k: bool = True
    smart_top_score_ratio: float = 0.5
    smart_top_score_delta_abs: float = 0.25
    smart_min_score: float = 0.25
    smart_min_k: int = 2
    smart_max_k: int = 8
    query_cache_entries: int = 50


SEARCH_BOUNDS: Mapping[str, tuple[float, float]] = {
    "vector_top_k": (40, 200),
    "vector_top_m": (10, 200),
    "fts_top_k_files": (5, 100),
    "lex_chunks_per_file": (1, 20),
    "lex_total_chunks": (10, 500),
    "rrf_k0": (1, 200),
    "w_vec": (0, 1),
    "w_lex": (0, 1),
    "fused_top_m": (10, 200),
    "rerank_top_n": (5, 20),
    "max_rerank_chars": (200, 8_000),
    "max_breadcrumb_chars": (40, 1_000),
    "head_ratio": (0, 1),
    "neighbor_hops": (0, 5),
    "breadcrumb_expand_limit": (0, 10),
    "import_files_per_seed": (0, 5),
    "chunks_per_import_file": (0, 10),
    "reverse_import_files_per_seed": (0, 5),
    "call_sites_per_seed": (0, 10),
    "max_segments_per_file": (1, 5),
    "max_total_chars": (20_000, 80_000),
    "segment_tokens": (0, 8_000),
    "smart_top_score_ratio": (0, 1),
    "smart_top_score_delta_abs": (0, 1),
    "smart_min_score": (0, 1),
    "smart_min_k": (1, 10),
    "smart_max_k": (5, 15),
    "query_cache_entries": (0, 10_000),
}
"""Values outside are moved to the nearer bound, as the seed does; each move is a warning."""


@dataclass(frozen=True, slots=True)
class ResolveConfig:
    """Parameters of resolve."""

    top_k: int = 10
    """Candidates ranked to the end, at least (`RESOLVE_TOPK`)."""
    history: int = 5
    """Paths remembered per principal."""


@dataclass(frozen=True, slots=True)
class ShellConfig:
    """Limits of one command line of the shell."""

    timeout_seconds: float = 30.0
    max_output_bytes: int = MIB
    max_commands: int = 100_000
    max_loop_iterations: int = 1_000_000
    max_command_bytes: int = MIB
    max_tmp_bytes: int = 8 * MIB


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Endpoints and folders of models. Never read from a repository."""

    embedded: bool = True
    """Use the embedded code model where no other embedder is configured. `models = "none"` in the
    user's file, or `TADORU_MODELS=none`, turns it off: search is lexical then."""

    embeddings_api_key: str = field(default="", repr=False)
    embeddings_base_url: str = ""
    embeddings_model: str = ""
    embeddings_max_concurrency: int = 10
    embeddings_dimensions: int = 1024
    rerank_api_key: str = field(default="", repr=False)
    rerank_base_url: str = ""
    rerank_model: str = ""
    rerank_top_n: int = 20
    """How many of the best a reranker behind an endpoint is asked for."""
    embeddings_dir: str = ""
    """A model2vec or ONNX folder, or `fastembed:NAME`."""
    rerank_dir: str = ""
    """A model2vec or ONNX folder: late interaction weighs the best candidates once more."""
    resolve_model_dir: str = ""
    resolve_model_precision: str = "int8"
    tokenizer: str = ""
    """Path of a tokenizer.json for exact token counts."""


@dataclass(frozen=True, slots=True)
class CacheConfig:
    """Where pages, trees and pieces of objects are kept. Never read from a repository."""

    megabytes: int = 128
    """Memory of this process (MiB)."""
    url: str = field(default="", repr=False)
    """A Redis that processes share (`TADORU_CACHE_URL`): `redis://`, `rediss://`, `unix://`."""
    seconds: int = 86_400
    """How long a value lives there."""


@dataclass(frozen=True, slots=True)
class ObjectsConfig:
    """What a tree may point to in object stores. Never read from a repository, nor from a tree."""

    allow: tuple[str, ...] = ()
    """Prefixes of URLs: `s3://bucket/specs/`, `gs://`, `az://`, `https://`, `http://`, `file://`.
    Empty: no pointer is followed."""
    max_bytes: int = 64 * MIB
    """Larger objects are read in ranges only, never as a whole."""
    timeout_seconds: float = 10.0
    """The most that one read may wait for the store."""
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    """Per prefix, what obstore takes (`endpoint`, `region`, keys); else its environment."""


@dataclass(frozen=True, slots=True)
class AccessRule:
    """Files that match a glob belong to these groups; no groups and not public: nobody."""

    glob: str
    groups: frozenset[str] = frozenset()
    public: bool = False


@dataclass(frozen=True, slots=True)
class ServeConfig:
    """Who may ask `tadoru serve`, and how much. Never read from a repository."""

    issuer: str = ""
    """The identity provider, exactly as tokens name it (`TADORU_SERVE_ISSUER`). Empty: nobody is
    authenticated, and only the loopback interface is served."""
    audience: tuple[str, ...] = ()
    """What tokens must be made for; one of these (`TADORU_SERVE_AUDIENCE`)."""
    keys: str = ""
    """The provider's keys (JWKS): an https URL, or a file (`TADORU_SERVE_KEYS`)."""
    algorithms: tuple[str, ...] = ("RS256", "PS256", "ES256", "ES384", "EdDSA")
    """Of signatures; asymmetric ones only."""
    scopes: tuple[str, ...] = ()
    """Scopes that a token must have, all of them."""
    groups_claim: str = "groups"
    """Where a token names groups: a list or a string; `realm_access.roles` leads inside."""
    operators: frozenset[str] = frozenset()
    """Members of these groups may see as others do (`?as=`), and read the metrics."""
    leeway_seconds: int = 30
    """How far clocks may differ."""
    url: str = ""
    """What clients call this service: `https://tadoru.example.com` (`TADORU_SERVE_URL`)."""
    hosts: tuple[str, ...] = ()
    """Further names in the Host header, with a port where there is one."""
    origins: tuple[str, ...] = ()
    """Web pages elsewhere that may call: `https://portal.example.com`."""
    rate: float = 10.0
    """Requests a second of one principal, in the long run."""
    burst: int = 40
    """Requests that one principal may save up."""
    concurrency: int = 8
    """Requests of one principal at the same time."""
    output_megabytes: int = 64
    """Bytes sent to one principal in a minute (MiB)."""
    max_body_bytes: int = 4 * MIB
    max_answer_bytes: int = 8 * MIB
    deadline_seconds: float = 30.0
    """Of one request; then the answer is 504, and its work ends."""
    receive_seconds: float = 10.0
    """In which headers and body of a request must have come, each."""
    threads: int = 3
    """Calls that are worked on at the same time; others wait. Python computes one thing at a time,
    and threads that take turns cost: of 50 people, the slowest hundredth waits 4 times as long with
    8 as with 3, and twice as long with 1, which stands behind every slow call."""
    connections: int = 1_000
    """Open at the same time; others get 503."""
    metrics_token: str = field(default="", repr=False)
    """Lets Prometheus read `/metrics` (`TADORU_SERVE_METRICS_TOKEN`)."""


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be set."""

    home: str = ""
    """Where indexes lie (`TADORU_HOME`); empty for the user's cache directory."""
    groups: frozenset[str] = frozenset()
    """Groups of the principal when no other is given (`TADORU_GROUPS`)."""
    access: tuple[AccessRule, ...] = ()
    """The user's rules: the last one that matches decides. Empty: everything is public."""
    restrict: tuple[AccessRule, ...] = ()
    """The project's rules: an entry that one of them matches also needs one of its groups."""
    warnings: tuple[str, ...] = ()
    """What a configuration asked for and was not given, in one line each."""
    mounts: Mapping[str, str] = field(default_factory=dict)
    audit: str = ""
    """File for one line per call (`TADORU_AUDIT`): who, which tool, which files; empty for none."""
    budget: int = 12_000
    """Tokens of a packed answer."""
    index: IndexConfig = IndexConfig()
    search: SearchConfig = SearchConfig()
    resolve: ResolveConfig = ResolveConfig()
    shell: ShellConfig = ShellConfig()
    models: ModelConfig = ModelConfig()
    cache: CacheConfig = CacheConfig()
    objects: ObjectsConfig = ObjectsConfig()
    serve: ServeConfig = ServeConfig()
