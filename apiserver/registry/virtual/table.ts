/** Which function does which operation. */
import type { OperationTable } from './contract';
import { bindPod, createBinding, type BindingParts } from './binding';

export function operationTable(parts: BindingParts): OperationTable {
  return {
    bindings: createBinding(parts),
    'pods/binding': bindPod(parts),
  };
}
