"""
Runs calls of boto3, one for each line of JSON on stdin: [call, arguments, file of the input or null].
Answers each with a line of JSON: [file of the output, null] or [null, error].
"""

import json
import os
import sys
import tempfile
import traceback

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

bucket_name = os.environ["BUCKET"]
bucket = boto3.resource(
    "s3",
    endpoint_url=os.environ["ENDPOINT"],
    config=Config(s3={"addressing_style": "path"}, signature_version="s3v4", retries={"total_max_attempts": 1}),
).Bucket(bucket_name)
in_parts = TransferConfig(multipart_threshold=6 * 1024 * 1024, multipart_chunksize=5 * 1024 * 1024)


def put(_, file, key):
    bucket.upload_file(file, key, Config=in_parts)


def put_stream(streams, key):
    # From a pipe, because the length of a file would be known.
    with os.popen(f"cat '{streams['in']}'") as pipe:
        bucket.upload_fileobj(pipe.buffer, key, Config=in_parts)


def get(streams, key):
    bucket.download_fileobj(key, streams["out"])


def get_range(streams, key, start, end):
    answer = bucket.Object(key).get(Range=f"bytes={start}-{int(end) - 1}")
    streams["out"].write(answer["Body"].read())


def list_keys(streams, prefix):
    for item in bucket.objects.filter(Prefix=prefix):
        streams["out"].write(f"{item.key}\n".encode())


def copy(_, source, key):
    bucket.Object(key).copy_from(CopySource={"Bucket": bucket_name, "Key": source})


def presign(streams, key):
    link = bucket.meta.client.generate_presigned_url(
        "get_object", Params={"Bucket": bucket_name, "Key": key}, ExpiresIn=600
    )
    streams["out"].write(link.encode())


def delete(_, key):
    bucket.Object(key).delete()


def delete_all(_, prefix):
    for answer in bucket.objects.filter(Prefix=prefix).delete():
        if answer.get("Errors"):
            raise RuntimeError(str(answer["Errors"]))


calls = {
    each.__name__: each for each in [put, put_stream, get, get_range, list_keys, copy, presign, delete, delete_all]
}

for line in sys.stdin:
    name, arguments, content = json.loads(line)
    with tempfile.NamedTemporaryFile(dir=".", delete=False) as out:
        try:
            calls[name]({"in": content, "out": out}, *arguments)
            answer = [out.name, None]
        except Exception:
            answer = [None, traceback.format_exc()]
    print(json.dumps(answer), flush=True)
