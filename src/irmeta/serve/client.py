"""What `irmeta submit` does: it sends runs to a server, and waits for what comes of them; standard library only."""

import http.client
import json
import os
import re
import ssl
import stat
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from irmeta.errors import IrmetaError

PATIENCE = 600.0
"""Seconds that the score of a run is waited for."""
Answer = dict[str, Any]


class Server:
    """A board of a server, by its address (https://runs.example.org/b/covid1)."""

    def __init__(self, to: str, token: str) -> None:
        parts = urlsplit(to)
        board = re.fullmatch(r"(.*)/b/([a-z0-9-]{2,40})(/.*)?", parts.path)
        if parts.scheme not in ("http", "https") or not parts.netloc or not board:
            raise IrmetaError(
                f"--to {to}: not the address of a board, as in https://runs.example.org/b/KEY"
            )
        local = parts.hostname in ("127.0.0.1", "localhost", "::1")
        if parts.scheme == "http" and not local:
            raise IrmetaError(
                f"--to {to}: a token is sent over https only, but to this machine"
            )
        self.board = board[2]
        self._scheme, self._host, self._path = parts.scheme, parts.netloc, board[1]
        self._token = token

    def submit(self, path: Path, name: str, about: Mapping[str, str]) -> Answer:
        """Send a run; return what came of it, with its `status` among the answers of HTTP."""
        query = urlencode({what: text for what, text in about.items() if text})
        where = f"/v1/boards/{self.board}/runs/{quote(name, safe='')}?{query}"
        return self._send("PUT", where, path)

    def check(self, path: Path) -> Answer:
        """Have a run checked that is not kept."""
        return self._send("POST", f"/v1/boards/{self.board}/check", path)

    def score(self, key: str) -> Answer:
        """Wait until a run has its score and its page; return its record."""
        until = time.monotonic() + PATIENCE
        pause = 0.1
        while time.monotonic() < until:
            found = self._send("GET", f"/v1/submissions/{key}")
            if found["status"] >= 400:
                raise IrmetaError(f"{key}: {found.get('detail', found['status'])}")
            if found["published"]:
                return self._send("GET", found["record"])
            time.sleep(pause)
            pause = min(2 * pause, 2.0)
        raise IrmetaError(f"{key}: no score after {PATIENCE:.0f} s; look later")

    def page(self, answer: Answer) -> str:
        """Return the address of a run's page."""
        return f"{self._scheme}://{self._host}{self._path}{answer['page']}"

    def _send(self, method: str, where: str, body: Path | None = None) -> Answer:
        connection = self._connection()
        headers = {"Authorization": f"Bearer {self._token}"}
        try:
            if body is None:
                connection.request(method, self._path + where, headers=headers)
            else:
                headers["Content-Length"] = str(body.stat().st_size)
                headers["Content-Type"] = "application/octet-stream"
                with body.open("rb") as file:
                    connection.request(method, self._path + where, file, headers)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise IrmetaError(
                f"{self._scheme}://{self._host}: no answer ({error}); does the server run?"
            ) from error
        finally:
            connection.close()
        try:
            found: Answer = json.loads(content)
        except ValueError as error:
            raise IrmetaError(
                f"{self._host}: status {answer.status}, and no answer of irmeta serve"
            ) from error
        return {**found, "status": answer.status}

    def _connection(self) -> http.client.HTTPConnection:
        if self._scheme == "https":
            safe = ssl.create_default_context()
            return http.client.HTTPSConnection(self._host, timeout=120, context=safe)
        return http.client.HTTPConnection(self._host, timeout=120)


def token(path: Path | None) -> str:
    """Return the token of IRMETA_TOKEN, or of a file that nobody else can read."""
    if path is None:
        found = os.environ.get("IRMETA_TOKEN", "").strip()
        if not found:
            raise IrmetaError(
                "no token: set IRMETA_TOKEN, or name a file (--token-file FILE)"
            )
        return found
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise IrmetaError(f"{path}: others can read this token; chmod 600 {path}")
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise IrmetaError(f"{path}: cannot be read ({error.strerror})") from error
