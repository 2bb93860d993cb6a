"""Builds the wheel with only the standard library, so `pip install` of this folder needs no network."""
import base64
import hashlib
import pathlib
import re
import zipfile

HERE = pathlib.Path(__file__).parent


def build_wheel(folder, settings=None, metadata=None):
    project = (HERE / "pyproject.toml").read_text("utf-8")
    name, version, summary, python = (re.search(rf'^{field} = "(.*)"$', project, re.M)[1] for field in (
        "name", "version", "description", "requires-python"))
    about = f"{name}-{version}.dist-info"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", f"Summary: {summary}",
             f"Requires-Python: {python}"]
    needs = re.search(r"^dependencies = \[(.*)\]$", project, re.M)[1]
    lines += [f"Requires-Dist: {need}" for need in re.findall('"(.*?)"', needs)]
    for extra, need in re.findall(r'^(\w+) = \["(.*)"\]$', project.split("[project.optional-dependencies]")[1], re.M):
        lines += [f"Provides-Extra: {extra}", f"Requires-Dist: {need}; extra == '{extra}'"]
    contents = {f"{about}/METADATA": "\n".join(lines).encode() + b"\n",
                f"{about}/WHEEL": b"Wheel-Version: 1.0\nGenerator: footbridge\nRoot-Is-Purelib: true\n"
                                  b"Tag: py3-none-any\n"}
    contents.update((f"{name}/{path.name}", path.read_bytes()) for path in sorted((HERE / "src" / name).glob("*.*")))
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in contents.items():
            archive.writestr(path, content)
        digests = [f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},"
                   f"{len(content)}" for path, content in contents.items()]
        archive.writestr(f"{about}/RECORD", "\n".join([*digests, f"{about}/RECORD,,", ""]))
    return wheel
