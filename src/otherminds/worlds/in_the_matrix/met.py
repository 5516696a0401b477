"""Who is met in the 27 scenarios of the *in the matrix* substrates.

Source: Melting Pot 2.4.1 (Agapiou et al. 2022); the lists are those of its
scenarios, by number, with what each is about in a few words.
"""

from __future__ import annotations

ALL_MARGINS = (
    "paper_margin_0",
    "paper_margin_1",
    "rock_margin_0",
    "rock_margin_1",
    "scissors_margin_0",
    "scissors_margin_1",
)

MET: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "rws-repeated": (
        ("one of the three pure strategies", ("paper_margin_0", "rock_margin_0", "scissors_margin_0")),
        ("the best response to the last duel", ("resp2prev_margin_0",)),
        (
            "a pure strategy, or the best response to the last duel",
            ("paper_margin_0", "resp2prev_margin_0", "rock_margin_0", "scissors_margin_0"),
        ),
        (
            "often a change of strategy after two duels",
            (
                "flip_p2r_0",
                "flip_r2s_0",
                "flip_s2p_0",
                "paper_0",
                "paper_margin_0",
                "rock_0",
                "rock_margin_0",
                "scissors_0",
                "scissors_margin_0",
            ),
        ),
        (
            "a change after one duel, once or always",
            ("flip_p2r_1", "flip_r2s_1", "flip_s2p_1", "resp2prev_margin_0"),
        ),
        ("a gullible opponent", ("free_0",)),
        ("pure rock", ("rock_margin_0",)),
        ("pure paper", ("paper_margin_0",)),
        ("pure scissors", ("scissors_margin_0",)),
    ),
    "rws-arena": (
        ("all three pure strategies", ALL_MARGINS),
        ("gullible opponents", ("free_0",)),
        (
            "rock, and some who change to scissors after two duels",
            ("flip_r2s_0", "rock_margin_0", "rock_margin_1"),
        ),
        (
            "paper, and some who change after two duels",
            ("flip_p2r_0", "paper_margin_0", "paper_margin_1"),
        ),
        (
            "scissors, and some who change to paper after two duels",
            ("flip_s2p_0", "scissors_margin_0", "scissors_margin_1"),
        ),
        ("pure paper", ("paper_margin_0", "paper_margin_1")),
        ("pure rock", ("rock_margin_0", "rock_margin_1")),
        ("pure scissors", ("scissors_margin_0", "scissors_margin_1")),
    ),
    "pd-repeated": (
        (
            "a cooperator or a defector",
            (
                "puppet_cooperator_margin_0",
                "puppet_cooperator_margin_1",
                "puppet_defector_margin_0",
                "puppet_defector_margin_1",
            ),
        ),
        ("a cooperator", ("puppet_cooperator_margin_0", "puppet_cooperator_margin_1")),
        ("a defector", ("puppet_defector_margin_0", "puppet_defector_margin_1")),
        ("grim after one defection", ("puppet_grim_one_strike_margin_0", "puppet_grim_one_strike_margin_1")),
        (
            "grim after two defections",
            ("puppet_grim_two_strikes_margin_0", "puppet_grim_two_strikes_margin_1"),
        ),
        ("tit for tat", ("puppet_tft_margin_0", "puppet_tft_margin_1")),
        ("tit for tat that trembles", ("puppet_tft_tremble_margin_0", "puppet_tft_tremble_margin_1")),
        ("cooperation for a while, then defection", ("puppet_flip_0",)),
        ("defection until punished, then tit for tat", ("puppet_corrigible_0",)),
        ("defection until punished, then tit for tat that trembles", ("puppet_corrigible_tremble_0",)),
    ),
}
"""For each substrate, by scenario number: what the others do, and the bots they are drawn from."""
