"""`irmeta board`, for who organizes: people, judgments, the pool, the reveal, the log."""

from pathlib import Path
from typing import Annotated, Literal

from irmeta.cli.app import argument, option
from irmeta.cli.options import Address, Count
from irmeta.cli.output import say_note, say_wrote
from irmeta.cli.showing.board import Key, SiteOption, board, open_site
from irmeta.cli.showing.serve import require_serve
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
    with open_site(site) as (opened, engine):
        from irmeta.serve.catalogue import people

        secret = people.invite(engine, key, role, team)
        print(f"{opened.address}/i/#{secret}")
        if not opened.settings.address:
            mend = f"or set address in {opened.folder / 'site.toml'}"
            where = f"where others reach the site elsewhere, replace {opened.address}"
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
    with open_site(site) as (_, engine):
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
            print(
                f"{holder}: has seen the judgments; its runs are marked, and not ranked"
            )
        if erase:
            people.erase_person(engine, erase)
            print(f"{erase}: erased; backups made before still have the name")
        if disable:
            people.disable_person(engine, disable)
            print(f"{disable}: kept out; sessions and tokens have ended")
        if enable:
            people.enable_person(engine, enable)
            print(f"{enable}: may log in again")
        number = boards.board_of(engine, key).id
        for person in people.people_of_board(engine, number):
            team = f"{person.team} ({person.state})" if person.team else "-"
            names = ", ".join(filter(None, (person.name, person.affiliation)))
            print(f"{person.key}  {person.role:10} {team:20} {names}")
        for invited in people.open_invitations(engine, number):
            since, until = clock(invited.created)[:10], clock(invited.expires)[:10]
            who = f"{invited.role:10} {invited.team or '-':20}"
            print(f"{'':16}  {who} invited {since}, until {until}")


@board.command()
def judgments(key: Key, qrels: Path, site: SiteOption, note: str = "") -> None:
    """Add judgments, or a new version: all runs are scored, and only organizers see it before the reveal.

    qrels : the judgments
    note : why; everybody reads it

    irmeta board judgments covid1 --qrels qrels.txt --site site/
    """
    with open_site(site) as (opened, engine):
        from irmeta.serve.catalogue import boards
        from irmeta.serve.operating import importing

        version = importing.add_judgments(opened, engine, key, qrels, note)
        added = boards.judgments_of(engine, key)
        print(
            f"{key}: judgments version {version}; the server scores all runs under it"
        )
        assert added is not None
        print(f"commitment, on the board's page: {added.commitment}")
        print(f"salt, secret while the judgments are: {added.salt}")


@board.command()
def pool(
    key: Key, output: Output, site: SiteOption, depth: Count = 10, runs: Count = 2
) -> None:
    """Write the documents to judge, as topic and document, in an order that says nothing of ranks or runs.

    depth : first documents of a run
    runs : first runs of a team

    irmeta board pool covid1 --depth 10 --runs 2 -o pool.tsv --site site/
    """
    with open_site(site) as (opened, engine):
        from irmeta.serve.operating import organizing

        documents = organizing.pool(opened, engine, key, depth, runs)
        lines = (f"{topic}\t{document}\n" for topic, document in documents)
        output.write_text("".join(lines), encoding="utf-8")
        say_wrote(output, f"{len(documents)} documents to judge")


@board.command()
def runs(key: Key, site: SiteOption) -> None:
    """List the runs of a board: key, when it came (UTC), state, team, name; below one that was refused, why.

    irmeta board runs covid1 --site site/
    """
    with open_site(site) as (_, engine):
        from irmeta.serve.catalogue import boards, submissions
        from irmeta.serve.catalogue.rules import clock

        for run in submissions.submissions_of(engine, boards.board_of(engine, key).id):
            name = ", ".join([run.name, *run.marks])
            print(
                f"{run.key}  {clock(run.received)}  {run.state:9}  {run.team or '-':20}  {name}"
            )
            errors = [remark for remark in run.remarks if remark["level"] == "error"]
            for remark in errors[:1]:
                line = "" if remark["line"] is None else f"line {remark['line']}: "
                others = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
                print(message(f"  {line}{remark['text']}{others}"))


