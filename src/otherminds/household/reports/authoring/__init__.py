"""Tables, figures and pages of authored pools."""
