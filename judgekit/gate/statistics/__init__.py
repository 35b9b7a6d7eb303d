"""The formulas behind the gate, calibration, bias probes and trials; standard library only.

Each function names its source. None of them reads a clock or an unseeded random source.
"""
