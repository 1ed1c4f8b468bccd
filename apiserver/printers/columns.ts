/**
 * The columns of every kind that has columns of its own, in the order of its cells (cells.ts). Names, types, formats
 * and priorities are those of upstream, because clients print them; the descriptions are this server's own.
 */
import { CREATED_AT, NAME } from './table/column';
import { CORE_COLUMNS } from './columns/core';
import { GOVERNANCE_COLUMNS } from './columns/governance';
import { SCHEDULING_COLUMNS } from './columns/scheduling';
import { NETWORKING_COLUMNS } from './columns/networking';
import { VOLUME_COLUMNS } from './columns/volumes';
import { WORKLOAD_COLUMNS } from './columns/workloads';
import type { ColumnDefinition } from './table/convertor';

/** For kinds without columns of their own. */
export const DEFAULT_COLUMNS: readonly ColumnDefinition[] = [NAME, CREATED_AT];

/** By kind. Kinds of the same name in different groups share their columns. */
export const COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  ...GOVERNANCE_COLUMNS,
  ...SCHEDULING_COLUMNS,
  ...NETWORKING_COLUMNS,
  ...VOLUME_COLUMNS,
  ...WORKLOAD_COLUMNS,
  ...CORE_COLUMNS,
};
