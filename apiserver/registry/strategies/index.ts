/** Every kind's strategy, by resource and group as they stand in messages. A kind without rules of its own has an empty one. */
import { configMap } from './configmap';
import { event } from './event';
import { lease } from './lease';
import { namespace } from './namespace';
import { node } from './node';
import { pod } from './pod';
import { secret } from './secret';
import { service } from './service';
import type { Strategy } from './strategy';

export const STRATEGIES: ReadonlyMap<string, Strategy> = new Map<string, Strategy>([
  ['configmaps', configMap],
  ['events', event],
  ['leases.coordination.platform.io', lease],
  ['namespaces', namespace],
  ['nodes', node],
  ['pods', pod],
  ['secrets', secret],
  ['serviceaccounts', {}],
  ['services', service],
]);
