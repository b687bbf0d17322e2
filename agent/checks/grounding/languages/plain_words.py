"""Words without content, by their function in a sentence. `_` stands for a space, `*` for any ending.

Closed parts of speech, and words about the answer itself: reporting, existence, sequence. Words with a claim are
excluded on purpose: comparison, negation, quantity, change, time ("already"), cause ("because"), condition ("unless"),
judgement ("unfortunately"), and nouns that could be counted ("tables").
"""

from __future__ import annotations

_EN = {
    "pronouns": """
        the a an this that these those such its it they them their theirs themselves itself he him his himself she her
        hers herself we us our ours ourselves you your yours i me my mine one ones other others who whom whose which
        what when where how whichever whatever someone something s""",
    "prepositions": """
        of in on at to into onto for from by with within among amongst amid amidst between across through alongside
        along via during toward towards regarding concerning as like out against versus vs than despite notwithstanding
        in_spite_of based_on according_to out as_of in_terms_of with_regard_to with_respect_to in_relation_to
        when_it_comes_to as_for as_regards in_the_case_of on_the_basis_of including together_with back""",
    "connectives": """
        by_far
        although though even_though however moreover furthermore besides also too additionally in_addition meanwhile
        likewise hence thus therefore so accordingly namely specifically in_particular eg ie e g that_is that_means
        in_turn in_other_words for_instance for_example instead nonetheless nevertheless conversely by_contrast
        in_contrast on_the_other_hand on_the_one_hand then if whether respectively as_well_as as_well which_means
        apart_from_that beyond_that while_also just any well at_the one_of compared according here
        alike too both_of_them""",
    "auxiliaries": """
        is are was were be been being am do does did done has have had having can could may might must shall should
        will would let""",
    "existing": """
        exist exists existed existing occur occurs occurred occurring happen happens happened take_place takes_place
        took_place taken_place taking_place belong belongs belonged belonging contain contains contained containing
        include includes included consist consists consisted comprise comprises comprised comprising hold holds held
        possess possesses possessed feature featured come comes came coming go goes went sit sits sat sitting stand
        stands stood standing lie lies lay lying turn_out turns_out turned_out relate relates related relating
        there_exist there_exists is_located are_located cover covers covered carry carries carried start starts begin
        begins located there exact worth there_follow apply_to applies_to applied_to""",
    "reporting": """
        show shows showed shown showing indicate indicates indicated indicating report reported reporting recorded
        recording registered registers registering noted logged listed listing state states stated documented find
        finds found see sees saw seen observed displayed displays gives gave given giving reveal reveals revealed
        appear appears appeared appearing seem seems seemed mentioned identified requested asked query_returned
        query_returns search_returned it_appears_that the_query in_the_query returned_no_results returned_no_rows
        returns_no_results i_found i_could_find i_can_see could_find can_be_found can_be_seen the_query_counted
        note_that reads known dated records_show logs matching qualify qualifies qualifying""",
    "amounting": """
        amount amounts amounted amounting_to come_to comes_to came_to add add_up adds_up added_up reach reaches reached
        reaching hit hitting equal equals equaled equalled account accounts accounted making made_up makes_up make_up
        constitute constitutes
        represent represents represented representing correspond corresponds corresponded rank ranks ranked place
        placed position follow follows followed following came_in comes_in count counts counted counting is_worth
        was_worth valued register achieved achieves post posts posted yield yields yielding meaning means topping
        placed_at
        manage manages managed tally tallies tallied boast boasts boasted notch notches notched
        clock clocks clocked command commands commanded attain attains attained log_in_at comes_in_at stands_at
        sits_at works_out_at work_out_at works_out_to took_part takes_part take_part a_single mere""",
    "dividing": """
        split divided distributed spread broken_down breakdown fall_into falls_into fell_into grouped sorted
        falling_into subdivided categorised categorized classified""",
    "of_the_answer": """
        data dataset database the_table this_table answer question query overview summary analysis the_search
        statistics figure figures information value values number numbers name names named called list in_the_list
        the_above above_all point_in_time time_frame timeframe the_period that_period this_period the_time
        that_time this_time in_question on_record on_file in_the_data in_the_database at_that_time currently result
        moment example distribution whole respective per_cent lists adds added item items anything trio duo pair
        rest remainder still yet on_the_list in_the_lead corresponding have_available available again once_more or_later
        or_earlier different differently threshold top_performer top_performers best_performer best_performers
        email_address combination combinations""",
    "kinds": "level levels kind kinds type types category case item group the_latter the_former way",
    "politeness": """
        sure of_course certainly please thanks thank_you hello hi happy_to_help glad_to_help i_am_happy_to_help
        here_you_go good_question great_question let_me_know i_hope_this_helps hope_this_helps as_requested
        as_you_asked here_is here_are""",
    "doing": """
        use uses used using handle handles handled handling need needs needed needing offer offers offered offering
        provide provides provided providing run runs ran running operate operates operated operating serve serves
        served serving keep keeps kept keeping give gave work works worked working""",
    "transferring": """
        receive receives received make makes made earn earns earned bring brings brought bringing generate generates
        generated get gets got contribute contributes contributed attract attracts attracted welcome welcomes
        welcomed
        supply supplies supplied take_in takes_in took_in""",
}

