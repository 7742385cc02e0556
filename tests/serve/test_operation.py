"""What the documentation says of running a site: the unit of systemd, the container's steps, a lost token."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests
from bench import killed_server

from irmeta.serve import running
from irmeta.serve.catalogue import people, tables
from irmeta.serve.site import Settings, Site
from irmeta.serve.web.app import SAFE

from .conftest import a_run, write_qrels

ROOT = Path(__file__).parents[2]
STEPS = ROOT / "container/serve/start.sh"


def block(kind: str) -> str:
    """Return a block of the documentation."""
    text = (ROOT / "docs/serve.md").read_text()
    [found] = re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)
    return found


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
def test_the_unit_is_one(tmp_path: Path) -> None:
    """Systemd has nothing to say against the unit, and counts it among the safe ones."""
    unit = tmp_path / "irmeta@8400.service"
    unit.write_text(block("ini").replace("/opt/irmeta/bin/irmeta", sys.executable))
    said = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    assert "irmeta@" not in said.stderr
    safe = ["systemd-analyze", "security", "--offline=true", "--threshold=30", unit]
    subprocess.run(safe, check=True, capture_output=True)


def test_the_proxy_says_what_the_server_says() -> None:
    """What nginx adds to pages is what the server tells browsers, and both ways to it are closed for strangers."""
    text = block("nginx")
    assert f'"{SAFE["content-security-policy"]}"' in text
    assert text.count("{") == text.count("}")
    assert "location = /metrics { return 404; }" in text
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in text


def test_every_setting_is_documented() -> None:
    """The table of `site.toml` has the settings that a site takes, and no other."""
    text = (ROOT / "docs/serve.md").read_text()
    rows = text.partition("| `site.toml` | says")[2].partition("\n\n")[0]
    keys = re.findall(
        r"`\[*(\w+)\]*`", "".join(re.findall(r"^\| (.*?) \|", rows, re.M))
    )
    assert sorted(keys) == sorted(Settings.__struct_fields__)


def test_a_lost_token_is_replaced(tmp_path: Path) -> None:
    """Who removes the site's token has another one, and the old one opens nothing."""
    site = Site.make(tmp_path / "site")
    engine = tables.open_catalogue(site.database)
    own = people.new_token(engine, "site", None, "submit")
    old = running.token_file(site, engine).read_text().strip()
    assert running.token_file(site, engine).read_text().strip() == old
    (site.folder / "token").unlink()
    new = running.token_file(site, engine).read_text().strip()
    found = {one: people.caller_of(engine, people.digest_of(one)) for one in (old, new)}
    engine.dispose()
    assert own != old
    assert found[old] is None
    assert found[new] is not None


def isolated() -> bool:
    """Say whether a process may have a root of its own that it cannot write."""
    given = ["unshare", "-rm", "mount", "-o", "remount,ro,bind", "/"]
    try:
        return subprocess.run(given, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.fixture
def container(tmp_path: Path) -> tuple[Path, dict[str, str], list[str]]:
    """An empty volume, the environment of the container, and what runs a command with a root that is read-only."""
    volume = tmp_path / "volume"
    volume.mkdir(mode=0o700)
    port = killed_server.free_port()
    given = {
        "PATH": f"{Path(sys.executable).parent}:{os.defpath}",
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SITE": str(volume),
        "LISTEN": f"127.0.0.1:{port}",
        "ADDRESS": "https://runs.example.org",
        "CONTACT": "ann@example.org",
    }
    binds = " && ".join(f"mount --bind {one} {one}" for one in (tmp_path, volume))
    closes = " && ".join(f"mount -o remount,ro,bind {one}" for one in (tmp_path, "/"))
    script = (
        f"{binds} && {closes} && "
        f'! touch {tmp_path}/elsewhere 2>/dev/null && exec sh {STEPS} "$@"'
    )
    within = ["unshare", "-rm", "sh", "-c", script, "start"]
    return volume, given, within if isolated() else ["sh", str(STEPS)]


@pytest.mark.slow
def test_the_container_serves_an_empty_volume(container) -> None:
    """In an empty volume, with all else read-only, a board is made, is healthy, takes a run, and ends when told to."""
    volume, given, start = container
    qrels = write_qrels(volume / "qrels.txt")
    port = given["LISTEN"].rpartition(":")[2]
    new = [*start, "board", "new", "lab", "--site", volume, "--qrels", qrels]
    subprocess.run(new, env=given, check=True, capture_output=True)
    assert (volume / "site.toml").stat().st_mode & 0o777 == 0o600
    server = subprocess.Popen(start, env=given, stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 200
        health = [*start, "health"]
        while subprocess.run(health, env=given, capture_output=True).returncode:
            assert time.monotonic() < end
            assert server.poll() is None
            time.sleep(0.2)
        token = killed_server.token_of(volume)
        where = f"http://127.0.0.1:{port}"
        sent = requests.put(
            f"{where}/v1/boards/lab/runs/one",
            data=a_run(1),
            headers={"Authorization": f"Bearer {token}"},
            timeout=60,
        )
        assert sent.status_code in (201, 202)
        page = f"{where}/b/lab/s/{sent.json()['key']}/"
        while requests.get(page, timeout=60).status_code != 200:
            assert time.monotonic() < end
            time.sleep(0.1)
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) in (0, -signal.SIGTERM)


def test_the_container_asks_for_its_address(container) -> None:
    """Without an address nothing is begun, and what lacks is named."""
    volume, given, start = container
    del given["ADDRESS"]
    found = subprocess.run(start, env=given, capture_output=True, text=True)
    assert found.returncode != 0
    assert "ADDRESS" in found.stderr
    assert list(volume.iterdir()) == []


def test_the_image_has_what_it_names() -> None:
    """What the image's file copies is there, the user is a number that is not root's, and the extra exists."""
    text = (ROOT / "container/serve/Dockerfile").read_text()
    for name in re.findall(r"/irmeta/(\S+)", text):
        assert (ROOT / name).is_file()
    assert int(re.findall(r"(?m)^USER (\d+)$", text)[0]) > 0
    assert "/irmeta[serve]" in text
