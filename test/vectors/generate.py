#!/usr/bin/env python3
"""Generates signing.json: vectors of the request signing in section 5 of the Partner Marketplace API.

A second implementation of the signing, on purpose independent of the one in shared/marketplace: Python's standard
library only, written from the specification alone. Run it as `python3 test/vectors/generate.py`; its output is
committed, so that a client in any language can be checked against it.
"""

import hashlib
import hmac
import json
import pathlib

SECRET = "sandbox-partner-secret"
TIMESTAMP = "1767225600000"
PARTNER = {"x-partner-client-id": "sandbox-partner"}
STORE = {"x-store-client-id": "store-1wh", "x-store-token": "token-store-1wh"}
TIME = {"x-timestamp": TIMESTAMP}
STORE_SCOPED = {**PARTNER, **STORE, **TIME}
PARTNER_ONLY = {**PARTNER, **TIME}
SIGNED = ("x-partner-client-id", "x-store-client-id", "x-store-token", "x-timestamp")
UUID = "7b0a1f0e-52a5-4b1e-9a55-0c9a4f6f2f11"


def canonical_string(method, target, headers, body):
    path = target.partition("?")[0]
    if path.startswith("/api/v1/"):
        path = path[len("/api/v1"):]
    present = sorted((name.lower(), value) for name, value in headers.items() if name.lower() in SIGNED)
    lines = [method.upper(), path]
    lines += ["%s:%s" % header for header in present]
    lines.append(hashlib.sha256(body).hexdigest())
    return "\n".join(lines)


def vector(name, method, target, headers, body="", secret=SECRET):
    raw = body.encode("utf-8")
    canonical = canonical_string(method, target, headers, raw)
    digest = hmac.new(secret.encode("utf-8"), canonical.encode("utf-8"), hashlib.sha256).hexdigest()
    return {
        "name": name,
        "secretKey": secret,
        "method": method,
        "path": target,
        "headers": headers,
        "body": body,
        "bodyHash": hashlib.sha256(raw).hexdigest(),
        "canonicalString": canonical,
        "signature": "sha256=" + digest,
    }


def header_subsets():
    every = {**PARTNER, **STORE, **TIME}
    for mask in range(16):
        chosen = {name: every[name] for bit, name in enumerate(SIGNED) if mask >> bit & 1}
        names = ", ".join(name[2:] for name in chosen) or "none"
        yield vector("headers present: " + names, "PATCH", "/api/v1/partner/stores/inventory", chosen,
                     '{"items":[{"sku":"A-1","stock":5}]}')


def header_forms():
    url = "/api/v1/partner/stores/warehouses"
    backwards = dict(reversed(list(STORE_SCOPED.items())))
    yield vector("headers given in reverse order", "GET", url, backwards)
    yield vector("headers that are not signed are left out", "GET", url,
                 {**STORE_SCOPED, "content-type": "application/json", "user-agent": "x", "x-request-id": "y"})
    yield vector("values are case-sensitive", "GET", url, {**STORE_SCOPED, "x-store-token": "Token-Store-1WH"})
    yield vector("a value with colons and equals signs", "GET", url, {**STORE_SCOPED, "x-store-token": "a:b=c=="})
    yield vector("method in lowercase", "get", url, STORE_SCOPED)
    yield vector("another timestamp", "GET", url, {**STORE_SCOPED, "x-timestamp": "1767225600001"})
    yield vector("another secret", "GET", url, STORE_SCOPED, secret="other-partner-secret")
    yield vector("a secret beyond ASCII", "GET", url, STORE_SCOPED, secret="schl\u00fcssel-\u79d8\u5bc6-\U0001f511")
    yield vector("a secret longer than a block of SHA-256", "GET", url, STORE_SCOPED, secret="k" * 200)