_DE = {
    "pronouns": """
        der die das den dem des ein eine einen einem einer eines es sie er ihn ihm ihr ihre ihren ihrer ihrem ihres
        ihnen sein seine seinen seinem seiner seines sich selbst man wir uns unser unsere unseren unserer unserem
        unseres ich mir mich mein meine du dein deine euch euer wer wen wem wessen was welche welcher welches welchen
        welchem wie wo wann dies diese dieser dieses diesen diesem jene jener jenes jenen jenem denen deren dessen
        solche solcher solches solchen derjenige diejenige dasjenige diejenigen denjenigen derselbe_zeitraum andere
        anderen anderer anderes hier dort da etwas jemand""",
    "prepositions": """
        im in am an ans auf aus bei beim zu zum zur für von vom mit nach um als durch gegen gegenüber zwischen
        unter_den unter_diesen unter_ihnen innerhalb entlang neben laut gemäß entsprechend zufolge bezüglich
        hinsichtlich trotz während_des anhand aufgrund_der_daten mittels seitens statt anstatt einschließlich inklusive
        samt nebst zuzüglich bezogen auf_basis auf_grundlage im_hinblick_auf in_bezug_auf im_vergleich_zu im_vergleich
        verglichen im_fall_von mit_blick_auf""",
    "connectives": """
        mit_abstand
        auch dann nämlich jeweils also somit demnach folglich daher deshalb deswegen dass ob wenn wobei dabei davon
        dafür damit dazu daran darauf daraus darin darunter darüber_hinaus hierbei hiervon hierzu obwohl obgleich
        dennoch trotzdem jedoch allerdings außerdem zudem ferner überdies ebenfalls hingegen dagegen wohingegen
        sowie_auch zwar denn bzw beziehungsweise respektive so und_zwar das_heißt zum_beispiel beispielsweise etwa_so
        im_gegensatz_dazu im_gegenzug demgegenüber im_einzelnen konkret insbesondere nun mal noch_folgende wiederum
        einerseits andererseits sowohl noch auch_noch insgesamt_also zusammen_mit""",
    "auxiliaries": """
        ist sind war waren wird werden wurde wurden worden gewesen hat haben hatte hatten habe gehabt kann können
        konnte konnten könnte könnten darf dürfen muss müssen musste mussten soll sollen sollte sollten will wollen
        möchte mag würde würden wäre wären""",
    "existing": """
        existieren existiert existierten vorhanden befinden befindet befand befanden gibt gab geben gegeben kommt
        kommen kam kamen gekommen gehört gehören gehörte gehörten zählt zählen zählte zählten gezählt umfasst umfassen
        umfasste umfassten enthält enthalten enthielt enthielten bestehen besteht bestanden_aus beinhaltet beinhalten
        liegt liegen lag lagen gelegen steht stehen stand standen sitzt vorkommen vorliegen vorliegt finden fand fanden
        stattfand stattgefunden verfügt_über verfügen_über verfügte_über verfügt verfügen verfügte besitzt besitzen
        handelt_es_sich handelt weist_auf weist weisen wies wiesen aufweist aufwies kommend""",
    "reporting": """
        zeigt zeigen zeigte zeigten gezeigt angezeigt verzeichnet verzeichnete verzeichneten erfasst gefunden gelistet
        aufgelistet aufgeführt genannt angegeben eingetragen hinterlegt vermerkt notiert gemeldet meldet meldete
        meldeten registriert registrierte registrierten dokumentiert ermittelt festgestellt gemessen ausgewiesen
        geht_hervor hervorgeht ergibt ergeben ergab ergaben weist_aus bekannt ersichtlich sehen sieht scheint
        ausgegeben_wird die_abfrage der_abfrage abfrage_ergab abgefragt gefragt angefragt lässt_sich lassen_sich
        gilt_dabei gilt gelten""",
    "amounting": """
        betrag betrage betrug betragen beträgt betrugen beliefen belaufen beläuft belief summiert summieren summierten
        lautet lauten lautete entfällt entfallen entfielen entfiel erzielt erzielte erzielten erreicht erreichte
        erreichten erreichen erhielten kommt_auf kommen_auf kam_auf kamen_auf entspricht entsprechen entsprach
        entsprachen folgt folgen folgte folgten gefolgt folgende folgenden folgender folgendes rangiert rangieren
        rangierte landet landete landeten belegt belegte platz rang position geht ging gehen heißt heißen hieß namens
        bildet bilden stellt dar stellte stellten beginnt beginnen bei_denen stammen stammt stammten
        schafft schaffte schafften bringt_es_auf bringen_es_auf kommt_dabei_auf weist_auf dahinter davor""",
    "dividing": """
        verteilt verteilen verteilten verteilte verteilung aufgeteilt aufgeschlüsselt unterteilt gegliedert gruppiert
        sortiert teilt teilen teilten setzt setzen zusammensetzt aufteilung aufschlüsselung""",
    "of_the_answer": """
        daten datenbank tabelle abfrage auswertung ergebnis antwort frage wert werte werten anzahl zahl zahlen name
        namen liste übersicht zusammenfassung analyse statistik angabe angaben information informationen zeitpunkt
        in_diesem_zeitraum zu_diesem_zeitpunkt aktuell derzeit im_überblick weiterhin immer_noch nach_wie_vor
        am_meisten_los trio rest übrig""",
    "kinds": "art typ kategorie kategorien gruppe fall ebene ebenen stelle reihenfolge reihe weise",
    "politeness": """
        natürlich gerne gern bitte danke hallo selbstverständlich sicher klar gute_frage hier_ist hier_sind
        ich_helfe_gerne wie_gewünscht""",
    "doing": """
        nutzt nutzte nutzten genutzt verwendet verwendete braucht brauchte brauchten benötigt benötigte benötigten
        bietet bieten bot boten bearbeitet bearbeitete bearbeiteten betreibt betreiben betrieb hält halten wieder
        erneut abermals verfügbar nachgesehen nachgeschaut fielen_an fiel_an fällt_an schwelle grenze genutzten
        verwendeten
        arbeitet arbeiten arbeitete arbeiteten tätig vertreten""",
    "transferring": """
        erhalten erhielt bekommt bekommen bekam bekamen macht machen machte machten ausmacht ausmachen bringt
        brachte brachten gebracht
        erwirtschaftet erwirtschaften erwirtschaftete erwirtschafteten""",
}

