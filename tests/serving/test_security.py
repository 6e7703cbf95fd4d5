"""Who may ask, who may not, and who is cut off."""

from __future__ import annotations

import base64
import json
import socket
import threading
import time

import pytest

from arcwise.errors import OptionError
from arcwise.serve.security import DeniedError, Doorkeeper
from arcwise.serve.settings import Settings
from serving.service import Running, raw, running, wait_until

TOKEN = "0123456789abcdef"


@pytest.fixture(scope="module")
def service():
    with running() as one:
        yield one


@pytest.mark.parametrize("path", ["/", "/api/v1/models", "/process", "/health", "/nothing"])
def test_every_answer_has_the_headers_of_a_careful_service(service: Running, path):
    headers = service.ask(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';") and "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "10.0.0.1", "a@localhost"]
)
def test_a_name_of_someone_else_is_refused(service: Running, host):
    assert service.ask("/api/v1/models", headers={"Host": host}).status in (400, 403)


@pytest.mark.parametrize("host", ["localhost", "localhost:9000", "127.0.0.1", "[::1]:8080", "LOCALHOST."])
def test_own_names_pass(service: Running, host):
    assert service.ask("/api/v1/models", headers={"Host": host}).status == 200


def test_a_request_without_a_host_is_refused(service: Running):
    with raw(service.port, b"GET /api/v1/models HTTP/1.0\r\n\r\n") as connection:
        assert connection.recv(100).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://localhost:1", "http://localhost.evil", ""]
)
def test_a_page_elsewhere_is_refused(service: Running, origin):
    for path in ("/", "/api/v1/models", "/process?data=a", "/health"):
        answer = service.ask(path, headers={"Origin": origin})
        assert answer.status == 403 and "--allow-origin" in answer.body.decode()


def test_the_own_page_passes(service: Running):
    host = f"127.0.0.1:{service.port}"
    for origin in (f"http://{host}", f"https://{host}"):
        assert service.ask("/api/v1/models", headers={"Host": host, "Origin": origin}).status == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_page_elsewhere_embeds_is_refused_but_a_link_to_the_page_is_not(service: Running, site):
    embeds = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
    follows = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert service.ask("/app.js", headers=embeds).status == 403
    assert service.ask("/", headers=follows).status == 200
    assert service.ask("/process?data=a", headers=follows).status == 403
    assert service.ask("/", headers={**follows, "Sec-Fetch-Dest": "iframe"}).status == 403
    assert service.ask("/app.js", headers={"Sec-Fetch-Site": "same-origin"}).status == 200


def test_an_origin_that_is_allowed_may_ask():
    origin = "https://lab.example"
    with running(allow_origin=(origin,), allow_host=("parser.lab.example",)) as one:
        answer = one.ask("/api/v1/models", headers={"Origin": origin, "Sec-Fetch-Site": "cross-site"})
        assert answer.status == 200 and answer.headers["access-control-allow-origin"] == origin
        preflight = one.ask(
            "/api/v1/parse",
            method="OPTIONS",
            headers={"Origin": origin, "Access-Control-Request-Method": "POST"},
        )
        assert preflight.status == 204 and "content-type" in preflight.headers["access-control-allow-headers"]
        assert one.ask("/api/v1/models", headers={"Origin": "https://other.example"}).status == 403
        assert one.ask("/api/v1/models", headers={"Host": "parser.lab.example"}).status == 200


def test_a_token_is_wanted_of_all_but_the_page_and_probes():
    with running(token=TOKEN) as one:
        for path in ("/api/v1/models", "/metrics", "/models", "/process?data=a"):
            answer = one.ask(path)
            assert answer.status == 401 and answer.headers["www-authenticate"].startswith("Bearer")
        for path in ("/", "/health", "/ready"):
            assert one.ask(path).status == 200
        for given in (
            f"Bearer {TOKEN}x",
            "Bearer ",
            "Basic !",
            f"Digest {TOKEN}",
            "Basic " + _basic("wrong"),
        ):
            assert one.ask("/api/v1/models", headers={"Authorization": given}).status == 401
        for given in (f"Bearer {TOKEN}", f"bearer {TOKEN}", "Basic " + _basic(TOKEN)):
            assert one.ask("/api/v1/models", headers={"Authorization": given}).status == 200


def _basic(password: str) -> str:
    return base64.b64encode(f"someone:{password}".encode()).decode()


def test_beyond_this_machine_there_is_a_token_or_a_word_that_there_is_none():
    with pytest.raises(OptionError, match="ARCWISE_TOKEN"):
        Settings(host="0.0.0.0")
    assert Settings(host="0.0.0.0", no_token=True).no_token
    assert Settings(host="0.0.0.0", token=TOKEN).token
    for host in ("127.0.0.1", "127.0.0.2", "::1", "localhost"):
        assert Settings(host=host).is_loopback
    for bad in ({"token": "short"}, {"token": TOKEN, "no_token": True}, {"allow_origin": ("*",)}):
        with pytest.raises(OptionError):
            Settings(**bad)


