"""Types that all parts of the agent share: questions and answers, events, errors, usage, identity, time."""
