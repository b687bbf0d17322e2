# ruff: noqa: E501  a pattern is read best in one piece
"""The rows of Spanish, Italian and Korean; `words` explains a row."""

from __future__ import annotations

from agent.understanding.messages.kinds import Talk, Topic
from agent.understanding.messages.words import cue, language

_ES_DATA = r"\b(?:datos|bases?(?: de datos)?|bd|tablas?|informaci[óo]n)\b"

SPANISH = language(
    "es",
    talk={
        Talk.GREETING: r"(?:hola|buenas|buenos días|buen día|buenas (?:tardes|noches)|hey)(?: (?:a todos|plumbline|amigo|amiga|qué tal|de nuevo))*"
            r"|hay alguien(?: ahí)?|mucho gusto|encantad[oa]",
        Talk.WELLBEING: r"(?:cómo|como) (?:estás|estas|está|van las cosas|te va|andas|te sientes)(?: (?:hoy|usted))?|(?:qué|que) (?:tal|hay|pasa)"
            r"(?: (?:estás|hoy|de nuevo))?|todo bien|estás bien",
        Talk.THANKS: r"(?:ok |vale |perfecto |genial |no |muy bien )*(?:muchas |mil |muchísimas )?gracias(?: (?:por (?:todo|tu|su|la|el|las)(?: \w+)?"
            r"|a ti|de nuevo|igualmente))*|te lo agradezco|(?:muy amable|qué amable)(?: de tu parte)?",
        Talk.FAREWELL: r"(?:adiós|adios|chao|chau|hasta (?:luego|mañana|pronto|la vista|la próxima)|nos vemos(?: \w+)?|buenas noches|que tengas? "
            r"(?:un )?buen (?:día|fin de semana)|cuídate)",
        Talk.AGREEMENT: r"(?:(?:ok|okay|vale|bien|muy bien|sí|si|no|genial|perfecto|excelente|estupendo|entendido|entiendo|ya veo|de acuerdo|claro"
            r"|exacto|correcto|eso es todo|está bien|buen trabajo|bravo|de nada|no pasa nada|qué bien|me gusta|te quiero|perdón|lo siento"
            r"|un momento|espera|(?:eres|es usted) (?:\w+ )?(?:genial|tonto|inútil|listo|gracioso|increíble|el mejor)|interesante)(?: |$))+",
        Talk.WHO: r"(?:quién|quien) (?:eres(?: tú)?|es usted|te (?:creó|hizo|ha creado))|(?:cómo|como) te llamas|(?:cuál|cual) es tu nombre"
            r"|eres (?:un|una) (?:humano|robot|bot|ia|máquina|persona)|(?:qué|que) eres|cuántos años tienes|preséntate|qué es plumbline|hablas \w+",
        Talk.HELP: r"ayuda(?: por favor)?|ayúdame|(?:me )?puedes ayudar(?:me)?|(?:qué|que) (?:puedes|puedo|sabes|se puede|podemos|podría)"
            r"(?: (?:hacer|preguntar|preguntarte|responder|por mí|aquí|saber))*|(?:qué|que) (?:tipo de )?preguntas (?:puedo|se pueden|podemos)"
            r"(?: (?:hacer|hacerte|preguntar|aquí))*|(?:cómo|como) (?:funciona|funcionas|se usa|te uso)(?: (?:esto|aquí))?"
            r"|(?:dame|muéstrame) (?:unos |algunos |un )?ejemplos?(?: de preguntas?)?|ejemplos?(?: de preguntas)?|tengo una pregunta|qué es esto|(?:para qué|de qué) sirves",
        Talk.CHATTER: r"(?:cuéntame|dime|canta|escribe) (?:un|una|otro) (?:\w+ )?(?:chiste|historia|poema|canción)|(?:qué|que) (?:tiempo|clima) hace(?: \w+){0,2}"
            r"|(?:cómo|como) está el (?:tiempo|clima)(?: hoy)?|(?:qué|que) hora es|estoy (?:aburrid[oa]|cansad[oa]|triste|feliz)"
            r"|tengo (?:hambre|sed|sueño)|me llamo \w+|te gusta \w+|cuál es el sentido de la vida|prueba|cállate|qué debo comer",
    },
    cues=(
        cue(Topic.DEFINED, r"^d[óo]nde\b", r"\b(?:defin(?:e|ido|ida|idos|idas)|documentad[oa]s?|descrit[oa]s?|explica)\b"),
        cue(Topic.DEFINED, r"^qu[ée] (?:documento|archivo|fichero)\b", r"\b(?:define|explica|describe)\b"),
        cue(Topic.KEYS, r"\b(?:claves?|llaves?)(?: (?:primarias?|foráneas?|ajenas?|externas?))?\b"),
        cue(Topic.KEYS, r"^c[óo]mo\b", r"\b(?:relacionad[oa]s?|relacionan|conectad[oa]s?|unen|uno|unir|conecta)\b"),
        cue(Topic.KEYS, r"\brelaci(?:ón|ones)\b", r"\b(?:entre|hay|existe|existen)\b"),
        cue(Topic.FRESHNESS, r"\b(?:actualizad[oa]s?|recientes|frescos|al día|actuales|antiguos)\b", r"\b(?:est[áa]n?|son|cu[áa]n|qu[ée] tan|cu[áa]ndo|se)\b", _ES_DATA),
        cue(Topic.FRESHNESS, r"\bcu[áa]ndo\b", r"\b(?:actualiz\w+|carg\w+|import\w+)\b", _ES_DATA),
        cue(Topic.FRESHNESS, r"\b(?:per[íi]odo|rango|años|fechas)\b", r"\b(?:cubren?|abarcan?|contienen?|incluyen?|tienen?)\b", _ES_DATA),
        cue(Topic.SIZES, r"\b(?:tamaño|qu[ée] tan grandes?|cu[áa]ntas filas)\b", _ES_DATA),
        cue(Topic.COLUMNS, r"\bcu[áa]nt[ao]s (?:columnas|campos)\b"),
        cue(Topic.WHERE, r"^(?:en )?qu[ée] (?:tabla|columna|campo)\b", r"\b(?:est[áa]n?|contiene|tiene|guarda|hay|encuentra|encuentro)\b"),
        cue(Topic.WHERE, r"^d[óo]nde\b", r"\b(?:guarda|guardan|almacena|almacenan|est[áa]|encuentro|guardad[oa]s?|almacenad[oa]s?)\b"),
        cue(Topic.COLUMNS, r"\b(?:columnas?|campos?|atributos?)\b"),
        cue(Topic.MEANING, r"\bqu[ée]\b", r"\b(?:significan?|quieren? decir|representan?)\b"),
        cue(Topic.MEANING, r"\b(?:significado|definición)\b"),
        cue(Topic.MEANING, r"^(?:define|explica|explícame|defina)\b"),
        cue(Topic.MEANING, r"^c[óo]mo se\b", r"\b(?:define[n]?|calculan?|miden?|determinan?)\b"),
        cue(Topic.MEANING, r"^qu[ée] es una?\b"),
        cue(Topic.DESCRIBE, r"^(?:describe|describa|explica|descríbeme|háblame)\b"),
        cue(Topic.DESCRIBE, r"\b(?:esquema|estructura|descripción)\b"),
        cue(Topic.DESCRIBE, r"^qu[ée]\b", r"\b(?:contiene|hay|tiene|contienen)\b", r"\btablas?\b"),
        cue(Topic.TABLES, r"\btablas\b"),
        cue(Topic.OVERVIEW, r"\b(?:esquema|estructura|modelo de datos)\b"),
        cue(Topic.OVERVIEW, r"^(?:qu[ée]|cu[áa]les|describe|muestra|muéstrame|de qu[ée]|sobre qu[ée])\b", _ES_DATA),
    ),
    fillers="""
        el la los las lo un una unos unas de del en es son está están fue hay ha han tiene tienen tienes tengo contiene contienen
        qué que cuál cuáles cual cuales quién cómo como dónde donde cuándo cuándo por para con y o e a al sobre entre se me te nos mi
        tu su nuestra nuestro esta este estas estos aquí existen existe disponibles disponible datos base bases bd tabla tablas
        columna columnas campo campos nombre nombres muestra muéstrame lista listar dame dime enseña todas todos toda todo cada favor
        palabra término valor información puedo puedes consultar saber exactamente tipo tipos trata sí última vez fueron entre
        significa ellas ellos tan cuántas cuántos cuantas hola
    """,
)  # fmt: skip

