/** NodeRestriction in a chain with a webhook, which changes a Node between the two steps. */
import { GENERATED_NAMES } from '../../../../shared/names/dialect';
import type { JsonObject } from '../../../../shared/values/json';
import { admissionRequest } from '../../../../test/support/objects/admission-request';
import { NON_MUTATING_PLUGINS } from '../../../../test/support/objects/non-mutating-plugins';
import { refusalStatus, openWriteFixture } from '../../../../test/support/store/write-fixture';
import { createDefaultAdmission } from '../default-admission';

const NODE_USER = { name: 'system:node:n', groups: ['system:nodes'] };
const NODE: JsonObject = { metadata: { name: 'n' } };
/** The spec of a Node with a taint. */
const TAINTED = { taints: [{ key: 'a', effect: 'NoSchedule' }] };

it.each<[step: 'mutate' | 'validate', taintedBy: 'node' | 'webhook']>([
  ['mutate', 'node'],
  ['validate', 'webhook'],
])('NodeRestriction rejects in its %s step taints that the %s set', async (step, taintedBy) => {
  const { clock, cache, random, resources } = await openWriteFixture();
  const admission = createDefaultAdmission(
    {
      names: GENERATED_NAMES.platform,
      random,
      clock,
      cache,
      resources,
      nodeRestriction: { getPod: () => undefined, getNode: () => undefined, nodeLeaseNamespace: 'platform-node-lease' },
      webhooks: {
        mutating: (reinvoke) => ({
          name: 'MutatingAdmissionWebhook',
          handles: () => true,
          async mutate(request) {
            await reinvoke(request);
            if (request.object !== undefined) request.object['spec'] = TAINTED;
          },
        }),
        validating: { name: 'ValidatingAdmissionWebhook', handles: () => false, validate: () => undefined },
      },
    },
    NON_MUTATING_PLUGINS,
  );
  const object = taintedBy === 'node' ? { ...NODE, spec: TAINTED } : { ...NODE };
  const attributes = admissionRequest({
    kind: 'Node',
    operation: 'UPDATE',
    namespace: '',
    name: 'n',
    user: NODE_USER,
    object,
    oldObject: NODE,
  });
  if (step === 'validate') await admission.mutate(attributes);
  const refused = await refusalStatus(Promise.resolve().then(() => admission[step](attributes)));
  expect(refused).toMatchObject({ code: 403, message: expect.stringContaining('not allowed to modify taints') });
});
