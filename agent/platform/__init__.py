"""What every other room stands on: settings, models, the state store, access and telemetry."""