_IT_DATA = r"\b(?:dati|base(?: di)? dati|database|db|tabell[ae]|informazioni)\b"

ITALIAN = language(
    "it",
    talk={
        Talk.GREETING: r"(?:ciao|salve|buongiorno|buon giorno|buonasera|buona sera|buon pomeriggio|ehi|hey)(?: (?:a tutti|plumbline|di nuovo|a te))*"
            r"|c['’]è qualcuno|piacere(?: di conoscerti)?",
        Talk.WELLBEING: r"come (?:stai|sta|va|state|te la passi|ti senti)(?: oggi)?|tutto (?:bene|ok|a posto)|stai bene|che si dice|come va la vita",
        Talk.THANKS: r"(?:ok |va bene |perfetto |no |bene )*(?:grazie|ti ringrazio|la ringrazio)(?: (?:mille|tante|infinite|molte|a te|di tutto|ancora|per (?:tutto|il|la|l['’])"
            r"(?: ?\w+)?))*|(?:molto|sei stato molto) (?:gentile|utile)|(?:mille|tante|molte) grazie",
        Talk.FAREWELL: r"(?:arrivederci|addio|a (?:presto|domani|dopo|più tardi)|ci vediamo(?: \w+)?|buona (?:notte|giornata|serata)|buonanotte"
            r"|buon (?:fine settimana|weekend)|alla prossima|stammi bene)",
        Talk.AGREEMENT: r"(?:(?:ok|okay|va bene|bene|molto bene|benissimo|sì|si|no|perfetto|ottimo|fantastico|bello|capito|ho capito|capisco|certo|esatto|giusto"
            r"|d['’]accordo|è tutto|questo è tutto|bravo|bravissimo|prego|di niente|nessun problema|scusa|mi dispiace|un momento|aspetta|ti amo"
            r"|buon lavoro|sei (?:\w+ )?(?:bravo|fantastico|stupido|inutile|simpatico|il migliore|grande)|interessante|non importa)(?: |$))+",
        Talk.WHO: r"chi (?:sei(?: tu)?|è lei|ti ha (?:creato|fatto))|come ti chiami|qual è il tuo nome|sei (?:un|una|un['’]) ?(?:umano|robot|bot|ia|macchina|persona)"
            r"|(?:che )?cosa sei|quanti anni hai|presentati|che cos['’]è plumbline|cos['’]è plumbline|parli \w+",
        Talk.HELP: r"aiuto|aiutami|(?:mi )?puoi aiutar(?:e|mi)|(?:che cosa|cosa|che) (?:puoi|posso|sai|si può|possiamo)(?: (?:fare|chiedere|chiederti|rispondere|per me|qui|sapere))*"
            r"|(?:che|quali) (?:tipo di |tipi di )?domande (?:posso|si possono|possiamo)(?: (?:fare|farti|chiedere|qui|porre))*|come (?:funziona|funzioni|si usa|ti uso)(?: (?:questo|qui))?"
            r"|(?:dammi|mostrami|fammi) (?:degli |alcuni |un |qualche )?esemp(?:i|io)(?: di domand[ae])?|esempi(?: di domande)?|ho una domanda|a (?:che(?: cosa)?|cosa) servi|(?:che )?cos['’]è questo",
        Talk.CHATTER: r"(?:raccontami|dimmi|canta|scrivi|raccontaci) (?:una|un['’]?|un) ?(?:\w+ )?(?:barzelletta|storia|poesia|canzone)|che tempo fa(?: \w+){0,2}|com['’]è il tempo(?: oggi)?"
            r"|che ore? (?:è|sono)|sono (?:annoiat[oa]|stanc[oa]|triste|felice)|ho (?:fame|sete|sonno)|mi annoio|mi chiamo \w+|ti piace \w+|qual è il senso della vita|prova|test|stai zitto",
    },
    cues=(
        cue(Topic.DEFINED, r"^dov['’]?e?\b", r"\b(?:definit[oaie]|documentat[oaie]|descritt[oaie]|spiegat[oaie])\b"),
        cue(Topic.DEFINED, r"^(?:quale|che) (?:documento|file)\b", r"\b(?:definisce|spiega|descrive)\b"),
        cue(Topic.KEYS, r"\bchiav[ei](?: (?:primari[ae]|estern[ae]))?\b"),
        cue(Topic.KEYS, r"^come\b", r"\b(?:collegat[oaie]|legat[oaie]|correlat[oaie]|unire|collegare|relazionan?o?)\b"),
        cue(Topic.KEYS, r"\brelazion[ei]\b", r"\b(?:tra|fra|ci|esistono|delle)\b"),
        cue(Topic.FRESHNESS, r"\b(?:aggiornat[oaie]|recenti|attuali|vecchi)\b", r"\b(?:quanto|sono|quando|stat[oaie])\b", _IT_DATA),
        cue(Topic.FRESHNESS, r"\b(?:periodo|intervallo|anni|date)\b", r"\b(?:coprono|copre|coperto|contengono|vanno|riguardano)\b", _IT_DATA),
        cue(Topic.SIZES, r"\b(?:dimension[ei]|quanto (?:è )?grand[ei]|quante righe)\b", _IT_DATA),
        cue(Topic.COLUMNS, r"\bquant[ei] (?:colonne|campi)\b"),
        cue(Topic.WHERE, r"^(?:in )?(?:quale|che) (?:tabella|colonna|campo)\b", r"\b(?:contiene|ha|trova|trovo|è|sono|si trova)\b"),
        cue(Topic.WHERE, r"^dov['’]?e?\b", r"\b(?:memorizzat[oaie]|salvat[oaie]|trovo|trova|trovano|conservat[oaie])\b"),
        cue(Topic.COLUMNS, r"\b(?:colonn[ae]|camp[oi]|attribut[oi])\b"),
        cue(Topic.MEANING, r"\b(?:cosa|che)\b", r"\b(?:significa(?:no)?|vuol dire|vogliono dire|rappresenta(?:no)?)\b"),
        cue(Topic.MEANING, r"\b(?:significato|definizione)\b"),
        cue(Topic.MEANING, r"^(?:definisci|spiega(?:mi)?)\b"),
        cue(Topic.MEANING, r"^com['’]?e? (?:è|viene|vengono|sono|si)\b", r"\b(?:definit[oaie]|calcolat[oaie]|misurat[oaie]|calcola|definisce)\b"),
        cue(Topic.MEANING, r"^(?:che )?cos['’]è un['’]?a?o?\b"),
        cue(Topic.DESCRIBE, r"^(?:descrivi(?:mi)?|spiega(?:mi)?|parlami)\b"),
        cue(Topic.DESCRIBE, r"\b(?:schema|struttura|descrizione)\b"),
        cue(Topic.DESCRIBE, r"^(?:che )?(?:cosa|che|quali dati)\b", r"\b(?:contiene|c['’]è|ci sono|ha)", r"\btabell[ae]\b"),
        cue(Topic.TABLES, r"\btabelle\b"),
        cue(Topic.OVERVIEW, r"\b(?:schema|struttura|modello dei dati)\b"),
        cue(Topic.OVERVIEW, r"^(?:che|cosa|quali|descrivi|mostra|mostrami|di cosa|di che)\b", _IT_DATA),
    ),
    fillers="""
        il lo la i gli le l un uno una di del dello della dei degli delle d in nel nella nei nelle è sono era ha hai hanno ho abbiamo c ci c'è
        che cosa cos quale quali chi come com dove dov quando quanto quante quanti per con e ed o a al alla ai alle su sul tra fra si mi ti
        mio tuo vostro nostra nostro questa questo queste questi qui esistono esiste disponibili disponibile dati dato base database db
        tabella tabelle colonna colonne campo campi nome nomi mostra mostrami elenca dammi dimmi tutte tutti tutta tutto ogni favore
        parola termine valore informazioni posso puoi interrogare sapere esattamente tipo tipi parla tratta contiene contengono loro
        stati stata state stato volta ultima presenti ciao
    """,
)  # fmt: skip

