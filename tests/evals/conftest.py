from tests.evals.kit import kit_graders

__all__ = ["kit_graders"]
