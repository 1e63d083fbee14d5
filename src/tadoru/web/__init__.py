"""Room for the read-only page that explains: why this result, why this path, who sees what."""
