/** Which function does which operation. */
import type { OperationTable } from './operation';
import { bindPod, createBinding, type BindingParts } from './binding';
import { evictPod, type EvictionParts } from './eviction';

export function operationTable(parts: BindingParts & EvictionParts): OperationTable {
  return {
    bindings: createBinding(parts),
    'pods/binding': bindPod(parts),
    'pods/eviction': evictPod(parts),
  };
}
