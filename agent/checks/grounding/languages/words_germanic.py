"""The closed vocabulary of English and German; `vocabulary` explains the lists."""

from __future__ import annotations

EN = {
    "common": """
        the of what which how many is are was were in for by from show list do did does we our with have has
        who and me all each there a an to it on at give most than when where per i""",
    "polar": "is are was were do does did has have had can could will",
    "how_many": "how_many",
    "join": "and while whereas but plus or",
    "sum": """
        total totals totalled totaled totalling totaling totally together altogether overall sum sums combined
        in_total in_all in_sum aggregate cumulative jointly entire""",
    "mean": "average averages averaged averaging mean avg on_average typical",
    "most": """
        most highest largest biggest greatest maximum max top best leading leads lead led leader tops topped
        peak peaked peaks longest heaviest fastest quickest tallest strongest furthest farthest busiest
        more_than_any_other more_than_any higher_than_any_other than_any_other than_all_others most_expensive priciest
        costliest dearest most_popular most_common most_frequent biggest
        hottest warmest wettest fullest
        in_the_lead on_top comes_out_on_top ranks_first came_out_on_top""",
    "least": """
        fewest lowest smallest least minimum min worst shortest lightest slowest weakest bottom quietest cheapest
        least_expensive least_popular least_common less_than_any_other fewer_than_any_other lower_than_any_other
        coldest coolest driest emptiest
        brings_up_the_rear bringing_up_the_rear at_the_bottom trails_the_field""",
    "latest": "latest newest most_recent youngest last final",
    "earliest": "earliest oldest",
    "more": """
        more higher larger greater bigger longer heavier exceeds exceed exceeded surpassed
        ahead_of above outsold busier dearer more_expensive pricier costlier more_popular more_common
        hotter warmer wetter""",
    "less": """
        less fewer lower smaller shorter lighter below behind lags trails quieter cheaper less_expensive
        less_popular
        colder cooler drier""",
    "over": """
        just_over slightly_more_than slightly_over just_above a_little_over a_little_more_than
        over more_than above at_least exceeding upwards_of greater_than higher_than no_fewer_than
        no_less_than in_excess_of""",
    "under": """
        under less_than fewer_than almost nearly below at_most close_to just_under just_below slightly_less_than
        slightly_under a_little_under a_little_less_than just_short_of up_to lower_than
        no_more_than""",
    "about": "about approximately approx around roughly circa ca nearly_exactly in_the_region_of or_so",
    "rise": """
        increase increased increases increasing rose rise rises risen grew grow grown growth gain gained up_by
        climbed jumped surged soared expanded
        went_up goes_up going_up gone_up up_from""",
    "fall": """
        decrease decreased decreases decreasing fell fall falls fallen dropped drop drops decline declined
        declines shrank shrunk down_by
        went_down goes_down going_down gone_down down_from
        reduced reduces reduction reductions cut cuts slid plunged slumped dipped dip dips lowered""",
    "negative": "loss losses lost negative minus deficit",
    "steady": """
        year_after_year quarter_after_quarter month_after_month week_after_week day_after_day
        year_by_year quarter_by_quarter month_by_month week_by_week day_by_day
        steadily continuously consistently without_interruption""",
    "last_place": """
        last_place came_last comes_last come_last ranks_last ranked_last finished_last finishes_last is_last""",
    "stable": """
        stayed stays remained remains unchanged constant stable did_not_change didn't_change has_not_changed
        hasn't_changed no_change have_not_changed stayed_the_same remained_the_same remained_unchanged""",
    "points": "percentage_points percentage_point",
    "exact": "exactly precisely",
    "some": """
        some several many few various numerous most_of_the most_of_these most_of_our almost_all nearly_all a_few
        a_lot""",
    "asked": """
        this_year this_month this_week this_quarter last_year last_month last_week last_quarter next_year next_month
        today yesterday tomorrow so_far to_date""",
    "equal": "as_many as_much as_high as_expensive as_large as_long as_often as_far the_same equally tie tied ties",
    "difference": "difference differ differs gap margin swing",
    "times": "times ratio",
    "share": "share percentage percent proportion portion fraction rate",
    "per": "per",
    "each": "each every for_each for_every everyone everybody",
    "not": """
        not no never neither nor without except n't cannot none nobody nothing no_one fail failed fails lack
        lacks lacking missing isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't""",
    "all_but": "all_but all_except all_but_one_of",
    "no_other": "no_other none_of_the_other",
    "range": "range ranges ranged ranging span spans spanned vary varies varied varying",
    "multiplied": "doubled doubling tripled tripling quadrupled halved",
    "all": "all both everything always whole_of each_of any_of entirely",
    "only": "only solely exclusively just_one",
    "rank": """
        first|1st second|2nd third|3rd fourth|4th fifth|5th sixth|6th seventh|7th eighth|8th ninth|9th
        tenth|10th""",
    "yes": "yes correct indeed",
    "no_value": "null unknown unavailable not_available no_value not_recorded not_known unspecified empty not_set",
    "rows": "row rows record records entry entries result results",
    "time": "year years month months quarter quarters week weeks day days date dates period hour time",
    "after": "after since later_than newer_than",
    "before": "before until prior_to earlier_than older_than till",
    "exists": "there_are there_is there_were there_was there_have_been we_have we_had",
}

