"""Login by OpenID Connect: a provider says which of its people comes, and nothing else of them is believed."""

import asyncio
import hmac
import re
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import cache
from hashlib import sha256
from ssl import SSLContext
from typing import Annotated, Any, NamedTuple

import httpx2
import msgspec
from anyio import to_thread
from authlib.integrations.starlette_client import StarletteOAuth2App
from fastapi import APIRouter, Path
from fastapi.responses import Response

from irmeta.serve.catalogue import people
from irmeta.serve.catalogue.people import Identity
from irmeta.serve.catalogue.rules import MISSING, RefusedError, checked_texts
from irmeta.serve.crew.logs import LOG
from irmeta.serve.site import Login, Site
from irmeta.serve.web.my import Guest, Here, cookie_of, show_entry
from irmeta.words import shortened

PROVIDER = Annotated[str, Path(pattern="^[a-z0-9-]{1,20}$")]
SECONDS, LASTS = 10, 600
"""Seconds that a provider may take in all, and that a person may take to log in there."""
MOST = 1 << 18
"""Bytes of an answer of a provider, at most."""
SIGNATURES = ["RS256", "PS256", "ES256"]
"""Signatures of a private key; what a provider says that it would use is not asked."""
SUBJECT = 255
"""Characters of a subject, at most."""
LEEWAY = 60
"""Seconds by which clocks may differ."""
OWN = re.compile(r"(?:my|organize|join|i)/[a-z0-9/-]*")
"""Pages of this site to which a login may lead; no other address."""
UNBEGUN = "this login was not begun here, or took too long; begin it again"


class _Facts(msgspec.Struct):
    """What a provider says of itself, as far as it is heard."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    authorization_response_iss_parameter_supported: bool = False


@cache
def _trusted_certificates() -> SSLContext:
    """Return the certificates that this process trusts: reading them takes longer than asking a provider."""
    return httpx2.create_ssl_context()


class _Bounded(httpx2.AsyncHTTPTransport):
    """Takes answers that are short and not packed."""

    def __init__(self) -> None:
        super().__init__(verify=_trusted_certificates())

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Ask, and read the whole answer."""
        request.headers["accept-encoding"] = "identity"
        answer = await super().handle_async_request(request)
        try:
            if answer.headers.get("content-encoding", "identity") != "identity":
                raise httpx2.DecodingError("a packed answer")
            content = b""
            async for piece in answer.aiter_raw():
                content += piece
                if len(content) > MOST:
                    raise httpx2.DecodingError(f"an answer of more than {MOST} bytes")
        finally:
            await answer.aclose()
        return httpx2.Response(
            answer.status_code, headers=answer.headers, content=content
        )


class _Begun(NamedTuple):
    """A login that was begun in a browser, which alone has this as a cookie.

    secret : all that the provider is to repeat is derived from it. who : the person that is to be linked, 0 for none.
    """

    provider: str
    secret: str
    who: int
    to: str

    @classmethod
    def of_cookie(cls, cookie: str) -> "_Begun | None":
        """Return what a cookie says."""
        parts = cookie.split(".")
        if len(parts) != len(cls._fields) or not re.fullmatch("[0-9]{1,18}", parts[2]):
            return None
        return cls(parts[0], parts[1], int(parts[2]), parts[3])

    def cookie(self) -> str:
        """Return what a browser keeps."""
        return ".".join(map(str, self))

    def derived(self, what: str) -> str:
        """Return a value that nobody knows without the cookie, and that says nothing of it."""
        return hmac.new(self.secret.encode(), what.encode(), sha256).hexdigest()