_KO_DATA = r"(?:데이터(?:베이스|셋)?|디비|테이블|자료|정보)"

KOREAN = language(
    "ko",
    talk={
        Talk.GREETING: r"(?:안녕(?:하세요|하십니까|히 주무셨어요)?|반가워요?|반갑습니다|하이|헬로|좋은 (?:아침|저녁|오후)(?:이에요|입니다)?|여보세요|거기 누구 있(?:나요|어요))",
        Talk.WELLBEING: r"(?:잘 지내(?:세요|요|니|고 있어요?)?|어떻게 지내(?:세요|요|니)?|오늘 (?:기분|하루)(?:은|는)? ?어때요?|기분(?:은|이)? ?어때요?|별일 없(?:으세요|어요|니)|괜찮(?:아요|으세요))",
        Talk.THANKS: r"(?:네 |아 |정말 |너무 |대단히 |진짜 )*(?:감사(?:합니다|해요|드립니다|해)?|고마워요?|고맙습니다|땡큐|도움이 (?:됐|되었)(?:어요|습니다))(?: (?:정말|많이))?",
        Talk.FAREWELL: r"(?:안녕히 (?:계세요|가세요)|잘 (?:가|있어|자)요?|다음에 (?:봐|뵙겠습니다|봐요|만나요)|또 (?:봐|만나|뵙)요?|바이(?:바이)?|좋은 하루(?: 보내세요| 되세요)?|내일 (?:봐|뵙)요?|수고하세요)",
        Talk.AGREEMENT: r"(?:(?:네|예|응|아니요?|아뇨|좋아요?|좋습니다|좋네요|알겠(?:습니다|어요|어)|알았어요?|이해했(?:습니다|어요)|그렇군요|완벽(?:해요|합니다|하네요)|훌륭(?:해요|합니다|하네요)"
            r"|대단(?:해요|하네요|합니다)|잘했어요?|맞아요?|맞습니다|됐어요?|괜찮아요?|괜찮습니다|오케이|오키|ok|최고(?:예요|야|에요)?|멋져요?|멋지네요|사랑해요?|미안(?:해요|합니다)?|죄송(?:해요|합니다)?"
            r"|잠깐만요?|잠시만요?|그게 다(?:예요|야|입니다)|천만에요|바보|재미있(?:네요|어요)|하하+|ㅋ+|ㅎ+)(?: |$))+",
        Talk.WHO: r"(?:(?:너는?|넌|당신은?|자네는?) ?)?(?:누구(?:야|니|세요|예요|입니까|인가요|냐)|뭐(?:야|니|예요)|이름이? ?(?:뭐(?:야|니|예요|에요)|무엇인가요)|몇 살(?:이야|이에요|이니)|사람(?:이야|이에요|인가요|입니까)|로봇(?:이야|이에요|인가요|입니까))|자기소개(?: ?해 ?(?:줘|주세요))?|누가 (?:너를|당신을) 만들었(?:어|나요|어요)|플럼라인(?:이|은)? ?(?:뭐야|무엇인가요|뭔가요)",
        Talk.HELP: r"(?:도움말?|도와 ?(?:줘|주세요|줄래|줄 수 있(?:어|나요|어요))|무엇을 (?:할 수 있(?:나요|어요|니|습니까)|물어볼 수 있(?:나요|어요)|도와줄 수 있(?:나요|어요))|뭘 (?:할 수 있(?:어|어요|니|나요)|물어볼 수 있(?:어|어요|나요)|물어보면 (?:돼|되나요|돼요)|해 ?줄 수 있(?:어|어요|나요))"
            r"|어떤 질문(?:을|을 할|을 해도|이)? ?(?:할 수 있(?:나요|어요|어|을까요)|가능(?:해|한가요|해요)|하면 (?:돼요|되나요))|어떻게 (?:사용(?:해|하나요|하는 ?거야|하죠)|쓰는 ?거(?:야|예요)|작동(?:해|하나요))|사용법(?:을? ?알려 ?(?:줘|주세요))?|예시(?:를)?(?: 질문)?(?: ?(?:보여|알려) ?(?:줘|주세요))?|예를 들어 ?(?:줘|주세요)|질문이 있(?:어요|습니다|어)|이게 뭐(?:야|예요|에요))",
        Talk.CHATTER: r"(?:농담(?:을|이나)? ?(?:하나)? ?(?:해 ?(?:줘|주세요)|들려 ?(?:줘|주세요))|재미있는 (?:이야기|얘기)(?:를)? ?(?:해|들려) ?(?:줘|주세요)|노래(?:를)? ?불러 ?(?:줘|주세요)|(?:오늘|내일)? ?날씨(?:가|는)? ?(?:어때요?|어떤가요|어떻습니까)|지금 몇 시(?:야|예요|에요|인가요)?|몇 시(?:야|예요|에요|인가요)|심심(?:해요?|하다)|배고파요?|피곤해요?|졸려요?|내 이름은 .{1,10}|오늘 뭐 먹(?:을까요?|지)|테스트|시끄러워|인생의 의미(?:가|는)? ?(?:뭐야|무엇인가요))",
    },
    cues=(
        cue(Topic.DEFINED, r"어디(?:에|에서|서)?", r"(?:정의(?:되어|돼|가)?|설명(?:되어|돼)?|문서화)\S*"),
        cue(Topic.DEFINED, r"(?:어떤|어느) (?:문서|파일)\S*", r"(?:정의|설명)\S*"),
        cue(Topic.KEYS, r"(?:기본 ?키|외래 ?키|주 ?키|프라이머리 키|키가|키는|키를)\S*"),
        cue(Topic.KEYS, r"(?:관계|연결|조인|관련)\S*", r"(?:어떻게|무엇|뭐|보여|알려|설명)\S*"),
        cue(Topic.FRESHNESS, r"(?:얼마나|언제)", r"(?:최신|업데이트|갱신|새로|오래)\S*", _KO_DATA + r"\S*"),
        cue(Topic.FRESHNESS, r"(?:기간|범위|연도)\S*", r"(?:어떻게|무엇|뭐|언제|어느|어떤|얼마)\S*", _KO_DATA + r"\S*"),
        cue(Topic.FRESHNESS, r"언제부터", r"언제까지\S*"),
        cue(Topic.FRESHNESS, r"언제(?:부터|까지)\S*", _KO_DATA + r"\S*"),
        cue(Topic.FRESHNESS, _KO_DATA + r"\S*", r"최신\S*", r"(?:인가요|입니까|이야|이에요|인지)?$"),
        cue(Topic.SIZES, r"(?:얼마나 (?:커|크|큰|많)\S*|크기\S*|규모\S*)", _KO_DATA + r"\S*"),
        cue(Topic.SIZES, r"(?:각|모든|테이블별) ?(?:테이블)?\S*", r"(?:행|레코드)\S*", r"(?:몇|수)\S*"),
        cue(Topic.WHERE, r"(?:어느|어떤|무슨) (?:테이블|컬럼|열)(?:에|에서)\S*", r"(?:있|저장|들어|찾)\S*"),
        cue(Topic.WHERE, r"어디(?:에|에서|서)?", r"(?:저장|보관|찾을|있나요|있어|있습니까|들어)\S*"),
        cue(Topic.COLUMNS, r"(?:컬럼|칼럼|열|필드|속성)(?:이|은|는|을|를|들|들이|들은|명|에는|의)?(?= |$|\?)"),
        cue(Topic.MEANING, r"(?:무슨|어떤) (?:뜻|의미)\S*"),
        cue(Topic.MEANING, r"(?:뜻|의미|정의)(?:는|은|이|가|를|을)?(?= |$|\?)", r"(?:뭐|무엇|알려|설명|뭔|어떻게)\S*"),
        cue(Topic.MEANING, r"무엇을 (?:의미|뜻)\S*"),
        cue(Topic.MEANING, r"어떻게 (?:정의|계산|측정|산출)\S*"),
        cue(Topic.DESCRIBE, r"(?:설명|소개)\S*"),
        cue(Topic.DESCRIBE, r"(?:구조|스키마)\S*"),
        cue(Topic.DESCRIBE, r"(?:무엇|뭐|뭐가|무엇이|어떤 (?:데이터|정보)\S*)", r"테이블\S*", r"(?:있|들어|포함|담)\S*"),
        cue(Topic.TABLES, r"테이블\S*", r"(?:어떤|무슨|몇|뭐|무엇|목록|보여|알려|있|나열|전부|모두)\S*"),
        cue(Topic.OVERVIEW, r"(?:구조|스키마)\S*"),
        cue(Topic.OVERVIEW, r"(?:어떤|무슨|뭐|무엇|설명|소개)\S*", _KO_DATA + r"\S*"),
    ),
    fillers="""
        이 그 저 이것은 이건 이게 여기 여기에 여기에는 있나요 있어 있어요 있습니까 있는지 있니 있는 있지 무엇 무엇이 무엇인가요 무엇입니까 뭐 뭐가 뭐야 뭐예요 뭐에요
        뭔가요 뭐지 어떤 무슨 어느 어떻게 되나요 되어 돼 됩니까 되는지 되어있나요 알려줘 알려주세요 알려 줘 주세요 보여줘 보여주세요 보여 나열해줘 나열해 말해줘 설명해줘
        설명해주세요 설명해 데이터 데이터는 데이터가 데이터를 데이터베이스 데이터베이스는 데이터베이스에 데이터베이스에는 데이터베이스의 데이터셋 디비 테이블 테이블은
        테이블이 테이블을 테이블의 테이블에 테이블에는 테이블들은 테이블들 테이블과 테이블에서 테이블별 컬럼 컬럼은 컬럼이 컬럼의 열 열은 열이 필드 전체 모든 모두 각 각각 몇 몇개 개 개의 개가
        개나 대해 대해서 대한 관한 사이의 사이에 간의 서로 좀 은 는 이 가 을 를 의 와 과 에 에서 에는 수 목록 이름 담고 들어 포함 가지고 마지막으로 인가요 입니까 이야
        이에요 값 값은 값이 용어 단어 있는가 합니까 하나요 해줘 요 관계 관계는 무엇을 언제 최근에 이름은
    """,
    endings=r"(?:이란|란|에는|에서|으로|이라는|라는|과의|와의|은|는|이|가|을|를|의|에|와|과|로|도)$",
)  # fmt: skip
