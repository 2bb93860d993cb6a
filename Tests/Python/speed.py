"""Prints how many samples per second the package reads from a store on one core: speed.py STORE"""
import resource
import sys
import time

import footbridge

samples, seconds = 0, 0.0
for session in footbridge.open(sys.argv[1]):
    start = time.process_time()
    session.load()
    seconds += time.process_time() - start
    samples += sum(stream.count for stream in session.streams.values())
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(f"{samples} samples, {samples / seconds / 1e6:.2f} million a second, {memory} MB")
