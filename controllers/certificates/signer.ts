/**
 * Signs approved requests for the signers whose keys it was given. What a signer does not take is marked as failed, with the reason; what is signed stays as it is.
 * Keys and what is signed with them are never told.
 */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { aborted } from '../../shared/client/signals';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { signCertificateRequest } from '../../shared/pki/certificate-authority';
import { parseCertificateRequest, CertificateRequestFault, type ParsedCertificateRequest } from '../../shared/pki/certificate-request';
import type { JsonObject } from '../../shared/values/json';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { has, readSigningRequest, REQUESTS, withCertificate, withCondition, type SigningRequest } from './request';
import { faultOf, lifetimeOf, SIGNERS, usesOf, type SignerName } from './rules';

const CONCURRENCY = 5;
const REFUSED = 'SignerValidationFailure';

export const certificateSigner: Controller = {
  name: 'csrsigning',
  aliases: ['certificatesigningrequest-signing-controller', 'certificatesigningrequest-signing'],
  description: 'signs the requests for certificates that are approved',
  isOnByDefault: true,
  account: 'certificate-controller',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, informers, logger, settings, signal } = context;
  if (settings.signers.isEmpty) {
    logger.info('there is nothing to sign certificates with: --cluster-signing-cert-file names none');
    await aborted(signal);
    return;
  }
  const requests = informers.of(REQUESTS);
  const queue = context.queue({ name: 'certificate' });
  const look = (object: ApiObject): void => {
    if (isReady(readSigningRequest(object))) queue.add(object.name);
  };
  const unhandle = requests.handle({ added: look, updated: (_, object) => look(object) });
  const unwatch = settings.signers.watch(clock, logger);
  const work = async (name: string): Promise<WorkOutcome> => {
    const object = requests.byKey(name);
    const request = object === undefined ? undefined : readSigningRequest(object);
    if (object === undefined || request === undefined || isBeingDeleted(object) || !isReady(request)) return DONE;
    const answered = await answerTo(context, object, request);
    if (answered !== undefined) await client.update(REQUESTS, answered, { subresource: 'status', signal }).catch(unlessOvertaken);
    return DONE;
  };
  if (await waitForSync([requests], signal)) await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  unwatch();
  unhandle();
}

const isReady = (request: SigningRequest): boolean =>
  request.certificate === '' && has(request, 'Approved') && !has(request, 'Denied') && !has(request, 'Failed');

/** The object as it is to be; undefined = another one signs it. */
async function answerTo(context: ControllerContext, object: ApiObject, request: SigningRequest): Promise<JsonObject | undefined> {
  const { clock, random, logger, settings } = context;
  const signer = SIGNERS.find((name) => name === request.signer);
  const authority = signer === undefined ? undefined : settings.signers.of(signer);
  if (signer === undefined || authority === undefined) return undefined;
  const now = clock.now();
  const checked = check(signer, request);
  if ('fault' in checked) {
    logger.warn('a request for a certificate is not signed', { request: request.name, reason: checked.fault });
    return withCondition(object, 'Failed', REFUSED, checked.fault, now);
  }
  if (authority.notAfter <= now)
    throw new Error(`the certificate of the signer ${signer} is over: ${new Date(authority.notAfter).toISOString()}`);
  const usages = usesOf(request.usages);
  const times = lifetimeOf(request, settings.longestCertificateMs, now);
  return withCertificate(object, await signCertificateRequest({ request: checked.parsed, authority, usages, ...times }, random));
}

function check(
  signer: SignerName,
  { name, text, usages }: SigningRequest,
): { readonly fault: string } | { readonly parsed: ParsedCertificateRequest } {
  try {
    const parsed = parseCertificateRequest(text);
    const fault = faultOf(signer, parsed, usages);
    return fault === undefined ? { parsed } : { fault };
  } catch (error) {
    if (error instanceof CertificateRequestFault) return { fault: `unable to parse csr "${name}": ${error.message}` };
    throw error;
  }
}

/** A newer state brings the next look. */
function unlessOvertaken(error: unknown): void {
  if (!isConflict(error) && !isNotFound(error)) throw error;
}
