/** Looks at every admission policy that is new or has changed, and writes into its status which of its expressions the kinds it is about do not bear out. */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { groupIn } from '../../shared/names/dialect';
import { objectAt, own, type JsonObject } from '../../shared/values/json';
import { FIELD_MANAGERS } from '../../shared/names/program';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { checkedStatus, namedVersions } from './type-checking';
import { BUILT_IN, kindsOfDocument, type KnownKind } from './kind-types';

const POLICIES = resourceOf('admissionregistration.v1.ValidatingAdmissionPolicy');
const BUILT_IN_VERSIONS = new Set(BUILT_IN.map(({ group, version }) => `${group}/${version}`));
/** A policy may name any number of groups. */
const MOST_DOCUMENTS = 32;
const CONCURRENCY = 5;

export const policyStatusController: Controller = {
  name: 'validatingadmissionpolicy-status',
  aliases: ['validatingadmissionpolicy-status-controller'],
  description: 'checks the expressions of admission policies against the kinds that they are about',
  isOnByDefault: true,
  account: 'validatingadmissionpolicy-status-controller',
  run,
};

async function run({ client, informers, queue: makeQueue, logger, signal }: ControllerContext): Promise<void> {
  const policies = informers.of(POLICIES);
  const queue = makeQueue({ name: 'validatingadmissionpolicy-status' });
  const add = ({ name }: { readonly name: string }): void => queue.add(name);
  const unhandle = policies.handle({ added: add, updated: add, deleted: () => undefined });
  const work = async (name: string): Promise<WorkOutcome> => {
    const policy = policies.get('', name);
    if (policy === undefined) return DONE;
    const { body, uid, resourceVersion } = policy;
    const generation = Number(own(objectAt(body, 'metadata') ?? {}, 'generation') ?? 0);
    if (own(objectAt(body, 'status') ?? {}, 'observedGeneration') === generation) return DONE;
    const spec = objectAt(body, 'spec') ?? {};
    const checks = { kinds: [...BUILT_IN, ...(await otherKinds(client, spec, signal))], dialect: client.dialect };
    const configuration = { metadata: { name, uid, resourceVersion }, status: checkedStatus(spec, generation, checks) };
    const options = { fieldManager: FIELD_MANAGERS.policyStatus, subresource: 'status', signal };
    await client.apply(POLICIES, configuration, options).catch((error: unknown) => {
      // A newer state brings the next look.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    });
    return DONE;
  };
  if (await waitForSync([policies], signal)) await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  unhandle();
}

/** What the server's documents say of the kinds that a policy names and that are not built in. */
async function otherKinds(client: RestClient, spec: JsonObject, signal: AbortSignal): Promise<readonly KnownKind[]> {
  const wanted = namedVersions(spec).filter(([group, version]) => !BUILT_IN_VERSIONS.has(`${group}/${version}`));
  const found = await Promise.all(
    wanted.slice(0, MOST_DOCUMENTS).map(async ([group, version]) => {
      const path = `/openapi/v3/apis/${encodeURIComponent(groupIn(client.dialect, group))}/${encodeURIComponent(version)}`;
      const document = await client.document(path, 'application/json', { signal }).catch((error: unknown) => {
        // Nobody serves it.
        if (!isNotFound(error)) throw error;
      });
      return document === undefined ? [] : kindsOfDocument(group, version, document);
    }),
  );
  return found.flat();
}
