"""Whether a run may pass: the baseline, the comparison, the decision, and the statistics behind.

Standard library only, no input or output, no clock, no environment: it also runs in a browser.
"""
