"""A mind without a language model that keeps executable hypotheses about others and plans against them."""
