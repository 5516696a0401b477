"""Predictions in words and own choices are told apart, in twelve languages."""

from __future__ import annotations

from otherminds.core.data import Invalid
from otherminds.replies.lenient import choice
from otherminds.replies.mentions import shown_names
from otherminds.replies.strict import read
from otherminds.worlds.asking import asked
from tests.cases import for_each

JF = ("J", "F")


@for_each(
    "reply",
    [
        "They will choose Option F.",
        "Prediction: F",
        "Most likely Option F.",
        "The other player will choose F",
        "I expect F",
        "I predict they pick F",
        "Opponent: F",
        "They chose J last round and will likely switch to F.",
        "There is a 70% chance of F.",
        "F, most likely.",
        "Given their history, F.",
        "My money is on F.",
        "The other player's next choice: F",
        '{"their_move": "Option F", "confidence": 0.8}',
        "They will play F here, not J.",
        "The pattern suggests Option F.",
        "They will choose F, so I will choose J.",
        "My choice: J. Prediction: F",
    ],
)
def test_a_prediction_in_words_is_read_where_one_is_asked_for(reply: str) -> None:
    assert choice(reply, JF, "other") == "F"


@for_each(
    "reply",
    [
        "They will choose Option F.",
        "Prediction: F",
        "Most likely Option F.",
        "The other player will choose F",
        "I expect F",
        "Opponent: F",
        "Option F is what I expect.",
        "F is my prediction.",
        '{"prediction": "F"}',
        "L'autre joueur choisira l'option F.",
    ],
)
def test_a_prediction_is_no_own_choice(reply: str) -> None:
    assert choice(reply, JF) is None
    assert isinstance(read(asked("Q", JF, JF), reply), Invalid)


@for_each(
    "reply", ["I will choose F.", "Me: F", "My choice: F", '{"my_choice": "F"}', "Je choisis l'option F."]
)
def test_an_own_choice_is_no_prediction(reply: str) -> None:
    assert (choice(reply, JF), choice(reply, JF, "other")) == ("F", None)


@for_each(
    "reply",
    [
        "They will not choose F.",
        "If I choose J, they will choose F.",
        "They chose F last round.",
        "They might choose F.",
        "Will they choose F?",
        "They will choose J or F.",
        "There is a 30% chance of F.",
        "I hope they choose F.",
        "Der andere Spieler wird nicht F wählen.",
        "相手は前回Fを選びました。",
    ],
)
def test_what_is_open_denied_or_past_is_no_prediction(reply: str) -> None:
    assert choice(reply, JF, "other") is None


LANGUAGES = {
    "en": ("I will choose Option F.", "The other player will choose Option F.", "Final answer: F"),
    "de": ("Ich werde Option F wählen.", "Der andere Spieler wird Option F wählen.", "Meine Antwort: F"),
    "fr": ("Je vais choisir l'option F.", "L'autre joueur choisira l'option F.", "Ma réponse : F"),
    "es": ("Voy a elegir la opción F.", "El otro jugador elegirá la opción F.", "Mi respuesta: F"),
    "pt": ("Vou escolher a opção F.", "O outro jogador vai escolher a opção F.", "Minha resposta: F"),
    "it": ("Sceglierò l'opzione F.", "L'altro giocatore sceglierà l'opzione F.", "La mia risposta: F"),
    "ru": ("Я выберу вариант F.", "Другой игрок выберет вариант F.", "Мой ответ: F"),
    "zh": ("我会选F", "对方会选择选项F。", "我的答案是F"),
    "ja": ("私は選択肢Fを選びます。", "相手はFを選ぶでしょう。", "答え：F"),
    "ko": ("저는 옵션 F를 선택하겠습니다.", "상대방은 F를 선택할 것입니다.", "답: F"),
    "ar": ("أختار الخيار F.", "سيختار اللاعب الآخر الخيار F.", "الإجابة: F"),
    "hi": ("मैं विकल्प F चुनता हूँ।", "दूसरा खिलाड़ी विकल्प F चुनेगा।", "मेरा उत्तर: F"),
}


@for_each("language", list(LANGUAGES))
def test_both_are_read_and_told_apart_in_every_language(language: str) -> None:
    own, other, either = LANGUAGES[language]
    found = [(choice(text, JF), choice(text, JF, "other")) for text in (own, other, either)]
    assert found == [("F", None), (None, "F"), ("F", "F")]


@for_each("reply", ["1) Option F", '{"move": "F"}', "Going with option F.", "Option F it is.", "Me: F"])
def test_short_forms_of_an_own_choice(reply: str) -> None:
    assert choice(reply, JF) == "F"


@for_each(
    "reply", ["I will defect.", "A: Option defect", "Final answer: Defect", '{"option": "defect"}', "D"]
)
def test_names_of_the_game_count_only_where_the_prompt_shows_both(reply: str) -> None:
    called = ("cooperate", "defect")
    shown = shown_names("Option J (cooperate; C = J) or Option F (defect)?", JF, called)
    if reply == "D":
        shown = shown_names("J (C) or F (D)?", JF, called)
    assert choice(reply, JF, "own", shown) == "F"
    assert not isinstance(
        choice(reply, JF, "own", shown_names("Do you cooperate or defect? J or F?", JF, called)), str
    )
