"""Builds the wheel with the standard library alone, so that `pip install` of this folder needs no network."""
import base64
import hashlib
import os
import re
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def build_wheel(folder, settings=None, metadata=None):
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        project = file.read()

    def field(name):
        return re.search(rf'^{name} = "(.*)"$', project, re.M)[1]

    name, version = field("name"), field("version")
    about = f"{name}-{version}.dist-info"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", f"Summary: {field('description')}",
             f"Requires-Python: {field('requires-python')}"]
    needs = re.search(r"^dependencies = \[(.*)\]$", project, re.M)[1]
    lines += [f"Requires-Dist: {need}" for need in re.findall('"(.*?)"', needs)]
    for extra, need in re.findall(r'^(\w+) = \["(.*)"\]$', project.split("[project.optional-dependencies]")[1], re.M):
        lines += [f"Provides-Extra: {extra}", f"Requires-Dist: {need}; extra == '{extra}'"]
    contents = {f"{about}/METADATA": "\n".join(lines).encode() + b"\n",
                f"{about}/WHEEL": b"Wheel-Version: 1.0\nGenerator: footbridge\nRoot-Is-Purelib: true\n"
                                        b"Tag: py3-none-any\n"}
    package = os.path.join(HERE, "src", name)
    for entry in sorted(os.listdir(package)):
        if entry.endswith(".py") or entry == "py.typed":
            with open(os.path.join(package, entry), "rb") as source:
                contents[f"{name}/{entry}"] = source.read()
    record = []
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in contents.items():
            archive.writestr(path, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}")
        archive.writestr(f"{about}/RECORD", "\n".join([*record, f"{about}/RECORD,,", ""]))
    return wheel
