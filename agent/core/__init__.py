"""What every part of the agent speaks of: questions and answers, events, errors, usage, identity, time."""
