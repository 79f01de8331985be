"""Hostile passports: everything known to fool a JWT library, made with our own key wherever that helps the attacker.

Each entry is (what it is, the token). None of them may be accepted anywhere.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Iterator

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from agentroom.core.ids import ulid
from identity.passports import TYPE
from tests.identity.forge import ABSENT, Forge, b64, dumps

Entry = tuple[str, str]


def corpus(forge: Forge) -> list[Entry]:
    return [
        *algorithms(forge),
        *headers(forge),
        *key_ids(forge),
        *missing(forge),
        *wrong_types(forge),
        *wrong_values(forge),
        *times(forge),
        *raw_json(forge),
        *spellings(forge),
        *credentials(forge),
        *rubbish(),
    ]


def algorithms(forge: Forge) -> Iterator[Entry]:
    """Another algorithm than the one we use, with a signature that would fit it."""
    public = forge.key.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    pem = forge.key.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for name in ("none", "None", "NONE", "nOnE", ""):
        yield f"alg {name!r}, empty signature", forge.unsigned({"alg": name}) + "."
        yield f"alg {name!r}, a signature", forge.unsigned({"alg": name}) + ".AAAA"
    for bits in (256, 384, 512):
        for what, secret in (("raw key", public), ("PEM", pem), ("empty secret", b""), ("kid", forge.key.kid.encode())):
            signed = forge.unsigned({"alg": f"HS{bits}"})
            mac = hmac.new(secret, signed.encode(), getattr(hashlib, f"sha{bits}")).digest()
            yield f"HS{bits} with the public {what}", f"{signed}.{b64(mac)}"
    rsa_key, curve, ed448 = (
        rsa.generate_private_key(65537, 2048),
        ec.generate_private_key(ec.SECP256R1()),
        Ed448PrivateKey,
    )
    for name in ("RS256", "PS256", "RS512"):
        signed = forge.unsigned({"alg": name})
        yield name, f"{signed}.{b64(rsa_key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"
    for name in ("ES256", "ES256K", "ES384", "ES512"):
        signed = forge.unsigned({"alg": name})
        yield name, f"{signed}.{b64(curve.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))}"
    signed = forge.unsigned({})
    yield "Ed448 under EdDSA", f"{signed}.{b64(ed448.generate().sign(signed.encode()))}"
    yield "another Ed25519 key", f"{signed}.{b64(Ed25519PrivateKey.generate().sign(signed.encode()))}"
    for name in ("Ed25519", "Ed448", "EDDSA", "eddsa", " EdDSA", ["EdDSA"], {"alg": "EdDSA"}, 1, None, True):
        yield f"alg {name!r} with a true signature", forge.token({"alg": name})
    yield "no alg", forge.token({"alg": ABSENT})


def headers(forge: Forge) -> Iterator[Entry]:
    """Members that make a careless library fetch or trust a key, or that change what is signed."""
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": b64(b"\0" * 32)}
    for name, value in {
        "jku": "https://evil.example/jwks.json",
        "jwk": jwk,
        "x5u": "https://evil.example/cert.pem",
        "x5c": ["MIIB"],
        "x5t": "AAAA",
        "x5t#S256": "AAAA",
        "crit": ["exp"],
        "b64": False,
        "cty": "JWT",
        "zip": "DEF",
        "enc": "A256GCM",
        "epk": jwk,
        "url": "https://evil.example",
        "nonce": "1",
        "iss": "us",
    }.items():
        yield f"header with {name}", forge.token({name: value})
    yield "crit and b64", forge.token({"crit": ["b64"], "b64": False})
    for typ in (
        "JWT",
        "at+jwt",
        "receipt+jwt",
        "ticket+jwt",
        "passport",
        TYPE.upper(),
        f"application/{TYPE}",
        "",
        1,
        None,
    ):
        yield f"typ {typ!r}", forge.token({"typ": typ})
    yield "no typ", forge.token({"typ": ABSENT})


def key_ids(forge: Forge) -> Iterator[Entry]:
    for kid in (
        *(
            "",
            "unknown",
            "../../../etc/passwd",
            "' OR '1'='1",
            "a" * 65,
            "kid\0",
            "кид",
            "*",
            "%",
            "kid\n",
            "/dev/null",
        ),
        *(None, 0, 1, True, ["kid"], {"kid": 1}, 10**30, 1.5),
        *(forge.key.kid + " ", forge.key.kid.swapcase(), [forge.key.kid], forge.key.kid + "\u200b"),
    ):
        yield f"kid {kid!r}"[:60], forge.token({"kid": kid})
    yield "no kid", forge.token({"kid": ABSENT})


def missing(forge: Forge) -> Iterator[Entry]:
    for name in forge.claims:
        yield f"no {name}", forge.token(**{name: ABSENT})
        yield f"{name} null", forge.token(**{name: None})
    yield "no claims", forge.sign(dumps(forge.header), "{}")
    for name in ("admin", "role", "act", "scope", "azp", "cnf", "sub2", "kid", "owner", "__proto__"):
        yield f"extra claim {name}", forge.token(**{name: "x"})


def wrong_types(forge: Forge) -> Iterator[Entry]:
    for name in ("sub", "aid", "own", "cid", "jti", "ins", "did"):
        for value in (1, 0, True, [], ["x"], {}, {"x": 1}, "", "x" * 65, 1.5):
            yield f"{name} {value!r}"[:60], forge.token(**{name: value})
    for value in ("15", 15.0, -1, 32, 10**30, [1], {"READ": 1}, True, "READ"):
        yield f"scopes {value!r}", forge.token(scopes=value)
    for value in ("all", ["read"], 1, True, 0):
        yield f"collaboration {value!r}", forge.token(collaboration=value)


def wrong_values(forge: Forge) -> Iterator[Entry]:
    base = str(forge.claims["iss"])
    v1, evil = f"{base}/v1", "https://evil.example"
    elsewhere = [f"{base}{path}" for path in ("", "/mcp", "/mcp/claude", "/v1/", "/V1", "/v1?", "/v1#", "/v")]
    shapes = [
        [v1],
        [v1, f"{base}/mcp"],
        {"aud": v1},
        1,
        True,
        "*",
        "",
        "/v1",
        f"{evil}/v1?{v1}",
        f" {v1}",
        f"{v1}\n",
        v1.replace("://", "://x@"),
    ]
    for audience in [*elsewhere, *shapes]:
        yield f"aud {audience!r}", forge.token(aud=audience)
    for issuer in (f"{base}/", base[:-1], base.upper(), evil, "", [base], {"iss": base}, 1, f"{base} "):
        yield f"iss {issuer!r}", forge.token(iss=issuer)
    for name in ("sub", "aid", "own", "cid"):
        yield f"another {name}", forge.token(**{name: ulid()})


def times(forge: Forge) -> Iterator[Entry]:
    now = int(time.time())
    for name in ("exp", "iat", "nbf"):
        for value in (str(now + 100), float(now) + 0.5, 10**400, -1, True, [now], {"at": now}, "never", "1e12", 10**30):
            yield f"{name} {value!r}"[:60], forge.token(**{name: value})
    yield "expired", forge.token(iat=now - 1000, nbf=now - 1000, exp=now - 100)
    yield "not yet", forge.token(iat=now + 600, nbf=now + 600, exp=now + 1200)
    yield "nbf in the future", forge.token(nbf=now + 600)
    yield "iat in the future", forge.token(iat=now + 600, nbf=now)
    yield "lives 901 seconds", forge.token(iat=now, nbf=now, exp=now + 901)
    yield "lives a day by an old iat", forge.token(iat=now - 86400, nbf=now, exp=now + 800)
    yield "lives a day by an old nbf", forge.token(iat=now, nbf=now - 86400, exp=now + 800)
    yield "lives for ever", forge.token(exp=now + 10**9)
    yield "ends before it begins", forge.token(iat=now, nbf=now, exp=now - 1)


def raw_json(forge: Forge) -> Iterator[Entry]:
    """What JSON lets through and a comparison does not expect."""
    header, payload = dumps(forge.header), dumps(forge.claims)
    for name in ("exp", "aud", "sub", "scopes", "iss"):
        value = json.dumps(forge.claims[name])
        yield f"{name} twice, equal", forge.sign(header, f'{payload[:-1]},"{name}":{value}}}')
        yield f"{name} twice, first false", forge.sign(header, f'{{"{name}":0,{payload[1:]}')
    yield "alg twice", forge.sign(f'{{"alg":"none",{header[1:]}', payload)
    yield "kid twice", forge.sign(f'{{"kid":"other",{header[1:]}', payload)
    yield "lone surrogate", forge.sign(header, payload.replace(str(forge.claims["sub"]), "\\ud800"))
    yield "raw surrogate", forge.sign(header, payload.replace(str(forge.claims["sub"]), "\ud800"))
    yield "NUL", forge.sign(header, payload.replace(str(forge.claims["sub"]), "\\u0000"))
    yield "nested header", forge.sign("[" * 900 + "]" * 900, payload)
    yield "nested claims", forge.sign(header, f'{payload[:-1]},"collaboration":{"[" * 700}{"]" * 700}}}')
    for what, text in {
        "a list": "[]",
        "a string": '"x"',
        "null": "null",
        "a number": "1",
        "nothing": "",
        "not JSON": "{",
        "NaN": '{"exp": NaN}',
        "infinity": '{"exp": 1e999}',
        "a BOM": "\ufeff{}",
    }.items():
        yield f"claims are {what}", forge.sign(header, text)
        yield f"header is {what}", forge.sign(text, payload)


def spellings(forge: Forge) -> Iterator[Entry]:
    """Other texts that a lenient decoder reads as the same good token."""
    good = forge.token()
    first, second, third = good.split(".")
    for tail in ("=", "==", "===", " ", "\n", "\t", "\0", ".", "..", "\r\n", "%00", "#", ",", ";", "\u200b", "é"):
        yield f"good + {tail!r}", good + tail
    for head in (" ", "\n", ".", "Bearer ", '"'):
        yield f"{head!r} + good", head + good
    yield "padding inside", f"{first}=.{second}=.{third}="
    yield "standard alphabet", good.replace("-", "+").replace("_", "/") + ("" if set("-_") & set(good) else "+")
    yield "line break inside", f"{first}.\n{second}.{third}"
    yield "spaces inside", f"{first[:9]} {first[9:]}.{second}.{third}"
    yield "four parts", f"{good}.{third}"
    yield "five parts", f"{first}.{second}.{third}.{first}.{second}"
    yield "two parts", f"{first}.{second}"
    yield "no signature", f"{first}.{second}."
    yield "half a signature", f"{first}.{second}.{third[:43]}"
    yield "signature twice", f"{first}.{second}.{third}{third}"
    yield "claims of another", f"{first}.{b64(dumps({**forge.claims, 'scopes': 31}).encode())}.{third}"
    yield "spare bits of the last character", good[:-1] + chr(ord(good[-1]) + 1)
    yield "JSON form", json.dumps({"protected": first, "payload": second, "signature": third})


def credentials(forge: Forge) -> Iterator[Entry]:
    """A true credential that is not quite written as it was shown."""
    text, record = forge.held.token, forge.held.credential
    mark, prefix, secret = text.split("_", 2)
    stored = record.secret_hash
    for what, token in {
        "cut": text[:-1],
        "longer": text + "A",
        "another last character": text[:-1] + ("A" if text[-1] != "A" else "B"),
        "upper case": text.upper(),
        "swapped case": text.swapcase(),
        "mark in capitals": f"ART_{prefix}_{secret}",
        "no mark": f"{prefix}_{secret}",
        "another mark": f"art-{prefix}-{secret}",
        "prefix alone": f"{mark}_{prefix}",
        "no secret": f"{mark}_{prefix}_",
        "secret alone": secret,
        "its stored hash as the secret": f"{mark}_{prefix}_{stored}",
        "half its stored hash": f"{mark}_{prefix}_{stored[:32]}",
        "its id as the prefix": f"{mark}_{record.pk}_{secret}",
        "twice": text + text,
        "twice with a space": f"{text} {text}",
        "a space before": f" {text}",
        "a space after": f"{text} ",
        "a line break after": f"{text}\n",
        "a NUL after": f"{text}\0",
        "the scheme inside": f"Bearer {text}",
        "quoted": f'"{text}"',
        "percent-encoded": text.replace("_", "%5F"),
        "wildcards": f"{mark}_%_{secret}",
        "as a JWT part": f"{text}.{text}.{text}",
        "full width": text.translate({ord("_"): "\uff3f"}),
        "another secret of right length": f"{mark}_{prefix}_{'A' * 32}",
        "another prefix of right length": f"{mark}_{'0' * 12}_{secret}",
        "reversed secret": f"{mark}_{prefix}_{secret[::-1]}",
    }.items():
        yield f"credential, {what}", token


def rubbish() -> Iterator[Entry]:
    for text in (
        "x",
        ".",
        "..",
        "...",
        "a.b.c",
        "null",
        "{}",
        "\0",
        "\ud800",
        "ß",
        "art",
        "art_",
        "art__",
        "art_x_y",
        "-" * 9,
    ):
        yield f"rubbish {text!r}", text
    yield "huge", "a" * 100_000
    yield "huge with dots", f"{'a' * 3000}.{'b' * 3000}.{'c' * 3000}"
    yield "huge credential", "art_" + "a" * 100_000
    yield "many dots", "." * 4000
    yield "credential with NUL", "art_\0\0\0_x"
    yield "credential with another alphabet", f"art_{'а' * 12}_{'b' * 32}"
    yield "unknown credential", f"art_{'0' * 12}_{'A' * 32}"
