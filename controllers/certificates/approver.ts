/**
 * CSR approver: watches CertificateSigningRequests and approves those for client certificates of nodes, if a
 * SubjectAccessReview allows the user to create `certificatesigningrequests/nodeclient`, or `/selfnodeclient` when the
 * user is the node. Leaves all other requests to administrators. As in upstream's approver, a recognized request that is
 * not allowed is retried with back-off, because a binding may be created later.
 */
import { ignoreNotFoundOrConflict } from '../../shared/client/rest/api-error';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { groupInDialect } from '../../shared/names/dialect';
import { parseCertificateRequest, CertificateRequestError } from '../../shared/pki/certificate-request';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { KUBELET_CLIENT_SIGNER, validateForSigner } from './signer-rules';
import {
  hasCondition,
  parseSigningRequest,
  SIGNING_REQUESTS,
  withNewCondition,
  type SigningRequest,
  type SigningRequestObject,
} from './signing-request';

const REVIEWS = resourceOf('authorization.v1.SubjectAccessReview');
/** Requests synced at the same time, as many as upstream's workers. */
const CONCURRENCY = 5;
/** The first back-off of a request that is not allowed. */
const INITIAL_BACK_OFF_MS = 200;

export const certificateApprover: Controller = {
  name: 'csrapproving',
  aliases: ['certificatesigningrequest-approving-controller', 'certificatesigningrequest-approving'],
  description: 'approves the requests of nodes for their client certificates',
  isOnByDefault: true,
  account: 'certificate-controller',
  run,
};

/**
 * The permissions that allow an approval, the narrower one first, and which requests each applies to. `username`: of the
 * user that created the request; `commonName`: of the requested certificate.
 */
const RECOGNIZERS = [
  {
    subresource: 'selfnodeclient',
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
    recognizes: (username: string, commonName: string) => username === commonName,
  },
  {
    subresource: 'nodeclient',
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
    recognizes: () => true,
  },
] as const;

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, informers, logger, signal } = context;
  const requests = informers.of(SIGNING_REQUESTS);
  const queue = context.queue({ name: 'certificate_approver', initialMs: INITIAL_BACK_OFF_MS });
  const enqueue = (object: SigningRequestObject): void => {
    if (isPending(parseSigningRequest(object))) queue.add(object.name);
  };
  const removeHandlers = requests.handle({ added: enqueue, updated: (_, object) => enqueue(object) });
  const work = async (name: string): Promise<WorkOutcome> => {
    const object = requests.byKey(name);
    const request = object === undefined ? undefined : parseSigningRequest(object);
    if (object === undefined || request === undefined) return DONE;
    if (isBeingDeleted(object) || !isPending(request)) return DONE;
    const commonName = kubeletCommonName(request, context);
    if (commonName === undefined) return DONE;
    for (const { subresource, message, recognizes } of RECOGNIZERS) {
      if (!recognizes(request.username, commonName) || !(await isAllowed(context, object, subresource))) continue;
      const approved = withNewCondition(object, { type: 'Approved', reason: 'AutoApproved', message }, clock.now());
      await client.of(SIGNING_REQUESTS).updateSubresource('approval', approved, { signal }).catch(ignoreNotFoundOrConflict);
      return DONE;
    }
    logger.debug('not authorized to approve this request', { request: name });
    return { type: 'wait' };
  };
  if (await waitForSync([requests], signal)) await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  removeHandlers();
}

/** Whether the request is for the client certificate of a node and has neither a decision nor a certificate. */
function isPending(request: SigningRequest): boolean {
  const { signerName, certificate } = request;
  return (
    signerName === KUBELET_CLIENT_SIGNER && certificate === '' && !hasCondition(request, 'Approved') && !hasCondition(request, 'Denied')
  );
}

/** The common name in the request; undefined when the request is not for the client certificate of a node. */
function kubeletCommonName({ name, request, usages }: SigningRequest, { logger }: ControllerContext): string | undefined {
  try {
    const parsed = parseCertificateRequest(request);
    return validateForSigner(KUBELET_CLIENT_SIGNER, parsed, usages) === undefined ? parsed.commonName : undefined;
  } catch (error) {
    if (!(error instanceof CertificateRequestError)) throw error;
    logger.warn('a CertificateSigningRequest cannot be parsed', { request: name, reason: error.message });
    return undefined;
  }
}

/** Whether a SubjectAccessReview allows the user of the request to create the subresource. */
async function isAllowed({ client, signal }: ControllerContext, { body }: SigningRequestObject, subresource: string): Promise<boolean> {
  const { username, uid, groups, extra } = body.spec ?? {};
  const review = await client.of(REVIEWS).review(
    {
      spec: {
        ...(username === undefined ? {} : { user: username }),
        ...(uid === undefined ? {} : { uid }),
        ...(groups === undefined ? {} : { groups }),
        ...(extra === undefined ? {} : { extra }),
        resourceAttributes: {
          group: groupInDialect(client.dialect, SIGNING_REQUESTS.group),
          resource: SIGNING_REQUESTS.resource,
          subresource,
          verb: 'create',
        },
      },
    },
    { signal },
  );
  return review.status?.allowed === true;
}
