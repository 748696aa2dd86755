"""Builds the wheel and the source archive (PEP 517) with the standard library alone."""

import base64
import gzip
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Optional

ROOT = Path(__file__).parent
TEXT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
# The earliest time that a zip file can have, so that the same files give the same wheel.
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def _setting(name: str) -> str:
    found = re.search(rf'^{name} = "(.*)"$', TEXT, re.MULTILINE)
    if found is None:
        raise ValueError(f"pyproject.toml has no {name}")
    return found.group(1)


NAME = _setting("name").replace("-", "_")
VERSION = _setting("version")


def _metadata() -> str:
    return (
        "Metadata-Version: 2.1\n"
        f"Name: {_setting('name')}\n"
        f"Version: {VERSION}\n"
        f"Summary: {_setting('description')}\n"
        "License: Apache-2.0\n"
        f"Requires-Python: {_setting('requires-python')}\n"
        "Description-Content-Type: text/markdown\n"
        "\n" + (ROOT / "README.md").read_text(encoding="utf-8")
    )


def _package_files() -> List[Path]:
    files = (ROOT / "src").rglob("*")
    return sorted(file for file in files if file.suffix == ".py" or file.name == "py.typed")


def get_requires_for_build_wheel(config_settings: Optional[Dict[str, Any]] = None) -> List[str]:
    return []


def get_requires_for_build_sdist(config_settings: Optional[Dict[str, Any]] = None) -> List[str]:
    return []


def build_wheel(
    wheel_directory: str,
    config_settings: Optional[Dict[str, Any]] = None,
    metadata_directory: Optional[str] = None,
) -> str:
    info = f"{NAME}-{VERSION}.dist-info"
    wheel = "Wheel-Version: 1.0\nGenerator: tributary\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    contents = {
        file.relative_to(ROOT / "src").as_posix(): file.read_bytes() for file in _package_files()
    }
    contents[f"{info}/METADATA"] = _metadata().encode()
    contents[f"{info}/WHEEL"] = wheel.encode()
    record = "".join(f"{name},{_digest(data)},{len(data)}\n" for name, data in contents.items())
    contents[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in contents.items():
            entry = zipfile.ZipInfo(path, ZIP_TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return name


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    base = f"{NAME}-{VERSION}"
    names = ["pyproject.toml", "README.md", "build_backend.py"]
    files = [ROOT / name for name in names] + _package_files()
    contents = {file.relative_to(ROOT).as_posix(): file.read_bytes() for file in files}
    contents["PKG-INFO"] = _metadata().encode()
    with open(Path(sdist_directory) / f"{base}.tar.gz", "wb") as target:
        with gzip.GzipFile("", "wb", fileobj=target, mtime=0) as zipped:
            with tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive:
                for path, data in contents.items():
                    entry = tarfile.TarInfo(f"{base}/{path}")
                    entry.size = len(data)
                    entry.mode = 0o644
                    archive.addfile(entry, io.BytesIO(data))
    return f"{base}.tar.gz"


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
    return f"sha256={digest.decode()}"
