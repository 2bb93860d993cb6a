"""Checks request bodies against the messages of the service. Each input line is `{"call": …, "body": …}`.

Prints the number of bodies, or the first fault.
"""

import json
import sys

from google.cloud.firestore_v1.types import (
    BatchGetDocumentsRequest,
    CommitRequest,
    RunQueryRequest,
)
from google.protobuf import json_format

messages = {"commit": CommitRequest, "batchGet": BatchGetDocumentsRequest, "runQuery": RunQueryRequest}


def check_integers(value, place):
    """Check for text: the messages' parser also accepts numbers, but the fact sheet requires text."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name == "integerValue" and not isinstance(member, str):
                sys.exit(f"{place}.{name} is not text")
            check_integers(member, f"{place}.{name}")
    elif isinstance(value, list):
        for number, member in enumerate(value):
            check_integers(member, f"{place}[{number}]")


count = 0
for line in sys.stdin:
    request = json.loads(line)
    place = {"parent" if request["call"] == "runQuery" else "database": "projects/p/databases/(default)"}
    message = messages[request["call"]]
    json_format.ParseDict({**request["body"], **place}, message.pb(message()))
    check_integers(request["body"], request["call"])
    count += 1
print(count)
