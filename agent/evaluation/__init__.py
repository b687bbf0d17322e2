"""Questions with known answers: asked, scored, counted."""
