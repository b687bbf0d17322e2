"""What all other packages build on: settings, models, the state store, access and telemetry."""
