"""Where a text names an option, in any script, and the words of twelve languages by which replies choose and predict.

Each :class:`Language` lists regular expressions of the words that matter around an option. The expressions are
searched in one piece of a sentence and are case-insensitive. Scripts without spaces between words, and those whose
vowel signs are no letters, have no word boundaries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple
from unicodedata import normalize


class Language(NamedTuple):
    """The words of one language.

    ``own`` and ``other`` are subjects: the model itself and the other player, also as the ending of a verb.
    ``choose`` are verbs and nouns of choosing. ``expect`` are verbs of predicting, whose subject is the model;
    ``likely`` are words of what comes next. ``past`` are words of what was done before, ``no`` negations and ``when``
    conditions. ``joins`` are the words between two pieces of a sentence. ``decides`` are whole forms that announce an
    own choice, ``this`` what such a form may name in place of an option.
    """

    own: str
    other: str
    choose: str
    expect: str
    likely: str
    past: str
    no: str
    when: str
    joins: str
    decides: str = ""
    this: str = ""


ENGLISH = Language(
    own=r"\b(?:i|me|my|mine|myself|we|us|our|(?<!their\s)(?<!his\s)(?<!her\s)own)\b",
    other=r"\b(?:(?:(?:my|your|the|this|that|our)\s+)?(?:other\s+(?:\w+\s+)?(?:player|agent|person|side|party|one|participant|driver|prisoner)"
    r"|opponents?|partners?|opp|p2|counterparts?|rivals?|adversar(?:y|ies)|co-?players?|player\s+(?:2|two|b)|opposing\s+\w+|bot)"
    r"|they|them|their|theirs|he|him|his|she|her|hers|the\s+other(?!\s+hand))\b",
    choose=r"\b(?:choos\w+|choice|pick\w*|select\w*|play\w*|go(?:es|ing)?|opt\w*|stick\w*|tak(?:e|es|ing)|repeat\w*|switch\w*|shift\w*|revert\w*|land\w*\s+on|preference|inclin\w+|stuck|(?:committed|set|settled|locked)|end\w*\s+up|stay\w*"
    r"|keep\w*|continu\w*|prefer\w*|favou?rs?|insist\w*|punish\w*|return\w*|(?:are|is)\s+at|mov(?:e|es|ing)|do|be|stand\w*|lean\w*|answer\w*|decision|decid\w+|settl\w+)\b",
    expect=r"\b(?:expect\w*|predict\w*|anticipat\w*|fores(?:ee|een)|forecast\w*|(?:i'd|i|would|i'll)\s+bet|betting|(?:bet|count|wager)\s+on|look\s+for|my\s+(?:money|bet|read|estimate)|suspect|assume"
    r"|(?:this|that|which|all|pattern|history|trend|record|data|evidence|behaviou?r|everything|past|moves?|signs?)\s+(?:\w+\s+)?(?:suggests?|means|leads\s+to|points?\s+(?:to|towards?|at)|says?|indicates?|implies|favou?rs?)"
    r"|prognos\w+|projec\w+)\b",
    likely=r"\b(?:will|'ll|shall|should|would|likely|likeliest|prob(?:abl[ey]|s|ly)?|presumably|surely|certainly|next|again|going\s+to|gonna|bound\s+to|about\s+to"
    r"|set\s+to|ready\s+to|expected|due|time\s+for|turn|certain(?!\s+to)|guaranteed|must\s+be|has\s+to\s+be|undoubtedly|clearly|com(?:es|ing)|continu\w+|goes\s+on|once\s+more|still|obviously|(?:all|every)\s+likelihood|all\s+probability|tends?|always|p(?:r|rob)?\s?\(|guess\w*|think|believe|reckon|figure|imagine|sure|confident|looks?\s+like|seems?|favou?rite|\d+\s?%|chances?\s+are|odds)\b|'ll\b|%",
    past=r"\b(?:chose|chosen|picked|selected|played|went|took|opted|stuck|repeated|switched|had|did|was|were|has|have|previous\w*|so\s+far|earlier|ago"
    r"|last\s+(?:round|time|move|turn|game|option|choice|action|pick|play)|(?:round|time|move|turn)s?\s+before|history)\b",
    no=r"\b(?:not|never|unlikely|cannot|neither|nor|avoid\w*|refuse\w*|least|rul\w+\s+out|without|instead\s+of|no\s+longer|nobody|hardly|stops?|abandon\w*|away\s+from|"
    r"doubt\w*|less\s+likely|surpris\w*|opposite|anything\s+but|mistake|wrong|foolish|dislik\w*|hates?|hope\w*|wish\w*|want\w*"
    r"|costs?|payoffs?|gives?|pays?|earns?|gains?|worth)\b|n't\b",
    when=r"\b(?:if|unless|when|whenever|suppos\w+|provided|in\s+case|hopefully|were\s+to|equally|might|may|can(?!\s+(?:\w+\s+)?(?:be\s+)?expect)|could|maybe|perhaps|possibly)\b",
    joins=r"\b(?:so(?!\s+(?:far|that))|therefore|thus|hence|but|because|since|while|whereas|although|(?:even\s+)?though|and|which\s+means|then|meaning)\b",
)
GERMAN = Language(
    own=r"\b(?:ich|mein\w*|mich|mir|wir|unser\w*)\b",
    other=r"\b(?:(?:mein\w*\s+)?(?:gegner\w*|gegenspieler\w*|mitspieler\w*|partner\w*|gegenüber|kontrahent\w*)|ander\w+(?:\s+(?:spieler\w*|person|seite|partei))?"
    r"|er|sie|ihm|ihr\w*|sein\w*)\b",
    choose=r"\b(?:wähl\w*|wahl|nehm\w*|nimm\w*|entscheid\w*|spiel(?:e|t|en)|setz\w*|bleib\w*|wechsel\w*|kehr\w*|wiederhol\w*|halt(?:en|e)|hält|fest\w*|zurück\w*|greif\w*|zug)\b",
    expect=r"\b(?:erwart\w*|prognos\w*|vorhers\w*|voraus\w*|rechne\w*|tipp\w*|gehe\s+davon\s+aus)\b",
    likely=r"\b(?:wahrscheinlich\w*|vermut\w*|wohl|wird|werden|nächst\w*|wieder|erneut|glaube|denke|schätze|dürfte)\b",
    past=r"\b(?:letzt\w+|vorherig\w*|bisher\w*|hat|hatte|haben|wählte\w*|nahm|spielte|zuvor)\b",
    no=r"\b(?:nicht|kein\w*|nie|niemals|weder|statt)\b",
    when=r"\b(?:gleich(?:ermaßen)?|ebenso|wenn|falls|sofern|angenommen|vielleicht|könnte\w*|ob)\b",
    joins=r"\b(?:also|deshalb|daher|darum|weil|da|und|aber|denn|somit|folglich|während)\b",
    decides=r"\b(?:ich\s+(?:wähle|nehme|spiele|entscheide\s+mich\s+(?:für|zu\w*))|meine\s+(?:wahl|entscheidung|antwort)\s+ist)\b",
    this=r"\b(?:das|dies\w*|es|so|sie|ihn)\b",
)
FRENCH = Language(
    own=r"\b(?:je|moi|mon|ma|mes|me|nous|notre)\b|\b[jm]'",
    other=r"\b(?:(?:mon|son|ma)\s+)?(?:l'autre(?:\s+(?:joueur|joueuse|personne|partie))?|adversaire|opposant\w*|partenaire|rival\w*|joueur\s+adverse)\b"
    r"|\b(?:il|elle|ils|elles|lui|son|sa|leur)\b",
    choose=r"\b(?:chois\w+|choix|(?:la|le)\s+meilleur\w*|pren\w+|opt(?!ion)\w+|jou(?:e|er|era|erai|ent|eront|ons)|sélectionn\w+|décid\w+|décision|retien\w+|vais|rest(?:e|era|eront|ent)|chang\w+|pass(?:e|era|er)|revien\w+|répét\w+|répèt\w+|maintien\w+|continu\w+|gard\w+)\b",
    expect=r"\b(?:prédi\w+|prévoi\w*|prévision|attends|pari\w*|pronosti\w+|anticip\w+)\b",
    likely=r"\b(?:probable\w*|vraisemblable\w*|va|vont|devrait|sans\s+doute|nouveau|encore|prochain\w*|pense|crois|suppose|sera|choisira)\b",
    past=r"\b(?:derni\w+|précéden\w+|a\s+(?:\w+\s+)?(?:choisi|joué|pris|opté)|ont\s+(?:\w+\s+)?choisi|avait|jusqu'ici)\b",
    no=r"\b(?:ne|pas|jamais|ni|aucun\w*|éviter\w*)\b|\bn'|\bplutôt\s+que\b|\bau\s+lieu\b",
    when=r"\b(?:si|lorsque|quand|au\s+cas|peut-être|pourrait)\b|\bs'il",
    joins=r"\b(?:donc|car|parce\s+que|et|mais|puisque|alors|tandis\s+que|ainsi)\b",
    decides=r"\bje\s+(?:choisis|choisirai|prends|joue|sélectionne|vais\s+choisir|opte\s+pour|décide\s+de)\b|\bm(?:on|a)\s+(?:choix|réponse|décision)\s+est\b",
    this=r"\b(?:cela|ça|ceci|celui|celle|cette|ce)\b",
)
SPANISH = Language(
    own=r"\b(?:yo|mi|mí|me|elijo|elegiré|escojo|escogeré|opto|optaré|voy|selecciono|seleccionaré|tomo|tomaré|juego|jugaré|decido|prefiero|quedo|elegiría)\b",
    other=r"\b(?:(?:(?:el|la|mi|su)\s+)?(?:otr[oa](?:\s+(?:jugador\w*|persona|participante|parte))?|oponente|rival|adversari[oa]|contrincante|compañer[oa]|contraparte)"
    r"|él|ella|ellos|su|elegirá\w*|escogerá\w*|optará\w*|seleccionará\w*|jugará\w*|tomará\w*|elija|escoja)\b",
    choose=r"\b(?:eli[gj]\w+|eleg\w+|elección|escoj\w*|escog\w+|opt\w+|seleccion\w+|tom(?:o|a|ar|aré|ará)|jueg\w+|jug(?:ar|aré|ará)|decid\w+|decisión|quedo|prefier\w+|jugada|volv\w+|vuelv\w+|cambi\w+|seguirá|irá|repet\w+|repit\w+|mantendr\w+|mantien\w+)\b",
    expect=r"\b(?:espero|predigo|predic\w+|preveo|prevé|pronostic\w+|pronóstico|apuesto|anticipo)\b",
    likely=r"\b(?:probable\w*|seguramente|próxim\w+|nuevo|otra\s+vez|será|va\s+a|creo|pienso|supongo|debería)\b",
    past=r"\b(?:últim\w+|anterior\w*|eligió|escogió|h[ae]n?\s+elegido|optó|jugó|hasta\s+ahora)\b",
    no=r"\b(?:no|nunca|jamás|ni|tampoco|evitar\w*)\b|\ben\s+(?:lugar|vez)\s+de\b",
    when=r"\b(?:si|cuando|en\s+caso|quizás?|tal\s+vez|podría)\b",
    joins=r"\b(?:así\s+que|por\s+lo\s+que|por\s+eso|porque|ya\s+que|y|pero|entonces|mientras|por\s+tanto|pues)\b",
    decides=r"\b(?:(?:yo\s+)?(?:elijo|elegiré|escojo|escogeré|selecciono|opto\s+por|voy\s+a\s+elegir|me\s+quedo\s+con)|mi\s+(?:elección|respuesta|decisión)(?:\s+final)?\s+es)\b",
    this=r"\b(?:est[eao]|es[eao]|lo|la|aquello)\b",
)
PORTUGUESE = Language(
    own=r"\b(?:eu|meu|minha|me|escolho|escolherei|opto|optarei|vou|seleciono|selecionarei|jogo|jogarei|fico|prefiro|decido)\b",
    other=r"\b(?:(?:(?:o|a|meu|seu)\s+)?(?:outr[oa](?:\s+(?:jogador\w*|pessoa|participante|lado))?|oponente|advers[aá]ri[oa]|parceir[oa]|rival)"
    r"|el[ea]s?|dele|seu|sua|escolherá\w*|optará\w*|selecionará\w*|jogará\w*)\b",
    choose=r"\b(?:escolh\w+|opt(?:o|a|ar|arei|ará)|selecion\w+|jog(?:o|a|ar|arei|ará|ada)|decid\w+|decisão|fico|ficar\w*|prefir\w+|prefer\w+|volta\w*|mud(?:a|ar|ará)|continu(?:a|ar|ará)|repet\w+|repit\w+|mant\w+|ir|irá)\b",
    expect=r"\b(?:espero|prevejo|previsão|predi\w+|aposto|prognóstico|antecipo)\b",
    likely=r"\b(?:provavel\w*|provável|vai|deve|próxim\w+|novamente|novo|será|acho|acredito|penso|suponho)\b",
    past=r"\b(?:últim\w+|anterior\w*|escolheu|optou|jogou|selecionou|até\s+agora)\b",
    no=r"\b(?:não|nunca|jamais|nem|evitar\w*)\b|\bem\s+vez\s+de\b",
    when=r"\b(?:se|caso|quando|talvez|poderia)\b",
    joins=r"\b(?:então|portanto|porque|pois|e|mas|por\s+isso|logo|assim|enquanto)\b",
    decides=r"\b(?:(?:eu\s+)?(?:escolho|escolherei|seleciono|opto\s+por|vou\s+escolher|fico\s+com)|minha\s+(?:escolha|resposta|decisão)(?:\s+final)?\s+é)\b",
    this=r"\b(?:iss[oa]|ess[ea]|est[ea]|isto)\b",
)
ITALIAN = Language(
    own=r"\b(?:io|mio|mia|mi|me|scelgo|sceglierò|opto|opterò|prendo|prenderò|seleziono|selezionerò|gioco|giocherò|decido|preferisco|vado)\b",
    other=r"\b(?:(?:il\s+mio\s+|il\s+|un\s+|l')?(?:altr[oa](?:\s+(?:giocatore|giocatrice|persona|parte))?|avversari[oa]|rivale|compagno)|lui|lei|loro|suo|sua|egli"
    r"|sceglierà|sceglieranno|opterà|giocherà|selezionerà|prenderà|scelga|partner)\b",
    choose=r"\b(?:sc[ei][gl]\w+|scelta|opt\w+|prend\w+|selezion\w+|gioc(?:o|a|are|herò|herà|hi)|decid\w+|decisione|preferi\w+|vado|mossa|torn\w+|cambi\w+|pass(?:a|erà)|rest(?:a|erà)|ripet\w+|mant\w+|rimarr\w+|rimane|continu\w+|andrà)\b",
    expect=r"\b(?:prevedo|previsione|prevedi\w*|aspetto|pronostic\w+|scommetto|predi\w+)\b",
    likely=r"\b(?:probabil\w+|prossim\w+|nuovo|ancora|sarà|dovrebbe|credo|penso|suppongo|immagino)\b",
    past=r"\b(?:ultim\w+|precedent\w*|ha\s+(?:\w+\s+)?(?:scelto|giocato|preso)|hanno\s+scelto|scelse|finora)\b",
    no=r"\b(?:non|mai|né|nemmeno|evitare)\b|\binvece\s+di\b|\bpiuttosto\s+che\b",
    when=r"\b(?:se|qualora|nel\s+caso|quando|forse|potrebbe)\b",
    joins=r"\b(?:quindi|perché|poiché|e|ma|perciò|dunque|mentre|così|allora)\b",
    decides=r"\b(?:(?:io\s+)?(?:scelgo|sceglierò|seleziono|opto\s+per|prendo)|la\s+mia\s+(?:scelta|risposta|decisione)(?:\s+finale)?\s+è)\b",
    this=r"\b(?:quest[oa]|quell[oa]|ciò|lo|la)\b",
)
RUSSIAN = Language(
    own=r"\b(?:я|мой|моя|мо[её]|моего|меня|мне|мы|выбираю|выберу|беру|возьму|решаю|предпочитаю|играю|сыграю)\b",
    other=r"\b(?:друг\w+(?:\s+(?:игрок\w*|сторон\w*|участник\w*))?|второ\w+\s+игрок\w*|соперник\w*|оппонент\w*|партн[её]р\w*|противник\w*|он|она|они|его|е[её]|их|ему"
    r"|выберет|выберут|сыграет|возьм[её]т|выбирает)\b",
    choose=r"\b(?:выб[оеи]\w+|выбор\w*|беру|берет|бер[её]т|возьм\w+|игра(?:ю|ет)|сыгра(?:ю|ет)|реша\w+|решени\w+|предпоч\w+|ход\w*|остан\w+|верн[уёе]\w*|перейд\w+|переключ\w+|повтор\w+|продолж\w+)\b",
    expect=r"\b(?:ожида\w+|предска\w+|прогноз\w*|предполага\w+|ставлю)\b",
    likely=r"\b(?:скорее\s+всего|вероятн\w+|наверн\w+|снова|опять|следующ\w+|будет|дума\w+|полагаю|счита\w+)\b",
    past=r"\b(?:прошл\w+|предыдущ\w+|выбра[лн]\w*|выбирал\w*|сыграл\w*|до\s+сих\s+пор|раньше)\b",
    no=r"\b(?:не|никогда|ни|нет|вместо)\b",
    when=r"\b(?:если|когда|в\s+случае|может\s+быть|возможно|бы)\b",
    joins=r"\b(?:поэтому|так\s+что|потому\s+что|и|но|а|значит|следовательно|так\s+как|поскольку)\b",
    decides=r"\b(?:я\s+)?(?:выбираю|выберу|беру)\b|\bмой\s+(?:выбор|ответ)\b|\bмо[её]\s+решение\b",
    this=r"\b(?:это\w*|его|е[её]|так)\b",
)
CHINESE = Language(
    own=r"我方?|自己|本人",
    other=r"对方|對方|对手|對手|对家|另一|另外一|其他玩家|其他人|他们|她们|他|她|搭档|同伴|队友|伙伴",
    choose=r"选|選|采取|採取|决定|決定|出|换|換|转|轉|回到|重复|重複|坚持|堅持|保持",
    expect=r"预测|預測|预计|預計|预期|推测|推測|预料|料|猜",
    likely=r"很可能|最可能|大概|应该|應該|会|會|将|將|下一|继续|再次|仍|认为|認為|觉得|估计|相信",
    past=r"上一?[轮輪次回局]|之前|过去|過去|选了|選了|选择了|選擇了|曾|前[几一两]|历史|以往|一直",
    no=r"不|没|沒|别|未必|而非|并非",
    when=r"如果|若|假如|要是|的话|的話|当.{1,20}时|除非|也许|或许|还是",
    joins=r"所以|因此|因为|因為|但|而(?!非)|并且|那么|于是|故|由于",
    decides=r"我(?:方|会|會|将|將|要|决定|決定|还是|的)*(?:选择|選擇|选|選)(?:是|:)?|我的(?:答案|决定|決定)(?:是|:)",
    this=r"这|此|该|它|那|這|該",
)
JAPANESE = Language(
    own=r"私|僕|俺|自分|わたし|こちら",
    other=r"相手|対戦者|他のプレイヤー|他方|もう(?:一人|片方|一方)|彼女?|パートナー|プレイヤー2|敵",
    choose=r"選|えら|します|しよう|出[すし]|取[るり]|決め|いきます|を採|手は|行動は|戻[るり]|変え|切り替え|繰り返|続け",
    expect=r"予想|予測|推測|見込",
    likely=r"おそらく|恐らく|たぶん|多分|きっと|次|可能性が高|また|今回も|再び|思[いう]|考え|でしょう|だろう|はず",
    past=r"前回|選んだ|選びました|選択しました|選んでい|これまで|過去|直前|前の|ばかり",
    no=r"(?<!違い)(?<!間違い)ない|ません|選ばず|せずに|避け",
    when=r"もし|なら(?!ば?い)|れば|場合|たら|かもしれ",
    joins=r"ので|(?<=す)から|ため、|(?<=す)が|だから|したがって|従って|そのため|よって|そこで|一方",
    decides=r"(?:を|に)(?:選び(?:ます|たい)|選択し(?:ます|たい)|します|決めます|決めました|選ぶ(?:$|\b|こと))",
    this=r"これ|それ|この|その|ように",
)
KOREAN = Language(
    own=r"(?<![가-힣])(?:저|나|제|내)(?:는|가|의|도)?(?=\s)|(?<![가-힣])(?:저는|나는|제가|내가|우리)",
    other=r"상대|다른\s?(?:플레이어|참가자|사람|쪽)|파트너|그(?:는|가|녀|들)|플레이어\s?2|적이|적은",
    choose=r"선택|고르|고를|고릅|골라|택하|택할|낼|내겠|하겠|결정|갑니다|가겠|돌아|바꾸|바꿀|반복|유지|고수",
    expect=r"예상|예측|추측|전망",
    likely=r"아마|다시|다음|가능성|것\s?같|것이|것입|거예요|겁니다|듯|계속|생각|봅니다",
    past=r"지난|이전|선택했|골랐|해왔|했으|했습|했다|그동안|지금까지",
    no=r"않|(?<![가-힣])안\s|못|아니|대신|말고",
    when=r"만약|만일|라면|다면|으면|하면|경우|수도\s있|지도\s",
    joins=r"므로|니까|때문에|그래서|따라서|지만|그러므로|그러니",
    decides=r"(?:를|을|으로|로)\s?(?:선택|고르|고릅|택|결정)\S{0,3}(?:겠|니다|게요|다)",
    this=r"이것|그것|이를|그렇게|이렇게|이걸|그걸",
)
ARABIC = Language(
    own=r"أنا|(?<!\w)(?:س|سوف )?أختار|اختياري|قراري|أفضل|(?<!\w)س?ألعب|إجابتي|جوابي",
    other=r"اللاعب\s+(?:الآخر|الثاني)|الخصم|خصمي|الطرف\s+الآخر|شريكي|الشريك|المنافس|منافسي|(?<!\w)(?:هو|هي|هم)(?!\w)|(?<!\w)(?:س|سوف )?[يت]ختار|سيلعب|يلعب|اختياره",
    choose=r"ختار|ختيار|لعب|قرار|س(?:يعود|ينتقل|يتحول|يأخذ)|كرر|ستمر",
    expect=r"توقع|تنبأ|تنبؤ|أرجح أن",
    likely=r"الأرجح|غالب|القادم|مرة\s+أخرى|المرجح|أعتقد|أظن|س[يت]ختار|المحتمل",
    past=r"السابق|الماضي|(?<!\w)(?:اختار|اختارت|لعب)(?!\w)|حتى الآن|الأخير",
    no=r"(?<!\w)(?:لا|لن|لم|ليس\w*|بدلا)(?!\w)",
    when=r"(?<!\w)(?:إذا|لو|إن|عندما|ربما|قد)(?!\w)|في حال",
    joins=r"لذلك|لذا|لأن|ولكن|لكن|بينما|وبالتالي|(?<=\s)و(?=س|أ)",
    decides=r"(?<!\w)(?:س|سوف )?أختار(?!\w)|(?:اختياري|إجابتي|جوابي|قراري)(?:\s+النهائي\w*)?\s+هو",
    this=r"هذا|هذه|ذلك",
)
HINDI = Language(
    own=r"मैं|मेर[ाीे]|मुझे|हम(?=\s)|चुनत[ाी]\s+ह[ूु]|चुन[ूु]",
    other=r"दूसर[ाेी]|प्रतिद्वंद्वी|विरोधी|साथी|सामने\s?वाल[ाे]|(?:^|\s)(?:वह|वे|वो|उस\S*|उन\S*)(?=\s)|अन्य खिलाड़ी|चुनेग[ाी]|चुनेंगे|प्रतिपक्षी",
    choose=r"चुन|उत्तर|जवाब|पसंद|खेल[ेूत]|निर्णय|फैसला|लूँगा|लेगा|लौट|बदल|दोहरा|रहेग",
    expect=r"भविष्यवाणी|अनुमान|उम्मीद|अपेक्षा|पूर्वानुमान",
    likely=r"संभवतः|संभावना|अगल|फिर|लगता|सोचत|मानना|चुनेग|चुनेंग|दोबारा",
    past=r"पिछल|चुना(?!व|\S*\s*(?:जाए|होग))|अब तक|पहले",
    no=r"नहीं|(?:^|\s)(?:न|मत)(?=\s)|बजाय",
    when=r"अगर|यदि|(?:^|\s)जब|शायद|सकत",
    joins=r"इसलिए|क्योंकि|लेकिन|(?<=\s)और(?=\s)|अतः",
    decides=r"(?:को\s+)?(?:चुनत[ाी]\s+ह[ूु]|चुन[ूु]\S*ग[ाी])|मेर[ाी]\s+(?:उत्तर|जवाब|चुनाव|निर्णय|पसंद)",
    this=r"यह|इसे|वही|इस",
)
FOREIGN = (
    GERMAN,
    FRENCH,
    SPANISH,
    PORTUGUESE,
    ITALIAN,
    RUSSIAN,
    CHINESE,
    JAPANESE,
    KOREAN,
    ARABIC,
    HINDI,
)
OPTION = (
    r"(?:l'|la\s+|l[ae]\s+|die\s+|a\s+|el\s+)?"
    r"(?:options?|opção|opcao|opción|opcion|opzione|auswahl|вариант\w*|опци[яюи]|选项|選項|選択肢|オプション|옵션|선택지|선택안|الخيار|خيار|विकल्प|ऑप्शन)"
)
"""The word *option*."""
ANSWERS = (
    r"(?:(?:meine|endgültige|finale|ma|la|le|mon|mi|su|minha|a|la\s+mia|il|мой|мо[её]|итоговый|окончательный|我的|最终|最終|私の|최종|저의|제|나의|अंतिम|मेर[ाी]|आखिरी)\s*){0,3}"
    r"(?:antwort|wahl|entscheidung|réponse(?:\s+finale)?|choix(?:\s+final)?|décision|respuesta(?:\s+final)?|elección(?:\s+final)?|decisión(?:\s+final)?"
    r"|resposta(?:\s+final)?|escolha(?:\s+final)?|decisão(?:\s+final)?|risposta(?:\s+(?:finale|definitiva))?|scelta(?:\s+(?:finale|definitiva))?|decisione(?:\s+(?:finale|definitiva))?"
    r"|ответ|выбор|решение|答案|答え|回答|选择|選擇|决定|決定|選択|結論|结论|답변|정답|대답|답|선택|결정"
    r"|الإجابة|الاجابة|الجواب|إجابتي|جوابي|اختياري|الاختيار|القرار|قراري|उत्तर|जवाब|चुनाव|निर्णय|पसंद)(?:\s*(?:النهائية|النهائي))?"
)
"""Titles of an answer in other languages."""
FORECASTS = (
    r"(?:(?:meine|ma|la|mi|minha|a|il\s+mio|la\s+mia|mio|мой|мо[её]|我的|私の|나의|제|मेर[ाी])\s*){0,2}"
    r"(?:vorhersage|prognose|erwartung|prédiction|prévision|pronostic|predicción|pronóstico|previsión|previsão|predição|prognóstico|previsione|pronostico|predizione"
    r"|прогноз|предсказание|预测|預測|预计|予想|予測|예측|예상|التوقع|توقعي|توقع|التنبؤ|تنبؤي|भविष्यवाणी|अनुमान|पूर्वानुमान)"
)
"""Titles of a prediction in other languages."""


@cache
def pattern(words: str) -> re.Pattern[str]:
    """``words`` compiled, in the form of letters that readers give a reply; empty words are never found."""
    return re.compile(normalize("NFKC", words) or "(?!)", re.IGNORECASE)


WIDE = "\u0600-\u06ff\u0900-\u097f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Letters of scripts that are written on to a name in other letters, without a space."""
LETTER = rf"[^\W{WIDE}]"
NAME_ENDS = rf"(?!{LETTER}|[-'’]\w|\+|[.,:]\d|\s?%)"
"""The end of a name."""
AFTER_WORD = rf"(?!'(?=\s*$)){NAME_ENDS}"
"""The end of a name that is stated, not quoted."""
WRAPPED = " \t\n.,:;!'\"()[]{}*<>"
PLAIN_WORDS = frozenset({"a", "i", "o", "e", "y", "u"})
"""Labels of one letter that are also words."""


