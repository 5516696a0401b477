"""The server with TLS files, and the addresses at which it refuses to listen."""

from __future__ import annotations

import ssl
from pathlib import Path

import httpx
import pytest

from otherminds.core.errors import StudyError
from otherminds.web.server import TlsFiles, check_tls, serve
from tests.cases import for_each
from tests.web.test_host import served, write_study

# Made for these tests alone (openssl req -x509 -newkey ec -nodes -days 36500 -subj /CN=localhost): they protect nothing.
CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUOtGzKrLqL6cxe+1uKKQS/CnCpdEwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODE3NTA1OVoYDzIxMjYxMTA0
MTc1MDU5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQk/Qt33PI6CXULzoQfrK4t0cEh2QAqrUZm5VnAJinBRBBMi/WFpqf2
8UDmde0cocrd8hpjBUyvlYrPozP+e2hCo28wbTAdBgNVHQ4EFgQUXY0FAimtF8h9
CoHx2kf5bOa4mSwwHwYDVR0jBBgwFoAUXY0FAimtF8h9CoHx2kf5bOa4mSwwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAJvWKzZMywXwMhQgfJxxWgLWwGYrKVr9BXQiI/u1NRxmAiB4
ggmT5xLeWeOdeU7rdRC5nsl5dGAtU8YErInQGBVfRA==
-----END CERTIFICATE-----
"""
KEY = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgO5sN4af9SQdD8O2L
ymdEevuBQF8fnnTTSM7ouv02FvGhRANCAAQk/Qt33PI6CXULzoQfrK4t0cEh2QAq
rUZm5VnAJinBRBBMi/WFpqf28UDmde0cocrd8hpjBUyvlYrPozP+e2hC
-----END PRIVATE KEY-----
"""
OTHER_KEY = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmtdCYtUitoTd+1xv
9X6PNllXlFuBHdh1egCnw6tfTJ+hRANCAATiAWR2zJR3YEv6MsGuknDR3lA3aZ22
0ydeMYUu5/nnr4wHd5Ob0FlAVOmr5pLeRthw7Tfr5DECsn2o+V6rb65m
-----END PRIVATE KEY-----
"""
LOCKED_KEY = """\
-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAitzlvwvDEaWgICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEF4Y9etA/Kr7MKqgBgthvV4EgZAT
9y5YdNt7JS6EpMcAqBYuZEpjX/SjhTHeLZH/aur3pcrDQ31r97GzFDAcAt3Px5T6
vnTHRJFvEG/UFjZFrtsqptUVwyeoiZogQWJbO8dVQGeepVBi0ohB5xYJSGLBZcXk
goyWjzLPgh4+2rPU9BOWndH8uzxZ/jos1/cxdqrvsMCw2B0JS32UES0b5s23u94=
-----END ENCRYPTED PRIVATE KEY-----
"""


def write_tls(folder: Path, key: str = KEY, certificate: str = CERTIFICATE) -> TlsFiles:
    files = TlsFiles(folder / "cert.pem", folder / "key.pem")
    files.certificate.write_text(certificate, "utf-8")
    files.key.write_text(key, "utf-8")
    return files


async def nothing(*given: object) -> None:
    pass


def test_a_study_with_tls_files_is_served_by_https_alone(tmp_path: Path) -> None:
    tls = write_tls(tmp_path)
    words = ("host", write_study(tmp_path), "--out", tmp_path / "run", "--port", "0", "--no-consent")
    with served(*words, "--tls-cert", tls.certificate, "--tls-key", tls.key) as (_, links):
        assert links["ann"].startswith("https://127.0.0.1:")
        trusted = ssl.create_default_context(cafile=str(tls.certificate))
        with httpx.Client(verify=trusted, timeout=30) as client:
            while "Waiting for the others" in client.get(links["ann"]).text:
                pass
            assert 'name="turn"' in client.get(links["ann"]).text
        with pytest.raises(httpx.HTTPError):
            httpx.get(links["ann"].replace("https", "http"), timeout=30)
        headers = {"origin": links["ann"].rpartition("/s/")[0]}
        form = {"turn": "1", "reply": "A: Option J"}
        for origin, status in ((headers["origin"].replace("https", "http"), 403), (headers["origin"], 303)):
            sent = httpx.post(links["ann"], data=form, headers={"origin": origin}, verify=trusted, timeout=30)
            assert sent.status_code == status


@for_each(
    ("key", "certificate", "message"),
    [
        (OTHER_KEY, CERTIFICATE, "is not the key of the certificate"),
        (LOCKED_KEY, CERTIFICATE, "has a password"),
        ("", CERTIFICATE, "has no private key"),
        (CERTIFICATE, CERTIFICATE, "has no private key"),
        (KEY, KEY, "has no certificate"),
        (KEY, CERTIFICATE.replace("MII", "xxx"), "cannot be used"),
    ],
)
def test_tls_files_that_do_not_fit_are_named(
    key: str, certificate: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(StudyError, match=message):
        check_tls(write_tls(tmp_path, key, certificate))


def test_tls_files_that_are_missing_are_named(tmp_path: Path) -> None:
    for files in (TlsFiles(tmp_path / "no.pem", tmp_path / "no.key"), TlsFiles(tmp_path, tmp_path)):
        with pytest.raises(StudyError, match=str(files.certificate)):
            check_tls(files)


@for_each(
    ("address", "with_tls", "message"),
    [
        ("0.0.0.0", False, "--tls-cert"),
        ("192.0.2.1", False, "--tls-cert"),
        ("::", False, "--tls-cert"),
        ("0.0.0.0", True, "--origin https://NAME"),
        ("::", True, "--origin https://NAME"),
        ("192.0.2.1", True, "cannot listen"),
    ],
)
def test_others_are_served_only_with_tls_or_behind_a_named_proxy(
    address: str, with_tls: bool, message: str, tmp_path: Path
) -> None:
    tls = write_tls(tmp_path) if with_tls else None
    with pytest.raises(StudyError, match=message), serve(lambda: nothing, address, 0, (), tls=tls):
        pass
