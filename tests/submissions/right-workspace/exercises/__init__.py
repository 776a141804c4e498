"""My answers."""
