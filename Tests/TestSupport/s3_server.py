"""The S3 service moto on loopback, which checks signatures and permissions.

    s3_server.py BUCKET

Creates the bucket and a key with read and write access, prints {"port": N, "key": ..., "secret": ...}, and serves
until its parent ends.
"""

import json
import os
import sys
import time

parent = os.getppid()
# Number of requests accepted without a signature, which create the key and the bucket.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "4"

import boto3
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
place = {"endpoint_url": f"http://{host}:{port}", "region_name": "us-east-1"}
stranger = {"aws_access_key_id": "stranger", "aws_secret_access_key": "stranger", **place}
people = boto3.client("iam", **stranger)
people.create_user(UserName="receiver")
key = people.create_access_key(UserName="receiver")["AccessKey"]
rights = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
people.put_user_policy(UserName="receiver", PolicyName="all", PolicyDocument=json.dumps(rights))
boto3.client("s3", **stranger).create_bucket(Bucket=sys.argv[1])
print(json.dumps({"port": port, "key": key["AccessKeyId"], "secret": key["SecretAccessKey"]}), flush=True)
while os.getppid() == parent:
    time.sleep(0.2)
os._exit(0)
