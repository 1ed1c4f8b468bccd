/**
 * Names of the simulation of nodes (controllers/simulation): the label of simulated nodes, and annotations that control
 * simulated nodes and pods. They are canonical; objects may have them in either dialect. docs/guide/simulation.md lists the
 * values of the annotations.
 */
import { otherQualifiedName } from './dialect';

/** The label of simulated nodes. */
export const SIMULATED_NODE_LABEL = { name: 'simulation.platform.io/node', value: 'true' } as const;

export const SIMULATION_ANNOTATIONS = {
  // Of pods.
  startDelay: 'simulation.platform.io/start-delay',
  readyDelay: 'simulation.platform.io/ready-delay',
  initDuration: 'simulation.platform.io/init-duration',
  runDuration: 'simulation.platform.io/run-duration',
  exitCode: 'simulation.platform.io/exit-code',
  failingRuns: 'simulation.platform.io/failing-runs',
  terminationDelay: 'simulation.platform.io/termination-delay',
  waitingReason: 'simulation.platform.io/waiting-reason',
  cpuUsage: 'simulation.platform.io/cpu-usage',
  memoryUsage: 'simulation.platform.io/memory-usage',
  // Of workloads: shared by their pods.
  cpuLoad: 'simulation.platform.io/cpu-load',
  memoryLoad: 'simulation.platform.io/memory-load',
  // Of nodes.
  heartbeat: 'simulation.platform.io/heartbeat',
} as const;

export type SimulationAnnotation = keyof typeof SIMULATION_ANNOTATIONS;

type Names = Readonly<Record<string, string>> | undefined;

/** The value of an annotation in either dialect. */
export function simulationAnnotation(annotations: Names, annotation: SimulationAnnotation): string | undefined {
  return valueInEitherDialect(annotations, SIMULATION_ANNOTATIONS[annotation]);
}

/** Whether the labels of a node, in either dialect, mark it as simulated. */
export const hasSimulatedNodeLabel = (labels: Names): boolean =>
  valueInEitherDialect(labels, SIMULATED_NODE_LABEL.name) === SIMULATED_NODE_LABEL.value;

const valueInEitherDialect = (values: Names, canonical: string): string | undefined =>
  values?.[canonical] ?? values?.[otherQualifiedName(canonical) ?? canonical];
