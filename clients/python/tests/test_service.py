"""Tests against a running service, which the environment names."""

import os
import tempfile
import unittest
from typing import Any, List, Tuple

from tributary import LoadFailed, StorageKeys, Tributary
from tributary.problems import NotFound, Unauthenticated

URL = os.environ["TRIBUTARY_URL"]
DEVICE = "3f2504e0-4f89-41d3-9a0c-0305e82c33"


def client(**options: Any) -> Tributary:
    return Tributary(URL, os.environ["TRIBUTARY_API_KEY"], **options)


class Service(unittest.TestCase):
    def test_an_import_that_fails_says_why(self) -> None:
        with self.assertRaises(LoadFailed) as caught:
            client().import_and_wait("missing.csv")
        self.assertIn("missing.csv", str(caught.exception))
        self.assertEqual(caught.exception.record["status"], 3)

    def test_problems_are_typed(self) -> None:
        with self.assertRaises(NotFound):
            client().wait_for_import(999999)
        with self.assertRaises(Unauthenticated):
            Tributary(URL, "wrong").call("GET", "/v1/marketplace/import")

    def test_an_audience_is_created_and_appended(self) -> None:
        tributary = client()
        sent: List[Tuple[int, int]] = []
        rows = "".join(f"{DEVICE}{number:02},visit\n" for number in range(10)).encode()
        path = tributary.upload(rows, "python/first.csv", on_progress=lambda *at: sent.append(at))
        self.assertEqual(sent[-1], (len(rows), len(rows)))
        audience = tributary.load_audience(path, name="Python")
        self.assertEqual(audience["unique_devices"], 10)
        with tempfile.NamedTemporaryFile() as file:
            file.write(f"{DEVICE}99,\n".encode())
            file.flush()
            more = tributary.upload(file.name, "python/second.csv")
        audience_id = audience["audience_id"]
        appended = tributary.load_audience(more, audience_id=audience_id)
        self.assertEqual(appended["unique_devices"], 11)
        self.assertIn(audience_id, [each["audience_id"] for each in tributary.audiences()])
        failing = tributary.upload(b"not,a,file\n", "python/bad.csv")
        with self.assertRaises(LoadFailed):
            tributary.load_audience(failing, audience_id=audience_id)

    def test_an_interrupted_upload_continues(self) -> None:
        keys = StorageKeys(os.environ["ACCESS_KEY_ID"], os.environ["SECRET_ACCESS_KEY"])
        tributary = client(storage=keys)
        row = f"{DEVICE}01,k\n".encode()
        rows = b"id,attribute_ids\n" + row * (17 * 1024**2 // len(row))
        parts = self._count_parts(tributary)

        def interrupt(sent: int, total: int) -> None:
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            tributary.upload(rows, "python/large (1).csv", on_progress=interrupt)
        before = len(parts)
        self.assertGreater(before, 0)
        path = tributary.upload(rows, "python/large (1).csv")
        self.assertLessEqual(len(parts), 3)
        log = tributary.import_and_wait(path)
        self.assertEqual(log["total_rows"], str(rows.count(b"\n") - 1))
        self.assertEqual(log["unique_devices"], "1")

    def _count_parts(self, tributary: Tributary) -> List[str]:
        parts: List[str] = []
        transport = tributary._transport
        send = transport.send

        def counted(method: str, url: str, *rest: Any) -> Any:
            if "partNumber" in url:
                parts.append(url)
            return send(method, url, *rest)

        transport.send = counted  # type: ignore[method-assign]
        return parts


if __name__ == "__main__":
    unittest.main()
