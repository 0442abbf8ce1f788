"""The origins behind the proxies: small answers, large bodies, calls of gRPC."""
import os

from .processes import tool

PAYLOAD = (
    '{"id":"4711","status":"shipped","currency":"EUR","items":['
    '{"sku":"A-100","count":2,"price":1990},{"sku":"B-205","count":1,"price":450},'
    '{"sku":"C-007","count":5,"price":120}],"total":5030}')
FILES = 20000


def nginx_frame(folder, location, more="", access_log="off", workers=1):
    """An nginx configuration that keeps every connection, with one worker unless said otherwise."""
    user = "user root;" if os.geteuid() == 0 else ""
    return f"""{user}
worker_processes {workers};
worker_rlimit_nofile {FILES};
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections 16384; }}
http {{
  access_log {access_log};
  default_type application/json;
  keepalive_timeout 3600s;
  keepalive_requests 1000000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  {more}
  server {{
{location}
  }}
}}
"""


def nginx_command(site, configuration):
    path = site.folder / "nginx.conf"
    path.write_text(configuration)
    return [tool("nginx"), "-p", site.folder, "-e", site.folder / "error.log", "-c", path]


class Origin:
    """Answers every request from memory; `/seen` answers with the identity field it was sent."""

    name = "origin"
    checks_tokens = False

    def __init__(self, payload=PAYLOAD):
        self.payload = payload

    def command(self, site):
        reuse = " reuseport" if site.workers > 1 else ""
        location = f"""    listen 127.0.0.1:{site.port} backlog=4096{reuse};
    location / {{ return 200 '{self.payload}'; }}
    location = /seen {{ return 200 "$http_x_user_id"; }}"""
        return nginx_command(site, nginx_frame(site.folder, location, workers=site.workers))


class GRPCOrigin:
    """Answers every request as a unary call, as far as a proxy can tell: a head, a message, trailers."""

    name = "origin of gRPC"
    checks_tokens = False
    # A message without compression of 55 bytes, which nginx can write: all of it is text, its length too.
    message = "0" * 5 + "abcdefghijklmnopqrstuvwxyz" * 2 + "abc"

    def command(self, site):
        location = f"""    listen 127.0.0.1:{site.port} http2 backlog=4096;
    http2_max_concurrent_streams 1000;
    location / {{
      default_type application/grpc;
      add_header grpc-accept-encoding "identity,gzip" always;
      add_trailer grpc-status 0;
      return 200 '{self.message}';
    }}"""
        return nginx_command(site, nginx_frame(site.folder, location))


class BodyOrigin:
    """Sends and checks bodies (load/origin.c)."""

    name = "origin of bodies"
    checks_tokens = False

    def __init__(self, fixtures):
        self.fixtures = fixtures

    def command(self, site):
        return [self.fixtures.program("origin"), f"port={site.port}"]
