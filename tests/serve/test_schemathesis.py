"""All operations under attack by schemathesis."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from bench import killed_server

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance,response_headers_conformance"
)


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("schemathesis") is None, reason="schemathesis is not installed"
)
def test_all_operations_answer_as_documented(tmp_path: Path) -> None:
    """No request that schemathesis makes of the OpenAPI document has a 5xx, or a status or body not in it."""
    killed_server.write_qrels(tmp_path / "qrels.txt")
    site = tmp_path / "site"
    new = ["board", "new", "lab", "--site", site, "--qrels", tmp_path / "qrels.txt"]
    killed_server.timed(new)
    (site / "site.toml").write_text("requests = 1000000\n")
    port = killed_server.free_port()
    server = killed_server.started(site, port)
    try:
        token = killed_server.token_of(site)
        program = [sys.executable, "-m", "schemathesis.cli", "run"]
        command = [*program, f"http://127.0.0.1:{port}/v1/openapi.json"]
        command += ["--header", f"Authorization: Bearer {token}", "--checks", CHECKS]
        command += ["--wait-for-schema", "120", "--max-examples", "50"]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-4000:]
    finally:
        server.kill()
        server.wait()