class Mention(NamedTuple):
    """One naming of an option: where it begins, with the word *option*; where its label begins and ends; the label."""

    start: int
    at: int
    end: int
    label: str


def fold_text(text: Any) -> str:
    """``text`` without capitals, hyphens, quotation marks and brackets around it."""
    words = " ".join(normalize("NFKC", str(text)).casefold().replace("-", " ").split())
    return words.strip(" .'\"()[]*")


def named(slot: Any, labels: Sequence[str]) -> str | None:
    """The label that ``slot`` is, alone or behind ``A:`` and the word *option*.

    >>> named("A: Option j.", ("J", "F")), named("Cooperate", ("J", "F"))
    ('J', None)
    """
    bare = re.sub(rf"^(?:a\s?:\s*)?(?:{OPTION}\s*:?\s*)?", "", fold_text(slot), flags=re.IGNORECASE)
    return next(
        (label for label in labels if fold_text(label) in (bare.strip(WRAPPED), fold_text(slot))), None
    )


def mentions(text: str, labels: Sequence[str]) -> list[Mention]:
    """Every naming of an option in ``text``, in order.

    A label of one letter has its own case, unless the word *option* comes before it. Labels that are numbers or words of
    one letter (*a*, *I*) need that word, or the end of a phrase behind them.

    >>> [mention.label for mention in mentions("我选择选项F。 I am at J, not at j.", ("J", "F"))]
    ['F', 'J']
    """
    by_name = {fold_text(label): label for label in labels}
    mentioned: list[Mention] = []
    for match in _names(tuple(labels)).finditer(text):
        label = by_name[fold_text(match["label"])]
        if match["option"] is None:
            if len(label) == 1 and match["label"] != label:
                continue
            odd = label.isdigit() or label.casefold() in PLAIN_WORDS
            if odd and not re.match(r"\s*(?:[.,;!?)\]'\"。、]|$)", text[match.end() :][:4]):
                continue
        mentioned.append(Mention(match.start(), match.start("label"), match.end(), label))
    return mentioned