_FR = {
    "pronouns": """
        le la les l un une des du de d il elle ils elles on nous vous je tu me te se s lui leur leurs eux y en ce cet
        cette ces cela ça ceci c notre nos votre vos mon ma mes son sa ses qui que qu quoi dont où quel quelle quels
        quelles lequel laquelle lesquels lesquelles duquel auquel celui celle ceux celles celui_ci celle_ci ceux_ci
        celles_ci celui_là celle_là t autre autres tel telle tels telles n""",
    "prepositions": """
        à au aux dans sur sous par pour avec chez entre parmi vers contre pendant durant lors selon d_après malgré
        en_dépit_de concernant quant comme face_à suivant à_travers au_sein_de au_sein_du au_sein_des à_partir_de
        sur_la_base_de au_cours_de au_cours_du par_rapport_à par_rapport_au en_termes_de en_matière_de à_propos_de
        au_niveau_de y_compris hors_de le_long_de à_l_échelle_de en_ce_qui_concerne du_côté_de""",
    "connectives": """
        de_loin
        aussi ainsi donc puis ensuite enfin également cependant toutefois pourtant néanmoins certes or car_voici
        bien_que quoique si lorsque quand comme_suit c_est_à_dire par_exemple en_particulier notamment à_savoir soit
        en_revanche par_contre en_outre par_ailleurs d_une_part d_autre_part respectivement quant_à autrement_dit
        de_son_côté à_l_inverse inversement de_même tandis ainsi_que_le""",
    "auxiliaries": """
        est sont était étaient été être étant sera seront serait fut furent a ont avait avaient avons ai avoir eu eue
        eus ayant aura auront aurait peut peuvent pouvait peut_être_vu doit doivent devait va vont allait""",
    "existing": """
        existe existent existait existaient lieu appartient appartiennent appartenait comprend comprennent comprenait
        contient contiennent contenait compte comptent comptait comptaient compté compter comptés possède possèdent
        possédait vient viennent venait provient proviennent provenait situe situent situé située situés situées trouve
        trouvent trouvait trouvé trouvée trouvés trouvées dispose disposent disposait inclut incluent figure figurent
        figurait reste_à_savoir comporte comportent comportait s_agit regroupe regroupent réunit réunissent y_en_a""",
    "reporting": """
        voici voilà montre montrent montrait montré indique indiquent indiquait indiqué affiche affichent affichait
        affiché affichée enregistre enregistrent enregistré enregistrée enregistrés enregistrées recense recensent
        recensé recensée recensés recensées relève relèvent relevé relevée relevés relevées constate constaté observe
        observé observée signalé signalée noté mentionné mentionnée répertorié répertoriée répertoriés renseigné_ici
        listé listés listée ressort apparaît apparaissent semble semblent signale déclaré l_analyse_porte porte_sur
        l_analyse la_requête cette_requête demandé demandée demandés""",
    "amounting": """
        élève élèvent élevait élevaient élevé élevés élevée établit établissent établissait atteint atteignent
        atteignait atteignant correspond correspondent correspondait équivaut équivalent équivalait représente
        représentent représentait représentaient totalise totalisent totalisait réalisé réalise réalisent vaut valent
        valait revient reviennent arrive arrivent arrivait suit suivent suivi suivie suivis suivies suivante suivants
        suivantes place rang classent classé classée classés occupe occupent occupait position égal égale égaux
        affichant soit_un passe passent passait passant passé passée passés passées commence commencent constitue
        constituent nommé nommée nom noms
        s_appelle
        disposons comptons totalisons affichons enregistrons proposons""",
    "dividing": """
        répartis répartie réparti réparties répartissent répartit répartition divise divisent divisé ventilé ventilés
        effectué effectués effectuée effectuées regroupés trié triés partage_en""",
    "of_the_answer": """
        données base_de_données résultat réponse question analyse requête valeur valeurs montant montants nombre
        nombres chiffre chiffres liste exemple statistiques information informations détail aperçu récapitulatif
        actuellement à_ce_moment à_cette_date sur_la_période sur_cette_période de_la_période cette_période
        même_période même_temps en_question encore trio duo reste restent compose composent composé composée""",
    "kinds": "niveau type types catégorie catégories groupe cas sorte genre ordre façon manière",
    "politeness": """
        bien_sûr bonjour merci s_il_vous_plaît voici_la_réponse volontiers avec_plaisir certainement bien_entendu
        à_votre_demande""",
    "doing": """
        j utilise utilisent utilisé utilisée utilisés offre offrent propose proposent proposé proposée nécessite
        nécessitent nécessité besoin a_besoin gère gèrent géré garde gardent disponible disponibles à_nouveau
        de_nouveau regardé seuil totalisé totalisée totalisés utilisées
        travaille travaillent travaillait""",
    "transferring": """
        reçoit reçoivent reçu reçue reçus obtenu obtenue obtient obtiennent obtenait généré génère génèrent fait
        font faisait faisaient faite faits faites apporte apportent apporté""",
}

