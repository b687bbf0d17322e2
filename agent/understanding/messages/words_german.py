# ruff: noqa: E501  a pattern is read best in one piece
"""The rows of German and French; `words` explains a row."""

from __future__ import annotations

from agent.understanding.messages.kinds import Talk, Topic
from agent.understanding.messages.words import cue, language

_DE_DATA = r"\b(?:daten(?:banke?n?|bestand|s[aä]tze?)?|db|informationen|tabellen?)\b"

GERMAN = language(
    "de",
    talk={
        Talk.GREETING: r"(?:hallo|hi|hey|moin(?: moin)?|servus|grüß (?:gott|dich|sie|euch)|grüezi|na|tach)(?: (?:zusammen|du|da|plumbline|ihr))?"
            r"|guten? (?:morgen|tag|abend)(?: zusammen)?|ist da (?:jemand|wer)|bist du da|schön dich kennenzulernen",
        Talk.WELLBEING: r"wie geht(?:['’]?s| es)(?: (?:dir|ihnen|euch|so))*(?: heute)?|alles (?:gut|klar|ok|in ordnung)(?: bei dir)?"
            r"|was geht(?: ab)?|wie läuft(?:['’]?s| es)(?: so)?|und (?:dir|selbst)|geht es dir gut",
        Talk.THANKS: r"(?:ok |okay |super |gut |nein |prima |perfekt )*(?:vielen |herzlichen |besten |tausend |danke |ich )*"
            r"(?:danke?|dank|dankeschön|merci)(?: (?:sehr|schön|dir|ihnen|vielmals|für (?:die|deine|ihre|alles|das)(?: \w+)?))*"
            r"|(?:das )?hat (?:sehr |mir )*geholfen|das (?:war|ist) (?:sehr )?(?:nett|hilfreich|lieb)(?: von (?:dir|ihnen))?",
        Talk.FAREWELL: r"(?:auf wieder(?:sehen|hören)|tschüss?i?|servus|bis (?:bald|dann|morgen|später|nächstes mal)|gute nacht"
            r"|(?:einen )?schönen (?:tag|abend|feierabend)(?: noch)?|schönes wochenende|mach(?:['’]?s| es) gut|ade)",
        Talk.AGREEMENT: r"(?:(?:ok|okay|gut|sehr gut|super|prima|toll|klasse|perfekt|wunderbar|ja|nein|schön|verstanden|alles klar"
            r"|verstehe|ich verstehe|stimmt|genau|richtig|passt|na gut|aha|ach so|egal|kein problem|macht nichts|cool"
            r"|das (?:ist|war|wär['’]?s|war['’]?s) (?:alles|gut|super|toll|falsch|richtig)?|gern geschehen|bitte schön"
            r"|du bist (?:\w+ ){0,2}(?:toll|super|klasse|dumm|schlau|nett|lustig|nutzlos)|entschuldigung|sorry|moment"
            r"|einen moment|gut gemacht|weiter so|nicht schlecht|interessant|ich liebe (?:dich|es|das))(?: |$))+",
        Talk.WHO: r"wer (?:bist du|sind sie|steckt (?:hinter dir|dahinter)|hat dich (?:gebaut|gemacht|programmiert|entwickelt))(?: eigentlich)?|was bist du"
            r"(?: eigentlich)?|wie hei(?:ß|ss)t du|wie hei(?:ß|ss)en sie|bist du (?:ein|eine) (?:mensch|roboter|bot|maschine"
            r"|ki|programm)|wie alt bist du|stell dich vor|erzähl (?:mir )?(?:etwas )?(?:von|über) dir?(?:ch)?"
            r"|was ist plumbline|woher kommst du|sprichst du \w+",
        Talk.HELP: r"(?:bitte )?hilfe|(?:kannst du |können sie )?(?:mir )?(?:bitte )?(?:helfen|hilf mir)|hilf(?: mir)?(?: bitte)?"
            r"|(?:was|welche fragen|welche art(?: von)? fragen|wonach|was alles) (?:kann|darf|soll|könnte) (?:ich|man|wir)"
            r"(?: (?:dich|sie|hier|dir|alles))*(?: (?:fragen|stellen|machen|tun|wissen|sagen))?(?: hier)?"
            r"|was (?:kannst|machst|tust) du(?: (?:alles|so|tun|machen|für mich|für mich tun|hier|eigentlich))*"
            r"|wie (?:funktioniert|geht|benutze ich|bediene ich|verwende ich) (?:das|dies|du|das hier|dich)(?: hier)?"
            r"|(?:zeig|gib|nenn)e?(?: mir)? (?:ein paar |einige |ein )?(?:beispiele?|beispielfragen)|beispiele?|beispielfragen"
            r"|wie kannst du (?:mir )?helfen|ich habe (?:eine|mal eine) frage|was ist das(?: hier)?|kann ich (?:dich )?(?:was|etwas) fragen",
        Talk.CHATTER: r"(?:erzähl|sag|sing|schreib)e?(?: mir| uns)?(?: (?:einen|ein|eine|mal|bitte))*(?: \w+)? (?:witz|geschichte|gedicht|lied)"
            r"|wie (?:ist|wird) (?:das|heute das|morgen das) wetter(?: (?:heute|morgen|in \w+))?|regnet es(?: heute)?"
            r"|wie spät ist es|wie viel uhr ist es|mir ist langweilig|ich (?:bin|habe) (?:müde|hungrig|hunger|durst|traurig|gelangweilt|wieder da)"
            r"|was ist der sinn des lebens|was soll ich (?:heute )?(?:essen|kochen|machen)|magst du \w+|test"
            r"|ich hei(?:ß|ss)e \w+|mein name ist \w+|lass uns (?:reden|plaudern|spielen)|halt die klappe",
    },
    cues=(
        cue(Topic.DEFINED, r"^wo\b", r"\b(?:definiert|dokumentiert|beschrieben|erklärt|festgelegt)\b"),
        cue(Topic.DEFINED, r"^(?:in )?welche[rsmn]? (?:dokument\w*|datei\w*|doku\w*|quelle)\b", r"\b(?:definiert|erklärt|beschreibt|steht|beschrieben)\b"),
        cue(Topic.KEYS, r"\b(?:primär|fremd|haupt)?schlüssel\b"),
        cue(Topic.KEYS, r"^wie\b", r"\b(?:hängen|hängt|verbunden|verknüpft|verbinde|verknüpfe|beziehen|zusammenhängen)\b"),
        cue(Topic.KEYS, r"\b(?:beziehung(?:en)?|zusammenh[aä]nge?|verknüpfung(?:en)?|relationen)\b"),
        cue(Topic.FRESHNESS, r"\bwie (?:aktuell|frisch|alt|neu|veraltet)\b", _DE_DATA),
        cue(Topic.FRESHNESS, r"\bwann\b", r"\b(?:aktualisiert|geladen|importiert|erneuert|aufgefrischt)\b", _DE_DATA),
        cue(Topic.FRESHNESS, r"\b(?:zeitraum|zeitspanne|zeiträume|jahre)\b", r"\b(?:umfassen|umfasst|decken|deckt|abgedeckt|enthalten|haben|gehen|reichen|liegen|gibt|ab)\b", _DE_DATA),
        cue(Topic.FRESHNESS, r"\b(?:von wann|bis wann|wie weit)\b", r"\b(?:sind|reichen|gehen|zurück)\b", _DE_DATA),
        cue(Topic.FRESHNESS, r"^sind\b", r"\b(?:aktuell|auf dem neuesten stand|live)\b", _DE_DATA),
        cue(Topic.SIZES, r"\b(?:wie gro(?:ß|ss)|größe)\b", _DE_DATA),
        cue(Topic.SIZES, r"\bwie ?viele (?:zeilen|datensätze|einträge)\b", r"\b(?:jede[rn]?|alle[nr]?|pro|je|die einzelnen) tabellen?\b"),
        cue(Topic.COLUMNS, r"\bwie ?viele (?:spalten|felder|attribute)\b"),
        cue(Topic.WHERE, r"^(?:in )?welche[rsmn]? (?:tabelle|spalte|feld)\b", r"\b(?:steht|stehen|enthält|hat|ist|sind|gespeichert|liegt|liegen|finde)\b"),
        cue(Topic.WHERE, r"^wo\b", r"\b(?:gespeichert|steht|stehen|finde|abgelegt)\b"),
        cue(Topic.COLUMNS, r"\b(?:spalten?|felder|feld|attribute?)(?:namen)?\b"),
        cue(Topic.MEANING, r"\bwas\b", r"\b(?:bedeutet|bedeuten|hei(?:ß|ss)t|meint|besagt)\b"),
        cue(Topic.MEANING, r"\bwofür\b", r"\b(?:steht|stehen)\b"),
        cue(Topic.MEANING, r"\b(?:bedeutung|definition)\b"),
        cue(Topic.MEANING, r"^(?:bitte )?(?:definiere|erkläre?|erläutere)\b"),
        cue(Topic.MEANING, r"^wie (?:ist|sind|wird|werden)\b", r"\b(?:definiert|berechnet|errechnet|ermittelt|gemessen)\b"),
        cue(Topic.MEANING, r"^was (?:ist|sind) (?:eine?|der begriff|die spalte|das feld|mit)\b"),
        cue(Topic.DESCRIBE, r"^(?:bitte )?(?:beschreibe?|erkläre?|erzähle?)\b"),
        cue(Topic.DESCRIBE, r"\b(?:schema|struktur|aufbau|beschreibung|überblick)\b"),
        cue(Topic.DESCRIBE, r"^(?:was|welche (?:daten|informationen))\b", r"\b(?:enthält|enthalten|steht|stehen|ist|sind|hat|gibt)\b", r"\btabellen?\b"),
        cue(Topic.DESCRIBE, r"^was\b", r"\b(?:enthält|steht|stehen|liegt|liegen)\b", r"\bin\b"),
        cue(Topic.TABLES, r"\btabellen(?:namen)?\b"),
        cue(Topic.OVERVIEW, r"\b(?:schema|struktur|datenmodell)\b"),
        cue(Topic.OVERVIEW, r"^(?:was|welche|wovon|worum|beschreibe?|zeige?|gib|erkläre?|um was)\b", r"\b(?:daten(?:banke?n?|bestand|satz)?|informationen)\b"),
        cue(Topic.OVERVIEW, r"^(?:worum|um was)\b", r"\bgeht\b", r"\bhier\b"),
    ),
    fillers="""
        der die das den dem des ein eine einen einem einer eines ist sind war wurde wurden werden wird hat haben hast habt
        gibt es du ich sie wir man mir uns mich was welche welcher welches welchen wie wo wann wer in im aus von vom für zu
        zum zur mit und oder über an auf bei nach bitte zeige zeig nenne gib liste sag alle allen jede jeder jedem alles hier da dort
        verfügbar vorhanden existieren enthält enthalten daten datenbank datenbanken datenbestand db tabelle tabellen namen
        name spalte spalten feld felder begriff denn eigentlich zuletzt zeilen pro je diese dieser dieses diesem diesen deine deiner
        deinen unsere unserer art kann kannst können abfragen fragen wissen darüber genau man informationen etwas mehr
        zueinander miteinander zwischen untereinander steht wird so handelt geht wort wert viele wofür hallo ab decken deckt zusammen sich gehen reichen wann bis
    """,
)  # fmt: skip

