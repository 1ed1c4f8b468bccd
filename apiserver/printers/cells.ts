/**
 * The cells of every kind with columns of its own, in the order of its columns (columns.ts). Texts are those of
 * upstream, recorded in test/replay/answers/printers. Cells that depend on the time hold a timestamp until the row is
 * sent.
 */
import { nameOf, type ObjectWithMetadata, type PrintCells } from './table/cell';
import { CORE_CELLS } from './cells/core';
import { GOVERNANCE_CELLS } from './cells/governance';
import { SCHEDULING_CELLS } from './cells/scheduling';
import { NETWORKING_CELLS } from './cells/networking';
import { VOLUME_CELLS } from './cells/volumes';
import { WORKLOAD_CELLS } from './cells/workloads';
import type { Cell } from './table/convertor';

/** By the type in which objects are stored. */
const CELLS_BY_TYPE: Readonly<Record<string, PrintCells>> = {
  ...GOVERNANCE_CELLS,
  ...SCHEDULING_CELLS,
  ...NETWORKING_CELLS,
  ...VOLUME_CELLS,
  ...WORKLOAD_CELLS,
  ...CORE_CELLS,
};

/** By kind, like COLUMNS: `Pod` for the type `core.v1.Pod`. All versions of a kind are printed from the stored one. */
export const CELLS: Readonly<Record<string, PrintCells>> = Object.fromEntries(
  Object.entries(CELLS_BY_TYPE).map(([type, print]) => [type.slice(type.lastIndexOf('.') + 1), print]),
);

/** For kinds without columns: the creation time, from which the client computes the age. */
export function defaultCells(object: ObjectWithMetadata): Cell[] {
  return [nameOf(object), object.metadata?.creationTimestamp ?? null];
}
