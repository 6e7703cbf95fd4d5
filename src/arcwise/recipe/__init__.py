"""Recipes: what is trained, in which order, and what is kept so that a run can go on."""

from arcwise.recipe.pipeline_training import PipelineTraining
from arcwise.recipe.reporting import Reporter

__all__ = ["PipelineTraining", "Reporter"]