_FR_DATA = r"\b(?:donn[ée]es|bases?(?: de donn[ée]es)?|bdd|tables?|informations?|jeux? de donn[ée]es)\b"

FRENCH = language(
    "fr",
    talk={
        Talk.GREETING: r"(?:bonjour|bonsoir|salut|coucou|allô|hello|rebonjour)(?: (?:à tous|tout le monde|plumbline|toi|vous|madame|monsieur))?"
            r"|(?:il )?y a(?:-t-il)? quelqu['’]un|enchantée?",
        Talk.WELLBEING: r"(?:comment )?(?:ça|ca) va(?: (?:bien|aujourd['’]hui|toi))*|comment (?:allez[ -]vous|vas[ -]tu|tu vas|vous allez)"
            r"(?: aujourd['’]hui)?|quoi de neuf|tu vas bien|vous allez bien|la forme",
        Talk.THANKS: r"(?:ok |super |parfait |d['’]accord |non |un grand )*(?:merci|mille mercis)(?: (?:beaucoup|bien|infiniment|à (?:toi|vous)"
            r"|pour (?:tout|votre|ton|l['’]|cette|ces)(?: ?\w+)?|d['’]avance))*|c['’](?:est|était) (?:très |vraiment )?(?:gentil|utile|sympa)"
            r"(?: (?:à vous|de ta part|de votre part))?|je (?:te|vous) remercie",
        Talk.FAREWELL: r"(?:au revoir|adieu|salut|à (?:bientôt|demain|plus(?: tard)?|la prochaine|tout à l['’]heure)|bonne (?:nuit|soirée|journée"
            r"|fin de journée)|bon (?:week-end|weekend)|bye)",
        Talk.AGREEMENT: r"(?:(?:ok|okay|d['’]accord|oui|non|bien|très bien|super|parfait|génial|excellent|cool|compris|je (?:vois|comprends)"
            r"|entendu|c['’]est (?:tout|bon|bien|parfait|noté|clair|génial|faux|ça)|exactement|bravo|chouette|pas de problème|de rien"
            r"|tant pis|bien joué|(?:tu es|t['’]es|vous êtes) (?:\w+ )?(?:génial|super|nul|drôle|bête|gentil|intelligent)e?|pardon|désolée?"
            r"|je t['’]aime|un instant|attends|attendez|ah bon|intéressant)(?: |$))+",
        Talk.WHO: r"(?:qui (?:es[ -]tu|êtes[ -]vous|t['’]a (?:créé|fait))|tu es qui|vous êtes qui|c['’]est quoi plumbline|qu['’]est-ce que plumbline"
            r"|comment (?:t['’]appelles[ -]tu|vous appelez[ -]vous|tu t['’]appelles)|quel est (?:ton|votre) nom|es[ -]tu (?:un|une) "
            r"(?:humaine?|robot|bot|ia|machine|personne)|quel âge as[ -]tu|présente[ -]toi|présentez[ -]vous|tu parles \w+)",
        Talk.HELP: r"(?:à l['’])?aide|aide[sz]?[ -]moi|au secours|(?:peux[ -]tu|pouvez[ -]vous|tu peux) m['’]aider|(?:que|qu['’]est-ce que) "
            r"(?:peux[ -]tu|pouvez[ -]vous|tu peux|vous pouvez|sais[ -]tu|tu sais|puis[ -]je|je peux|peut-on|on peut)(?: (?:faire|demander|te demander"
            r"|vous demander|poser|savoir|ici|pour moi))*|quelles (?:sortes de |types de )?questions (?:puis[ -]je|je peux|peut-on|on peut)"
            r"(?: (?:poser|te poser|vous poser|demander|ici))*|comment (?:ça (?:marche|fonctionne)|cela fonctionne|t['’]utiliser|utiliser ceci)"
            r"|(?:donne|montre|donnez|montrez)[ -]moi (?:des|un|quelques) exemples?(?: de questions?)?|(?:des )?exemples?(?: de questions)?"
            r"|c['’]est quoi(?: ça)?|j['’]ai une question|à quoi (?:sers[ -]tu|ça sert)",
        Talk.CHATTER: r"(?:raconte|dis|chante|écris)[ -]?(?:moi|nous)? (?:une|un) (?:\w+ )?(?:blague|histoire|poème|chanson)|quel temps fait[ -]il"
            r"(?: (?:aujourd['’]hui|demain|à \w+))?|quelle heure est[ -]il|il est quelle heure|je (?:m['’]ennuie|suis (?:fatiguée?|triste|contente?))"
            r"|j['’]ai (?:faim|soif|sommeil)|quel est le sens de la vie|je m['’]appelle \w+|tu aimes \w+|test|que dois-je manger|tais[ -]toi",
    },
    cues=(
        cue(Topic.DEFINED, r"^où\b", r"\b(?:définie?s?|documentée?s?|décrite?s?|expliquée?s?)\b"),
        cue(Topic.DEFINED, r"^quels? (?:document|fichier|doc)s?\b", r"\b(?:définit|explique|décrit|définissent)\b"),
        cue(Topic.KEYS, r"\bcl[ée]s?(?: (?:primaires?|étrangères?))?\b"),
        cue(Topic.KEYS, r"^comment\b", r"\b(?:liée?s?|reliée?s?|joindre|relier|lier|jointes?)\b"),
        cue(Topic.KEYS, r"\b(?:relations?|liens?)\b", r"\b(?:entre|de|des)\b"),
        cue(Topic.FRESHNESS, r"\b(?:à jour|fraîches?|fraîcheur|récentes?|actualisées?|anciennes?)\b", r"\b(?:est-ce que|sont[ -]elles|sont|de quand|quelle|à quel point)\b", _FR_DATA),
        cue(Topic.FRESHNESS, r"\b(?:quand|de quand)\b", r"\b(?:mises? à jour|actualisées?|chargées?|importées?|datent)\b", _FR_DATA),
        cue(Topic.FRESHNESS, r"\b(?:période|plage|années|dates)\b", r"\b(?:couvrent|couvre|couverte|contiennent|vont|concernent)(?:[ -]elles|[ -]t-elle)?\b", _FR_DATA),
        cue(Topic.SIZES, r"\b(?:taille|volume|combien de lignes)\b", _FR_DATA),
        cue(Topic.COLUMNS, r"\bcombien de (?:colonnes|champs)\b"),
        cue(Topic.WHERE, r"^(?:dans )?quelle? (?:table|colonne|champ)\b", r"\b(?:contient|trouve|se trouve|stockée?s?|est|sont|a|y a-t-il)\b"),
        cue(Topic.WHERE, r"^où\b", r"\b(?:stockée?s?|enregistrée?s?|trouver|trouve|trouvent)\b"),
        cue(Topic.COLUMNS, r"\b(?:colonnes?|champs?|attributs?)\b"),
        cue(Topic.MEANING, r"\b(?:que|qu['’]est-ce que|quoi|ce que)\b", r"\b(?:signifie(?:nt)?|veut dire|veulent dire|représente(?:nt)?)\b"),
        cue(Topic.MEANING, r"\b(?:signification|définition|sens)\b", r"\b(?:de|du|des|d)\b"),
        cue(Topic.MEANING, r"^(?:définis(?:sez)?|explique[rz]?)\b"),
        cue(Topic.MEANING, r"^comment (?:est|sont)\b", r"\b(?:définie?s?|calculée?s?|mesurée?s?|déterminée?s?)\b"),
        cue(Topic.MEANING, r"^(?:qu['’]est-ce qu['’]une?|c['’]est quoi)\b"),
        cue(Topic.DESCRIBE, r"^(?:décris|décrivez|décrire|explique[rz]?|parle[rz]?[ -]moi)\b"),
        cue(Topic.DESCRIBE, r"\b(?:schéma|structure|description)\b"),
        cue(Topic.DESCRIBE, r"^(?:que|qu['’]est-ce qu['’]?|qu['’]|quelles (?:données|informations))", r"\b(?:contient|a|il y a|y a-t-il|trouve|dans)\b", r"\btables?\b"),
        cue(Topic.TABLES, r"\btables\b"),
        cue(Topic.OVERVIEW, r"\b(?:schéma|structure|modèle de données)\b"),
        cue(Topic.OVERVIEW, r"^(?:quelles?|quels?|que|qu|décris|décrivez|montre|de quoi|sur quoi)\b", _FR_DATA),
    ),
    fillers="""
        le la les l de du des d un une est sont était a as ai avez ont as-tu y il elle elles tu vous je j on nous me moi que qu
        quel quelle quels quelles quoi ce c qui où quand comment combien dans en sur pour par avec et ou à au aux entre s se
        il y a t-il t-elle t-elles t est-ce disponibles disponible existent existe contient contiennent données donnees base bases bdd
        table tables colonne colonnes champ champs nom noms liste lister listez montre montrez affiche affichez donne donnez
        dis toutes tous tout toute cette ces ici mot terme valeur svp stp plait plaît s'il as-tu a-t-il a-t-elle avez-vous y-a-t-il te votre vos ta tes mon ma mes exactement
        peux peut puis interroger informations information parle parlent traite elle-même entre-elles elles-mêmes type types sorte bonjour
    """,
)  # fmt: skip
