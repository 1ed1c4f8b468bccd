/** ComponentStatus: the store, and whether it answers. Upstream also lists its controllers and its scheduler; here they are other people's programs. */
import type { JsonObject } from '../../../shared/values/json';
import { componentNotFound } from '../../../shared/api/errors/status';
import type { View } from './views';

/** `storeAnswers` resolves with what is wrong with the store. */
export function componentStatuses(storeAnswers: () => Promise<string | undefined>): View {
  return {
    objects: async () => [statusOf('etcd-0', await storeAnswers())],
    missing: componentNotFound,
  };
}

function statusOf(name: string, fault: string | undefined): JsonObject {
  const condition: JsonObject =
    fault === undefined ? { type: 'Healthy', status: 'True', message: 'ok' } : { type: 'Healthy', status: 'False', message: fault };
  return { metadata: { name, creationTimestamp: null }, conditions: [condition] };
}
