"""A mind without a language model, with executable hypotheses about others to plan against."""
