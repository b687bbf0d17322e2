"""The closed vocabulary of French, Spanish and Italian; `vocabulary` explains the lists."""

from __future__ import annotations


def _superlatives(adjectives: str) -> str:
    """French superlatives, which the article distinguishes from comparisons: "la plus faible"."""
    return " ".join(f"{article}_plus_{it}" for it in adjectives.split() for article in ("le", "la", "les"))


_LEAST = "faible faibles bas basse basses petit petite petits petites court courte courts courtes léger légère"

FR = {
    "common": """
        le la les des du de quel quelle quels quelles est sont combien nos notre dans pour par avec et montre
        ont avons nous qui liste a été y il en un une au aux""",
    "polar": "est",
    "how_many": "combien_de combien_d",
    "join": "et tandis_que alors_que mais ou ainsi_que",
    "sum": """
        total totale totaux totales ensemble somme cumul cumulé cumulée au_total en_tout globalement additionnés
        totalise totalisent totalisait cumulent à_eux_deux à_eux_trois
        à_elles_deux à_elles_trois à_eux_quatre réunis""",
    "mean": "moyenne moyen moyennes moyens en_moyenne",
    "most": """
        plus_grand plus_grande plus_élevé plus_élevée plus_élevés le_plus la_plus les_plus maximum maximal*
        meilleur meilleure meilleurs meilleures tête premier_rang mène plus_important plus_importante
        plus_gros plus_long plus_haut plus_haute record plus_cher plus_chère plus_chers plus_chères""",
    "least": """
        plus_petit plus_petite plus_faible plus_bas plus_basse plus_court plus_courte le_moins la_moins les_moins
        moindre minimum minimal* pire moins_cher moins_chère moins_chers moins_chères
        ferme_la_marche lanterne_rouge"""
    + " "
    + _superlatives(_LEAST),
    "latest": "dernier dernière derniers dernières plus_récent plus_récente plus_récents",
    "earliest": "plus_ancien plus_ancienne plus_anciens plus_tôt",
    "more": "plus supérieur supérieure dépasse dépassent dépassé dépassait dépassaient davantage devant",
    "less": "moins inférieur inférieure",
    "over": "plus_de un_peu_plus_de un_peu_plus_d légèrement_plus_de au_moins dépassant supérieur_à plus_d",
    "under": """
        moins_de un_peu_moins_de un_peu_moins_d légèrement_moins_de presque près_de au_plus jusqu_à moins_d
        inférieur_à""",
    "about": "environ aux_alentours_de approximativement autour_de quelque à_peu_près",
    "rise": """
        augmentation augmenté augmente hausse progressé progression croissance gain augmentent augmentée augmentés
        grimpé accru accrue progresse progressent grimpe""",
    "fall": """
        diminution diminué diminue baisse baissé recul reculé réduit réduite réduits réduites réduction chuté chute
        diminuée diminués diminuent baissent recule reculent""",
    "negative": "perte pertes négatif négative négatifs déficit",
    "steady": """
        année_après_année trimestre_après_trimestre mois_après_mois semaine_après_semaine jour_après_jour
        d_année_en_année de_trimestre_en_trimestre de_mois_en_mois de_semaine_en_semaine de_jour_en_jour
        continuellement constamment sans_interruption""",
    "last_place": "dernière_place dernière_position dernier_rang arrive_en_dernier arrive_dernier arrive_dernière",
    "stable": """
        resté restée restés restées stable stables inchangé inchangée inchangés constant constante n_a_pas_changé
        n_ont_pas_changé est_resté est_restée""",
    "points": "points_de_pourcentage point_de_pourcentage",
    "exact": "exactement précisément",
    "some": "quelques plusieurs certains certaines la_plupart presque_tous presque_toutes beaucoup",
    "asked": """
        cette_année ce_mois cette_semaine ce_trimestre l_année_dernière l_an_dernier le_mois_dernier
        la_semaine_dernière aujourd_hui hier demain""",
    "equal": "aussi_cher aussi_chère autant aussi_élevé même mêmes",
    "difference": "différence écart",
    "times": "fois ratio rapport",
    "share": "part pourcentage proportion taux cent",
    "per": "par",
    "each": "chaque chacun chacune",
    "not": "ne pas n jamais aucun aucune sans sauf personne rien ni non manque manquent",
    "all_but": "tous_sauf toutes_sauf",
    "no_other": "aucun_autre aucune_autre",
    "range": """
        varie varient variait variaient oscille oscillent va_de vont_de allait_de allaient_de s_étend""",
    "multiplied": "doublé doublée triplé quadruplé",
    "all": "tous toutes tout toute toujours les_deux",
    "only": "seulement uniquement seul seule seuls exclusivement que_seul ne_que",
    "rank": """
        premier|première|premiers|premières|1er|1re deuxième|second|seconde|2e troisième|3e quatrième|4e
        cinquième|5e sixième|6e""",
    "yes": "oui exact",
    "no_value": "inconnu inconnue vide null non_disponible indisponible non_renseigné non_renseignée",
    "rows": "ligne lignes enregistrement enregistrements entrée entrées résultats",
    "time": "an ans année années mois trimestre trimestres semaine semaines jour jours date dates période",
    "after": "après depuis",
    "before": "avant jusqu",
    "exists": "il_y_a il_y_avait il_y_en_a nous_avons on_compte",
}

