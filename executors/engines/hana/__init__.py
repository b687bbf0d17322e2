"""SAP HANA."""