_ES = {
    "pronouns": """
        el la los las lo un una unos unas del al se le les nos me te os su sus mi mis tu tus nuestro nuestra nuestros
        nuestras yo él ella ellos ellas ello usted ustedes este esta esto estos estas ese esa eso esos esas aquel
        aquella aquellos aquellas que quien quienes cuyo cuya cuyos cuyas cual cuales donde cuando como cuanto sí_mismo
        otro otra otros otras tal tales uno de aquí ahí allí""",
    "prepositions": """
        a en con por para desde hasta_la hasta_el sobre entre hacia contra durante mediante según frente ante bajo_el
        respecto respecto_a pese_a a_pesar_de dentro_de a_través_de en_cuanto_a en_relación_con con_respecto_a
        a_lo_largo_de a_lo_largo_del a_partir_de en_base_a de_acuerdo_con en_términos_de en_el_caso_de por_parte_de
        junto_con junto_a incluido incluida incluidos además_de en_comparación_con comparado comparada en_lugar_de""",
    "connectives": """
        con_diferencia
        también además luego así pues aunque sin_embargo no_obstante ahora_bien asimismo igualmente por_lo_tanto
        por_tanto por_ello por_lo_que es_decir o_sea en_particular en_concreto concretamente respectivamente
        por_ejemplo a_saber en_cambio por_su_parte por_otro_lado por_un_lado por_otra_parte por_el_contrario si
        entonces a_su_vez a_continuación eso_sí dicho""",
    "auxiliaries": """
        es son era eran fue fueron ser sido siendo está están estaba estaban estuvo estar estado ha han he hemos había
        habían haber habido hay hubo tiene tienen tenía tenían tuvo tuvieron tener tenemos puede pueden podía pudo debe
        deben va van iba iban""",
    "existing": """
        existe existía existían existir pertenece pertenecen pertenecía incluye incluyen incluía contiene contienen
        contenía cuenta cuentan contaba contaban contamos posee poseen consta constan viene vienen vino provienen
        proviene procede proceden queda quedan quedó encuentra encuentran encontraba situado situada situados situadas
        ubicado ubicada realizan realizó realizaron realizado dispone disponen disponía trata dio dieron da dan figura
        figuran figuraba sitúa sitúan situó aparece aparecen apareció presenta presentan presentó compone componen
        existen""",
    "reporting": """
        muestra muestran mostró mostraron indica indican indicó registra registran registró registraron registrado
        registrada registrados registradas señala señalan observa observan observó refleja reflejan recoge recogen
        encontró encontraron encontrado encontrada anotó anotado anotaron reportó reportaron reportado parece parecen
        contabiliza contabilizan contabilizó contabilizaron contabilizado detecta detectó mencionado solicitado
        solicitada la_consulta esta_consulta de_la_consulta listado listados documentado cabe_destacar""",
    "amounting": """
        asciende ascienden ascendió ascendieron ascendía equivale equivalen equivalía corresponde corresponden
        correspondió correspondieron correspondía representa representan representó representaron representaba logró
        lograron logra alcanzó alcanza alcanzaron alcanzan alcanzando constituye constituyen supone suponen supuso
        sigue siguen siguió seguido seguida seguidos seguidas siguiente siguientes ocupa ocupan ocupó puesto lugar
        posición resulta resultan resultó pasa pasan pasó pasando llega llegan llegó llegaron igual iguales empieza
        empiezan llamado llamada llama llaman se_sitúa se_cifra
        mide miden medía contamos disponemos tenemos sumamos""",
    "dividing": """
        repartidos repartidas reparten reparte distribución distribuidos distribuidas distribuye distribuyen dividido
        divididos divide dividen desglose desglosado agrupados agrupadas ordenados_por""",
    "of_the_answer": """
        datos base_de_datos resultado respuesta pregunta valor valores importe cantidad cifra cifras número números
        nombre nombres lista resumen estadísticas información detalle ejemplo actualmente en_ese_momento
        en_esa_fecha en_el_periodo en_ese_periodo en_el_período en_este_momento ese_día esa_fecha en_cuestión
        cantidades importes aún todavía trío dúo resto""",
    "kinds": "nivel niveles tipo tipos categoría categorías grupo caso clase_de manera forma",
    "politeness": """
        claro por_supuesto desde_luego gracias hola por_favor con_gusto aquí_tiene aquí_está aquí_están cómo_no""",
    "doing": """
        usa usan usó usaron usado utiliza utilizan utilizó utilizaron utilizado ofrece ofrecen ofreció ofrecieron
        necesita necesitan necesitó necesitaron requiere requieren requirió mantiene mantienen disponible
        disponibles de_nuevo nuevamente otra_vez umbral usada usadas usados utilizada utilizadas totalizó
        totalizaron
        trabaja trabajan funciona funcionan""",
    "transferring": """
        recibe reciben recibió recibieron recibido obtuvo obtuvieron obtiene obtienen obtenido generó generaron
        genera generan generado hace hacen hizo hicieron haciendo aportó aporta aportan""",
}