ES = {
    "common": """
        el la los las del de qué cuál cuáles cuántos cuántas cuánto es son fue nuestros nuestras en para por
        con y muestra hemos hay quién quiénes un una se tiene tienen que al cada""",
    "polar": "es son hay tiene tienen fue ha han",
    "how_many": "cuántos cuántas cuánto cuánta",
    "join": "y e mientras mientras_que pero o u",
    "sum": """
        total totales suma suman sumado juntos juntas conjunto en_total acumulado en_conjunto totaliza
        suman sumaron sumó entre_los_dos entre_las_dos entre_los_tres
        entre_las_tres entre_todos entre_todas reunidos""",
    "mean": "promedio promedios media medio de_media en_promedio",
    "most": """
        mayor mayores más_alto más_alta más_altos más_grande máximo máxima mejor mejores lidera encabeza
        líder más_elevado más_elevada más_largo que_más el_que_más la_que_más con_más más_caro más_cara
        más_caros más_caras más_tiene más_tienen""",
    "least": """
        que_menos el_que_menos la_que_menos menos_tiene menos_tienen más_barato más_barata menor menores más_bajo
        más_baja más_bajos más_pequeño mínimo mínima peor peores con_menos más_corto
        cierra_la_lista a_la_cola""",
    "latest": "último última últimos últimas más_reciente más_recientes",
    "earliest": "más_antiguo más_antigua más_antiguos",
    "more": "más superior supera superan superó superaron por_delante_de",
    "less": "menos inferior",
    "over": "más_de al_menos superior_a por_encima_de algo_más_de poco_más_de",
    "under": "menos_de casi como_máximo hasta por_debajo_de inferior_a algo_menos_de poco_menos_de",
    "about": "aproximadamente más_o_menos alrededor_de unos unas cerca_de en_torno_a en_torno_al",
    "rise": """
        aumento aumentó aumentaron aumentado creció crecieron crecimiento subió subida incremento incrementó aumenta
        aumentan sube crece subieron suben crecen""",
    "fall": """
        disminución disminuyó disminuyeron bajó bajada cayó cayeron caída descenso descendió redujo redujeron
        reducido reducción reducciones cae disminuido bajaron descendieron caen""",
    "negative": "pérdida pérdidas negativo negativa negativos",
    "steady": """
        año_tras_año trimestre_tras_trimestre mes_tras_mes semana_tras_semana día_tras_día
        de_forma_constante de_manera_constante constantemente continuamente ininterrumpidamente""",
    "last_place": "último_lugar última_posición último_puesto",
    "stable": """
        mantuvo mantuvieron mantiene permaneció permanecieron estable estables constante no_cambió no_ha_cambiado
        no_varió se_mantuvo se_mantuvieron sin_cambios""",
    "points": "puntos_porcentuales punto_porcentual",
    "exact": "exactamente precisamente",
    "some": "algunos algunas varios varias muchos muchas pocos pocas casi_todos casi_todas la_mayoría",
    "asked": """
        este_año este_mes esta_semana este_trimestre el_año_pasado el_mes_pasado la_semana_pasada hoy ayer mañana""",
    "equal": "tan_caro tan_cara tanto tanta tantos tantas mismo misma mismos mismas",
    "difference": "diferencia brecha",
    "times": "veces ratio proporción",
    "share": "porcentaje parte cuota tasa ciento",
    "per": "por",
    "each": "cada",
    "not": """
        algún alguno alguna no sin nunca nadie nada ningún ninguna ninguno tampoco salvo excepto jamás falta
        faltan ni""",
    "all_but": "todos_menos todas_menos todos_salvo todas_salvo",
    "no_other": "ningún_otro ninguna_otra",
    "range": "oscila oscilan osciló oscilaron varía varían varió variaron va_de van_de",
    "multiplied": "duplicado duplicó duplicaron triplicado triplicó",
    "all": "todos todas todo toda ambos ambas siempre",
    "only": "solo sólo solamente únicamente único única",
    "rank": """
        primero|primer|primera|primeros|primeras segundo|segunda tercero|tercer|tercera cuarto|cuarta
        quinto|quinta sexto|sexta""",
    "yes": "sí correcto",
    "no_value": "desconocido desconocida vacío null no_disponible sin_valor",
    "rows": "fila filas registro registros entrada entradas resultados",
    "time": "año años mes meses trimestre trimestres semana semanas día días fecha período periodo",
    "after": "después tras desde_el",
    "before": "antes",
    "exists": "hay hubo existen tenemos",
}

