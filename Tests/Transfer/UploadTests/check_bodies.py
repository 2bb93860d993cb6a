"""Checks request bodies against the messages of the service: a line of JSON each, as `{"call": …, "body": …}`.

Says how many it read, or what is wrong with one.
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
    """The messages' parser accepts numbers too, but the fact sheet requires text."""
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
