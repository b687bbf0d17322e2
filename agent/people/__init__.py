"""What belongs to users: sessions, reviews, feedback, saved queries, dashboards."""