IT = {
    "common": """
        il lo la i gli le di del della dei degli delle che quale quali quanti quante quanto quanta qual è sono
        in per con
        e mostra abbiamo ci nel nella un una ogni da chi ha hanno""",
    "polar": "è sono ci hanno ha",
    "how_many": "quanti quante quanto quanta",
    "join": "e ed mentre ma o oppure nonché",
    "sum": """
        totale totali insieme somma complessivo complessiva complessivamente in_tutto in_totale sommati cumulato
        sommano sommando tutti_insieme tutte_insieme messi_insieme messe_insieme""",
    "mean": """
        media medio medie medi in_media
        mediamente""",
    "most": """
        maggiore maggior maggiori più_alto più_alta più_alti più_grande massimo massima migliore migliori
        guida in_testa più_elevato più_elevata più_lungo il_più la_più con_più di_più più_caro più_cara
        più_cari più_care""",
    "least": """
        minore minor minori più_basso più_bassa più_bassi più_piccolo minimo minima peggiore con_meno
        il_meno di_meno meno_caro meno_cara
        chiude_la_classifica fanalino_di_coda""",
    "latest": "ultimo ultima ultimi ultime più_recente più_recenti",
    "earliest": "più_vecchio più_vecchia più_antico",
    "more": "più superiore supera superano superato superata superati superava superavano davanti_a",
    "less": "meno inferiore",
    "over": "oltre più_di poco_più_di poco_più_del almeno superiore_a più_del",
    "under": "meno_di poco_meno_di poco_meno_del quasi al_massimo fino_a inferiore_a sotto",
    "about": "circa all_incirca pressappoco attorno_a approssimativamente intorno_a",
    "rise": """
        aumento aumentato aumentata aumenta cresciuto cresciuta crescita incremento salito aumentati aumentate
        aumentò crebbe salita incrementato aumentarono crebbero salì salirono saliti""",
    "fall": """
        diminuzione diminuito diminuita calo calato calata sceso scesa ridotto ridotta ridotti ridotte riduzione
        calati scesi diminuite diminuì diminuirono scese scesero calò calarono""",
    "negative": "perdita perdite negativo negativa negativi",
    "steady": """
        anno_dopo_anno trimestre_dopo_trimestre mese_dopo_mese settimana_dopo_settimana giorno_dopo_giorno
        di_anno_in_anno di_trimestre_in_trimestre di_mese_in_mese di_settimana_in_settimana di_giorno_in_giorno
        costantemente continuamente ininterrottamente""",
    "last_place": "ultimo_posto ultima_posizione",
    "stable": """
        rimasto rimasta rimasti rimaste rimane stabile stabili invariato invariata invariati costante non_è_cambiato
        non_è_cambiata è_rimasto è_rimasta""",
    "points": "punti_percentuali punto_percentuale",
    "exact": "esattamente precisamente",
    "some": "alcuni alcune diversi diverse molti molte pochi poche quasi_tutti quasi_tutte la_maggior_parte qualche",
    "asked": """
        quest_anno questo_mese questa_settimana questo_trimestre l_anno_scorso lo_scorso_anno il_mese_scorso
        la_settimana_scorsa oggi ieri domani""",
    "equal": "altrettanto altrettanti altrettante stesso stessa stessi stesse",
    "difference": "differenza divario scarto",
    "times": "volte rapporto",
    "share": "percentuale quota parte tasso cento",
    "per": "per a",
    "each": "ogni ciascun ciascuno",
    "not": "alcun alcuno alcuna non senza mai nessun nessuno nessuna niente nulla né eccetto tranne no manca mancano",
    "all_but": "tutti_tranne tutte_tranne",
    "no_other": "nessun_altro nessun'altra nessuna_altra",
    "range": "varia variano variava variavano oscilla oscillano va_da vanno_da andava_da andavano_da",
    "multiplied": "raddoppiato raddoppiata raddoppiati triplicato triplicata",
    "all": "tutti tutte tutto tutta entrambi entrambe sempre",
    "only": "solo soltanto solamente unicamente unico unica",
    "rank": "primo|prima|primi|prime secondo|seconda terzo|terza quarto|quarta quinto|quinta sesto|sesta",
    "yes": "sì corretto",
    "no_value": "sconosciuto sconosciuta vuoto null non_disponibile",
    "rows": "riga righe record voce voci risultati",
    "time": "anno anni mese mesi trimestre trimestri settimana settimane giorno giorni data date periodo",
    "after": "dopo da_quando",
    "before": "prima_di prima_del",
    "exists": "ci_sono c'è vi_sono abbiamo ci_sono_stati",
}
