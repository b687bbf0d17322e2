"""The rows of French, Spanish and Italian; `words` explains a row."""

from __future__ import annotations

import re

from agent.understanding.followups.words import Language, words_of

FRENCH = Language(
    name="French",
    asks=words_of(
        """
        que quel quelle quels quelles qui quand où pourquoi comment combien quoi montre montrez affiche affichez liste
        listez donne donnez trouve trouvez calcule calculez compte comptez compare comparez
        """
    ),
    which=words_of("quel quelle quels quelles"),
    many=words_of(""),
    verbs=words_of("est sont était étaient être a ont avait avaient fait font faut peut peuvent y"),
    changes=words_of(
        """
        trie triez classe classez groupe groupez filtre filtrez limite limitez ajoute ajoutez enlève exclus arrondis
        retire explique trié triés classé classés
        """
    ),
    joins=words_of("et mais ou aussi alors puis plutôt"),
    only=words_of("seulement uniquement juste"),
    divides=words_of("par"),
    prepositions=words_of(
        """
        en dans pour par de du des depuis entre avant après jusqu à au aux avec sans sur chez pendant sauf selon comme
        vers
        """
    ),
    pronouns=words_of("il elle ils elles ceux celles celui celle cela ça ceci lui leur eux ci dernier"),
    owners=words_of("leurs son sa ses"),
    pointers=words_of("ce cette ces cet"),
    generic=words_of(
        """
        top premier premiers première premières dernier derniers dernière dernières prochain plus moins haut haute hauts
        bas basse élevé élevés élevée faible faibles meilleur meilleurs meilleure pire grand grands petit petits tous
        toutes tout toute chaque autre autres même mêmes deux trois quatre cinq six sept huit neuf dix vingt cent total
        somme moyenne médiane pourcentage part différence évolution raison détails nombre année années an ans mois
        semaine semaines jour jours trimestre résultat valeur nom noms ordre beaucoup
        """
    ),
    function=words_of(
        """
        le la les l d un une des je tu nous vous on me moi notre nos votre ne pas non oui ok merci s c qu n j t m si là
        ici maintenant bien très donc car est ce dont se
        """
    ),
    always=re.compile(
        r"^\W*(?:et\s+)?qu['’]en\s+est[- ]il\b|^\W*(?:et\s+)?(?:la|le|les)?\s*mêmes?\b|\bla\s+même\s+chose\b"
        r"|\bpourquoi\b.*\bsi\s+\w+|^\W*(?:et\s+)?(?:pourquoi|quand|qui|encore|plus)\W*$|\b(?:parmi|d['’]entre)\s+(?:eux|"
        r"elles|ceux|celles)\b|\baussi\W*$|\bà\s+la\s+place\W*$|^\W*(?:trie|classe|montre|liste|affiche|donne)z?-l(?:es?|a)\b"
        r"|\bles\s+autres\W*$|^\W*non\s*,|\b\w+-t-(?:il|elle|ils|elles)\b(?=\W*$)",
        re.IGNORECASE,
    ),
)  # fmt: skip

