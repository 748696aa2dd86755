"""Runs one call of boto3. The arguments name the call; content goes through stdin and stdout."""

import os
import sys

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


def put(file, key):
    bucket.upload_file(file, key, Config=in_parts)


def put_stream(key):
    bucket.upload_fileobj(sys.stdin.buffer, key, Config=in_parts)


def get(key):
    bucket.download_fileobj(key, sys.stdout.buffer)


def get_range(key, start, end):
    answer = bucket.Object(key).get(Range=f"bytes={start}-{int(end) - 1}")
    sys.stdout.buffer.write(answer["Body"].read())


def list_keys(prefix):
    for item in bucket.objects.filter(Prefix=prefix):
        print(item.key)


def copy(source, key):
    bucket.Object(key).copy_from(CopySource={"Bucket": bucket_name, "Key": source})


def presign(key):
    print(
        bucket.meta.client.generate_presigned_url(
            "get_object", Params={"Bucket": bucket_name, "Key": key}, ExpiresIn=600
        )
    )


def delete(key):
    bucket.Object(key).delete()


def delete_all(prefix):
    for answer in bucket.objects.filter(Prefix=prefix).delete():
        if answer.get("Errors"):
            sys.exit(str(answer["Errors"]))


globals()[sys.argv[1]](*sys.argv[2:])
