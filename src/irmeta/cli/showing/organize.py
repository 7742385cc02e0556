"""`irmeta board`, for who organizes: people, judgments, the pool, the reveal, the log."""

from pathlib import Path
from typing import Annotated, Literal

from irmeta.cli.app import argument, option
from irmeta.cli.options import Address, Count
from irmeta.cli.output import say_note, say_wrote
from irmeta.cli.showing.board import Key, SiteOption, board, opened
from irmeta.cli.showing.serve import extra
from irmeta.errors import IrmetaError
from irmeta.words import message

Output = Annotated[
    Path, option("-o", "--output", metavar="FILE", help="File to write.")
]
Person = Annotated[str, option(metavar="PERSON")]
Team = Annotated[str, option(metavar="TEAM", help="The team.")]


@board.command()
def invite(
    key: Key,
    site: SiteOption,
    role: Literal["reader", "member", "organizer"] = "member",
    team: Team = "",
) -> None:
    """Print an invitation, which one person can take once within 14 days.

    role : what they become

    irmeta board invite covid1 --team Lund --site site/

    irmeta board invite covid1 --role organizer --site site/
    """
    of, engine = opened(site)
    from irmeta.serve.catalogue import people

    secret = people.invite(engine, key, role, team)
    print(f"{of.address}/i/#{secret}")
    if not of.settings.address:
        mend = f"or set address in {of.folder / 'site.toml'}"
        where = f"where others reach the site elsewhere, replace {of.address}"
        say_note(f"{where}, {mend}")


@board.command("people")
def people_(
    key: Key,
    site: SiteOption,
    accept: Team = "",
    remove: Team = "",
    holder: Team = "",
    erase: Person = "",
    disable: Person = "",
    enable: Person = "",
) -> None:
    """List the people of a board and who is invited, or change what teams may.

    accept : let a team take part that asks to
    remove : end what a team may; its runs stay
    holder : a team has seen the judgments: it is not ranked
    erase : erase a person, by key; runs stay
    disable : keep a person out, by key
    enable : let a person log in again, by key

    irmeta board people covid1 --site site/

    irmeta board people covid1 --accept Lund --site site/
    """
    _, engine = opened(site)
    from irmeta.serve.catalogue import boards, people
    from irmeta.serve.catalogue.rules import clock

    if accept:
        people.set_team(engine, key, accept, state="in")
        print(f"{accept}: takes part")
    if remove:
        people.set_team(engine, key, remove, state="out")
        print(f"{remove}: takes part no more; its runs stay")
    if holder:
        people.set_team(engine, key, holder, holder=True)
        print(f"{holder}: has seen the judgments; its runs are marked, and not ranked")
    if erase:
        people.erase_person(engine, erase)
        print(f"{erase}: erased; backups made before still have the name")
    if disable:
        people.disable_person(engine, disable)
        print(f"{disable}: kept out; sessions and tokens have ended")
    if enable:
        people.enable_person(engine, enable)
        print(f"{enable}: may log in again")
    at = boards.board_of(engine, key).id
    for one in people.people_of_board(engine, at):
        team = f"{one.team} ({one.state})" if one.team else "-"
        who = ", ".join(filter(None, (one.name, one.affiliation)))
        print(f"{one.key}  {one.role:10} {team:20} {who}")
    for one in people.open_invitations(engine, at):
        since, until = clock(one.created)[:10], clock(one.expires)[:10]
        print(
            f"{'':16}  {one.role:10} {one.team or '-':20} invited {since}, until {until}"
        )


@board.command()
def judgments(key: Key, qrels: Path, site: SiteOption, note: str = "") -> None:
    """Add judgments, or a new version: all runs are scored, and only organizers see it before the reveal.

    qrels : the judgments
    note : why; everybody reads it

    irmeta board judgments covid1 --qrels qrels.txt --site site/
    """
    of, engine = opened(site)
    from irmeta.serve.catalogue import boards
    from irmeta.serve.operating import importing

    version = importing.add_judgments(of, engine, key, qrels, note)
    found = boards.judgments_of(engine, key)
    print(f"{key}: judgments version {version}; the server scores all runs under it")
    assert found is not None
    print(f"commitment, on the board's page: {found.commitment}")
    print(f"salt, secret while the judgments are: {found.salt}")


@board.command()
def pool(
    key: Key, output: Output, site: SiteOption, depth: Count = 10, runs: Count = 2
) -> None:
    """Write the documents to judge, as topic and document, in an order that says nothing of ranks or runs.

    depth : first documents of a run
    runs : first runs of a team

    irmeta board pool covid1 --depth 10 --runs 2 -o pool.tsv --site site/
    """
    of, engine = opened(site)
    from irmeta.serve.operating import organizing

    found = organizing.pool(of, engine, key, depth, runs)
    lines = (f"{topic}\t{document}\n" for topic, document in found)
    output.write_text("".join(lines), encoding="utf-8")
    say_wrote(output, f"{len(found)} documents to judge")


