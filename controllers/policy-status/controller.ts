/**
 * ValidatingAdmissionPolicy status controller: watches ValidatingAdmissionPolicies and applies the warnings of type
 * checking to the status of each new generation. The types of kinds that are not built in are read from the API
 * server's OpenAPI documents. A policy is enqueued when it is added or changed, as in upstream's controller.
 */
import { ignoreNotFoundOrConflict, undefinedIfNotFound } from '../../shared/client/rest/api-error';
import { resourceOf } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { groupInDialect } from '../../shared/names/dialect';
import { FIELD_MANAGERS } from '../../shared/names/program';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { BUILT_IN_KINDS, kindsOfDocument, type KnownKind } from './kind-types';
import { referencedVersions, typeCheckedStatus, type PolicySpec } from './type-checking';

const POLICIES = resourceOf('admissionregistration.v1.ValidatingAdmissionPolicy');
const BUILT_IN_VERSIONS = new Set(BUILT_IN_KINDS.map(({ group, version }) => `${group}/${version}`));
/** Bounds the requests for a policy that names many groups. */
const MAX_DOCUMENTS = 32;
/** Policies checked at the same time; upstream's default of `--concurrent-validating-admission-policy-status-syncs`. */
const CONCURRENCY = 5;

export const policyStatusController: Controller = {
  name: 'validatingadmissionpolicy-status',
  aliases: ['validatingadmissionpolicy-status-controller'],
  description: 'type-checks the expressions of ValidatingAdmissionPolicies',
  isOnByDefault: true,
  account: 'validatingadmissionpolicy-status-controller',
  run,
};

async function run({ client, informers, queue: createQueue, logger, signal }: ControllerContext): Promise<void> {
  const policies = informers.of(POLICIES);
  const queue = createQueue({ name: 'validatingadmissionpolicy-status' });
  const enqueue = ({ name }: { readonly name: string }): void => queue.add(name);
  const removeHandlers = policies.handle({ added: enqueue, updated: enqueue });
  const syncPolicy = async (name: string): Promise<WorkOutcome> => {
    const policy = policies.get('', name);
    if (policy === undefined) return DONE;
    const { body, metadata, uid, resourceVersion } = policy;
    const generation = Number(metadata.generation ?? 0);
    if (body.status?.observedGeneration === generation) return DONE;
    const { spec = {} } = body;
    const kinds = [...BUILT_IN_KINDS, ...(await referencedKinds(client, spec, signal))];
    const status = typeCheckedStatus(spec, generation, { kinds, dialect: client.dialect });
    const configuration = { metadata: { name, uid, resourceVersion }, status };
    const options = { fieldManager: FIELD_MANAGERS.policyStatus, subresource: 'status', signal };
    await client.of(POLICIES).apply(configuration, options).catch(ignoreNotFoundOrConflict);
    return DONE;
  };
  if (await waitForSync([policies], signal)) await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work: syncPolicy });
  removeHandlers();
}

/** The kinds of the groups and versions that a policy names and that are not built in. */
async function referencedKinds(client: RestClient, spec: PolicySpec, signal: AbortSignal): Promise<readonly KnownKind[]> {
  const versions = referencedVersions(spec).filter(([group, version]) => !BUILT_IN_VERSIONS.has(`${group}/${version}`));
  const kinds = await Promise.all(
    versions.slice(0, MAX_DOCUMENTS).map(async ([group, version]) => {
      const path = `/openapi/v3/apis/${encodeURIComponent(groupInDialect(client.dialect, group))}/${encodeURIComponent(version)}`;
      // Not found: the group or version is not served.
      const document = await undefinedIfNotFound(client.getDocument(path, 'application/json', { signal }));
      return document === undefined ? [] : kindsOfDocument(group, version, document);
    }),
  );
  return kinds.flat();
}
