"""Publishing: an indexed directory becomes a collection of Chroma that tadoru mounts.

The new state is written beside the old one, checked, and then takes its place by one write, so a
reader sees the old or the new tree and whole pages of either. Nothing is published without a label.
"""

from tadoru.publishing.local import publish_root
from tadoru.publishing.run import PublishReport

__all__ = ["PublishReport", "publish_root"]
