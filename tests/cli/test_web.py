# test: labels cli timeout 120
"""gannet watch --web: who gets in, that nothing is written, how it begins and ends, and the page in a real browser."""
import http.client
import json
import pathlib
import re
import shutil
import signal
import socket
import stat
import sys
import unittest

import program
from program import BUSY, FINISHED, GANNET, SOBOL, USAGE

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from browser import Browser

SERVER = pathlib.Path(GANNET).parent / "libexec/gannet/web/gannet"


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(self.path)


@unittest.skipUnless(SERVER.exists(), "built without libmicrohttpd")
class Web(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.succeed("run", self.write(SOBOL), "-q")
        self.directory = self.folder / "fast.campaign"
        self.socket = self.directory / "web.sock"

    def ask(self, path="/status.json", method="GET", place=None, **headers):
        connection = Connection(place or self.socket)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers

    def serve(self, *more):
        server = self.start("watch", "fast.campaign", "--web", "-i", "0.1s", *more)
        self.wait_until(lambda: "Ctrl-C" in server.text(server.out) or server.process.poll() is not None)
        self.assertIsNone(server.process.poll(), server.outcome(server.process.poll()))
        return server

    def end(self, server, number=signal.SIGINT):
        server.process.send_signal(number)
        return server.wait()

    def test_only_its_owner_gets_in_and_nothing_is_written(self):
        def files():
            return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in self.directory.rglob("*")
                    if path.is_file() and path.name != "web.sock"}
        before = files()
        server = self.serve()
        mode = self.socket.lstat().st_mode
        self.assertTrue(stat.S_ISSOCK(mode))
        self.assertEqual(stat.S_IMODE(mode), 0o600)
        status, body, headers = self.ask()
        state = json.loads(body)
        self.assertEqual((status, state["state"], state["evaluations"]["done"]), (200, "finished", 24))
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        status, page, _ = self.ask("/")
        self.assertEqual(status, 200)
        self.assertIn(b'id="live"', page)
        self.assertIn(b'id="data"', page)
        self.assertEqual(self.ask("/", "HEAD")[:2], (200, b""))
        for method in "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE":
            status, _, headers = self.ask("/", method)
            self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD"), method)
        for path in "/journal", "/../journal", "/status.json/x", "//":
            self.assertEqual(self.ask(path)[0], 404, path)
        self.assertEqual(self.ask(Host="evil.example")[0], 403)
        self.assertEqual(self.ask(Host="localhost.evil.example")[0], 403)
        self.assertEqual(self.ask(Host="127.0.0.1:8080")[0], 200)
        self.assertEqual(self.end(server).code, FINISHED)
        self.assertEqual(files(), before)
        self.assertFalse(self.socket.exists())

    def test_second_servers_and_stale_sockets(self):
        server = self.serve()
        second = self.gannet("watch", "fast.campaign", "--web")
        self.assertEqual(second.code, BUSY, second)
        self.assertIn("another gannet watch --web shows this campaign", second.err)
        self.assertEqual(self.ask()[0], 200)
        server.kill()
        self.assertTrue(self.socket.exists())
        server = self.serve()
        self.assertEqual(self.ask()[0], 200)
        self.socket.unlink()
        outcome = server.wait()
        self.assertIn("was removed, or another server has taken its place", outcome.err)
        self.socket.write_text("mine")
        outcome = self.gannet("watch", "fast.campaign", "--web")
        self.assertEqual(outcome.code, USAGE, outcome)
        self.assertIn("is not a socket", outcome.err)
        self.assertEqual(self.socket.read_text(), "mine")

    def test_a_campaign_that_is_deleted(self):
        server = self.serve()
        shutil.rmtree(self.directory)
        outcome = server.wait()
        self.assertEqual(outcome.code, USAGE, outcome)
        self.assertIn("the campaign is gone", outcome.err)

    def test_a_path_that_is_too_long_for_a_socket(self):
        deep = self.folder / ("d" * 60) / ("e" * 60)
        deep.mkdir(parents=True)
        self.directory.rename(deep / "fast.campaign")
        server = self.start("watch", str(deep / "fast.campaign"), "--web")
        self.wait_until(lambda: "Ctrl-C" in server.text(server.out))
        place = pathlib.Path(re.search(r"live page: (\S+)", server.text(server.out)).group(1))
        self.assertEqual(stat.S_IMODE(place.parent.stat().st_mode), 0o700)
        self.assertEqual(self.ask(place=place)[0], 200)
        outcome = self.end(server, signal.SIGTERM)
        self.assertEqual(outcome.code, FINISHED)
        self.assertIn("is too long for a socket", outcome.err)
        self.assertFalse(place.parent.exists())

    def test_a_port_needs_its_secret(self):
        server = self.serve("--port", "0")
        port, secret = re.search(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", server.text(server.out)).groups()

        def status(path, host="127.0.0.1"):
            connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=30)
            connection.request("GET", path, headers={"Host": host})
            return connection.getresponse().status
        self.assertEqual(status(f"/{secret}/status.json"), 200)
        for path in "/", "/status.json", "//status.json", f"/{secret}", f"/{'0' * 32}/status.json", f"/{secret[:-1]}/status.json":
            self.assertEqual(status(path), 403, path)
        self.assertEqual(status(f"/{secret}/status.json", "evil.example"), 403)
        self.assertFalse(self.socket.exists())
        taken = self.gannet("watch", "fast.campaign", "--web", "--port", port)
        self.assertEqual(taken.code, BUSY, taken)
        self.assertEqual(self.end(server).code, FINISHED)

    def test_options_that_do_not_fit(self):
        for words, expected in ((["--port", "1"], "add --web"), (["--web", "--port", "70000"], "expected 0 to 65535"),
                                (["--web", "--once"], "leave one of them out")):
            self.assertIn(expected, self.succeed("watch", "fast.campaign", *words, code=USAGE).err)

    @unittest.skipUnless(shutil.which("chromium"), "no browser")
    def test_in_a_browser(self):
        self.write("#!/bin/sh\nwhile [ ! -e \"$GANNET_INPUT_DIRECTORY/go\" ]; do sleep 0.05; done\n"
                   "case $GANNET_EVAL_ID in 2) echo '<b>mesh</b>' >&2; exit 3;; esac\necho objective $GANNET_EVAL_ID > results.out\n", "run.sh", 0o755)
        shutil.rmtree(self.directory)
        text = SOBOL.replace("backend: function, simulation: branin", "backend: command, command: [./run.sh], retries: 0")
        run = self.start("run", self.write(text.replace("evaluations: 24", "evaluations: 8")), "-q")
        self.wait_until(lambda: (self.directory / "evals/000003").exists())
        server = self.serve("--port", "0")
        url = re.search(r"http://\S+", server.text(server.out)).group(0)
        with Browser(self.folder) as browser:
            browser.open(url)
            title = "document.querySelector('#live-title').textContent"
            browser.wait_for(f"{title}.startsWith('at work')")
            browser.wait_for("document.querySelectorAll('#live-running tr').length === 5")
            (self.folder / "go").touch()
            browser.wait_for(f"{title} === 'finished'")
            browser.wait_for("document.querySelector('#live-failures').textContent.includes('<b>mesh</b>')")
            browser.wait_for("document.querySelector('.bar').getAttribute('aria-valuenow') === '100'")
            # The pictures follow by themselves.
            browser.wait_for("document.body?.dataset.ready && JSON.parse(document.querySelector('#data')?.textContent ?? '{}').columns?.id.length === 8")
            for width in 400, 1200:
                browser.resize(width)
                self.assertLessEqual(browser.ask("document.documentElement.scrollWidth"), width)
            self.assertEqual([text for text in browser.complaints if not text.startswith(f"loads {url}")], [])
            run.wait()
            self.end(server)
            browser.wait_for(f"{title}.startsWith('no connection')")


if __name__ == "__main__":
    program.main()
