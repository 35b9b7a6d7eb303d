"""The reflexivity queue: where judge and human disagree, for people to look at again."""
