"""Prints the reports of all records with Firestore's own client, one line each: hazards, then the answers by question.

An answer that was not given is None. A question that was not asked is missing. A record without a report prints "no
report".

    read_reports.py PROJECT COLLECTION    with FIRESTORE_EMULATOR_HOST
"""

import sys

from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore

client = firestore.Client(project=sys.argv[1], credentials=AnonymousCredentials())
for record in client.collection(sys.argv[2]).stream():
    reports = record.to_dict().get("reports")
    for report in reports or []:
        answers = ", ".join(f"{name}={value!r}" for name, value in sorted(report["answers"].items()))
        print(f"{report['hazards']}: {answers}")
    if reports is None:
        print("no report")
