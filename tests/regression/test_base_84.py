"""base #84, codebase-memory-mcp #1807, jcodemunch-mcp #362: Vue and Svelte files had no symbols."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("name", ["Editor.vue", "Editor.svelte"])
def test_a_component_has_the_symbols_and_imports_of_its_script(new_tree, name):
    suffix = name.rpartition(".")[2]
    opening = '<template><B/></template>\n<script setup lang="ts">\n'
    if suffix == "svelte":
        opening = '<B/>\n<script lang="ts">\n'
    text = f"{opening}import B from './B.{suffix}'\nfunction saveDraft(){{}}\n</script>\n"
    tree = new_tree({name: text, f"B.{suffix}": "<p/>\n"})
    assert tree.defined("saveDraft") == [(name, 4)]
    assert name in tree.hits("save draft")
