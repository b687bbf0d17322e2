"""What people have of their own: sessions, reviews, feedback, saved queries, dashboards."""
