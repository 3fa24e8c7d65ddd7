//! What of a query runs again when an executor is lost.
//!
//! Ballista 55 can give the tasks of a lost executor to others. It forgets nothing else, and so
//! rows can be doubled: of a stage that it begins again, it keeps the rows that other executors
//! have already written, and of the last stage also those of the lost executor. The graph of a
//! query is therefore looked at first, and it is repaired only where none of this can happen.

use std::{collections::HashMap, sync::Arc};

use ballista_core::{error::Result, serde::protobuf::task_status::Status};
use ballista_scheduler::state::{
    execution_graph::ExecutionGraphBox,
    execution_stage::{ExecutionStage, RunningStage, StageOutput, SuccessfulStage, TaskInfo},
};
use datafusion::{common::tree_node::TreeNode as _, physical_plan::ExecutionPlan};

/// What the loss of an executor does to a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    /// It had no task of it, or none that is still needed.
    Nothing,
    /// Some tasks run again, and what others have finished is kept.
    Tasks { again: usize, kept: usize },
    /// The query must begin again.
    All,
}

/// Gives the tasks that a lost executor had to others, if that doubles no row.
pub(super) fn repair(graph: &mut ExecutionGraphBox, executor: &str) -> Result<Loss> {
    let loss = loss(graph, executor);
    if let Loss::Tasks { .. } = loss {
        graph.reset_stages_on_lost_executor(executor)?;
    }
    Ok(loss)
}

fn loss(graph: &ExecutionGraphBox, executor: &str) -> Loss {
    // Such a query was sent by another program, and Ballista plans it anew while it runs.
    let is_planned_anew = graph.logical_plan().is_some();
    let stages = graph.stages();
    let (mut again, mut kept, mut is_sound) = (0, 0, !is_planned_anew);
    for stage in stages.values() {
        let (lost, finished) = tasks(stage, executor);
        kept += finished;
        let inputs = match stage {
            ExecutionStage::UnResolved(stage) => &stage.inputs,
            ExecutionStage::Resolved(stage) => &stage.inputs,
            ExecutionStage::Running(stage) => {
                again += lost;
                is_sound &= lost == 0 || can_go_on(stage, executor);
                // It begins again, and its tasks would be numbered as before.
                is_sound &= stage.task_infos.is_empty() || !reads(&stage.inputs, executor);
                &stage.inputs
            }
            ExecutionStage::Successful(_) | ExecutionStage::Failed(_) => continue,
        };
        for (input, _) in inputs.iter().filter(|(_, output)| is_at(output, executor)) {
            if let Some(ExecutionStage::Successful(input)) = stages.get(input) {
                again += tasks_of(&input.task_infos, executor).0;
                is_sound &= can_run_again(input, executor);
            }
        }
    }
    match (again, is_sound) {
        (0, _) => Loss::Nothing,
        (again, true) => Loss::Tasks { again, kept },
        (_, false) => Loss::All,
    }
}

/// Returns how many tasks the executor has or had, and how many others have finished.
fn tasks(stage: &ExecutionStage, executor: &str) -> (usize, usize) {
    stage
        .task_infos()
        .map_or((0, 0), |tasks| tasks_of(tasks, executor))
}

fn tasks_of(tasks: &[TaskInfo], executor: &str) -> (usize, usize) {
    let (mut lost, mut finished) = (0, 0);
    for task in tasks {
        match &task.task_status {
            Status::Running(task) if task.executor_id == executor => lost += 1,
            Status::Successful(task) if task.executor_id == executor => lost += 1,
            Status::Successful(_) => finished += 1,
            _ => {}
        }
    }
    (lost, finished)
}

/// Returns whether the lost tasks of a running stage can be repeated. Where the last stage has
/// written rows is never forgotten.
fn can_go_on(stage: &RunningStage, executor: &str) -> bool {
    let has_written = stage.task_infos.iter().any(|task| {
        matches!(&task.task_status, Status::Successful(task) if task.executor_id == executor)
    });
    match stage.output_links.len() {
        0 => !has_written,
        links => links == 1,
    }
}

/// Returns whether the lost tasks of a stage that was complete can be repeated: the rows that they
/// read are there, and nothing else is kept of them.
fn can_run_again(stage: &SuccessfulStage, executor: &str) -> bool {
    let keeps_more = |node: &Arc<dyn ExecutionPlan>| {
        let kinds = ["Range", "Window", "RuntimeStats", "PrefixMerge"];
        Ok(kinds.iter().any(|kind| node.name().contains(kind)))
    };
    stage.output_links.len() == 1
        && !reads(&stage.inputs, executor)
        && matches!(stage.plan.exists(keeps_more), Ok(false))
}

fn reads(inputs: &HashMap<usize, StageOutput>, executor: &str) -> bool {
    inputs.values().any(|output| is_at(output, executor))
}

fn is_at(output: &StageOutput, executor: &str) -> bool {
    let mut locations = output.partition_locations.values().flatten();
    locations.any(|location| location.executor_meta.id == executor)
}
