/** Columns of how pods are run and placed. The cells are in ../cells/. */
import { AGE, column, COUNT, NAME, YES_OR_NO } from '../column';
import type { ColumnDefinition } from '../contract';

export const MACHINE_COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  PriorityClass: [
    NAME,
    column('Value', 'The priority of its pods.', COUNT),
    column('Global-Default', 'Whether pods without a class belong to it.', YES_OR_NO),
    AGE,
  ],
  ResourceQuota: [
    NAME,
    AGE,
    column('Request', 'What is used and allowed of everything but limits.'),
    column('Limit', 'What is used and allowed of limits.'),
  ],
  RuntimeClass: [NAME, column('Handler', 'The name under which nodes know it.'), AGE],
};
