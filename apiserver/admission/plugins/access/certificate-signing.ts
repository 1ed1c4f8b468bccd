/**
 * Permissions for CertificateSigningRequests. Approving and signing require the verbs `approve` and `sign` on the
 * resource `signers`, by the name of the signer (`example.com/a`) or its domain (`example.com/*`). `signers` is not
 * served: it only names the permission. Also rejects certificates of the client signer for the group `system:masters`,
 * because its members bypass authorization and a certificate cannot be revoked.
 */
import type { CertificatesV1CertificateSigningRequest } from '../../../../shared/api/types/generated/members';
import { equalJson } from '../../../../shared/values/json';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { forbidden, type StatusError } from '../../../../shared/api/errors/status';
import { MASTERS_GROUP, type UserInfo } from '../../../../shared/api/identity/user';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { parseCertificateRequest } from '../../../../shared/pki/certificate-request';
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import type { AdmissionTarget, AdmissionRequest } from '../../../registry/admission';
import type { ValidatingPlugin } from '../../chain';

/** A permission on a signer. */
export interface SignerUse {
  readonly verb: 'approve' | 'sign';
  /** In canonical spelling; `example.com/*` = all signers of a domain. */
  readonly name: string;
}

/** Whether the user has the permission. A decision that needs no call is returned synchronously. */
export type CanUseSigner = (user: UserInfo, use: SignerUse) => MaybePromise<boolean>;

const CLIENT_SIGNER = 'platform.io/kube-apiserver-client';

/** One plug-in for each check; each can be disabled on its own. */
export const certificateSigningPlugins = (canUseSigner: CanUseSigner): readonly ValidatingPlugin[] => [
  certificateRequestPlugin({
    name: 'CertificateApproval',
    operation: 'UPDATE',
    subresource: 'approval',
    check: (request) => requireSignerPermission(canUseSigner, 'approve', request),
  }),
  certificateRequestPlugin({
    name: 'CertificateSigning',
    operation: 'UPDATE',
    subresource: 'status',
    check: (request) => (hasSigningChange(request) ? requireSignerPermission(canUseSigner, 'sign', request) : undefined),
  }),
  certificateRequestPlugin({
    name: 'CertificateSubjectRestriction',
    operation: 'CREATE',
    subresource: undefined,
    check: rejectMastersGroup,
  }),
];

type SigningRequestWrite = AdmissionRequest<CertificatesV1CertificateSigningRequest>;

/** A check of one endpoint of CertificateSigningRequests; `subresource` is `undefined` for the resource itself. */
interface CertificateRequestCheck {
  readonly name: string;
  readonly operation: 'CREATE' | 'UPDATE';
  readonly subresource: string | undefined;
  readonly check: (request: SigningRequestWrite) => Promise<void> | undefined;
}

function certificateRequestPlugin({ name, operation, subresource, check }: CertificateRequestCheck): ValidatingPlugin {
  const isHandled = (target: AdmissionTarget): boolean =>
    target.resource.row.group === 'certificates.platform.io' &&
    target.resource.row.resource === 'certificatesigningrequests' &&
    target.subresource === subresource;
  return {
    name,
    handles: (requested) => requested === operation,
    inspectsObject: isHandled,
    validate: (request) => (isHandled(request) ? check(request) : undefined),
  };
}

const signerOf = (object: CertificatesV1CertificateSigningRequest | undefined): string => object?.spec?.signerName ?? '';

/** Checks the signer name of the stored object: an update must not choose the signer that its author needs. */
function requireSignerPermission(
  canUseSigner: CanUseSigner,
  verb: SignerUse['verb'],
  request: SigningRequestWrite,
): Promise<void> | undefined {
  const signer = signerOf(request.oldObject);
  const name = canonicalQualifiedName(signer);
  const domain = `${name.split('/', 1)[0] ?? ''}/*`;
  const decision = whenResolved(
    canUseSigner(request.user, { verb, name }),
    (allowed) => allowed || canUseSigner(request.user, { verb, name: domain }),
  );
  const rejectUnlessAllowed = (allowed: boolean): undefined => {
    if (!allowed) throw rejection(request, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`);
  };
  return decision instanceof Promise ? decision.then(rejectUnlessAllowed) : rejectUnlessAllowed(decision);
}

/** Whether the write changes what a signer sets. Other changes, such as labels, need no permission on the signer. */
function hasSigningChange({ object, oldObject }: SigningRequestWrite): boolean {
  const { certificate = '', conditions = [] } = object?.status ?? {};
  const { certificate: oldCertificate = '', conditions: oldConditions = [] } = oldObject?.status ?? {};
  return certificate !== oldCertificate || !equalJson(conditions, oldConditions);
}

function rejectMastersGroup(request: SigningRequestWrite): undefined {
  const signer = signerOf(request.object);
  if (canonicalQualifiedName(signer) !== CLIENT_SIGNER) return;
  const text = Buffer.from(request.object?.spec?.request ?? '', 'base64').toString('latin1');
  // Does not throw: the validation of the kind, which runs before, has parsed the request.
  if (parseCertificateRequest(text).organizations.includes(MASTERS_GROUP))
    throw rejection(request, `use of ${signer} signer with ${MASTERS_GROUP} group is not allowed`);
}

/** Names the object as its metadata do: a generated name is set there before the validating step. */
function rejection({ resource: { row }, name, object }: AdmissionRequest, text: string): StatusError {
  const { group, resource } = row;
  return forbidden({ group, resource }, readMetadata(object ?? {}).name ?? name, text);
}
