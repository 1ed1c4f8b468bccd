import { GENERATED_NAMES } from '../../../../shared/names/dialect';
import type { JsonObject } from '../../../../shared/values/json';
import { admissionRequest } from '../../../../test/support/objects/admission-request';
import { NON_MUTATING_PLUGINS } from '../../../../test/support/objects/non-mutating-plugins';
import { refusalStatus, openWriteFixture } from '../../../../test/support/store/write-fixture';
import { createDefaultAdmission } from '../default-admission';

const user = { name: 'system:node:n', groups: ['system:nodes'] };
const node: JsonObject = { metadata: { name: 'n' } };
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
  const object = taintedBy === 'node' ? { ...node, spec: TAINTED } : { ...node };
  const attributes = admissionRequest({ kind: 'Node', operation: 'UPDATE', namespace: '', name: 'n', user, object, oldObject: node });
  if (step === 'validate') await admission.mutate(attributes);
  const refused = await refusalStatus(Promise.resolve().then(() => admission[step](attributes)));
  expect(refused).toMatchObject({ code: 403, message: expect.stringContaining('not allowed to modify taints') });
});