SPANISH = Language(
    name="Spanish",
    asks=words_of(
        """
        qué que cuál cuáles cual quién quiénes cuándo cuando dónde donde cómo cuánto cuántos cuánta cuántas muestra
        muestre muéstrame lista enumera dame encuentra calcula cuenta compara
        """
    ),
    which=words_of("qué cuáles"),
    many=words_of("cuántos cuántas"),
    verbs=words_of("es son era eran fue fueron ser está están ha han hay había tiene tienen hace puede"),
    changes=words_of("ordena ordene agrupa filtra limita añade agrega quita excluye incluye redondea explica"),
    joins=words_of("y e pero o también entonces además"),
    only=words_of("solo sólo solamente únicamente"),
    divides=words_of("por"),
    prepositions=words_of(
        """
        en para por de del desde entre antes después hasta a al con sin sobre durante según como salvo
        """
    ),
    pronouns=words_of("ellos ellas ello éstos éstas esos esas ése ésa eso esto aquellos aquellas le les lo"),
    owners=words_of("su sus"),
    pointers=words_of("ese esa esos esas este esta estos estas aquel aquella"),
    generic=words_of(
        """
        top primero primeros primera primeras último últimos última últimas próximo más menos alto alta altos altas bajo
        baja bajos mejor mejores peor mayor mayores menor menores todos todas todo toda cada otro otros otra otras mismo
        misma dos tres cuatro cinco seis siete ocho nueve diez veinte cien total suma promedio media mediana porcentaje
        diferencia crecimiento razón detalles número año años mes meses semana semanas día días trimestre resultado
        valor nombre nombres orden
        """
    ),
    function=words_of(
        """
        el la los las un una unos unas yo tú nosotros me mi nos nuestro nuestra no sí ok gracias ahora se si aquí allí
        muy ya tan
        """
    ),
    always=re.compile(
        r"^\W*(?:y\s+)?(?:qué|que)\s+(?:hay|tal|pasa|pasó)\s+(?:de|con|en)\b|^\W*(?:y\s+)?(?:lo|el|la|los|las)\s+mism[oa]s?\b"
        r"|\bpor\s+qué\b.*\btan\s+\w+|^\W*(?:y\s+)?(?:por\s+qué|cuándo|quién|más|otra\s+vez)\W*$|\b(?:de|entre)\s+(?:ellos|"
        r"ellas|estos|estas|esos|esas)\b|\btambién\W*$|\ben\s+su\s+lugar\W*$|^\W*\w+(?:lo|la|los|las)\s+por\b"
        r"|\blos\s+demás\W*$|^\W*no\s*,",
        re.IGNORECASE,
    ),
)  # fmt: skip

ITALIAN = Language(
    name="Italian",
    asks=words_of(
        """
        che cosa quale quali chi quando dove perché come quanto quanti quanta quante mostra mostrami elenca dammi trova
        calcola conta confronta
        """
    ),
    which=words_of("quale quali"),
    many=words_of(""),
    verbs=words_of("è sono era erano fu furono essere sta stanno ha hanno aveva c'è ci può"),
    changes=words_of("ordina raggruppa filtra limita aggiungi togli escludi includi arrotonda spiega"),
    joins=words_of("e ed ma o anche allora poi invece"),
    only=words_of("solo soltanto solamente"),
    divides=words_of("per"),
    prepositions=words_of(
        """
        in nel nella nei nelle per da dal dalla di del della dei delle tra fra prima dopo fino a al alla con senza su
        sul durante secondo come
        """
    ),
    pronouns=words_of("essi esse loro lui lei ciò questi queste quelli quelle quello ne li"),
    owners=words_of("suo sua suoi sue"),
    pointers=words_of("questo questa questi queste quel quella quei quelle"),
    generic=words_of(
        """
        top primo primi prima prime ultimo ultimi ultima ultime prossimo più meno alto alta alti alte basso bassa bassi
        migliore migliori peggiore peggiori maggiore maggiori minore minori tutti tutte tutto ogni altro altri altra
        altre stesso stessa due tre quattro cinque sei sette otto nove dieci venti cento totale somma media mediana
        percentuale quota differenza crescita motivo dettagli numero anno anni mese mesi settimana settimane giorno
        giorni trimestre risultato valore nome nomi ordine
        """
    ),
    function=words_of(
        """
        il lo la i gli le l un uno una io tu noi mi ci nostro nostra non no sì ok grazie ora adesso si se qui lì molto
        già così
        """
    ),
    always=re.compile(
        r"^\W*(?:e\s+)?(?:che\s+(?:ne\s+)?(?:dici|mi\s+dici)|per\s+quanto\s+riguarda)\b|^\W*(?:e\s+)?(?:lo|la)\s+stess[oa]\b"
        r"|\bperché\b.*\bcosì\s+\w+|^\W*(?:e\s+)?(?:perché|quando|chi|ancora)\W*$|\b(?:di|tra|fra)\s+(?:loro|essi|questi|"
        r"quelli|queste|quelle)\b|\banche\W*$|\binvece\W*$|^\W*\w+(?:li|le|lo|la)\s+per\b|\bgli\s+altri\W*$",
        re.IGNORECASE,
    ),
)  # fmt: skip
