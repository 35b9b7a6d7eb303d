"""The pytest plugin: a replaying judge as a fixture, and evals as tests."""
