"""Predictions in words and own choices are told apart, in twelve languages."""

from __future__ import annotations

from otherminds.core.data import Invalid
from otherminds.replies.answers import OtherOption, asked, choice, read
from otherminds.replies.mentions import shown_names
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


@for_each(
    ("reply", "own", "other"),
    [
        ("I will choose J because they will choose F.", "J", "F"),
        ("I expect them to choose F, therefore I choose J.", "J", "F"),
        ("They will probably choose F. I choose J.", "J", "F"),
        ("If I choose J they will choose F, so I choose J.", "J", None),
        ("The opponent chose F last time. I choose J.", "J", None),
        ("I think they will choose F but I'm going with J.", "J", "F"),
        ("Their choice: F\nMy choice: J", "J", "F"),
        ("Prediction: F\nA: Option J", "J", None),
        ("He'll pick F; I'll pick J.", "J", "F"),
        ("They chose F. They will choose J.", None, "J"),
        ("I won't choose F.", None, None),
        ("They'll never choose F.", None, None),
        ("They always choose F.", None, "F"),
        ("They have always chosen F.", None, None),
        ("They used to choose F but will now choose J.", None, "J"),
        ("Will they choose F? Probably J.", None, "J"),
        ("Option J or Option F? They choose F.", None, "F"),
        ("I'd be surprised if they chose F.", None, None),
        ("It is unlikely that they choose F.", None, None),
        ("They will choose anything but F.", None, None),
        ("They will choose the opposite of F.", None, None),
        ("They will respond to my F with J.", None, "J"),
        ("They will copy my F.", None, None),
        ("They think I will choose F.", None, None),
        ("They want me to choose F.", None, None),
        ("They expect me to choose F.", None, None),
        ("They will avoid F.", None, None),
        ("The other player will choose F or J.", None, None),
        ("F would be a mistake for them.", None, None),
        ("They should choose F, but they will choose J.", None, "J"),
        ("I hope F.", None, None),
        ("They can choose F.", None, None),
        ("They could have chosen F.", None, None),
        ("Er wird F wählen, also wähle ich J.", "J", "F"),
        ("Il choisira F, donc je choisis J.", "J", "F"),
        ("Él elegirá F, así que elijo J.", "J", "F"),
        ("Ele escolherá F, então escolho J.", "J", "F"),
        ("Lui sceglierà F, quindi scelgo J.", "J", "F"),
        ("Он выберет F, поэтому я выберу J.", "J", "F"),
        ("对方会选F，所以我选J。", "J", "F"),
        ("相手はFを選ぶと思うので、私はJを選びます。", "J", "F"),
        ("상대는 F를 선택할 것이므로 저는 J를 선택하겠습니다.", "J", "F"),
        ("سيختار الخصم F لذلك سأختار J.", "J", "F"),
        ("वह F चुनेगा, इसलिए मैं J चुनूँगा।", "J", "F"),
        ("Ich wähle nicht F.", None, None),
        ("Je ne choisis pas F.", None, None),
        ("No elijo F.", None, None),
        ("我不选F。", None, None),
        ("Fは選びません。", None, None),
        ("F를 선택하지 않겠습니다.", None, None),
        ("Я не выбираю F.", None, None),
        ("لن أختار F.", None, None),
        ("मैं F नहीं चुनूँगा।", None, None),
        ("Não escolho F.", None, None),
        ("Non scelgo F.", None, None),
        ("Wenn er F wählt, wähle ich J.", None, None),
        ("如果对方选F，我选J。", None, None),
        ("Si él elige F, elijo J.", None, None),
        ("Last round they chose F.", None, None),
        ("对方上一轮选了F。", None, None),
        ("J oder F?", None, None),
        ("Ich wähle J statt F.", "J", None),
        ("我选择J而不是F。", "J", None),
        ("FではなくJを選びます。", "J", "J"),
        ("Je choisis J plutôt que F.", "J", None),
        ("Elijo J en lugar de F.", "J", None),
        ("Vielleicht wähle ich F.", None, None),
        ("Peut-être F.", None, None),
        ("Ich wähle F oder J.", None, None),
        ("我选F或J。", None, None),
    ],
)
def test_what_is_chosen_and_what_is_predicted_in_one_reply(
    reply: str, own: str | None, other: str | None
) -> None:
    found = [choice(reply, JF), choice(reply, JF, "other")]
    assert [None if isinstance(one, OtherOption) else one for one in found] == [own, other]