_IT = {
    "pronouns": """
        il lo la i gli le l un uno una di del dello della dei degli delle dell d si se ci c vi ne mi ti me te noi voi
        io tu lui lei loro egli ella esso essa essi esse li suo sua suoi sue nostro nostra nostri nostre mio mia tuo
        questo questa questi queste quest quello quella quelli quelle quell quel quei ciò che chi cui quale quali dove
        quando come altro altra altri altre tale tali qui lì""",
    "prepositions": """
        a ad al allo alla ai agli alle all da dal dalla dallo dai dagli dalle dall in nel nello nella nei negli nelle
        nell su sul sullo sulla sui sugli sulle sull con col per tra fra presso verso contro durante mediante tramite
        secondo_i secondo_il secondo_la rispetto nonostante malgrado riguardo circa_i attraverso lungo_il entro_il
        compreso compresa compresi incluso inclusa inclusi in_base base_ai in_termini_di per_quanto_riguarda
        nel_caso_di all_interno_di insieme_a assieme_a invece_di nel_corso_di nel_corso_del da_parte_di in_confronto""",
    "connectives": """
        di_gran_lunga
        anche poi quindi così perciò pertanto dunque inoltre tuttavia però sebbene benché anche_se invece infatti
        ovvero ossia cioè vale_a_dire ad_esempio per_esempio in_particolare rispettivamente d_altra_parte al_contrario
        per_contro a_sua_volta mentre_invece allora nello_specifico come_segue dal_canto_suo appena""",
    "auxiliaries": """
        è sono era erano fu furono essere stato stata stati state sia siano essendo sarà ha hanno ho aveva avevano
        abbiamo avere avuto avuta può possono poteva deve devono va vanno viene vengono veniva venivano venne""",
    "existing": """
        esiste esistono esisteva appartiene appartengono include includono contiene contengono comprende comprendono
        conta contano contava contiamo conteggiati possiede possiedono proviene provengono trova trovano trovava situa
        situato situata situati avvenuti avvenute avvenuto avviene dispone dispongono dà danno figura figurano presenta
        presentano colloca collocano tratta compone compongono""",
    "reporting": """
        mostra mostrano mostrato mostrata indica indicano indicato registra registrano registrò registrato registrata
        registrati registrate rileva rilevano rilevato rilevata rilevati rilevate segnala segnalato riporta riportano
        riportato riportata riportati risulta risultano risultava emerge emergono osserva osservato trovato trovata
        trovati elencato elencati elencate appare appaiono sembra sembrano menzionato richiesto richiesta documentato
        la_query questa_query dalla_query effettuati effettuate effettuato""",
    "amounting": """
        ammonta ammontano ammontava ammontavano ammontò pari corrisponde corrispondono corrispondeva equivale
        equivalgono rappresenta rappresentano rappresentava realizzato realizza realizzano raggiunto raggiunta
        raggiunge raggiungono raggiunse raggiungendo costituisce costituiscono segue seguono seguito seguita seguiti
        seguite seguente seguenti posto posizione occupa occupano classifica_al piazza piazzano arriva arrivano
        arrivato vale valgono attesta attestano attestato passa passano passando inizia iniziano nome nomi chiamato
        chiama uguale
        disponiamo abbiamo_in misura misurano""",
    "dividing": """
        distribuiti distribuite distribuzione suddivisi suddivise suddiviso ripartiti ripartite divide dividono diviso
        raggruppati ordinati_per ripartizione""",
    "of_the_answer": """
        dati database base_di_dati risultato risposta domanda query valore valori importo importi quantità numero
        numeri cifra cifre elenco lista esempio riepilogo panoramica statistiche informazione informazioni
        dettaglio attualmente in_quel_momento in_quella_data nel_periodo in_quel_periodo quel_giorno
        lo_stesso_periodo appena_visto in_questione ancora trio duo resto resta restano rimane rimangono""",
    "kinds": "livello livelli tipo tipi categoria categorie gruppo caso genere modo",
    "politeness": """
        certo certamente naturalmente grazie ciao salve prego per_favore volentieri con_piacere ecco come_richiesto""",
    "doing": """
        usa usano usato utilizza utilizzano utilizzato offre offrono offerto serve servono richiede richiedono
        richiesto mantiene mantengono disponibile disponibili di_nuovo nuovamente ancora_una_volta soglia usata
        usate usati utilizzata utilizzate utilizzati totalizzato
        lavora lavorano""",
    "transferring": """
        riceve ricevono ricevuto ricevuti ottenuto ottenuta ottiene ottengono ottenne generato genera generano fa
        fanno faceva fatto portato porta portano""",
}

_CLASSES = {"en": _EN, "de": _DE, "fr": _FR, "es": _ES, "it": _IT}


def plain_words(language: str) -> list[str]:
    """The words of a language that make no claim."""
    return [word for words in _CLASSES[language].values() for word in words.split()]


def list_doing_words(language: str) -> frozenset[str]:
    """Verbs without a claim, unless a question asks for them: "not used since 2023"."""
    return frozenset(_CLASSES[language]["doing"].split())


def list_transfer_words(language: str) -> frozenset[str]:
    """Verbs without a claim that state the opposite when they replace another verb: "received" for "shipped"."""
    return frozenset(_CLASSES[language]["transferring"].split())
