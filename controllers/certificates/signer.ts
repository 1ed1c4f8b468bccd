/**
 * CSR signer: watches CertificateSigningRequests and issues the certificates of approved ones, for the signers that the
 * process has keys of. A request that violates the rules of its signer gets the condition Failed with the reason.
 * Issued certificates are never changed. Unlike upstream, one controller serves all signers. Logs contain neither keys
 * nor certificates.
 */
import type { CertificatesV1CertificateSigningRequest } from '../../shared/api/types/generated/members';
import { ignoreNotFoundOrConflict } from '../../shared/client/rest/api-error';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { waitForAbort } from '../../shared/client/signals';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { signCertificateRequest } from '../../shared/pki/certificate-authority';
import { parseCertificateRequest, CertificateRequestError, type ParsedCertificateRequest } from '../../shared/pki/certificate-request';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { certificateUses, SIGNER_NAMES, validateForSigner, validityPeriod, type SignerName } from './signer-rules';
import {
  hasCondition,
  parseSigningRequest,
  SIGNING_REQUESTS,
  withCertificate,
  withNewCondition,
  type SigningRequest,
  type SigningRequestObject,
} from './signing-request';

/** Requests signed at the same time, as many as upstream's workers. */
const CONCURRENCY = 5;

export const certificateSigner: Controller = {
  name: 'csrsigning',
  aliases: ['certificatesigningrequest-signing-controller', 'certificatesigningrequest-signing'],
  description: 'signs approved CertificateSigningRequests',
  isOnByDefault: true,
  account: 'certificate-controller',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, informers, logger, settings, signal } = context;
  if (settings.signers.isEmpty) {
    logger.info('CertificateSigningRequests are not signed: --cluster-signing-cert-file is not set');
    await waitForAbort(signal);
    return;
  }
  const requests = informers.of(SIGNING_REQUESTS);
  const queue = context.queue({ name: 'certificate' });
  const enqueue = (object: SigningRequestObject): void => {
    if (needsSigning(parseSigningRequest(object))) queue.add(object.name);
  };
  const removeHandlers = requests.handle({ added: enqueue, updated: (_, object) => enqueue(object) });
  const unwatchKeys = settings.signers.watch(clock, logger);
  const work = async (name: string): Promise<WorkOutcome> => {
    const object = requests.byKey(name);
    const request = object === undefined ? undefined : parseSigningRequest(object);
    if (object === undefined || request === undefined) return DONE;
    if (isBeingDeleted(object) || !needsSigning(request)) return DONE;
    const update = await signOrFail(context, object, request);
    if (update !== undefined) await client.of(SIGNING_REQUESTS).updateStatus(update, { signal }).catch(ignoreNotFoundOrConflict);
    return DONE;
  };
  if (await waitForSync([requests], signal)) await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  unwatchKeys();
  removeHandlers();
}

const needsSigning = (request: SigningRequest): boolean =>
  request.certificate === '' && hasCondition(request, 'Approved') && !hasCondition(request, 'Denied') && !hasCondition(request, 'Failed');

/**
 * The body with the certificate or the condition Failed; undefined when the signer is not one of this process. Throws
 * when the certificate of the signer has expired, so that the request is retried.
 */
async function signOrFail(
  context: ControllerContext,
  object: SigningRequestObject,
  request: SigningRequest,
): Promise<CertificatesV1CertificateSigningRequest | undefined> {
  const { clock, random, logger, settings } = context;
  const signer = SIGNER_NAMES.find((name) => name === request.signerName);
  const authority = signer === undefined ? undefined : settings.signers.authorityOf(signer);
  if (signer === undefined || authority === undefined) return undefined;
  const now = clock.now();
  const result = parseAndValidate(signer, request);
  if ('error' in result) {
    logger.warn('a CertificateSigningRequest is not signed', { request: request.name, reason: result.error });
    return withNewCondition(object, { type: 'Failed', reason: 'SignerValidationFailure', message: result.error }, now);
  }
  if (authority.notAfter <= now)
    throw new Error(`the certificate of the signer ${signer} expired at ${new Date(authority.notAfter).toISOString()}`);
  const usages = certificateUses(request.usages);
  const validity = validityPeriod(request, settings.maxCertificateMs, now);
  return withCertificate(object, await signCertificateRequest({ request: result.parsed, authority, usages, ...validity }, random));
}

function parseAndValidate(
  signer: SignerName,
  { name, request, usages }: SigningRequest,
): { readonly error: string } | { readonly parsed: ParsedCertificateRequest } {
  try {
    const parsed = parseCertificateRequest(request);
    const error = validateForSigner(signer, parsed, usages);
    return error === undefined ? { parsed } : { error };
  } catch (error) {
    if (error instanceof CertificateRequestError) return { error: `unable to parse csr "${name}": ${error.message}` };
    throw error;
  }
}