@for_each(
    ("reply", "answer"),
    [
        ("90% J, 10% F.", "J"),
        ("P(J) = 0.3\nP(F) = 0.7", "F"),
        ("Likelihood they choose J: 30%. Likelihood they choose F: 70%.", "F"),
        ("75% for Option F and 25% for Option J", "F"),
        ("| J | 70% |\n| F | 30% |", "J"),
        ("I'd put it at 80% J, 20% F.", "J"),
        ('{"J": 0.2, "F": 0.8}', "F"),
        ('{"probabilities": {"Option J": "20%", "Option F": "80%"}}', "F"),
        ('{"J": 20, "F": 80}', "F"),
        ("P(F) = 0.8", "F"),
        ("50% J, 50% F", None),
        ("J 52%, F 48%", None),
        ("J: 70%, F: 70%", None),
        ("P(F) = 0.5", None),
        ("They played J in 70% of rounds and F in 30%.", None),
        ("Overall, J 60% / F 40% of the time.", None),
        ('{"history": {"J": 0.2, "F": 0.8}}', None),
        ("I play J with 70% and F with 30%.", None),
        ("My strategy: 70% J, 30% F", None),
        ('{"my_strategy": {"J": 0.2, "F": 0.8}}', None),
        ("They expect me to play J with 70%, F with 30%", None),
        ("If I choose J: 80% J, 20% F.", None),
        ("J pays 0.7, F pays 0.3.", None),
        ('{"payoffs": {"J": 0.7, "F": 0.3}}', None),
        ("70% J, 30% F?", None),
    ],
)
def test_of_shares_the_one_clearly_ahead_is_the_prediction(reply: str, answer: str | None) -> None:
    assert choice(reply, JF, "other") == answer
    assert not isinstance(choice(reply, JF), str)


@for_each(
    ("reply", "answer"),
    [
        ("Another F.", "F"),
        ("F, they always repeat it.", "F"),
        ("F. After a loss they always repeat.", "F"),
        ("F like last time.", "F"),
        ("F, because they lost with J.", "F"),
        ("They won't switch, so F.", "F"),
        ("By tit for tat: F", "F"),
        ("<plan>Option J</plan>\n<prediction>Option F, because they repeat</prediction>", "F"),
        ("<prediction>F (70%)</prediction>", "F"),
        ("<prediction>F (20%)</prediction>", None),
        ("<prediction>F, unless they switch</prediction>", None),
        ("<prediction>F (or J)</prediction>", None),
        ("F, they never play it.", None),
        ("F (they avoid it)", None),
        ("F: they get nothing.", None),
        ("F, they think I will choose.", None),
        ("What they used before: F.", None),
        ("Always avoid: F", None),
        ("Last round: J. The round before: F.", None),
        ("I would be surprised if they did anything but F.", "F"),
        ("I would be surprised if they chose F.", None),
    ],
)
def test_a_reason_about_the_other_player_makes_an_option_a_prediction(reply: str, answer: str | None) -> None:
    found = choice(reply, JF, "other")
    assert (found if isinstance(found, str) else None) == answer


@for_each(
    "reply",
    [
        "<answer>They choose F</answer>",
        "<answer>F (rejected)</answer>",
        "<answer>F, if they cooperate</answer>",
        '{"answer": "F - no, wait"}',
        "Another F.",
        "Best bet: F",
    ],
)
def test_a_form_that_denies_or_foretells_its_option_is_no_own_choice(reply: str) -> None:
    assert not isinstance(choice(reply, JF), str)