def test_beyond_this_machine_addresses_and_own_names_pass_and_others_do_not():
    keeper = Doorkeeper(Settings(host="0.0.0.0", no_token=True, allow_host=("parser.example",)))
    for host in ("192.0.2.7:8080", "parser.example", socket.gethostname(), "[2001:db8::1]"):
        keeper.check({"host": host}, is_page=False, is_open=False)
    with pytest.raises(DeniedError):
        keeper.check({"host": "evil.example"}, is_page=False, is_open=False)


def test_who_does_not_send_a_request_is_cut_off():
    with running(max_silence=0.5) as one:
        head = b"POST /api/v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        silent = raw(one.port)
        slow_head = raw(one.port, head)
        slow_body = raw(one.port, head + b"Content-Length: 20\r\n\r\n{")
        begun = time.monotonic()
        assert _rest(silent) == b"" and _rest(slow_head) == b""
        assert _rest(slow_body).startswith(b"HTTP/1.1 408")
        assert time.monotonic() - begun < 10
        assert one.metric("arcwise_cut_off_total") == 2
        # Byte by byte is no quicker.
        drop = raw(one.port)
        with pytest.raises(OSError):
            for byte in head * 100:
                drop.sendall(bytes([byte]))
                time.sleep(0.02)


def test_who_does_not_read_the_answer_is_cut_off_and_forgotten():
    text = " ".join(f"Here is sentence {number} of a long text." for number in range(12_000))
    body = json.dumps({"text": text}).encode()
    head = b"POST /api/v1/segment HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += b"Accept: application/x-ndjson\r\nContent-Length: %d\r\n\r\n" % len(body)
    with running(max_silence=0.5) as one:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", one.port))
        connection.sendall(head + body)
        wait_until(lambda: one.service.work.accepted)
        wait_until(lambda: not one.service.work.accepted, 20)
        assert one.metric("arcwise_cut_off_total") == 1
        wait_until(lambda: one.service.work.memory.held == 0)
        connection.close()


def _rest(connection: socket.socket) -> bytes:
    found = b""
    try:
        while data := connection.recv(4096):
            found += data
    except ConnectionResetError:
        pass
    return found


def test_too_many_connections_are_refused():
    with running(max_connections=2) as one:
        kept = [raw(one.port), raw(one.port)]
        time.sleep(0.1)
        assert one.ask("/health").status == 503
        for connection in kept:
            connection.close()
        wait_until(lambda: _status(one) == 200)


def _status(one: Running) -> int:
    try:
        return one.ask("/health").status
    except OSError:
        return 0


def test_who_is_too_many_is_told_when_to_come_again(monkeypatch):
    held = threading.Event()
    with running(max_requests=2, threads=1) as one:
        monkeypatch.setattr(type(one.service.work), "_work", _held(type(one.service.work)._work, held))
        first = [threading.Thread(target=lambda: one.parse("Dogs bark.")) for _ in range(2)]
        for thread in first:
            thread.start()
        wait_until(lambda: len(one.service.work.accepted) == 2)
        answer = one.ask("/api/v1/parse", {"text": "Dogs bark."})
        assert answer.status == 503 and int(answer.headers["retry-after"]) >= 1
        assert one.ask("/ready").status == 503 and one.ask("/health").status == 200
        held.set()
        for thread in first:
            thread.join()
        assert one.ask("/ready").status == 200
        assert one.metric("arcwise_refused_total") >= 1


def _held(work, held):
    def waits(self):
        held.wait(20)
        work(self)

    return waits


def test_one_client_may_not_take_all_the_room():
    from arcwise.serve.work import RefusedError, Work

    work = Work(Settings(max_per_client=1), 1)
    with work.accept("192.0.2.7"):
        with pytest.raises(RefusedError) as refused, work.accept("192.0.2.7"):
            pass
        assert refused.value.status == 429 and refused.value.retry_after >= 1
        with work.accept("192.0.2.8"), work.accept("127.0.0.1"), work.accept("127.0.0.1"):
            assert len(work.accepted) == 4
    assert not work.accepted and not work._clients


def test_work_that_takes_too_long_is_given_up(monkeypatch):
    held = threading.Event()
    with running(max_seconds=0.3, threads=1) as one:
        monkeypatch.setattr(type(one.service.work), "_work", _held(type(one.service.work)._work, held))
        answer = one.ask("/api/v1/parse", {"text": "Dogs bark."})
        assert answer.status == 503 and "longer than 0.3 seconds" in answer.json["error"]
        held.set()


def test_work_is_given_up_when_its_client_leaves():
    text = " ".join(f"Here is sentence {number} of a long text." for number in range(3000))
    body = json.dumps({"text": text, "beam": 64}).encode()
    head = b"POST /api/v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with running(threads=1) as one:
        connection = raw(one.port, head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        wait_until(lambda: one.service.work.accepted)
        connection.close()
        begun = time.monotonic()
        wait_until(lambda: not one.service.work.accepted)
        assert one.parse("Dogs bark.")["sentences"]
        # All of it would take half a minute and more.
        assert time.monotonic() - begun < 15
        assert one.metric('arcwise_requests_total{route="/api/v1/parse",status="499"}') == 1
        wait_until(lambda: one.service.work.memory.held == 0)