def paths():
    stores = "/api/v1/partner/stores"
    yield vector("path given without its prefix", "GET", "/partner/stores/products", STORE_SCOPED)
    yield vector("query string", "GET", stores + "/products?q=shoe&page=2&limit=50", STORE_SCOPED)
    yield vector("query string with a question mark in it", "GET", stores + "/products?q=what?", STORE_SCOPED)
    yield vector("empty query string", "GET", stores + "/products?", STORE_SCOPED)
    yield vector("path parameter", "GET", "%s/products/%s" % (stores, UUID), STORE_SCOPED)
    yield vector("encoded slash in a path parameter", "GET", stores + "/products/sku/A%2FB", STORE_SCOPED)
    yield vector("encoded space in a path parameter", "GET", stores + "/products/sku/A%20B", STORE_SCOPED)
    yield vector("encoded percent sign in a path parameter", "GET", stores + "/products/sku/100%25", STORE_SCOPED)
    yield vector("encoded question mark in a path parameter", "GET", stores + "/products/sku/A%3FB", STORE_SCOPED)
    yield vector("encoded unicode in a path parameter", "GET", stores + "/products/sku/%E9%9E%8B", STORE_SCOPED)
    yield vector("characters that need no encoding", "GET", stores + "/products/sku/a!b'(c)*~d.e_f", STORE_SCOPED)
    yield vector("the prefix is removed at the start only", "GET", stores + "/products/sku/x/api/v1/y", STORE_SCOPED)
    yield vector("a path that only looks like the prefix", "GET", "/api/v10/partner/stores", STORE_SCOPED)
    yield vector("unbind, partner headers only", "POST", stores + "/store-1wh/unbind", PARTNER_ONLY)
    yield vector("label, no body, with a query", "POST",
                 "/api/v1/partner/stores/orders/%s/documents/shipping-label?includeItems=true" % UUID, STORE_SCOPED)
    yield vector("webhook path", "POST", "/webhooks/marketplace", PARTNER_ONLY, '{"event":"catalog.sync.completed"}')


def bodies():
    url = "/api/v1/partner/stores/products/prices"

    def prices(name, body):
        return vector(name, "PATCH", url, STORE_SCOPED, body)

    yield prices("empty body", "")
    yield prices("empty object", "{}")
    yield prices("compact", '{"items":[{"sku":"A-1","price":10000,"specialPrice":null}]}')
    yield prices("the same with its keys in another order", '{"items":[{"specialPrice":null,"price":10000,"sku":"A-1"}]}')
    yield prices("the same with spaces", '{"items": [{"sku": "A-1", "price": 10000, "specialPrice": null}]}')
    yield prices("the same pretty-printed", '{\n  "items": [\n    {\n      "sku": "A-1"\n    }\n  ]\n}')
    yield prices("CRLF line ends", '{\r\n"items":[]\r\n}')
    yield prices("line feed at the end", '{"items":[]}\n')
    yield prices("leading byte order mark", '\ufeff{"items":[]}')
    yield prices("a number's spelling counts", '{"items":[{"sku":"A-1","price":1e4}]}')
    yield prices("unicode as it is", '{"items":[{"sku":"\u978b-\u00e9-\U0001f45f","price":1}]}')
    yield prices("unicode as escapes", '{"items":[{"sku":"\\u978b-\\u00e9-\\ud83d\\udc5f","price":1}]}')
    yield prices("composed and decomposed letters differ: composed", '{"sku":"\u00e9"}')
    yield prices("composed and decomposed letters differ: decomposed", '{"sku":"e\u0301"}')
    yield prices("a NUL inside", '{"sku":"a\u0000b"}')
    yield prices("4 KB", '{"q":"' + "x" * 4_096 + '"}')
    yield vector("onboarding session", "POST", "/api/v1/partner/onboard/sessions", PARTNER_ONLY,
                 '{"redirectUri":"https://partner.example/callback?state=1"}')


def main():
    vectors = [*header_subsets(), *header_forms(), *paths(), *bodies()]
    out = pathlib.Path(__file__).with_name("signing.json")
    out.write_text(json.dumps(vectors, indent=2, ensure_ascii=True) + "\n", encoding="utf-8")
    print("%d vectors written to %s" % (len(vectors), out.name))


if __name__ == "__main__":
    main()
