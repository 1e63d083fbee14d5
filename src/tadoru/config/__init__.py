"""What can be set, and from where: defaults < user file < project file < environment < flags.

A repository's `.tadoru.toml` may set includes, ignores, weights and budgets, and restrict access.
Endpoints, keys, mounts, model folders and secrets come from the user's own file, the environment
and flags alone: nothing that was cloned can make tadoru talk to anybody, or show more.
"""

from tadoru.config.load import CONFIG_FILE, PROJECT_FILE, load, project_may_set, user_file
from tadoru.config.values import (
    KIB,
    MIB,
    SEARCH_BOUNDS,
    AccessRule,
    CacheConfig,
    Config,
    IndexConfig,
    ModelConfig,
    ObjectsConfig,
    ResolveConfig,
    SearchConfig,
    ServeConfig,
    ShellConfig,
)

__all__ = [
    "CONFIG_FILE",
    "KIB",
    "MIB",
    "PROJECT_FILE",
    "SEARCH_BOUNDS",
    "AccessRule",
    "CacheConfig",
    "Config",
    "IndexConfig",
    "ModelConfig",
    "ObjectsConfig",
    "ResolveConfig",
    "SearchConfig",
    "ServeConfig",
    "ShellConfig",
    "load",
    "project_may_set",
    "user_file",
]