class Provider:
    """One provider, and what this site asks of it."""

    def __init__(self, site: Site, login: Login) -> None:
        self._login = login
        self._secret = site.login_secret(login)
        self._back = f"{site.address}/login/{login.name}"

    async def begin(self, begun: _Begun) -> str:
        """Return the address at which a person logs in."""
        async with self._limited_time():
            app = self._client(await self._discovered())
            names = ("state", "nonce", "code_verifier")
            derived = {name: begun.derived(name) for name in names}
            made = await app.create_authorization_url(self._back, **derived)
            return str(made["url"])

    async def identify(
        self, begun: _Begun, answer: Mapping[str, str]
    ) -> tuple[Identity, str]:
        """Return who came back, and the name that the provider has; refuse an answer to another login."""
        state = answer.get("state", "").encode()
        if not hmac.compare_digest(state, begun.derived("state").encode()):
            raise RefusedError(403, UNBEGUN)
        async with self._limited_time():
            facts = await self._discovered()
            needed = facts.authorization_response_iss_parameter_supported
            if answer.get("iss", None if needed else facts.issuer) != facts.issuer:
                raise RefusedError(403, UNBEGUN)
            if "code" not in answer:
                raise RefusedError(403, f"{self._login.label} did not let you in")
            app = self._client(facts)
            verifier = begun.derived("code_verifier")
            token = await app.fetch_access_token(
                self._back, code=answer["code"], code_verifier=verifier
            )
            exact = {"iss": facts.issuer, "aud": self._login.client}
            options = {
                name: {"essential": True, "value": value}
                for name, value in exact.items()
            }
            claims = await app.parse_id_token(
                token, begun.derived("nonce"), options, leeway=LEEWAY
            )
            subject = claims["sub"]
            if not isinstance(subject, str) or not 0 < len(subject) <= SUBJECT:
                raise ValueError("a subject that is no text, or too long")
            return Identity(facts.issuer, subject), _shown_name(claims.get("name"))

    @asynccontextmanager
    async def _limited_time(self) -> AsyncIterator[None]:
        """Limit the time of what is asked of a provider; refuse whatever is wrong with its answers in one sentence."""
        try:
            async with asyncio.timeout(SECONDS):
                yield
        except RefusedError:
            raise
        except Exception as error:  # nobody knows what the answers of others bring
            LOG.warning("login %s: %s", self._login.name, shortened(repr(error), 200))
            says = f"{self._login.label} did not answer as it should; try it later"
            raise RefusedError(502, says) from error

    async def _discovered(self) -> _Facts:
        """Return the addresses that a provider says it has; it must call itself as the settings do, and be as safe."""
        issuer = self._login.issuer
        where = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
        async with httpx2.AsyncClient(transport=_Bounded(), timeout=SECONDS) as client:
            answer = await client.get(where)
        facts = msgspec.json.decode(answer.raise_for_status().content, type=_Facts)
        if facts.issuer != issuer:
            raise ValueError(f"another issuer: {facts.issuer}")
        scheme = issuer.partition("//")[0]
        for end in (facts.authorization_endpoint, facts.token_endpoint, facts.jwks_uri):
            if not end.startswith(("https://", f"{scheme}//")):
                raise ValueError(f"an address that is not https: {end}")
        return facts

    def _client(self, facts: _Facts) -> Any:
        """Return Authlib's client, which asks and checks; it hears of the provider what is known to be safe."""
        basic = "client_secret_basic" in facts.token_endpoint_auth_methods_supported
        method = "client_secret_basic" if basic else "client_secret_post"
        return StarletteOAuth2App(
            None,
            client_id=self._login.client,
            client_secret=self._secret,
            client_kwargs={
                "scope": "openid profile",
                "code_challenge_method": "S256",
                "token_endpoint_auth_method": method,
                "transport": _Bounded(),
                "timeout": SECONDS,
            },
            issuer=facts.issuer,
            authorization_endpoint=facts.authorization_endpoint,
            token_endpoint=facts.token_endpoint,
            jwks_uri=facts.jwks_uri,
            id_token_signing_alg_values_supported=SIGNATURES,
        )


def _shown_name(name: Any) -> str:
    """Return the name that a provider has of somebody, or nothing where our pages cannot show it."""
    with suppress(RefusedError):
        if isinstance(name, str):
            return checked_texts({"name": " ".join(name.split())})["name"]
    return ""


def providers(site: Site) -> dict[str, Provider]:
    """Return by name those that a site names; raise IrmetaError where the secret of one is missing."""
    return {login.name: Provider(site, login) for login in site.settings.login}


ROUTER = APIRouter(include_in_schema=False)
"""Begins and ends logins, where a site names providers."""


def _provider(guest: Guest, name: str) -> Provider:
    """Return the provider of a name; refuse one that the site does not name."""
    known: dict[str, Provider] = guest.request.app.state.providers
    if name not in known:
        raise RefusedError(404, MISSING)
    return known[name]


ROUTER.get("/login/")(show_entry)


@ROUTER.post("/login/{provider}")
async def begin(guest: Here, provider: PROVIDER) -> Response:
    """Lead to a provider by a page: browsers let no form of this site end at another one."""
    asked, who = _provider(guest, provider), 0
    if guest.field("what") == "link":
        if guest.caller.person is None:
            raise RefusedError(404, MISSING)
        who = guest.caller.person
    to = guest.field("to")
    to = to if OWN.fullmatch(to) else "my/"
    begun = _Begun(provider, secrets.token_urlsafe(32), who, to)
    page = guest.page("going.html", at=await asked.begin(begun))
    return guest.keep_cookie(page, "login", begun.cookie(), LASTS)


@ROUTER.get("/login/{provider}")
async def end(guest: Here, provider: PROVIDER) -> Response:
    """Log in whoever comes back from a provider; the cookie of a begun login serves once."""
    try:
        answer = await _end(guest, _provider(guest, provider), provider)
    except RefusedError as error:
        answer = guest.page("missing.html", error.status, text=str(error))
    return guest.keep_cookie(answer, "login", "", 0)


async def _end(guest: Guest, provider: Provider, name: str) -> Response:
    """Link the login with which somebody comes back to who is here, or begin a new session."""
    begun = _Begun.of_cookie(cookie_of(guest.request, "login"))
    was, engine = guest.caller.person, guest.engine
    if begun is None or begun.provider != name or begun.who not in (0, was):
        raise RefusedError(403, UNBEGUN)
    known, called = await provider.identify(begun, guest.request.query_params)
    if begun.who:
        await to_thread.run_sync(people.link_login, engine, begun.who, known)
        return guest.redirect("my/")
    secret = await to_thread.run_sync(people.log_in, engine, known, called)
    await to_thread.run_sync(guest.end_session)
    to = begun.to if OWN.fullmatch(begun.to) else "my/"
    return guest.keep_session(guest.redirect(to), secret)
