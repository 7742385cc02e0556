#!/bin/sh
# What the container does: `health` asks whether the site answers; any other command is one of irmeta; none serves it.
set -eu
site=${SITE:-/site}
listen=${LISTEN:-0.0.0.0:8400}
if [ "${1:-}" = health ]; then
    exec python -c "
from urllib.request import urlopen
found = urlopen('http://127.0.0.1:${listen##*:}/healthz', timeout=10).read()
raise SystemExit(b'late' in found)"
fi
if [ ! -e "$site/site.toml" ]; then
    : "${ADDRESS:?as others reach the site, https://...}" "${CONTACT:?whom they can ask}"
    (umask 077 && printf 'address = "%s"\ncontact = "%s"\n' "$ADDRESS" "$CONTACT" > "$site/site.toml")
fi
[ $# -eq 0 ] || exec irmeta "$@"
exec irmeta serve "$site" --listen "$listen"
