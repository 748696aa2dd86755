"""Runs Swift's servers, each in its own process, until it is ended. The argument has their ports as JSON.

They share the imported modules: with a command for each of them, a start took 7.7 s of CPU instead of 5.5 s.
"""
import ctypes
import json
import os
import signal
import sys

import swift.account.server
import swift.container.server
import swift.obj.server
import swift.proxy.server
from swift.common.ring import RingBuilder
from swift.common.wsgi import run_wsgi

PR_SET_PDEATHSIG = 1


def save_ring(name, port):
    builder = RingBuilder(4, 1, 0)
    builder.add_dev(dict(region=1, zone=1, ip='127.0.0.1', port=port, device='disk', weight=1))
    builder.rebalance()
    builder.get_ring().save(name + '.ring.gz')


def start(name):
    process = os.fork()
    if process != 0:
        return process
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    more = {}
    if name == 'object':
        more['global_conf_callback'] = swift.obj.server.global_conf_callback
    sys.exit(run_wsgi(os.path.abspath(name + '.conf'), name + '-server', verbose=True, **more))


storage_ports = json.loads(sys.argv[1])
for name, port in storage_ports.items():
    save_ring(name, port)
processes = [start(name) for name in [*storage_ports, 'proxy']]


def end(*_):
    for process in processes:
        os.kill(process, signal.SIGKILL)
    for _ in processes:
        os.wait()
    sys.exit(1)


signal.signal(signal.SIGTERM, end)
# None of them ends by itself.
processes.remove(os.wait()[0])
end()
