"""A headless Chromium that is told what to do through its debugging pipe: tests open pages in it and ask what it shows."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile


def find():
    """The path of Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One window. It ends with the `with` statement; a test's own time limit ends one that hangs."""

    def __enter__(self):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # Chromium reads messages from descriptor 3, and writes its own to 4. A zero byte ends each.
        from_test, self._to = os.pipe()
        answers, to_test = os.pipe()
        arguments = [find(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     f"--user-data-dir={self._profile.name}", "--remote-debugging-pipe", "about:blank"]
        self._process = subprocess.Popen(["bash", "-c", f'exec "$@" 3<&{from_test} 4>&{to_test}', "bash", *arguments],
                                         pass_fds=(from_test, to_test), stderr=subprocess.DEVNULL)
        os.close(from_test)
        os.close(to_test)
        self._from = os.fdopen(answers, "rb")
        self._rest, self._count, self._session, self._loaded = b"", 0, None, False
        self.requests = []  # the addresses that the page which is open has asked for
        try:
            page = self.call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
            self.call("Page.enable")
            self.call("Network.enable")
            self.call("Emulation.setScrollbarsHidden", hidden=True)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        os.close(self._to)
        self._from.close()
        self._process.kill()
        self._process.wait()
        self._profile.cleanup()

    def _message(self):
        while b"\0" not in self._rest:
            more = os.read(self._from.fileno(), 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(text)
        # It may come before the answer that another method waits for.
        self._loaded = self._loaded or message.get("method") == "Page.loadEventFired"
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        return message

    def call(self, method, **parameters):
        """What Chromium answers to a method of its DevTools protocol."""
        self._count += 1
        request = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            request["sessionId"] = self._session
        os.write(self._to, json.dumps(request).encode() + b"\0")
        while (answer := self._message()).get("id") != self._count:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, path):
        """Opens a file, and returns when it is drawn."""
        self._loaded, self.requests = False, []
        if error := self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri()).get("errorText"):
            raise RuntimeError(f"{path}: {error}")
        while not self._loaded:
            self._message()
        # Two frames later what the page's scripts have made is on the screen.
        self.ask("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")

    def ask(self, expression):
        """The value of an expression of JavaScript, of a promise that which it is fulfilled with."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def mouse(self, *events):
        """Events of the mouse's left button: (kind, x, y) or (kind, x, y, how many clicks)."""
        for kind, x, y, *clicks in events:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=int(kind != "mouseReleased"),
                      clickCount=clicks[0] if clicks else 1)

    def look_like(self, width, media="screen", scheme="light"):
        """A window so wide, of a screen or of paper, for a reader who likes this colour scheme."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
