"""One module per command or small family; imported only when one of its commands runs."""
