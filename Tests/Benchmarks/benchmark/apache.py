"""Apache with mod_oauth2: the one packaged peer that checks DPoP proofs."""
import json
import os
from pathlib import Path

from . import tokens
from .processes import tool

MODULES = Path("/usr/lib/apache2/modules")
# A thread is occupied for as long as a request is: with fewer of them than connections, some would be closed.
THREADS = 96


class ModOAuth2:
    """Checks token and proof at every request; its replay cache forgets when it is full."""

    name = "mod_oauth2"
    checks_tokens = True
    # About twice what was ever seen.
    proofs_per_second = 6_000

    def command(self, site):
        path = site.folder / "apache.conf"
        path.write_text(self.configuration(site))
        return [tool("apache2"), "-D", "FOREGROUND", "-d", site.folder, "-f", path]

    def configuration(self, site):
        names = ("mpm_event", "authn_core", "authz_core", "authz_user", "headers", "proxy", "proxy_http", "oauth2")
        modules = "\n".join(f'LoadModule {name}_module "{MODULES}/mod_{name}.so"' for name in names)
        issuer = json.loads((site.fixtures / "jwks.json").read_text())["keys"]
        key = json.dumps(next(one for one in issuer if one["alg"] == site.algorithm)).replace('"', '\\"')
        user = "User nobody\nGroup nogroup" if os.geteuid() == 0 else ""
        return f"""{modules}
{user}
ServerName 127.0.0.1
Listen 127.0.0.1:{site.port}
ListenBacklog 4096
PidFile "{site.folder}/apache.pid"
DefaultRuntimeDir "{site.folder}"
ErrorLog "{site.folder}/error.log"
LogLevel error
ServerLimit 1
StartServers 1
ThreadLimit {THREADS}
ThreadsPerChild {THREADS}
MaxRequestWorkers {THREADS}
MinSpareThreads 1
MaxSpareThreads {THREADS}
MaxKeepAliveRequests 0
KeepAliveTimeout 3600
Timeout 3600
ProxyPass "/" "http://127.0.0.1:{site.origin_port}/"
<Location "/">
  AuthType oauth2
  OAuth2AcceptTokenIn header name=Authorization&type=DPoP
  OAuth2TokenVerify jwk "{key}" type=dpop&dpop.iat.slack.before=60&dpop.iat.slack.after=10
  RequestHeader unset Authorization
  RequestHeader unset DPoP
  RequestHeader set X-User-Id "%{{OAUTH2_CLAIM_sub}}e"
  <RequireAll>
    Require oauth2_claim iss:{tokens.ISSUER}
    Require oauth2_claim aud:{tokens.AUDIENCE}
  </RequireAll>
</Location>
"""
