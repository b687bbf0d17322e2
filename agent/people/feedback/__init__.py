"""What people say of answers, and keep of them: reviews, feedback, saved queries."""
