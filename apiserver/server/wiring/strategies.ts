/** Whose rules hold for a kind: those of the built-in kinds are in apiserver/kinds, those of custom ones follow from their schema. */
import { groupResourceText } from '../../../shared/api/identity/identity';
import { customStrategy } from '../../custom-resources/strategy';
import { STRATEGIES } from '../../kinds';
import type { StrategyOf } from '../../registry/object/resource-info';

export const strategyOf: StrategyOf = (row) =>
  row.custom === undefined ? (STRATEGIES.get(groupResourceText(row)) ?? {}) : customStrategy(row, row.custom);