@board.command()
def withdraw(key: Key, run: Annotated[str, argument()], site: SiteOption) -> None:
    """Take a run off the table for good; its page stays, and says so.

    run : its key, NAME or TEAM/NAME

    irmeta board withdraw covid1 Lund/bm25 --site site/
    """
    with open_site(site) as (_, engine):
        from irmeta.serve.catalogue import boards, submissions
        from irmeta.serve.catalogue.tables import GONE

        submitted = submissions.submissions_of(engine, boards.board_of(engine, key).id)
        there = [sent for sent in submitted if sent.state not in GONE]
        matching = [
            sent
            for sent in there
            if run in (sent.key, sent.name, f"{sent.team}/{sent.name}")
        ]
        if len(matching) != 1:
            problem = "several runs are called so" if matching else "no run to withdraw"
            raise IrmetaError(
                f"{run}: {problem}; name it by its key, which irmeta board runs {key} --site {site} lists"
            )
        submissions.withdraw(engine, matching[0].key)
        name = matching[0].name
        print(f"{key}: {name} withdrawn for good; its page stays, without a rank")


@board.command()
def duplicates(key: Key, site: SiteOption) -> None:
    """List runs of different teams whose first ten documents are the same on half of the topics or more.

    irmeta board duplicates covid1 --site site/
    """
    with open_site(site) as (opened, engine):
        from irmeta.serve.operating import organizing

        pairs = organizing.duplicates(opened, engine, key)
        for run, other, share in pairs:
            print(f"{share:4.0%}  {run.team}: {run.name}  {other.team}: {other.name}")
        if not pairs:
            print(f"{key}: no two teams have runs that are alike")


@board.command()
def reveal(
    key: Key, site: SiteOption, confirm: Annotated[str, option(metavar="KEY")] = ""
) -> None:
    """Show the scores of a board to whoever may see it, for ever.

    confirm : the key again; by default it asks

    irmeta board reveal covid1 --site site/
    """
    with open_site(site) as (_, engine):
        from irmeta.serve.catalogue import boards

        boards.require_revealable(engine, key)
        try:
            typed = confirm or input(f"Nobody can undo this. Type {key} to reveal it: ")
        except EOFError:
            raise IrmetaError(f"needs --confirm {key}") from None
        boards.reveal(engine, key, typed.strip())
        print(f"{key}: revealed; its pages follow within seconds while a server runs")


@board.command()
def log(key: Key, site: SiteOption, verify: bool = False) -> None:
    """Print what happened to a board, and who did it; who was erased is a number.

    verify : say whether a line was changed or is lost

    irmeta board log covid1 --verify --site site/
    """
    with open_site(site) as (_, engine):
        from irmeta.serve.catalogue import boards, events, people
        from irmeta.serve.catalogue.rules import clock

        names = people.names_of_people(engine)
        for event in events.events_of_board(engine, boards.board_of(engine, key).id):
            text = events.event_in_words(event, names)
            if event.person is not None:
                text += f" by {events.person_name(event.person, names)}"
            print(f"{clock(event.at)}  {text}")
        if verify:
            print(
                f"the log of the site is whole; its last digest: {events.verified_digest(engine)}"
            )


@board.command()
def backup(site: SiteOption, output: Output) -> None:
    """Write a site into one file, while it is served; judgments are in it, so keep it as they are kept.

    irmeta board backup --site site/ -o site-2026-11-27.tar
    """
    with open_site(site) as (opened, _):
        from irmeta.serve.operating.backup import back_up

        say_wrote(output, f"{back_up(opened, output)} files")


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
    with require_serve():
        from irmeta.serve.operating.backup import restore as restore_site
    moved = restore_site(file, site, database=database, replace=replace)
    old = "" if moved is None else f"; what was there is {moved}"
    print(f"{site}: restored{old}; irmeta serve {site} makes its pages")
