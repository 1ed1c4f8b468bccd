/**
 * Selects the strategy of a kind: from apiserver/kinds for built-in kinds, derived from the schema for custom
 * resources.
 */
import { groupResourceText } from '../../../shared/api/identity/identity';
import { customResourceStrategy } from '../../custom-resources/strategy';
import { STRATEGIES } from '../../kinds';
import type { StrategyOf } from '../../registry/object/resource-info';

/** The strategy of a kind; an empty one for built-in kinds without rules. */
export const strategyFor: StrategyOf = (row) =>
  row.custom === undefined ? (STRATEGIES.get(groupResourceText(row)) ?? {}) : customResourceStrategy(row, row.custom);
