"""A small provider of OpenID Connect, which can be told to misbehave."""

import base64
import gzip
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "irmeta-at-test", "s3cret"


class Provider:
    """What it answers; a test changes that.

    claims, metadata, header : in place of what is right. key : signs. answer : in place of an answer, by its path.
    packed : whether answers come packed.
    """

    def __init__(self, address: str) -> None:
        self.issuer = address
        self.known = _key()
        self.key: Any = self.known
        self.claims: dict[str, Any] = {}
        self.metadata: dict[str, Any] = {}
        self.header: dict[str, Any] = {"alg": "RS256", "kid": "one"}
        self.back: dict[str, str] = {}
        self.answer: dict[str, Callable[[], bytes]] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.asked: list[str] = []
        self.packed = False

    def said(self, path: str) -> Any:
        """Return what is answered to somebody who reads."""
        if path.endswith("openid-configuration"):
            ends = {"authorization_endpoint": "authorize", "token_endpoint": "token"}
            ends["jwks_uri"] = "jwks"
            at = {name: f"{self.issuer}/{end}" for name, end in ends.items()}
            supported = "id_token_signing_alg_values_supported"
            return (
                {"issuer": self.issuer, supported: ["RS256", "HS256", "none"]}
                | at
                | self.metadata
            )
        return {"keys": [self.known.as_dict(private=False)]}

    def authorize(self, address: str, subject: str) -> str:
        """Let a person log in at an address that a page of the site led to; return where the person is sent back to."""
        given = {
            name: one[0] for name, one in parse_qs(urlsplit(address).query).items()
        }
        assert given["response_type"] == "code"
        assert given["code_challenge_method"] == "S256"
        assert "email" not in given["scope"]
        code = f"code{len(self.codes)}"
        self.codes[code] = given | {"sub": subject}
        back = {"code": code, "state": given["state"]} | self.back
        return f"{given['redirect_uri']}?{urlencode(back)}"

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        """Return a token for a code, once."""
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        given = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = _base64(digest)
        if given is None or challenge != given["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        if (
            authorization != f"Basic {basic}"
            or form["redirect_uri"] != given["redirect_uri"]
        ):
            return 401, {"error": "invalid_client"}
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "sub": given["sub"]}
        claims |= {"nonce": given["nonce"], "iat": now, "exp": now + 300}
        claims = {
            name: one for name, one in (claims | self.claims).items() if one is not None
        }
        return 200, {
            "access_token": "at",
            "token_type": "Bearer",
            "id_token": self.signed(claims),
        }

    def signed(self, claims: dict[str, Any]) -> str:
        """Sign as the header says."""
        if self.header["alg"] in ("none", "HS256"):
            head, body = (_base64(json.dumps(one)) for one in (self.header, claims))
            made = hmac.digest(
                self.known.as_pem(private=False), f"{head}.{body}".encode(), "sha256"
            )
            return f"{head}.{body}.{_base64(made) if self.header['alg'] == 'HS256' else ''}"
        return jwt.encode(
            self.header, claims, self.key, algorithms=[self.header["alg"]]
        )


def _base64(content: str | bytes) -> str:
    raw = content.encode() if isinstance(content, str) else content
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


@cache
def _key() -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": "one"})


@contextmanager
def serving() -> Iterator[Provider]:
    """Serve one provider on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            provider.asked.append(self.path)
            if self.path in provider.answer:
                self._send(200, provider.answer[self.path]())
            else:
                self._send(200, json.dumps(provider.said(self.path)).encode())

        def do_POST(self) -> None:
            provider.asked.append(self.path)
            text = self.rfile.read(int(self.headers["content-length"])).decode()
            form = {name: one[0] for name, one in parse_qs(text).items()}
            if self.path in provider.answer:
                self._send(200, provider.answer[self.path]())
                return
            status, said = provider.token(form, self.headers.get("authorization", ""))
            self._send(status, json.dumps(said).encode())

        def _send(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            if provider.packed:
                self.send_header("content-encoding", "gzip")
                content = gzip.compress(content)
            self.end_headers()
            try:
                self.wfile.write(content)
            except OSError:  # who asked has heard enough
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider = Provider(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