DE = {
    "common": """
        der die das den dem des wie viele viel welche welcher welches was ist sind war waren im in für von
        unsere unser zeige hat haben wir und mit nach zuletzt alle wer es gibt ein eine einen auf zu pro je""",
    "polar": "ist sind war waren hat haben hatte hatten gibt gab kann wird wurde wurden",
    "how_many": "wie_viele wieviele wie_viel",
    "join": "und sowie während aber oder",
    "sum": """
        insgesamt gesamt gesamte gesamten gesamter gesamtes zusammen zusammengenommen zusammengerechnet summe
        gesamtsumme gesamtzahl addiert aufsummiert alles_in_allem in_summe""",
    "mean": "durchschnitt* mittel mittelwert schnitt",
    "most": """
        meisten meiste meister höchst* größt* am_meisten maximum maximal* beste besten bester bestes top führt
        führen führend* spitzenreiter teuerst* beliebtest* häufigst* mehr_als_jede_andere mehr_als_jeder_andere
        mehr_als_jedes_andere mehr_als_alle_anderen stärkst* längst* schwerst* schnellst* weitest* obersten
        wärmst* heißest*
        vorn vorne an_der_spitze spitze""",
    "least": """
        wenigst* am_wenigsten niedrigst* kleinst* geringst* minimum minimal* schlechtest* kürzest*
        schwächst* langsamst* billigst* günstigst*
        kältest* trockenst*
        schlusslicht am_ende_der_liste""",
    "latest": "neuest* jüngst* letzte letzten letzter letztes aktuellst* späteste* zuletzt",
    "earliest": "älteste* früheste* erstmals",
    "more": """
        mehr höher* größer* länger* schwerer teurer* übersteigt übertrifft übersteigen überstieg überstiegen
        übertraf übertrafen überschritt überschritten""",
    "less": "weniger niedriger* geringer* kleiner* kürzer* leichter billiger* günstiger*",
    "over": "über mehr_als mindestens etwas_mehr_als knapp_über etwas_über",
    "under": "unter weniger_als etwas_weniger_als knapp_unter fast knapp beinahe höchstens nahezu bis_zu",
    "about": "etwa rund ungefähr annähernd circa ca zirka gut",
    "rise": """
        anstieg gestiegen stieg stiegen steigerung gewachsen wuchs wuchsen zunahme zugenommen erhöht erhöhte
        plus
        kletterte kletterten erhöhung erhöhten steigt steigen""",
    "fall": """
        rückgang gesunken sank sanken abnahme abgenommen gefallen fiel fielen verringert zurückgegangen
        reduziert reduzierte reduzierten reduzierung senkte senkten gesenkt schrumpfte sinkt sinken""",
    "negative": "verlust verluste minus negativ*",
    "steady": """
        jahr_für_jahr quartal_für_quartal monat_für_monat woche_für_woche tag_für_tag von_jahr_zu_jahr
        von_quartal_zu_quartal von_monat_zu_monat von_woche_zu_woche von_tag_zu_tag stetig kontinuierlich
        durchgehend""",
    "last_place": "letzten_platz letzter_platz letzter_stelle letzte_stelle letzten_rang letzter_rang",
    "stable": """
        blieb blieben gleich_geblieben gleichgeblieben unverändert konstant stabil nicht_verändert blieb_gleich
        blieben_gleich blieb_unverändert""",
    "points": "prozentpunkt prozentpunkte prozentpunkten",
    "exact": "genau exakt",
    "some": "einige einigen mehrere mehreren viele vielen wenige wenigen manche fast_alle ein_paar die_meisten_der",
    "asked": """
        dieses_jahr diesen_monat dieser_woche diese_woche diesem_jahr diesem_monat letztes_jahr letzten_monat
        letzte_woche letzter_woche letztem_jahr nächstes_jahr heute gestern morgen bisher""",
    "equal": """
        so_teuer so_viel so_viele so_hoch so_groß so_lang so_oft so_weit genauso* ebenso* gleich gleichviel
        gleiche""",
    "difference": "differenz unterschied abstand unterscheid*",
    "times": "mal_so_viel mal_so_viele mal_so_hoch fache verhältnis",
    "share": "anteil prozent prozentsatz quote",
    "per": "pro je",
    "each": "jede jeder jedes jeden jedem",
    "not": """
        nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne außer weder noch_nie nein
        fehlt fehlen""",
    "all_but": "alle_außer alle_bis_auf",
    "no_other": "kein_anderer keine_andere kein_anderes keiner_der_anderen",
    "range": "reicht reichen reichte reichten schwankt schwanken schwankte schwankten liegen_zwischen lagen_zwischen",
    "multiplied": "verdoppelt verdoppelte verdoppelten verdreifacht verdreifachte halbiert halbierte",
    "all": "alle allen aller alles sämtliche* beide beiden immer stets",
    "only": "nur ausschließlich lediglich einzig einzige einziger",
    "rank": """
        erste|ersten|erster|erstes zweite|zweiten|zweiter|zweites dritte|dritten|dritter|drittes
        vierte|vierten|vierter fünfte|fünften|fünfter sechste|sechsten|sechster""",
    "yes": "ja richtig",
    "no_value": """
        unbekannt leer null nicht_bekannt nicht_verfügbar kein_wert nicht_angegeben ohne_angabe
        nicht_erfasst""",
    "rows": "zeile zeilen datensatz datensätze einträge eintrag ergebnisse ergebnissen",
    "time": """
        jahr jahre jahres jahren monat monate monats monaten quartal quartals woche wochen tag tage tagen
        datum zeitraum""",
    "after": "nach_dem seit später_als",
    "before": "vor bis_zum früher_als",
    "exists": "es_gibt es_gab gibt_es gab_es wir_haben es_sind es_waren",
}