@board.command()
def runs(key: Key, site: SiteOption) -> None:
    """List the runs of a board: key, when it came (UTC), state, team, name; below one that was refused, why.

    irmeta board runs covid1 --site site/
    """
    _, engine = opened(site)
    from irmeta.serve.catalogue import boards, submissions
    from irmeta.serve.catalogue.rules import clock

    for one in submissions.submissions_of(engine, boards.board_of(engine, key).id):
        name = ", ".join([one.name, *one.marks])
        print(
            f"{one.key}  {clock(one.received)}  {one.state:9}  {one.team or '-':20}  {name}"
        )
        wrong = [said for said in one.remarks if said["level"] == "error"]
        for said in wrong[:1]:
            at = "" if said["line"] is None else f"line {said['line']}: "
            more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
            print(message(f"  {at}{said['text']}{more}"))


@board.command()
def withdraw(key: Key, run: Annotated[str, argument()], site: SiteOption) -> None:
    """Take a run off the table for good; its page stays, and says so.

    run : its key, NAME or TEAM/NAME

    irmeta board withdraw covid1 Lund/bm25 --site site/
    """
    _, engine = opened(site)
    from irmeta.serve.catalogue import boards, submissions
    from irmeta.serve.catalogue.tables import GONE

    found = [
        one
        for one in submissions.submissions_of(engine, boards.board_of(engine, key).id)
        if run in (one.key, one.name, f"{one.team}/{one.name}")
        and one.state not in GONE
    ]
    if len(found) != 1:
        many = "several runs are called so" if found else "no run to withdraw"
        raise IrmetaError(
            f"{run}: {many}; name it by its key, which irmeta board runs {key} --site {site} lists"
        )
    submissions.withdraw(engine, found[0].key)
    print(f"{key}: {found[0].name} withdrawn for good; its page stays, without a rank")


@board.command()
def duplicates(key: Key, site: SiteOption) -> None:
    """List runs of different teams whose first ten documents are the same on half of the topics or more.

    irmeta board duplicates covid1 --site site/
    """
    of, engine = opened(site)
    from irmeta.serve.operating import organizing

    found = organizing.duplicates(of, engine, key)
    for one, other, share in found:
        print(f"{share:4.0%}  {one.team}: {one.name}  {other.team}: {other.name}")
    if not found:
        print(f"{key}: no two teams have runs that are alike")


@board.command()
def reveal(
    key: Key, site: SiteOption, confirm: Annotated[str, option(metavar="KEY")] = ""
) -> None:
    """Show the scores of a board to whoever may see it, for ever.

    confirm : the key again; by default it asks

    irmeta board reveal covid1 --site site/
    """
    _, engine = opened(site)
    from irmeta.serve.catalogue import boards

    boards.board_of(engine, key)
    typed = confirm or input(f"Nobody can undo this. Type {key} to reveal it: ").strip()
    boards.reveal(engine, key, typed)
    print(f"{key}: revealed; its pages follow within seconds while a server runs")


@board.command()
def log(key: Key, site: SiteOption, verify: bool = False) -> None:
    """Print what happened to a board, and who did it; who was erased is a number.

    verify : say whether a line was changed or is lost

    irmeta board log covid1 --verify --site site/
    """
    _, engine = opened(site)
    from irmeta.serve.catalogue import boards, events, people
    from irmeta.serve.catalogue.rules import clock

    names = people.names_of_people(engine)
    for one in events.events_of_board(engine, boards.board_of(engine, key).id):
        by = (
            "" if one.person is None else f" by {events.person_name(one.person, names)}"
        )
        print(f"{clock(one.at)}  {events.event_in_words(one, names)}{by}")
    if verify:
        print(
            f"the log of the site is whole; its last digest: {events.verified_digest(engine)}"
        )


@board.command()
def backup(site: SiteOption, output: Output) -> None:
    """Write a site into one file, while it is served; judgments are in it, so keep it as they are kept.

    irmeta board backup --site site/ -o site-2026-11-27.tar
    """
    of, _ = opened(site)
    from irmeta.serve.operating.backup import back_up

    say_wrote(output, f"{back_up(of, output)} files")


@board.command()
def restore(
    file: Annotated[
        Path, argument(metavar="FILE", help="What `irmeta board backup` wrote.")
    ],
    site: SiteOption,
    *,
    database: Address = "",
    replace: bool = False,
) -> None:
    """Make a site of a backup, which is verified first.

    database : of an empty PostgreSQL; SQLite otherwise
    replace : put a site that is there aside

    irmeta board restore site-2026-11-27.tar --site site/

    irmeta board restore site-2026-11-27.tar --site site/ --database postgresql:///runs
    """
    with extra():
        from irmeta.serve.operating.backup import restore as write
    aside = write(file, site, database=database, replace=replace)
    old = "" if aside is None else f"; what was there is {aside}"
    print(f"{site}: restored{old}; irmeta serve {site} makes its pages")
