"""
Runs commands of the AWS CLI, one for each line of JSON on stdin: [program, arguments, file of the input or null].
Answers each with a line of JSON: [file of the output, null] or [null, error].

Each command runs in a fork of this process, because most of a command's time is the loading of the CLI.
"""

import json
import os
import sys
import tempfile

import awscli.clidriver

driver = awscli.clidriver.create_clidriver()


def run(arguments, content, out, errors):
    # A pipe, because the length of a file would be known.
    pipe = os.popen(f"cat '{content or os.devnull}'")
    os.dup2(pipe.fileno(), 0)
    os.dup2(out.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    sys.stdin = open(0)
    code = driver.main(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    return code


for line in sys.stdin:
    _, arguments, content = json.loads(line)
    with tempfile.NamedTemporaryFile(dir=".", delete=False) as out, tempfile.TemporaryFile() as errors:
        process = os.fork()
        if process == 0:
            code = 1
            try:
                code = run(arguments, content, out, errors)
            finally:
                os._exit(code)
        _, status = os.waitpid(process, 0)
        errors.seek(0)
        answer = [out.name, None] if status == 0 else [None, f"status {status}: {errors.read().decode()}"]
    print(json.dumps(answer), flush=True)
