/**
 * Approves what nodes ask for themselves: a certificate with which they are known to the API, when whoever asks may have it by the rules of access. All other
 * requests wait for a person.
 */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { groupInDialect } from '../../shared/names/dialect';
import { parseCertificateRequest, CertificateRequestFault } from '../../shared/pki/certificate-request';
import { objectAt, own, type JsonObject } from '../../shared/values/json';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { has, readSigningRequest, REQUESTS, withCondition, type SigningRequest } from './request';
import { faultOf, NODE_CLIENT } from './rules';

const REVIEWS = resourceOf('authorization.v1.SubjectAccessReview');
const CONCURRENCY = 5;
/** Leave may be given later. Milliseconds. */
const FIRST_MS = 200;

export const certificateApprover: Controller = {
  name: 'csrapproving',
  aliases: ['certificatesigningrequest-approving-controller', 'certificatesigningrequest-approving'],
  description: 'approves the certificates that nodes ask for themselves, where they may have them',
  isOnByDefault: true,
  account: 'certificate-controller',
  run,
};

/** What somebody must be allowed to create to have his request approved, the narrower right first. */
const GROUNDS = [
  {
    subresource: 'selfnodeclient',
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
    isMeant: (username: string, commonName: string) => username === commonName,
  },
  {
    subresource: 'nodeclient',
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
    isMeant: () => true,
  },
] as const;

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, informers, logger, signal } = context;
  const requests = informers.of(REQUESTS);
  const queue = context.queue({ name: 'certificate_approver', firstMs: FIRST_MS });
  const look = (object: ApiObject): void => {
    if (isOpen(readSigningRequest(object))) queue.add(object.name);
  };
  const unhandle = requests.handle({ added: look, updated: (_, object) => look(object) });
  const work = async (name: string): Promise<WorkOutcome> => {
    const object = requests.byKey(name);
    const request = object === undefined ? undefined : readSigningRequest(object);
    if (object === undefined || request === undefined || isBeingDeleted(object) || !isOpen(request)) return DONE;
    const commonName = nodeIn(request, context);
    if (commonName === undefined) return DONE;
    for (const { subresource, message, isMeant } of GROUNDS) {
      if (!isMeant(request.username, commonName) || !(await isAllowed(context, object, subresource))) continue;
      const approved = withCondition(object, 'Approved', 'AutoApproved', message, clock.now());
      await client.update(REQUESTS, approved, { subresource: 'approval', signal }).catch(unlessOvertaken);
      return DONE;
    }
    logger.debug('nobody has said that this may be approved', { request: name });
    return { type: 'wait' };
  };
  if (await waitForSync([requests], signal)) await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  unhandle();
}

function isOpen(request: SigningRequest): boolean {
  return request.signer === NODE_CLIENT && request.certificate === '' && !has(request, 'Approved') && !has(request, 'Denied');
}

/** The name of the node that the certificate is for; undefined = it is for something else. */
function nodeIn({ name, text, usages }: SigningRequest, { logger }: ControllerContext): string | undefined {
  try {
    const parsed = parseCertificateRequest(text);
    return faultOf(NODE_CLIENT, parsed, usages) === undefined ? parsed.commonName : undefined;
  } catch (error) {
    if (!(error instanceof CertificateRequestFault)) throw error;
    logger.warn('a request for a certificate cannot be read', { request: name, reason: error.message });
    return undefined;
  }
}

async function isAllowed({ client, signal }: ControllerContext, { body }: ApiObject, subresource: string): Promise<boolean> {
  const spec = objectAt(body, 'spec') ?? {};
  const member = (from: string, to = from): JsonObject => {
    const value = own(spec, from);
    return value === undefined ? {} : { [to]: value };
  };
  const answer = await client.review(
    REVIEWS,
    {
      spec: {
        ...member('username', 'user'),
        ...member('uid'),
        ...member('groups'),
        ...member('extra'),
        resourceAttributes: {
          group: groupInDialect(client.dialect, REQUESTS.group),
          resource: REQUESTS.resource,
          subresource,
          verb: 'create',
        },
      },
    },
    { signal },
  );
  return own(objectAt(answer, 'status') ?? {}, 'allowed') === true;
}

/** A newer state brings the next look. */
function unlessOvertaken(error: unknown): void {
  if (!isConflict(error) && !isNotFound(error)) throw error;
}
