"""Groups of words with the same meaning. A sentence may use any word of a group.

A group contains words that can replace each other in a sentence about counts and amounts, in any of the five languages.
No group contains two words that a question could distinguish: "sold" and "bought", "rejected" and "settled", "profit"
and "revenue", "shipped" and "placed". Words of one stem ("livrer", "livraison") need no group.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from agent.checks.grounding.languages.words import fold_word, is_same_word

_STEM, _LONG_STEM, _SHARE = 4, 6, 0.6  # letters that two forms share; of long ones; share of the shorter one

_GROUPS = """
    ticket case request inquiry enquiry
    close closed resolve solve settle handle process complete completed
    deliver supply ship shipment delivery
    title book novel volume
    customer client buyer shopper account
    employee staff worker colleague personnel
    company firm business enterprise
    vehicle car van truck
    home house dwelling property
    flat apartment unit
    pupil student learner candidate
    doctor physician medic
    patient people
    free available vacant open_to
    subscribe subscription register registration enrol enrolment signup join
    revenue turnover sales
    consume consumption use used usage
    outage downtime interruption
    borrow lend loan lent
    city town municipality
    country nation state
    purchase buy order
    spend spent expenditure expense cost
    assign allocate entrust
    depart departure leave
    attend attendance visit visitor
    harvest yield crop
    article item product goods
    warehouse depot store
    shop store outlet branch
    supplier vendor provider
    carrier courier haulier shipper
    plant factory works
    staff team crew
    rating score grade mark
    review rating
    salary wage
    bed occupied full occupancy
    district neighbourhood borough
    inhabitants population residents people
    votes ballots
    listing advert offer
    kunde kunden auftraggeber käufer
    mitarbeiter beschäftigte angestellte arbeitnehmer personal
    firma unternehmen betrieb
    fahrzeug auto wagen
    schüler prüfling teilnehmer kandidat
    ticket anfrage fall
    liefern geliefert zustellen zugestellt
    verbrauchen verbrauch
    kosten ausgeben ausgegeben zahlen zahlte bezahlt bezahlen aufwenden
    frei verfügbar
    filiale geschäft laden niederlassung
    lager depot
    urlaub ferien
    umsatz erlös
    spielen spielt sportart treiben
    ware artikel produkt
    betreiben betreibt flotte
    lehrling azubi
    bestehen bestanden
    gehalt lohn
    client acheteur
    salarié employé collaborateur
    entreprise société
    véhicule voiture
    livrer livré acheminer
    magasin boutique
    entrepôt dépôt
    libre disponible
    logement appartement
    élève candidat étudiant
    coûter payer dépenser
    affecté confié attribué
    consommer consommation
    chiffre recette revenu
    colis paquet
    cliente comprador
    empleado trabajador
    empresa compañía
    coche vehículo
    entregar entrega
    tienda establecimiento
    almacén depósito
    piso vivienda apartamento
    alumno estudiante
    gastar gasto pagar costar
    consumir consumo
    ingresar ingreso recaudar
    resolver cerrar cerrado
    reseña valoración opinión
    acudir visitar
    cliente acquirente
    dipendente lavoratore
    azienda impresa società
    consegnare consegna spedire spedito
    negozio punto_vendita
    magazzino deposito
    libero disponibile
    alunno studente
    spendere speso spesa acquistare acquistato pagare
    consumare consumo
    pacco collo
    versamento deposito
    iscritto iscrizione
    customer client kunde cliente
    late delayed retraso retard ritardo verspätet verspätung
    employee mitarbeiter salarié empleado dipendente
    member mitglied membre miembro socio
    subscriber subscription abonnent abonné suscriptor iscritto iscrizione
    visitor besucher visiteur visitante visitatore
    patient patienten paciente paziente
    order bestellung commande pedido ordine
    product produkt produit producto prodotto
    invoice rechnung facture factura fattura
    supplier lieferant fournisseur proveedor fornitore
    vehicle fahrzeug véhicule vehículo veicolo
    flight flug vol vuelo volo
    loan ausleihe prêt préstamo prestito
    deposit einzahlung versement depósito versamento
    withdrawal abhebung retrait retirada prelievo
    balance saldo solde
    point punkt punto
    goal tor gol
    student schüler studierende étudiant élève alumno studente
    city stadt ville ciudad città
    country land país paese
    department abteilung service departamento reparto
    store filiale magasin tienda negozio
    parcel paket colis paquete pacco
    passenger fahrgast passager pasajero passeggero
    review bewertung avis reseña recensione
    seat sitz siège asiento seggio
    room zimmer chambre habitación camera
    night übernachtung nuit noche notte
    book buch livre libro
    animal tier animaux animale
    train zug tren treno
    win won winner victory victorious
    gewinnen gewonnen gewann sieger siegerin sieg
    gagner gagné vainqueur gagnant gagnante victoire remporter remporté
    ganar ganó ganador ganadora vencedor victoria
    vincere vinto vincitore vincitrice vittoria
    opened opening inaugurated eröffnet eröffnung inauguré ouvert ouverture inaugurado abierto abrió apertura aperto
    day daily täglich jour quotidien diario giornaliero
    month monthly monatlich mensuel mensual mensile
    year yearly annual annually jährlich annuel anual annuale
    fare ticket
    passenger rider traveller commuter
    fahrgast reisender passagier
    voyageur passager usager
    pasajero viajero
    passeggero viaggiatore
    socio membro iscritto
    member subscriber
    stay stays spend
    admission admitted admit
"""
# Each of these general words is a synonym of every word in `_PEOPLE`.
_ANYBODY = ("people", "person", "personen", "menschen", "leute", "personnes", "personas", "persone")
_PEOPLE = """
    passenger rider traveller patient visitor guest customer client employee member student pupil participant attendee
    spectator subscriber inhabitant resident user reader player runner donor tenant volunteer worker staff
    kunde mitarbeiter beschäftigte patient besucher gast fahrgast mitglied teilnehmer einwohner schüler nutzer
    voyageur passager patient visiteur client employé salarié membre participant habitant élève abonné
    pasajero viajero paciente visitante cliente empleado socio participante habitante alumno
    passeggero paziente visitatore cliente dipendente socio partecipante abitante alunno
"""
_SETS: tuple[tuple[str, ...], ...] = (
    *(tuple(line.split()) for line in _GROUPS.strip().splitlines()),
    *((one, *_ANYBODY) for one in _PEOPLE.split()),
)


@lru_cache(maxsize=8192)
def _groups_of(word: str) -> frozenset[int]:
    return frozenset(at for at, group in enumerate(_SETS) if any(is_same_word(word, it) for it in group))


@lru_cache(maxsize=65536)
def _have_one_stem(one: str, other: str) -> bool:
    one, other = fold_word(one), fold_word(other)
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    least = min(len(one), len(other))
    return (
        shared >= _STEM and shared >= _SHARE * least and (shared >= _LONG_STEM or abs(len(one) - len(other)) <= _STEM)
    )


def is_near(word: str, known: Iterable[str]) -> bool:
    """Whether a word shares its stem with one of these or can replace it."""
    groups = _groups_of(word)
    return any(_have_one_stem(word, it) or (groups and groups & _groups_of(it)) for it in known)


def is_synonym(word: str, known: Iterable[str]) -> bool:
    """Whether a word can replace one of these, in its own language or another one."""
    groups = _groups_of(word)
    return bool(groups) and any(groups & _groups_of(it) for it in known)


def is_derived(word: str, known: Iterable[str]) -> bool:
    """Whether a word shares its stem with one of these: "Norwegian" and "Norway"."""
    return any(_have_one_stem(word, it) for it in known)
