"""What judgekit knows of the network: refusing it in replay, and calling it safely when live."""