@lru_cache(maxsize=256)
def _names(labels: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(
        rf"(?<!{LETTER})(?<!\w')(?:(?P<option>{OPTION}\s?:?\s?['(\[]?\s?)|(?<!{LETTER}))(?P<label>{alternatives(labels)}){NAME_ENDS}",
        re.IGNORECASE,
    )


def alternatives(labels: Sequence[str]) -> str:
    """The labels as alternatives of a regular expression, the longest first."""
    ordered = sorted(labels, key=len, reverse=True)
    return "|".join(re.escape(label).replace(r"\ ", r"[\s-]+") for label in ordered)


def replace_names(text: str, names: Mapping[str, str]) -> str:
    """``text`` with every name of an option in a game in place of its label.

    ``names`` maps names to labels: *cooperate* to *J*.

    >>> replace_names("I will cooperate.", {"cooperate": "J"}), replace_names("A: Cooperate", {"cooperate": "J"})
    ('I will choose Option J.', 'A: Option J')
    """
    if not names:
        return text
    by_name = {name.casefold(): label for name, label in names.items()}
    words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))

    def option(match: re.Match[str]) -> str:
        lead = f"{match['lead']}choose " if match["lead"] else match["option"] or ""
        return f"{lead}Option {by_name[match['name'].casefold()]}"

    names_in_words = (
        rf"(?P<lead>\b(?:will|would|shall|should|to|'ll|going to)\s+)?(?P<option>Option\s+)?"
        rf"(?<!\w)(?P<name>{words})(?!\w)"
    )
    return re.sub(
        names_in_words,
        lambda match: option(match).replace("Option Option", "Option"),
        text,
        flags=re.IGNORECASE,
    )


