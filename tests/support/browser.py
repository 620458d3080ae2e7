"""A headless chromium that is driven through a pair of pipes: pages are opened, typed into, and asked."""
import base64
import json
import os
import subprocess
import time

KEYS = {"ArrowRight": 39, "ArrowLeft": 37, "ArrowUp": 38, "ArrowDown": 40, "+": 187, "-": 189, "0": 48, "Enter": 13}


class Browser:
    """with Browser(folder) as browser: ...; complaints has what a page said on its console or could not load."""

    def __init__(self, folder, width=1200, height=900):
        self.complaints, self.number, self.rest = [], 0, b""
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
                   "--disable-background-networking", f"--user-data-dir={folder}/browser",
                   f"--window-size={width},{height}", "about:blank"]

        def wire():  # chromium reads commands from 3 and writes answers to 4
            read, write = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, preexec_fn=wire, close_fds=False)
        os.close(theirs_in)
        os.close(theirs_out)
        self.inlet, self.outlet, self.session = ours_in, ours_out, None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.inlet)
        os.close(self.outlet)

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.inlet, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.rest += more
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        order = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            order["sessionId"] = self.session
        os.write(self.outlet, json.dumps(order).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.listen(message)

    def listen(self, message):
        method, told = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.complaints.append(f"{told['entry']['text']} {told['entry'].get('url', '')}")
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning"):
            self.complaints.append(str(told["args"]))
        elif method == "Network.requestWillBeSent" and not told["request"]["url"].startswith(("file:", "data:", "about:")):
            self.complaints.append(f"loads {told['request']['url']}")

    def ask(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']['text']}")
        return answer["result"].get("value")

    def look(self, expression):
        """Its value, or None while one page makes way for another."""
        try:
            return self.ask(expression)
        except RuntimeError as error:
            if "navigated" in str(error) or "context" in str(error):
                return None
            raise

    def wait_for(self, expression, seconds=30):
        end = time.monotonic() + seconds
        while not (value := self.look(expression)):
            if time.monotonic() > end:
                raise AssertionError(f"never true: {expression}; complaints: {self.complaints}")
            time.sleep(0.05)
        return value

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.wait_for("document.readyState === 'complete' && location.href !== 'about:blank'")

    def resize(self, width, dark=False):
        """A telephone when it is narrow."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if kind == "keyDown" and len(key) == 1 else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=KEYS[key], **text)

    def picture(self, selector):
        """What an element looks like: a PNG, once nothing moves there any more."""
        # A shot has no scroll bars: without them here, too, nothing moves when it is taken.
        self.ask("document.head.append(Object.assign(document.createElement('style'), {textContent: '* {scrollbar-width: none}'}))")
        self.ask(f"document.querySelector('{selector}').scrollIntoView()")
        time.sleep(2)
        box = self.ask(f"(({{x, y, width, height}}) => ({{x: x + scrollX - 12, y: y + scrollY, width: width + 24, height, scale: 1}}))"
                       f"(document.querySelector('{selector}').getBoundingClientRect())")
        return base64.b64decode(self.call("Page.captureScreenshot", clip=box, captureBeyondViewport=True)["data"])

    def print(self):
        """The page on paper: a PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def type(self, text):
        """Into what has the focus, then Enter."""
        self.call("Input.insertText", text=text)
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13,
                      text="\r" if kind == "keyDown" else "")
