#!/usr/bin/env python3
"""Validates configurations against the JSON Schema that the gateway prints.

    portcullis schema | validate_schema.py config/reference.yaml config/examples/*.yaml

Every file must fit the schema, every document in BROKEN must not. Exits 1 when one does otherwise.
Needs python3-yaml and python3-jsonschema.
"""
import json
import re
import sys

import jsonschema
import yaml


class Loader(yaml.SafeLoader):
    """YAML 1.2's core schema, as the gateway and editors read it: yes, no, on and off are texts."""


Loader.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("null", r"^(~|null|Null|NULL|)$", "~nN\0"),
    ("bool", r"^(true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$", "-+.0123456789"),
]:
    # An empty scalar has no first character: PyYAML looks it up under the empty text.
    letters = [letter if letter != "\0" else "" for letter in first]
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), letters)

BASE = """
listeners: [{ address: 127.0.0.1:8443, public_url: https://shop.example.com }]
issuers: { main: { url: https://id.example.com/ } }
routes: [{ path: /, upstream: http://127.0.0.1:3000, token: { issuers: [main], audience: api } }]
"""

# What is replaced in BASE, and by what; each makes a document that the schema must refuse.
BROKEN = [
    ("listeners:", "listners:"),
    ("address: 127.0.0.1:8443", "address: localhost:8443"),
    ("address: 127.0.0.1:8443", "port: 8443"),
    ("public_url: https://shop.example.com", "public_url: ftp://shop.example.com"),
    ("public_url: https://shop.example.com", "public_url: https://shop.example.com/path"),
    ("public_url: https://shop.example.com", "public_url: https://shop.example.com, tls: { key: a }"),
    ("public_url: https://shop.example.com", "public_url: https://shop.example.com, tls: { certificate: a, key: b, minimum_version: 1.2 }"),
    ("public_url: https://shop.example.com", "public_url: https://shop.example.com, tls: { certificates: [{ certificate: a }] }"),
    ("url: https://id.example.com/", "url: 'https://id.example.com/?x=1'"),
    ("url: https://id.example.com/", "url: 'https://id.example.com/{tenantid}/'"),
    ("url: https://id.example.com/", "discovery: none"),
    ("url: https://id.example.com/", "url: https://id.example.com/, algorithms: [HS256]"),
    ("url: https://id.example.com/", "url: https://id.example.com/, algorithms: [none]"),
    ("url: https://id.example.com/", "url: https://id.example.com/, accept_typ: [logout+jwt]"),
    ("url: https://id.example.com/", "url: https://id.example.com/, leeway: 30"),
    ("url: https://id.example.com/", "url: https://id.example.com/, jwks: { file: a, env: B }"),
    ("url: https://id.example.com/", "url: https://id.example.com/, insecure_allow_http: yes"),
    ("main: {", "Main: {"),
    ("path: /", "path: api"),
    ("path: /,", ""),
    ("upstream: http://127.0.0.1:3000", "upstream: 'http://127.0.0.1:3000/api?query'"),
    ("upstream: http://127.0.0.1:3000", "upstream: { server_name: a }"),
    ("audience: api", "scopes: [a]"),
    ("audience: api", "audience: []"),
    ("audience: api", "audience: 7"),
    ("audience: api", "audience: api, scopes: [a b]"),
    ("audience: api", "audience: api, schemes: [Dpop]"),
    ("audience: api", "audience: api, schemes: [DPoP], dpop: { algorithms: [HS256] }"),
    ("audience: api", "audience: api, max_age: 300"),
    ("audience: api", "audience: api, acr_values: ['a b']"),
    ("audience: api", "audience: api, authorization_details: [{ actions: [read] }]"),
    ("audience: api", "audience: api, resource: published"),
    ("audience: api", "audience: api, resource: { identifier: 'https://a.example/?x' }"),
    ("audience: api }", "audience: api }, public_urls: ['https://a.example/#x']"),
    ("audience: api }", "audience: api }, allowed_origins: ['null']"),
    ("audience: api }", "audience: api }, mcp: yes"),
    ("audience: api }", "audience: api }, upstream_credential: forward"),
    ("audience: api }", "audience: api }, upstream_credential: { static: { file: a }, assertion: { audience: b } }"),
    ("audience: api }", "audience: api }, upstream_credential: { static: { file: a, env: B } }"),
    ("audience: api }", "audience: api }, upstream_credential: { exchange: { audience: b } }"),
    ("audience: api }", "audience: api }, upstream_credential: { assertion: { audience: b, field: 'X Y' } }"),
    ("url: https://id.example.com/", "url: https://id.example.com/, introspection: {}"),
    ("url: https://id.example.com/", "url: https://id.example.com/, introspection: { client: a, tokens: jwt }"),
    ("public_url: https://shop.example.com", "public_url: https://shop.example.com, client_cert_from: [10.0.0.7]"),
    ("public_url: https://shop.example.com", "public_url: https://shop.example.com, tls: { certificate: a, key: b, client_certificates: require }"),
    ("public_url: https://shop.example.com", "public_url: https://shop.example.com, tls: { certificate: a, key: b, client_certificates: { trust: any } }"),
    ("routes:", "clients: { shop: { issuer: main, id: a, authentication: { method: none, public: false } } }\nroutes:"),
    ("routes:", "clients: { shop: { issuer: main, id: a, authentication: { method: client_secret_basic, secret: b } } }\nroutes:"),
    ("routes:", "store: {}\nroutes:"),
    ("routes:", "store: { url: 'redis://:pw@127.0.0.1' }\nroutes:"),
    ("routes:", "store: { url: 'https://store.internal' }\nroutes:"),
    ("routes:", "store: { url: 'rediss://store.internal', prefix: 'pc:{x}' }\nroutes:"),
    ("routes:", "store: { url: 'rediss://store.internal', tls: { verify: false } }\nroutes:"),
    ("routes:", "dpop: { replay_memory: unlimited }\nroutes:"),
    ("routes:", "dpop: { nonce_keys: [abc] }\nroutes:"),
    ("routes:", "assertion_keys: { algorithm: RS256 }\nroutes:"),
    ("routes:", "explain_buffer: -1\nroutes:"),
    ("routes:", "precomputed_keys: 1025\nroutes:"),
    ("audience: api", "audience: api, introspection: true"),
    ("audience: api }", "audience: api }, public: true"),
    ("token: { issuers: [main], audience: api }", "public: false"),
    ("token: { issuers: [main], audience: api }", "methods: [GET]"),
    ("token: { issuers: [main], audience: api }", "login: { scopes: [openid] }"),
    ("token: { issuers: [main], audience: api }", "login: shop, public: true"),
    ("token: { issuers: [main], audience: api }", "login: { client: shop, max_age: 5 }"),
    ("audience: api }", "audience: api }, identity: { 'X User': sub }"),
    ("audience: api }", "audience: api }, identity: { X-User: { separator: ',' } }"),
    ("audience: api }", "audience: api }, allow_in_path: [dot_segments]"),
    ("routes:", "workers: 0\nroutes:"),
    ("routes:", "workers: '2'\nroutes:"),
    ("routes:", "limits: { request_line: 8KB }\nroutes:"),
    ("routes:", "limits: { field_line: unlimited }\nroutes:"),
    ("routes:", "timeouts: { drain: 30 }\nroutes:"),
    ("routes:", "log: { level: warn }\nroutes:"),
    ("routes:", "log: { access: true }\nroutes:"),
    ("routes:", "clients: {}\nroutes:"),
]


def main() -> int:
    schema = json.load(sys.stdin)
    validator = jsonschema.Draft202012Validator
    validator.check_schema(schema)
    check = validator(schema)
    failures = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            for error in check.iter_errors(yaml.load(file, Loader)):
                failures += 1
                print(f"{path}: {'.'.join(map(str, error.absolute_path))}: {error.message}", file=sys.stderr)
    if not check.is_valid(yaml.load(BASE, Loader)):
        failures += 1
        print("the schema refuses the document that the broken ones are made of", file=sys.stderr)
    for old, new in BROKEN:
        assert BASE.count(old) == 1 or old in ("path: /", "address: 127.0.0.1:8443"), f"{old!r} is not there once"
        if check.is_valid(yaml.load(BASE.replace(old, new), Loader)):
            failures += 1
            print(f"the schema accepts {new!r}", file=sys.stderr)
    if failures == 0:
        print(f"{len(sys.argv) - 1} files fit the schema, {len(BROKEN)} broken documents do not")
    return 1 if failures else 0


sys.exit(main())