def without_supposition(text: str, label: str) -> str:
    """``text`` without clauses that repeat the supposition of a policy question, such as ``if I choose Option J``.

    >>> without_supposition("If I choose Option J in this round, they will choose Option F.", "J")
    ' they will choose Option F.'
    """
    clause = (
        r"(?:if|when|once|after|assuming(?: that)?|suppose|supposing|given that|in case)\s+(?:i|you|we)\s+(?:now\s+)?"
        r"(?:choose|chose|pick|picked|play|played|select|selected|go with|went with|take|took)\s+(?:option\s+)?"
        rf"[\"'*]*{re.escape(label)}[\"'*]*(?!\w)(?:\s+(?:in\s+)?(?:this|the current|the present)\s+round|\s+in\s+round\s+\d+"
        r"|\s+now|\s+this time)?(?:,?\s+then)?[,:]?"
    )
    return re.sub(rf"(?<!\w){clause}", "", text, flags=re.IGNORECASE)


def shown_names(prompt: str, labels: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """The game's own ``names`` of the options, if ``prompt`` shows each beside its label; empty otherwise.

    The first letters of the names count as names where the prompt shows these beside the labels.

    >>> shown_names("Option J (cooperate) or Option F (defect)?", ("J", "F"), ("cooperate", "defect"))
    {'cooperate': 'J', 'defect': 'F'}
    >>> shown_names("Do you cooperate? Option J or Option F?", ("J", "F"), ("cooperate", "defect"))
    {}
    """
    for in_prompt in (names, [name[:1].upper() for name in names]):
        pairs = dict(zip(in_prompt, labels, strict=False))
        fresh = {name.casefold() for name in pairs}.isdisjoint(label.casefold() for label in labels)
        if fresh and len(pairs) == len(labels) and all(_beside(prompt, *pair) for pair in pairs.items()):
            return pairs
    return {}


OTHER_CASES = {"i": {"ı", "İ"}, "k": {"\N{KELVIN SIGN}"}, "s": {"ſ"}, "å": {"\N{ANGSTROM SIGN}"}}
"""Letters that regular expressions take for the same, beside a letter's own two cases."""


def _beside(prompt: str, name: str, label: str) -> bool:
    """Whether ``prompt`` links ``name`` and ``label`` directly: ``J (cooperate)``, ``J = cooperate``, ``J means cooperate``."""
    return any(
        pattern.match(prompt, place.start())
        for pattern, start in (_link(label, name), _link(name, label))
        for place in start.finditer(prompt)
    )


@lru_cache(maxsize=256)
def _link(before: str, after: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What links ``before`` with ``after``, and how that starts.

    The second pattern passes over most of a long prompt: one that ignores case, as the first, tries every place. It looks
    behind after it has matched, since a pattern that begins with a look behind tries every place too.
    """
    link = r"['\"*]*\s*(?:\(|\[|=|:|->|→|,?\s*(?:which\s+)?(?:means?|is|stands\s+for|called|meaning))\s*['\"*]*(?:to\s+)?(?:option\s+)?"
    whole = re.compile(rf"(?<!\w){re.escape(before)}{link}{re.escape(after)}(?!\w)", re.IGNORECASE)
    letters = "".join(
        f"[{re.escape(''.join(sorted({c, c.lower(), c.upper()} | OTHER_CASES.get(c.lower(), set()))))}]"
        for c in before
    )
    return whole, re.compile(
        rf"{letters}(?<!\w{letters})" + r"(?=['\"*]*\s*(?:[(\[=:→]|->|,?\s*(?i:which|mean|is|stands|called)))"
    )
